"""The queue over HTTP: fair shares, limits, cancelling, jobs of suspended and deleted accounts."""

import io
import json
import os
import unittest
import zipfile

from conformance import Schemas
from matches_server import Arena

# Answers slowly, so that a match of two sleepers lasts for minutes.
SLEEPER = """import sys, time
for line in sys.stdin:
    time.sleep(0.8)
    print('{"moves": []}', flush=True)
"""
CALM = SLEEPER.replace("    time.sleep(0.8)\n", "")
HOUSE = {"bot": "house/planetwars-medium"}


def draft(source):
    return {"language": "python", "source": source}


class QueueCase(unittest.TestCase):
    OPTIONS = ()
    PEOPLE = (
        *(("alice", "0"), ("bob", "0"), ("eve", "0"), ("mia", "0")),
        *(("olga", "1"), ("ada", "2")),
    )
    BOTS = ()  # owners of a bot called calm

    @classmethod
    def setUpClass(cls):
        cls.arena = Arena("--people-per-address", "20", "--ladder", "off", *cls.OPTIONS)
        cls.addClassCleanup(cls.arena.close)
        for name, role in cls.PEOPLE:
            cls.arena.seed("account", name, role, "skt_" + name)
        for owner in cls.BOTS:
            calm = cls.arena.file("calm.py", CALM)
            cls.arena.seed("bot", owner, "planetwars", "calm", "python", calm)
        cls.arena.start()
        cls.schemas = Schemas(cls.arena.get("/api/v1/openapi.json"))
        house = "/api/v1/bots/house/planetwars-medium"
        cls.arena.wait(lambda: cls.arena.get(house).get("active_version"))
        for owner in cls.BOTS:
            bot = "/api/v1/bots/%s/calm" % owner
            cls.arena.wait(lambda bot=bot: cls.arena.get(bot).get("active_version"))

    def ask(self, method, path, *, by=None, body=None, status=200):
        got, _, answer = self.arena.ask(method, "/api/v1" + path, body, token=by and "skt_" + by)
        self.assertEqual(got, status, answer)
        return answer

    def play(self, *seats, by=None, status=201):
        return self.ask(
            "POST",
            "/matches",
            by=by,
            body={"game": "planetwars", "seats": list(seats)},
            status=status,
        )

    def sleepers(self, by=None):
        return self.play(draft(SLEEPER), draft(SLEEPER), by=by)

    def upload(self, bot, build, by, status=201):
        """Uploads a bot with this build command."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("bot.py", CALM)
            archive.writestr("bot.json", json.dumps({"build": build, "run": "exec python3 bot.py"}))
        self.ask("POST", "/bots", by=by, body={"game": "planetwars", "name": bot}, status=201)
        path = "/bots/%s/%s/versions?file_name=bot.zip" % (by, bot)
        return self.ask("POST", path, by=by, body=packed.getvalue(), status=status)

    def match(self, match):
        return self.arena.get("/api/v1/matches/%d" % match["id"])

    def wait_playing(self, match):
        """Waits until the bots of the match run."""
        events = self.arena.watch("/api/v1/matches/%d/live" % match["id"], until="turn")
        self.assertEqual(events[-1][1], "turn")

    def bots(self):
        """The processes of drafts."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink("/proc/%s/cwd" % pid).startswith(self.arena.data):
                    found.append(pid)
            except OSError:
                continue  # the process has exited, or belongs to another user
        return found


