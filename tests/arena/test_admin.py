"""What administrators, and only they, can do."""

import contextlib
import ctypes
import datetime
import json
import os
import pty
import re
import shutil
import sqlite3
import stat
import subprocess
import tempfile
import time
import unittest
import urllib.parse

import accounts_server
from accounts_server import Person, Server, ServerTest

ACCOUNTS = "/api/v1/admin/accounts"
ACCOUNT = "/api/v1/admin/accounts/{person}"
INVITATIONS = "/api/v1/admin/invitations"
SETTINGS = "/api/v1/admin/settings"
AUDIT = "/api/v1/admin/audit"
WORKERS = "/api/v1/admin/workers"
WORKER = "/api/v1/admin/workers/{worker}"
DAY_MS = 86400000


class Administration(ServerTest):
    def tearDown(self):
        self.admin.move()
        self.does(
            self.admin,
            200,
            "PATCH",
            SETTINGS,
            {"registration": "open", "visitors": True, "ladder": False},
        )

    def change(self, name, status=200, **body):
        return self.does(self.admin, status, "PATCH", ACCOUNT, body, person=name)

    def audit(self, action):
        return [
            entry
            for entry in self.does(self.admin, 200, "GET", AUDIT)["items"]
            if entry["action"] == action
        ]

    def test_only_administrators_have_access(self):
        player, organiser, visitor = (
            self.person("climber"),
            self.person("half-way"),
            Person(self.server),
        )
        self.change("half-way", role="organiser")
        routes = 0
        for pattern, operations in self.document["paths"].items():
            for method, operation in operations.items():
                if operation.get("x-role") != "administrator":
                    self.assertTrue(
                        "/admin/" not in pattern or pattern.startswith(INVITATIONS), pattern
                    )
                    continue
                path = pattern.format(person="climber", invitation=1, worker="engine")
                body = {"role": "administrator", "suspended": False} if method == "patch" else None
                self.wants(visitor.ask(method.upper(), path, body), 401)
                self.wants(player.ask(method.upper(), path, body), 403)
                self.wants(organiser.ask(method.upper(), path, body), 403)
                routes += 1
        self.assertGreaterEqual(routes, 8)
        self.assertEqual(self.does(player, 200, "GET", "/api/v1/me")["role"], "player")

    def test_nobody_can_make_themselves_an_administrator(self):
        for extra in [{"role": "administrator"}, {"role": 2}, {"id": 1}, {"account": 1}]:
            self.wants(Person(self.server).register("escalator", **extra), 422)
        person = self.person("escalator")
        self.does(person, 422, "POST", "/api/v1/tokens", {"name": "x", "role": "administrator"})
        self.does(person, 422, "POST", "/api/v1/tokens", {"name": "x", "account": 1})
        self.assertEqual(self.does(person, 200, "GET", "/api/v1/me")["role"], "player")

    def test_a_new_role_takes_effect_with_the_next_request(self):
        person = self.person("riser")
        self.does(person, 403, "GET", ACCOUNTS)
        self.change("riser", role="administrator")
        self.does(person, 200, "GET", ACCOUNTS)
        self.change("riser", role="player")
        self.does(person, 403, "GET", ACCOUNTS)
        self.assertEqual(
            [
                entry["detail"]
                for entry in self.audit("account.role")
                if entry["subject"] == "riser"
            ],
            ["from administrator to player", "from player to administrator"],
        )
        self.change("riser", 422, role="king")
        self.change("riser", 422, suspended="yes")
        self.change("nobody-at-all", 404, role="player")

    def test_a_suspended_account_loses_access_at_once(self):
        person = self.person("rowdy")
        program = Person(self.server)
        program.token = self.does(person, 201, "POST", "/api/v1/tokens", {"name": "laptop"})[
            "token"
        ]
        self.assertEqual(self.change("rowdy", suspended=True)["state"], "suspended")
        self.does(person, 401, "GET", "/api/v1/me")
        self.does(program, 401, "GET", "/api/v1/me")
        self.assertIn("suspended", self.wants(Person(self.server).log_in("rowdy"), 403))
        self.assertNotIn(
            "suspended", self.wants(Person(self.server).log_in("rowdy", "not this one"), 401)
        )
        self.assertEqual(self.change("rowdy", suspended=False)["state"], "active")
        self.does(person, 401, "GET", "/api/v1/me")  # the session stays revoked
        self.wants(Person(self.server).log_in("rowdy"), 200)

    def test_the_last_administrator_cannot_be_removed(self):
        self.change("admin", 422, role="player")
        self.change("admin", 422, suspended=True)
        self.does(self.admin, 422, "DELETE", ACCOUNT, person="admin")
        self.does(self.admin, 422, "DELETE", "/api/v1/me", {"password": self.server.password})
        self.does(self.admin, 200, "GET", ACCOUNTS)

    def test_an_administrator_can_delete_an_account(self):
        person = self.person("unwanted")
        self.does(self.admin, 204, "DELETE", ACCOUNT, person="unwanted")
        self.does(person, 401, "GET", "/api/v1/me")
        self.does(self.admin, 404, "GET", ACCOUNT, person="unwanted")
        self.assertIn(
            "deleted",
            [row["state"] for row in self.does(self.admin, 200, "GET", ACCOUNTS)["items"]],
        )

    def test_a_forgotten_password_is_replaced_by_one_that_is_shown_once(self):
        person = self.person("forgetful")
        answer = self.admin.ask("POST", ACCOUNT.format(person="forgetful") + "/password")
        fresh = self.wants(answer, 200, "POST", ACCOUNT + "/password")["password"]
        self.does(person, 401, "GET", "/api/v1/me")
        self.wants(Person(self.server).log_in("forgetful"), 401)
        self.assertTrue(self.wants(person.log_in("forgetful", fresh), 200)["must_change_password"])
        detail = self.does(person, 403, "POST", "/api/v1/tokens", {"name": "x"})
        self.assertIn("Choose a new password first", detail)
        change = {"password": fresh, "new_password": "correct horse"}
        self.does(person, 204, "PUT", "/api/v1/me/password", change)
        self.assertFalse(self.does(person, 200, "GET", "/api/v1/me")["must_change_password"])
        self.does(person, 201, "POST", "/api/v1/tokens", {"name": "x"})
        self.assertNotIn(fresh, str(self.does(self.admin, 200, "GET", AUDIT)))
        self.assertNotIn(fresh, self.server.log())

    def test_accounts_are_listed_in_pages_and_searched_by_part_of_the_name(self):
        for name in ["Page_one", "page-two", "a-page-three"]:
            self.person(name)

        def search(text):
            answer = self.admin.ask("GET", ACCOUNTS + "?search=" + text)
            return [row["name"] for row in self.wants(answer, 200, "GET", ACCOUNTS)["items"]]

        self.assertEqual(search("PAGE"), ["a-page-three", "page-two", "Page_one"])
        self.assertEqual(search("page_t"), ["a-page-three", "page-two"])
        for nothing in ["%25", "_%25", "'%20OR%201=1--", "%5C", "%20", "x" * 64]:
            self.assertEqual(search(nothing), [], nothing)
        names, cursor = [], ""
        while cursor is not None:
            page = self.wants(
                self.admin.ask("GET", ACCOUNTS + "?limit=2" + cursor), 200, "GET", ACCOUNTS
            )
            names += [row["name"] for row in page["items"]]
            cursor = page["next"] and "&cursor=" + page["next"]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"admin", "Page_one", "page-two"}, set(names))
        self.wants(self.admin.ask("GET", ACCOUNTS + "?cursor=nonsense"), 400)
        self.wants(self.admin.ask("GET", ACCOUNTS + "?limit=0"), 400)

    def test_an_invitation_code_admits_registrations_until_it_is_used_up(self):
        self.does(self.admin, 200, "PATCH", SETTINGS, {"registration": "invitation"})
        self.wants(Person(self.server).register("uninvited"), 403)
        made = self.does(
            self.admin,
            201,
            "POST",
            INVITATIONS,
            {"note": "<b>course</b>", "uses": 2, "role": "organiser", "days": 3},
        )
        self.assertEqual((made["left"], made["note"]), (2, "<b>course</b>"))
        self.wants(Person(self.server).register("guest-zero", invitation="wrong"), 422)
        for name in ["guest-one", "guest-two"]:
            answer = Person(self.server).register(name, invitation=made["code"])
            self.assertEqual(self.wants(answer, 201)["role"], "organiser")
        self.wants(Person(self.server).register("guest-three", invitation=made["code"]), 422)
        listed = self.admin.ask("GET", INVITATIONS)
        self.assertNotIn(made["code"].encode(), listed.body)
        row = [
            row
            for row in self.wants(listed, 200, "GET", INVITATIONS)["items"]
            if row["id"] == made["id"]
        ][0]
        self.assertEqual(row["left"], 0)

    def test_a_failed_registration_does_not_use_up_the_invitation(self):
        made = self.does(self.admin, 201, "POST", INVITATIONS, {})
        self.wants(Person(self.server).register("admin", invitation=made["code"]), 409)
        self.wants(
            Person(self.server).register("short-word", "short", invitation=made["code"]), 422
        )
        self.wants(Person(self.server).register("invited-once", invitation=made["code"]), 201)

    def test_a_revoked_invitation_is_rejected(self):
        made = self.does(self.admin, 201, "POST", INVITATIONS, {"uses": 5})
        self.does(self.admin, 204, "DELETE", INVITATIONS + "/{invitation}", invitation=made["id"])
        self.does(self.admin, 404, "DELETE", INVITATIONS + "/{invitation}", invitation=made["id"])
        self.wants(Person(self.server).register("too-late", invitation=made["code"]), 422)
        for body in [
            {"uses": 0},
            {"uses": 10001},
            {"days": 0},
            {"role": "god"},
            {"note": "x" * 97},
            {"note": "a\nb"},
            {"creator": 1},
        ]:
            self.does(self.admin, 422, "POST", INVITATIONS, body)

    def test_organisers_invite_players_and_see_only_their_own_invitations(self):
        player, organiser, visitor = (
            self.person("bystander"),
            self.person("inviter"),
            Person(self.server),
        )
        self.change("inviter", role="organiser")
        for who, status in ((visitor, 401), (player, 403)):
            self.does(who, status, "GET", INVITATIONS)
            self.does(who, status, "POST", INVITATIONS, {})
            self.does(who, status, "DELETE", INVITATIONS + "/{invitation}", invitation=1)
        others = self.does(self.admin, 201, "POST", INVITATIONS, {"note": "of the admin's"})
        for role in ("organiser", "administrator"):
            self.does(organiser, 403, "POST", INVITATIONS, {"role": role})
        made = self.does(organiser, 201, "POST", INVITATIONS, {"note": "class of today", "uses": 2})
        self.assertEqual(
            [row["note"] for row in self.does(organiser, 200, "GET", INVITATIONS)["items"]],
            ["class of today"],
        )
        notes = [row["note"] for row in self.does(self.admin, 200, "GET", INVITATIONS)["items"]]
        self.assertEqual(notes[:2], ["class of today", "of the admin's"])
        self.assertEqual(
            self.wants(Person(self.server).register("of-the-class", invitation=made["code"]), 201)[
                "role"
            ],
            "player",
        )
        self.does(organiser, 404, "DELETE", INVITATIONS + "/{invitation}", invitation=others["id"])
        self.does(organiser, 204, "DELETE", INVITATIONS + "/{invitation}", invitation=made["id"])
        self.wants(Person(self.server).register("of-the-class-too", invitation=made["code"]), 422)
        self.wants(Person(self.server).register("of-the-admin", invitation=others["code"]), 201)

    def test_closed_registration_rejects_invitations_too(self):
        made = self.does(self.admin, 201, "POST", INVITATIONS, {})
        self.does(self.admin, 200, "PATCH", SETTINGS, {"registration": "closed"})
        self.assertEqual(
            self.does(Person(self.server), 200, "GET", "/api/v1/arena")["registration"], "closed"
        )
        self.wants(Person(self.server).register("outsider", invitation=made["code"]), 403)

    def test_settings_change_separately_and_are_logged(self):
        self.does(self.admin, 200, "PATCH", SETTINGS, {"visitors": False})
        settings = self.does(self.admin, 200, "GET", SETTINGS)
        self.assertEqual(settings, {"registration": "open", "visitors": False, "ladder": False})
        entry = self.audit("settings.change")[0]
        self.assertEqual(
            (entry["person"], entry["subject"], entry["detail"]), ("admin", "visitors", "off")
        )
        for body in [{"visitors": 1}, {"registration": "ajar"}, {"colour": "red"}]:
            self.does(self.admin, 422, "PATCH", SETTINGS, body)

    # ---- the machine that plays ----

    def worker(self):
        (worker,) = self.does(self.admin, 200, "GET", WORKERS)["items"]
        return worker

    def ask_worker(self, wanted, status=200):
        return self.does(
            self.admin, status, "PATCH", WORKER, {"wanted": wanted}, worker=self.worker()["name"]
        )

    def play(self):
        seats = [{"bot": "house/planetwars-random"}] * 2
        made = self.admin.ask("POST", "/api/v1/matches", {"game": "planetwars", "seats": seats})
        self.assertEqual(made.status, 201, made.body)
        return made.json["id"]

    def wait_for_match(self, match, state):
        def get():
            return self.does(self.admin, 200, "GET", "/api/v1/matches/{match}", match=match)

        accounts_server.wait_for(lambda: get()["state"] == state)
        return get()

    def test_the_worker_is_listed_and_its_machine_is_recorded_with_matches(self):
        worker = self.worker()
        self.assertEqual(worker["kind"], "serve")
        self.assertEqual(worker["machine"], os.uname().nodename)
        self.assertEqual((worker["state"], worker["wanted"]), ("running", "play"))
        self.assertGreater(worker["speed"], 0)
        self.assertGreater(worker["runners"], 0)
        match = self.wait_for_match(self.play(), "over")
        self.assertEqual((match["machine"], match["speed"]), (worker["machine"], worker["speed"]))
        metrics = self.admin.ask("GET", "/metrics").body.decode()
        self.assertIn('skirmish_workers{state="running"} 1\n', metrics)

    def test_a_drained_or_blocked_worker_plays_nothing_until_it_is_resumed(self):
        for wanted, state, action in (
            ("drain", "drained", "worker.drain"),
            ("block", "blocked", "worker.block"),
        ):
            self.assertEqual(self.ask_worker(wanted)["wanted"], wanted)
            match = self.play()
            # The state changes when the engine has received the order.
            accounts_server.wait_for(lambda: self.worker()["state"] == state)
            row = self.does(self.admin, 200, "GET", "/api/v1/matches/{match}", match=match)
            self.assertEqual(row["state"], "waiting")
            self.assertEqual((row["machine"], row["speed"]), (None, None))
            self.assertEqual(self.ask_worker("play")["wanted"], "play")
            self.wait_for_match(match, "over")
            accounts_server.wait_for(lambda: self.worker()["state"] == "running")
            entry = self.audit(action)[0]
            self.assertEqual((entry["person"], entry["subject"]), ("admin", "engine"))
        self.ask_worker("rest", 422)
        self.does(self.admin, 404, "PATCH", WORKER, {"wanted": "play"}, worker="nobody")

    def test_the_audit_log_can_be_filtered_by_person(self):
        self.person("doer").ask("POST", "/api/v1/tokens", {"name": "forged\u2028line"})
        doer = Person(self.server)
        doer.log_in("doer")
        doer.ask("POST", "/api/v1/tokens", {"name": "<i>x</i>"})
        answer = self.admin.ask("GET", AUDIT + "?person=doer")
        entries = self.wants(answer, 200, "GET", AUDIT)["items"]
        self.assertEqual(
            [(entry["action"], entry["subject"]) for entry in entries],
            [("token.make", "<i>x</i>"), ("account.register", "doer")],
        )
        self.assertEqual(entries[0]["address"], doer.address)
        self.wants(self.admin.ask("GET", AUDIT + "?person=nobody-at-all"), 404)


