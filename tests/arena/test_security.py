"""Attacks on a whole server.

The table MAY says who may call which route; a route that is not in it fails the test.
"""

import gzip
import http.client
import io
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import urllib.parse
import zipfile

from accounts_server import Person, Server
from problem_text import check_problem

SEED = os.environ.get("SEED") or sys.exit("SEED must name the program that fills a store")

ROLES = {"olivia": 0, "mallory": 0, "sam": 0, "dora": 0, "olga": 1, "ada": 2, "berta": 2}
# Many accounts per role: the rate limits of one would slow down a test of thousands of requests.
CROWDS = {"players": 0, "organisers": 1, "administrators": 2}
CROWD = 12
ROLES.update({f"{crowd}{i}": role for crowd, role in CROWDS.items() for i in range(CROWD)})
TOKEN = {name: f"skt_{name}{7:032d}" for name in ROLES}
EXPIRED = "skt_expired" + "8" * 32

# Private to olivia: must not be in any response to others.
SOURCE_MARK, ERROR_MARK, FILE_MARK, NAME_MARK = (
    "source-mark-41",
    "stderr-mark-42",
    "file-mark-43",
    "token-mark-44",
)
MARKS = [mark.encode() for mark in (SOURCE_MARK, ERROR_MARK, FILE_MARK, NAME_MARK)]
BOT = f"""# {SOURCE_MARK}
import sys
sys.stderr.write("stderr-" + "mark-42 <script>alert(1)</script>\\n")
sys.stderr.flush()
while sys.stdin.readline():
    print('[]', flush=True)
"""
SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>"

# ---- access: (visitor, another player, organiser, administrator) ----
# "yes": allowed; "own": they get their own, never olivia's; a number: rejected with this status.
PUBLIC = ("yes", "yes", "yes", "yes")
OWN = (401, "own", "own", "own")
PLAYERS = (401, "yes", "yes", "yes")
HERS = (401, 404, 404, 404)  # private to olivia: not found for others
SEAT = (404, 404, 404, 404)  # the same, but visitors also have seats
ORGANISERS = (401, 403, "yes", "yes")
ADMINISTRATORS = (401, 403, 403, "yes")
READERS = (404, 404, "yes", "yes")  # private to its owner and organisers
OWNER = (401, 403, 403, 403)
CLEANERS = (401, 403, 403, "yes")
MAY = {
    "POST /api/v1/register": PUBLIC,
    "POST /api/v1/login": PUBLIC,
    "POST /api/v1/logout": (401, 409, 409, 409),  # they come with tokens here
    "GET /api/v1/me": OWN,
    "DELETE /api/v1/me": OWN,
    "PUT /api/v1/me/password": OWN,
    "GET /api/v1/people": PUBLIC,
    "GET /api/v1/people/{person}": PUBLIC,
    "GET /api/v1/sessions": OWN,
    "DELETE /api/v1/sessions": OWN,
    "DELETE /api/v1/sessions/{session}": HERS,
    "GET /api/v1/tokens": OWN,
    "POST /api/v1/tokens": (401, 403, 403, 403),  # a token makes no tokens
    "DELETE /api/v1/tokens/{token}": HERS,
    "GET /api/v1/arena": PUBLIC,
    "GET /api/v1/admin/accounts": ADMINISTRATORS,
    "GET /api/v1/admin/accounts/{person}": ADMINISTRATORS,
    "PATCH /api/v1/admin/accounts/{person}": ADMINISTRATORS,
    "DELETE /api/v1/admin/accounts/{person}": ADMINISTRATORS,
    "POST /api/v1/admin/accounts/{person}/password": ADMINISTRATORS,
    "GET /api/v1/admin/invitations": (401, 403, "own", "yes"),
    "POST /api/v1/admin/invitations": ORGANISERS,
    "DELETE /api/v1/admin/invitations/{invitation}": (401, 403, 404, "yes"),  # an administrator's
    "GET /api/v1/admin/settings": ADMINISTRATORS,
    "PATCH /api/v1/admin/settings": ADMINISTRATORS,
    "GET /api/v1/admin/audit": ADMINISTRATORS,
    "GET /api/v1/languages": PUBLIC,
    "GET /api/v1/bots": PUBLIC,
    "POST /api/v1/bots": PLAYERS,
    "GET /api/v1/bots/{owner}/{bot}": PUBLIC,
    "PATCH /api/v1/bots/{owner}/{bot}": OWNER,
    "DELETE /api/v1/bots/{owner}/{bot}": CLEANERS,
    "GET /api/v1/bots/{owner}/{bot}/versions": PUBLIC,
    "POST /api/v1/bots/{owner}/{bot}/versions": OWNER,
    "GET /api/v1/versions/{version}": PUBLIC,
    "GET /api/v1/versions/{version}/log": READERS,
    "GET /api/v1/versions/{version}/diagnostics": READERS,
    "GET /api/v1/versions/{version}/source": READERS,
    "POST /api/v1/versions/{version}/activate": OWNER,
    "GET /api/v1/games": PUBLIC,
    "POST /api/v1/matches": PUBLIC,
    "GET /api/v1/matches": PUBLIC,
    "GET /api/v1/matches/{match}": PUBLIC,
    "GET /api/v1/matches/{match}/replay": PUBLIC,
    "GET /api/v1/matches/{match}/players/{seat}/stderr": READERS,
    "GET /api/v1/matches/{match}/players/{seat}/diagnostics": READERS,
    "GET /api/v1/matches/{match}/live": PUBLIC,
    "GET /api/v1/queue": PUBLIC,
    "GET /api/v1/queue/live": PUBLIC,
    "GET /api/v1/ladders/{game}": PUBLIC,
    "GET /api/v1/ladders/{game}/live": PUBLIC,
    "GET /api/v1/ladders/{game}/bots/{owner}/{bot}": PUBLIC,
    "GET /api/v1/tournaments": PUBLIC,
    "POST /api/v1/tournaments": ORGANISERS,
    "GET /api/v1/tournaments/{tournament}": PUBLIC,
    "PUT /api/v1/tournaments/{tournament}": ORGANISERS,
    "POST /api/v1/tournaments/{tournament}/start": ORGANISERS,
    "POST /api/v1/tournaments/{tournament}/call-off": ORGANISERS,
    "PUT /api/v1/tournaments/{tournament}/seeding": ORGANISERS,
    "GET /api/v1/tournaments/{tournament}/entrants": PUBLIC,
    "POST /api/v1/tournaments/{tournament}/entrants": ORGANISERS,  # of olivia's bot
    "DELETE /api/v1/tournaments/{tournament}/entrants/{owner}/{bot}": ORGANISERS,
    "GET /api/v1/tournaments/{tournament}/standings": PUBLIC,
    "GET /api/v1/tournaments/{tournament}/standings.csv": PUBLIC,
    "GET /api/v1/tournaments/{tournament}/report.html": PUBLIC,
    "GET /api/v1/tournaments/{tournament}/live": PUBLIC,
    "POST /api/v1/join": PLAYERS,
    "GET /api/v1/join/{seat}/events": SEAT,
    "POST /api/v1/join/{seat}/answers": SEAT,
    "DELETE /api/v1/join/{seat}": SEAT,
}
# Valid bodies that would do harm if the route accepted them. Other routes receive {}.
BODIES = {
    "PATCH /api/v1/bots/{owner}/{bot}": {"published": True},
    "POST /api/v1/tournaments/{tournament}/entrants": {"owner": "olivia", "bot": "keeper"},
    "PATCH /api/v1/admin/accounts/{person}": {"role": "player"},
}
# Routes whose bodies are not JSON.
RAW = {
    "POST /api/v1/bots/{owner}/{bot}/versions": b"print()",
    "POST /api/v1/join/{seat}/answers": b"",
}
# Allowed calls would change what other tests need; other tests show that these are allowed.
SPARED = {
    "DELETE /api/v1/me",
    "DELETE /api/v1/sessions",
    "DELETE /api/v1/admin/accounts/{person}",
    "DELETE /api/v1/admin/invitations/{invitation}",
    "POST /api/v1/admin/accounts/{person}/password",
    "DELETE /api/v1/bots/{owner}/{bot}",
    "POST /api/v1/tournaments/{tournament}/call-off",
    "POST /api/v1/tournaments/{tournament}/start",
    "POST /api/v1/join",
    "DELETE /api/v1/tournaments/{tournament}/entrants/{owner}/{bot}",
    "POST /api/v1/tournaments/{tournament}/entrants",
}


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        check_problem(headers.get("Content-Type"), body)

    @property
    def json(self):
        return json.loads(self.body)


