"""Matches over HTTP: play now, lists, verdicts, replays, standard error, live turns.

Also ladders and the queue.
"""

import base64
import contextlib
import io
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
import zlib

from conformance import Schemas
from matches_server import SKIRMISH, Arena

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from house import GAMES

CALM = """import sys
sys.stderr.write("SECRET of %s\\n")
sys.stderr.flush()
for line in sys.stdin:
    print('{"moves": []}', flush=True)
"""
SLOW = CALM.replace("    print", "    time.sleep(0.02)\n    print").replace(
    "import sys", "import sys, time"
)
CRASH = 'raise SystemExit("this one is broken")\n'


def draft(source):
    return {"language": "python", "source": source}


def archive(**files):
    """A draft in several Python files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as one:
        for name, source in files.items():
            one.writestr(name + ".py", source)
    return {"archive": base64.b64encode(packed.getvalue()).decode()}


class Matches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # All tests share an address, so its rate limit must be large enough for any order.
        cls.arena = Arena("--people-per-address", "20")
        calm = cls.arena.file("bot.py", CALM % "alice")
        os.mkdir(os.path.join(cls.arena.directory, "web"))
        cls.arena.file("web/index.html", "<html><head><title>x</title></head><body></body></html>")
        cls.arena.options += ("--web", os.path.join(cls.arena.directory, "web"))
        cls.arena.seed(
            "account",
            "alice",
            "0",
            "skt_alice",
            "account",
            "bob",
            "0",
            "skt_bob",
            "account",
            "olga",
            "1",
            "skt_olga",
            "bot",
            "alice",
            "planetwars",
            "calm",
            "python",
            calm,
        )
        cls.arena.start()
        cls.schemas = Schemas(cls.arena.get("/api/v1/openapi.json"))
        cls.arena.wait_ladder("planetwars", 3)

    @classmethod
    def tearDownClass(cls):
        try:
            status, left = cls.arena.stop()
            assert status == 0 and not left, (status, left)
        finally:
            cls.arena.close()

    def play(self, seats, token=None, status=201, **more):
        got, headers, body = self.arena.ask(
            "POST",
            "/api/v1/matches",
            dict(more, game=more.get("game", "planetwars"), seats=seats),
            token=token,
        )
        self.assertEqual(got, status, body)
        if status == 201:
            self.schemas.check("Match", body)
            self.assertEqual(headers["Location"], "/api/v1/matches/%d" % body["id"])
        return body

    # ---- play now ----

    def test_a_request_is_answered_before_the_match_is_played(self):
        match = self.play(
            [{"bot": "alice/calm"}, {"bot": "house/planetwars-medium"}],
            "skt_alice",
            seed=7,
            map="drift",
        )
        self.assertIn(match["state"], ("waiting", "playing", "over"))
        self.assertEqual((match["seed"], match["map"]), (7, "drift"))
        over = self.arena.wait_over(match["id"])
        self.schemas.check("Match", over)
        self.assertEqual(over["state"], "over")
        self.assertEqual([player["rank"] for player in over["players"]], [2, 1])
        self.assertEqual(over["verdict"]["reason"], over["reason"])
        self.assertEqual([player["name"] for player in over["verdict"]["players"]], ["", ""])
        self.assertEqual(over["players"][0]["owner"], "alice")

    def test_strangers_cannot_find_inactive_or_unknown_versions(self):
        version = self.arena.get("/api/v1/ladders/planetwars")["items"][0]["version"]
        self.play([{"version": version}, {"version": version}], "skt_alice")
        self.play([{"version": 999999}, {"version": version}], "skt_alice", 422)

    def test_code_that_crashes_loses_with_a_reason(self):
        match = self.play([draft(CRASH), {"bot": "house/planetwars-random"}], "skt_bob")
        over = self.arena.wait_over(match["id"])
        self.assertEqual([player["rank"] for player in over["players"]], [2, 1], over)
        self.assertEqual(over["players"][0]["status"], "crashed")
        self.assertIn("status 1", over["players"][0]["failure"])

    def test_a_traceback_names_the_line_of_the_bot(self):
        source = (
            "import json\n\ndef turn(text):\n    return json.loads(text + '{')\n\nturn(input())\n"
        )
        match = self.play([draft(source), {"bot": "house/planetwars-random"}], "skt_bob")["id"]
        self.arena.wait_over(match)
        status, _, said = self.arena.ask(
            "GET", "/api/v1/matches/%d/players/0/diagnostics" % match, token="skt_bob"
        )
        self.assertEqual(status, 200)
        self.schemas.check("MatchDiagnostics", said)
        self.assertIsNone(said["log"])
        self.assertEqual(
            [(one["file"], one["line"]) for one in said["diagnostics"]],
            [("main.py", 4)],
            said["stderr"],
        )
        self.assertIn("JSONDecodeError", said["diagnostics"][0]["message"])
        self.assertNotIn(self.arena.directory, said["stderr"])
        self.assertNotIn(
            "drafts",
            self.arena.ask("GET", "/api/v1/matches/%d/players/0/stderr" % match, token="skt_bob")[
                2
            ].decode(),
        )

    def test_bots_have_a_seed_that_repeats_with_the_seed_of_the_match(self):
        source = "import os\nraise SystemExit('seed ' + os.environ.get('SKIRMISH_SEED', 'none'))\n"
        said = []
        for seed in (7, 7, 8):
            match = self.play([draft(source), draft(source)], "skt_bob", seed=seed)["id"]
            self.arena.wait_over(match)
            path = "/api/v1/matches/%d/players/%d/stderr"
            for seat in (0, 1):
                text = self.arena.ask("GET", path % (match, seat), token="skt_bob")[2].decode()
                said.append(re.search(r"seed (\d+)", text)[1])
        self.assertEqual(said[:2], said[2:4])
        self.assertEqual(len(set(said)), 4, "the numbers of two seats or two matches are equal")

    def test_code_in_several_files_plays_and_its_errors_name_their_file(self):
        calm = archive(main="import helper\n", helper=CALM % "bob")
        match = self.play([calm, {"bot": "house/planetwars-random"}], "skt_bob")
        over = self.arena.wait_over(match["id"])
        self.assertEqual(
            (over["players"][0]["name"], over["players"][0]["status"]), ("draft", "ok")
        )
        broken = archive(main="import helper\n", helper="x = 1\nraise ValueError(x)\n")
        match = self.play([broken, {"bot": "house/planetwars-random"}], "skt_bob")["id"]
        self.arena.wait_over(match)
        said = self.arena.ask(
            "GET", "/api/v1/matches/%d/players/0/diagnostics" % match, token="skt_bob"
        )[2]
        self.assertEqual(
            [(one["file"], one["line"]) for one in said["diagnostics"]], [("helper.py", 2)], said
        )
        # A draft without a main file, and one that is too large, do not start.
        for bad in (archive(a="", b=""), archive(main="#" * (5 << 20))):
            match = self.play([bad, {"bot": "house/planetwars-random"}], "skt_bob")["id"]
            over = self.arena.wait_over(match)
            self.assertEqual(over["reason"], "did not start", over)

    def test_archives_of_code_are_limited(self):
        rival = {"bot": "house/planetwars-random"}
        for text in ("", "no base64", base64.b64encode(b"x" * (256 << 10) + b"x").decode()):
            self.play([{"archive": text}, rival], "skt_bob", 422)
        self.play([{"archive": base64.b64encode(b"x" * (65 << 10)).decode()}, rival], status=422)
        self.play([{**archive(main="pass"), **draft("pass")}, rival], "skt_bob", 422)

    def test_code_that_does_not_compile_forfeits(self):
        match = self.play(
            [
                {"language": "c", "source": "int main(void) { return x; }"},
                {"bot": "house/planetwars-random"},
            ],
            "skt_bob",
        )
        over = self.arena.wait_over(match["id"])
        self.assertEqual(
            (over["state"], over["reason"], over["replay"]), ("over", "did not start", False)
        )
        self.assertEqual([player["rank"] for player in over["players"]], [2, 1])
        self.assertEqual(self.arena.ask("GET", "/api/v1/matches/%d/replay" % match["id"])[0], 404)
        self.assertEqual(over["players"][0]["failure"], "could not be built")
        path = "/api/v1/matches/%d/players/0/diagnostics" % match["id"]
        for token in ("skt_alice", None):
            self.assertEqual(self.arena.ask("GET", path, token=token)[0], 404)
        status, _, said = self.arena.ask("GET", path, token="skt_bob")
        self.schemas.check("MatchDiagnostics", said)
        self.assertEqual((status, said["stderr"]), (200, None))
        self.assertIn("\nThe build exited with status 1.\n", said["log"])
        self.assertEqual(
            [(one["file"], one["line"], one["column"]) for one in said["diagnostics"]],
            [("main.c", 1, 25)],
        )
        self.assertIn("undeclared", said["diagnostics"][0]["message"])

    def test_invalid_matches_are_rejected_with_a_reason(self):
        one = {"bot": "house/planetwars-random"}
        for body, word in [
            ({}, "game"),
            ({"game": "chess", "seats": [one, one]}, "game"),
            ({"game": "planetwars"}, "seats"),
            ({"game": "planetwars", "seats": [one, {"bot": "nobody/here"}]}, "nobody/here"),
            (
                {"game": "planetwars", "seats": [one, {"bot": "house/aliens-medium"}]},
                "plays aliens",
            ),
            ({"game": "planetwars", "seats": [one, {}]}, "seat"),
            ({"game": "planetwars", "seats": [one, 5]}, "seat"),
            ({"game": "planetwars", "seats": [one, dict(one, version=1)]}, "seat"),
            ({"game": "planetwars", "seats": [one, one], "map": "atlantis"}, "atlantis"),
            ({"game": "planetwars", "seats": [one, one], "map": "generate:x"}, "seed"),
            ({"game": "planetwars", "seats": [one, one], "turn_time": 10**9}, "turn_time"),
            ({"game": "planetwars", "seats": [one, one], "what": 1}, "what"),
            ({"game": "planetwars", "seats": [one, one], "config": '{"nonsense": 1}'}, "nonsense"),
            ({"game": "planetwars", "seats": [one, {"language": "cobol", "source": "x"}]}, "cobol"),
            (
                {"game": "planetwars", "seats": [one, {"language": "python", "source": "a\0b"}]},
                "zero byte",
            ),
            (
                {
                    "game": "planetwars",
                    "seats": [one, {"language": "python", "source": "x" * (300 << 10)}],
                },
                "source",
            ),
        ]:
            status, headers, answer = self.arena.ask(
                "POST", "/api/v1/matches", body, token="skt_olga"
            )
            while status == 429:
                time.sleep(int(headers["Retry-After"]))
                status, headers, answer = self.arena.ask(
                    "POST", "/api/v1/matches", body, token="skt_olga"
                )
            self.assertEqual(status, 422, (body, answer))
            self.assertIn(word, answer["detail"])

    def test_an_open_match_requires_your_own_bots(self):
        self.play([{"bot": "alice/calm"}, draft(CALM % "bob")], "skt_bob", 422, open=True)

    # ---- who may read what ----

    def test_standard_error_is_for_its_owner_and_organisers(self):
        match = self.play(
            [{"bot": "alice/calm"}, draft(CALM % "bob")], "skt_bob", config='{"max_turns": 3}'
        )["id"]
        self.arena.wait_over(match)
        path = "/api/v1/matches/%d/players/%d/stderr"
        for token, may in [
            ("skt_alice", (True, False)),
            ("skt_bob", (False, True)),
            ("skt_olga", (True, True)),
            (None, (False, False)),
        ]:
            for seat in (0, 1):
                status, _, text = self.arena.ask("GET", path % (match, seat), token=token)
                self.assertEqual(status, 200 if may[seat] else 404, (token, seat, text))
                if may[seat]:
                    self.assertEqual(text.decode(), "SECRET of %s\n" % ("alice", "bob")[seat])
            self.check_replay(match, token, may)

    def check_replay(self, match, token, may):
        status, headers, replay = self.arena.ask(
            "GET", "/api/v1/matches/%d/replay" % match, token=token
        )
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertIn("match-%d.skr" % match, headers["Content-Disposition"])
        again = self.arena.ask(
            "GET",
            "/api/v1/matches/%d/replay" % match,
            token=token,
            headers={"If-None-Match": headers["ETag"]},
        )
        self.assertEqual(again[0], 304)
        with tempfile.NamedTemporaryFile(suffix=".skr") as file:
            file.write(replay)
            file.flush()
            subprocess.run(
                [SKIRMISH, "replay", "verify", file.name], check=True, capture_output=True
            )
            said = subprocess.run(
                [SKIRMISH, "replay", "export", file.name],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        self.assertEqual(("SECRET of alice" in said, "SECRET of bob" in said), may, token)

    def test_a_visitor_plays_and_reads_their_own_standard_error_by_key(self):
        match = self.play([draft(CALM % "visitor"), {"bot": "house/planetwars-medium"}])
        self.arena.wait_over(match["id"])
        path = "/api/v1/matches/%d/players/0/stderr" % match["id"]
        self.assertEqual(self.arena.ask("GET", path)[0], 404)
        self.assertEqual(self.arena.ask("GET", path + "?key=" + "0" * 32)[0], 404)
        status, _, text = self.arena.ask("GET", path + "?key=" + match["key"])
        self.assertEqual((status, text), (200, b"SECRET of visitor\n"))
        other = "/api/v1/matches/%d/players/1/stderr?key=%s" % (match["id"], match["key"])
        self.assertEqual(self.arena.ask("GET", other)[0], 404)
        self.play([{"bot": "house/planetwars-medium"}, draft("x")], status=422, config="{}")

    # ---- previews ----

    def picture(self, match):
        """The palette index of every pixel of the picture of a match."""
        status, headers, image = self.arena.ask("GET", "/api/v1/matches/%d/picture" % match)
        self.assertEqual((status, headers["Content-Type"]), (200, "image/png"))
        chunks = {}
        at = 8
        while at < len(image):
            length, name = struct.unpack(">I4s", image[at : at + 8])
            content = image[at + 8 : at + 8 + length]
            (sum,) = struct.unpack(">I", image[at + 8 + length : at + 12 + length])
            self.assertEqual(zlib.crc32(name + content), sum)
            chunks[name] = content
            at += 12 + length
        self.assertEqual((image[:8], at), (b"\x89PNG\r\n\x1a\n", len(image)))
        self.assertEqual(struct.unpack(">IIBBBBB", chunks[b"IHDR"]), (1200, 630, 8, 3, 0, 0, 0))
        rows = zlib.decompress(chunks[b"IDAT"])
        self.assertEqual(len(rows), 1201 * 630)
        self.assertEqual(set(rows[::1201]), {0}, "no filters")
        self.assertLess(max(rows), len(chunks[b"PLTE"]) // 3)
        again = self.arena.ask(
            "GET",
            "/api/v1/matches/%d/picture" % match,
            headers={"If-None-Match": headers["ETag"]},
        )
        self.assertEqual(again[0], 304)
        return rows

    def test_a_link_to_a_match_has_a_title_a_sentence_and_a_picture(self):
        first = 5  # the palette index of player 1
        for game in [one["name"] for one in self.arena.get("/api/v1/games")["items"]]:
            with self.subTest(game):
                bots = self.arena.get("/api/v1/bots?owner=house&game=" + game)["items"]
                random = game + "-random"
                names = [max(bot["name"] for bot in bots if bot["name"] != random), random]
                seats = [{"bot": "house/" + name} for name in names]
                match = self.play(seats, game=game)["id"]
                row = self.arena.wait_over(match)
                winners = [i for i in (0, 1) if row["players"][i]["rank"] == 1]
                rows = self.picture(match)
                # Every winner is on the board, in its colour.
                for winner in winners:
                    self.assertGreater(rows.count(first + winner), 100, names[winner])
                status, _, page = self.arena.ask("GET", "/matches/%d" % match)
                self.assertEqual(status, 200)
                head, body = page.decode().split("</head>")
                self.assertEqual(body, "<body></body></html>")
                self.assertIn('"og:title" content="%s vs %s"' % tuple(names), head)
                if len(winners) == 1:
                    ending = "%s won after %d turn" % (names[winners[0]], row["turns"])
                    self.assertIn(": " + ending, head)
                address = "http://127.0.0.1:%d/api/v1/matches/%d/picture" % (self.arena.port, match)
                self.assertIn('"og:image" content="%s"' % address, head)
        self.check_picture_address(match)
        evil = {"Host": 'x"><script>'}
        self.assertEqual(self.arena.ask("GET", "/matches/%d" % match, headers=evil)[0], 400)
        self.assertEqual(self.arena.ask("GET", "/api/v1/matches/999999/picture")[0], 404)
        for path in ("/matches", "/matches/999999", "/matches/x/y"):
            self.assertNotIn(b"og:", self.arena.ask("GET", path)[2])

    def check_picture_address(self, match):
        """The address has the host of the request, if that is safe in an address."""
        for host, is_safe in (
            ("arena.localhost:8080", True),
            ("[::1]:80", True),
            ("x%22%3e.localhost", False),
            ("a~b.localhost", False),
            ("x" * 250 + ".localhost", False),
        ):
            status, _, page = self.arena.ask("GET", "/matches/%d" % match, headers={"Host": host})
            self.assertEqual((status, host in page.decode()), (200, is_safe), host)
            self.assertEqual("og:image" in page.decode(), is_safe, host)

    # ---- lists ----

    def ladder_matches(self, limit, enough):
        """Returns a page of ladder matches once there are enough. The ladder never pauses."""
        path = "/api/v1/matches?game=planetwars&kind=ladder&limit=%d"
        self.arena.wait(lambda: enough(self.arena.get(path % 200)["items"]))
        return self.arena.get(path % limit)

    def test_cursors_list_every_match_once(self):
        whole = self.ladder_matches(9, lambda items: len(items) >= 13)
        self.schemas.check("Matches", whole)
        first = self.arena.get(
            "/api/v1/matches?game=planetwars&kind=ladder&limit=4&cursor=" + whole["next"]
        )
        self.assertEqual(len(first["items"]), 4)
        self.assertLess(first["items"][0]["id"], whole["items"][-1]["id"])
        for path in (
            "",
            "?bot=alice/calm",
            "?person=alice",
            "?state=playing",
            "?tournament=1",
            "?kind=ladder&state=over",
        ):
            self.schemas.check("Matches", self.arena.get("/api/v1/matches" + path))
        for path, status in (
            ("?game=chess", 404),
            ("?bot=nobody/x", 404),
            ("?person=nobody", 404),
            ("?cursor=zz", 400),
            ("?kind=duel", 422),
            ("?state=asleep", 422),
            ("?game=planetwars&bot=nobody/x", 404),
            ("/999999", 404),
            ("/x", 404),
        ):
            self.assertIn(self.arena.ask("GET", "/api/v1/matches" + path)[0], (status, 400), path)

    def test_filters_of_matches_can_be_combined(self):
        match = self.play(
            [{"bot": "alice/calm"}, {"bot": "house/planetwars-random"}],
            "skt_alice",
            config='{"max_turns": 2}',
        )["id"]
        self.arena.wait_over(match)
        ids = lambda query: [
            row["id"] for row in self.arena.get("/api/v1/matches?limit=200&" + query)["items"]
        ]  # noqa: E731
        for query in (
            "bot=alice/calm&kind=play_now",
            "person=alice&state=over&game=planetwars",
            "kind=play_now&bot=alice/calm&person=alice",
            "bot=alice/calm&state=over",
        ):
            self.assertIn(match, ids(query), query)
        for query in (
            "bot=alice/calm&kind=ladder",
            "person=alice&state=waiting",
            "game=aliens&person=alice",
            "bot=alice/calm&tournament=1",
            "person=bob&bot=alice/calm",
            "game=planetwars&state=playing",
        ):
            self.assertNotIn(match, ids(query), query)
        for row in self.arena.get("/api/v1/matches?bot=alice/calm&kind=ladder")["items"]:
            self.assertEqual(
                (row["kind"], "calm" in [player["name"] for player in row["players"]]),
                ("ladder", True),
            )

    def test_games_and_the_queue_match_their_schemas(self):
        games = self.arena.get("/api/v1/games")
        self.schemas.check("Games", games)
        self.assertEqual([game["name"] for game in games["items"]], GAMES)
        self.schemas.check("Queue", self.arena.get("/api/v1/queue"))
        name, size = self.arena.watch("/api/v1/queue/live", until="size")[0][1:]
        self.assertEqual(name, "size")
        self.schemas.check("Queue", size)

    # ---- live ----

    def test_a_match_streams_its_turns_from_the_beginning(self):
        match = self.play([draft(SLOW % "x"), {"bot": "house/planetwars-medium"}], "skt_alice")[
            "id"
        ]
        events = self.arena.watch("/api/v1/matches/%d/live" % match)
        names = [event for _, event, _ in events]
        self.assertEqual((names[0], names[-1], set(names[1:-1])), ("start", "end", {"turn"}))
        self.assertEqual([number for number, _, _ in events], list(range(1, len(events) + 1)))
        self.assertEqual(
            [data["turn"] for _, event, data in events if event == "turn"],
            list(range(1, len(names) - 1)),
        )
        self.assertEqual(events[0][2]["players"][1]["name"], "planetwars-medium")
        self.assertNotIn("SECRET", str(events))
        self.assertEqual(events[-1][2], self.arena.get("/api/v1/matches/%d" % match)["verdict"])
        late = self.arena.watch(
            "/api/v1/matches/%d/live" % match, headers={"Last-Event-ID": str(events[-3][0])}
        )
        self.assertEqual(late, events[-2:])

    def test_a_match_can_be_watched_from_now_on(self):
        # From its third turn on, the bot waits for a spectator.
        go = os.path.join(self.arena.directory, "go")
        waits = (
            "for i, line in enumerate(sys.stdin):\n"
            "    while i > 2 and not os.path.exists(%r):\n        time.sleep(0.01)\n" % go
        )
        source = (
            (SLOW % "x")
            .replace("for line in sys.stdin:\n", waits)
            .replace("import sys", "import os, sys")
        )
        match = self.play([draft(source), {"bot": "house/planetwars-medium"}], "skt_alice")["id"]
        self.arena.watch("/api/v1/matches/%d/live" % match, until="turn")
        events = self.arena.watch(
            "/api/v1/matches/%d/live?from=now" % match, began=lambda: self.arena.file("go", "")
        )
        self.assertEqual(events[-1][1], "end")
        self.assertNotIn("start", [event for _, event, _ in events])

    def test_the_start_and_the_end_of_a_match_are_announced(self):
        requested = []

        def news():
            """Requests a match once the stream is open; returns the events up to its end."""
            return self.arena.watch(
                "/api/v1/activity/live",
                until=lambda event, data: event == "matches"
                and any(
                    item["id"] in requested and item["state"] == "over" for item in data["items"]
                ),
                began=lambda: requested.append(
                    self.play([draft(CRASH), {"bot": "alice/calm"}], "skt_alice")["id"]
                ),
            )

        events = news()
        for _, name, data in events:
            self.schemas.check("Activity" + name.capitalize(), data)
        states = [
            item
            for _, name, data in events
            if name == "matches"
            for item in data["items"]
            if item["id"] == requested[0]
        ]
        self.assertEqual([item["state"] for item in states], ["playing", "over"])
        played = self.arena.get("/api/v1/matches/%d" % requested[0])["players"]
        for shown, stored in zip(states[1]["players"], played):
            self.assertEqual(shown, {name: stored[name] for name in shown})
        self.assertEqual([shown["owner"] for shown in states[1]["players"]], [None, "alice"])
        self.assertNotIn(states[1]["players"][0]["status"], ("ok", None))

    def test_a_viewer_that_does_not_read_delays_nobody(self):
        match = self.play([draft(SLOW % "x"), {"bot": "house/planetwars-medium"}], "skt_alice")[
            "id"
        ]
        lazy = [self.arena.raw_socket("/api/v1/matches/%d/live" % match, 1024) for _ in range(10)]
        try:
            self.assertEqual(self.arena.watch("/api/v1/matches/%d/live" % match)[-1][1], "end")
        finally:
            for viewer in lazy:
                viewer.close()

    # ---- ladders ----

    def test_the_ladder_ranks_bots_and_keeps_their_history(self):
        self.arena.wait(lambda: self.arena.get("/api/v1/ladders/planetwars")["items"][0]["matches"])
        status, headers, ladder = self.arena.ask("GET", "/api/v1/ladders/planetwars")
        self.schemas.check("Ladder", ladder)
        self.assertEqual(
            [row["rank"] for row in ladder["items"]], list(range(1, len(ladder["items"]) + 1))
        )
        ratings = [row["rating"] for row in ladder["items"]]
        self.assertEqual(ratings, sorted(ratings, reverse=True))
        row = ladder["items"][0]
        self.assertEqual(row["won"] + row["drawn"] + row["lost"], row["matches"])
        self.assertIn("ETag", headers)
        history = self.arena.get(
            "/api/v1/ladders/planetwars/bots/%s/%s" % (row["owner"], row["bot"])
        )
        self.schemas.check("LadderHistory", history)
        self.assertGreaterEqual(len(history["items"]), 1)
        self.assertEqual(self.arena.ask("GET", "/api/v1/ladders/chess")[0], 404)
        self.assertEqual(
            self.arena.ask("GET", "/api/v1/ladders/aliens/bots/%s/%s" % (row["owner"], row["bot"]))[
                0
            ],
            404,
        )

    def test_records_count_all_matches_between_two_bots(self):
        path = "/api/v1/bots/alice/calm/opponents"
        self.arena.wait(lambda: self.arena.get(path)["items"])
        opponents = self.arena.get(path)
        self.schemas.check("Opponents", opponents)
        counts = [row["matches"] for row in opponents["items"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        row = opponents["items"][0]
        rival = "%s/%s" % (row["owner"], row["name"])
        between = self.arena.get("/api/v1/matches?bot=alice/calm&opponent=%s" % rival)
        self.schemas.check("Matches", between)
        for match in between["items"]:
            names = {"%s/%s" % (one["owner"], one["name"]) for one in match["players"]}
            self.assertEqual(names, {"alice/calm", rival})
        pair = self.arena.get("%s/%s" % (path, rival))
        self.schemas.check("Opponent", pair)
        self.assertEqual(pair["won"] + pair["drawn"] + pair["lost"], pair["matches"])
        self.assertGreaterEqual(pair["matches"], row["matches"])
        self.assertEqual(self.arena.ask("GET", path + "/house/nobody")[0], 404)

    def test_a_profile_has_achievements_and_the_matches_of_all_bots(self):
        found = self.arena.get("/api/v1/people/alice/achievements")
        self.schemas.check("Achievements", found)
        self.assertIn("planetwars-medium", [one["house_bot"] for one in found["house_bots"]], found)
        self.assertEqual(self.arena.ask("GET", "/api/v1/people/nobody/achievements")[0], 404)
        self.arena.wait(lambda: self.arena.get("/api/v1/matches?owner=alice")["items"])
        for match in self.arena.get("/api/v1/matches?owner=alice")["items"]:
            self.assertIn("alice", [player["owner"] for player in match["players"]])

    def test_seats_are_swapped_on_the_ladder(self):
        def pairs(rows):
            by_seed = {}
            for row in rows:
                by_seed.setdefault(row["seed"], []).append(
                    [player["version"] for player in row["players"]]
                )
            return [seats for seats in by_seed.values() if len(seats) == 2]

        for one, other in pairs(self.ladder_matches(200, pairs)["items"]):
            self.assertEqual(one, other[::-1])


class Keeping(unittest.TestCase):
    def test_replays_are_kept_as_long_as_the_operator_says(self):
        arena = Arena()
        self.addCleanup(arena.close)
        arena.start()
        matches = arena.wait(
            lambda: (lambda rows: len(rows) > 1 and [row["id"] for row in rows])(
                arena.get("/api/v1/matches?state=over&game=aliens")["items"]
            )
        )
        # Without a ladder, nothing will rate these matches after the restart.
        arena.wait(lambda: arena.get("/api/v1/ladders/aliens")["items"])
        self.assertEqual(arena.stop(), (0, []))
        with contextlib.closing(sqlite3.connect(os.path.join(arena.data, "arena.db"))) as database:
            day = 86400000
            database.execute("UPDATE matches SET ended = ended - ?", (2 * day,))
            database.execute(
                "UPDATE matches SET ended = ended + ? WHERE id = ?", (day * 3 // 2, matches[1])
            )
            database.commit()
        arena.options += ("--ladder", "off", "--keep-days", "1")
        arena.start()
        gone = arena.wait(
            lambda: (lambda row: not row["replay"] and row)(
                arena.get("/api/v1/matches/%d" % matches[0])
            )
        )
        self.assertEqual((gone["state"], gone["verdict"]["turns"]), ("over", gone["turns"]))
        status, _, problem = arena.ask("GET", "/api/v1/matches/%d/replay" % matches[0])
        self.assertEqual(
            (status, problem["detail"]),
            (
                404,
                "Match %d no longer has a replay; this arena deletes old replays." % matches[0],
            ),
        )
        self.assertEqual(arena.ask("GET", "/api/v1/matches/%d/replay" % matches[1])[0], 200)
        self.assertGreater(arena.get("/api/v1/ladders/aliens")["items"][0]["matches"], 0)


if __name__ == "__main__":
    unittest.main()
