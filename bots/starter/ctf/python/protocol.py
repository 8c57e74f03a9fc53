# How a bot for Capture the flag talks to the referee. You need not change this file.
#
# The input starts with the team's letter, the map and an empty line. Then a view per round:
#     0 0                            our points, theirs
#     Flag 1 5                       where our flag is
#     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
#     Grenade 10 7 2                 ours: x, y, rounds left
#     EnemyFlag 13 9
#     Enemy L 11 8 True No           name, x, y, alive, flag
#     (an empty line)
# An answer is a line per order and an empty line:
#     X D (10,7)
import sys
from typing import NamedTuple, Optional


class Order(NamedTuple):
    name: str  # of the soldier
    step: str  # U, D, L, R or S
    target: Optional[tuple]  # the square to throw a grenade at


class Soldier(NamedTuple):
    name: str
    at: tuple
    cooldown: int
    alive: bool
    carries_flag: bool


class Enemy(NamedTuple):
    name: str
    at: tuple
    alive: bool
    carries_flag: bool


class Grenade(NamedTuple):
    at: tuple
    countdown: int


class View(NamedTuple):
    turn: int
    map: list
    base: tuple
    spawn: tuple
    points: int
    enemy_points: int
    flag: tuple
    enemy_flag: tuple
    soldiers: list
    grenades: list
    enemies: list


def _blocks():
    """The lines up to each empty line, as words."""
    block = []
    for line in sys.stdin:
        if line.strip():
            block.append(line.split())
        else:
            yield block
            block = []


def _find(rows, tile):
    return next((row.index(tile), y) for y, row in enumerate(rows) if tile in row)


def views():
    """The views of the match, one after the other."""
    blocks = _blocks()
    (team, *_), *lines = next(blocks, [[""]])
    rows = [line[0] for line in lines]
    for turn, ((points, enemy_points, *_), *things) in enumerate(blocks, 1):
        at = {w[0]: (int(w[1]), int(w[2])) for w in things if w[0].endswith("Flag")}
        soldiers = [
            Soldier(name, (int(x), int(y)), int(cooldown), alive == "True", flag != "No")
            for name, x, y, cooldown, alive, flag in (w[1:7] for w in things if w[0] == "Soldier")
        ]
        enemies = [
            Enemy(name, (int(x), int(y)), alive == "True", flag != "No")
            for name, x, y, alive, flag in (w[1:6] for w in things if w[0] == "Enemy")
        ]
        grenades = [Grenade((int(w[1]), int(w[2])), int(w[3])) for w in things if w[0] == "Grenade"]
        yield View(
            turn,
            rows,
            _find(rows, team.lower()),
            _find(rows, team),
            int(points),
            int(enemy_points),
            at["Flag"],
            at["EnemyFlag"],
            soldiers,
            grenades,
            enemies,
        )


def answer(orders):
    """Sends the answer to the last view."""
    for order in orders:
        target = f" ({order.target[0]},{order.target[1]})" if order.target else ""
        print(f"{order.name} {order.step}{target}")
    print(flush=True)
