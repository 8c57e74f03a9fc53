"""`skirmish join` and the other client commands with a real arena.

Remote bots play all games, players vanish, and a running arena is backed up.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import join_server

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from house import BETTER

PYTHON = "/usr/bin/python3"
IDLE = "import sys\nfor line in sys.stdin:\n    print('[]', flush=True)\n"


class JoinTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        os.chmod(cls.directory, 0o755)
        cls.data = os.path.join(cls.directory, "data")
        cls.server = join_server.Server(cls.data, "--ladder", "off")
        cls.environment = dict(os.environ, XDG_CONFIG_HOME=os.path.join(cls.directory, "config"))
        cls.skirmish(
            "login", cls.server.url, "--register", "--name", "alice", text="correct horse battery\n"
        )

    @classmethod
    def tearDownClass(cls):
        status, left = cls.server.stop()
        assert (status, left) == (0, []), (status, left)
        assert os.listdir(os.path.join(cls.data, "run")) == [], "sockets are left"

    @classmethod
    def skirmish(cls, *arguments, status=0, text=""):
        done = subprocess.run(
            [join_server.SKIRMISH, *arguments], cwd=cls.directory, env=cls.environment, input=text,
            capture_output=True, text=True, timeout=join_server.WAIT, check=False,
        )  # fmt: skip
        if done.returncode != status:
            raise AssertionError(f"{arguments}: {done.returncode}, {done.stdout}{done.stderr}")
        return done

    def join(self, *arguments, status=0):
        return self.skirmish("join", self.server.url, "--json", *arguments, status=status)

    def get(self, path, token=None):
        request = urllib.request.Request(
            self.server.url + path, headers={"Authorization": f"Bearer {token}"} if token else {}
        )
        with urllib.request.urlopen(request, timeout=join_server.WAIT) as answer:
            return json.load(answer)

    def token(self):
        with open(
            os.path.join(self.directory, "config/skirmish/arena.json"), encoding="utf-8"
        ) as file:
            return json.load(file)["token"]

    def test_every_game_can_be_joined(self):
        for game, bot in BETTER.items():
            with self.subTest(game):
                done = self.join(
                    "--game", game, "--against", f"house/{game}-random", "--", f"house:{bot}"
                )
                match = json.loads(done.stdout)
                self.assertEqual((match["state"], match["game"]), ("over", game))
                # Only the bot may print to standard error (in the sandbox, sanitizers do).
                self.assertNotIn("skirmish", done.stderr)
                self.assertEqual(
                    sorted(player["name"] for player in match["players"]),
                    sorted(["alice (remote)", f"{game}-random"]),
                )
                self.assertEqual([player["failure"] for player in match["players"]], [None, None])

    def test_the_replay_of_a_joined_match_can_be_verified(self):
        match = json.loads(
            self.join("--game", "aliens", "--label", "mine", "--", "house:medium").stdout
        )
        # The name shows that a labelled bot is neither an account nor a bot of this arena.
        self.assertIn("mine (alice, remote)", [player["name"] for player in match["players"]])
        with urllib.request.urlopen(
            f"{self.server.url}/api/v1/matches/{match['id']}/replay", timeout=60
        ) as answer:
            with open(os.path.join(self.directory, "match.skr"), "wb") as file:
                file.write(answer.read())
        self.skirmish("replay", "verify", "match.skr")

    def test_a_local_crash_is_a_crash_in_the_match(self):
        done = self.join("--game", "aliens", "--", "echo oh no >&2; exit 3")
        own = [
            player
            for player in json.loads(done.stdout)["players"]
            if player["name"] == "alice (remote)"
        ][0]
        self.assertEqual((own["rank"], done.stderr), (2, "oh no\n"))
        self.assertTrue(own["failure"])

    def test_a_player_who_vanishes_loses_and_delays_nobody(self):
        process = subprocess.Popen(
            [join_server.SKIRMISH, "join", self.server.url, "--game", "aliens", "--", "sleep 1000"],
            cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        match = int(process.stderr.readline().split()[1])
        process.kill()
        process.wait()
        process.stderr.close()
        began = time.monotonic()
        state = {"state": "waiting"}
        while state["state"] in ("waiting", "playing"):
            self.assertLess(time.monotonic() - began, join_server.WAIT, "it goes on and on")
            time.sleep(0.1)
            state = self.get(f"/api/v1/matches/{match}")
        if state["state"] == "over":
            self.assertEqual(
                [
                    player["rank"]
                    for player in state["players"]
                    if player["name"] == "alice (remote)"
                ],
                [2],
            )

    def test_the_client_commands_work_with_a_real_arena(self):
        os.makedirs(os.path.join(self.directory, "idle"))
        with open(os.path.join(self.directory, "idle/main.py"), "w", encoding="utf-8") as file:
            file.write(IDLE + "    print('seen', len(line), file=sys.stderr, flush=True)\n")
        self.skirmish("submit", "idle", "--game", "aliens", "--activate")
        self.assertIn("alice/idle", self.skirmish("bots").stdout)
        match = json.loads(
            self.skirmish("challenge", "house/aliens-medium", "--bot", "idle", "--json").stdout
        )
        self.assertEqual(match["state"], "over")
        self.assertIn(f"{match['id']}  aliens", self.skirmish("matches", "--bot", "idle").stdout)
        self.assertRegex(self.skirmish("logs", str(match["id"])).stdout, r"^1: seen \d+\n")

    def test_a_backup_of_a_running_arena_can_be_started(self):
        copy = os.path.join(self.directory, "copy")
        self.skirmish("backup", copy, "--data", self.data)
        self.skirmish("restore", copy, "--data", copy + "-data")
        self.skirmish("restore", copy, "--data", copy + "-data", status=2)
        other = join_server.Server(copy + "-data", "--ladder", "off")
        try:
            request = urllib.request.Request(
                other.url + "/api/v1/me", headers={"Authorization": f"Bearer {self.token()}"}
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.assertEqual(json.load(answer)["name"], "alice")
            self.assertIsNone(other.password, "it made another administrator")
        finally:
            self.assertEqual(other.stop(), (0, []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
