# How a bot for Aliens talks to the referee. You need not change this file.
#
# A view is one line of JSON:
#     {"player":"a","state":{"rows":20,"cols":20,
#      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
#      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
# An answer is a JSON array:
#     [{"from":21,"to":22},{"from":40,"to":60}]
import json
import sys
from typing import NamedTuple


class Move(NamedTuple):
    start: int  # a square with one of your units
    to: int  # an adjacent square


class Player(NamedTuple):
    letter: str
    energy: int  # for units that will appear at the spawn
    spawn: int
    spawn_destroyed: bool


class View(NamedTuple):
    turn: int
    rows: int
    cols: int
    grid: str
    me: Player
    enemy: Player


def views():
    """The views of the match, one after the other."""
    for line in sys.stdin:
        message = json.loads(line)
        state = message["state"]
        a, b = (
            Player(letter, p["food"], p["spawn"], p.get("spawnDisabled", False))
            for letter, p in (("a", state["p1"]), ("b", state["p2"]))
        )
        me, enemy = (a, b) if message["player"] == "a" else (b, a)
        turn = state["turnsElapsed"] + 1
        yield View(turn, state["rows"], state["cols"], state["grid"], me, enemy)


def answer(moves):
    """Sends the answer to the last view."""
    print(json.dumps([{"from": move.start, "to": move.to} for move in moves]), flush=True)