class HostileFields(ServerTest):
    """Fills every parameter and every text of every body in the document with hostile values."""

    TEXTS = [
        "'; DROP TABLE accounts; --",
        "<script>alert(1)</script>",
        "a\r\nX-Forged: 1",
        "a\x00b",
        "%n%s{}",
        "x" * 40,
        "\U0001f600" * 90,
    ]

    def attempts(self, pattern, operation):
        """Paths and bodies, each with one hostile text."""
        schemas = self.document["components"]["schemas"]
        body = None
        if operation.get("requestBody", {}).get("content", {}).get("application/json"):
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            members = schemas[schema["$ref"].rsplit("/", 1)[1]].get("properties", {})
            body = {
                name: "x" * 10 for name, member in members.items() if member.get("type") == "string"
            }
        names = [parameter["name"] for parameter in operation["parameters"]]
        for text in self.TEXTS:
            quoted = urllib.parse.quote(text, safe="")
            for name in names:
                if "{" + name + "}" in pattern:
                    yield re.sub(r"\{.*?\}", "1", pattern.replace("{" + name + "}", quoted)), body
                else:
                    yield re.sub(r"\{.*?\}", "1", pattern) + "?" + name + "=" + quoted, body
            for name in body or {}:
                yield re.sub(r"\{.*?\}", "1", pattern), dict(body, **{name: text})

    def test_hostile_texts_break_and_forge_nothing(self):
        requests = 0
        for pattern, operations in self.document["paths"].items():
            for method, operation in operations.items():
                attempts = list(self.attempts(pattern, operation))
                if not attempts:
                    continue
                self.admin.move()
                person = self.person("prober-" + str(requests))
                self.does(
                    self.admin, 200, "PATCH", ACCOUNT, {"role": "administrator"}, person=person.name
                )
                person.token = self.does(person, 201, "POST", "/api/v1/tokens", {"name": "probe"})[
                    "token"
                ]
                person.cookie = person.csrf_token = None
                for path, body in attempts:
                    person.move()
                    answer = person.ask(method.upper(), path, body)
                    self.assertLess(answer.status, 500, (method, path, body, answer.body))
                    self.assertNotIn("X-Forged", answer.headers)
                    person.cookie = person.csrf_token = None
                    requests += 1
        self.assertGreater(requests, 100)
        self.admin.move()
        self.does(self.admin, 200, "GET", ACCOUNTS)
        for line in self.server.log().splitlines():
            json.loads(line)


