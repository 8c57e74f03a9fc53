"""House bots exist from the first start, each once, however often the arena is killed."""

import http.client
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import house

# The other tests of the arena limit the house bots with this variable.
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "SKIRMISH_HOUSE_BOTS"}


class House(unittest.TestCase):
    def setUp(self):
        self.data = tempfile.mkdtemp(prefix="skirmish-house-")
        self.addCleanup(shutil.rmtree, self.data)

    def start(self, *options):
        command = "serve --port 0 --sandbox none --ladder off --data".split()
        return subprocess.Popen(
            [SKIRMISH, *command, self.data, *options],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def look(self, server):
        """Reads the house bots and their versions once the server is ready, and stops it."""
        for line in server.stdout:
            found = re.search(r"http://\S+:(\d+)", line)
            if found:
                break
        connection = http.client.HTTPConnection("127.0.0.1", int(found.group(1)), timeout=60)

        def get(path):
            connection.request("GET", path)
            return json.load(connection.getresponse())["items"]

        bots = {
            bot["name"]: (
                bot["id"],
                bot["game"],
                bot["active_version"],
                len(get(f"/api/v1/bots/house/{bot['name']}/versions")),
            )
            for bot in get("/api/v1/bots?owner=house")
        }
        connection.close()
        server.terminate()
        self.assertEqual(server.wait(60), 0)
        server.stdout.close()
        return bots

    def check(self, bots):
        self.assertEqual({game for _, game, _, _ in bots.values()}, set(house.GAMES))
        for name, (_, game, active, versions) in bots.items():
            self.assertTrue(name.startswith(game + "-"))
            self.assertTrue(active, name)
            self.assertEqual(versions, 1, name)
        self.assertTrue({f"{game}-random" for game in house.GAMES} <= set(bots))

    def test_house_bots_exist_at_once_and_stay_the_same_after_a_restart(self):
        first = self.look(self.start())
        self.check(first)
        self.assertEqual(self.look(self.start()), first)

    def test_the_operator_chooses_the_house_bots(self):
        chosen = self.look(self.start("--house-bots", "random medium"))
        self.assertEqual(
            set(chosen),
            {
                f"{game}-{bot}"
                for game in house.GAMES
                for bot in house.bots(game)
                if bot in ("random", "medium")
            },
        )
        more = self.look(self.start())
        self.assertLess(set(chosen), set(more))
        self.assertEqual({name: more[name] for name in chosen}, chosen)
        wrong = subprocess.run(
            [SKIRMISH, "serve", "--port", "0", "--data", self.data, "--house-bots", "medum"],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn(
            '--house-bots: unknown house bot "medum"; did you mean "medium"?', wrong.stderr
        )

    def test_an_interrupted_start_is_completed_by_the_next(self):
        first = self.look(self.start())
        store = sqlite3.connect(os.path.join(self.data, "arena.db"))
        with store:
            self.assertEqual(
                store.execute("DELETE FROM settings WHERE name LIKE 'house.%'").rowcount, len(first)
            )
        store.close()
        self.assertEqual(self.look(self.start()), first)

    def test_a_bot_that_no_longer_comes_with_skirmish_is_retired(self):
        first = self.look(self.start())
        store = sqlite3.connect(os.path.join(self.data, "arena.db"))
        with store:
            store.execute(
                "UPDATE bots SET name = 'aliens-hunter', name_key = 'aliens-hunter'"
                " WHERE name = 'aliens-medium'"
            )
            store.execute("DELETE FROM settings WHERE name = 'house.aliens-medium'")
        store.close()
        second = self.look(self.start())
        self.check(second)
        self.assertEqual(set(second), set(first))

    def test_killed_starts_leave_no_house_bot_missing_or_duplicated(self):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        chance = random.Random(seed)
        for _ in range(15):
            server = self.start()
            # A random time, so that the kill can happen at any point of the start.
            time.sleep(chance.uniform(0.01, 0.12))
            server.kill()
            server.wait()
            server.stdout.close()
        self.check(self.look(self.start()))


if __name__ == "__main__":
    unittest.main()
