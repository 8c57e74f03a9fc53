// A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
//
//     skirmish play underworld --map duel --watch . house:random
//
// Each turn, think gets a view. A Cell has X and Y:
//     view.Turn                   the number of the turn, from 1
//     view.Columns, view.Rows     the size of the board
//     view.Players, view.Me       how many players there are, and your number, from 0
//     view.Money                  what you can spend
//     view.Things                 what you see: each has At (a cell), Owner, Hitpoints and Kind
//                                 ('C' castle, 'B' barracks, 'F' farm, 'W' warrior, '#' wall)
// and returns any number of commands:
//     Command{"build", Cell{1, 0}, 'F'}    a farm or barracks, within distance 2 of your buildings
//     Command{"spawn", Cell{0, 1}, 'E'}    the barracks at (0, 1) spawns a warrior to the east
//     Command{"move", Cell{1, 1}, 'S'}     the warrior moves south; it strikes automatically

package main

import (
	"fmt"
	"os"
	"sort"
)

// The line to change first: how many farms to build, and how many warriors before they attack.
const farmsWanted, armySize = 3, 4
const farmCost, warriorCost = 1000, 500
const reach = 4 // range of warriors and of building: distance 2, squared

var directions = []struct {
	letter byte
	dx, dy int
}{{'N', 0, -1}, {'S', 0, 1}, {'E', 1, 0}, {'W', -1, 0}}

// A Step leads to an adjacent cell.
type Step struct {
	letter byte
	to     Cell
}

// apart returns the squared distance.
func apart(a, b Cell) int {
	return (a.X-b.X)*(a.X-b.X) + (a.Y-b.Y)*(a.Y-b.Y)
}

// isNear reports whether one of the cells is in reach.
func isNear(at Cell, cells []Cell) bool {
	for _, cell := range cells {
		if apart(at, cell) <= reach {
			return true
		}
	}
	return false
}

// nearest returns the cell with the smallest distance; on a tie, the first one.
func nearest(cells []Cell, to Cell) Cell {
	best := cells[0]
	for _, cell := range cells[1:] {
		if apart(cell, to) < apart(best, to) {
			best = cell
		}
	}
	return best
}

// cells returns where all things of one kind are, either ours or those of others.
func (view *View) cells(kind byte, mine bool) []Cell {
	var list []Cell
	for _, thing := range view.Things {
		if thing.Kind == kind && (thing.Owner == view.Me) == mine {
			list = append(list, thing.At)
		}
	}
	return list
}

func (view *View) neighbours(at Cell) []Step {
	var list []Step
	for _, d := range directions {
		to := Cell{at.X + d.dx, at.Y + d.dy}
		if to.X >= 0 && to.X < view.Columns && to.Y >= 0 && to.Y < view.Rows {
			list = append(list, Step{d.letter, to})
		}
	}
	return list
}

// distances returns the steps to the goal from every cell that can reach it.
func (view *View) distances(goal Cell, closed map[Cell]bool) map[Cell]int {
	far := map[Cell]int{goal: 0}
	for queue := []Cell{goal}; len(queue) > 0; queue = queue[1:] {
		for _, step := range view.neighbours(queue[0]) {
			if _, known := far[step.to]; !known && !closed[step.to] {
				far[step.to] = far[queue[0]] + 1
				queue = append(queue, step.to)
			}
		}
	}
	return far
}

// think returns the commands of this turn. The whole strategy is here.
func think(view *View) []Command {
	castle, barracks := view.cells('C', true), view.cells('B', true)
	farms, warriors := view.cells('F', true), view.cells('W', true)
	home := castle[0]
	castles := view.cells('C', false)
	if len(castles) == 0 { // we see no enemy castle: go to the opposite side
		castles = []Cell{{view.Columns - 1 - home.X, view.Rows - 1 - home.Y}}
	}
	goal := nearest(castles, home)
	buildings := append(append(castle, barracks...), farms...)
	threats := view.cells('W', false)
	// Only walls and our own buildings block the way: we destroy those of the enemies.
	closed := map[Cell]bool{}
	for _, at := range append(view.cells('#', false), buildings...) {
		closed[at] = true
	}
	far := view.distances(goal, closed)
	taken := map[Cell]bool{}
	for _, thing := range view.Things {
		taken[thing.At] = true
	}
	money := view.Money
	var commands []Command

	// nextStep returns the free neighbour that is nearest to the goal, or nil.
	nextStep := func(at Cell) *Step {
		var best *Step
		for _, step := range view.neighbours(at) {
			step := step
			_, reachable := far[step.to]
			if !taken[step.to] && reachable && (best == nil || far[step.to] < far[best.to]) {
				best = &step
			}
		}
		return best
	}

	// Warriors in front move first and make room for the next.
	var army []Cell
	for _, at := range warriors {
		if _, reachable := far[at]; reachable {
			army = append(army, at)
		}
	}
	sort.SliceStable(army, func(i, j int) bool { return far[army[i]] < far[army[j]] })
	for _, at := range army {
		fights := isNear(at, threats)
		waits := len(warriors) < armySize && !isNear(at, buildings)
		step := nextStep(at)
		if step != nil && far[step.to] < far[at] && !fights && !waits {
			taken[at], taken[step.to] = false, true
			commands = append(commands, Command{"move", at, step.letter})
		}
	}
	if len(farms) < farmsWanted && money >= farmCost {
		doors := map[Cell]bool{} // the cells around barracks are left free for warriors
		for _, at := range barracks {
			for _, step := range view.neighbours(at) {
				doors[step.to] = true
			}
		}
		var sites []Cell
		for y := 0; y < view.Rows; y++ {
			for x := 0; x < view.Columns; x++ {
				at := Cell{x, y}
				if !taken[at] && !doors[at] && isNear(at, buildings) {
					sites = append(sites, at)
				}
			}
		}
		if len(sites) > 0 {
			site := nearest(sites, home)
			taken[site] = true
			money -= farmCost
			commands = append(commands, Command{"build", site, 'F'})
		}
	}
	for _, at := range barracks {
		if step := nextStep(at); step != nil && money >= warriorCost {
			taken[step.to] = true
			money -= warriorCost
			commands = append(commands, Command{"spawn", at, step.letter})
		}
	}
	return commands
}

// The main loop: answer every view until the match ends.
func main() {
	for view := readView(); view != nil; view = readView() {
		if view.Turn == 1 { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintln(os.Stderr, "I am player", view.Me, "of", view.Players)
		}
		sendAnswer(think(view))
	}
}