class CancelTest(QueueCase):
    def cancel(self, match, by=None, key=None, status=200):
        path = "/matches/%d/call-off" % match["id"] + ("?key=" + key if key else "")
        return self.ask("POST", path, by=by, status=status)

    def check_cancelled(self, match, by):
        found = self.match(match)
        self.assertEqual((found["state"], found["reason"]), ("called_off", "cancelled by " + by))
        self.assertEqual((found["verdict"], found["cancellable"]), (None, False))

    def test_a_running_match_is_cancelled_by_its_requester(self):
        match = self.sleepers(by="alice")
        self.wait_playing(match)
        self.assertTrue(self.bots())
        live = "/api/v1/matches/%d/live" % match["id"]
        events = self.arena.watch(live, began=lambda: self.cancel(match, by="alice"))
        self.assertEqual(events[-1][1:2], ("end",))
        self.assertEqual(events[-1][2]["reason"], "cancelled by the person who requested it")
        self.check_cancelled(match, "the person who requested it")
        self.arena.wait(lambda: not self.bots())
        # A new runner replaces the one that was stopped.
        self.assertEqual(self.arena.wait_over(self.play(HOUSE, HOUSE)["id"])["state"], "over")
        log = self.ask("GET", "/admin/audit?person=alice", by="ada")["items"][0]
        self.assertEqual(
            (log["action"], log["subject"]), ("match.call-off", "match %d" % match["id"])
        )

    def test_only_the_requester_and_administrators_cancel_a_match(self):
        match = self.sleepers(by="alice")
        for by, status in (("bob", 403), ("olga", 403), (None, 401)):
            self.cancel(match, by=by, status=status)
            self.assertFalse(self.ask("GET", "/matches/%d" % match["id"], by=by)["cancellable"])
        for by in ("alice", "ada"):
            self.assertTrue(self.ask("GET", "/matches/%d" % match["id"], by=by)["cancellable"])
        answer = self.cancel(match, by="ada")
        self.schemas.check("Match", answer)
        self.check_cancelled(match, "an administrator")
        self.cancel(match, by="ada", status=409)
        self.cancel({"id": 10**6}, by="ada", status=404)

    def test_a_visitor_cancels_a_match_with_its_key(self):
        match = self.sleepers()
        self.cancel(match, key="0" * 32, status=401)
        self.cancel(match, by="bob", status=403)
        self.cancel(match, key=match["key"])
        self.check_cancelled(match, "the person who requested it")

    def test_a_waiting_match_of_a_series_is_cancelled(self):
        series = [self.sleepers(by="alice") for _ in range(5)]
        for match in reversed(series):
            self.cancel(match, by="alice")
        for match in series:
            self.check_cancelled(match, "the person who requested it")
        self.arena.wait(lambda: not self.bots())


class SuspendTest(QueueCase):
    BOTS = ("bob", "eve")

    def suspend(self, name, suspended=True):
        self.ask("PATCH", "/admin/accounts/" + name, by="ada", body={"suspended": suspended})

    def test_suspending_an_account_ends_its_matches_also_after_a_restart(self):
        series = [self.sleepers(by="bob") for _ in range(4)]
        self.wait_playing(series[0])
        self.suspend("bob")
        self.arena.wait(lambda: not self.bots())
        reason = "the account that requested it was suspended or deleted"
        for match in series:
            found = self.match(match)
            self.assertEqual((found["state"], found["reason"]), ("called_off", reason))
        self.arena.stop()
        self.arena.start()
        self.assertEqual(self.arena.wait_over(self.play(HOUSE, HOUSE)["id"])["state"], "over")
        self.assertEqual(self.bots(), [])

    def test_suspending_an_account_ends_its_build(self):
        began = os.path.join(self.arena.directory, "began")
        build = "touch %s; while :; do sleep 0.05; done" % began
        version = self.upload("endless", build, "mia")["id"]
        self.arena.wait(lambda: os.path.exists(began))
        self.assertTrue(self.bots())
        self.suspend("mia")
        # Without the suspension, the build could take two minutes.
        self.arena.wait(lambda: not self.bots(), 60)
        found = self.ask("GET", "/versions/%d" % version, by="ada")
        self.assertEqual(found["build"], "failed")

    def test_deleting_an_account_ends_its_matches(self):
        match = self.sleepers(by="alice")
        self.wait_playing(match)
        self.ask("DELETE", "/admin/accounts/alice", by="ada", status=204)
        self.arena.wait(lambda: not self.bots())
        self.assertEqual(self.match(match)["state"], "called_off")

    def test_bots_of_a_suspended_owner_forfeit_in_a_tournament(self):
        plan = {"name": "cup", "game": "planetwars", "format": "round-robin", "rounds": 50}
        cup = self.ask("POST", "/tournaments", by="olga", body=plan, status=201)["id"]
        path = "/tournaments/%d" % cup
        for owner, bot in (("eve", "calm"), ("house", "planetwars-medium")):
            entry = {"owner": owner, "bot": bot}
            self.ask("POST", path + "/entrants", by="olga", body=entry, status=201)
        self.ask("POST", path + "/start", by="olga")
        self.suspend("eve")
        self.arena.wait(lambda: self.ask("GET", path)["state"] == "over")
        matches = self.ask("GET", "/matches?limit=200&tournament=%d" % cup)["items"]
        self.assertEqual(len(matches), 100)
        forfeits = [match for match in matches if match["state"] == "called_off"]
        self.assertGreater(len(forfeits), 0)
        self.assertLessEqual({match["state"] for match in matches}, {"over", "called_off"})
        self.suspend("eve", False)

    def test_bots_of_a_suspended_owner_cannot_be_chosen(self):
        bot = self.arena.get("/api/v1/bots/eve/calm")
        recorded = self.play({"bot": "eve/calm"}, HOUSE, by="olga")["id"]
        self.assertEqual(self.arena.wait_over(recorded)["state"], "over")
        plan = {"name": "cup", "game": "planetwars", "format": "round-robin"}
        cup = self.ask("POST", "/tournaments", by="olga", body=plan, status=201)["id"]
        enter = "/tournaments/%d/entrants" % cup
        entry = {"owner": "eve", "bot": "calm"}
        self.ask("POST", enter, by="olga", body=entry, status=201)
        self.suspend("eve")
        self.assertEqual(self.ask("GET", enter)["items"], [])
        self.ask("POST", enter, by="olga", body=entry, status=422)
        for seat in ({"bot": "eve/calm"}, {"version": bot["active_version"]}):
            answer = self.play(seat, HOUSE, by="olga", status=422)
            self.assertIn("suspended", answer["detail"])
        start = {"from": {"match": recorded, "turn": 1}}
        for path in ("/matches", "/join"):
            body = start if path == "/matches" else dict(start, seat=1)
            answer = self.ask("POST", path, by="olga", body=body, status=422)
            self.assertIn("suspended", answer["detail"])
        join = {"game": "planetwars", "opponents": ["eve/calm"]}
        self.ask("POST", "/join", by="olga", body=join, status=422)
        self.suspend("eve", False)
        self.arena.wait_over(self.play({"bot": "eve/calm"}, HOUSE, by="olga")["id"])


