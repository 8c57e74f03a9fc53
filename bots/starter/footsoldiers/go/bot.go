// A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
//
//     skirmish play footsoldiers --watch . house:random
//
// Each turn, think gets a view. A Square has X and Y:
//     view.Turn, view.TurnsRemaining    this turn, from 1; turns to play, including this one
//     view.Me, view.Enemy               the players: Team ("player1"), Money, Base, Health
//     view.Map                          everything on the field, each with Type, At, Team;
//                                       Type is "Base", "Rock", "Scout", "Assassin" or "Tank";
//                                       soldiers also have Health, Destination, Direction
// and returns one command:
//     build("Scout", Square{2, 3}, Square{65, 3}, "Right")    place, destination, direction
//     move(Square{6, 1}, Square{9, 5})    where the soldier is, its new destination
//     turn(Square{6, 1}, "Left")          where the soldier is, its new attack direction
//     noOp

package main

import (
	"fmt"
	"os"
	"strings"
)

// The line to change first: what to build, in this order, over and over.
var plan = []string{"Scout", "Assassin", "Scout"}
var cost = map[string]int{"Scout": 10, "Assassin": 11, "Tank": 12}

const near = 5 // maximum distance from the base to build
const unreachable = 9999

var far map[Square]int // steps to the enemy's base from every square; computed in the first turn
var built = 0

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

func apart(a, b Square) int {
	return abs(a.X-b.X) + abs(a.Y-b.Y)
}

func around(at Square) []Square {
	return []Square{{at.X + 1, at.Y}, {at.X, at.Y + 1}, {at.X, at.Y - 1}, {at.X - 1, at.Y}}
}

// best returns the square that is nearest to the enemy's base; on a tie, the first one.
func best(squares []Square) Square {
	found := squares[0]
	for _, at := range squares[1:] {
		if steps(at) < steps(found) {
			found = at
		}
	}
	return found
}

func steps(at Square) int {
	if steps, ok := far[at]; ok {
		return steps
	}
	return unreachable
}

// measure fills far: from the enemy's base outwards, around the rocks, and also one square off the
// map.
func measure(view *View) {
	rocks := map[Square]bool{}
	width, height := 0, 0
	for _, thing := range view.Map {
		if thing.Type == "Rock" {
			rocks[thing.At] = true
		}
		if thing.At.X+2 > width {
			width = thing.At.X + 2
		}
		if thing.At.Y+2 > height {
			height = thing.At.Y + 2
		}
	}
	far = map[Square]int{view.Enemy.Base: 0}
	for queue := []Square{view.Enemy.Base}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, to := range around(at) {
			inside := to.X >= 0 && to.X < width && to.Y >= 0 && to.Y < height
			if _, known := far[to]; inside && !known && !rocks[to] {
				far[to] = far[at] + 1
				queue = append(queue, to)
			}
		}
	}
}

// waypoint returns how far a soldier can go without a detour: it gets stuck behind rocks.
func waypoint(start Square) Square {
	here := start
	for walked := 0; far[here] > 0; walked++ {
		to := best(around(here))
		if apart(to, start) <= walked {
			break
		}
		here = to
	}
	return here
}

// sites returns the free squares near our base.
func sites(view *View) []Square {
	taken := map[Square]bool{}
	for _, thing := range view.Map {
		taken[thing.At] = true
	}
	home := view.Me.Base
	var free []Square
	for dx := -near; dx <= near; dx++ {
		for dy := -near; dy <= near; dy++ {
			at := Square{home.X + dx, home.Y + dy}
			_, reachable := far[at]
			if abs(dx)+abs(dy) <= near && reachable && !taken[at] {
				free = append(free, at)
			}
		}
	}
	return free
}

// think returns the command of this turn. The whole strategy is here.
func think(view *View) Command {
	if far == nil {
		measure(view)
	}
	kind := plan[built%len(plan)]
	if view.Me.Money >= cost[kind] {
		if free := sites(view); len(free) > 0 {
			built++
			at := best(free)
			look := "Left"
			if view.Me.Base.X < view.Enemy.Base.X {
				look = "Right"
			}
			return build(kind, at, waypoint(at), look)
		}
	}
	for _, thing := range view.Map { // nothing to build: guide a soldier that has arrived
		_, reachable := far[thing.At]
		if thing.Health > 0 && thing.Team == view.Me.Team && reachable {
			to := waypoint(thing.At)
			if thing.At == thing.Destination && to != thing.At {
				return move(thing.At, to)
			}
		}
	}
	return noOp
}

// The main loop: answer every view until the match ends.
func main() {
	for view := readView(); view != nil; view = readView() {
		if view.Turn == 1 { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintln(os.Stderr, "building", strings.Join(plan, " "))
		}
		sendAnswer(think(view))
	}
}
