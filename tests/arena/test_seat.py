"""People play matches over HTTP, with or without an account.

They leave, answer late or never, and continue recorded matches from any turn.
"""

import base64
import contextlib
import glob
import http.client
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
import unittest

from conformance import Schemas
from matches_server import SKIRMISH, Arena

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from house import BETTER, quiet

# For each game: the end of a view, and an answer without orders.
EMPTY = {game: quiet(game) for game in BETTER}
SENDERS = 5  # accounts that send invalid requests in turn, because each has a rate limit
PEOPLE = 4  # concurrent matches with people, besides one runner for other matches
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # starts the compressed part of a replay
SECRET = """import sys
for line in sys.stdin:
    print('SECRET', file=sys.stderr, flush=True)
    print('[]', flush=True)
"""


def number(value):
    """A number as replays store it: seven bits per byte, the lowest bits first."""
    text = b""
    while value >= 128:
        text += bytes([value & 127 | 128])
        value >>= 7
    return text + bytes([value])


def record(kind, content):
    return kind + number(len(content)) + content


class Person:
    """A player who gives no orders by default."""

    def __init__(self, test, match_request, token=None):
        status, headers, body = test.post("/api/v1/join", match_request, token)
        test.assertEqual(status, 201, body)
        test.schemas.check("Joined", body)
        self.test, self.arena, self.token = test, test.arena, token
        self.joined, self.seat, self.match, self.game = (
            body,
            body["seat"],
            body["match"],
            body["game"],
        )
        test.assertEqual(headers["Location"], f"/api/v1/matches/{self.match}")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.arena.port, timeout=60)
        self.connection.request("GET", f"/api/v1/join/{self.seat}/events", headers=self.headers())
        self.stream = self.connection.getresponse()
        test.assertEqual(self.stream.status, 200)
        self.run, self.sent, self.views = 0, 0, 0

    def headers(self):
        return {"Authorization": "Bearer " + self.token} if self.token else {}

    def events(self):
        name = None
        for raw in self.stream:
            field, _, value = raw.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                yield name, json.loads(value)

    def say(self, text, status=204):
        path = f"/api/v1/join/{self.seat}/answers?run={self.run}&at={self.sent}"
        got = self.arena.ask(
            "POST",
            path,
            text,
            headers={"Content-Type": "application/octet-stream"},
            token=self.token,
        )[0]
        self.test.assertIn(got, (status, 409))  # the match may have ended meanwhile
        self.sent += len(text) if got == 204 else 0

    def next_view(self):
        """Waits for a whole view; None at the end of the match."""
        ending, _ = EMPTY[self.game]
        text = b""
        for name, data in self.events():
            if name == "start":
                self.run, self.sent, text = data["run"], 0, b""
                if self.game == "footsoldiers":
                    self.say(b"Ready\n")
            elif name == "view":
                text += base64.b64decode(data["bytes"])
                if text == b"Who are you?\n":
                    self.say(b"crayfish\n")
                    text = b""
                elif text.endswith(ending):
                    self.views += 1
                    return text
            elif name == "end":
                self.ended = data
                self.connection.close()
                return None
        raise AssertionError("the stream ended without the event end")

    def play_on(self):
        """Plays to the end; returns the match."""
        while self.next_view() is not None:
            self.say(EMPTY[self.game][1])
        self.test.assertEqual(self.ended, {"match": self.match, "state": "over"})
        return self.arena.wait_over(self.match)

    def leave(self):
        status = self.arena.ask("DELETE", f"/api/v1/join/{self.seat}", token=self.token)[0]
        self.test.assertIn(status, (204, 404))
        self.connection.close()


