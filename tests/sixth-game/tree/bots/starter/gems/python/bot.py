# A starter bot for Gems: it goes to the gem with the most points per step. Change it!
#
#     skirmish play gems --watch . house:random
#
# Each turn, think() gets a view:
#     view.turn       the number of the turn, from 1
#     view.me         your place in view.players
#     view.players    each has row, col, points, playing
#     view.grid       the rows of the board; a digit is a gem, and how many points it is worth
# and returns one word: up, down, left, right or stay.
import sys

import protocol

# The line to change first: how much a point is worth compared with a step.
GREED = 4


def think(view):
    """The move of this turn. The whole strategy is here."""
    me = view.players[view.me]
    best, goal = None, (me.row, me.col)
    for row, line in enumerate(view.grid):
        for col, square in enumerate(line):
            if square == ".":
                continue
            worth = GREED * int(square) - abs(row - me.row) - abs(col - me.col)
            if best is None or worth > best:
                best, goal = worth, (row, col)
    row, col = goal
    if row != me.row:
        return "up" if row < me.row else "down"
    if col != me.col:
        return "left" if col < me.col else "right"
    return "stay"


# The main loop: a view, an answer, until the match ends.
for view in protocol.views():
    if view.turn == 1:  # debug output: "skirmish play --stderr" and replays show it
        print("players:", len(view.players), file=sys.stderr)
    protocol.answer(think(view))
