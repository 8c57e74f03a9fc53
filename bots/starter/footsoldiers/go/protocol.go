// How a bot for Footsoldiers talks to the referee. You need not change this file.
//
// The bot prints "Ready". Then each view is one line of JSON:
//     {"you":"player1","turns-remaining":99,
//      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
//             {"type":"Rock","position":{"x":4,"y":0}},
//             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
//              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
//      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
// An answer is one line with one command:
//     Build Scout (2, 3) (65, 3) Right
//     Move (6, 1) to (9, 5)
//     Change attack direction (6, 1) to Left
//     No-op

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
)

type Square struct {
	X int `json:"x"`
	Y int `json:"y"`
}

type Player struct {
	Team   string `json:"team"`
	Money  int    `json:"money"`
	Base   Square `json:"base"`
	Health int    `json:"health"`
}

type Thing struct {
	Type        string `json:"type"`
	At          Square `json:"position"`
	Team        string `json:"team"`   // empty: a rock
	Health      int    `json:"health"` // 0: not a soldier
	Destination Square `json:"destination"`
	Direction   string `json:"attack-direction"`
}

type View struct {
	Turn, TurnsRemaining int
	Me, Enemy            Player
	Map                  []Thing
}

type Command string

const noOp Command = "No-op"

func (at Square) String() string {
	return fmt.Sprintf("(%d, %d)", at.X, at.Y)
}

func build(kind string, at, destination Square, direction string) Command {
	return Command(fmt.Sprintf("Build %s %v %v %s", kind, at, destination, direction))
}

func move(soldier, destination Square) Command {
	return Command(fmt.Sprintf("Move %v to %v", soldier, destination))
}

func turn(soldier Square, direction string) Command {
	return Command(fmt.Sprintf("Change attack direction %v to %s", soldier, direction))
}

var (
	input  = json.NewDecoder(os.Stdin)
	number = 0 // of the turn
)

// readView returns the next view, or nil when the match is over.
func readView() *View {
	if number == 0 {
		fmt.Println("Ready")
	}
	var message struct {
		You            string  `json:"you"`
		TurnsRemaining int     `json:"turns-remaining"`
		Map            []Thing `json:"map"`
		Player1        Player  `json:"player1"`
		Player2        Player  `json:"player2"`
	}
	if err := input.Decode(&message); err == io.EOF {
		return nil
	} else if err != nil {
		log.Fatal(err)
	}
	number++
	me, enemy := message.Player1, message.Player2
	if message.You == "player2" {
		me, enemy = enemy, me
	}
	return &View{number, message.TurnsRemaining, me, enemy, message.Map}
}

// sendAnswer sends the answer to the last view.
func sendAnswer(command Command) {
	fmt.Println(command)
}
