# How a bot for Footsoldiers talks to the referee. You need not change this file.
#
# The bot prints "Ready". Then each view is one line of JSON:
#     {"you":"player1","turns-remaining":99,
#      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
#             {"type":"Rock","position":{"x":4,"y":0}},
#             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
#              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
#      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
# An answer is one line with one command:
#     Build Scout (2, 3) (65, 3) Right
#     Move (6, 1) to (9, 5)
#     Change attack direction (6, 1) to Left
#     No-op
import json
import sys
from typing import NamedTuple, Optional


class Player(NamedTuple):
    team: str
    money: int
    base: tuple
    health: int


class Thing(NamedTuple):
    type: str
    at: tuple
    team: Optional[str]  # None: a rock
    health: Optional[int]  # None: not a soldier
    destination: Optional[tuple]
    direction: Optional[str]


class View(NamedTuple):
    turn: int
    turns_remaining: int
    me: Player
    enemy: Player
    map: list


NO_OP = "No-op"


def build(kind, at, destination, direction):
    return f"Build {kind} {_text(at)} {_text(destination)} {direction}"


def move(soldier, destination):
    return f"Move {_text(soldier)} to {_text(destination)}"


def turn(soldier, direction):
    return f"Change attack direction {_text(soldier)} to {direction}"


def _text(square):
    return f"({square[0]}, {square[1]})"


def _square(position):
    return (position["x"], position["y"]) if position else None


def _player(entry):
    return Player(entry["team"], entry["money"], _square(entry["base"]), entry["health"])


def _thing(entry):
    return Thing(entry["type"], _square(entry["position"]), entry.get("team"),
                 entry.get("health"), _square(entry.get("destination")),
                 entry.get("attack-direction"))


def views():
    """The views of the match, one after the other."""
    print("Ready", flush=True)
    for number, line in enumerate(sys.stdin, 1):
        message = json.loads(line)
        players = [_player(message["player1"]), _player(message["player2"])]
        if message["you"] == "player2":
            players.reverse()
        things = [_thing(entry) for entry in message["map"]]
        yield View(number, message["turns-remaining"], *players, things)


def answer(command):
    """Sends the answer to the last view."""
    print(command, flush=True)
