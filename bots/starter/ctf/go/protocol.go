// How a bot for Capture the flag talks to the referee. You need not change this file.
//
// The input starts with the team's letter, the map and an empty line. Then a view per round:
//     0 0                            our points, theirs
//     Flag 1 5                       where our flag is
//     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
//     Grenade 10 7 2                 ours: x, y, rounds left
//     EnemyFlag 13 9
//     Enemy L 11 8 True No           name, x, y, alive, flag
//     (an empty line)
// An answer is a line per order and an empty line:
//     X D (10,7)

package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

type Square struct{ X, Y int }

type Order struct {
	Name   string  // of the soldier
	Step   byte    // U, D, L, R or S
	Target *Square // the square to throw a grenade at, or nil
}

type Soldier struct {
	Name        string
	At          Square
	Cooldown    int
	Alive       bool
	CarriesFlag bool
}

type Enemy struct {
	Name        string
	At          Square
	Alive       bool
	CarriesFlag bool
}

type Grenade struct {
	At        Square
	Countdown int
}

type View struct {
	Turn                int
	Map                 []string
	Base, Spawn         Square
	Points, EnemyPoints int
	Flag, EnemyFlag     Square
	Soldiers            []Soldier
	Grenades            []Grenade
	Enemies             []Enemy
}

var (
	input  = bufio.NewScanner(os.Stdin)
	output = bufio.NewWriter(os.Stdout)
	turn   = 0
	start  View // what does not change
)

// readBlock returns the lines up to the next empty line, as words, or nil when the input ends.
func readBlock() [][]string {
	var block [][]string
	for input.Scan() {
		words := strings.Fields(input.Text())
		if len(words) == 0 {
			return block
		}
		block = append(block, words)
	}
	return nil
}

func find(rows []string, tile string) Square {
	for y, row := range rows {
		if x := strings.Index(row, tile); x >= 0 {
			return Square{x, y}
		}
	}
	return Square{}
}

func number(word string) int {
	value, err := strconv.Atoi(word)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func square(x, y string) Square {
	return Square{number(x), number(y)}
}

// readView returns the next view, or nil when the match is over.
func readView() *View {
	if turn == 0 {
		block := readBlock()
		if block == nil {
			return nil
		}
		for _, words := range block[1:] {
			start.Map = append(start.Map, words[0])
		}
		team := block[0][0]
		start.Base, start.Spawn = find(start.Map, strings.ToLower(team)), find(start.Map, team)
	}
	block := readBlock()
	if block == nil {
		return nil
	}
	turn++
	view := start
	view.Turn = turn
	view.Points, view.EnemyPoints = number(block[0][0]), number(block[0][1])
	for _, w := range block[1:] {
		switch w[0] {
		case "Flag":
			view.Flag = square(w[1], w[2])
		case "EnemyFlag":
			view.EnemyFlag = square(w[1], w[2])
		case "Soldier":
			view.Soldiers = append(view.Soldiers,
				Soldier{w[1], square(w[2], w[3]), number(w[4]), w[5] == "True", w[6] != "No"})
		case "Enemy":
			view.Enemies = append(view.Enemies,
				Enemy{w[1], square(w[2], w[3]), w[4] == "True", w[5] != "No"})
		case "Grenade":
			view.Grenades = append(view.Grenades, Grenade{square(w[1], w[2]), number(w[3])})
		}
	}
	return &view
}

// sendAnswer sends the answer to the last view.
func sendAnswer(orders []Order) {
	for _, order := range orders {
		fmt.Fprintf(output, "%s %c", order.Name, order.Step)
		if order.Target != nil {
			fmt.Fprintf(output, " (%d,%d)", order.Target.X, order.Target.Y)
		}
		fmt.Fprintln(output)
	}
	fmt.Fprintln(output)
	if err := output.Flush(); err != nil {
		log.Fatal(err)
	}
}
