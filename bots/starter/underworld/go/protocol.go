// How a bot for Underworld talks to the referee. You need not change this file.
//
// The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
//     10 10 2 0                 columns, rows, players, your number
// and then a view in every turn:
//     money 3000
//     0 0 0 C 10000             x, y, owner, kind, hitpoints
//     0 1 0 B 1500
//     end
// After the last turn, it sends the line "gg" instead of a view. An answer is any number of
// commands, followed by "end":
//     build 1 0 F
//     spawn 0 1 E
//     move 1 1 S

package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

type Cell struct{ X, Y int }

type Command struct {
	Verb string // build, spawn or move
	At   Cell
	What byte // the building, or the direction
}

type Thing struct {
	At        Cell
	Owner     int
	Kind      byte
	Hitpoints int
}

type View struct {
	Turn          int
	Columns, Rows int
	Players, Me   int
	Money         int
	Things        []Thing
}

var (
	input  = bufio.NewScanner(os.Stdin)
	output = bufio.NewWriter(os.Stdout)
	last   View // the last view that was read
)

// readWords returns the words of the next line, or nil when the input ends.
func readWords() []string {
	for input.Scan() {
		if words := strings.Fields(input.Text()); len(words) > 0 {
			return words
		}
	}
	return nil
}

func number(word string) int {
	value, err := strconv.Atoi(word)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// readView returns the next view, or nil when the match is over.
func readView() *View {
	if last.Turn == 0 {
		if readWords() == nil {
			return nil
		}
		fmt.Println("crayfish")
		words := readWords()
		if words == nil {
			return nil
		}
		last.Columns, last.Rows = number(words[0]), number(words[1])
		last.Players, last.Me = number(words[2]), number(words[3])
	}
	for words := readWords(); words != nil && words[0] != "gg"; words = readWords() {
		switch words[0] {
		case "money":
			last.Turn++
			last.Money, last.Things = number(words[1]), nil
		case "end":
			view := last
			return &view
		default:
			last.Things = append(last.Things, Thing{
				Cell{number(words[0]), number(words[1])}, number(words[2]), words[3][0],
				number(words[4])})
		}
	}
	return nil
}

// sendAnswer sends the answer to the last view.
func sendAnswer(commands []Command) {
	for _, command := range commands {
		fmt.Fprintf(output, "%s %d %d %c\n", command.Verb, command.At.X, command.At.Y, command.What)
	}
	fmt.Fprintln(output, "end")
	if err := output.Flush(); err != nil {
		log.Fatal(err)
	}
}
