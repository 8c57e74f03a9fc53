# A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
#
#     skirmish play ctf --watch "python3 starter.py" house:random
#
# The input starts with the team's letter, the map and an empty line. Then a view per round:
#     0 0                            our points, theirs
#     Flag 1 5                       where our flag is
#     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
#     Grenade 10 7 2                 ours: x, y, rounds left (enemy grenades are hidden)
#     EnemyFlag 13 9
#     Enemy L 11 8 True No           name, x, y, alive, flag
#     (an empty line)
# The answer is a line per soldier, optionally with a square to throw at, and an empty line:
#     X D (10,7)                     U, D, L, R: a step; S: stay
import sys
from collections import deque

# The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
GUARDS = 1
RANGE = 10  # of grenades, by default
STEPS = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}


def read_block():
    """The words of each line up to the empty one. The match is over when the input ends."""
    block = []
    for line in sys.stdin:
        if not line.strip():
            return block
        block.append(line.split())
    sys.exit()


def ways_to(goal):
    """The steps to the goal from every square that can reach it."""
    far, queue = {goal: 0}, deque([goal])
    while queue:
        x, y = queue.popleft()
        for dx, dy in STEPS.values():
            to = (x + dx, y + dy)
            if to in tiles and to not in far:
                far[to] = far[x, y] + 1
                queue.append(to)
    return far


def think(view):
    """The orders of this round. The whole strategy is here."""
    flag = next((int(w[1]), int(w[2])) for w in view if w[0] == "Flag")
    prize = next((int(w[1]), int(w[2])) for w in view if w[0] == "EnemyFlag")
    enemies = [(int(w[2]), int(w[3])) for w in view if w[0] == "Enemy" and w[4] == "True"]
    blasts = [(int(w[1]), int(w[2])) for w in view if w[0] == "Grenade" and w[3] == "1"]
    soldiers = [w for w in view if w[0] == "Soldier"]
    ways = {goal: ways_to(goal) for goal in (base, flag, prize)}
    orders = []
    for number, (_, name, x, y, cooldown, alive, hand) in enumerate(soldiers):
        x, y = (int(x), int(y)) if alive == "True" else spawn  # the dead respawn first
        if (x, y) != base and (hand != "No" or (x, y) == prize):
            goal = base  # on the base, the next order captures the flag
        else:
            goal = flag if number < GUARDS else prize
        far = ways[goal]
        best, step = 9999, "S"
        for letter, (dx, dy) in [("S", (0, 0)), *STEPS.items()]:
            to = (x + dx, y + dy)
            blast = any(abs(to[0] - bx) <= 1 and abs(to[1] - by) <= 1 for bx, by in blasts)
            steps = far.get(to, 9999) + (1000 if blast else 0)  # our own grenades kill us too
            if steps < best:
                best, step = steps, letter
        order = f"{name} {step}"
        # A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
        targets = [at for at in enemies if 3 < abs(at[0] - x) + abs(at[1] - y) <= RANGE]
        if alive == "True" and cooldown == "0" and targets:
            ex, ey = min(targets, key=lambda at: abs(at[0] - x) + abs(at[1] - y))
            order += f" ({ex},{ey})"
        orders.append(order)
    return orders


(team,), *rows = read_block()
tiles = {(x, y): t for y, (row,) in enumerate(rows) for x, t in enumerate(row) if t != "#"}
base = next(at for at, tile in tiles.items() if tile == team.lower())
spawn = next(at for at, tile in tiles.items() if tile == team)
# Debug output: "skirmish play --stderr" and replays show standard error.
print("I am team", team, file=sys.stderr, flush=True)
while True:
    print("\n".join(think(read_block())), end="\n\n", flush=True)
