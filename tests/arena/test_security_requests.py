"""Hostile requests: scripts, paths, header injection, smuggling, slow clients, SQL."""

import re
import socket
import time
import unittest
import urllib.parse

from security_arena import SCRIPT, TOKEN, SecurityCase


class RequestsTest(SecurityCase):
    # ---- scripts and paths ----

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
        # Titles of tournaments and names of maps may contain any other characters.
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
        self.assertIn("alert(", text)  # the page has the title
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

    # ---- the wire ----

    def wire(self, data, seconds=5, shut=False):
        """Sends raw bytes; returns the response until the connection ends or is silent."""
        type(self).address += 1
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
        for raw in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x01injected\r\n\r\n",):
            self.assertTrue(self.wire(raw, 30).startswith(b"HTTP/1.1 400"), raw)

    def test_requests_cannot_be_smuggled(self):
        hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for headers in (
            b"Content-Length: 0\r\nContent-Length: 36\r\n",
            b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            b"Content-Length: -1\r\n",
            b"Content-Length: 99999999999999999999\r\n",
            b"Content-Length: 0x10\r\n",
            b"Transfer-Encoding: xchunked\r\nContent-Length: 36\r\n",
        ):
            answer = self.wire(
                b"POST /api/v1/login HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\n"
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
                head = f"{method} {self.address_of(method, pattern)} HTTP/1.1\r\nHost: [::1]\r\n"
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

    def withhold(self, method, path, size, who=None, kind="application/json"):
        """Announces a body, sends nothing of it, and returns the status."""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
        head += f"Content-Length: {size}\r\n"
        if who:
            head += f"Authorization: Bearer {TOKEN[who]}\r\n"
        answer = self.wire(head.encode() + b"\r\n", 30)
        return int(answer[9:12] or 0)

    def test_rights_and_length_are_checked_before_a_body_is_read(self):
        anyone = {
            "POST /api/v1/register",
            "POST /api/v1/login",
            "POST /api/v1/matches",
            "POST /api/v1/join",
        }
        # Routes to olivia's own things. The others need a role, which other accounts may have.
        owned = {
            "PATCH /api/v1/bots/{owner}/{bot}",
            "POST /api/v1/bots/{owner}/{bot}/versions",
            "POST /api/v1/join/{seat}/answers",
        }
        walked = set()
        for method, pattern, operation in self.operations():
            if not operation.get("requestBody"):
                continue
            route = f"{method} {pattern}"
            walked.add(route)
            path = self.address_of(method, pattern)
            self.assertIn(self.withhold(method, path, 64 << 20), (401, 403, 404, 413, 429), route)
            if route not in anyone:
                self.assertIn(self.withhold(method, path, 900), (401, 403, 404), route)
            if route in owned:
                self.assertIn(self.withhold(method, path, 900, "mallory"), (403, 404), route)
        self.assertLessEqual(anyone | owned, walked)
        absent = self.address_of("", "/api/v1/tournaments/{tournament}", tournament=10**9)
        for method, path in (
            ("PUT", absent),
            ("PUT", absent + "/starts"),
            ("PUT", absent + "/seeding"),
            ("POST", absent + "/entrants"),
        ):
            self.assertEqual(self.withhold(method, path, 900, "olga"), 404, path)

    def test_slow_clients_delay_nobody(self):
        began = time.monotonic()
        slow = []
        for i, data in enumerate(
            [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "] * 30
            + [
                b"POST /api/v1/login HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\n"
                b"Content-Length: 100\r\n\r\n{"
            ]
            * 30
        ):
            wire = socket.create_connection(
                ("127.0.0.1", self.server.port), timeout=100, source_address=(f"127.3.0.{i + 1}", 0)
            )
            wire.sendall(data)
            slow.append(wire)
        asked = time.monotonic()
        self.assertEqual(self.ask("GET", "/api/v1/arena").status, 200)
        self.assertLess(time.monotonic() - asked, 8)  # slow clients have ten seconds
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
            self.assertRegex(one["name"], "[-_]")  # hyphens and underscores are equal in names
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
