// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch . house:random
//
// Each turn, think gets a view:
//     view.Turn          the number of the turn, from 1
//     view.Planets       each has Name, X, Y, Owner (1: you, 2 and more: enemies, 0: nobody), Ships
//     view.Expeditions   fleets under way: ID, Origin and Destination (names of planets), Owner,
//                        Ships, TurnsRemaining
// and returns the moves, each a fleet from one of your planets to another planet:
//     []Move{{"protos", "extos", 6}}

package main

import (
	"fmt"
	"math"
	"os"
	"sort"
)

// The line to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber their targets.
const garrison, spare = 0, 1

// turns returns the travel time in turns.
func turns(a, b Planet) int {
	dx, dy := a.X-b.X, a.Y-b.Y
	return int(math.Max(1, math.Ceil(math.Sqrt(dx*dx+dy*dy))))
}

// think returns the moves of this turn. The whole strategy is here.
func think(view *View) []Move {
	var mine, others []Planet
	for _, planet := range view.Planets {
		if planet.Owner == 1 {
			mine = append(mine, planet)
		} else {
			others = append(others, planet)
		}
	}

	ours := map[string]int{}   // our ships under way to each planet
	theirs := map[string]int{} // and those of the enemies
	for _, expedition := range view.Expeditions {
		if expedition.Owner == 1 {
			ours[expedition.Destination] += expedition.Ships
		} else {
			theirs[expedition.Destination] += expedition.Ships
		}
	}

	var moves []Move
	for _, origin := range mine {
		// A planet under attack keeps the ships it needs.
		ships := origin.Ships - garrison - theirs[origin.Name]
		targets := append([]Planet{}, others...)
		sort.SliceStable(targets, func(i, j int) bool {
			return turns(origin, targets[i]) < turns(origin, targets[j])
		})
		for _, target := range targets {
			// An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
			built := 0
			if target.Owner != 0 {
				built = turns(origin, target)
			}
			needed := target.Ships + built + theirs[target.Name] + spare - ours[target.Name]
			if needed > 0 && needed <= ships {
				ships -= needed
				ours[target.Name] += needed
				moves = append(moves, Move{origin.Name, target.Name, needed})
			}
		}
	}
	return moves
}

// The main loop: answer every view until the match ends.
func main() {
	for view := readView(); view != nil; view = readView() {
		if view.Turn == 1 { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintln(os.Stderr, "planets on this map:", len(view.Planets))
		}
		sendAnswer(think(view))
	}
}
