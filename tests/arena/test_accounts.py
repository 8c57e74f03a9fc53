"""Accounts over HTTP: registration, logins, sessions, tokens, CSRF tokens, rate limits."""

import datetime
import http.client
import json
import math
import re
import select
import threading
import time

import accounts_server
from accounts_server import Person, ServerTest

HOSTILE = [
    "<script>alert(1)</script>",
    "'; DROP TABLE accounts; --",
    '" OR 1=1 --',
    "../../etc/passwd",
    "a\r\nSet-Cookie: skirmish_session=x",
    "a\x00b",
    '{"time":"forged"}',
    "%s%n%x",
    "\u202egnp.exe",
    "x" * 300,
    "deleted-1",
    "",
]


class Accounts(ServerTest):
    def test_registering_logs_in_and_makes_the_person_public(self):
        ada = Person(self.server)
        answer = ada.register("Ada")
        me = self.wants(answer, 201, "POST", "/api/v1/register")
        self.assertEqual((me["name"], me["role"]), ("Ada", "player"))
        self.assertEqual(answer.headers["Location"], "/api/v1/people/Ada")
        self.assertEqual(self.does(ada, 200, "GET", "/api/v1/me")["id"], me["id"])
        person = self.does(Person(self.server), 200, "GET", "/api/v1/people/{person}", person="ada")
        self.assertEqual(person["name"], "Ada")
        self.does(Person(self.server), 404, "GET", "/api/v1/people/{person}", person="nobody-here")
        for text, found_ada in (
            ("AD", True),
            ("da", True),
            ("", True),
            ("adam", False),
            ("%25", False),
        ):
            found = self.wants(
                Person(self.server).ask("GET", "/api/v1/people?limit=200&search=" + text),
                200,
                "GET",
                "/api/v1/people",
            )
            self.assertEqual("Ada" in [row["name"] for row in found["items"]], found_ada, text)

    def test_names_are_unique_regardless_of_case(self):
        self.person("Grace-Hopper")
        other = Person(self.server)
        self.wants(other.register("grace_hopper"), 409)
        for reserved in ["admin", "Administrator", "house", "root"]:
            other.move()
            self.wants(other.register(reserved), 409)

    def test_a_name_must_not_look_like_another_one(self):
        self.person("Bill-Olson")
        for name in ["bi11-olson", "BILL_0LS0N", "blll-olson", "Bill-0lson"]:
            self.assertIn("is taken", self.wants(Person(self.server).register(name), 409))
        for name in ["adm1n", "r00t", "h0use", "arena"]:
            self.assertIn("is taken", self.wants(Person(self.server).register(name), 409))
        self.person("bill-olsen")

    def test_names_cannot_have_hidden_characters_or_mix_alphabets(self):
        person = self.person("free-texts")
        for name in [
            *("a\u202eb", "a\u200bb", "a\u0007b", "line\u2028two", "a\u00adb", "\ufeffx"),
            *("p\u0430ypal", "\u0391dmin", "\uff41dmin", "\U0001d41admin", "\ue000"),
        ]:
            self.wants(person.ask("POST", "/api/v1/tokens", {"name": name}), 422)
            self.wants(self.admin.ask("POST", "/api/v1/admin/invitations", {"note": name}), 422)
            cup = {"name": name, "game": "aliens", "format": "round-robin"}
            self.wants(self.admin.ask("POST", "/api/v1/tournaments", cup), 422)
        for name in ["Кубок C++ 2026", "Çağrı", "Ελλάδα", "日本語 cup", "🙂 cup"]:
            self.wants(person.ask("POST", "/api/v1/tokens", {"name": name}), 201)

    def test_organisers_cannot_exceed_the_limits_of_the_operator(self):
        cup = {"name": "cup", "game": "aliens", "format": "round-robin"}
        for more in (
            {"limits": {"memory": 4097}},
            {"limits": {"processes": 257}},
            {"turn_time": 60001},
            {"start_time": 60001},
            {"game": "footsoldiers", "config": '{"bot-memory-limit-kib": 4194305}'},
            {"game": "footsoldiers", "config": '{"bot-initialisation-time": 61}'},
        ):
            answer = self.admin.ask("POST", "/api/v1/tournaments", {**cup, **more})
            self.assertIn("allows at most", self.wants(answer, 422))
        within = {"limits": {"memory": 4096, "processes": 256}, "turn_time": 60000}
        self.wants(self.admin.ask("POST", "/api/v1/tournaments", {**cup, **within}), 201)
        config = {"game": "footsoldiers", "config": '{"bot-memory-limit-kib": 4194304}'}
        self.wants(self.admin.ask("POST", "/api/v1/tournaments", {**cup, **config}), 201)

    def test_scripts_and_other_sites_cannot_use_the_cookie(self):
        answer = Person(self.server).register("cookie-monster")
        cookie = answer.headers["Set-Cookie"]
        for word in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"]:
            self.assertIn(word, cookie)
        self.assertNotIn("Secure", cookie)
        self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_a_password_must_have_a_valid_length_and_not_be_easy_to_guess(self):
        common = """password Passw0rd P@ssw0rd! password123 12345678 123456789 qwertyuiop qwerty123
            1q2w3e4r 1qaz2wsx zxcvbnm1 asdfghjkl abcd1234 iloveyou iloveyou2 letmein123 welcome1
            Sunshine1 trustno1 dragon99 princess! football Superman1 11111111 aaaaaaaa abcabcabc
            87654321 19840716 00000000 skirmish Skirmish2026 arena1234 adm1n1strat0r changeme!
            January2026 michael1 starwars77 computer abcdefgh kqzxkqzx Password_Holder99!"""

        def refuse(password, sentence):
            answer = Person(self.server).register("password-holder", password)
            self.assertIn(sentence, self.wants(answer, 422), password)

        long = "".join(map(chr, range(0x4E00, 0x4E00 + 129)))
        for password in ("short", "päßwör", long):
            refuse(password, "A password must have 8 to 128 characters")
        for password in ("password_holder", "PASSWORD-HOLDER"):
            refuse(password, "must differ from the name")
        for password in common.split():
            refuse(password, "easy to guess")
        # All characters are significant, and every character is allowed.
        self.wants(Person(self.server).register("password-holder", long[1:]), 201)
        self.wants(Person(self.server).log_in("password-holder", long[1:]), 200)
        self.wants(Person(self.server).log_in("password-holder", long[1:-1]), 401)
        self.wants(Person(self.server).register("emoji-holder", "🙂 päßwörd " * 4), 201)

    def test_logging_in_requires_the_right_password(self):
        self.person("logger")
        visitor = Person(self.server)
        wrong = self.wants(visitor.log_in("logger", "not this one"), 401)
        unknown = self.wants(visitor.log_in("never-heard-of", "not this one"), 401)
        self.assertEqual(wrong, unknown)
        me = self.wants(visitor.log_in("LOGGER"), 200, "POST", "/api/v1/login")

        def logged(event, account):
            lines = [json.loads(line) for line in self.server.log().splitlines()]
            found = [line.get("account") for line in lines if line["event"] == event]
            return account in found

        for event, account in (
            ("login.failed", me["id"]),
            ("login.failed", 0),
            ("login", me["id"]),
        ):
            accounts_server.wait_for(lambda e=event, a=account: logged(e, a))
        self.does(visitor, 204, "POST", "/api/v1/logout")
        self.assertIsNone(visitor.cookie)
        self.does(visitor, 401, "GET", "/api/v1/me")

    def test_logging_out_ends_the_session_on_the_server_too(self):
        person = self.person("leaver")
        cookie = person.cookie
        self.does(person, 204, "POST", "/api/v1/logout")
        person.cookie = cookie
        self.does(person, 401, "GET", "/api/v1/me")

    def test_clients_cannot_choose_the_secret_of_a_session(self):
        self.person("fixated")
        victim = Person(self.server)
        victim.cookie = planted = "A" * 43
        self.wants(victim.log_in("fixated"), 200)
        self.assertNotEqual(victim.cookie, planted)
        attacker = Person(self.server)
        attacker.cookie = planted
        self.does(attacker, 401, "GET", "/api/v1/me")

    def test_logging_in_again_makes_a_new_secret_and_ends_the_old_session(self):
        person = self.person("twice")
        first = person.cookie
        self.wants(person.log_in("twice"), 200)
        self.assertNotEqual(person.cookie, first)
        person.cookie = first
        self.does(person, 401, "GET", "/api/v1/me")

    def test_a_second_cookie_of_the_same_name_is_rejected(self):
        person = self.person("tossed")
        answer = person.ask(
            "GET",
            "/api/v1/me",
            headers={"Cookie": f"skirmish_session={person.cookie}; skirmish_session=planted"},
        )
        self.wants(answer, 401)

    def test_changing_the_password_ends_all_other_sessions(self):
        person = self.person("changer")
        other = Person(self.server)
        other.log_in("changer")
        change = {"password": "correct horse", "new_password": "battery staple"}
        self.does(person, 403, "PUT", "/api/v1/me/password", dict(change, password="wrong one"))
        self.does(person, 422, "PUT", "/api/v1/me/password", dict(change, new_password="changer"))
        self.does(person, 204, "PUT", "/api/v1/me/password", change)
        self.does(person, 200, "GET", "/api/v1/me")
        self.does(other, 401, "GET", "/api/v1/me")
        self.wants(Person(self.server).log_in("changer"), 401)
        self.wants(Person(self.server).log_in("changer", "battery staple"), 200)

    def test_a_login_during_a_password_change_does_not_outlive_it(self):
        """Logins with the old password arrive throughout, so that the password of one is checked
        before the change and its session starts after it.
        """
        for turn in range(2):
            person = self.person(f"hunted-{turn}")
            began = time.monotonic()
            Person(self.server).log_in(f"hunted-{turn}")
            unit = time.monotonic() - began
            others = [Person(self.server) for _ in range(8)]
            threads = [
                threading.Timer(unit * i / 4, other.log_in, [f"hunted-{turn}"])
                for i, other in enumerate(others)
            ]
            for thread in threads:
                thread.start()
            change = {"password": "correct horse", "new_password": "battery staple"}
            self.does(person, 204, "PUT", "/api/v1/me/password", change)
            for thread in threads:
                thread.join()
            self.assertEqual({other.ask("GET", "/api/v1/me").status for other in others}, {401})

    def test_deleting_an_account_requires_the_password_and_ends_sessions_and_tokens(self):
        person = self.person("goner")
        token = self.does(person, 201, "POST", "/api/v1/tokens", {"name": "laptop"})["token"]
        cookie = person.cookie
        self.does(person, 403, "DELETE", "/api/v1/me", {"password": "wrong one"})
        self.does(person, 204, "DELETE", "/api/v1/me", {"password": "correct horse"})
        person.cookie = cookie
        self.does(person, 401, "GET", "/api/v1/me")
        program = Person(self.server)
        program.token = token
        self.does(program, 401, "GET", "/api/v1/me")
        self.wants(Person(self.server).log_in("goner"), 401)
        self.does(Person(self.server), 404, "GET", "/api/v1/people/{person}", person="goner")
        found = self.wants(
            Person(self.server).ask("GET", "/api/v1/people?limit=200"), 200, "GET", "/api/v1/people"
        )
        self.assertEqual(
            [
                row["name"]
                for row in found["items"]
                if "goner" in row["name"] or "deleted" in row["name"]
            ],
            [],
        )
        self.person("goner")  # the name is free again

    def test_sessions_are_listed_and_ended_by_their_owner_only(self):
        person, other = self.person("sitter"), self.person("thief")
        second = Person(self.server)
        second.log_in("sitter")
        items = self.does(person, 200, "GET", "/api/v1/sessions")["items"]
        self.assertEqual([item["current"] for item in items], [False, True])
        self.does(other, 404, "DELETE", "/api/v1/sessions/{session}", session=items[0]["id"])
        self.does(second, 200, "GET", "/api/v1/me")
        self.does(person, 204, "DELETE", "/api/v1/sessions/{session}", session=items[0]["id"])
        self.does(second, 401, "GET", "/api/v1/me")
        self.does(person, 204, "DELETE", "/api/v1/sessions")
        self.assertIsNone(person.cookie)

    def test_a_token_acts_for_its_owner_until_it_is_revoked(self):
        person, other = self.person("smith"), self.person("burglar")
        made = self.does(person, 201, "POST", "/api/v1/tokens", {"name": "laptop"})
        self.assertTrue(made["token"].startswith("skt_"))
        self.assertEqual(made["scopes"], ["read", "play", "upload"])
        times = [
            datetime.datetime.fromisoformat(made[key].replace("Z", "+00:00"))
            for key in ("created", "expires")
        ]
        self.assertEqual(times[1] - times[0], datetime.timedelta(days=90))
        program = Person(self.server)
        program.token = made["token"]
        me = self.does(program, 200, "GET", "/api/v1/me")
        self.assertEqual((me["name"], me["csrf_token"]), ("smith", None))
        listed = person.ask("GET", "/api/v1/tokens")
        self.assertNotIn(made["token"].encode(), listed.body)
        self.wants(listed, 200, "GET", "/api/v1/tokens")
        self.assertIsNotNone(listed.json["items"][0]["used"])
        self.does(other, 404, "DELETE", "/api/v1/tokens/{token}", token=made["id"])
        self.does(program, 403, "POST", "/api/v1/tokens", {"name": "another"})
        self.does(program, 403, "POST", "/api/v1/logout")
        # A token needs no CSRF token.
        self.does(program, 204, "DELETE", "/api/v1/tokens/{token}", token=made["id"])
        self.does(program, 401, "GET", "/api/v1/me")
        # A revoked token is rejected even by routes that need none.
        self.does(program, 401, "GET", "/api/v1/people/{person}", person="smith")

    def test_a_mistyped_parameter_or_value_gets_a_suggestion(self):
        """For every query parameter, and every value of parameters with a list of values."""
        suggestions = 0
        for path, operations in self.document["paths"].items():
            address = re.sub(r"\{\w+\}", "1", path)
            for method, operation in operations.items():
                for parameter in operation.get("parameters", []):
                    name = parameter["name"]
                    if parameter["in"] != "query":
                        continue
                    wrong = [(f"{name[:-1]}=1", f'nknown query parameter "{name[:-1]}"', name)]
                    for value in parameter["schema"].get("enum", []):
                        where = f'arameter "{name}": unknown value "{value[:-1]}"'
                        wrong.append((f"{name}={value[:-1]}", where, value))
                    for query, what, meant in wrong:
                        if len(meant) > 3:
                            answer = self.admin.ask(method.upper(), f"{address}?{query}")
                            detail = self.wants(answer, 400)
                            self.assertIn(f'{what}; did you mean "{meant}"?', detail)
                            suggestions += 1
        self.assertGreater(suggestions, 20)

    def test_a_mistyped_name_gets_a_suggestion(self):
        seats = [{"language": "pyton", "source": "x"}, {"bot": "house/aliens-random"}]
        for method, path, body, what in (
            ("GET", "/api/v1/bots?game=alien", None, 'game "alien"; did you mean "aliens"?'),
            ("GET", "/api/v1/ladders/alien", None, 'game "alien"; did you mean "aliens"?'),
            ("GET", "/api/v1/matches?game=alien", None, 'game "alien"; did you mean "aliens"?'),
            ("GET", "/api/v1/tournaments?game=cft", None, 'game "cft"; did you mean "ctf"?'),
            (
                "POST",
                "/api/v1/bots",
                {"name": "x", "game": "alien"},
                'game "alien"; did you mean "aliens"?',
            ),
            (
                "POST",
                "/api/v1/matches",
                {"game": "aliens", "seats": seats},
                'language "pyton"; did you mean "python"?',
            ),
            (
                "POST",
                "/api/v1/matches",
                {"game": "aliens", "map": "corridr", "seats": [seats[1], seats[1]]},
                'map "corridr"; did you mean "corridor"?',
            ),
            (
                "POST",
                "/api/v1/tournaments",
                {"name": "cup", "game": "aliens", "format": "swis"},
                'format "swis"; did you mean "swiss"?',
            ),
            (
                "POST",
                "/api/v1/tokens",
                {"name": "x", "scopes": ["raed"]},
                'scope "raed"; did you mean "read"?',
            ),
            (
                "PATCH",
                "/api/v1/admin/settings",
                {"registration": "close"},
                'registration "close"; did you mean "closed"?',
            ),
            (
                "POST",
                "/api/v1/admin/invitations",
                {"role": "organizer"},
                'role "organizer"; did you mean "organiser"?',
            ),
            ("POST", "/api/v1/bots", {"nam": "x"}, 'field "nam"; did you mean "name"?'),
        ):
            with self.subTest(what):
                answer = self.admin.ask(method, path, body)
                self.assertIn("nknown " + what, answer.json["detail"])

    def test_tokens_and_cookies_are_not_interchangeable(self):
        person = self.person("mixer")
        token = self.does(person, 201, "POST", "/api/v1/tokens", {"name": "x"})["token"]
        stranger = Person(self.server)
        stranger.token = person.cookie
        self.does(stranger, 401, "GET", "/api/v1/me")
        stranger.token, stranger.cookie = None, token
        self.does(stranger, 401, "GET", "/api/v1/me")

    def test_hostile_texts_are_rejected_or_returned_unchanged(self):
        person = self.person("victim")
        for text in HOSTILE:
            answer = person.ask("POST", "/api/v1/tokens", {"name": text})
            if answer.status == 201:
                self.assertEqual(answer.json["name"], text)
            else:
                self.wants(answer, 422)
            self.assertIn(Person(self.server).log_in(text).status, (401, 422))
            self.wants(Person(self.server).register(text), 422)
            self.assertIn(Person(self.server).register("victim-two", text).status, (201, 409, 422))
        self.assertNotIn("Set-Cookie: skirmish_session=x", self.server.log())
        for line in self.server.log().splitlines():
            self.assertNotEqual(json.loads(line)["time"], "forged")
        for path in ["a'%20OR%201=1", "%3Cscript%3E", "..%2f..", "%00", "x" * 60]:
            self.assertIn(person.ask("GET", "/api/v1/people/" + path).status, (400, 404))

    def test_bodies_that_do_not_match_the_route_are_rejected(self):
        person = Person(self.server)
        for body in [
            "",
            "[]",
            "{",
            "null",
            '{"name":1,"password":"x"}',
            '{"name":"a"}',
            '{"name":"someone","password":"correct horse","role":"administrator"}',
            '{"name":"someone","name":"admin","password":"correct horse"}',
        ]:
            person.move()
            self.assertEqual(person.ask("POST", "/api/v1/register", body).status, 422, body)
        person.move()
        answer = person.ask(
            "POST",
            "/api/v1/login",
            "name=admin&password=x",
            {"Content-Type": "application/x-www-form-urlencoded"},
        )
        self.wants(answer, 415)
        self.wants(person.ask("POST", "/api/v1/login", {"name": "x", "password": "y" * 5000}), 413)

    def test_an_authorization_header_for_a_proxy_is_ignored(self):
        person = self.person("proxied")
        self.wants(person.ask("GET", "/api/v1/me", headers={"Authorization": "Basic YTpi"}), 200)
        self.wants(
            person.ask(
                "POST", "/api/v1/logout", headers={"Authorization": "Basic YTpi"}, csrf=False
            ),
            403,
        )
        token = self.does(person, 201, "POST", "/api/v1/tokens", {"name": "x"})["token"]
        for header, status in [
            ("bearer " + token, 200),
            ("Bearer", 401),
            ("Bearer " + token + "x", 401),
            ("Bearer " + token[4:], 401),
            ("Bearer skt_" + "x" * 300, 401),
        ]:
            self.wants(
                Person(self.server).ask("GET", "/api/v1/me", headers={"Authorization": header}),
                status,
            )