class FairTest(QueueCase):
    OPTIONS = ("--jobs", "2")

    def test_sleepers_of_one_requester_delay_nobody_else(self):
        series = [self.sleepers(by="alice") for _ in range(5)]
        self.wait_playing(series[0])
        self.assertIn("limit", self.play(HOUSE, HOUSE, by="alice", status=429)["detail"])
        # A runner becomes free for others long before a match of sleepers ends.
        for by in ("bob", None):
            over = self.arena.wait_over(self.play(HOUSE, HOUSE, by=by)["id"])
            self.assertEqual(over["state"], "over")
        for match in series:
            self.assertIn(self.match(match)["state"], ("waiting", "playing"))
            self.ask("POST", "/matches/%d/call-off" % match["id"], by="alice")

    def test_builds_of_one_account_delay_nobody_else(self):
        gate = os.path.join(self.arena.directory, "gate")
        wait = "until [ -e %s ]; do sleep 0.05; done" % gate
        versions = [self.upload("slow-%d" % i, wait, "eve")["id"] for i in range(5)]
        answer = self.upload("slow-5", wait, "eve", status=429)
        self.assertIn("5 of your builds are waiting or running", answer["detail"])
        over = self.arena.wait_over(self.play(HOUSE, HOUSE, by="bob")["id"])
        self.assertEqual(over["state"], "over")
        for version in versions:
            self.assertEqual(self.arena.get("/api/v1/versions/%d" % version)["build"], "waiting")
        open(gate, "w").close()
        for version in versions:
            path = "/api/v1/versions/%d" % version
            self.arena.wait(lambda path=path: self.arena.get(path)["build"] == "good")


class TimeLimitTest(QueueCase):
    OPTIONS = ("--match-seconds", "2")

    def test_a_casual_match_that_takes_too_long_is_cancelled(self):
        over = self.arena.wait_over(self.sleepers(by="alice")["id"])
        self.assertEqual(
            (over["state"], over["reason"]), ("called_off", "it took longer than 2 seconds")
        )
        self.arena.wait(lambda: not self.bots())


if __name__ == "__main__":
    unittest.main()
