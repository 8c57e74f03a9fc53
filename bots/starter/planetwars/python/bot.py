# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch . house:random
#
# Each turn, think() gets a view:
#     view.turn          the number of the turn, from 1
#     view.planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody), ships
#     view.expeditions   fleets under way: id, origin and destination (names of planets), owner,
#                        ships, turns_remaining
# and returns the moves, each a fleet from one of your planets to another planet:
#     [Move("protos", "extos", 6)]
import math
import sys

import protocol
from protocol import Move

# The line to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber their targets.
GARRISON, SPARE = 0, 1


def turns(a, b):
    """The travel time in turns."""
    dx, dy = a.x - b.x, a.y - b.y
    return max(1, math.ceil(math.sqrt(dx * dx + dy * dy)))


def think(view):
    """The moves of this turn. The whole strategy is here."""
    mine = [planet for planet in view.planets if planet.owner == 1]
    others = [planet for planet in view.planets if planet.owner != 1]

    ours = {planet.name: 0 for planet in view.planets}  # our ships under way to each planet
    theirs = dict(ours)  # and those of the enemies
    for expedition in view.expeditions:
        side = ours if expedition.owner == 1 else theirs
        side[expedition.destination] += expedition.ships

    moves = []
    for origin in mine:
        # A planet under attack keeps the ships it needs.
        ships = origin.ships - GARRISON - theirs[origin.name]
        for target in sorted(others, key=lambda planet: turns(origin, planet)):
            # An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
            built = turns(origin, target) if target.owner else 0
            needed = target.ships + built + theirs[target.name] + SPARE - ours[target.name]
            if 0 < needed <= ships:
                ships -= needed
                ours[target.name] += needed
                moves.append(Move(origin.name, target.name, needed))
    return moves


# The main loop: answer every view until the match ends.
for view in protocol.views():
    if view.turn == 1:  # debug output: "skirmish play --stderr" and replays show it
        print("planets on this map:", len(view.planets), file=sys.stderr)
    protocol.answer(think(view))