class Starts(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        self.addCleanup(shutil.rmtree, self.directory)

    def start(self, *options):
        server = Server(self.directory, *options)
        self.addCleanup(server.stop)
        return server

    def test_the_initial_password_is_in_a_file_and_must_be_changed(self):
        path = os.path.join(self.directory, "data", "initial-password")
        first = Server(self.directory, change_password=False)
        self.addCleanup(first.stop)
        with open(path) as file:
            password = file.read().strip()
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertGreaterEqual(len(password), 20)
        # The output often goes to a journal, so it must not contain the password.
        self.assertIn("data/initial-password", " ".join(first.output))
        self.assertNotIn(password, first.log() + " ".join(first.output))
        admin = Person(first)
        me = admin.log_in("admin", password).json
        self.assertEqual((me["role"], me["must_change_password"]), ("administrator", True))
        for method, route, body in [
            ("GET", "/api/v1/admin/accounts", None),
            ("GET", SETTINGS, None),
            ("POST", "/api/v1/tokens", {"name": "x"}),
            ("POST", INVITATIONS, {}),
            ("GET", "/api/v1/sessions", None),
            ("DELETE", "/api/v1/me", {"password": password}),
        ]:
            answer = admin.ask(method, route, body)
            self.assertEqual(answer.status, 403, (method, route))
            self.assertIn("Choose a new password first", answer.json["detail"])
        self.assertEqual(admin.ask("GET", "/api/v1/me").json["must_change_password"], True)
        self.assertEqual(admin.ask("GET", "/api/v1/people").status, 200)
        # The file stays when another person changes a password that an operator set.
        early = Person(first)
        self.assertEqual(early.register("early").status, 201)
        said = subprocess.run(
            [accounts_server.SKIRMISH, "password", "early", "--data", os.path.dirname(path)],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        given = said.split(": ")[1].split()[0]
        self.assertTrue(early.log_in("early", given).json["must_change_password"])
        change = {"password": given, "new_password": "one of my own"}
        self.assertEqual(early.ask("PUT", "/api/v1/me/password", change).status, 204)
        self.assertTrue(os.path.exists(path))
        change = {"password": password, "new_password": "one of my own"}
        self.assertEqual(admin.ask("PUT", "/api/v1/me/password", change).status, 204)
        self.assertFalse(os.path.exists(path))
        self.assertEqual(admin.ask("GET", "/api/v1/me").json["must_change_password"], False)
        self.assertEqual(admin.ask("GET", "/api/v1/admin/accounts").status, 200)
        self.assertEqual(first.stop(), 0)
        second = self.start()
        self.assertIsNone(second.password)
        self.assertFalse(os.path.exists(path))
        self.assertEqual(Person(second).log_in("admin", "one of my own").status, 200)

    def test_a_machine_that_is_too_slow_plays_no_matches_of_bots(self):
        server = self.start("--worker-speed-min", "100000")
        admin = Person(server)
        self.assertEqual(admin.log_in("admin", server.password).status, 200)
        (worker,) = admin.ask("GET", WORKERS).json["items"]
        self.assertEqual((worker["state"], worker["wanted"]), ("too_slow", "play"))
        self.assertIn("this machine is too slow", server.log())
        seats = [{"bot": "house/planetwars-random"}] * 2
        made = admin.ask("POST", "/api/v1/matches", {"game": "planetwars", "seats": seats})
        self.assertEqual(made.status, 201, made.body)
        # The engine looks at the queue before it reports that it is drained.
        changed = admin.ask("PATCH", WORKERS + "/engine", {"wanted": "drain"})
        self.assertEqual(changed.status, 200, changed.body)
        accounts_server.wait_for(
            lambda: admin.ask("GET", WORKERS).json["items"][0]["state"] == "drained"
        )
        match = admin.ask("GET", "/api/v1/matches/" + str(made.json["id"])).json
        self.assertEqual(match["state"], "waiting")

    def test_at_a_terminal_the_initial_password_is_printed(self):
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen(
            [
                *(accounts_server.SKIRMISH, "serve", "--port", "0", "--sandbox", "none"),
                *("--data", os.path.join(self.directory, "data")),
            ],
            stdout=theirs,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        shown = b""
        while b"The arena is at" not in shown:
            shown += os.read(terminal, 1000)
        process.terminate()
        self.assertEqual(process.wait(120), 0)
        with open(os.path.join(self.directory, "data", "initial-password")) as file:
            self.assertIn(file.read().strip(), shown.decode())

    def test_settings_and_sessions_survive_a_restart_and_settings_override_options(self):
        first = self.start(
            "--registration", "invitation", "--ladder", "off", "--secure-cookies", "on"
        )
        admin = Person(first)
        answer = admin.log_in("admin", first.password)
        # The prefix keeps other hosts and plain HTTP from setting the cookie.
        self.assertRegex(
            answer.headers["Set-Cookie"], r"^__Host-skirmish_session=.*; Path=/; .*; Secure$"
        )
        self.assertNotIn("Domain", answer.headers["Set-Cookie"])
        planted = {"Cookie": f"skirmish_session={admin.cookie}"}
        self.assertEqual(admin.ask("GET", "/api/v1/me", headers=planted).status, 401)
        document = admin.ask("GET", "/api/v1/openapi.json").json
        self.assertIn("__Host-skirmish_session", json.dumps(document["components"]))
        settings = admin.ask("GET", SETTINGS).json
        self.assertEqual(
            settings, {"registration": "invitation", "visitors": True, "ladder": False}
        )
        self.assertEqual(admin.ask("PATCH", SETTINGS, {"registration": "closed"}).status, 200)
        self.assertEqual(first.stop(), 0)
        admin.server = self.start(
            "--registration",
            "open",
            "--visitors",
            "off",
            "--ladder",
            "on",
            "--secure-cookies",
            "on",
        )
        self.assertEqual(
            admin.ask("GET", SETTINGS).json,
            {"registration": "closed", "visitors": False, "ladder": True},
        )

    def edit(self, *statements):
        """Changes the store of a stopped arena."""
        with contextlib.closing(
            sqlite3.connect(os.path.join(self.directory, "data", "arena.db"))
        ) as database:
            for statement, *values in statements:
                rows = database.execute(statement, values).fetchall()
            database.commit()
        return rows

    def test_a_session_expires_thirty_days_after_its_last_use_and_ninety_after_login(self):
        server = self.start()
        person = Person(server)
        person.log_in("admin", server.password)
        self.assertNotIn("Set-Cookie", person.ask("GET", "/api/v1/me").headers)
        token = person.ask("POST", "/api/v1/tokens", {"name": "x", "days": 1}).json["token"]
        code = person.ask("POST", INVITATIONS, {"days": 1}).json["code"]
        server.stop()
        now = int(time.time() * 1000)
        self.edit(("UPDATE sessions SET expires = ?", now + 10 * DAY_MS))
        person.server = self.start()
        before = person.cookie
        answer = person.ask("GET", "/api/v1/me")
        self.assertIn(before, answer.headers["Set-Cookie"])
        ends = datetime.datetime.fromisoformat(
            answer.json["expires"].replace("Z", "+00:00")
        ).timestamp()
        self.assertGreater(ends * 1000, now + 29 * DAY_MS)
        person.server.stop()
        # Even if it is used daily, a session ends 90 days after the login.
        began = now - 80 * DAY_MS
        self.edit(("UPDATE sessions SET created = ?, expires = ?", began, now + DAY_MS))
        person.server = self.start()
        answer = person.ask("GET", "/api/v1/me")
        ends = datetime.datetime.fromisoformat(answer.json["expires"].replace("Z", "+00:00"))
        self.assertEqual(round(ends.timestamp() * 1000) - began, 90 * DAY_MS)
        lifetime = int(re.search(r"Max-Age=(\d+)", answer.headers["Set-Cookie"])[1])
        self.assertLessEqual(lifetime * 1000, 10 * DAY_MS)
        self.assertNotIn("Set-Cookie", person.ask("GET", "/api/v1/me").headers)
        person.server.stop()
        for table in ["sessions", "tokens", "invitations"]:
            self.edit((f"UPDATE {table} SET expires = ?", now - 1000))
        person.server = self.start()
        self.assertEqual(person.ask("GET", "/api/v1/me").status, 401)
        program = Person(person.server)
        program.token = token
        self.assertEqual(program.ask("GET", "/api/v1/me").status, 401)
        self.assertEqual(Person(person.server).register("too-late", invitation=code).status, 422)

    def test_a_weak_hash_is_replaced_when_its_owner_logs_in(self):
        self.start().stop()
        sodium = ctypes.CDLL("libsodium.so.23")
        weak = ctypes.create_string_buffer(128)
        word = b"correct horse"
        self.assertEqual(
            sodium.crypto_pwhash_str(
                weak,
                word,
                ctypes.c_ulonglong(len(word)),
                ctypes.c_ulonglong(1),
                ctypes.c_size_t(8192),
            ),
            0,
        )
        self.edit(("UPDATE accounts SET password = ? WHERE name = 'admin'", weak.value.decode()))
        server = self.start()
        self.assertEqual(Person(server).log_in("admin", "wrong horse").status, 401)
        self.assertEqual(Person(server).log_in("admin").status, 200)
        self.assertEqual(Person(server).log_in("admin").status, 200)
        server.stop()
        kept = self.edit(("SELECT password FROM accounts WHERE name = 'admin'",))[0][0]
        self.assertTrue(kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$"), kept)


if __name__ == "__main__":
    accounts_server.main()
