"""Analyses of matches over HTTP: who can request one, how often, and how it ends."""

import json
import os
import subprocess
import unittest

from conformance import Schemas
from matches_server import SKIRMISH, Arena

MEDIUM = {"bot": "house/aliens-medium"}
RANDOM = {"bot": "house/aliens-random"}

SHORT = '{"maxTurns": 40}'

# Gives no orders, and exits after a few turns, which ends the match.
QUITTER = """import sys
for turn, line in enumerate(sys.stdin):
    if turn == 4:
        break
    print("[]", flush=True)
"""


class AnalysisCase(unittest.TestCase):
    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        cls.arena = Arena("--people-per-address", "20", "--ladder", "off", *cls.OPTIONS)
        cls.addClassCleanup(cls.arena.close)
        for name, role in (("alice", "0"), ("bob", "0"), ("eve", "0"), ("mia", "0"), ("ada", "2")):
            cls.arena.seed("account", name, role, "skt_" + name)
        quitter = cls.arena.file("quitter.py", QUITTER)
        cls.arena.seed("bot", "bob", "aliens", "quitter", "python", quitter)
        cls.arena.start()
        cls.schemas = Schemas(cls.arena.get("/api/v1/openapi.json"))
        for bot in ("house/aliens-medium", "house/aliens-random", "bob/quitter"):
            path = "/api/v1/bots/" + bot
            cls.arena.wait(lambda path=path: cls.arena.get(path).get("active_version"))

    def ask(self, method, path, *, by=None, body=None, status=200):
        got, self.headers, answer = self.arena.ask(
            method, "/api/v1" + path, body, token=by and "skt_" + by
        )
        self.assertEqual(got, status, answer)
        return answer

    def play(self, *seats, by):
        """Plays a short match to its end: an analysis continues it hundreds of times."""
        body = {"game": "aliens", "seed": 5, "config": SHORT, "seats": list(seats)}
        match = self.ask("POST", "/matches", by=by, body=body, status=201)["id"]
        self.assertEqual(self.arena.wait_over(match)["state"], "over")
        return match

    def match(self, match, by=None):
        return self.ask("GET", "/matches/%d" % match, by=by)

    def request(self, match, by, status=202):
        return self.ask("POST", "/matches/%d/analysis" % match, by=by, status=status)

    def analysis(self, match, by=None, status=200):
        answer = self.ask("GET", "/matches/%d/analysis" % match, by=by, status=status)
        if status == 200:
            self.schemas.check("MatchAnalysis", answer)
        return answer

    def wait_running(self, match):
        """Waits until the first continuations have been played."""
        return self.arena.wait(lambda: self.analysis(match)["done"])

    def wait_ended(self, match):
        def ended():
            found = self.analysis(match)
            return found if found["state"] in ("done", "failed") else None

        return self.arena.wait(ended, 300)

    def analyse_here(self, match):
        """Returns the result of `skirmish analyze` for the same replay."""
        replay = os.path.join(self.arena.directory, "match.skr")
        with open(replay, "wb") as file:
            file.write(self.ask("GET", "/matches/%d/replay" % match))
        command = ["analyze", replay, "--json", "--quiet", "--sandbox", "none"]
        found = subprocess.run([SKIRMISH, *command], check=True, capture_output=True)
        return json.loads(found.stdout)


