"""Who may call which route, and read what.

The table MAY says who may call which route; a route that is not in it fails the test.
"""

import http.client
import os
import re
import subprocess
import time
import unittest

from accounts_server import Person
from security_arena import (
    BOT,
    ERROR_MARK,
    EXPIRED,
    FILE_MARK,
    MARKS,
    NAME_MARK,
    SOURCE_MARK,
    TOKEN,
    SecurityCase,
)

# Callers: (visitor, another player, organiser, administrator).
# "yes": allowed; "own": allowed, but shows only the caller's own things, never olivia's; a number:
# rejected with this status.
PUBLIC = ("yes", "yes", "yes", "yes")
OWN = (401, "own", "own", "own")
PLAYERS = (401, "yes", "yes", "yes")
SESSIONS = (401, 403, 403, 403)  # only for sessions; these callers use tokens
SEAT = (404, 404, 404, 404)  # private to olivia: not found for others
ORGANISERS = (401, 403, "yes", "yes")
ADMINISTRATORS = (401, 403, 403, "yes")
READERS = (404, 404, "yes", "yes")  # private to its owner and organisers
OWNER = (401, 403, 403, 403)
CLEANERS = (401, 403, 403, "yes")
MAY = {
    "POST /api/v1/register": PUBLIC,
    "POST /api/v1/login": PUBLIC,
    "POST /api/v1/logout": SESSIONS,
    "GET /api/v1/me": OWN,
    "DELETE /api/v1/me": SESSIONS,
    "PUT /api/v1/me/password": SESSIONS,
    "GET /api/v1/me/disk": OWN,
    "GET /api/v1/people": PUBLIC,
    "GET /api/v1/people/{person}": PUBLIC,
    "GET /api/v1/sessions": OWN,
    "DELETE /api/v1/sessions": SESSIONS,
    "DELETE /api/v1/sessions/{session}": SESSIONS,
    "GET /api/v1/tokens": OWN,
    "POST /api/v1/tokens": SESSIONS,
    "DELETE /api/v1/tokens/{token}": (401, 403, 403, 403),  # a token can revoke only itself
    "GET /api/v1/arena": PUBLIC,
    "GET /api/v1/admin/accounts": ADMINISTRATORS,
    "GET /api/v1/admin/accounts/{person}": ADMINISTRATORS,
    "PATCH /api/v1/admin/accounts/{person}": ADMINISTRATORS,
    "DELETE /api/v1/admin/accounts/{person}": ADMINISTRATORS,
    "POST /api/v1/admin/accounts/{person}/password": ADMINISTRATORS,
    "GET /api/v1/admin/invitations": (401, 403, "own", "yes"),
    "POST /api/v1/admin/invitations": ORGANISERS,
    "DELETE /api/v1/admin/invitations/{invitation}": (401, 403, 404, "yes"),  # made by ada
    "GET /api/v1/admin/settings": ADMINISTRATORS,
    "PATCH /api/v1/admin/settings": ADMINISTRATORS,
    "GET /api/v1/admin/workers": ADMINISTRATORS,
    "PATCH /api/v1/admin/workers/{worker}": (401, 403, 403, 404),  # there is no worker
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
    "DELETE /api/v1/versions/{version}": OWNER,
    "GET /api/v1/versions/{version}/log": READERS,
    "GET /api/v1/versions/{version}/check": READERS,
    "GET /api/v1/versions/{version}/diagnostics": READERS,
    "GET /api/v1/versions/{version}/source": READERS,
    "POST /api/v1/versions/{version}/activate": OWNER,
    "GET /api/v1/games": PUBLIC,
    "POST /api/v1/matches": PUBLIC,
    "GET /api/v1/matches": PUBLIC,
    "GET /api/v1/matches/{match}": PUBLIC,
    "POST /api/v1/matches/{match}/call-off": ADMINISTRATORS,  # olivia requested it
    "POST /api/v1/matches/{match}/analysis": (401, "yes", 403, "yes"),  # mallory's bot plays
    "GET /api/v1/matches/{match}/analysis": PUBLIC,
    "GET /api/v1/matches/{match}/replay": PUBLIC,
    "GET /api/v1/matches/{match}/picture": PUBLIC,
    "GET /api/v1/matches/{match}/players/{seat}/stderr": READERS,
    "GET /api/v1/matches/{match}/players/{seat}/diagnostics": READERS,
    "GET /api/v1/matches/{match}/live": PUBLIC,
    "GET /api/v1/queue": PUBLIC,
    "GET /api/v1/queue/live": PUBLIC,
    "GET /api/v1/activity/live": PUBLIC,
    "GET /api/v1/bots/{owner}/{bot}/opponents": PUBLIC,
    "GET /api/v1/bots/{owner}/{bot}/opponents/{opponent_owner}/{opponent}": PUBLIC,
    "GET /api/v1/people/{person}/achievements": PUBLIC,
    "GET /api/v1/ladders/{game}": PUBLIC,
    "GET /api/v1/ladders/{game}/live": PUBLIC,
    "GET /api/v1/ladders/{game}/bots/{owner}/{bot}": PUBLIC,
    "GET /api/v1/tournaments": PUBLIC,
    "POST /api/v1/tournaments": ORGANISERS,
    "GET /api/v1/tournaments/{tournament}": PUBLIC,
    "PUT /api/v1/tournaments/{tournament}": ORGANISERS,
    "POST /api/v1/tournaments/{tournament}/start": ORGANISERS,
    "PUT /api/v1/tournaments/{tournament}/starts": ORGANISERS,
    "POST /api/v1/tournaments/{tournament}/call-off": ORGANISERS,
    "PUT /api/v1/tournaments/{tournament}/seeding": ORGANISERS,
    "GET /api/v1/tournaments/{tournament}/entrants": PUBLIC,
    "POST /api/v1/tournaments/{tournament}/entrants": ORGANISERS,  # with olivia's bot
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
# Allowed calls would change what other tests need; other tests show that these are allowed.
SPARED = {
    "DELETE /api/v1/admin/accounts/{person}",
    "DELETE /api/v1/admin/invitations/{invitation}",
    "POST /api/v1/admin/accounts/{person}/password",
    "DELETE /api/v1/bots/{owner}/{bot}",
    "POST /api/v1/matches/{match}/call-off",
    "POST /api/v1/matches/{match}/analysis",
    "POST /api/v1/tournaments/{tournament}/call-off",
    "POST /api/v1/tournaments/{tournament}/start",
    "POST /api/v1/join",
    "DELETE /api/v1/tournaments/{tournament}/entrants/{owner}/{bot}",
    "POST /api/v1/tournaments/{tournament}/entrants",
}


def unpacked(replay):
    """The records of a replay file, which follow a head of 20 bytes."""
    return subprocess.run(
        ["zstd", "-d", "-c", "-q"], input=replay[20:], capture_output=True, check=True
    ).stdout


class AccessTest(SecurityCase):
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
            callers["sam"] = 401  # his account is suspended
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
                        and re.search(
                            r"/ladders/.*/bots/|/standings|/report.html|/analysis", pattern
                        )
                    ):  # not found, because none exists yet
                        wrong.append(
                            f"{route} by {who}: {reply.status}, not {may}: {reply.body[:100]}"
                        )
                if who not in ("olga", "ada") and any(mark in reply.body for mark in MARKS):
                    wrong.append(f"{route} shows {who} private data of olivia: {reply.body[:300]}")
                if may == "own" and b'"olivia"' in reply.body:
                    wrong.append(f"{route} shows {who} olivia's")
        self.assertEqual(wrong, [])
        # Nothing of olivia's has changed.
        self.assertEqual(self.ask("GET", "/api/v1/bots/olivia/keeper").json["published"], False)
        self.assertEqual(
            self.ask("GET", "/api/v1/bots/olivia/keeper").json["active_version"],
            self.things["version"],
        )
        self.assertEqual(self.olivia.ask("GET", "/api/v1/me").status, 200)

    def test_every_route_declares_the_scope_that_an_api_token_needs(self):
        """A token with all other scopes is rejected, and the response names the missing scope."""
        scopes = ["read", "play", "upload", "organise", "administer"]
        berta = self.new_password("berta")
        tokens = {
            scope: berta.ask(
                "POST",
                "/api/v1/tokens",
                {"name": "all but " + scope, "scopes": [s for s in scopes if s != scope]},
            ).json["token"]
            for scope in scopes
        }
        found = set()
        for method, pattern, operation in self.operations():
            schemes = {
                name: needed
                for scheme in operation.get("security", [])
                for name, needed in scheme.items()
            }
            route = f"{method} {pattern}"
            if route in ("POST /api/v1/register", "POST /api/v1/login"):
                self.assertEqual(schemes, {})
                continue
            self.assertIn("session", schemes, route)
            if "token" not in schemes:
                for token in tokens.values():
                    reply = self.call(method, pattern, token)
                    self.assertEqual(reply.status, 403, route)
                    self.assertIn("API tokens cannot be used for this", reply.json["detail"])
                continue
            self.assertEqual(len(schemes["token"]), 1, route)
            scope = schemes["token"][0]
            found.add(scope)
            reply = self.call(method, pattern, tokens[scope])
            self.assertEqual(reply.status, 403, f"{route} {reply.body}")
            self.assertIn(f'the scope "{scope}"', reply.json["detail"])
        self.assertEqual(found, set(scopes))

    def test_the_rights_of_a_role_need_its_scope(self):
        version = self.things["version"]
        olga = self.new_password("olga")
        TOKEN["olga"] = olga.ask(
            "POST",
            "/api/v1/tokens",
            {"name": "all", "scopes": ["read", "play", "upload", "organise"]},
        ).json["token"]
        reader = olga.ask("POST", "/api/v1/tokens", {"name": "reader", "scopes": ["read"]}).json
        self.assertEqual(reader["scopes"], ["read"])
        source = f"/api/v1/versions/{version}/source"
        self.assertEqual(olga.ask("GET", source).status, 200)
        self.assertEqual(self.ask("GET", source, who="olga").status, 200)
        self.assertEqual(self.ask("GET", source, who=reader["token"]).status, 404)
        # Nobody gets a scope that their role cannot use.
        for scopes in (["administer"], ["read", "root"], [], "read", [1]):
            reply = olga.ask("POST", "/api/v1/tokens", {"name": "more", "scopes": scopes})
            self.assertEqual(reply.status, 422, scopes)

    def test_the_owner_can_read_what_others_cannot(self):
        """Otherwise, empty responses would satisfy the table too."""
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
        self.assertEqual(texts[1].status, 404)  # the seat is mallory's
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

    def test_reading_the_source_of_another_account_is_recorded(self):
        def entries():
            rows = self.ask("GET", "/api/v1/admin/audit?limit=200", who="ada").json["items"]
            return [row for row in rows if row["action"] == "source.read"]

        source = f"/api/v1/versions/{self.things['version']}/source"
        before = len(entries())
        self.assertEqual(self.olivia.ask("GET", source).status, 200)
        self.assertEqual(self.ask("GET", source, who="mallory").status, 404)
        self.assertEqual(len(entries()), before)
        self.assertEqual(self.ask("GET", source, who="organisers0").status, 200)
        found = entries()
        self.assertEqual(len(found), before + 1)
        self.assertEqual(found[0]["person"], "organisers0")
        self.assertRegex(found[0]["subject"], r"^bot \d+$")
        self.assertIn(str(self.things["version"]), found[0]["detail"])

    def test_matches_do_not_name_a_deleted_account(self):
        vera = self.person("veramarkov")
        bodies = [
            {"game": "aliens", "person": True, "opponents": ["mallory/other"]},
            {"game": "aliens", "opponents": ["mallory/other"]},
            {"game": "aliens", "label": "veralabel", "opponents": ["mallory/other"]},
        ]
        matches = []
        for body in bodies:
            made = vera.ask("POST", "/api/v1/join", body)
            self.assertEqual(made.status, 201, made.body)
            matches.append(made.json["match"])
            name = self.ask("GET", f"/api/v1/matches/{matches[-1]}").body
            self.assertIn(b"veramarkov", name)
            self.assertEqual(vera.ask("DELETE", f"/api/v1/join/{made.json['seat']}").status, 204)
        self.assertEqual(
            vera.ask("DELETE", "/api/v1/me", {"password": "correct horse"}).status, 204
        )
        for path in [f"/api/v1/matches/{match}" for match in matches] + ["/api/v1/matches"]:
            body = self.ask("GET", path).body
            self.assertNotIn(b"veramarkov", body)
            self.assertNotIn(b"veralabel", body)
            self.assertIn(b"deleted account", body)

    def test_nothing_names_a_deleted_account(self):
        names = (b"quillon", b"vexatious", b"vexlabel")
        token = self.make_quillon()
        bots = [{"bot": "quillon/vexatious"}, {"bot": "mallory/other"}]
        body = {"game": "aliens", "seats": bots}
        matches = [self.ask("POST", "/api/v1/matches", body, token).json["id"]]
        subprocess.run(
            [
                *(
                    os.environ["SKIRMISH"],
                    "join",
                    f"http://127.0.0.1:{self.server.port}",
                    "--game",
                    "aliens",
                ),
                *("--token", token, "--against", "mallory/other", "--label", "vexlabel"),
                *("--sandbox", "none", "--", "python3 -c 'while input(): print([], flush=True)'"),
            ],
            check=True,
            capture_output=True,
        )
        matches.append(self.ask("GET", "/api/v1/matches", who=token).json["items"][0]["id"])
        for match in matches:
            self.wait(lambda at=match: self.match(at)["state"] == "over")
        cups = [self.start_cup(token, rounds) for rounds in (1, 200)]
        self.wait(lambda: self.cup(cups[0])["state"] == "over")
        self.assertEqual(self.cup(cups[1])["state"], "running")

        shown = self.paths_that_contain(names, matches, cups, last=matches[-1])
        for path in (
            *(f"/api/v1/matches/{matches[0]}", f"/api/v1/matches/{matches[1]}/replay"),
            *(f"/matches/{matches[0]}", "/api/v1/matches", "/api/v1/people?search=quill"),
            *("/api/v1/bots?search=vexat", "/api/v1/tournaments"),
            "/api/v1/bots/mallory/other/opponents",
            *(f"/api/v1/tournaments/{cups[0]}/{what}" for what in ("standings", "live")),
            f"/api/v1/tournaments/{cups[0]}/report.html",
            "/api/v1/activity/live",
        ):
            self.assertIn(path, shown)
        deleted = self.ask("DELETE", "/api/v1/admin/accounts/quillon", who="ada")
        self.assertEqual(deleted.status, 204)
        self.wait(lambda: self.cup(cups[1])["state"] == "over")  # by forfeits
        body = {"game": "aliens", "seats": [{"bot": "mallory/other"}] * 2}
        last = self.ask("POST", "/api/v1/matches", body, "mallory").json["id"]
        self.assertEqual(self.paths_that_contain(names, matches, cups, last=last), [])
        for match in matches:
            reply = self.ask("GET", f"/api/v1/matches/{match}/replay", who="ada")
            path = os.path.join(self.directory, "nameless.skr")
            with open(path, "wb") as file:
                file.write(reply.body)
            subprocess.run(
                [os.environ["SKIRMISH"], "replay", "verify", path], check=True, capture_output=True
            )
            self.assertRegex(unpacked(reply.body), rb'"name":"deleted[- ]')

    def make_quillon(self):
        """Creates an organiser with a bot; returns a token."""
        quillon = self.person("quillon")
        promoted = self.ask("PATCH", "/api/v1/admin/accounts/quillon", {"role": "organiser"}, "ada")
        self.assertEqual(promoted.status, 200)
        scopes = ["read", "play", "upload", "organise"]
        token = quillon.ask("POST", "/api/v1/tokens", {"name": "x", "scopes": scopes})
        token = token.json["token"]
        bot = {"game": "aliens", "name": "vexatious"}
        self.assertEqual(self.ask("POST", "/api/v1/bots", bot, token).status, 201)
        path = "/api/v1/bots/quillon/vexatious"
        made = self.ask("POST", path + "/versions?file_name=bot.py", BOT.encode(), token)
        self.assertEqual(made.status, 201)
        self.wait(lambda: self.ask("GET", path).json["active_version"])
        return token

    def match(self, match):
        return self.ask("GET", f"/api/v1/matches/{match}").json

    def cup(self, cup):
        return self.ask("GET", f"/api/v1/tournaments/{cup}").json

    def start_cup(self, token, rounds):
        plan = {"name": "cup", "game": "aliens", "format": "round-robin", "rounds": rounds}
        cup = self.ask("POST", "/api/v1/tournaments", plan, token).json["id"]
        path = f"/api/v1/tournaments/{cup}"
        for owner, bot in (("quillon", "vexatious"), ("mallory", "other")):
            entry = {"owner": owner, "bot": bot}
            entered = self.ask("POST", path + "/entrants", entry, token)
            self.assertEqual(entered.status, 201, entered.body)
        self.assertEqual(self.ask("POST", path + "/start", who=token).status, 200)
        return cup

    def paths_that_contain(self, names, matches, cups, last):
        """The paths, except the audit log, whose responses to visitors, players, organisers or
        administrators contain one of the names. Reads activities up to the start of match `last`.
        """
        paths = [
            *("/api/v1/matches", "/api/v1/people", "/api/v1/people?search=quill"),
            *("/api/v1/bots", "/api/v1/bots?search=vexat", "/api/v1/bots?game=aliens"),
            *("/api/v1/ladders/aliens", "/api/v1/tournaments", "/api/v1/queue"),
            *("/api/v1/bots/mallory/other/opponents", "/api/v1/people/mallory/achievements"),
            *("/api/v1/admin/accounts", "/api/v1/admin/accounts?search=quill"),
            *("/api/v1/admin/invitations", "/api/v1/admin/settings"),
        ]
        for match in matches:
            paths.append(f"/api/v1/matches/{match}")
            paths += [f"/matches/{match}", f"/api/v1/matches/{match}/replay"]
            version = self.match(match)["players"][0]["version"]
            paths += [f"/api/v1/versions/{version}"] if version else []
        for cup in cups:
            cup = f"/api/v1/tournaments/{cup}"
            paths += [cup] + [
                f"{cup}/{what}"
                for what in ("entrants", "standings", "standings.csv", "report.html")
            ]
        texts = {}
        for path in paths:
            for who in (None, "mallory", "olga", "ada"):
                text = self.ask("GET", path, who=who).body
                text = unpacked(text) if path.endswith("/replay") else text
                texts[path] = texts.get(path, b"") + text
        # A finished tournament sends its history and ends.
        texts[f"/api/v1/tournaments/{cups[0]}/live"] = self.stream(
            f"/api/v1/tournaments/{cups[0]}/live", None
        )
        if self.cup(cups[1])["state"] == "over":
            path = f"/api/v1/tournaments/{cups[1]}/live"
            texts[path] = self.stream(path, None)
        texts["/api/v1/activity/live"] = self.stream(
            "/api/v1/activity/live", b'"id":%d,' % last, {"Last-Event-ID": "0"}
        )
        return [path for path, text in texts.items() if any(name in text for name in names)]

    def stream(self, path, until, headers=None):
        """Returns what a stream sends up to a line that contains `until`, or up to its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        deadline = time.monotonic() + 120
        text = b""
        try:
            connection.request("GET", path, headers=headers or {})
            for line in connection.getresponse():
                text += line
                self.assertLess(time.monotonic(), deadline, text)
                if until and until in line:
                    break
        finally:
            connection.close()
        return text

    def test_activities_after_a_deletion_are_not_lost(self):
        for name in ("gone1", "gone2", "gone3"):
            account = self.person(name)
            deleted = account.ask("DELETE", "/api/v1/me", {"password": "correct horse"})
            self.assertEqual(deleted.status, 204)
            body = {"game": "aliens", "seats": [{"bot": "mallory/other"}] * 2}
            match = self.ask("POST", "/api/v1/matches", body, "mallory").json["id"]
            self.wait(lambda at=match: self.match(at)["state"] == "over")
            self.stream("/api/v1/activity/live", b'"id":%d,' % match, {"Last-Event-ID": "0"})

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
        cookie, csrf_token = quinn.cookie, quinn.csrf_token
        self.assertEqual(
            quinn.ask("DELETE", "/api/v1/me", {"password": "correct horse"}).status, 204
        )
        quinn.cookie, quinn.csrf_token = cookie, csrf_token
        self.assertEqual(quinn.ask("GET", "/api/v1/me").status, 401)
        self.assertEqual(self.ask("GET", "/api/v1/me", who=token).status, 401)
        self.assertEqual(self.ask("GET", "/api/v1/people/quinn").status, 404)
        self.assertEqual(self.ask("GET", "/api/v1/bots/quinn/gone").status, 404)
        self.assertEqual(Person(self.server).log_in("quinn").status, 401)
        for who in (None, "mallory"):
            reply = self.ask("GET", f"/api/v1/versions/{made['id']}/source", who=who)
            self.assertEqual(reply.status, 404)
        # A new owner of the name gets nothing of the first owner's.
        again = self.person("quinn")
        self.assertEqual(again.ask("GET", "/api/v1/tokens").json["items"], [])
        self.assertEqual(again.ask("GET", f"/api/v1/versions/{made['id']}/source").status, 404)


if __name__ == "__main__":
    unittest.main(verbosity=2)