class Seat(unittest.TestCase):
    requests = 0
    large = None  # see large_replay

    @classmethod
    def setUpClass(cls):
        cls.arena = Arena(
            *("--jobs", "1", "--ladder", "off", "--proxies", "127.0.0.1"),
            # room for a replay that is too large to continue from
            *("--replay-max", str(128 << 20)),
        )
        cls.addClassCleanup(cls.arena.close)
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
            "erin",
            "0",
            "skt_erin",
        )
        for i in range(SENDERS):
            cls.arena.seed("account", f"carol{i}", "0", f"skt_carol{i}")
        for i in range(PEOPLE + 1):
            cls.arena.seed("account", f"dave{i}", "0", f"skt_dave{i}")
        cls.arena.start()
        cls.schemas = Schemas(cls.arena.get("/api/v1/openapi.json"))
        cls.arena.wait(
            lambda: all(
                len(cls.arena.get(f"/api/v1/bots?owner=house&game={game}")["items"]) == 2
                for game in EMPTY
            )
        )

    @classmethod
    def tearDownClass(cls):
        status, left = cls.arena.stop()
        assert status == 0 and not left, (status, left)
        assert os.listdir(os.path.join(cls.arena.data, "run")) == [], "sockets are left"

    def post(self, path, body, token=None):
        """Sends each request from a new address; waits when an account reaches its rate limit."""
        while True:
            Seat.requests += 1
            address = {"X-Forwarded-For": f"10.0.{Seat.requests // 250}.{Seat.requests % 250 + 1}"}
            status, headers, answer = self.arena.ask(
                "POST", path, body, token=token, headers=address
            )
            if status != 429:
                return status, headers, answer
            time.sleep(int(headers["Retry-After"]))

    def sit(self, token="skt_alice", **match_request):
        person = Person(
            self,
            dict(
                {
                    "game": "aliens",
                    "person": True,
                    "opponents": [f"house/{match_request.get('game', 'aliens')}-random"],
                },
                **match_request,
            ),
            token,
        )
        self.addCleanup(person.leave)
        return person

    def assert_rejected(self, match_request, status, sentence, token="", path="/api/v1/join"):
        token = f"skt_carol{Seat.requests % SENDERS}" if token == "" else token
        got, _, body = self.post(path, match_request, token)
        self.assertEqual(got, status, body)
        self.assertIn(sentence.lower(), body["detail"].lower())

    def replay(self, match):
        path = os.path.join(self.arena.directory, f"{match}.skr")
        with open(path, "wb") as file:
            file.write(self.arena.get(f"/api/v1/matches/{match}/replay"))
        return path

    def skirmish(self, *arguments):
        return subprocess.run(
            [SKIRMISH, *arguments], capture_output=True, text=True, check=True, timeout=60
        ).stdout

    def digests(self, match):
        """Verifies the replay; returns the digest of every turn."""
        path = self.replay(match)
        self.skirmish("replay", "verify", path)
        return [
            json.loads(line)["digest"]
            for line in self.skirmish("replay", "export", path).splitlines()
        ]

    def recorded(self, longer_than=0, **more):
        """A finished match between bots.

        House bots are random, so matches are played until one is long enough.
        """
        match_request = dict(
            {
                "game": "aliens",
                "seed": 9,
                "seats": [{"bot": "house/aliens-medium"}, {"bot": "house/aliens-random"}],
            },
            **more,
        )
        status, _, body = self.post("/api/v1/matches", match_request, "skt_bob")
        self.assertEqual(status, 201, body)
        over = self.arena.wait_over(body["id"])
        return over if over["turns"] > longer_than else self.recorded(longer_than, **more)

    # ---- playing ----

    def test_a_person_plays_every_game_to_its_end(self):
        for game in EMPTY:
            with self.subTest(game):
                person = self.sit(game=game, seat=1, seed=3)
                over = person.play_on()
                self.schemas.check("Match", over)
                self.assertEqual(
                    [player["name"] for player in over["players"]],
                    [f"{game}-random", "alice (in person)"],
                )
                self.assertEqual([player["failure"] for player in over["players"]], [None, None])
                self.assertEqual((over["kind"], over["seed"]), ("play_now", 3))
                self.assertEqual(len(self.digests(person.match)), over["turns"])
                head = json.loads(
                    self.skirmish("replay", "info", self.replay(person.match)).splitlines()[0]
                )
                self.assertEqual(
                    [player.get("person_ms") for player in head["players"]], [None, 60000]
                )

    def test_the_secret_of_a_seat_identifies_a_visitor(self):
        person = self.sit(token=None, seat=0, opponents=[{"language": "python", "source": SECRET}])
        self.assertEqual([one["name"] for one in person.joined["players"]], ["visitor", "draft"])
        self.assertEqual([one["joined"] for one in person.joined["players"]], [True, False])
        person.next_view()
        self.assertEqual(
            self.arena.ask("POST", "/api/v1/join/" + "A" * 32 + "/answers", b"")[0], 404
        )
        person.say(b"[]\n")
        over = person.play_on()
        self.assertEqual(over["players"][0]["failure"], None)
        path = f"/api/v1/matches/{person.match}/players/1/stderr"
        self.assertEqual(self.arena.ask("GET", path)[0], 404)
        self.assertIn(b"SECRET", self.arena.get(path + "?key=" + person.joined["key"]))

    def test_visitors_play_only_in_person_and_within_limits(self):
        self.assert_rejected({"game": "aliens"}, 401, "log in to", token=None)
        self.assert_rejected({"game": "aliens", "person": False}, 401, "log in to", token=None)
        self.assert_rejected(
            {"game": "aliens", "person": True, "config": "{}"}, 422, "log in to", token=None
        )
        self.assert_rejected(
            {"game": "planetwars", "person": True, "opponents": ["house/planetwars-random"] * 4},
            422,
            "at most 4 players",
            token=None,
        )

    def test_the_seat_of_an_account_needs_more_than_the_secret(self):
        person = self.sit()
        for token in (None, "skt_bob"):
            self.assertEqual(
                self.arena.ask("POST", f"/api/v1/join/{person.seat}/answers", b"", token=token)[0],
                404,
            )

    def test_a_player_who_leaves_loses(self):
        # This game continues without orders; in the others, leaving forfeits.
        plays_on = {"planetwars": "elimination"}
        for game in EMPTY:
            reason = plays_on.get(game, "left")
            with self.subTest(game):
                person = self.sit(game=game, seat=0, opponents=[f"house/{game}-{BETTER[game]}"])
                person.next_view()
                person.say(EMPTY[game][1])
                person.next_view()
                person.leave()
                over = self.arena.wait_over(person.match)
                self.schemas.check("Match", over)
                self.assertEqual([player["rank"] for player in over["players"]], [2, 1])
                self.assertEqual([player["status"] for player in over["players"]], ["left", "ok"])
                self.assertEqual(over["players"][0]["failure"], "left in turn 2")
                self.assertIn(over["reason"], (reason, "turn limit"))
                self.assertEqual(
                    over["verdict"]["players"][0]["restarts"], 0
                )  # the match does not wait for them
                path = self.replay(person.match)
                self.skirmish("replay", "verify", path)
                kinds = [
                    json.loads(line)["players"][0]["kind"]
                    for line in self.skirmish("replay", "export", path).splitlines()
                ]
                self.assertEqual(kinds[:2], ["answer", "left"])
                self.assertLessEqual(set(kinds[2:]), {"left", "not asked"})

    def test_a_person_has_more_time_than_a_bot(self):
        person = self.sit(game="footsoldiers", seat=1, turn_time=30000)
        person.next_view()
        time.sleep(1.5)  # a bot has one second; this person thinks
        person.say(b"No-op\n")
        self.assertIsNotNone(person.next_view())
        person.leave()
        over = self.arena.wait_over(person.match)
        self.assertEqual(over["verdict"]["players"][1]["timeouts"], 0)
        self.assertGreater(over["verdict"]["players"][1]["wall_longest_ms"], 1400)

    def test_bots_keep_the_time_limits_of_the_game(self):
        slow = "import sys, time\nfor line in sys.stdin:\n    time.sleep(60)\n"
        person = self.sit(seat=0, opponents=[{"language": "python", "source": slow}])
        over = person.play_on()
        self.assertEqual(over["players"][1]["status"], "timeout")
        self.assertIn("timed out after", over["players"][1]["failure"])

    def test_a_player_who_stops_responding_loses_and_the_match_ends(self):
        # In Planet Wars a missed turn is only a turn without orders; a match can take 200 turns.
        person = self.sit(game="planetwars", seat=0, turn_time=1000)
        began = time.monotonic()
        person.next_view()
        over = self.arena.wait_over(person.match)
        self.assertLess(time.monotonic() - began, 30)
        self.assertGreaterEqual(over["verdict"]["players"][0]["timeouts"], 1)
        self.assertEqual((over["players"][0]["rank"], over["players"][0]["status"]), (2, "left"))

    def test_people_delay_nobody_and_their_number_is_limited(self):
        people = [self.sit(token=f"skt_dave{i}", seat=0) for i in range(PEOPLE + 1)]
        for person in people[:PEOPLE]:
            person.next_view()
        waits = self.arena.get(f"/api/v1/matches/{people[PEOPLE].match}")
        self.assertEqual((waits["state"], waits["ahead"]), ("waiting", 0))
        self.assertEqual(self.recorded()["state"], "over")
        people[0].leave()
        self.assertIsNotNone(people[PEOPLE].next_view())

    def test_seats_per_person_are_limited(self):
        match_request = {"game": "aliens", "person": True}
        for token, address, sentence in (
            ("skt_erin", "10.9.0.1", "you already hold 2 seats"),
            (None, "10.9.0.2", "visitors from your address already hold 2 seats"),
        ):
            with self.subTest(token):
                held = []
                for _ in range(2):
                    status, _, body = self.arena.ask(
                        "POST",
                        "/api/v1/join",
                        match_request,
                        token=token,
                        headers={"X-Forwarded-For": address},
                    )
                    self.assertEqual(status, 201, body)
                    held.append(body)
                    self.addCleanup(
                        self.arena.ask, "DELETE", "/api/v1/join/" + body["seat"], token=token
                    )
                status, headers, body = self.arena.ask(
                    "POST",
                    "/api/v1/join",
                    match_request,
                    token=token,
                    headers={"X-Forwarded-For": address},
                )
                self.assertEqual(
                    (status, headers["Content-Type"]), (429, "application/problem+json"), body
                )
                self.assertGreater(int(headers["Retry-After"]), 0)
                self.assertIn(sentence.lower(), body["detail"].lower())
                self.schemas.check("Problem", body)
                # Other people can still play, and so can this person once a match has ended.
                other = self.sit(token=None) if token is None else self.sit(token="skt_dave0")
                other.leave()
                self.assertEqual(
                    self.arena.ask("DELETE", "/api/v1/join/" + held[0]["seat"], token=token)[0], 204
                )
                self.arena.wait(
                    lambda match=held[0]["match"]: self.arena.get(f"/api/v1/matches/{match}")[
                        "state"
                    ]
                    in ("over", "called_off")
                )
                self.arena.wait(lambda: self.take_another(match_request, token, address))

    def take_another(self, match_request, token, address):
        status, _, body = self.arena.ask(
            "POST", "/api/v1/join", match_request, token=token, headers={"X-Forwarded-For": address}
        )
        if status == 201:
            self.addCleanup(self.arena.ask, "DELETE", "/api/v1/join/" + body["seat"], token=token)
        return status == 201

    def test_invalid_requests_are_rejected_with_a_reason(self):
        match_request = {"game": "aliens", "person": True}
        self.assert_rejected(dict(match_request, turn_time=999), 422, "turn_time")
        self.assert_rejected(dict(match_request, turn_time=600001), 422, "turn_time")
        self.assert_rejected(dict(match_request, seat=2), 422, "seat")
        self.assert_rejected(
            dict(match_request, opponents=["house/aliens-random"] * 2), 422, "at most 2 players"
        )
        self.assert_rejected(
            dict(match_request, opponents=[{"bot": "house/ctf-random"}]),
            422,
            "plays ctf, not aliens",
        )
        self.assert_rejected(dict(match_request, map="nowhere"), 422, 'Unknown map "nowhere"')

    # ---- playing from a recorded match ----

    def test_a_person_takes_over_a_seat_of_a_recorded_match(self):
        for game, bot in (
            ("aliens", "medium"),
            ("underworld", "medium"),
            ("footsoldiers", "medium"),
        ):
            with self.subTest(game):
                turn = 5
                old = self.recorded(
                    turn,
                    game=game,
                    seats=[{"bot": f"house/{game}-{bot}"}, {"bot": f"house/{game}-random"}],
                )
                person = Person(
                    self,
                    {"person": True, "seat": 0, "from": {"match": old["id"], "turn": turn}},
                    "skt_alice",
                )
                over = person.play_on()
                self.assertEqual(
                    (over["game"], over["seed"], over["map"]), (game, old["seed"], old["map"])
                )
                self.assertEqual(
                    [player["name"] for player in over["players"]],
                    ["alice (in person)", f"{game}-random"],
                )
                self.assertEqual(over["players"][1]["version"], old["players"][1]["version"])
                before, after = self.digests(old["id"]), self.digests(over["id"])
                self.assertEqual(before[:turn], after[:turn])
                self.assertNotEqual(before[turn:], after[turn:])
                if game != "underworld":  # in which the last message looks like a view
                    self.assertEqual(person.views, over["turns"] - turn)
                # The match may end in the first turn after the recorded ones.
                later = min(turn + 1, over["turns"] - 1)
                status, _, body = self.post(
                    "/api/v1/matches",
                    {
                        "from": {"match": over["id"], "turn": later},
                        "seats": [{"bot": f"house/{game}-{bot}"}] * 2,
                    },
                    "skt_alice",
                )
                self.assertEqual(status, 201, body)
                third = self.arena.wait_over(body["id"])
                self.assertEqual(self.digests(third["id"])[:later], after[:later])

    def test_bots_continue_a_recorded_match(self):
        old = self.recorded(4, seats=[{"bot": "house/aliens-random"}] * 2)
        status, _, body = self.post("/api/v1/matches", {"from": {"match": old["id"], "turn": 4}})
        self.assertEqual(status, 201, body)
        over = self.arena.wait_over(body["id"])
        self.assertEqual(
            [player["version"] for player in over["players"]],
            [player["version"] for player in old["players"]],
        )
        self.assertEqual(self.digests(old["id"])[:4], self.digests(over["id"])[:4])

    def test_a_match_continued_from_its_first_turn_has_the_recorded_setup(self):
        old = self.recorded(
            game="planetwars", map="generate:5", seats=[{"bot": "house/planetwars-random"}] * 2
        )
        status, _, body = self.post("/api/v1/matches", {"from": {"match": old["id"], "turn": 0}})
        self.assertEqual((status, body["seed"], body["map"]), (201, old["seed"], old["map"]))
        self.arena.wait_over(body["id"])

    def test_replays_that_cannot_be_continued_are_rejected_with_a_reason(self):
        old = self.recorded(3)
        begin = {"match": old["id"], "turn": 3}
        draft = {"language": "python", "source": SECRET}
        code = self.recorded(seats=[{"bot": "house/aliens-medium"}, draft])
        person = self.sit()
        for path, seats in (("/api/v1/join", {"person": True, "seat": 0}), ("/api/v1/matches", {})):
            for more, sentence in (
                (
                    {"from": {"match": old["id"], "turn": old["turns"]}},
                    f"ended after turn {old['turns']}",
                ),
                ({"from": {"match": old["id"]}}, 'needs a "turn"'),
                ({"from": {"match": old["id"], "turn": -1}}, "turn"),
                ({"from": {"match": old["id"], "turn": 1, "seat": 1}}, "seat"),
                ({"from": {"match": 999999, "turn": 1}}, "unknown match 999999"),
                ({"from": {"match": person.match, "turn": 1}}, "has no replay yet"),
                ({"from": begin, "seed": 4}, "they come from the record"),
                ({"from": begin, "map": "duel"}, "they come from the record"),
                ({"from": begin, "config": "{}"}, "they come from the record"),
                ({"from": begin, "game": "ctf"}, "the recorded match is aliens"),
                (
                    {"from": {"match": code["id"], "turn": 1}},
                    "player 2 of the recorded match was not a bot of this arena",
                ),
            ):
                with self.subTest(path=path, sentence=sentence):
                    self.assert_rejected(dict(seats, **more), 422, sentence, path=path)
        self.assert_rejected({"from": begin, "person": True}, 422, '"seat" is required')
        self.assert_rejected(
            {"from": begin, "person": True, "seat": 0, "opponents": ["house/aliens-random"] * 2},
            422,
            "has 2 players",
        )
        self.assert_rejected(
            {"from": begin, "seats": [{"bot": "house/aliens-random"}]},
            422,
            "has 2 players",
            path="/api/v1/matches",
        )

    def test_a_configuration_cannot_raise_the_limits_of_bots(self):
        seats = [{"bot": "house/footsoldiers-random"}] * 2
        greedy = '{"bot-memory-limit-kib": 1073741824, "total-turns": 3}'
        old = self.recorded(game="footsoldiers", config=greedy, seats=seats)
        status, _, body = self.post("/api/v1/matches", {"from": {"match": old["id"], "turn": 1}})
        self.assertEqual(status, 201, body)
        self.arena.wait_over(body["id"])
        with contextlib.closing(
            sqlite3.connect(f"file:{self.arena.data}/arena.db?mode=ro", uri=True)
        ) as database:
            for match in (old["id"], body["id"]):
                spec = database.execute(
                    "SELECT spec FROM match_texts WHERE match = ?", (match,)
                ).fetchone()[0]
                self.assertEqual(json.loads(spec)["limits"], {"memory": 2560})

    def large_replay(self):
        """The id of a match with a replay of more than 16 MiB, which is played once."""
        if not Seat.large:
            loud = (
                "import base64, os, sys\nfor line in sys.stdin:\n"
                "    print(base64.b64encode(os.urandom(700000)).decode(), flush=True)\n"
            )
            seats = [{"bot": "house/planetwars-random"}, {"language": "python", "source": loud}]
            old = self.recorded(game="planetwars", config='{"max_turns": 30}', seats=seats)
            self.assertEqual(old["turns"], 30)
            Seat.large = old["id"]
        return Seat.large

    def test_a_replay_that_is_too_large_is_rejected(self):
        self.assert_rejected(
            {"from": {"match": self.large_replay(), "turn": 1}},
            422,
            "is too large to continue from",
            path="/api/v1/matches",
        )

    def test_a_large_replay_is_sent_without_holding_it_in_memory(self):
        path = f"/api/v1/matches/{self.large_replay()}/replay"
        readers = [self.arena.raw_socket(path, 4096) for _ in range(3)]
        for reader in readers:
            self.assertEqual(reader.recv(12), b"HTTP/1.1 200")
        metrics = self.arena.get("/metrics").decode()
        used = re.search(r"^skirmish_http_memory_bytes (\d+)$", metrics, re.M)
        self.assertLess(int(used[1]), 4 << 20)
        for reader in readers:
            reader.close()

    def test_standard_error_is_shown_only_to_the_bots_owner(self):
        old = self.recorded(
            seats=[{"bot": "house/aliens-medium"}, {"language": "python", "source": SECRET}]
        )
        person = Person(
            self, {"person": True, "seat": 1, "from": {"match": old["id"], "turn": 3}}, "skt_alice"
        )
        person.play_on()
        path = f"/api/v1/matches/{person.match}/players/1/stderr"
        self.assertEqual(self.arena.ask("GET", path, token="skt_alice")[::2], (200, b""))

    def test_an_uploaded_replay_can_be_continued(self):
        path = os.path.join(self.arena.directory, "own.skr")
        self.skirmish(
            "play",
            "aliens",
            "--seed",
            "4",
            "--sandbox",
            "none",
            "--quiet",
            "--replay",
            path,
            "house:medium",
            "house:random",
        )
        with open(path, "rb") as file:
            text = base64.b64encode(file.read()).decode()
        match_request = {
            "person": True,
            "seat": 1,
            "opponents": ["house/aliens-medium"],
            "from": {"replay": text, "turn": 4},
        }
        person = Person(self, match_request, "skt_alice")
        person.play_on()
        old = [
            json.loads(line)["digest"]
            for line in self.skirmish("replay", "export", path).splitlines()
        ]
        self.assertEqual(self.digests(person.match)[:4], old[:4])
        self.assert_rejected(match_request, 401, "log in to", token=None)
        self.assert_rejected(
            {"seats": [{"bot": "house/aliens-random"}] * 2, "from": {"replay": text, "turn": 4}},
            401,
            "log in to",
            token=None,
            path="/api/v1/matches",
        )
        for replay, sentence in (
            (text[:-41], "base64"),
            (text[:400], "the replay"),
            ("A" * 1_500_000, "1 MiB"),
            ("", "not a Skirmish replay"),
        ):
            self.assert_rejected(
                dict(match_request, **{"from": {"replay": replay, "turn": 4}}), 422, sentence
            )
        self.assert_rejected(
            dict(match_request, **{"from": {"replay": text, "turn": 4000}}), 422, "ended after turn"
        )
        self.assert_rejected(
            {"from": {"replay": text, "turn": 4}},
            422,
            "player 1 of the recorded match was not a bot of this arena",
            path="/api/v1/matches",
        )

    HEADER = {
        "game": "aliens",
        "think": "in-turn",
        "seed": 1,
        "turn_ms": 1000,
        "start_ms": 1000,
        "config": None,
        "map": None,
        "players": [{"name": "a", "bot": "a"}] * 2,
    }

    def assert_file_rejected(self, records, sentence):
        """Tries to continue from a replay file with these records."""
        if not hasattr(self, "file_head"):
            with open(self.replay(self.recorded()["id"]), "rb") as file:
                self.file_head = file.read().split(ZSTD_MAGIC)[0]
        packed = subprocess.run(
            ["zstd", "-c", "-q", "--check"], input=records, stdout=subprocess.PIPE, check=True
        ).stdout
        match_request = {
            "seats": [{"bot": "house/aliens-random"}] * 2,
            "from": {"replay": base64.b64encode(self.file_head + packed).decode(), "turn": 0},
        }
        self.assert_rejected(match_request, 422, sentence, path="/api/v1/matches")

    def test_names_in_an_uploaded_replay_have_no_control_characters(self):
        def names(player="a", **files):
            players = [{"name": "a", "bot": "a"}, {"name": player, "bot": "a"}]
            header = {**self.HEADER, "players": players}
            header.update({key: {"name": name, "text": ""} for key, name in files.items()})
            return record(b"H", json.dumps(header).encode())

        for name in ("a\x1b[2J", "a\nb", "\x7f", "a\x9bb", "a\u202eb", "a\u200bb", "\u2028"):
            hidden = "contains a control character or an invisible one"
            self.assert_file_rejected(names(name), f"the name of a player in the replay {hidden}")
            self.assert_file_rejected(names(map=name), f"the name of the replay's map {hidden}")
            self.assert_file_rejected(
                names(config=name), f"the name of the replay's configuration {hidden}"
            )
        self.assert_file_rejected(names("\u0430dmin"), "mixes the letters of two alphabets")
        # Other letters are allowed: this file is rejected only because it has no turns.
        self.assert_file_rejected(names("Ελλάδα 🙂"), "the replay is damaged")

    def test_a_replay_bomb_is_rejected_before_it_is_unpacked(self):
        head = json.dumps(self.HEADER).encode()
        nothing = bytes([0, 0, 0, 0, 0, 0, 0, 0])
        turn = record(
            b"T",
            b"\1"
            + bytes([1, 0, 0, 0])
            + number(64 << 20)
            + bytes(64 << 20)
            + bytes([0, 0, 0])
            + nothing
            + bytes(8),
        )
        many = head[:-1] + b',"more":[' + b"0," * (4 << 20) + b"0]}"
        for plain, sentence in (
            (record(b"H", many), "header"),
            (record(b"H", head) + turn, "unpacks to more than"),
        ):
            self.assert_file_rejected(plain, sentence)
        with open(f"/proc/{self.arena.process.pid}/status") as file:
            most = [int(line.split()[1]) for line in file if line.startswith("VmHWM")][0]
        self.assertLess(most, 400 << 10)


