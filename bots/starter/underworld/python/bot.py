# A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
#
#     skirmish play underworld --map duel --watch . house:random
#
# Each turn, think() gets a view. Cells are pairs (x, y):
#     view.turn                   the number of the turn, from 1
#     view.columns, view.rows     the size of the board
#     view.players, view.me       how many players there are, and your number, from 0
#     view.money                  what you can spend
#     view.things                 what you see: a dictionary from cells to things with owner,
#                                 kind ("C" castle, "B" barracks, "F" farm, "W" warrior, "#" wall)
#                                 and hitpoints
# and returns any number of commands:
#     Command("build", 1, 0, "F")     a farm or barracks, within distance 2 of your buildings
#     Command("spawn", 0, 1, "E")     the barracks at (0, 1) spawns a warrior to the east
#     Command("move", 1, 1, "S")      the warrior at (1, 1) moves south; it strikes automatically
import sys
from collections import deque

import protocol
from protocol import Command

# The line to change first: how many farms to build, and how many warriors before they attack.
FARMS, ARMY = 3, 4
FARM_COST, WARRIOR_COST = 1000, 500
REACH = 4  # range of warriors and of building: distance 2, squared
STEPS = {"N": (0, -1), "S": (0, 1), "E": (1, 0), "W": (-1, 0)}


def apart(a, b):
    """The squared distance."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def neighbours(view, at):
    """The adjacent cells, by the letter of the direction."""
    around = {letter: (at[0] + dx, at[1] + dy) for letter, (dx, dy) in STEPS.items()}
    return {d: (x, y) for d, (x, y) in around.items()
            if 0 <= x < view.columns and 0 <= y < view.rows}


def distances(view, goal, closed):
    """The steps to the goal from every cell that can reach it."""
    far, queue = {goal: 0}, deque([goal])
    while queue:
        at = queue.popleft()
        for to in neighbours(view, at).values():
            if to not in far and to not in closed:
                far[to] = far[at] + 1
                queue.append(to)
    return far


def think(view):
    """The commands of this turn. The whole strategy is here."""
    money = view.money

    def cells(kind, mine):
        return [at for at, thing in view.things.items()
                if thing.kind == kind and (thing.owner == view.me) == mine]

    castle, barracks, farms, warriors = (cells(kind, True) for kind in "CBFW")
    home = castle[0]
    across = (view.columns - 1 - home[0], view.rows - 1 - home[1])  # if we see no enemy castle
    goal = min(cells("C", False) or [across], key=lambda at: apart(at, home))
    buildings = castle + barracks + farms
    threats = cells("W", False)
    # Only walls and our own buildings block the way: we destroy those of the enemies.
    far = distances(view, goal, set(cells("#", False) + buildings))
    taken = set(view.things)
    commands = []

    def next_step(at):
        """The free neighbour that is nearest to the goal, as direction and cell."""
        free = [(d, to) for d, to in neighbours(view, at).items() if to not in taken and to in far]
        return min(free, key=lambda way: far[way[1]], default=None)

    # Warriors in front move first and make room for the next.
    for at in sorted((at for at in warriors if at in far), key=lambda at: far[at]):
        fights = any(apart(at, threat) <= REACH for threat in threats)
        waits = len(warriors) < ARMY and min(apart(at, b) for b in buildings) > REACH
        step = next_step(at)
        if step and far[step[1]] < far[at] and not fights and not waits:
            taken.remove(at)
            taken.add(step[1])
            commands.append(Command("move", *at, step[0]))
    if len(farms) < FARMS and money >= FARM_COST:
        # The cells around barracks are left free for warriors.
        doors = {to for at in barracks for to in neighbours(view, at).values()}
        board = [(x, y) for y in range(view.rows) for x in range(view.columns)]
        sites = [at for at in board if at not in taken and at not in doors
                 and min(apart(at, b) for b in buildings) <= REACH]
        if sites:
            site = min(sites, key=lambda at: apart(at, home))
            taken.add(site)
            money -= FARM_COST
            commands.append(Command("build", *site, "F"))
    for at in barracks:
        step = next_step(at)
        if step and money >= WARRIOR_COST:
            taken.add(step[1])
            money -= WARRIOR_COST
            commands.append(Command("spawn", *at, step[0]))
    return commands


# The main loop: answer every view until the match ends.
for view in protocol.views():
    if view.turn == 1:  # debug output: "skirmish play --stderr" and replays show it
        print("I am player", view.me, "of", view.players, file=sys.stderr)
    protocol.answer(think(view))
