# A starter bot for Gems: it goes to the gem with the most points per step. Change it!
#
#     skirmish play gems --watch "python3 starter.py" house:random
#
# A view is one line of JSON. "you" is your place in "players"; in "grid" a digit is a gem, and how
# many points it is worth:
#     {"you":1,"turn":0,"maxTurns":100,
#      "players":[{"row":0,"col":0,"points":0,"playing":true}, ...],
#      "grid":["...2",
#              "....",
#              "..1.",
#              "...."]}
# The answer is one word: up, down, left, right or stay.
import json
import sys

# The line to change first: how much a point is worth compared with a step.
GREED = 4


def think(view):
    """The move of this turn. The whole strategy is here."""
    me = view["players"][view["you"]]
    best, goal = None, (me["row"], me["col"])
    for row, line in enumerate(view["grid"]):
        for col, square in enumerate(line):
            if square == ".":
                continue
            steps = abs(row - me["row"]) + abs(col - me["col"])
            worth = GREED * int(square) - steps
            if best is None or worth > best:
                best, goal = worth, (row, col)
    row, col = goal
    if row != me["row"]:
        return "up" if row < me["row"] else "down"
    if col != me["col"]:
        return "left" if col < me["col"] else "right"
    return "stay"


# The conversation with the referee: a view in, an answer out, until the match ends.
first = True
for line in sys.stdin:
    view = json.loads(line)
    if first:  # debug output: "skirmish play --stderr" and replays show it
        print("players:", len(view["players"]), file=sys.stderr, flush=True)
        first = False
    print(think(view), flush=True)
