# How a bot for Gems talks to the referee. You need not change this file.
#
# A view is one line of JSON:
#     {"you":1,"turn":0,"maxTurns":100,
#      "players":[{"row":0,"col":0,"points":0,"playing":true}, ...],
#      "grid":["...2","....","..1.","...."]}
# An answer is one word in a line.
import json
import sys
from typing import NamedTuple


class Player(NamedTuple):
    row: int
    col: int
    points: int
    playing: bool


class View(NamedTuple):
    turn: int
    me: int
    players: list
    grid: list


def views():
    """The views of the match, one after the other."""
    for line in sys.stdin:
        message = json.loads(line)
        players = [Player(**player) for player in message["players"]]
        yield View(message["turn"] + 1, message["you"], players, message["grid"])


def answer(word):
    """Sends the answer to the last view."""
    print(word, flush=True)
