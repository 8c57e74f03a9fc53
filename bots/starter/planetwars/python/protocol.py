# How a bot for Planet Wars talks to the referee. You need not change this file.
#
# A view is one line of JSON. The bot is always player 1; neutral planets have the owner null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# An answer is also one line of JSON. Without moves: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
import json
import sys
from typing import NamedTuple


class Move(NamedTuple):
    origin: str
    destination: str
    ships: int


class Planet(NamedTuple):
    name: str
    x: float
    y: float
    owner: int  # 1: you; 0: nobody
    ships: int


class Expedition(NamedTuple):
    id: int
    origin: str
    destination: str
    owner: int
    ships: int
    turns_remaining: int


class View(NamedTuple):
    turn: int
    planets: list
    expeditions: list


def views():
    """The views of the match, one after the other."""
    for turn, line in enumerate(sys.stdin, 1):
        message = json.loads(line)
        planets = [
            Planet(p["name"], p["x"], p["y"], p["owner"] or 0, p["ship_count"])
            for p in message["planets"]
        ]
        expeditions = [
            Expedition(e["id"], e["origin"], e["destination"], e["owner"], e["ship_count"],
                       e["turns_remaining"])
            for e in message["expeditions"]
        ]
        yield View(turn, planets, expeditions)


def answer(moves):
    """Sends the answer to the last view."""
    listed = [
        {"origin": move.origin, "destination": move.destination, "ship_count": move.ships}
        for move in moves
    ]
    print(json.dumps({"moves": listed}), flush=True)
