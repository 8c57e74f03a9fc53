"""Attacks on sessions, API tokens, invitations, roles and passwords."""

import concurrent.futures
import json
import pathlib
import statistics
import unittest

from accounts_server import Person
from security_arena import EXPIRED, SCRIPT, SecurityCase


class AccountsTest(SecurityCase):
    # ---- sessions ----

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
        # A new password ends all other sessions, and logging out ends this one.
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
        reply = self.ask("GET", "/api/v1/me", who=EXPIRED)
        self.assertEqual((reply.status, "has expired" in reply.json["detail"]), (401, True))
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

    def test_nobody_can_give_themselves_a_role(self):
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
        # An invitation that berta made beforehand does not restore her role.
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

        def tries(name):
            return [
                self.ask(
                    "POST", "/api/v1/login", {"name": name, "password": f"guess {i}"}, patient=False
                ).status
                for i in range(44)
            ]  # each from its own address

        found = tries("guarded")
        self.assertEqual(set(found), {401, 429})
        self.assertEqual(
            self.ask(
                "POST",
                "/api/v1/login",
                {"name": "GUARDED", "password": "a rather good one"},
                patient=False,
            ).status,
            429,
        )
        self.assertEqual(found[:40], tries("unguarded")[:40])
        # Headers do not change the address. All guesses at once: each second allows one more.
        person = Person(self.server)

        def guess(i):
            return person.ask(
                "POST",
                "/api/v1/login",
                {"name": f"someone{i}", "password": "x"},
                {"X-Forwarded-For": f"10.0.0.{i}"},
            ).status

        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            self.assertIn(429, list(pool.map(guess, range(60))))

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
                began = self.cpu_time()
                reply = self.ask("POST", "/api/v1/login", {"name": name, "password": "wrong one"})
                times.append(self.cpu_time() - began)
                self.assertEqual(
                    (reply.status, reply.json["detail"]), (401, "Wrong name or password.")
                )
        ratio = statistics.median(known) / statistics.median(unknown)
        self.assertTrue(0.4 < ratio < 2.5, (known, unknown))

    def cpu_time(self):
        """CPU time of the arena in nanoseconds: elapsed time would depend on the machine's load."""
        total = 0
        for thread in pathlib.Path(f"/proc/{self.server.process.pid}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0])
        return total


if __name__ == "__main__":
    unittest.main(verbosity=2)
