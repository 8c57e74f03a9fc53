"""The arena checks every uploaded version; only some people may read the report."""

import json
import os
import unittest

from conformance import Schemas
from matches_server import Arena

GOOD = """import sys
for line in sys.stdin:
    print('[]', flush=True)
"""
STAYS = GOOD + "import time\ntime.sleep(1000)\n"  # keeps running after the end of its input
# Exits with an error on all maps but the default one; the traceback names the file.
CRASHES = """import json, sys
for line in sys.stdin:
    state = json.loads(line)['state']
    if state['rows'] != state['cols']:
        raise ValueError('not square')
    print('[]', flush=True)
"""
SLOW = """import sys, time
for line in sys.stdin:
    time.sleep(0.2)
    print('[]', flush=True)
"""
OVER = ("done", "failed")


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arena = cls.start("--jobs", "2", "--ladder", "off")
        cls.addClassCleanup(cls.arena.close)
        cls.schemas = Schemas(cls.arena.get("/api/v1/openapi.json"))

    @classmethod
    def start(cls, *options):
        arena = Arena(*options)
        arena.seed("account", "ada", "2", "skt_ada", "account", "ben", "0", "skt_ben")
        arena.seed("account", "eve", "0", "skt_eve")
        return arena.start()

    def upload(self, name, source, arena=None):
        """Uploads a version of Ben's; returns it."""
        arena = arena or self.arena
        arena.ask("POST", "/api/v1/bots", {"game": "aliens", "name": name}, "skt_ben")
        status, _, version = arena.ask(
            "POST",
            f"/api/v1/bots/ben/{name}/versions",
            {"file_name": "bot.py", "source": source},
            "skt_ben",
        )
        self.assertEqual(status, 201, version)
        return version

    def get_check(self, version, who="skt_ben", arena=None):
        return (arena or self.arena).get(f"/api/v1/versions/{version['id']}/check", token=who)

    def wait_checked(self, version, arena=None):
        def over():
            found = self.get_check(version, arena=arena)
            return found if found["state"] in OVER else None

        return (arena or self.arena).wait(over)

    def test_a_good_bot_passes(self):
        version = self.upload("good", GOOD)
        self.assertEqual(version["check"], {"state": "none", "errors": 0, "warnings": 0})
        check = self.wait_checked(version)
        self.schemas.check("VersionCheck", check)
        self.assertEqual((check["state"], check["errors"], check["warnings"]), ("done", 0, 0))
        self.assertTrue(check["report"]["passed"])
        self.assertEqual(check["report"]["findings"], [])
        outcomes = {stage["name"]: stage["outcome"] for stage in check["report"]["stages"]}
        self.assertEqual(outcomes["match"], "passed")
        self.assertNotIn("not run", outcomes.values())
        self.assertIsNone(check["failure"])
        queue = self.arena.get("/api/v1/queue")
        self.schemas.check("Queue", queue)

    def test_the_report_names_what_is_wrong_with_a_bot(self):
        version = self.upload("stays", STAYS)
        check = self.wait_checked(version)
        self.assertEqual((check["state"], check["errors"]), ("done", 1))
        finding = next(one for one in check["report"]["findings"] if one["severity"] == "error")
        self.assertEqual((finding["id"], finding["stage"]), ("ignores-end", "end of input"))
        self.assertIn("still running", finding["what"])
        self.assertTrue(finding["change"].startswith("Exit when standard input ends"))
        # The version has the number of errors, and is live nevertheless.
        found = self.arena.get(f"/api/v1/versions/{version['id']}", token="skt_ben")
        self.schemas.check("Version", found)
        self.assertEqual(found["check"]["errors"], 1)
        self.assertTrue(found["active"])

    def test_only_those_who_may_read_the_logs_see_a_check(self):
        version = self.upload("secret", GOOD)
        self.wait_checked(version)
        path = f"/api/v1/versions/{version['id']}"
        for who in ("skt_eve", None):
            self.assertEqual(self.arena.ask("GET", path + "/check", token=who)[0], 404)
            found = self.arena.get(path, token=who)
            self.schemas.check("Version", found)
            self.assertIsNone(found["check"])
            listed = self.arena.get("/api/v1/bots/ben/secret/versions", token=who)["items"]
            self.assertIsNone(listed[0]["check"])
        self.assertEqual(self.get_check(version, "skt_ada")["state"], "done")
        listed = self.arena.get("/api/v1/bots/ben/secret/versions", token="skt_ben")["items"]
        self.assertEqual(listed[0]["check"]["state"], "done")
        self.assertEqual(self.arena.ask("GET", "/api/v1/versions/999/check")[0], 404)

    def test_a_report_names_no_directory_of_the_arena(self):
        check = self.wait_checked(self.upload("crashes", CRASHES))
        finding = check["report"]["findings"][0]
        self.assertEqual(finding["id"], "fails-on-map")
        self.assertIn("bot.py", finding["stderr"])
        self.assertIn("not square", finding["stderr"])
        self.assertNotIn(os.path.realpath(self.arena.data), json.dumps(check))

    def test_a_failed_build_is_not_checked(self):
        version = self.upload("broken", "import sys; sys.exit(1)\n")
        path = f"/api/v1/versions/{version['id']}"
        found = self.arena.wait(
            lambda: (lambda one: one["build"] != "waiting" and one)(
                self.arena.get(path, token="skt_ben")
            )
        )
        self.assertEqual((found["build"], found["check"]["state"]), ("failed", "none"))

    def test_pages_are_notified_when_a_check_ends(self):
        def upload():
            self.wait_checked(self.upload("heard", GOOD))
            self.upload("later", GOOD)

        events = self.arena.watch(
            "/api/v1/activity/live",
            lambda event, data: event == "build" and data["bot"] == "later",
            began=upload,
        )
        heard = [(event, data) for _, event, data in events if data.get("bot") == "heard"]
        self.assertEqual(heard[-1], ("check", {"owner": "ben", "bot": "heard"}))

    def test_metrics_count_checks(self):
        self.wait_checked(self.upload("counted", GOOD))
        metrics = self.arena.get("/metrics", token="skt_ada").decode()
        self.assertIn('skirmish_queue_waiting{kind="check"}', metrics)
        count = next(line for line in metrics.splitlines() if line.startswith("skirmish_checks_t"))
        self.assertGreaterEqual(int(count.split()[1]), 1)

    # ---- arenas in which a check fails ----

    def test_a_check_that_takes_too_long_ends_with_an_error_message(self):
        arena = self.start("--jobs", "1", "--ladder", "off", "--match-seconds", "1")
        self.addCleanup(arena.close)
        check = self.wait_checked(self.upload("slow", SLOW, arena), arena)
        self.assertEqual(
            (check["state"], check["failure"], check["report"]),
            ("failed", "it took longer than 1 seconds", None),
        )

    def test_a_check_survives_a_restart(self):
        arena = self.start("--jobs", "1", "--ladder", "off")
        self.addCleanup(arena.close)
        version = self.upload("slow", SLOW, arena)
        arena.wait(lambda: self.get_check(version, arena=arena)["state"] == "running")
        arena.kill()
        arena.start()
        check = self.wait_checked(version, arena)
        self.assertEqual((check["state"], check["errors"]), ("done", 0))


if __name__ == "__main__":
    unittest.main()