class Restarts(unittest.TestCase):
    """Matches with people are called off when an arena is stopped or killed; nobody loses."""

    REASON = "the arena was restarted"

    def setUp(self):
        self.arena = Arena("--jobs", "1", "--ladder", "off")
        self.addCleanup(self.arena.close)
        self.arena.seed("account", "alice", "0", "skt_alice", "account", "bob", "0", "skt_bob")
        self.start()

    def start(self):
        self.arena.start()
        self.schemas = Schemas(self.arena.get("/api/v1/openapi.json"))
        self.arena.wait(
            lambda: self.arena.get("/api/v1/bots?owner=house&game=aliens")["items"][0][
                "active_version"
            ]
        )

    def post(self, path, body, token=None):
        return self.arena.ask("POST", path, body, token=token)

    def sit(self, token):
        person = Person(
            self,
            {"game": "aliens", "person": True, "seat": 0, "opponents": ["house/aliens-random"]},
            token,
        )
        self.addCleanup(person.connection.close)
        return person

    def check_called_off(self, match):
        over = self.arena.wait_over(match)
        self.schemas.check("Match", over)
        self.assertEqual(
            (over["state"], over["reason"], over["replay"]), ("called_off", self.REASON, False)
        )
        self.assertEqual([player["rank"] for player in over["players"]], [None, None])
        self.assertEqual(self.arena.get("/api/v1/queue")["play_now"], 0)

    def test_players_and_viewers_are_notified_when_the_arena_stops(self):
        person = self.sit("skt_alice")
        person.next_view()
        seen = []
        began = threading.Event()
        watcher = threading.Thread(
            target=lambda: seen.extend(
                self.arena.watch(f"/api/v1/matches/{person.match}/live?from=start", began=began.set)
            )
        )
        watcher.start()
        self.assertTrue(began.wait(60))
        self.assertEqual(self.arena.stop(), (0, []))
        self.assertIsNone(person.next_view())
        self.assertEqual(
            person.ended, {"match": person.match, "state": "called_off", "reason": self.REASON}
        )
        self.schemas.check("JoinEnd", person.ended)
        watcher.join()
        self.assertEqual(seen[-1][1:], ("end", {"turns": 0, "reason": self.REASON, "players": []}))
        self.start()
        self.check_called_off(person.match)

    def test_after_a_kill_the_match_is_cancelled_too(self):
        person = self.sit("skt_alice")
        person.next_view()
        self.arena.kill()
        self.start()
        self.check_called_off(person.match)


