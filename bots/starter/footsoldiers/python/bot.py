# A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
#
#     skirmish play footsoldiers --watch . house:random
#
# Each turn, think() gets a view. Squares are pairs (x, y):
#     view.turn, view.turns_remaining   this turn, from 1; turns to play, including this one
#     view.me, view.enemy               the players: team ("player1"), money, base, health
#     view.map                          everything on the field, each with type, at, team;
#                                       type is "Base", "Rock", "Scout", "Assassin" or "Tank";
#                                       soldiers also have health, destination, direction
# and returns one command:
#     build("Scout", (2, 3), (65, 3), "Right")      place, destination, attack direction
#     move((6, 1), (9, 5))                          where the soldier is, its new destination
#     turn((6, 1), "Left")                          where the soldier is, its new direction
#     NO_OP
import sys
from collections import deque

import protocol
from protocol import NO_OP, build, move

# The line to change first: what to build, in this order, over and over.
PLAN = ["Scout", "Assassin", "Scout"]
COST = {"Scout": 10, "Assassin": 11, "Tank": 12}
NEAR = 5  # maximum distance from the base to build
UNREACHABLE = 9999

far = {}  # steps to the enemy's base from every square; computed in the first turn
built = 0


def around(x, y):
    return [(x + 1, y), (x, y + 1), (x, y - 1), (x - 1, y)]


def measure(view):
    """Fills `far`: from the enemy's base outwards, around the rocks, and also one square off the
    map."""
    rocks = {thing.at for thing in view.map if thing.type == "Rock"}
    width, height = (2 + max(thing.at[axis] for thing in view.map) for axis in (0, 1))
    far[view.enemy.base] = 0
    queue = deque([view.enemy.base])
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
        to = min(around(*here), key=lambda at: far.get(at, UNREACHABLE))
        if abs(to[0] - start[0]) + abs(to[1] - start[1]) <= steps:
            break
        here, steps = to, steps + 1
    return here


def think(view):
    """The command of this turn. The whole strategy is here."""
    global built
    if not far:
        measure(view)
    home = view.me.base
    kind = PLAN[built % len(PLAN)]
    if view.me.money >= COST[kind]:
        taken = {thing.at for thing in view.map}
        offsets = range(-NEAR, NEAR + 1)
        near = [(home[0] + dx, home[1] + dy) for dx in offsets for dy in offsets
                if abs(dx) + abs(dy) <= NEAR]
        free = [at for at in near if at in far and at not in taken]
        if free:
            built += 1
            at = min(free, key=far.get)
            look = "Right" if home[0] < view.enemy.base[0] else "Left"
            return build(kind, at, waypoint(at), look)
    for thing in view.map:  # nothing to build: guide a soldier that has arrived
        if thing.health and thing.team == view.me.team and thing.at in far:
            to = waypoint(thing.at)
            if thing.at == thing.destination != to:
                return move(thing.at, to)
    return NO_OP


# The main loop: answer every view until the match ends.
for view in protocol.views():
    if view.turn == 1:  # debug output: "skirmish play --stderr" and replays show it
        print("building", *PLAN, file=sys.stderr)
    protocol.answer(think(view))