class AnalysisTest(AnalysisCase):
    OPTIONS = ("--jobs", "1", "--analyses-per-hour", "100")

    def test_a_match_is_analysed_as_on_the_command_line(self):
        match = self.play(MEDIUM, {"bot": "bob/quitter"}, by="alice")
        self.assertIsNone(self.analysis(match)["state"])
        before = self.match(match, by="alice")
        self.assertEqual((before["analysis"], before["analysable"]), (None, True))
        answer = self.request(match, by="alice")
        self.assertIn(answer["state"], ("waiting", "running"))
        self.assertEqual(answer["result"], None)
        found = self.wait_ended(match)
        self.assertEqual((found["state"], found["failure"]), ("done", None))
        expected = self.analyse_here(match)
        for player in expected["players"]:
            del player["name"]  # the arena shows current names, not those in the replay
        self.assertEqual(found["result"], expected)
        after = self.match(match, by="alice")
        self.assertEqual((after["analysis"], after["analysable"]), ("done", False))
        self.schemas.check("Match", after)
        self.assertIn("already", self.request(match, by="alice", status=409)["detail"])

    def test_only_participants_and_administrators_can_request_an_analysis(self):
        match = self.play(MEDIUM, {"bot": "bob/quitter"}, by="alice")
        for by, status in (("eve", 403), (None, 401)):
            self.request(match, by=by, status=status)
            self.assertFalse(self.match(match, by=by)["analysable"])
        for by in ("alice", "bob", "ada"):
            self.assertTrue(self.match(match, by=by)["analysable"])
        self.request(match, by="bob")  # bob's bot plays in it
        self.assertFalse(self.match(match, by="ada")["analysable"])
        self.request(match, by="alice", status=409)
        self.assertEqual(self.wait_ended(match)["state"], "done")
        self.request(10**6, by="alice", status=404)

    def test_a_match_that_is_not_over_cannot_be_analysed(self):
        seat = {"language": "python", "source": "import time\ntime.sleep(600)\n"}
        body = {"game": "aliens", "turn_time": 5000, "seats": [MEDIUM, seat]}
        match = self.ask("POST", "/matches", by="alice", body=body, status=201)["id"]
        self.assertIn("until it is over", self.request(match, by="alice", status=409)["detail"])
        self.ask("POST", "/matches/%d/call-off" % match, by="alice")

    def test_an_analysis_survives_restarts_and_does_not_block_matches(self):
        match = self.play(MEDIUM, MEDIUM, by="alice")
        self.request(match, by="alice")
        self.wait_running(match)
        # The analysis needs the only runner for hundreds of matches, but lets others in between.
        self.play(MEDIUM, RANDOM, by="bob")
        self.assertEqual(self.analysis(match)["state"], "running")
        self.assertEqual(self.arena.stop(), (0, []))
        self.arena.start()
        self.wait_running(match)
        self.arena.kill()
        self.arena.start()
        found = self.wait_ended(match)
        self.assertEqual((found["state"], found["failure"]), ("done", None))
        self.assertEqual(found["result"]["turns"], self.match(match)["turns"])

    def test_an_analysis_ends_with_its_requester(self):
        match = self.play(MEDIUM, MEDIUM, by="mia")
        self.request(match, by="mia")
        self.wait_running(match)
        self.ask("DELETE", "/admin/accounts/mia", by="ada", status=204)
        self.assertIsNone(self.analysis(match)["state"])
        # The runner is free again.
        self.play(MEDIUM, RANDOM, by="bob")
        self.arena.wait(lambda: self.ask("GET", "/queue")["running"] == 0)

    def test_a_missing_replay_is_reported(self):
        match = self.play(RANDOM, {"bot": "bob/quitter"}, by="alice")
        for folder, _, names in os.walk(os.path.join(self.arena.data, "files")):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    if file.read(8) == b"SKIRMISH":
                        os.unlink(path)
        self.request(match, by="alice")
        found = self.wait_ended(match)
        self.assertEqual(found["state"], "failed")
        self.assertEqual(found["failure"], "the replay cannot be read")
        self.assertTrue(self.match(match, by="alice")["analysable"])


class RateTest(AnalysisCase):
    OPTIONS = ("--analyses-per-hour", "1", "--match-seconds", "1")

    def test_analyses_have_an_hourly_limit_and_a_time_limit(self):
        first = self.play(MEDIUM, MEDIUM, by="alice")
        second = self.play(RANDOM, MEDIUM, by="alice")
        self.request(first, by="alice")
        found = self.wait_ended(first)
        self.assertEqual(
            (found["state"], found["failure"], found["result"]),
            ("failed", "it took longer than 1 seconds", None),
        )
        detail = self.request(second, by="alice", status=429)["detail"]
        self.assertIn("the limit of 1 analysis per hour; try again in 60 minutes", detail)
        self.assertGreater(int(self.headers["Retry-After"]), 3000)
        self.request(second, by="ada")


class OffTest(AnalysisCase):
    OPTIONS = ("--analyses-per-hour", "0")

    def test_operators_can_turn_analyses_off(self):
        match = self.play(RANDOM, {"bot": "bob/quitter"}, by="alice")
        self.assertFalse(self.match(match, by="alice")["analysable"])
        detail = self.request(match, by="alice", status=403)["detail"]
        self.assertEqual(detail, "This arena does not analyse matches.")


if __name__ == "__main__":
    unittest.main()
