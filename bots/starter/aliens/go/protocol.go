// How a bot for Aliens talks to the referee. You need not change this file.
//
// A view is one line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,
//      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
//      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
// An answer is a JSON array:
//     [{"from":21,"to":22},{"from":40,"to":60}]

package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
)

type Move struct {
	From int `json:"from"` // a square with one of your units
	To   int `json:"to"`   // an adjacent square
}

type Player struct {
	Letter         byte `json:"-"`
	Energy         int  `json:"food"` // for units that will appear at the spawn
	Spawn          int  `json:"spawn"`
	SpawnDestroyed bool `json:"spawnDisabled"`
}

type View struct {
	Turn       int
	Rows, Cols int
	Grid       string
	Me, Enemy  Player
}

var (
	input  = json.NewDecoder(os.Stdin)
	output = json.NewEncoder(os.Stdout)
)

// readView returns the next view, or nil when the match is over.
func readView() *View {
	var message struct {
		Player string `json:"player"`
		State  struct {
			Rows         int    `json:"rows"`
			Cols         int    `json:"cols"`
			P1           Player `json:"p1"`
			P2           Player `json:"p2"`
			Grid         string `json:"grid"`
			TurnsElapsed int    `json:"turnsElapsed"`
		} `json:"state"`
	}
	if err := input.Decode(&message); err == io.EOF {
		return nil
	} else if err != nil {
		log.Fatal(err)
	}
	state := message.State
	a, b := state.P1, state.P2
	a.Letter, b.Letter = 'a', 'b'
	view := &View{state.TurnsElapsed + 1, state.Rows, state.Cols, state.Grid, a, b}
	if message.Player == "b" {
		view.Me, view.Enemy = b, a
	}
	return view
}

// sendAnswer sends the answer to the last view.
func sendAnswer(moves []Move) {
	if moves == nil {
		moves = []Move{} // nil would be sent as null
	}
	if err := output.Encode(moves); err != nil {
		log.Fatal(err)
	}
}
