// A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
//
//     skirmish play ctf --watch . house:random
//
// Each round, think gets a view. A Square has X and Y:
//     view.Turn                        the number of the round, from 1
//     view.Map                         the rows of the map; '#' is an obstacle
//     view.Base, view.Spawn            where your flag belongs, and where your soldiers start
//     view.Points, view.EnemyPoints    the score
//     view.Flag, view.EnemyFlag        where the flags are now
//     view.Soldiers                    yours: Name, At, Cooldown, Alive, CarriesFlag
//     view.Grenades                    yours: At, Countdown (enemy grenades are hidden)
//     view.Enemies                     Name, At, Alive, CarriesFlag
// and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
//     []Order{{"X", 'D', &Square{10, 7}}, {"Y", 'S', nil}}

package main

import (
	"fmt"
	"os"
)

// The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
const guards = 1
const reach = 10 // the default range of grenades
const unreachable = 9999

var steps = []struct {
	letter byte
	dx, dy int
}{{'S', 0, 0}, {'U', 0, -1}, {'D', 0, 1}, {'L', -1, 0}, {'R', 1, 0}}

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

func apart(a, b Square) int {
	return abs(a.X-b.X) + abs(a.Y-b.Y)
}

func (view *View) isOpen(at Square) bool {
	inside := at.Y >= 0 && at.Y < len(view.Map) && at.X >= 0 && at.X < len(view.Map[at.Y])
	return inside && view.Map[at.Y][at.X] != '#'
}

// distances returns the steps to the goal from every square that can reach it.
func distances(view *View, goal Square) map[Square]int {
	far := map[Square]int{goal: 0}
	for queue := []Square{goal}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, step := range steps {
			to := Square{at.X + step.dx, at.Y + step.dy}
			if _, known := far[to]; !known && view.isOpen(to) {
				far[to] = far[at] + 1
				queue = append(queue, to)
			}
		}
	}
	return far
}

// cost counts the steps to the goal, and our own grenades, which kill us too.
func cost(view *View, far map[Square]int, at Square) int {
	steps, ok := far[at]
	if !ok {
		steps = unreachable
	}
	for _, grenade := range view.Grenades {
		dx, dy := abs(at.X-grenade.At.X), abs(at.Y-grenade.At.Y)
		if grenade.Countdown == 1 && dx <= 1 && dy <= 1 {
			return steps + 1000
		}
	}
	return steps
}

// target returns the nearest enemy in range, or nil. A grenade kills everyone in the 3 x 3 squares
// around it, three rounds later.
func target(view *View, from Square) *Square {
	var best *Square
	for i, enemy := range view.Enemies {
		distance := apart(enemy.At, from)
		if !enemy.Alive || distance <= 3 || distance > reach {
			continue
		}
		if best == nil || distance < apart(*best, from) {
			best = &view.Enemies[i].At
		}
	}
	return best
}

// think returns the orders of this round. The whole strategy is here.
func think(view *View) []Order {
	toBase := distances(view, view.Base)
	toFlag := distances(view, view.Flag)
	toEnemyFlag := distances(view, view.EnemyFlag)
	var orders []Order
	for number, soldier := range view.Soldiers {
		at := soldier.At
		if !soldier.Alive {
			at = view.Spawn // the dead respawn first
		}
		far := toEnemyFlag
		if at != view.Base && (soldier.CarriesFlag || at == view.EnemyFlag) {
			far = toBase // on the base, the next order captures the flag
		} else if number < guards {
			far = toFlag
		}
		order := Order{Name: soldier.Name, Step: 'S'}
		best := unreachable
		for _, step := range steps {
			price := cost(view, far, Square{at.X + step.dx, at.Y + step.dy})
			if price < best {
				best, order.Step = price, step.letter
			}
		}
		if soldier.Alive && soldier.Cooldown == 0 {
			order.Target = target(view, at)
		}
		orders = append(orders, order)
	}
	return orders
}

// The main loop: answer every view until the match ends.
func main() {
	for view := readView(); view != nil; view = readView() {
		if view.Turn == 1 { // debug output: "skirmish play --stderr" and replays show it
			fmt.Fprintln(os.Stderr, "I have", len(view.Soldiers), "soldiers")
		}
		sendAnswer(think(view))
	}
}