class SecurityTest(unittest.TestCase):
    maxDiff = None

    # ---- the arena ----

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-security-")
        cls.server, cls.address = None, 0
        try:
            cls.fill()
            cls.server = Server(
                cls.directory, "--sandbox", "best-effort", "--ladder", "off", "--waiting-max", "50"
            )
            cls.document = cls.ask("GET", "/api/v1/openapi.json").json
            cls.make_things()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def fill(cls):
        path = os.path.join(cls.directory, FILE_MARK + ".py")
        with open(path, "w") as file:
            file.write(BOT)
        words = []
        for name, role in ROLES.items():
            words += ["account", name, str(role), TOKEN[name]]
        words += ["token", "mallory", EXPIRED, "1000"]
        words += [
            "bot",
            "olivia",
            "aliens",
            "keeper",
            "python",
            path,
            "bot",
            "mallory",
            "aliens",
            "other",
            "python",
            path,
        ]
        subprocess.run([SEED, os.path.join(cls.directory, "data"), *words], check=True)

    @classmethod
    def make_things(cls):
        """olivia gets a bot, a match in which it wrote to standard error, a session, a token and a
        seat; olga gets a tournament.
        """
        as_olivia = {"who": "olivia"}
        cls.wait(lambda: cls.ask("GET", "/api/v1/bots/olivia/keeper").json["active_version"])
        cls.wait(lambda: cls.ask("GET", "/api/v1/bots/mallory/other").json["active_version"])
        version = cls.ask("GET", "/api/v1/bots/olivia/keeper").json["active_version"]
        password = cls.ask("POST", "/api/v1/admin/accounts/olivia/password", who="ada").json[
            "password"
        ]
        cls.olivia = Person(cls.server)
        assert cls.olivia.log_in("olivia", password).status == 200
        cls.olivia_password = password
        session = cls.olivia.ask("GET", "/api/v1/sessions").json["items"][0]["id"]
        token = cls.olivia.ask("POST", "/api/v1/tokens", {"name": NAME_MARK}).json["id"]
        made = cls.ask(
            "POST",
            "/api/v1/matches",
            {"game": "aliens", "seats": [{"bot": "olivia/keeper"}, {"bot": "mallory/other"}]},
            **as_olivia,
        )
        assert made.status == 201, made.body
        match = made.json["id"]
        cls.wait(lambda: cls.ask("GET", f"/api/v1/matches/{match}").json["state"] == "over")
        tournament = cls.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": SCRIPT, "game": "aliens", "format": "round-robin"},
            "olga",
        ).json["id"]
        invitation = cls.ask("POST", "/api/v1/admin/invitations", {"note": SCRIPT}, "ada").json[
            "id"
        ]
        seat = cls.ask(
            "POST", "/api/v1/join", {"game": "aliens", "opponents": ["mallory/other"]}, **as_olivia
        ).json["seat"]
        cls.things = {
            "person": "olivia",
            "owner": "olivia",
            "bot": "keeper",
            "version": version,
            "session": session,
            "token": token,
            "match": match,
            "tournament": tournament,
            "invitation": invitation,
            "game": "aliens",
        }
        cls.seat = seat

    @classmethod
    def tearDownClass(cls):
        try:
            if cls.server:
                log_path = cls.server.errors.name
                status = cls.server.stop()
                cls.check_log(log_path)
                assert status == 0, f"the arena ended with {status}"
        finally:
            shutil.rmtree(cls.directory)

    @staticmethod
    def check_log(path):
        """Every line is a JSON object of the arena, and none reports an internal error."""
        with open(path, encoding="utf-8") as file:
            lines = list(file)
        for line in lines:
            entry = json.loads(line)
            assert entry["level"] != "error", line
            assert entry.get("status", 0) < 500 or entry["status"] == 503, line
            assert "injected" not in line, line

    @staticmethod
    def wait(what, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = what()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"it did not come about within {seconds} seconds")

    @classmethod
    def ask(cls, method, path, body=None, who=None, headers=None, patient=True):
        """Sends a request from a new address, as rate limits are per address, and checks what every
        response must have. Reads only the head of a stream.
        """
        cls.address += 1
        sent = dict(headers or {})
        if who in CROWDS:
            who = f"{who}{cls.address % CROWD}"
        if who:
            sent["Authorization"] = "Bearer " + TOKEN.get(who, who)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        source = f"127.1.{cls.address // 250}.{cls.address % 250 + 1}"
        connection = http.client.HTTPConnection(
            "127.0.0.1", cls.server.port, timeout=60, source_address=(source, 0)
        )
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            stream = answer.headers.get("Content-Type") == "text/event-stream"
            reply = Reply(answer.status, answer.headers, b"" if stream else answer.read())
        finally:
            connection.close()
        cls.check_head(f"{method} {path}", reply)
        if reply.status == 429 and patient:
            time.sleep(int(reply.headers["Retry-After"]))
            return cls.ask(method, path, body, who, headers)
        return reply

    @staticmethod
    def check_head(what, reply):
        """Browsers must not treat API responses as pages or scripts."""
        kind = reply.headers.get("Content-Type", "")
        assert reply.status < 500 or reply.status == 503, (what, reply.status, reply.body)
        assert reply.headers["X-Content-Type-Options"] == "nosniff", what
        assert reply.headers["X-Frame-Options"] == "DENY", what
        assert "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"], what
        assert (
            "unsafe-inline"
            not in reply.headers["Content-Security-Policy"].split("script-src")[-1].split(";")[0]
        ), what
        assert "html" not in kind or "report.html" in what or " /api" not in what, (what, kind)
        assert "script" not in kind, (what, kind)
        if "json" in kind and reply.body:
            json.loads(reply.body)
        if reply.status >= 400:
            assert kind == "application/problem+json", (what, kind)

    def operations(self):
        for pattern, methods in self.document["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), pattern, operation

    def address_of(self, method, pattern, **other):
        seat = 0 if "/players/" in pattern else self.seat
        return pattern.format(**{**self.things, "seat": seat, **other})

    def call(self, method, pattern, who=None, headers=None, **other):
        route = f"{method} {pattern}"
        body = None
        if method in ("POST", "PUT", "PATCH", "DELETE"):
            body = RAW.get(route)
            operation = self.document["paths"][pattern][method.lower()]
            if body is None and "application/json" in (operation.get("requestBody") or {}).get(
                "content", {}
            ):
                body = BODIES.get(route, {})
        return self.ask(method, self.address_of(method, pattern, **other), body, who, headers)

    # ---- access ----

    def test_every_route_admits_only_the_roles_in_the_table(self):
        routes = [(method, pattern) for method, pattern, _ in self.operations()]
        self.assertEqual(sorted(f"{method} {pattern}" for method, pattern in routes), sorted(MAY))
        self.assertEqual(
            self.ask("PATCH", "/api/v1/admin/accounts/sam", {"suspended": True}, "ada").status, 200
        )
        wrong = []
        for method, pattern in routes:
            route = f"{method} {pattern}"
            callers = dict(zip((None, "mallory", "olga", "ada"), MAY[route]))
            callers["sam"] = 401  # whose account is suspended
            callers[EXPIRED] = 401
            for who, may in callers.items():
                if may in ("yes", "own") and route in SPARED:
                    continue
                reply = self.call(method, pattern, who)
                if (
                    isinstance(may, int)
                    and reply.status != may
                    or not isinstance(may, int)
                    and reply.status in (401, 403, 404, 405)
                ):
                    if not (
                        reply.status == 404
                        and re.search(r"/ladders/.*/bots/|/standings|/report.html", pattern)
                    ):  # the list is empty
                        wrong.append(
                            f"{route} by {who}: {reply.status}, not {may}: {reply.body[:100]}"
                        )
                if who not in ("olga", "ada") and any(mark in reply.body for mark in MARKS):
                    wrong.append(f"{route} shows {who} private data of olivia: {reply.body[:300]}")
                if may == "own" and b'"olivia"' in reply.body:
                    wrong.append(f"{route} shows {who} olivia's")
        self.assertEqual(wrong, [])
        # Nothing of hers has changed.
        self.assertEqual(self.ask("GET", "/api/v1/bots/olivia/keeper").json["published"], False)
        self.assertEqual(
            self.ask("GET", "/api/v1/bots/olivia/keeper").json["active_version"],
            self.things["version"],
        )
        self.assertEqual(self.olivia.ask("GET", "/api/v1/me").status, 200)

    def test_the_owner_can_read_what_others_cannot(self):
        """Otherwise the table would also hold for empty responses."""
        version, match = self.things["version"], self.things["match"]
        source = self.ask("GET", f"/api/v1/versions/{version}/source", who="olivia")
        self.assertIn(SOURCE_MARK.encode(), source.body)
        self.assertEqual(source.headers["Cache-Control"], "private, no-cache")
        self.assertIn(
            FILE_MARK,
            self.ask("GET", f"/api/v1/versions/{version}", who="olivia").json["file_name"],
        )
        self.assertIn(NAME_MARK.encode(), self.ask("GET", "/api/v1/tokens", who="olivia").body)
        texts = [
            self.ask("GET", f"/api/v1/matches/{match}/players/{seat}/stderr", who="olivia")
            for seat in (0, 1)
        ]
        self.assertIn(ERROR_MARK.encode(), texts[0].body)
        self.assertEqual(texts[1].status, 404)  # it is mallory's
        self.assertEqual(texts[0].headers["Content-Type"], "text/plain; charset=utf-8")

    def test_a_replay_contains_only_the_standard_error_of_its_reader(self):
        match = self.things["match"]
        sizes = {
            who: self.ask("GET", f"/api/v1/matches/{match}/replay", who=who)
            for who in (None, "olivia", "mallory", "dora", "olga")
        }
        path = os.path.join(self.directory, "replay.skr")
        found = {}
        for who, reply in sizes.items():
            with open(path, "wb") as file:
                file.write(reply.body)
            text = subprocess.run(
                [os.environ["SKIRMISH"], "replay", "export", path], capture_output=True, text=True
            ).stdout
            self.assertIn("digest", text)
            found[who] = text.count(ERROR_MARK)
        os.remove(path)
        self.assertEqual(found, {None: 0, "olivia": 1, "mallory": 1, "dora": 0, "olga": 2})

    def test_live_streams_contain_nothing_private(self):
        match = self.ask(
            "POST",
            "/api/v1/matches",
            {"game": "aliens", "seats": [{"bot": "olivia/keeper"}, {"bot": "olivia/keeper"}]},
            "olivia",
        ).json["id"]
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("GET", f"/api/v1/matches/{match}/live")
        answer = connection.getresponse()
        text = b""
        if answer.status == 200:
            for line in answer:
                text += line
                if line.startswith(b"event: end"):
                    text += answer.readline()
                    break
        connection.close()
        self.assertIn(b"event: turn", text)
        self.assertNotIn(ERROR_MARK.encode(), text)
        for seat in (
            "0" * 32,
            self.seat[:-1] + ("0" if self.seat[-1] != "0" else "1"),
            self.seat.upper() if self.seat != self.seat.upper() else "x",
        ):
            self.assertEqual(
                self.ask("GET", f"/api/v1/join/{seat}/events", who="olivia").status, 404
            )
        self.assertEqual(
            self.ask("GET", f"/api/v1/join/{self.seat}/events", who="mallory").status, 404
        )
        self.assertEqual(self.ask("DELETE", f"/api/v1/join/{self.seat}", who="ada").status, 404)

    def test_a_deleted_account_is_gone(self):
        quinn = self.person("quinn")
        token = quinn.ask("POST", "/api/v1/tokens", {"name": "program"}).json["token"]
        self.assertEqual(
            self.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "gone"}, token).status, 201
        )
        made = self.ask(
            "POST", "/api/v1/bots/quinn/gone/versions?file_name=bot.py", BOT.encode(), token
        ).json
        self.assertEqual(
            quinn.ask("DELETE", "/api/v1/me", {"password": "not this one"}).status, 403
        )
        cookie, token = quinn.cookie, quinn.csrf_token
        self.assertEqual(
            quinn.ask("DELETE", "/api/v1/me", {"password": "correct horse"}).status, 204
        )
        quinn.cookie, quinn.csrf_token = cookie, token
        self.assertEqual(quinn.ask("GET", "/api/v1/me").status, 401)
        self.assertEqual(self.ask("GET", "/api/v1/me", who=token).status, 401)
        self.assertEqual(self.ask("GET", "/api/v1/people/quinn").status, 404)
        self.assertEqual(self.ask("GET", "/api/v1/bots/quinn/gone").status, 404)
        self.assertEqual(Person(self.server).log_in("quinn").status, 401)
        for who in (None, "mallory"):
            reply = self.ask("GET", f"/api/v1/versions/{made['id']}/source", who=who)
            self.assertEqual(reply.status, 404)
        # A new owner of the name gets nothing of the first.
        again = self.person("quinn")
        self.assertEqual(again.ask("GET", "/api/v1/tokens").json["items"], [])
        self.assertEqual(again.ask("GET", f"/api/v1/versions/{made['id']}/source").status, 404)

    # ---- sessions ----

    def person(self, name, **more):
        person = Person(self.server)
        answer = person.register(name, **more)
        self.assertEqual(answer.status, 201, answer.body)
        return person

    def test_a_client_cannot_choose_its_session(self):
        chosen = "A" * 43
        victim = Person(self.server)
        victim.cookie = chosen
        self.assertEqual(victim.register("fixed").status, 201)
        self.assertNotEqual(victim.cookie, chosen)
        first = victim.cookie
        attacker = Person(self.server)
        attacker.cookie = chosen
        self.assertEqual(attacker.ask("GET", "/api/v1/me").status, 401)
        # Logging in again starts another session and ends the previous one.
        self.assertEqual(victim.log_in("fixed").status, 200)
        self.assertNotEqual(victim.cookie, first)
        attacker.cookie = first
        self.assertEqual(attacker.ask("GET", "/api/v1/me").status, 401)
        # A new password ends all others, and logging out ends this one.
        other = Person(self.server)
        other.log_in("fixed")
        changed = victim.ask(
            "PUT",
            "/api/v1/me/password",
            {"password": "correct horse", "new_password": "battery staple"},
        )
        self.assertEqual(changed.status, 204)
        self.assertEqual(other.ask("GET", "/api/v1/me").status, 401)
        cookie = victim.cookie
        self.assertEqual(victim.ask("POST", "/api/v1/logout").status, 204)
        attacker.cookie = cookie
        self.assertEqual(attacker.ask("GET", "/api/v1/me").status, 401)

    def test_cookies_are_out_of_reach_of_scripts_and_other_sites(self):
        answer = Person(self.server).register("cookie")
        self.assertEqual(answer.status, 201)
        cookie = answer.headers["Set-Cookie"]
        for word in ("HttpOnly", "SameSite=", "Path=/"):
            self.assertIn(word, cookie)
        self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
        two = {"Cookie": f"skirmish_session={'B' * 43}; skirmish_session={self.olivia.cookie}"}
        self.assertEqual(self.ask("GET", "/api/v1/me", headers=two).status, 401)

    def test_no_unsafe_route_accepts_requests_of_other_sites(self):
        cookie = {
            "Cookie": "skirmish_session=" + self.olivia.cookie,
            "Origin": "http://evil.example",
        }
        stranger = self.person("stranger")
        for method, pattern, _ in self.operations():
            if method == "GET":
                continue
            for token in (
                {},
                {"X-CSRF-Token": stranger.csrf_token},
                {"X-CSRF-Token": ""},
                {"X-CSRF-Token": self.olivia.csrf_token[:-1]},
            ):
                reply = self.call(method, pattern, headers={**cookie, **token})
                self.assertEqual(reply.status, 403, f"{method} {pattern} {token} {reply.body}")
        # Forms cannot send JSON.
        for kind in (
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
        ):
            reply = self.ask(
                "POST",
                "/api/v1/login",
                json.dumps({"name": "olivia", "password": self.olivia_password}),
                headers={"Content-Type": kind},
            )
            self.assertEqual(reply.status, 415)
        self.assertEqual(self.olivia.ask("GET", "/api/v1/me").status, 200)

    # ---- tokens, invitations, roles ----

    def test_revoked_tokens_are_rejected(self):
        person = self.person("tokens")
        made = person.ask("POST", "/api/v1/tokens", {"name": SCRIPT}).json
        self.assertEqual(self.ask("GET", "/api/v1/me", who=made["token"]).status, 200)
        self.assertNotIn(
            made["token"].encode(), self.ask("GET", "/api/v1/tokens", who=made["token"]).body
        )
        self.assertEqual(person.ask("DELETE", f"/api/v1/tokens/{made['id']}").status, 204)
        for wrong in (
            made["token"],
            EXPIRED,
            "skt_",
            "skt_" + "A" * 43,
            made["token"][:-1],
            made["token"] + "A",
            "x" * 500,
        ):
            self.assertEqual(self.ask("GET", "/api/v1/me", who=wrong).status, 401)

    def test_an_invitation_can_be_used_only_once(self):
        made = self.ask("POST", "/api/v1/admin/invitations", {"uses": 1}, "ada").json
        self.assertEqual(
            self.ask(
                "PATCH", "/api/v1/admin/settings", {"registration": "invitation"}, "ada"
            ).status,
            200,
        )
        try:
            self.assertEqual(Person(self.server).register("noinvite").status, 403)
            self.assertIn(
                Person(self.server).register("guess", invitation="aaaaaaaaaaaaaaaaaaaa").status,
                (403, 404, 409, 422),
            )
            self.assertEqual(
                Person(self.server).register("invited", invitation=made["code"]).status, 201
            )
            self.assertIn(
                Person(self.server).register("invited2", invitation=made["code"]).status,
                (403, 404, 409, 422),
            )
            revoked = self.ask("POST", "/api/v1/admin/invitations", {"uses": 5}, "ada").json
            self.assertEqual(
                self.ask("DELETE", f"/api/v1/admin/invitations/{revoked['id']}", who="ada").status,
                204,
            )
            self.assertIn(
                Person(self.server).register("invited3", invitation=revoked["code"]).status,
                (403, 404, 409, 422),
            )
            listed = self.ask("GET", "/api/v1/admin/invitations", who="ada")
            self.assertNotIn(made["code"].encode(), listed.body)
        finally:
            self.assertEqual(
                self.ask("PATCH", "/api/v1/admin/settings", {"registration": "open"}, "ada").status,
                200,
            )

    def test_nobody_gives_themselves_a_role(self):
        greedy = Person(self.server)
        for more in ({"role": "administrator"}, {"role": 2}, {"id": 1}, {"account": 1}):
            self.assertEqual(greedy.register("greedy", **more).status, 422)
        twice = '{"name": "greedy", "password": "correct horse", "name": "admin"}'
        self.assertEqual(greedy.ask("POST", "/api/v1/register", twice).status, 422)
        self.assertEqual(greedy.register("greedy").status, 201)
        self.assertEqual(
            greedy.ask("POST", "/api/v1/tokens", {"name": "x", "role": "administrator"}).status, 422
        )
        for method, path, body in (
            ("PATCH", "/api/v1/me", {"role": "administrator"}),
            ("PUT", "/api/v1/me", {"role": "administrator"}),
            ("PATCH", "/api/v1/people/greedy", {"role": "administrator"}),
        ):
            self.assertEqual(greedy.ask(method, path, body).status, 405)
        for who in ("olga", "mallory"):
            for target in ("greedy", who, "ada"):
                self.assertEqual(
                    self.ask(
                        "PATCH", f"/api/v1/admin/accounts/{target}", {"role": "administrator"}, who
                    ).status,
                    403,
                )
            self.assertEqual(
                self.ask(
                    "POST", "/api/v1/admin/invitations", {"role": "administrator"}, who
                ).status,
                403,
            )
        for headers in (
            {"X-HTTP-Method-Override": "PATCH"},
            {"X-Original-URL": "/api/v1/admin/accounts"},
            {"X-Rewrite-URL": "/api/v1/admin/accounts"},
        ):
            self.assertNotIn(
                b"berta",
                self.ask("GET", "/api/v1/people/greedy", who="mallory", headers=headers).body,
            )
        for path in (
            "/api/v1/admin/accounts/",
            "//api/v1/admin/accounts",
            "/api/v1/Admin/accounts",
            "/api/v1/admin%2faccounts",
            "/api/v1/x/../admin/accounts",
            "/api/v1/admin/accounts;x",
            "/api/v1/admin/accounts%00",
            "http://x/api/v1/admin/accounts",
        ):
            self.assertGreaterEqual(self.ask("GET", path, who="mallory").status, 400, path)
        self.assertEqual(greedy.ask("GET", "/api/v1/me").json["role"], "player")

    def test_losing_a_role_takes_effect_at_once(self):
        self.assertEqual(self.ask("GET", "/api/v1/admin/accounts", who="berta").status, 200)
        invitation = self.ask(
            "POST", "/api/v1/admin/invitations", {"role": "administrator"}, "berta"
        ).json
        self.assertEqual(
            self.ask("PATCH", "/api/v1/admin/accounts/berta", {"role": "player"}, "ada").status, 200
        )
        self.assertEqual(self.ask("GET", "/api/v1/admin/accounts", who="berta").status, 403)
        # An invitation kept for that day does not restore it.
        back = Person(self.server)
        back.register("berta2", invitation=invitation["code"])
        self.assertNotEqual(back.ask("GET", "/api/v1/admin/accounts").status, 200)

    def test_visitors_play_only_while_the_setting_allows_it(self):
        body = {
            "game": "aliens",
            "seats": [{"language": "python", "source": "print()"}, {"bot": "mallory/other"}],
        }
        self.assertEqual(
            self.ask("PATCH", "/api/v1/admin/settings", {"visitors": False}, "ada").status, 200
        )
        try:
            self.assertEqual(self.ask("POST", "/api/v1/matches", body).status, 401)
        finally:
            self.assertEqual(
                self.ask("PATCH", "/api/v1/admin/settings", {"visitors": True}, "ada").status, 200
            )
        # Visitors have rate limits per address.
        visitor = Person(self.server)
        found = [visitor.ask("POST", "/api/v1/matches", body).status for _ in range(6)]
        self.assertEqual(set(found), {201, 429})
        # Visitors cannot choose a configuration or time limits.
        self.assertEqual(self.ask("POST", "/api/v1/matches", {**body, "config": "{}"}).status, 422)
        self.assertEqual(
            self.ask("POST", "/api/v1/matches", {**body, "turn_time": 100000}).status, 422
        )

    # ---- guessing ----

    def test_password_guesses_are_rate_limited(self):
        self.person("guarded", password="a rather good one")
        tries = []
        for i in range(14):  # each from its own address
            tries.append(
                self.ask(
                    "POST",
                    "/api/v1/login",
                    {"name": "guarded", "password": f"guess {i}"},
                    patient=False,
                ).status
            )
        self.assertEqual(set(tries), {401, 429})
        self.assertEqual(
            self.ask(
                "POST",
                "/api/v1/login",
                {"name": "GUARDED", "password": "a rather good one"},
                patient=False,
            ).status,
            429,
        )
        unknown = [
            self.ask(
                "POST", "/api/v1/login", {"name": "unguarded", "password": "guess"}, patient=False
            ).status
            for _ in range(14)
        ]
        self.assertEqual(tries, unknown)
        # From one address, its headers do not matter.
        person = Person(self.server)
        found = [
            person.ask(
                "POST",
                "/api/v1/login",
                {"name": f"someone{i}", "password": "x"},
                {"X-Forwarded-For": f"10.0.0.{i}"},
            ).status
            for i in range(60)
        ]
        self.assertIn(429, found)

    def test_a_session_does_not_help_to_guess_the_password(self):
        person = self.person("wobble")
        found = []
        for i in range(14):
            person.move()
            found.append(
                person.ask(
                    "PUT",
                    "/api/v1/me/password",
                    {"password": f"guess {i}", "new_password": "battery staple"},
                ).status
            )
        self.assertEqual(set(found), {403, 429})

    def test_logging_in_does_not_reveal_who_has_an_account(self):
        for name in ("timed1", "timed2"):
            self.person(name)
        known, unknown = [], []
        for i in range(5):
            for name, times in ((f"timed{i % 2 + 1}", known), (f"nobody{i}", unknown)):
                began = time.monotonic()
                reply = self.ask("POST", "/api/v1/login", {"name": name, "password": "wrong one"})
                times.append(time.monotonic() - began)
                self.assertEqual(
                    (reply.status, reply.json["detail"]), (401, "Wrong name or password.")
                )
        ratio = statistics.median(known) / statistics.median(unknown)
        self.assertTrue(0.4 < ratio < 2.5, ratio)

    # ---- script ----

    def test_scripts_are_rejected_or_inert_wherever_they_are_shown(self):
        invalid = [
            ("POST", "/api/v1/register", {"name": SCRIPT, "password": "correct horse"}),
            ("POST", "/api/v1/bots", {"game": "aliens", "name": SCRIPT}),
            ("POST", "/api/v1/bots", {"game": SCRIPT, "name": "x1"}),
            ("POST", "/api/v1/join", {"game": "aliens", "label": SCRIPT}),
            ("POST", "/api/v1/join", {"game": "aliens", "map": SCRIPT}),
            ("POST", "/api/v1/join", {"game": "aliens", "opponents": [SCRIPT]}),
            (
                "POST",
                "/api/v1/matches",
                {
                    "game": "aliens",
                    "map": SCRIPT,
                    "seats": [{"bot": "olivia/keeper"}, {"bot": "olivia/keeper"}],
                },
            ),
            (
                "POST",
                "/api/v1/matches",
                {"game": "aliens", "seats": [{"bot": SCRIPT}, {"language": SCRIPT, "source": "x"}]},
            ),
        ]
        for method, path, body in invalid:
            self.assertEqual(self.ask(method, path, body, "dora").status, 422, body)
        self.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "inert"}, "dora")
        reply = self.ask(
            "POST",
            "/api/v1/bots/dora/inert/versions?file_name="
            + urllib.parse.quote(SCRIPT.replace("/", "") + ".py"),
            b"x",
            "dora",
        )
        if reply.status == 201:
            source = self.ask("GET", f"/api/v1/versions/{reply.json['id']}/source", who="dora")
            self.assertEqual(source.headers["Content-Type"], "application/octet-stream")
            self.assertTrue(source.headers["Content-Disposition"].startswith("attachment"))
        for title in ("\u202esdrawkcab", "two\nlines", "\u200b", " ", "\x1b[2J"):
            body = {"name": title, "game": "aliens", "format": "swiss"}
            self.assertEqual(
                self.ask("POST", "/api/v1/tournaments", body, "olga").status, 422, ascii(title)
            )
        # Titles of tournaments and names of maps may contain anything else.
        maps = [{"name": SCRIPT, "text": SCRIPT}]
        self.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": SCRIPT, "game": "aliens", "format": "swiss", "maps": maps},
            "olga",
        )
        tournament = self.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": SCRIPT, "game": "aliens", "format": "round-robin", "games": 2},
            "olga",
        ).json["id"]
        for owner, bot in (("olivia", "keeper"), ("mallory", "other")):
            self.assertEqual(
                self.ask(
                    "POST",
                    f"/api/v1/tournaments/{tournament}/entrants",
                    {"owner": owner, "bot": bot},
                    "olga",
                ).status,
                201,
            )
        self.assertEqual(
            self.ask("POST", f"/api/v1/tournaments/{tournament}/start", who="olga").status, 200
        )
        self.wait(
            lambda: self.ask("GET", f"/api/v1/tournaments/{tournament}").json["state"] == "over"
        )
        page = self.ask("GET", f"/api/v1/tournaments/{tournament}/report.html")
        self.assertEqual(page.status, 200)
        text = page.body.decode()
        self.assertIn("alert(", text)  # the title is there
        for tag in re.findall(r"<[^>]*>", text):
            self.assertNotIn("alert(", tag)
            self.assertNotRegex(
                tag,
                r"(?i)\son\w+=|javascript:|<script\s+src"
                r"|<(iframe|object|embed|base|meta[^>]+refresh)",
            )
        for script in re.findall(r"(?s)<script>(.*?)</script>", text):
            self.assertNotIn("alert(", script)
        self.assertEqual(
            self.ask("GET", f"/api/v1/tournaments/{tournament}/standings").json["title"], SCRIPT
        )
        # Output of bots.
        reply = self.ask(
            "GET", f"/api/v1/matches/{self.things['match']}/players/0/stderr", who="olivia"
        )
        self.assertIn(b"<script>", reply.body)  # as plain text, which check_head checks

    # ---- paths and archives ----

    def test_no_path_leads_out_of_the_served_files(self):
        for path in (
            "/../../../../etc/passwd",
            "/api/v1/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/api/v1/bots/%2e%2e/%2e%2e",
            "/api/v1/bots/..%2f..%2fetc/passwd",
            "/api/v1/people/..%5c..%5cetc",
            "/api/v1/people/%00",
            "/api/v1/people/%ff",
            "/api/v1/versions/1/../source",
            "/api/v1/join/..%2f/events",
            "file:///etc/passwd",
            "/api/v1/people/%c0%ae%c0%ae%c0%af",
        ):
            reply = self.ask("GET", path, who="ada")
            self.assertIn(reply.status, (400, 404), path)
            self.assertNotIn(b"root:", reply.body)
        # Any other path serves the web interface, which contains only its own files.
        first_page = self.ask("GET", "/").body
        for path in (
            "/etc/passwd",
            "/store.sqlite",
            "/data/store.sqlite",
            "/.git/config",
            "/web/index.html",
        ):
            reply = self.ask("GET", path, who="ada")
            self.assertEqual((reply.status, reply.body), (200, first_page), path)

    def upload(self, file_name, content, who="dora"):
        if self.ask("GET", f"/api/v1/bots/{who}/archives").status == 404:
            self.assertEqual(
                self.ask(
                    "POST", "/api/v1/bots", {"game": "aliens", "name": "archives"}, who
                ).status,
                201,
            )
        return self.ask(
            "POST",
            f"/api/v1/bots/{who}/archives/versions?file_name="
            + urllib.parse.quote(file_name, safe=""),
            content,
            who,
        )

    def test_no_file_name_leads_out_of_the_upload(self):
        for name in (
            "../evil.py",
            "/evil.py",
            "a/../../evil.py",
            "..",
            ".",
            "",
            "evil.py/",
            "a\\..\\evil.py",
            "evil\x00.py",
            "evil\n.py",
            "x" * 300 + ".py",
        ):
            self.assertIn(self.upload(name, b"print()").status, (400, 422), name)
        # Odd names are allowed: shells and headers do not interpret them.
        made = [
            self.upload(name, b"print()")
            for name in (
                'quo"te.py',
                "back\\.py",
                "$(touch evil).py",
                "`id`.py",
                "a;id.py",
                "a b.py",
                "-c.py",
                "'.py",
                "\u00fc.py",
            )
        ]
        versions = [reply.json["id"] for reply in made if reply.status == 201]
        self.assertTrue(versions)
        for version in versions:
            self.wait(
                lambda: self.ask("GET", f"/api/v1/versions/{version}", who="dora").json["build"]
                != "waiting"
            )
            self.assertNotIn(
                b"uid=", self.ask("GET", f"/api/v1/versions/{version}/log", who="dora").body
            )
            source = self.ask("GET", f"/api/v1/versions/{version}/source", who="dora")
            self.assertRegex(
                source.headers["Content-Disposition"], r'^attachment; filename="[^"\\]*"$'
            )
            self.assertEqual(source.body, b"print()")
        self.assertEqual(self.outside(), [])

    def outside(self):
        return [
            os.path.join(place, name)
            for place, _, names in os.walk(self.directory)
            for name in names
            if name.startswith("evil")
        ]

    def test_archives_cannot_write_outside_their_directory(self):
        def tar(kind=None, name="evil.py", link=""):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as archive:
                info = tarfile.TarInfo(name)
                info.type = kind or tarfile.REGTYPE
                info.linkname = link
                info.size = 0 if kind else 7
                archive.addfile(info, None if kind else io.BytesIO(b"print()"))
                main = tarfile.TarInfo("bot.py")
                main.size = 7
                archive.addfile(main, io.BytesIO(b"print()"))
            return out.getvalue()

        def packed(name, mode=0o644):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                archive.writestr(info, "/etc/passwd")
                archive.writestr("bot.py", "print()")
            return out.getvalue()

        for name in ("../evil.py", "/tmp/evil.py", "a/../../evil.py"):
            self.assertEqual(self.upload("bot.tar", tar(name=name)).status, 422, name)
            self.assertEqual(self.upload("bot.zip", packed(name)).status, 422, name)
        for kind, link in (
            (tarfile.SYMTYPE, "/etc/passwd"),
            (tarfile.LNKTYPE, "../../../etc/passwd"),
            (tarfile.CHRTYPE, ""),
            (tarfile.FIFOTYPE, ""),
            (tarfile.BLKTYPE, ""),
        ):
            self.assertEqual(self.upload("bot.tar", tar(kind, "evil", link)).status, 422, kind)
        self.assertEqual(self.upload("bot.zip", packed("evil", 0o120777)).status, 422)
        self.assertEqual(self.outside(), [])

    def test_archive_bombs_are_rejected(self):
        big = io.BytesIO()
        with zipfile.ZipFile(big, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("bot.py", "w", force_zip64=True) as file:
                for _ in range(300):
                    file.write(bytes(1 << 20))
        many = io.BytesIO()
        with zipfile.ZipFile(many, "w") as archive:
            for i in range(12000):
                archive.writestr(f"{i}.py", "")
        deep = io.BytesIO()
        with zipfile.ZipFile(deep, "w") as archive:
            archive.writestr("d/" * 2000 + "bot.py", "")
        tarred = io.BytesIO()
        with gzip.GzipFile(fileobj=tarred, mode="wb") as file:
            info = tarfile.TarInfo("bot.py")
            info.size = 300 << 20
            file.write(info.tobuf())
            for _ in range(300):
                file.write(bytes(1 << 20))
        before = self.memory()
        for name, bomb in (
            ("big.zip", big),
            ("many.zip", many),
            ("deep.zip", deep),
            ("big.tar.gz", tarred),
        ):
            began = time.monotonic()
            reply = self.upload(name, bomb.getvalue(), "mallory")
            self.assertEqual(reply.status, 422, (name, reply.body))
            self.assertLess(time.monotonic() - began, 60, name)
        self.assertLess(self.memory() - before, 100 << 20)
        left = os.listdir(os.path.join(self.directory, "data", "versions"))
        self.assertEqual([name for name in left if name.startswith(".")], [])

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) << 10

    # ---- the wire ----

    def wire(self, data, seconds=5, shut=False):
        """Sends raw bytes; returns the response until the connection ends or is silent."""
        SecurityTest.address += 1
        source = f"127.2.{self.address // 250}.{self.address % 250 + 1}"
        with socket.create_connection(
            ("127.0.0.1", self.server.port), timeout=seconds, source_address=(source, 0)
        ) as wire:
            try:
                wire.sendall(data)
                if shut:
                    wire.shutdown(socket.SHUT_WR)
                answer = b""
                while True:
                    piece = wire.recv(65536)
                    if not piece:
                        return answer
                    answer += piece
            except (socket.timeout, ConnectionError):
                return answer

    def test_requests_cannot_inject_headers_or_log_lines(self):
        bad = b"\r\nSet-Cookie: injected=1"
        quoted = urllib.parse.quote(bad)
        for path in (
            f"/api/v1/people/{quoted}",
            f"/api/v1/matches?person={quoted}",
            f"/api/v1/{quoted}",
            f"/api/v1/matches/1/live?from={quoted}",
        ):
            reply = self.ask("GET", path)
            self.assertIn(reply.status, (400, 404))
            self.assertNotIn("injected", str(reply.headers))
        reply = self.upload("evil.py\r\nSet-Cookie: injected=1;.py", b"x")
        self.assertEqual(reply.status, 400)
        line = '{"time":"now","level":"error","event":"injected"}'
        for headers in (
            {"User-Agent": line},
            {"X-Forwarded-For": line},
            {"Referer": line},
            {"X-Request-Id": line},
            {"Cookie": "skirmish_session=" + line},
        ):
            self.ask("GET", "/api/v1/arena", headers=headers)
        self.ask("POST", "/api/v1/login", {"name": "x\n" + line, "password": line})
        for raw in (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x01injected\r\n\r\n",):
            self.assertTrue(self.wire(raw, 30).startswith(b"HTTP/1.1 400"), raw)

    def test_requests_cannot_be_smuggled(self):
        hidden = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        for headers in (
            b"Content-Length: 0\r\nContent-Length: 36\r\n",
            b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            b"Content-Length: -1\r\n",
            b"Content-Length: 99999999999999999999\r\n",
            b"Content-Length: 0x10\r\n",
            b"Transfer-Encoding: xchunked\r\nContent-Length: 36\r\n",
        ):
            answer = self.wire(
                b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + headers
                + b"\r\n"
                + hidden,
                30,
            )
            self.assertTrue(
                all(status.startswith(b"4") for status in re.findall(rb"HTTP/1\.1 (\d+)", answer)),
                (headers, answer),
            )

    def test_requests_that_are_too_large_are_rejected(self):
        self.assertEqual(self.ask("GET", "/api/v1/people/" + "a" * 5000).status, 414)
        self.assertEqual(
            self.ask("GET", "/healthz", headers={f"X-{i}": "y" * 1000 for i in range(15)}).status,
            431,
        )
        self.assertEqual(
            self.ask("GET", "/healthz", headers={f"X-{i}": "y" for i in range(60)}).status, 431
        )
        for method, pattern, operation in self.operations():
            if operation.get("requestBody"):
                head = f"{method} {self.address_of(method, pattern)} HTTP/1.1\r\nHost: x\r\n"
                head += f"Authorization: Bearer {TOKEN['administrators0']}\r\n"
                answer = self.wire(
                    head.encode()
                    + b"Content-Type: application/json\r\nContent-Length: 2097153\r\n"
                    + b"Expect: 100-continue\r\n\r\n",
                    30,
                )
                self.assertIn(answer[9:12], (b"413", b"403"), f"{method} {pattern}")
        self.assertEqual(
            self.ask("GET", "/api/v1/games?" + "&".join(f"a{i}=1" for i in range(40))).status, 400
        )
        deep = self.ask(
            "POST",
            "/api/v1/tournaments",
            "[" * 100000,
            "olga",
            {"Content-Type": "application/json"},
        )
        self.assertEqual(deep.status, 422)

    def test_slow_clients_delay_nobody(self):
        began = time.monotonic()
        slow = []
        for i, data in enumerate(
            [b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: "] * 30
            + [
                b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 100\r\n\r\n{"
            ]
            * 30
        ):
            wire = socket.create_connection(
                ("127.0.0.1", self.server.port), timeout=100, source_address=(f"127.3.0.{i + 1}", 0)
            )
            wire.sendall(data)
            slow.append(wire)
        began = time.monotonic()
        self.assertEqual(self.ask("GET", "/api/v1/arena").status, 200)
        self.assertLess(time.monotonic() - began, 8)  # slow clients have ten seconds
        answers = []
        for wire in slow:
            with wire:
                answers.append(wire.recv(12))
        self.assertEqual(set(answers) - {b"HTTP/1.1 408", b""}, set())
        self.assertLess(time.monotonic() - began, 100)

    # ---- SQL ----

    def test_sql_in_every_parameter_is_just_text(self):
        texts = [
            "'",
            '"',
            "' OR '1'='1",
            "x'; DROP TABLE account; --",
            "1 UNION SELECT name FROM sqlite_master",
            "%",
            "_",
            "\\",
            "a\u0000b",
            "\u202e",
            "NULL",
            "-1",
            "9" * 30,
            "1e9",
            "\U0001f600" * 8,
        ]
        people = self.ask("GET", "/api/v1/admin/accounts?limit=200", who="ada").json["items"]
        for method, pattern, operation in self.operations():
            for parameter in operation.get("parameters", []):
                for text in texts:
                    value = urllib.parse.quote(text, safe="")
                    if parameter["in"] == "path":
                        path = self.address_of(method, pattern, **{parameter["name"]: value})
                    else:
                        path = self.address_of(method, pattern) + f"?{parameter['name']}={value}"
                    if method == "GET":
                        reply = self.ask(method, path, who="administrators")
                    elif parameter["in"] == "path" and text in texts[:5]:
                        reply = self.ask(
                            method,
                            path,
                            {} if operation.get("requestBody") else None,
                            "administrators",
                        )
                    else:
                        continue
                    self.assertLess(reply.status, 500, f"{method} {path}")
                    self.assertNotIn(
                        b"sqlite", reply.body.lower().replace(text.encode().lower(), b"")
                    )
        self.assertEqual(
            self.ask(
                "GET", "/api/v1/admin/accounts?search=" + urllib.parse.quote("%"), who="ada"
            ).json["items"],
            [],
        )
        for one in self.ask("GET", "/api/v1/admin/accounts?search=_", who="ada").json["items"]:
            self.assertRegex(one["name"], "[-_]")  # which count as the same
        after = self.ask("GET", "/api/v1/admin/accounts?limit=200", who="ada").json["items"]
        self.assertEqual(
            [(one["id"], one["role"]) for one in after],
            [(one["id"], one["role"]) for one in people],
        )

    def test_sql_in_every_member_is_just_text(self):
        texts = ["'; DROP TABLE account; --", "\u0000", "' UNION SELECT 1 --", "x" * 3000]
        for method, pattern, operation in self.operations():
            content = (
                (operation.get("requestBody") or {}).get("content", {}).get("application/json")
            )
            if not content:
                continue
            schema = self.document["components"]["schemas"][
                content["schema"]["$ref"].rsplit("/", 1)[1]
            ]
            for text in texts:
                body = {name: text for name in schema["properties"]}
                self.assertIn(
                    self.ask(
                        method,
                        self.address_of(method, pattern),
                        body,
                        self.anybody(pattern),
                        patient=False,
                    ).status,
                    range(400, 500),
                )
                for name in schema["properties"]:
                    for value in (text, [text], {text: text}, None, -1, 10**30, 1.5, True):
                        if text is not texts[0] and value is not text:
                            continue
                        filled = {**self.sample(schema), name: value}
                        reply = self.ask(
                            method,
                            self.address_of(method, pattern),
                            filled,
                            self.anybody(pattern),
                            patient=False,
                        )
                        self.assertLess(reply.status, 500, f"{method} {pattern} {filled}")
            for text in ("", "[]", "null", "{", '{"a":1,"a":2}', "\ufeff{}", '"x"', "{}{}", "\x00"):
                reply = self.ask(
                    method,
                    self.address_of(method, pattern),
                    text.encode(),
                    self.anybody(pattern),
                    {"Content-Type": "application/json"},
                    patient=False,
                )
                self.assertIn(reply.status, range(200, 500))

    @staticmethod
    def anybody(pattern):
        """An account that is allowed to call the route and has nothing to lose."""
        return (
            "administrators"
            if "/admin/settings" in pattern or "/admin/inv" in pattern
            else "organisers"
            if "tournament" in pattern
            else "players"
        )

    def sample(self, schema):
        values = {
            "game": "aliens",
            "format": "swiss",
            "name": "sample",
            "seats": [{"bot": "mallory/other"}] * 2,
            "owner": "olivia",
            "bot": "keeper",
            "bots": [],
            "password": "correct horse",
            "new_password": "battery staple",
        }
        return {name: values.get(name, "x") for name in schema.get("required", [])}

    # ---- bots ----

    def test_the_length_of_a_match_is_limited(self):
        body = {
            "game": "planetwars",
            "config": json.dumps({"max_turns": 100000}),
            "turn_time": 5000,
            "seats": [{"language": "python", "source": "import time\ntime.sleep(1000000)"}] * 2,
        }
        reply = self.ask("POST", "/api/v1/matches", body, "dora")
        self.assertEqual(reply.status, 422)
        self.assertIn("can take 278 hours", reply.json["detail"])
        body.update(
            config=json.dumps({"max_turns": 100}),
            seats=[{"language": "python", "source": "pass"}] * 2,
        )
        self.assertEqual(self.ask("POST", "/api/v1/matches", body, "dora").status, 201)

    def add_bot(self, name, **files):
        """Adds a bot of mallory's; returns its version when the build has ended."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for path, text in files.items():
                archive.writestr(path.replace("_", "."), text)
        self.ask("POST", "/api/v1/bots", {"name": name, "game": "aliens"}, "mallory")
        made = self.ask(
            "POST",
            f"/api/v1/bots/mallory/{name}/versions?file_name=bot.zip",
            out.getvalue(),
            "mallory",
            {"Content-Type": "application/octet-stream"},
        )
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/versions/{made.json['id']}"
        return self.wait(
            lambda: (found := self.ask("GET", path).json)["build"] not in ("waiting", "building")
            and found
        )

    def test_a_build_that_breaks_its_own_bot_forfeits(self):
        """It neither avoids a defeat nor makes the arena read a file for the bot."""
        run = {
            "name": "x",
            "run": "exec python3 m.py",
            "build": "rm bot.json; ln -s /etc/shadow bot.json",
        }
        self.assertEqual(
            self.add_bot("spoiler", bot_json=json.dumps(run), m_py=BOT)["build"], "good"
        )
        made = self.ask(
            "POST",
            "/api/v1/matches",
            {"game": "aliens", "seats": [{"bot": "mallory/spoiler"}, {"bot": "mallory/other"}]},
            "mallory",
        )
        path = f"/api/v1/matches/{made.json['id']}"
        found = self.wait(
            lambda: (match := self.ask("GET", path).json)["state"] in ("over", "given_up") and match
        )
        self.assertEqual(
            [player["status"] for player in found["players"]], ["did not start", "ok"], found
        )
        self.assertIn("bot.json is no longer a regular file", found["players"][0]["failure"])

    def test_a_build_that_leaves_too_much_is_deleted(self):
        run = {
            "name": "x",
            "run": "exec python3 m.py",
            "build": "i=0; mkdir d; while [ $i -lt 20001 ]; do : > d/$i; i=$((i+1)); done",
        }
        version = self.add_bot("hoarder", bot_json=json.dumps(run), m_py=BOT)
        self.assertEqual(version["build"], "failed")
        self.assertIn(
            b"more than 20000 files",
            self.ask("GET", f"/api/v1/versions/{version['id']}/log", who="mallory").body,
        )
        self.assertFalse(
            os.path.exists(os.path.join(self.directory, "data", "versions", str(version["id"])))
        )

    def test_a_draft_can_access_neither_files_nor_the_network(self):
        data = os.path.join(self.directory, "data")
        source = f"""
import os, socket, sys
def attempt(name, what):
    try:
        what()
        print("REACHED", name, file=sys.stderr)
    except BaseException as error:
        print("denied", name, type(error).__name__, file=sys.stderr)
def connect(place, family=socket.AF_INET):
    wire = socket.socket(family)
    wire.settimeout(2)
    wire.connect(place)
def found():
    for name in os.listdir("/proc"):
        if name.isdigit() and b"serve" in open("/proc/" + name + "/cmdline", "rb").read():
            return
    raise OSError("none")
def outside(root):
    return [found for found in os.walk(root) if not found[0].startswith(os.getcwd())]
def files(root):
    return [name for _, _, names in outside(root) for name in names]
def folders(root):
    return [name for _, names, _ in outside(root) for name in names]
attempt("data", lambda: files({data!r})[0])
attempt("neighbours", lambda: folders(os.path.dirname(os.getcwd()))[1])
attempt("write", lambda: open(os.path.join({data!r}, "evil"), "w").write("x"))
attempt("versions", lambda: os.listdir(os.path.join({data!r}, "versions")))
attempt("shadow", lambda: open("/etc/shadow").read())
attempt("arena", lambda: connect(("127.0.0.1", {self.server.port})))
attempt("outside", lambda: connect(("192.0.2.1", 80)))
run = os.path.join({data!r}, "run")
attempt("seats", lambda: connect(os.path.join(run, os.listdir(run)[0]), socket.AF_UNIX))
attempt("processes", found)
attempt("signal", lambda: os.kill({self.server.process.pid}, 0))
attempt("trace", lambda: open("/proc/{self.server.process.pid}/mem", "rb").read(1))
attempt("environment", lambda: [name for name in os.environ if name.startswith("SKIRMISH")][0])
sys.stderr.flush()
sys.stdin.readline()
print("<script>alert(2)</script>", flush=True)
"""
        body = {
            "game": "aliens",
            "seats": [{"language": "python", "source": source}, {"bot": "mallory/other"}],
        }
        made = self.ask("POST", "/api/v1/matches", body)
        self.assertEqual(made.status, 201, made.body)
        match, key = made.json["id"], made.json["key"]
        self.wait(lambda: self.ask("GET", f"/api/v1/matches/{match}").json["state"] == "over")
        found = self.ask(
            "GET", f"/api/v1/matches/{match}"
        )  # its reason may quote the bot's output, which check_head checks
        self.assertEqual(found.headers["Content-Type"], "application/json")
        path = f"/api/v1/matches/{match}/players/0/stderr"
        self.assertEqual(self.ask("GET", path).status, 404)
        self.assertEqual(self.ask("GET", path + "?key=" + "0" * len(key)).status, 404)
        self.assertEqual(
            self.ask("GET", f"/api/v1/matches/{match}/players/1/stderr?key={key}").status, 404
        )
        output = self.ask("GET", path + "?key=" + key).body.decode()
        self.assertEqual(output.count("denied"), 12, output)
        self.assertNotIn("REACHED", output)
        self.assertEqual(self.outside(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
