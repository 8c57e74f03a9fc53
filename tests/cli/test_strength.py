"""Each level of a game's house bots beats the level below on the standard maps, from both seats.

bench/house-bots plays the matches; this is a small run. In the environment, GAME is the game and
LEVELS are the levels: hard bots compute much, so only ./test long tests them. No player may fail,
and each level must win nine of ten matches.
"""

import os
import subprocess

import arena

ROOT = os.path.dirname(arena.TESTS)
MATCHES = os.environ.get("MATCHES", "4")  # per pair of levels and map
SEED = os.environ.get("SEED", "1")
LEVELS = os.environ["LEVELS"].split()


class Strength(arena.ArenaTest):
    def test_each_house_bot_beats_the_level_below(self):
        done = subprocess.run(
            [os.path.join(ROOT, "bench", "house-bots"), "--jobs", "2"]
            + ["--matches", MATCHES, "--seed", SEED, os.environ["GAME"]]
            + [f"--level={level}" for level in LEVELS],
            env={**os.environ, "SKIRMISH": arena.SKIRMISH},
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)
        for level in LEVELS:
            self.assertIn(f"\n| {level} | ", done.stdout)


if __name__ == "__main__":
    arena.main()
