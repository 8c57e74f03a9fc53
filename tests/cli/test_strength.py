"""Each level of a game's house bots beats the level below on the standard maps, from both seats.

bench/house-bots plays the matches; this is a small run, on the maps for two players: those for more
take minutes with hard bots. The environment variable GAME has the
game. A player may fail in no match, and each level must win nine of ten.
"""

import os
import subprocess

import arena

ROOT = os.path.dirname(arena.TESTS)
MATCHES = os.environ.get("MATCHES", "4")  # per pair of levels and map
SEED = os.environ.get("SEED", "1")


class Strength(arena.ArenaTest):
    def test_each_house_bot_beats_the_level_below(self):
        done = subprocess.run(
            [os.path.join(ROOT, "bench", "house-bots"), "--jobs", "2"]
            + ["--players", "2", "--matches", MATCHES, "--seed", SEED, os.environ["GAME"]],
            env={**os.environ, "SKIRMISH": arena.SKIRMISH},
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)
        for level in ("easy", "medium", "hard"):
            if os.path.exists(os.path.join(ROOT, "bots", os.environ["GAME"], level + ".c")):
                self.assertIn(f"\n| {level} | ", done.stdout)


if __name__ == "__main__":
    arena.main()
