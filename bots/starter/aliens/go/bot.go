// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch . house:random
//
// Each turn, think gets a view:
//     view.Turn              the number of the turn, from 1
//     view.Rows, view.Cols   the size of the grid; squares are numbered row by row from 0
//     view.Grid              a character per square: '.' empty, '*' energy, 'a' and 'b' units
//     view.Me, view.Enemy    the players: Letter, Energy, Spawn (a square), SpawnDestroyed
// and returns the moves, from a square to an adjacent one. Units without a move stay:
//     []Move{{21, 22}, {40, 60}}

package main

import (
	"fmt"
	"os"
)

// The line to change first: attack when we have this many times as many units as the enemy.
const courage = 2

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

// best returns the square with the smallest cost; on a tie, the first one.
func best(squares []int, cost func(int) int) int {
	found := squares[0]
	for _, square := range squares[1:] {
		if cost(square) < cost(found) {
			found = square
		}
	}
	return found
}

// squares returns the squares of the grid that contain the character.
func (view *View) squares(what byte) []int {
	var list []int
	for square := 0; square < view.Rows*view.Cols; square++ {
		if view.Grid[square] == what {
			list = append(list, square)
		}
	}
	return list
}

func (view *View) steps(a, b int) int {
	return abs(a/view.Cols-b/view.Cols) + abs(a%view.Cols-b%view.Cols)
}

func (view *View) neighbours(square int) []int {
	row, col := square/view.Cols, square%view.Cols
	var list []int
	for _, to := range [][2]int{{row - 1, col}, {row + 1, col}, {row, col - 1}, {row, col + 1}} {
		if to[0] >= 0 && to[0] < view.Rows && to[1] >= 0 && to[1] < view.Cols {
			list = append(list, to[0]*view.Cols+to[1])
		}
	}
	return list
}

// think returns the moves of this turn. The whole strategy is here.
func think(view *View) []Move {
	units, enemies := view.squares(view.Me.Letter), view.squares(view.Enemy.Letter)
	attack := len(units) >= courage*len(enemies)
	goals := view.squares('*')
	if attack {
		goals = append(enemies, view.Enemy.Spawn)
	}
	taken := map[int]bool{} // squares of our units; if two meet on a square, both die
	for _, unit := range units {
		taken[unit] = true
	}
	claimed := map[int]bool{} // energy that one of our units is already going for
	var moves []Move
	for _, unit := range units {
		var wanted []int
		for _, goal := range goals {
			if !claimed[goal] {
				wanted = append(wanted, goal)
			}
		}
		if len(wanted) == 0 {
			wanted = []int{view.Rows/2*view.Cols + view.Cols/2}
		}
		goal := best(wanted, func(square int) int { return view.steps(unit, square) })
		if !attack {
			claimed[goal] = true
		}

		// The cost of a square: distance to the goal, or an enemy too close.
		cost := func(square int) int {
			for _, enemy := range enemies {
				if !attack && view.steps(square, enemy) <= 2 {
					return view.steps(square, goal) + 1000
				}
			}
			return view.steps(square, goal)
		}

		// Energy is gathered from an adjacent square; moving onto it destroys it.
		options := []int{unit}
		for _, to := range view.neighbours(unit) {
			if !taken[to] && view.Grid[to] != '*' {
				options = append(options, to)
			}
		}
		if to := best(options, cost); to != unit {
			taken[unit] = false
			taken[to] = true
			moves = append(moves, Move{unit, to})
		}
	}
	return moves
}

// The main loop: answer every view until the match ends.
func main() {
	for view := readView(); view != nil; view = readView() {
		if view.Turn == 1 { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintf(os.Stderr, "I am player %c\n", view.Me.Letter)
		}
		sendAnswer(think(view))
	}
}
