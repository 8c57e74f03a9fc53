# A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
#
#     skirmish play underworld --map duel --watch "python3 starter.py" house:random
#
# The referee sends "Who are you?" and the bot must answer "crayfish". Then, once, comes a line
#     10 10 2 0                 columns, rows, players, your number
# and then a view in every turn:
#     money 3000
#     0 0 0 C 10000             x, y, owner, kind, hitpoints
#     0 1 0 B 1500              C castle, B barracks, F farm, W warrior, # wall
#     end
# The answer is any number of commands, followed by "end":
#     build 1 0 F               a farm or barracks, within distance 2 of your buildings
#     spawn 0 1 E               the barracks at (0, 1) spawns a warrior to the east
#     move 1 1 S                the warrior at (1, 1) moves south; it strikes automatically
import sys
from collections import deque

# The line to change first: how many farms to build, and how many warriors before they attack.
FARMS, ARMY = 3, 4
FARM_COST, WARRIOR_COST = 1000, 500
REACH = 4  # range of warriors and of building: distance 2, squared
STEPS = {"N": (0, -1), "S": (0, 1), "E": (1, 0), "W": (-1, 0)}


def apart(a, b):
    """The distance, squared."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def beside(at):
    """The adjacent cells, by the letter of the direction."""
    around = {letter: (at[0] + dx, at[1] + dy) for letter, (dx, dy) in STEPS.items()}
    return {d: (x, y) for d, (x, y) in around.items() if 0 <= x < size_x and 0 <= y < size_y}


def ways_to(goal, closed):
    """The steps to the goal from every cell that can reach it."""
    far, queue = {goal: 0}, deque([goal])
    while queue:
        at = queue.popleft()
        for to in beside(at).values():
            if to not in far and to not in closed:
                far[to] = far[at] + 1
                queue.append(to)
    return far


def think(money, things):
    """The commands of this turn. The whole strategy is here."""
    mine = {kind: [at for at, thing in things.items() if thing == (me, kind)] for kind in "CBFW"}
    home = mine["C"][0]
    castles = [at for at, (owner, kind) in things.items() if kind == "C" and owner != me]
    across = (size_x - 1 - home[0], size_y - 1 - home[1])  # where to look if we see no castle
    goal = min(castles or [across], key=lambda at: apart(at, home))
    buildings = mine["C"] + mine["B"] + mine["F"]
    walls = [at for at, (owner, kind) in things.items() if kind == "#"]
    threats = [at for at, (owner, kind) in things.items() if kind == "W" and owner != me]
    far = ways_to(goal, set(walls + buildings))  # we destroy enemy buildings in the way
    taken = set(things)
    commands = []

    def next_step(at):
        """The free neighbour that is nearest to the goal, as direction and cell."""
        free = [(d, to) for d, to in beside(at).items() if to not in taken and to in far]
        return min(free, key=lambda way: far[way[1]], default=None)

    # Warriors in front move first and make room for the next.
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


# The main loop: read a view, print an answer, until the input ends with the match.
sys.stdin.readline()
print("crayfish", flush=True)
size_x, size_y, players, me = map(int, (sys.stdin.readline() or sys.exit()).split())
# Debug output: "skirmish play --stderr" and replays show standard error.
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