class Stream:
    """A stream of events that a person reads."""

    def __init__(self, person, path="/api/v1/activity/live"):
        headers = {}
        if person.token:
            headers["Authorization"] = "Bearer " + person.token
        elif person.cookie:
            headers["Cookie"] = "skirmish_session=" + person.cookie
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", person.server.port, timeout=60, source_address=(person.address, 0)
        )
        self.connection.request("GET", path, headers=headers)
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()

    def is_over(self):
        """Whether the server has ended the stream. Reads all events that have arrived."""
        while select.select([self.connection.sock or self.response], [], [], 0)[0]:
            if not self.response.read1():
                return True
        return False

    def close(self):
        self.response.close()
        self.connection.close()


class Revocation(ServerTest):
    """What ends when a password changes, or a session, a token or an account ends."""

    def program(self, person, name="program"):
        made = self.does(person, 201, "POST", "/api/v1/tokens", {"name": name})
        program = Person(self.server)
        program.token, program.id = made["token"], made["id"]
        return program

    def stream(self, person):
        stream = Stream(person)
        self.addCleanup(stream.close)
        return stream

    def test_a_new_password_revokes_the_tokens_and_ends_their_streams(self):
        person, program = self.person("renewed"), None
        for change in ("change", "reset"):
            program = self.program(person)
            self.does(program, 200, "GET", "/api/v1/me")
            stream = self.stream(program)
            if change == "change":
                self.does(
                    person,
                    204,
                    "PUT",
                    "/api/v1/me/password",
                    {"password": "correct horse", "new_password": "battery staple"},
                )
            else:
                self.does(
                    self.admin,
                    200,
                    "POST",
                    "/api/v1/admin/accounts/{person}/password",
                    person="renewed",
                )
            self.does(program, 401, "GET", "/api/v1/me")
            accounts_server.wait_for(stream.is_over)

    def test_streams_end_with_their_token_or_session_only(self):
        person = self.person("watcher")
        first, second = self.program(person, "first"), self.program(person, "second")
        other = Person(self.server)
        other.log_in("watcher")
        streams = {
            who: self.stream(who) for who in (first, second, person, other, Person(self.server))
        }
        self.does(person, 204, "DELETE", "/api/v1/tokens/{token}", token=first.id)
        accounts_server.wait_for(streams.pop(first).is_over)
        self.does(other, 204, "POST", "/api/v1/logout")
        accounts_server.wait_for(streams.pop(other).is_over)
        self.assertEqual([stream.is_over() for stream in streams.values()], [False] * 3)

    def test_streams_end_when_the_account_is_suspended_or_deleted(self):
        for change, body in (("PATCH", {"suspended": True}), ("DELETE", None)):
            person = self.person("watched-" + change.lower())
            program = self.program(person)
            streams = [self.stream(person), self.stream(program)]
            stranger = self.stream(Person(self.server))
            path = "/api/v1/admin/accounts/{person}"
            status = 200 if body else 204
            self.does(self.admin, status, change, path, body, person=person.name)
            for stream in streams:
                accounts_server.wait_for(stream.is_over)
            self.assertFalse(stranger.is_over())


