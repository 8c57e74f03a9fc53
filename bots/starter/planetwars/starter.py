# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch "python3 starter.py" house:random
#
# A view is one line of JSON. In it you are player 1, whatever your seat, and neutral planets are
# owned by null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# The answer is one line of JSON as well. No moves are fine: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
import json
import math
import sys

# The line to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber what they attack.
GARRISON, SPARE = 0, 1


def turns(a, b):
    """How long ships are under way."""
    dx, dy = a["x"] - b["x"], a["y"] - b["y"]
    return max(1, math.ceil(math.sqrt(dx * dx + dy * dy)))


def think(view):
    """The moves of this turn. All that the bot knows about playing well is in here."""
    planets = view["planets"]
    mine = [planet for planet in planets if planet["owner"] == 1]
    others = [planet for planet in planets if planet["owner"] != 1]

    ours = {planet["name"]: 0 for planet in planets}  # ships of ours under way to each planet
    theirs = dict(ours)  # and of the enemies
    for expedition in view["expeditions"]:
        side = ours if expedition["owner"] == 1 else theirs
        side[expedition["destination"]] += expedition["ship_count"]

    moves = []
    for origin in mine:
        # Who is attacked keeps what it needs.
        ships = origin["ship_count"] - GARRISON - theirs[origin["name"]]
        for target in sorted(others, key=lambda planet: turns(origin, planet)):
            # An enemy's planet builds a ship a turn until we are there, a neutral one builds none.
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


# The talk with the referee: a view in, an answer out, until the input ends with the match.
first = True
for line in sys.stdin:
    view = json.loads(line)
    if first:  # standard error is yours: "skirmish play --stderr" and replays show it
        print("planets on this map:", len(view["planets"]), file=sys.stderr, flush=True)
        first = False
    print(json.dumps({"moves": think(view)}), flush=True)
