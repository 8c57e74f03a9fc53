// A Planet Wars bot: its largest planet sends half of its ships to the smallest planet that it does
// not own.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type planet struct {
	Ships uint64 `json:"ship_count"`
	Owner *int   `json:"owner"`
	Name  string `json:"name"`
}

type move struct {
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Ships       uint64 `json:"ship_count"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var view struct{ Planets []planet }
		if json.Unmarshal(line, &view) != nil {
			return
		}
		var from, to *planet
		for i := range view.Planets {
			p := &view.Planets[i]
			mine := p.Owner != nil && *p.Owner == 1
			if mine && (from == nil || p.Ships > from.Ships) {
				from = p
			}
			if !mine && (to == nil || p.Ships < to.Ships) {
				to = p
			}
		}
		moves := []move{}
		if from != nil && to != nil && from.Ships > 1 {
			moves = append(moves, move{from.Name, to.Name, from.Ships / 2})
		}
		answer, _ := json.Marshal(map[string]any{"moves": moves})
		fmt.Println(string(answer))
	}
}
