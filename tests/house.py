"""The games of this tree and their house bots, for tests that go through all games."""

import glob
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

with open(os.path.join(ROOT, "src", "games", "games.list"), encoding="utf-8") as text:
    GAMES = text.read().split()


def bots(game):
    """The house bots of a game: the files bots/GAME/NAME.c."""
    files = glob.glob(os.path.join(ROOT, "bots", game, "*.c"))
    return sorted(os.path.splitext(os.path.basename(file))[0] for file in files)


# For each game, a house bot that plays to win and answers immediately.
BETTER = {
    game: "medium" if "medium" in bots(game) else next(b for b in bots(game) if b != "random")
    for game in GAMES
}


def quiet(game):
    """The end of a view of the game, and an answer without orders, as in the benchmarks."""
    with open(os.path.join(ROOT, "bench", game + ".c"), encoding="utf-8") as file:
        scene = file.read()
    return tuple(
        json.loads(re.search(rf'\.{name} = (".*"),', scene)[1]).encode()
        for name in ("view_end", "trivial_answer")
    )