# Computes endlessly in its first turn, and tries to raise its priority.
GREEDY = """import os, sys
sys.stdin.readline()
try:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
except OSError:
    pass
while True:
    pass
"""


def descendants(pid):
    """The descendants of a process."""
    found = []
    for task in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(task, encoding="ascii") as file:
            for child in map(int, file.read().split()):
                found += [child, *descendants(child)]
    return found


def cpu_time(pid):
    """CPU time of a process in seconds; 0 if it has exited."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0


class Others(unittest.TestCase):
    """Matches with people, and jobs that wait for people, do not delay others."""

    def test_bots_in_matches_with_people_get_only_spare_cpu_time(self):
        """Another process computes on the same core, like a bot in a rated match. The bot in a
        person's match must leave it nearly all of the core."""
        arena = Arena("--jobs", "1", "--ladder", "off", "--sandbox", "best-effort")
        self.addCleanup(arena.close)
        arena.seed("account", "alice", "0", "skt_alice")
        arena.start()
        arena.wait(lambda: len(arena.runners()) == 1)
        (rated,) = arena.runners()
        request = {
            "game": "aliens",
            "person": True,
            "seat": 1,
            "opponents": [{"language": "python", "source": GREEDY}],
        }
        status, _, body = arena.ask("POST", "/api/v1/join", request, token="skt_alice")
        self.assertEqual(status, 201, body)

        def greedy():
            """The runner of the person's match and its bot, once the bot computes."""
            for runner in set(arena.runners()) - {rated}:
                for pid in descendants(runner):
                    if cpu_time(pid) > 0.05:
                        return runner, pid
            return None

        runner, bot = arena.wait(greedy)
        self.assertEqual(os.sched_getscheduler(rated), os.SCHED_OTHER)
        self.assertEqual(os.sched_getscheduler(runner), os.SCHED_IDLE)
        self.assertEqual(os.sched_getscheduler(bot), os.SCHED_IDLE)
        other = subprocess.Popen(
            [sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"],
            preexec_fn=lambda: os.sched_setaffinity(0, os.sched_getaffinity(bot)),
        )
        before = cpu_time(bot)
        self.assertEqual(other.wait(), 0)
        self.assertLess(cpu_time(bot) - before, 0.1)

    def test_the_ladder_continues_while_people_wait_for_a_seat(self):
        arena = Arena("--jobs", "1", "--proxies", "127.0.0.1", "--ladder", "off")
        self.addCleanup(arena.close)
        arena.seed("account", "ada", "2", "skt_ada")
        arena.start()
        for bot in ("random", "medium"):
            house = "/api/v1/bots/house/aliens-" + bot
            arena.wait(lambda house=house: arena.get(house).get("active_version"))

        def played():
            return int(
                re.search(
                    rb'skirmish_matches_total{kind="ladder"} (\d+)', arena.get("/metrics")
                ).group(1)
            )

        matches = []
        for i in range(PEOPLE + 1):
            status, _, body = arena.ask(
                "POST",
                "/api/v1/join",
                {"game": "aliens", "person": True},
                headers={"X-Forwarded-For": f"10.0.0.{i + 1}"},
            )
            self.assertEqual(status, 201, body)
            matches.append(body["match"])
        states = ["playing"] * PEOPLE + ["waiting"]
        arena.wait(
            lambda: [arena.get(f"/api/v1/matches/{match}")["state"] for match in matches] == states
        )
        # Only now, because a ladder of house bots alone slows down once its ratings are accurate.
        self.assertEqual(played(), 0)
        settings = {"ladder": True}
        status, _, body = arena.ask("PATCH", "/api/v1/admin/settings", settings, token="skt_ada")
        self.assertEqual(status, 200, body)
        arena.wait(lambda: played() > 6, 60)
        self.assertEqual(arena.get(f"/api/v1/matches/{matches[PEOPLE]}")["state"], "waiting")


if __name__ == "__main__":
    unittest.main(verbosity=2)
