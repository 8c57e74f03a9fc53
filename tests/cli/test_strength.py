"""The better house bot of every game beats the random one in at least nine of ten matches, from
both seats."""

import concurrent.futures
import os
import time

import arena
from house import BETTER

MATCHES = int(os.environ.get("MATCHES", "40"))


class Strength(arena.ArenaTest):
    def won(self, game, better, seed):
        swapped = seed % 2
        bots = (
            ["house:random", "house:" + better] if swapped else ["house:" + better, "house:random"]
        )
        result = self.run_skirmish("play", game, "--json", "--seed", str(seed), *bots).json
        better_player = result["players"][swapped]
        self.assertEqual(better_player["status"], "ok", result)
        return better_player["rank"] == 1 and result["players"][1 - swapped]["rank"] == 2

    def test_the_better_house_bot_wins_nine_of_ten_matches(self):
        first = int(os.environ.get("SEED", time.time())) & ~1
        for game, better in BETTER.items():
            with self.subTest(game=game), concurrent.futures.ThreadPoolExecutor(2) as pool:
                wins = sum(
                    pool.map(
                        lambda seed: self.won(game, better, seed), range(first, first + MATCHES)
                    )
                )
                print(f"{game}: {better} won {wins} of {MATCHES}, seeds from {first}")
                self.assertGreaterEqual(wins, 0.9 * MATCHES)


if __name__ == "__main__":
    arena.main()