class ForgedRequests(ServerTest):
    def test_no_route_accepts_a_session_without_its_csrf_token(self):
        person = self.person("marked")
        other = self.person("other-marked")
        checked = 0
        for pattern, operations in self.document["paths"].items():
            for method in operations:
                if method in ("get", "head", "options"):
                    continue
                path = pattern
                for parameter in operations[method]["parameters"]:
                    value = "1" if parameter["schema"]["type"] == "integer" else "admin"
                    value = parameter["schema"].get("enum", [value])[0]
                    path = path.replace("{" + parameter["name"] + "}", value)
                for token in [
                    None,
                    "",
                    "x" * 43,
                    other.csrf_token,
                    person.csrf_token[:-1],
                    person.csrf_token + "x",
                ]:
                    # Some routes have rate limits per address.
                    self.admin.move()
                    person.move()
                    headers = {} if token is None else {"X-CSRF-Token": token}
                    answer = person.ask(method.upper(), path, b"{}", headers, csrf=False)
                    self.assertIn("X-CSRF-Token", self.wants(answer, 403), (method, path, token))
                answer = self.admin.ask(method.upper(), path, b"{}", csrf=False)
                self.assertIn("X-CSRF-Token", self.wants(answer, 403), (method, path))
                checked += 1
        self.assertGreaterEqual(checked, 14)
        self.does(person, 200, "GET", "/api/v1/me")

    def test_the_csrf_token_reveals_nothing_about_the_secret(self):
        person = self.person("secretive")
        self.assertNotIn(person.cookie, person.csrf_token)
        self.assertEqual(
            person.csrf_token, self.does(person, 200, "GET", "/api/v1/me")["csrf_token"]
        )


