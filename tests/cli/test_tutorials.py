"""The tutorials docs/tutorials/GAME.md work as printed: every step is a bot that plays, and the
last one beats house:medium. tutorial.py puts the bots together.

A sentence "Wins A of B against `house:LEVEL`" states the result of each step. All are played on the
map that the introduction names as "the map `NAME`", or on all maps for two players.

    RATES=20 python3 tests/cli/test_tutorials.py      # plays 20 matches per step, prints wins
    GAME=aliens python3 tests/cli/test_tutorials.py   # only one tutorial
"""

import os
import re
import unittest

import arena
import tutorial

RATES = int(os.environ.get("RATES", "0"))
MATCHES = 6  # with the bot of the last step against house:medium
STATED = re.compile(r"Wins (\d+) of (\d+) against\s`house:(\w+)`")
PICTURE = re.compile(r"!\[([^\]]+)\]\(\.\./(images/tutorial-([a-z]+)-(\d+)\.png)\)")
LARGEST_PICTURE = 60_000  # bytes


def chosen():
    return [game for game in tutorial.tutorials() if os.environ.get("GAME") in (None, game)]


class Tutorials(arena.ArenaTest):
    def wins(self, game, folder, opponent, matches):
        """Returns the wins in both seats, on the tutorial's map or in turn on all maps for two."""
        maps = re.findall(r"the map `(\w+)`", tutorial.page(game).split("\n## 1.")[0])
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
        for game in chosen():
            *_, (last, _, _) = tutorial.sections(game)
            self.assertIn(last, range(6, 11), "a tutorial has 6 to 10 steps")
            for number, bot, text in tutorial.bots(game):
                with self.subTest(game=game, step=number):
                    folder = self.path(f"{game}{number}")
                    tutorial.write(game, bot, folder)
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

    def test_every_picture_belongs_to_its_step_and_loads_fast(self):
        for game in chosen():
            shown = [
                (number, picture)
                for number, _, text in tutorial.sections(game)
                for picture in PICTURE.findall(text)
            ]
            with self.subTest(game=game):
                self.assertTrue(shown, "the tutorial has no pictures")
            for number, (_, path, of, step) in shown:
                with self.subTest(game=game, picture=path):
                    self.assertEqual((of, int(step)), (game, number))
                    size = os.path.getsize(os.path.join(tutorial.ROOT, "docs", path))
                    self.assertLess(size, LARGEST_PICTURE)


if __name__ == "__main__":
    unittest.main() if RATES else arena.main()
