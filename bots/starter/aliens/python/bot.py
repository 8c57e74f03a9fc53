# A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
#
#     skirmish play aliens --watch . house:random
#
# Each turn, think() gets a view:
#     view.turn              the number of the turn, from 1
#     view.rows, view.cols   the size of the grid; squares are numbered row by row from 0
#     view.grid              a character per square: "." empty, "*" energy, "a" and "b" units
#     view.me, view.enemy    the players: letter, energy, spawn (a square), spawn_destroyed
# and returns the moves, from a square to an adjacent one. Units without a move stay:
#     [Move(21, 22), Move(40, 60)]
import sys

import protocol
from protocol import Move

# The line to change first: attack when we have this many times as many units as the enemy.
COURAGE = 2


def think(view):
    """The moves of this turn. The whole strategy is here."""
    rows, cols, grid = view.rows, view.cols, view.grid

    def squares(what):
        return [square for square in range(rows * cols) if grid[square] == what]

    def steps(a, b):
        return abs(a // cols - b // cols) + abs(a % cols - b % cols)

    def neighbours(square):
        row, col = divmod(square, cols)
        around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
        return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]

    units, enemies, energy = squares(view.me.letter), squares(view.enemy.letter), squares("*")
    attack = len(units) >= COURAGE * len(enemies)
    goals = enemies + [view.enemy.spawn] if attack else energy
    taken = set(units)  # squares of our units; if two meet on a square, both die
    claimed = set()  # energy that one of our units is already going for
    moves = []
    for unit in units:
        wanted = [goal for goal in goals if goal not in claimed] or [rows // 2 * cols + cols // 2]
        goal = min(wanted, key=lambda square: steps(unit, square))
        if not attack:
            claimed.add(goal)

        def cost(square):
            """The cost of a square: distance to the goal, or an enemy too close."""
            danger = not attack and any(steps(square, e) <= 2 for e in enemies)
            return steps(square, goal) + (1000 if danger else 0)

        # Energy is gathered from an adjacent square; moving onto it destroys it.
        free = [to for to in neighbours(unit) if to not in taken and grid[to] != "*"]
        to = min([unit] + free, key=cost)
        if to != unit:
            taken.remove(unit)
            taken.add(to)
            moves.append(Move(unit, to))
    return moves


# The main loop: answer every view until the match ends.
for view in protocol.views():
    if view.turn == 1:  # debug output: "skirmish play --stderr" and replays show it
        print("I am player", view.me.letter, file=sys.stderr)
    protocol.answer(think(view))
