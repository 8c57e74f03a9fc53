"""kill -9 of the server and of runners while matches are played: after a restart the queue drains, and every match has exactly one result.

    KILLS=100 SKIRMISH=... SEED=... python3 tests/server/test_kill.py"""

import os
import random
import sqlite3
import subprocess
import tempfile
import time
import unittest

from matches_server import SKIRMISH, Arena

KILLS = int(os.environ.get("KILLS", "8"))


class Kill(unittest.TestCase):
    def setUp(self):
        self.seed = int(os.environ.get("TEST_SEED", str(time.time_ns() % 10 ** 9)))
        print("TEST_SEED=%d KILLS=%d" % (self.seed, KILLS))
        self.random = random.Random(self.seed)
        self.arena = Arena()
        self.arena.seed("account", "olga", "1", "skt_olga")
        self.asked = []

    def tearDown(self):
        self.arena.close()

    def ask_for_some(self):
        names = {"planetwars": "admiral", "aliens": "hunter", "underworld": "warlord", "ctf": "raider", "footsoldiers": "marshal"}
        for game, name in names.items():
            seats = [{"bot": "house/%s-%s" % (game, name)}, {"bot": "house/%s-random" % game}]
            status, _, body = self.arena.ask("POST", "/api/v1/matches", {"game": game, "seats": seats}, token="skt_olga")
            if status == 201:
                self.asked.append(body["id"])

    def test_every_match_has_one_result_however_often_we_are_killed(self):
        self.arena.start()
        self.arena.wait_ladder("ctf")
        for _ in range(KILLS):
            self.ask_for_some()
            time.sleep(self.random.random() * 0.5)
            runners = self.arena.runners()
            if self.random.random() < 0.5 and runners:
                os.kill(self.random.choice(runners), 9)
                continue
            self.arena.kill()
            self.arena.start()
        self.check_all()

    def test_a_match_that_is_not_over_when_we_stop_goes_back_to_the_queue(self):
        self.arena.start()
        self.arena.wait_ladder("planetwars")
        source = "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.9)\n    print('{\"moves\": []}', flush=True)\n"
        seats = [{"language": "python", "source": source}, {"bot": "house/planetwars-admiral"}]
        match = self.arena.ask("POST", "/api/v1/matches", {"game": "planetwars", "seats": seats}, token="skt_olga")[2]["id"]
        self.arena.watch("/api/v1/matches/%d/live" % match, until="turn")
        self.assertEqual(self.arena.stop(), (0, []))
        database = sqlite3.connect("file:%s/arena.db?mode=ro" % self.arena.data, uri=True)
        self.assertEqual(database.execute("SELECT state FROM matches WHERE id = ?", (match,)).fetchone(), (0,))
        self.assertEqual(database.execute("SELECT expires, losses FROM jobs WHERE match = ?", (match,)).fetchone(), (0, 0))
        database.close()
        self.assertEqual(os.listdir(os.path.join(self.arena.data, "drafts")), [])
        self.arena.start()
        self.arena.watch("/api/v1/matches/%d/live" % match, until="turn")

    def check_all(self):
        """What was asked for was played, once; replays hold; the ladder counts each match once."""
        self.assertGreater(len(self.asked), 0)
        for match in self.asked:
            over = self.arena.wait_over(match)
            self.assertEqual(over["state"], "over", over)
        def drained():
            queue = self.arena.get("/api/v1/queue")
            return queue["play_now"] == 0 and queue["builds"] == 0
        self.arena.wait(drained)
        status, left = self.arena.stop()
        self.assertEqual((status, left), (0, []))
        database = sqlite3.connect("file:%s/arena.db?mode=ro" % self.arena.data, uri=True)
        results = [row[0] for row in database.execute("SELECT result FROM matches WHERE state = 2")]
        self.assertEqual(len(results), len(set(results)))
        self.assertEqual(database.execute("SELECT count(*) FROM matches WHERE state = 1").fetchone()[0], 0)
        self.assertEqual(database.execute("SELECT count(*) FROM jobs WHERE expires > 0").fetchone()[0], 0)
        waiting = database.execute("SELECT count(*) FROM matches WHERE state = 0").fetchone()[0]
        self.assertEqual(waiting, database.execute("SELECT count(*) FROM jobs").fetchone()[0])
        self.assertEqual(database.execute("SELECT count(*) FROM matches WHERE state > 2").fetchone()[0], 0)
        files = [row[0] for row in database.execute("SELECT replay FROM matches WHERE state = 2")]
        print("%d matches, %d asked for" % (len(files), len(self.asked)))
        with tempfile.TemporaryDirectory() as directory:
            for name in self.random.sample(files, min(len(files), 40)):
                path = os.path.join(directory, "x.skr")
                with open(os.path.join(self.arena.data, "files", name[:2], name), "rb") as source, open(path, "wb") as to:
                    to.write(source.read())
                subprocess.run([SKIRMISH, "replay", "verify", path], check=True, capture_output=True)
        database.close()


if __name__ == "__main__":
    unittest.main()
