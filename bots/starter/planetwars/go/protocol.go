// How a bot for Planet Wars talks to the referee. You need not change this file.
//
// A view is one line of JSON. The bot is always player 1 in it; neutral planets have the owner
// null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// An answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}

package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
)

type Move struct {
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Ships       int    `json:"ship_count"`
}

type Planet struct {
	Name  string  `json:"name"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Owner int     `json:"owner"` // 1: you; 0: nobody
	Ships int     `json:"ship_count"`
}

type Expedition struct {
	ID             int    `json:"id"`
	Origin         string `json:"origin"`
	Destination    string `json:"destination"`
	Owner          int    `json:"owner"`
	Ships          int    `json:"ship_count"`
	TurnsRemaining int    `json:"turns_remaining"`
}

type View struct {
	Turn        int          `json:"-"`
	Planets     []Planet     `json:"planets"`
	Expeditions []Expedition `json:"expeditions"`
}

var (
	input  = json.NewDecoder(os.Stdin)
	output = json.NewEncoder(os.Stdout)
	turn   = 0
)

// readView returns the next view, or nil when the match is over.
func readView() *View {
	turn++
	view := &View{Turn: turn}
	if err := input.Decode(view); err == io.EOF {
		return nil
	} else if err != nil {
		log.Fatal(err)
	}
	return view
}

// sendAnswer sends the answer to the last view.
func sendAnswer(moves []Move) {
	if moves == nil {
		moves = []Move{} // nil would be sent as null
	}
	if err := output.Encode(map[string][]Move{"moves": moves}); err != nil {
		log.Fatal(err)
	}
}
