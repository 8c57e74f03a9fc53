# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch "python3 starter.py" house:random
#
# A view is one line of JSON. You are always player 1 in it, and neutral planets have
# the owner null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# The answer is also one line of JSON. Without moves: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
import json
import math
import sys

# The line to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber their targets.
GARRISON, SPARE = 0, 1


def turns(a, b):
    """The travel time in turns."""
    dx, dy = a["x"] - b["x"], a["y"] - b["y"]
    return max(1, math.ceil(math.sqrt(dx * dx + dy * dy)))


def think(view):
    """The moves of this turn. The whole strategy is here."""
    planets = view["planets"]
    mine = [planet for planet in planets if planet["owner"] == 1]
    others = [planet for planet in planets if planet["owner"] != 1]

    ours = {planet["name"]: 0 for planet in planets}  # our ships under way to each planet
    theirs = dict(ours)  # and those of the enemies
    for expedition in view["expeditions"]:
        side = ours if expedition["owner"] == 1 else theirs
        side[expedition["destination"]] += expedition["ship_count"]

    moves = []
    for origin in mine:
        # A planet under attack keeps the ships it needs.
        ships = origin["ship_count"] - GARRISON - theirs[origin["name"]]
        for target in sorted(others, key=lambda planet: turns(origin, planet)):
            # An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
            built = turns(origin, target) if target["owner"] else 0
            there = target["ship_count"] + built + theirs[target["name"]]
            needed = there + SPARE - ours[target["name"]]
            if 0 < needed <= ships:
                ships -= needed
                ours[target["name"]] += needed
                moves.append({
                    "origin": origin["name"], "destination": target["name"], "ship_count": needed
                })
    return moves


# The main loop: read a view, print an answer, until the input ends with the match.
first = True
for line in sys.stdin:
    view = json.loads(line)
    if first:  # debug output: "skirmish play --stderr" and replays show it
        print("planets on this map:", len(view["planets"]), file=sys.stderr, flush=True)
        first = False
    print(json.dumps({"moves": think(view)}), flush=True)
