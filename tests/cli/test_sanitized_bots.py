"""The house bots of a game play without a report of a sanitizer.

In the environment, GAME is the game, and BOTS are the paths of programs that were built with
sanitizers, separated by colons. A report ends the program, so its bot fails in the match.
"""

import os

import arena

GAME = os.environ["GAME"]
BOTS = os.environ["BOTS"].split(":")
# The clean environment of bots has no options for the sanitizers.
OPTIONS = "env UBSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_stack_use_after_return=1"
TIME = "60000"  # ms: bots with sanitizers are slow


class SanitizedBots(arena.ArenaTest):
    def test_each_house_bot_plays_a_match_without_a_failure(self):
        # With an odd number of bots, the first one plays twice.
        for bots in zip(BOTS[::2], [*BOTS, BOTS[0]][1::2]):
            with self.subTest(bots=[os.path.basename(bot) for bot in bots]):
                verdict = self.play(
                    *(GAME, "--seed", "1", "--turn-time", TIME, "--start-time", TIME),
                    *("--sandbox", "none", *(f"{OPTIONS} {bot}" for bot in bots)),
                )
                statuses = [player["status"] for player in verdict["players"]]
                self.assertEqual(statuses, ["ok"] * len(statuses))


if __name__ == "__main__":
    arena.main()
