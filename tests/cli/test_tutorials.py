"""The tutorials docs/tutorials/GAME.md work as printed: every step is a bot that plays, and the
last one beats house:medium.

A tutorial starts from the Python starter of its game. Each section "## N. ..." has Python code:
functions and constants. Those whose name the bot has already replace it, the others are added
before think(). A sentence "Wins A of B against `house:LEVEL`" states the result of each step. All
are played on the map that the introduction names as "the map `NAME`", or on all maps for two
players.

    RATES=20 python3 tests/cli/test_tutorials.py      # plays as many matches per step, and prints
"""

import ast
import os
import re
import shutil
import unittest

import arena
from house import ROOT

FOLDER = os.path.join(ROOT, "docs", "tutorials")
RATES = int(os.environ.get("RATES", "0"))
MATCHES = 6  # of the last step against house:medium
STATED = re.compile(r"Wins (\d+) of (\d+) against\s`house:(\w+)`")


def tutorials():
    names = sorted(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else []
    chosen = os.environ.get("GAME")
    found = [os.path.splitext(name)[0] for name in names if name.endswith(".md")]
    return [game for game in found if chosen in (None, game)]


def steps(game):
    """The sections of a tutorial: number, code and text of each."""
    with open(os.path.join(FOLDER, game + ".md"), encoding="utf-8") as file:
        parts = re.split(r"^## (\d+)\. ", file.read(), flags=re.M)[1:]
    for number, text in zip(parts[::2], parts[1::2]):
        text = re.split(r"^## ", text, flags=re.M)[0]
        yield int(number), "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)), text


def names_of(statement):
    """The names that a statement at the top level of a file defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def change(bot, code):
    """The bot with the definitions of `code` in place of those with the same names."""
    for statement in ast.parse(code).body:
        text = "\n".join(code.splitlines()[statement.lineno - 1 : statement.end_lineno])
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            bot = text + "\n" + bot
            continue
        lines = bot.splitlines()
        tree = ast.parse(bot).body
        there = {name: node for node in tree for name in names_of(node)}
        old = there.get(names_of(statement)[0])
        first, last = (old.lineno - 1, old.end_lineno) if old else (there["think"].lineno - 1,) * 2
        text += "" if old else "\n\n"
        bot = "\n".join([*lines[:first], text, *lines[last:]]) + "\n"
    return bot


class Tutorials(arena.ArenaTest):
    def make(self, game, number, bot):
        folder = os.path.join(self.directory, f"{game}{number}")
        shutil.copytree(os.path.join(ROOT, "bots", "starter", game, "python"), folder)
        with open(os.path.join(folder, "bot.py"), "w", encoding="utf-8") as file:
            file.write(bot)
        return folder

    def wins(self, game, folder, opponent, matches):
        """Plays in both seats, on the tutorial's map or all standard maps for two in turn."""
        with open(os.path.join(FOLDER, game + ".md"), encoding="utf-8") as file:
            maps = re.findall(r"the map `(\w+)`", file.read().split("\n## 1.")[0])
        maps = maps or re.findall(
            r"^    ([a-z]+) +(?!.*\((?:[13-9]|\d\d) players\)$).*$",
            self.run_skirmish("games", game).out.split("  maps:\n")[1].split("  config")[0],
            re.M,
        )
        won = 0
        for match in range(matches):
            bots = [folder, "house:" + opponent]
            seat = match % 2
            result = self.run_skirmish(
                *["play", game, "--json", "--seed", str(match // 2)],
                *["--map", maps[match // 2 % len(maps)]],
                *(reversed(bots) if seat else bots),
            ).json
            self.assertEqual(result["players"][seat]["status"], "ok", result)
            won += result["players"][seat]["rank"] < result["players"][1 - seat]["rank"]
        return won

    def test_every_step_plays_and_the_last_beats_medium(self):
        for game in tutorials():
            with open(
                os.path.join(ROOT, "bots", "starter", game, "python", "bot.py"), encoding="utf-8"
            ) as file:
                bot = file.read()
            *_, (last, _, _) = steps(game)
            self.assertIn(last, range(6, 11), "a tutorial has 6 to 10 steps")
            for number, code, text in steps(game):
                with self.subTest(game=game, step=number):
                    bot = change(bot, code)
                    folder = self.make(game, number, bot)
                    stated = STATED.search(text)
                    self.assertTrue(stated, "the section does not state its result")
                    if RATES:
                        for level in {stated[3], "medium"}:
                            won = self.wins(game, folder, level, RATES)
                            print(f"{game} {number}: {won} of {RATES} against {level}", flush=True)
                    elif number < last:
                        self.wins(game, folder, stated[3], 1)
                    else:
                        self.assertEqual(stated[3], "medium")
                        won = self.wins(game, folder, "medium", MATCHES)
                        print(f"{game}: the last step won {won} of {MATCHES}")
                        self.assertGreater(won, MATCHES / 2)


if __name__ == "__main__":
    unittest.main() if RATES else arena.main()
