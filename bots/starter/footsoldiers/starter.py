# A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
#
#     skirmish play footsoldiers --watch "python3 starter.py" house:random
#
# The bot prints "Ready". Then each view is one line of JSON:
#     {"you":"player1","turns-remaining":99,
#      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
#             {"type":"Rock","position":{"x":4,"y":0}},
#             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
#              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
#      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
# and the answer is one line with one command:
#     Build Scout (2, 3) (65, 3) Right        place, destination, attack direction
#     Move (6, 1) to (9, 5)                   soldier, new destination
#     No-op
import json
import sys
from collections import deque

# The line to change first: what to build, in this order, over and over.
PLAN = ["Scout", "Assassin", "Scout"]
COST = {"Scout": 10, "Assassin": 11, "Tank": 12}
NEAR = 5  # maximum distance from the base to build
far = {}  # steps to the enemy's base from every square; computed in the first turn
built = 0


def around(x, y):
    return [(x + 1, y), (x, y + 1), (x, y - 1), (x - 1, y)]


def square(position):
    return position["x"], position["y"]


def measure(view, goal):
    """Fills `far`: from the goal outwards, around the rocks, also one square off the map."""
    rocks = {square(entry["position"]) for entry in view["map"] if entry["type"] == "Rock"}
    width, height = (2 + max(entry["position"][axis] for entry in view["map"]) for axis in "xy")
    far[goal] = 0
    queue = deque([goal])
    while queue:
        x, y = queue.popleft()
        for to in around(x, y):
            if 0 <= to[0] < width and 0 <= to[1] < height and to not in far and to not in rocks:
                far[to] = far[x, y] + 1
                queue.append(to)


def waypoint(start):
    """How far a soldier can go without a detour: it gets stuck behind rocks."""
    here, steps = start, 0
    while far[here] > 0:
        to = min(around(*here), key=lambda at: far.get(at, 9999))
        if abs(to[0] - start[0]) + abs(to[1] - start[1]) <= steps:
            break
        here, steps = to, steps + 1
    return here


def think(view):
    """The command of this turn. The whole strategy is here."""
    global built
    me = view[view["you"]]
    enemy = view["player2" if view["you"] == "player1" else "player1"]
    home, goal = square(me["base"]), square(enemy["base"])
    if not far:
        measure(view, goal)
    kind = PLAN[built % len(PLAN)]
    if me["money"] >= COST[kind]:
        taken = {square(entry["position"]) for entry in view["map"]}
        offsets = range(-NEAR, NEAR + 1)
        near = [(home[0] + dx, home[1] + dy) for dx in offsets for dy in offsets
                if abs(dx) + abs(dy) <= NEAR]
        free = [at for at in near if at in far and at not in taken]
        if free:
            built += 1
            at = min(free, key=far.get)
            to, look = waypoint(at), "Right" if home[0] < goal[0] else "Left"
            return f"Build {kind} ({at[0]}, {at[1]}) ({to[0]}, {to[1]}) {look}"
    for entry in view["map"]:  # nothing to build: guide a soldier that has arrived
        at = square(entry["position"])
        if "health" in entry and entry["team"] == view["you"] and at in far:
            to = waypoint(at)
            if at == square(entry["destination"]) != to:
                return f"Move ({at[0]}, {at[1]}) to ({to[0]}, {to[1]})"
    return "No-op"


# The main loop: read a view, print an answer, until the input ends with the match.
# Debug output: "skirmish play --stderr" and replays show standard error.
print("building", *PLAN, file=sys.stderr, flush=True)
print("Ready", flush=True)
for line in sys.stdin:
    print(think(json.loads(line)), flush=True)
