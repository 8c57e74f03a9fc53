"""A whole server with accounts of every role and things that are private to olivia.

The security tests attack it.
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from accounts_server import Person, Server
from problem_text import check_problem

SEED = os.environ.get("SEED") or sys.exit("SEED must name the program that fills a store")

ROLES = {"olivia": 0, "mallory": 0, "sam": 0, "dora": 0, "olga": 1, "ada": 2, "berta": 2}
# Many accounts per role, because the rate limits of a single one would slow down tests that send
# thousands of requests.
CROWDS = {"players": 0, "organisers": 1, "administrators": 2}
CROWD = 12
ROLES.update({f"{crowd}{i}": role for crowd, role in CROWDS.items() for i in range(CROWD)})
TOKEN = {name: f"skt_{name}{7:032d}" for name in ROLES}
EXPIRED = "skt_expired" + "8" * 32
NEW_PASSWORD = "one that its owner chose"

# Private to olivia: must not appear in any response to visitors or other players.
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


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        check_problem(headers.get("Content-Type"), body)

    @property
    def json(self):
        return json.loads(self.body)


class SecurityCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-security-")
        cls.server, cls.address = None, 0
        try:
            cls.fill()
            web = os.path.join(cls.directory, "web")
            os.mkdir(web)
            with open(os.path.join(web, "index.html"), "w") as file:
                file.write("<html><head><title>x</title></head><body></body></html>")
            cls.server = Server(
                *(cls.directory, "--sandbox", "best-effort", "--ladder", "off"),
                *("--waiting-max", "50", "--bot-memory-max", "200", "--web", web),
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
        cls.olivia, cls.olivia_password = cls.new_password("olivia"), NEW_PASSWORD
        session = cls.olivia.ask("GET", "/api/v1/sessions").json["items"][0]["id"]
        # The new password has revoked her first token.
        token = cls.olivia.ask("POST", "/api/v1/tokens", {"name": NAME_MARK}).json
        TOKEN["olivia"], token = token["token"], token["id"]
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
            "worker": "nobody-0",
            "person": "olivia",
            "owner": "olivia",
            "opponent_owner": "house",
            "opponent": "aliens-medium",
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
    def new_password(cls, name):
        """Has an administrator reset the password of a seeded account, changes it to NEW_PASSWORD,
        as required, and returns the person, logged in. Resetting revokes their tokens.
        """
        reset = cls.ask("POST", f"/api/v1/admin/accounts/{name}/password", who="ada").json
        person = Person(cls.server)
        assert person.log_in(name, reset["password"]).status == 200
        change = {"password": reset["password"], "new_password": NEW_PASSWORD}
        assert person.ask("PUT", "/api/v1/me/password", change).status == 204
        return person

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
        """Fails unless every line is a JSON object and none reports an internal error."""
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
        raise AssertionError(f"the condition was not met within {seconds} seconds")

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

    def person(self, name, **more):
        person = Person(self.server)
        answer = person.register(name, **more)
        self.assertEqual(answer.status, 201, answer.body)
        return person

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