class Guessing(ServerTest):
    def guess(self, name, count=60, move=True):
        """Returns the statuses of wrong guesses, each from its own address, or all from one."""
        person = Person(self.server)
        statuses = []
        for number in range(count):
            if move:
                person.move()
            answer = person.log_in(name, f"guess number {number}")
            statuses.append(answer.status)
            if answer.status == 429:
                self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        return statuses

    def test_guesses_from_one_address_are_rate_limited(self):
        person = Person(self.server)
        statuses = [person.log_in(f"name-{number}", "guess guess").status for number in range(80)]
        self.assertEqual(statuses[:30], [401] * 30)  # a school class behind one address
        self.assertGreaterEqual(statuses.count(429), 10)

    def test_guesses_from_one_address_do_not_lock_out_the_owner(self):
        owner = self.person("targeted")
        attacker = Person(self.server)
        statuses = [attacker.log_in("targeted", f"guess {i}").status for i in range(15)]
        self.assertEqual((statuses[:10], statuses[-1]), ([401] * 10, 429))
        # Even with the right password this address has to wait; other addresses do not.
        self.wants(attacker.log_in("targeted"), 429)
        self.wants(Person(self.server).log_in("targeted"), 200)
        owner.cookie = None
        self.wants(owner.log_in("targeted"), 200)
        # Logins with the right password do not count towards the limit.
        for _ in range(15):
            owner.cookie = None
            self.wants(owner.log_in("targeted"), 200)

    def test_guesses_at_one_account_from_many_addresses_are_rate_limited(self):
        owner = self.person("popular")
        statuses = self.guess("popular")
        self.assertEqual(statuses[:35], [401] * 35)
        self.assertGreaterEqual(statuses.count(429), 10)
        stranger = Person(self.server).log_in("popular")
        self.assertIn("where you have logged in before", self.wants(stranger, 429))
        # The owner comes from an address that the account knows.
        cookie, owner.cookie = owner.cookie, None
        self.wants(owner.log_in("popular"), 200)
        # Existing sessions keep working: they can change the password.
        owner.cookie = cookie
        self.does(owner, 200, "GET", "/api/v1/me")
        change = {"password": "correct horse", "new_password": "battery staple"}
        self.does(owner, 204, "PUT", "/api/v1/me/password", change)

    def test_guesses_at_an_unknown_name_are_rate_limited_too(self):
        statuses = self.guess("unpopular")
        self.assertEqual(statuses[:35], [401] * 35)
        self.assertGreaterEqual(statuses.count(429), 10)

    def test_guesses_with_a_session_are_rate_limited_per_session(self):
        person = self.person("insider")
        statuses = []
        for number in range(15):
            person.move()
            statuses.append(
                person.ask("DELETE", "/api/v1/me", {"password": f"guess {number}"}).status
            )
        self.assertEqual((statuses[:10], statuses[-1]), ([403] * 10, 429))
        change = {"password": "correct horse", "new_password": "battery staple"}
        self.does(person, 429, "PUT", "/api/v1/me/password", change)
        other = Person(self.server)
        self.wants(other.log_in("insider"), 200)
        self.does(other, 204, "PUT", "/api/v1/me/password", change)

    def test_registration_is_rate_limited(self):
        person = Person(self.server)
        statuses = []
        for number in range(70):
            person.cookie = person.csrf_token = None
            statuses.append(person.register(f"crowd-{number}").status)
        self.assertEqual(statuses[:30], [201] * 30)  # a school class behind one address
        self.assertGreaterEqual(statuses.count(429), 5)

    def test_an_unknown_name_takes_as_long_as_a_known_one(self):
        """Compares the least CPU time of several logins: elapsed time depends on the machine's
        load, and CPU time on what else the server does at the same time.
        """
        self.person("timed")
        least = {"timed": math.inf, "nobody-timed": math.inf}
        for _ in range(7):
            for name in least:
                before = self.server.cpu_seconds()
                self.wants(Person(self.server).log_in(name, "guess guess"), 401)
                least[name] = min(least[name], self.server.cpu_seconds() - before)
        # Hashing a password takes about 20 ms; the rest of the request takes less than 1 ms.
        self.assertGreater(least["timed"], 0.01)
        self.assertGreater(least["nobody-timed"], least["timed"] * 0.5, least)
        self.assertLess(least["nobody-timed"], least["timed"] * 2, least)

    def test_other_requests_do_not_wait_for_passwords(self):
        """Another request overtakes logins that were sent before it."""
        waiting = []
        for number in range(32):
            person = Person(self.server)
            connection = http.client.HTTPConnection(
                "127.0.0.1", self.server.port, timeout=60, source_address=(person.address, 0)
            )
            connection.request(
                "POST",
                "/api/v1/login",
                json.dumps({"name": f"slow-{number}", "password": "x" * 20}),
                {"Content-Type": "application/json"},
            )
            waiting.append(connection)
        self.wants(Person(self.server).ask("GET", "/healthz"), 200)
        answered, _, _ = select.select([connection.sock for connection in waiting], [], [], 0)
        for connection in waiting:
            self.assertEqual(connection.getresponse().status, 401)
            connection.close()
        self.assertLess(len(answered), len(waiting))


if __name__ == "__main__":
    accounts_server.main()
