"""Tournaments over HTTP: permissions, errors, and one played to its end across a restart."""

import base64
import hashlib
import os
import re
import time
import unittest
from datetime import datetime, timedelta, timezone

import tournaments_server
from conformance import Schemas

PLAN = {"name": "Cup", "game": "aliens", "format": "knockout", "seed": 5}
TOURNAMENTS = "/api/v1/tournaments"

WAIT = tournaments_server.WAIT


def after(seconds, hours=0):
    """The time in `seconds` from now as RFC 3339, in a time zone `hours` ahead of UTC."""
    zone = timezone(timedelta(hours=hours))
    return (datetime.now(zone) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def seconds_until(text):
    then = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (then - datetime.now(timezone.utc)).total_seconds()


class TournamentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arena = tournaments_server.Arena(os.environ["SEED"])
        cls.schemas = Schemas(cls.arena.ask("GET", "/api/v1/openapi.json").json)

    @classmethod
    def tearDownClass(cls):
        assert cls.arena.close() == 0

    def setUp(self):
        self.arena.move()

    def ask(self, method, path, body=None, who=None, status=200, gives=None):
        answer = self.arena.ask(method, path, body, who)
        self.assertEqual(answer.status, status, answer.body)
        if status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        if gives:
            self.schemas.check(gives, answer.json)
        return answer

    def make(self, **members):
        answer = self.ask("POST", TOURNAMENTS, {**PLAN, **members}, "olga", 201, "Tournament")
        self.assertEqual(answer.headers["Location"], f"{TOURNAMENTS}/{answer.json['id']}")
        return answer.headers["Location"]

    def enter(self, path, owner, bot, who=None, status=201):
        return self.ask(
            "POST", path + "/entrants", {"owner": owner, "bot": bot}, who or owner, status
        )

    def enter_all(self, path):
        for turns in range(9, 2, -1):
            self.enter(path, "pia" if turns % 2 else "paul", f"stay-{turns}", "olga")

    def wait_for(self, path, state):
        until = time.monotonic() + WAIT
        while True:
            found = self.ask("GET", path).json
            if found["state"] == state:
                return found
            self.assertLess(time.monotonic(), until, found)
            time.sleep(0.05)  # between polls

    # ---- permissions ----

    def test_only_organisers_create_change_start_and_cancel(self):
        path = self.make()
        for who, status in ((None, 401), ("pia", 403)):
            self.ask("POST", TOURNAMENTS, PLAN, who, status)
            self.ask("PUT", path, PLAN, who, status)
            self.ask("PUT", path + "/seeding", {"bots": []}, who, status)
            self.ask("POST", path + "/start", None, who, status)
            self.ask("POST", path + "/call-off", None, who, status)
        self.assertEqual(self.ask("GET", path).json["state"], "open")

    def test_owners_enter_and_withdraw_their_own_bots_and_organisers_all_bots(self):
        path = self.make()
        self.ask("POST", path + "/entrants", {"owner": "pia", "bot": "stay-9"}, None, 401)
        self.enter(path, "pia", "stay-9", "paul", 403)
        self.schemas.check("Entrant", self.enter(path, "pia", "stay-9").json)
        self.enter(path, "paul", "stay-8", "olga")
        self.enter(path, "pia", "stay-9", status=409)
        self.enter(path, "pia", "nobody", status=404)
        self.enter(path, "paul", "ships", status=422)
        page = self.ask("GET", path + "/entrants?limit=1", gives="EntrantPage").json
        self.assertEqual([e["name"] for e in page["items"]], ["stay-8"])
        page = self.ask(
            "GET", path + f"/entrants?limit=1&cursor={page['next']}", gives="EntrantPage"
        ).json
        self.assertEqual([e["owner"] for e in page["items"]], ["pia"])
        self.assertIsNone(page["next"])
        self.ask("DELETE", path + "/entrants/pia/stay-9", None, "paul", 403)
        self.ask("DELETE", path + "/entrants/pia/stay-9", None, None, 401)
        self.ask("DELETE", path + "/entrants/pia/stay-9", None, "pia", 204)
        self.ask("DELETE", path + "/entrants/pia/stay-9", None, "pia", 404)
        self.ask("DELETE", path + "/entrants/paul/stay-8", None, "olga", 204)
        self.assertEqual(self.ask("GET", path).json["entrants"], 0)

    # ---- plans ----

    def test_a_plan_is_returned_with_its_defaults(self):
        limits = {"memory": 64}
        path = self.make(
            format="swiss", rounds=3, games=2, turn_time=200, limits=limits, maps=["standard"]
        )
        found = self.ask("GET", path, gives="Tournament").json
        for name, value in {
            "format": "swiss",
            "rounds": 3,
            "games": 2,
            "matches_per_meeting": 4,
            "turn_time": 200,
            "limits": limits,
            "players": 2,
            "maps": ["standard"],
            "config": None,
            "seed": 5,
            "state": "open",
            "organiser": "olga",
            "seeding": "rating",
            "challengers": None,
        }.items():
            self.assertEqual(found[name], value, name)
        self.assertEqual(found["links"]["matches"], f"/api/v1/matches?tournament={found['id']}")

    def test_with_three_players_a_meeting_has_each_bot_in_every_seat(self):
        path = self.make(game="planetwars", players=3, games=2, maps=["generate:1"])
        self.assertEqual(self.ask("GET", path).json["matches_per_meeting"], 6)

    def test_invalid_plans_are_rejected_with_a_reason(self):
        for change, word, field in [
            ({"game": "chess"}, "chess", "game"),
            ({"format": "lottery"}, "lottery", "format"),
            ({"players": 3}, "players", "players"),
            ({"format": "ladder"}, "never end", "rounds"),
            ({"maps": ["/etc/passwd"]}, "/etc/passwd", "maps"),
            ({"maps": [{"name": "x"}]}, "text", "maps.0"),
            ({"maps": ["standard", 5]}, "string", "maps.1"),
            ({"games": 0}, "games", "games"),
            ({"rounds": 2}, "rounds", "rounds"),
            ({"seed": -1}, "seed", "seed"),
            ({"bots": []}, "bots", "bots"),
            ({"directory": "/"}, "directory", "directory"),
            ({"sandbox": "none"}, "sandbox", "sandbox"),
            ({"limits": {"memory": 0}}, "memory", "limits.memory"),
            ({"name": ""}, "name", "name"),
            ({"name": "x" * 97}, "name", "name"),
            ({"name": 5}, "name", "name"),
            ({"config": {}}, "config", "config"),
            ({"config": "no JSON"}, "Config", "config"),
            ({"maps": ["generate:x"]}, "generate", "maps"),
            ({"maps": [{"name": "m" * 97, "text": ""}]}, "map", "maps"),
        ]:
            answer = self.ask("POST", TOURNAMENTS, {**PLAN, **change}, "olga", 422)
            self.assertIn(word.lower(), answer.json["detail"].lower(), change)
            self.assertEqual([error["field"] for error in answer.json["errors"]], [field], change)
        for body in ("", "[]", "{", '{"name": "x", "name": "y"}', '{"game": "aliens"}'):
            self.ask("POST", TOURNAMENTS, body, "olga", 422)

    def test_an_open_tournament_can_be_changed_but_not_its_game(self):
        path = self.make()
        self.enter(path, "pia", "stay-9")
        changed = self.ask(
            "PUT", path, {**PLAN, "name": "<script>", "format": "swiss"}, "olga", gives="Tournament"
        ).json
        self.assertEqual(
            (changed["name"], changed["format"], changed["entrants"]), ("<script>", "swiss", 1)
        )
        self.ask("PUT", path, {**PLAN, "game": "planetwars"}, "olga", 422)
        live = self.arena.connect()
        live.request("GET", path + "/live")
        events = live.getresponse()
        self.ask("POST", path + "/call-off", None, "olga", gives="Tournament")
        self.assertNotIn(b"event:", events.read())  # the stream ends
        live.close()
        self.ask("GET", path + "/live", status=404)
        self.ask("PUT", path, PLAN, "olga", 409)
        self.ask("POST", path + "/call-off", None, "olga", 409)
        self.ask("POST", path + "/start", None, "olga", 409)
        self.enter(path, "paul", "stay-8", status=409)

    def test_the_seeding_is_a_list_of_entrants(self):
        path = self.make()
        self.enter(path, "pia", "stay-9")
        for bots in (["paul/stay-8"], ["pia/stay-9", "pia/stay-9"], [5], "pia/stay-9"):
            self.ask("PUT", path + "/seeding", {"bots": bots}, "olga", 422)
        seeded = self.ask(
            "PUT", path + "/seeding", {"bots": ["pia/stay-9"]}, "olga", gives="Tournament"
        ).json
        self.assertEqual(seeded["seeding"], "given")
        kept = self.ask("PUT", path, PLAN, "olga").json
        self.assertEqual(kept["seeding"], "given")

    def test_unknown_tournaments_are_not_found(self):
        for rest in ("", "/entrants", "/standings", "/standings.csv", "/report.html", "/live"):
            self.ask("GET", TOURNAMENTS + "/999999" + rest, status=404)
        self.ask("PUT", TOURNAMENTS + "/999999", PLAN, "olga", 404)
        self.ask("POST", TOURNAMENTS + "/999999/start", None, "olga", 404)
        self.ask("POST", TOURNAMENTS + "/999999/call-off", None, "olga", 404)
        self.enter(TOURNAMENTS + "/999999", "pia", "stay-9", status=404)
        path = self.make()
        for rest in ("/standings", "/standings.csv", "/report.html"):
            self.assertIn("not started", self.ask("GET", path + rest, status=404).json["detail"])

    def test_a_tournament_needs_enough_bots_to_start(self):
        path = self.make()
        self.enter(path, "pia", "stay-9")
        self.assertIn(
            "two bots", self.ask("POST", path + "/start", None, "olga", 422).json["detail"]
        )
        self.assertEqual(self.ask("GET", path).json["state"], "open")

    def test_lists_have_pages_and_etags(self):
        paths = [self.make(name=f"list {i}") for i in range(3)]
        page = self.ask("GET", TOURNAMENTS + "?limit=2&game=aliens", gives="TournamentPage").json
        self.assertEqual([t["name"] for t in page["items"]], ["list 2", "list 1"])
        page = self.ask(
            "GET",
            f"{TOURNAMENTS}?limit=2&game=aliens&cursor={page['next']}",
            gives="TournamentPage",
        ).json
        self.assertEqual(page["items"][0]["name"], "list 0")
        self.assertEqual(
            self.ask("GET", TOURNAMENTS + "?game=ctf").json, {"items": [], "next": None}
        )
        tag = self.arena.ask("GET", paths[0]).headers["ETag"]
        self.assertEqual(
            self.arena.ask("GET", paths[0], headers={"If-None-Match": tag}).status, 304
        )

    # ---- scheduled starts ----

    def test_organisers_schedule_reschedule_and_unschedule_the_start(self):
        path = self.make(starts=after(3600, hours=2))
        found = self.ask("GET", path, gives="Tournament").json
        self.assertAlmostEqual(seconds_until(found["starts"]), 3600, delta=60)
        rows = self.ask("GET", TOURNAMENTS, gives="TournamentPage").json["items"]
        self.assertEqual(rows[0]["starts"], found["starts"])
        self.ask("PUT", path + "/starts", {"starts": None}, "pia", 403)
        for starts in ("soon", "2026-11-20", "2020-01-01T00:00:00Z", after(86400 * 400), 5):
            for method, where in (("PUT", path + "/starts"), ("POST", TOURNAMENTS)):
                body = {"starts": starts} if method == "PUT" else {**PLAN, "starts": starts}
                answer = self.ask(method, where, body, "olga", 422)
                self.assertEqual(answer.json["errors"][0]["field"], "starts", starts)
        self.ask("PUT", path + "/starts", {}, "olga", 422)
        moved = self.ask("PUT", path + "/starts", {"starts": after(7200)}, "olga").json
        self.assertAlmostEqual(seconds_until(moved["starts"]), 7200, delta=60)
        changed = self.ask("PUT", path, PLAN, "olga").json
        self.assertEqual(changed["starts"], moved["starts"])
        cleared = self.ask("PUT", path + "/starts", {"starts": None}, "olga", gives="Tournament")
        self.assertIsNone(cleared.json["starts"])
        self.ask("POST", path + "/call-off", None, "olga")
        self.ask("PUT", path + "/starts", {"starts": after(3600)}, "olga", 409)

    def test_a_scheduled_tournament_starts_across_a_restart(self):
        path = self.make()
        self.enter(path, "pia", "stay-9")
        self.enter(path, "paul", "stay-8")
        self.ask("PUT", path + "/starts", {"starts": after(2)}, "olga")
        self.assertEqual(self.arena.stop(), 0)
        self.arena.start()
        found = self.wait_for(path, "over")
        self.assertLessEqual(found["starts"], found["started"])
        lonely = self.make(starts=after(1))
        until = time.monotonic() + WAIT
        while not (found := self.ask("GET", lonely, gives="Tournament").json)["start_problem"]:
            self.assertLess(time.monotonic(), until, found)
            time.sleep(0.05)  # between polls
        self.assertEqual((found["state"], found["starts"]), ("open", None))
        self.assertIn("at least two bots", found["start_problem"])

    # ---- whole tournaments ----

    def test_a_knockout_is_completed_across_a_restart(self):
        path = self.make(name="=Cup <b>")
        self.enter_all(path)
        # The best two can only meet in the final. Seeds are explicit: the ladder may rate all bots.
        order = [
            "pia/stay-9",
            "paul/stay-8",
            "pia/stay-3",
            "paul/stay-4",
            "pia/stay-5",
            "paul/stay-6",
            "pia/stay-7",
        ]
        self.ask("PUT", path + "/seeding", {"bots": order}, "olga")
        live = self.arena.connect()
        live.request("GET", path + "/live")
        events = live.getresponse()
        self.assertEqual(events.status, 200)
        self.ask("POST", path + "/start", None, "olga", gives="Tournament")
        while not events.readline().startswith(b"event: match"):
            pass
        live.close()
        self.enter(path, "pia", "stay-9", status=409)
        self.assertEqual(self.arena.stop(), 0)
        self.arena.start()
        found = self.wait_for(path, "over")
        self.assertIsNotNone(found["ended"])

        table = self.ask("GET", path + "/standings", gives="Standings").json
        self.assertTrue(table["finished"])
        self.assertEqual(table["matches"], 12)
        self.assertEqual(
            [(b["name"], b["place"]) for b in table["bots"][:2]],
            [("pia/stay-9", 1), ("paul/stay-8", 2)],
        )
        self.assertEqual([b["name"] for b in sorted(table["bots"], key=lambda b: b["bot"])], order)
        self.assertEqual(len([n for n in table["bracket"] if not n["bye"]]), 6)
        played = [
            self.ask("GET", f"/api/v1/matches/{row['id']}").json
            for row in self.ask("GET", found["links"]["matches"]).json["items"]
        ]
        for bot in table["bots"]:
            own = [
                figures
                for match in played
                for player, figures in zip(match["players"], match["verdict"]["players"])
                if f"{player['owner']}/{player['name']}" == bot["name"]
            ]
            self.assertEqual(len(own), bot["matches"])
            self.assertAlmostEqual(bot["wall_ms"], sum(one["wall_total_ms"] for one in own), 3)
            self.assertGreater(bot["wall_ms"], 0)
            self.assertEqual(bot["crashes"], sum(one["status"] == "crashed" for one in own))
            self.assertEqual(
                (bot["refused"], bot["timeouts"]),
                (sum(one["refused"] for one in own), sum(one["timeouts"] for one in own)),
            )
        csv = self.ask("GET", path + "/standings.csv")
        self.assertIn("attachment", csv.headers["Content-Disposition"])
        self.assertEqual(csv.body.decode().splitlines()[1].split(",")[:2], ["1", '"pia/stay-9"'])
        page = self.ask("GET", path + "/report.html")
        self.assertIn("inline", page.headers["Content-Disposition"])
        self.check_policy(page.headers["Content-Security-Policy"], page.body.decode())
        self.assertIn("=Cup &lt;b&gt;", page.body.decode())
        self.assertNotIn("=Cup <b>", page.body.decode())

    def check_policy(self, policy, page):
        """Fails unless the header allows only the page's own script and style, by their hashes."""
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        for kind, rule in (("script", "script-src"), ("style", "style-src")):
            texts = re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
            self.assertEqual(len(texts), 1)
            self.assertEqual(len(re.findall(f"<{kind}", page)), 1)
            digest = base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()
            self.assertEqual(rules[rule], f"'sha256-{digest}'")
        self.assertEqual(
            (rules["default-src"], rules["frame-ancestors"], rules["sandbox"]),
            ("'none'", "'none'", "allow-scripts"),
        )
        self.assertIsNone(re.search(r"\s(style|on\w+)=", page))  # the policy would block these

    def test_a_cancelled_tournament_plays_no_more_matches(self):
        path = self.make(format="round-robin", rounds=200)
        self.enter_all(path)
        self.ask("POST", path + "/start", None, "olga")
        self.ask("POST", path + "/call-off", None, "olga")
        self.assertEqual(self.ask("GET", path).json["state"], "called-off")
        self.ask("POST", path + "/start", None, "olga", 409)


if __name__ == "__main__":
    unittest.main()
