# A starter bot for Underworld: farms first, then warriors, and off to the next castle. Change it!
#
#     skirmish play underworld --map duel --watch "python3 starter.py" house:random
#
# The referee asks "Who are you?", and every bot says "crayfish". Then comes, once, a line
#     10 10 2 0                 columns, rows, players, and which of them you are
# and every turn a view:
#     money 3000
#     0 0 0 C 10000             x, y, owner, what it is, hitpoints
#     0 1 0 B 1500              C castle, B barracks, F farm, W warrior, # wall
#     end
# The answer is any number of commands, and "end":
#     build 1 0 F               a farm or a barracks, at most 2 away from a building of yours
#     spawn 0 1 E               the barracks at (0, 1) makes a warrior in the east
#     move 1 1 S                the warrior at (1, 1) goes south. It strikes by itself
import sys
from collections import deque

# The line to change first: how many farms we want, and how many warriors before they leave home.
FARMS, ARMY = 3, 4
FARM_COST, WARRIOR_COST = 1000, 500
REACH = 4  # of a warrior's strike and of building: a distance of 2, squared
STEPS = {"N": (0, -1), "S": (0, 1), "E": (1, 0), "W": (-1, 0)}


def apart(a, b):
    """The distance, squared."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def beside(at):
    """The cells around one, by the letter of the direction."""
    around = {letter: (at[0] + dx, at[1] + dy) for letter, (dx, dy) in STEPS.items()}
    return {d: (x, y) for d, (x, y) in around.items() if 0 <= x < size_x and 0 <= y < size_y}


def ways_to(goal, closed):
    """How many steps it is to the goal, from every cell that leads there."""
    far, queue = {goal: 0}, deque([goal])
    while queue:
        at = queue.popleft()
        for to in beside(at).values():
            if to not in far and to not in closed:
                far[to] = far[at] + 1
                queue.append(to)
    return far


def think(money, things):
    """The commands of this turn. All that the bot knows about playing well is in here."""
    mine = {kind: [at for at, thing in things.items() if thing == (me, kind)] for kind in "CBFW"}
    home = mine["C"][0]
    castles = [at for at, (owner, kind) in things.items() if kind == "C" and owner != me]
    across = (size_x - 1 - home[0], size_y - 1 - home[1])  # where to look if we see no castle
    goal = min(castles or [across], key=lambda at: apart(at, home))
    buildings = mine["C"] + mine["B"] + mine["F"]
    walls = [at for at, (owner, kind) in things.items() if kind == "#"]
    threats = [at for at, (owner, kind) in things.items() if kind == "W" and owner != me]
    far = ways_to(goal, set(walls + buildings))  # whatever an enemy has in the way, we break
    taken = set(things)
    commands = []

    def next_step(at):
        """The free neighbour that is nearest to the goal, as direction and cell."""
        free = [(d, to) for d, to in beside(at).items() if to not in taken and to in far]
        return min(free, key=lambda way: far[way[1]], default=None)

    # Whoever is in front goes first, and makes room for the next.
    for at in sorted((at for at in mine["W"] if at in far), key=lambda at: far[at]):
        fights = any(apart(at, threat) <= REACH for threat in threats)
        waits = len(mine["W"]) < ARMY and min(apart(at, b) for b in buildings) > REACH
        step = next_step(at)
        if step and far[step[1]] < far[at] and not fights and not waits:
            taken.remove(at)
            taken.add(step[1])
            commands.append(f"move {at[0]} {at[1]} {step[0]}")
    if len(mine["F"]) < FARMS and money >= FARM_COST:
        doors = {to for at in mine["B"] for to in beside(at).values()}  # left free for warriors
        board = [(x, y) for y in range(size_y) for x in range(size_x)]
        cells = [at for at in board if at not in taken and at not in doors
                 and min(apart(at, b) for b in buildings) <= REACH]
        if cells:
            x, y = min(cells, key=lambda at: apart(at, home))
            taken.add((x, y))
            money -= FARM_COST
            commands.append(f"build {x} {y} F")
    for at in mine["B"]:
        step = next_step(at)
        if step and money >= WARRIOR_COST:
            taken.add(step[1])
            money -= WARRIOR_COST
            commands.append(f"spawn {at[0]} {at[1]} {step[0]}")
    return commands


# The talk with the referee: a view in, an answer out, until the input ends with the match.
sys.stdin.readline()
print("crayfish", flush=True)
size_x, size_y, players, me = map(int, (sys.stdin.readline() or sys.exit()).split())
# Standard error is yours: "skirmish play --stderr" and replays show it.
print("I am player", me, "of", players, file=sys.stderr, flush=True)
money, things = 0, {}
for line in sys.stdin:
    words = line.split()
    if words[0] == "gg":
        break
    if words[0] == "money":
        money, things = int(words[1]), {}
    elif words[0] == "end":
        print(*think(money, things), "end", sep="\n", flush=True)
    else:
        things[int(words[0]), int(words[1])] = (int(words[2]), words[3])
