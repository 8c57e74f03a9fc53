# How a bot for Underworld talks to the referee. You need not change this file.
#
# The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
#     10 10 2 0                 columns, rows, players, your number
# and then a view in every turn:
#     money 3000
#     0 0 0 C 10000             x, y, owner, kind, hitpoints
#     0 1 0 B 1500
#     end
# After the last turn, it sends the line "gg" instead of a view. An answer is any number of
# commands, followed by "end":
#     build 1 0 F
#     spawn 0 1 E
#     move 1 1 S
import sys
from typing import NamedTuple


class Command(NamedTuple):
    verb: str  # build, spawn or move
    x: int
    y: int
    what: str  # the building, or the direction


class Thing(NamedTuple):
    owner: int
    kind: str
    hitpoints: int


class View(NamedTuple):
    turn: int
    columns: int
    rows: int
    players: int
    me: int
    money: int
    things: dict


def views():
    """The views of the match, one after the other."""
    sys.stdin.readline()
    print("crayfish", flush=True)
    start = [int(word) for word in sys.stdin.readline().split()[:4]]
    turn, money, things = 0, 0, {}
    for line in sys.stdin:
        words = line.split()
        if words[0] == "gg":
            return
        if words[0] == "money":
            turn, money, things = turn + 1, int(words[1]), {}
        elif words[0] == "end":
            yield View(turn, *start, money, things)
        else:
            x, y, owner, kind, hitpoints = words[:5]
            things[int(x), int(y)] = Thing(int(owner), kind, int(hitpoints))


def answer(commands):
    """Sends the answer to the last view."""
    for command in commands:
        print(*command)
    print("end", flush=True)
