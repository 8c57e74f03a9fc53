// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch . house:random
//
// Each turn, the bot reads one view, a line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
// The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
// The answer is a JSON array of moves. Units without a move stay:
//     [{"from":21,"to":22},{"from":40,"to":60}]

package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// The line to change first: attack when we have this many times as many units as the enemy.
const courage = 2

type view struct {
	Player string
	State  struct {
		Rows, Cols int
		P1, P2     struct{ Spawn int }
		Grid       string
	}
}

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

// The square with the smallest cost, the first of equals; none if the list is empty.
func best(list []int, none int, cost func(int) int) int {
	for i, square := range list {
		if i == 0 || cost(square) < cost(none) {
			none = square
		}
	}
	return none
}

// The moves of this turn. The whole strategy is here.
func think(v view) []map[string]int {
	rows, cols, grid := v.State.Rows, v.State.Cols, v.State.Grid
	enemy, enemySpawn := byte('b'), v.State.P2.Spawn
	if v.Player == "b" {
		enemy, enemySpawn = 'a', v.State.P1.Spawn
	}
	steps := func(a, b int) int { return abs(a/cols-b/cols) + abs(a%cols-b%cols) }
	squares := func(what byte) (list []int) {
		for square := 0; square < rows*cols; square++ {
			if grid[square] == what {
				list = append(list, square)
			}
		}
		return list
	}

	units, enemies, energy := squares(v.Player[0]), squares(enemy), squares('*')
	attack := len(units) >= courage*len(enemies)
	taken := map[int]bool{} // by one of our units; if two meet on a square, both die
	for _, unit := range units {
		taken[unit] = true
	}
	moves := []map[string]int{}
	for _, unit := range units {
		near := func(square int) int { return steps(unit, square) }
		goal := best(energy, rows/2*cols+cols/2, near)
		if attack {
			goal = best(append(squares(enemy), enemySpawn), unit, near)
		}
		for i, square := range energy { // no other unit goes for this energy
			if square == goal {
				energy = append(energy[:i], energy[i+1:]...)
				break
			}
		}
		// The cost of a square: distance to the goal, or an enemy too close.
		cost := func(square int) int {
			for _, other := range enemies {
				if !attack && steps(square, other) <= 2 {
					return steps(square, goal) + 1000
				}
			}
			return steps(square, goal)
		}
		free := []int{unit}
		for _, to := range []int{unit - cols, unit + cols, unit - 1, unit + 1} {
			// Energy is gathered from an adjacent square; moving onto it destroys it.
			if to >= 0 && to < rows*cols && steps(unit, to) == 1 && !taken[to] && grid[to] != '*' {
				free = append(free, to)
			}
		}
		if to := best(free, unit, cost); to != unit {
			delete(taken, unit)
			taken[to] = true
			moves = append(moves, map[string]int{"from": unit, "to": to})
		}
	}
	return moves
}

// The main loop: read a view, print an answer, until the input ends with the match.
func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var v view
	for first := true; input.Decode(&v) == nil; first = false {
		if first { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintln(os.Stderr, "I am player", v.Player)
		}
		output.Encode(think(v))
	}
}
