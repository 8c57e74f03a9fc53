// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch . house:random
//
// A view is one line of JSON. You are always player 1 in it, and neutral planets have
// the owner null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// The answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
)

// The line to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber their targets.
const garrison, spare = 0, 1

type planet struct {
	Ships int `json:"ship_count"`
	X, Y  float64
	Owner int // 0: neutral
	Name  string
}

type view struct {
	Planets     []planet
	Expeditions []struct {
		Ships       int `json:"ship_count"`
		Destination string
		Owner       int
	}
}

type move struct {
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Ships       int    `json:"ship_count"`
}

// The travel time in turns.
func turns(a, b planet) int {
	dx, dy := a.X-b.X, a.Y-b.Y
	return int(math.Max(1, math.Ceil(math.Sqrt(dx*dx+dy*dy))))
}

// The moves of this turn. The whole strategy is here.
func think(v view) []move {
	var mine, others []planet
	for _, p := range v.Planets {
		if p.Owner == 1 {
			mine = append(mine, p)
		} else {
			others = append(others, p)
		}
	}
	ours, theirs := map[string]int{}, map[string]int{} // ships under way to each planet
	for _, expedition := range v.Expeditions {
		if expedition.Owner == 1 {
			ours[expedition.Destination] += expedition.Ships
		} else {
			theirs[expedition.Destination] += expedition.Ships
		}
	}

	moves := []move{}
	for _, origin := range mine {
		// A planet under attack keeps the ships it needs.
		ships := origin.Ships - garrison - theirs[origin.Name]
		nearest := append([]planet{}, others...)
		sort.SliceStable(nearest, func(i, j int) bool {
			return turns(origin, nearest[i]) < turns(origin, nearest[j])
		})
		for _, target := range nearest {
			// An enemy planet builds a ship per turn until we arrive; a neutral one none.
			there := target.Ships + theirs[target.Name]
			if target.Owner != 0 {
				there += turns(origin, target)
			}
			needed := there + spare - ours[target.Name]
			if needed > 0 && needed <= ships {
				ships -= needed
				ours[target.Name] += needed
				moves = append(moves, move{origin.Name, target.Name, needed})
			}
		}
	}
	return moves
}

// The main loop: read a view, print an answer, until the input ends with the match.
func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for first := true; ; first = false {
		var v view
		if input.Decode(&v) != nil {
			return
		}
		if first { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintln(os.Stderr, "planets on this map:", len(v.Planets))
		}
		output.Encode(map[string][]move{"moves": think(v)})
	}
}
