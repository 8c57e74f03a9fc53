# A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
#
#     skirmish play aliens --watch "python3 starter.py" house:random
#
# Each turn, the bot reads one view, a line of JSON:
#     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
# The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
# The answer is a JSON array of moves. Units without a move stay:
#     [{"from":21,"to":22},{"from":40,"to":60}]
import json
import sys

# The line to change first: attack when we have this many times as many units as the enemy.
COURAGE = 2


def think(view):
    """The moves of this turn. The whole strategy is here."""
    me, state = view["player"], view["state"]
    rows, cols, grid = state["rows"], state["cols"], state["grid"]
    enemy, enemy_spawn = ("b", state["p2"]["spawn"]) if me == "a" else ("a", state["p1"]["spawn"])

    def squares(what):
        return [square for square in range(rows * cols) if grid[square] == what]

    def steps(a, b):
        return abs(a // cols - b // cols) + abs(a % cols - b % cols)

    def beside(square):
        row, col = divmod(square, cols)
        around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
        return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]

    units, enemies, energy = squares(me), squares(enemy), squares("*")
    attack = len(units) >= COURAGE * len(enemies)
    goals = enemies + [enemy_spawn] if attack else energy
    taken = set(units)  # squares of our units; if two meet on a square, both die
    claimed = set()  # energy that one of our units already goes for
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
        free = [to for to in beside(unit) if to not in taken and grid[to] != "*"]
        to = min([unit] + free, key=cost)
        if to != unit:
            taken.remove(unit)
            taken.add(to)
            moves.append({"from": unit, "to": to})
    return moves


# The main loop: read a view, print an answer, until the input ends with the match.
first = True
for line in sys.stdin:
    view = json.loads(line)
    if first:  # debug output: "skirmish play --stderr" and replays show it
        print("I am player", view["player"], file=sys.stderr, flush=True)
        first = False
    print(json.dumps(think(view)), flush=True)
