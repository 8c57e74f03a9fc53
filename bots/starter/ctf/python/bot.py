# A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
#
#     skirmish play ctf --watch . house:random
#
# Each round, think() gets a view. Squares are pairs (x, y):
#     view.turn                   the number of the round, from 1
#     view.map                    the rows of the map; "#" is an obstacle
#     view.base, view.spawn       where your flag belongs, and where your soldiers start
#     view.points, enemy_points   the score
#     view.flag, view.enemy_flag  where the flags are now
#     view.soldiers               yours: name, at, cooldown, alive, carries_flag
#     view.grenades               yours: at, countdown (enemy grenades are hidden)
#     view.enemies                name, at, alive, carries_flag
# and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
#     [Order("X", "D", (10, 7)), Order("Y", "S", None)]
import sys
from collections import deque

import protocol
from protocol import Order

# The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
GUARDS = 1
RANGE = 10  # the default range of grenades
STEPS = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}
UNREACHABLE = 9999


def distances(view, goal):
    """The steps to the goal from every square that can reach it."""
    far, queue = {goal: 0}, deque([goal])
    while queue:
        x, y = queue.popleft()
        for dx, dy in STEPS.values():
            to = (x + dx, y + dy)
            inside = 0 <= to[1] < len(view.map) and 0 <= to[0] < len(view.map[to[1]])
            if inside and view.map[to[1]][to[0]] != "#" and to not in far:
                far[to] = far[x, y] + 1
                queue.append(to)
    return far


def think(view):
    """The orders of this round. The whole strategy is here."""
    enemies = [enemy.at for enemy in view.enemies if enemy.alive]
    blasts = [grenade.at for grenade in view.grenades if grenade.countdown == 1]
    ways = {goal: distances(view, goal) for goal in (view.base, view.flag, view.enemy_flag)}
    orders = []
    for number, soldier in enumerate(view.soldiers):
        x, y = soldier.at if soldier.alive else view.spawn  # the dead respawn first
        if (x, y) != view.base and (soldier.carries_flag or (x, y) == view.enemy_flag):
            goal = view.base  # on the base, the next order captures the flag
        else:
            goal = view.flag if number < GUARDS else view.enemy_flag
        best, step = UNREACHABLE, "S"
        for letter, (dx, dy) in [("S", (0, 0)), *STEPS.items()]:
            to = (x + dx, y + dy)
            steps = ways[goal].get(to, UNREACHABLE)
            if any(abs(to[0] - bx) <= 1 and abs(to[1] - by) <= 1 for bx, by in blasts):
                steps += 1000  # our own grenades kill us too
            if steps < best:
                best, step = steps, letter
        # A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
        targets = [at for at in enemies if 3 < abs(at[0] - x) + abs(at[1] - y) <= RANGE]
        target = None
        if soldier.alive and soldier.cooldown == 0 and targets:
            target = min(targets, key=lambda at: abs(at[0] - x) + abs(at[1] - y))
        orders.append(Order(soldier.name, step, target))
    return orders


# The main loop: answer every view until the match ends.
for view in protocol.views():
    if view.turn == 1:  # debug output: "skirmish play --stderr" and replays show it
        print("I have", len(view.soldiers), "soldiers", file=sys.stderr)
    protocol.answer(think(view))
