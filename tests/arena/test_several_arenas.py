"""Two arenas that serve people from one database at the same time: changes and limits on one apply
on the other.

Needs a server, see tests/with_postgres.py. Each arena has its own data directory; the files
are in the database.
"""

import http.client
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import prometheus
from accounts_server import SKIRMISH, Person, Server, wait_for

URI = os.environ["TEST_POSTGRES"]
SECONDS = 60
GUESSES = 10  # wrong passwords in a burst, per account and address


class SeveralArenas(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-several-")
        cls.servers = []
        try:
            subprocess.run(["psql", "-q", URI, "-c", "CREATE DATABASE several"], check=True)
            cls.store = URI.rsplit("/", 1)[0] + "/several"
            for name in ("first", "second"):
                directory = os.path.join(cls.directory, name)
                os.mkdir(directory)
                options = ("--store", cls.store, "--files", "database", "--jobs", "1")
                cls.servers.append(Server(directory, *options))
            cls.first, cls.second = cls.servers
            cls.admin = Person(cls.first)
            assert cls.admin.log_in("admin", cls.first.password).status == 200
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        statuses = [server.stop() for server in cls.servers]
        shutil.rmtree(cls.directory)
        assert not any(statuses), f"exit statuses: {statuses}"

    def query(self, sql):
        done = subprocess.run(
            ["psql", "-qAt", self.store, "-c", sql], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def on(self, server, address=None):
        """A visitor of this arena, with this address or a new one."""
        person = Person(server)
        person.address = address or person.address
        return person

    def account(self, name):
        """Creates an account that is logged in on the first arena."""
        person = self.on(self.first)
        self.assertEqual(person.register(name).status, 201)
        return person

    def alternate(self, ask, times):
        """Sends requests to both arenas in turn, from one address; returns the responses."""
        first = self.on(self.first)
        people = (first, self.on(self.second, first.address))
        return [ask(people[i % 2]) for i in range(times)]

    # ---- metrics ----

    def metrics(self, server):
        return prometheus.parse(self.on(server).ask("GET", "/metrics").body.decode())

    def test_the_metrics_of_both_arenas_show_the_queue_and_the_database(self):
        for server in self.servers:
            found = self.metrics(server)
            self.assertEqual(found["skirmish_store_info"].value(engine="postgresql"), 1)
            self.assertEqual(found["skirmish_store_up"].value(), 1)
            connections = found["skirmish_store_connections"].value()
            self.assertIn(connections, range(1, 28))
            self.assertLessEqual(found["skirmish_store_connections_used"].value(), connections)
            for kind in ("read", "write", "queue"):
                transactions = found["skirmish_store_transaction_seconds"]
                self.assertGreater(transactions.value("_count", transaction=kind), 0, kind)
        wait_for(
            lambda: sum(self.metrics(s)["skirmish_leader"].value() for s in self.servers) == 1,
            SECONDS,
        )
        # A job that no worker can lease, because none is fast enough.
        self.query(
            "INSERT INTO jobs (id, kind, urgency, version, attempt, losses, expires, holder, "
            "trouble, requester, speed_min, added) SELECT 900001, 16, 3, min(id), 0, 0, 0, '', '', "
            "'account 1', 1000000, extract(epoch FROM now()) * 1000 - 7000000 FROM versions"
        )
        self.addCleanup(self.query, "DELETE FROM jobs WHERE id = 900001")
        for server in self.servers:
            wait_for(
                lambda: self.metrics(server)["skirmish_queue_oldest_seconds"].value(kind="check")
                in range(7000, 7200)
            )
            wait_for(
                lambda: self.metrics(server)["skirmish_queue_waiting"].value(kind="check") == 1
            )

    # ---- revocation ----

    def on_both(self, name):
        """Creates an account with one session; returns its owner on each arena."""
        first = self.account(name)
        second = self.on(self.second)
        second.cookie, second.csrf_token = first.cookie, first.csrf_token
        self.assertEqual(second.ask("GET", "/api/v1/me").status, 200)
        return first, second

    def stream(self, person):
        """Opens a stream of events, which check_ends() can read to its end."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", person.server.port, timeout=SECONDS, source_address=(person.address, 0)
        )
        self.addCleanup(connection.close)
        headers = {"Authorization": "Bearer " + person.token} if person.token else {}
        if person.cookie:
            headers["Cookie"] = f"{person.cookie_name}={person.cookie}"
        connection.request("GET", "/api/v1/queue/live", None, headers)
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        response.readline()
        return response

    def check_ends(self, stream):
        """Fails unless the stream ends soon."""
        began = time.monotonic()
        stream.read()
        self.assertLess(time.monotonic() - began, 15)

    def test_logging_out_on_one_arena_ends_the_session_and_its_streams_on_the_other(self):
        first, second = self.on_both("leaver")
        other = self.on(self.second)
        self.assertEqual(other.log_in("leaver").status, 200)
        stream = self.stream(second)
        self.assertEqual(first.ask("POST", "/api/v1/logout").status, 204)
        self.check_ends(stream)
        self.assertEqual(second.ask("GET", "/api/v1/me").status, 401)
        self.assertEqual(other.ask("GET", "/api/v1/me").status, 200)
        self.stream(other)

    def test_a_new_password_ends_sessions_and_streams_on_the_other_arena(self):
        first = self.account("changed")
        second = self.on(self.second)
        self.assertEqual(second.log_in("changed").status, 200)
        stream = self.stream(second)
        body = {"password": "correct horse", "new_password": "battery staple"}
        self.assertEqual(first.ask("PUT", "/api/v1/me/password", body).status, 204)
        self.check_ends(stream)
        self.assertEqual(second.ask("GET", "/api/v1/me").status, 401)

    def set_password(self, name, data):
        """Sets a password like an operator on a machine with this data directory."""
        done = subprocess.run(
            [SKIRMISH, "password", name, "--data", data, "--store", self.store],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_password_that_an_operator_sets_ends_streams_on_the_other_arena(self):
        running = os.path.join(self.directory, "first", "data")
        idle = os.path.join(self.directory, "idle")
        os.mkdir(idle)
        open(os.path.join(idle, "lock"), "w").close()  # like one left by a stopped arena
        for name, data in (("helped", running), ("helped-elsewhere", idle)):
            _, second = self.on_both(name)
            stream = self.stream(second)
            self.set_password(name, data)
            self.check_ends(stream)
            self.assertEqual(second.ask("GET", "/api/v1/me").status, 401)

    def test_a_revoked_token_ends_its_streams_on_the_other_arena(self):
        first = self.account("tokens")
        made = first.ask("POST", "/api/v1/tokens", {"name": "watch", "scopes": ["read"]})
        self.assertEqual(made.status, 201, made.body)
        program = self.on(self.second)
        program.token = made.json["token"]
        stream = self.stream(program)
        gone = first.ask("DELETE", f"/api/v1/tokens/{made.json['id']}")
        self.assertEqual(gone.status, 204, gone.body)
        self.check_ends(stream)
        self.assertEqual(program.ask("GET", "/api/v1/me").status, 401)

    def test_a_suspended_account_is_locked_out_on_the_other_arena(self):
        _, second = self.on_both("suspended")
        stream = self.stream(second)
        done = self.admin.ask("PATCH", "/api/v1/admin/accounts/suspended", {"suspended": True})
        self.assertEqual(done.status, 200, done.body)
        self.check_ends(stream)
        self.assertEqual(second.ask("GET", "/api/v1/me").status, 401)
        self.assertEqual(self.on(self.second).log_in("suspended").status, 403)

    def test_a_deleted_account_is_gone_on_the_other_arena(self):
        first, second = self.on_both("deleted")
        stream = self.stream(second)
        gone = first.ask("DELETE", "/api/v1/me", {"password": "correct horse"})
        self.assertEqual(gone.status, 204, gone.body)
        self.check_ends(stream)
        self.assertEqual(second.ask("GET", "/api/v1/me").status, 401)
        self.assertEqual(self.on(self.second).ask("GET", "/api/v1/people/deleted").status, 404)

    def test_the_key_of_a_visitors_match_is_valid_on_the_other_arena(self):
        body = {"game": "planetwars", "seats": [{"bot": "house/planetwars-random"}] * 2}
        made = self.on(self.first).ask("POST", "/api/v1/matches", body)
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/matches/{made.json['id']}/call-off?key="
        second = self.on(self.second)
        self.assertIn(second.ask("POST", path + "0" * 32).status, (401, 403))
        # The match is cancelled, or had already ended.
        self.assertIn(second.ask("POST", path + made.json["key"]).status, (200, 204, 409))

    def test_settings_changed_on_one_arena_apply_on_the_other(self):
        for name, value, back in (
            ("registration", "closed", "open"),
            ("visitors", False, True),
            ("ladder", True, False),
        ):
            for new in (value, back):
                changed = self.admin.ask("PATCH", "/api/v1/admin/settings", {name: new})
                self.assertEqual(changed.status, 200, changed.body)
                wait_for(
                    lambda: self.on(self.second).ask("GET", "/api/v1/arena").json[name] == new, 4
                )

    def test_streams_are_checked_if_news_may_have_been_lost(self):
        """The second arena misses notifications while its connection for them is down."""
        _, second = self.on_both("unheard")
        stream = self.stream(second)
        lost = self.query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE query ~* '^ *(listen|notify|select pg_notify)' AND datname = current_database()"
        )
        self.assertGreaterEqual(int(lost), 2)
        # Deletes the session without a notification, as if that had been lost.
        self.query(
            "DELETE FROM sessions WHERE account = "
            "(SELECT id FROM accounts WHERE name = 'unheard')"
        )
        self.check_ends(stream)

    # ---- limits ----

    def check_burst(self, statuses, allowed, burst, began):
        """Fails unless `burst` requests are allowed, plus at most one per minute since `began`."""
        good = statuses.count(allowed)
        more = int((time.monotonic() - began) / 60) + 1
        self.assertIn(good, range(burst, burst + more), statuses)
        self.assertEqual(statuses[:burst], [allowed] * burst)
        self.assertEqual(statuses.count(429), len(statuses) - good, statuses)

    def test_both_arenas_count_wrong_passwords_together(self):
        self.account("guessed")
        began = time.monotonic()
        answers = self.alternate(lambda person: person.log_in("guessed", "wrong"), 2 * GUESSES + 4)
        self.check_burst([answer.status for answer in answers], 401, GUESSES, began)
        refused = next(answer for answer in answers if answer.status == 429)
        self.assertIn(int(refused.headers["Retry-After"]), range(1, 61))
        # Guesses at unknown names are counted in the same way.
        began = time.monotonic()
        answers = self.alternate(lambda person: person.log_in("nobody", "wrong"), 2 * GUESSES)
        self.check_burst([answer.status for answer in answers], 401, GUESSES, began)

    def test_both_arenas_count_attempts_from_many_addresses_together(self):
        burst = 40
        self.account("surrounded")
        began = time.monotonic()
        statuses = [
            self.on(self.servers[i % 2]).log_in("surrounded", "wrong").status
            for i in range(burst + 10)
        ]
        self.check_burst(statuses, 401, burst, began)

    def test_correct_passwords_do_not_count_towards_the_limit(self):
        self.account("owner")
        answers = self.alternate(lambda person: person.log_in("owner"), 2 * GUESSES + 2)
        self.assertEqual({answer.status for answer in answers}, {200})

    def test_wrong_passwords_in_a_session_count_together(self):
        person = self.account("changer")
        began = time.monotonic()
        statuses = []
        for i in range(2 * GUESSES):
            person.server = self.servers[i % 2]
            body = {"password": "wrong", "new_password": "battery staple"}
            statuses.append(person.ask("PUT", "/api/v1/me/password", body).status)
        self.check_burst(statuses, 403, GUESSES, began)

    def test_new_accounts_of_an_address_count_together(self):
        """A burst of 40 is allowed, then one every two seconds."""
        began = time.monotonic()
        answers = self.alternate(lambda person: person.register("no", "short"), 70)
        statuses = [answer.status for answer in answers]
        allowed = 40 + int((time.monotonic() - began) / 2) + 1
        self.assertIn(statuses.count(422), range(40, allowed + 1), statuses)
        self.assertEqual(statuses[:40], [422] * 40)
        self.assertEqual(statuses.count(429), 70 - statuses.count(422))

    def test_the_largest_number_of_people_per_address_works(self):
        directory = os.path.join(self.directory, "crowd")
        os.mkdir(directory)
        options = ("--store", self.store, "--files", "database", "--people-per-address", "10000")
        server = Server(directory, *options)
        try:
            self.assertEqual(self.on(server).log_in("admin", self.first.password).status, 200)
        finally:
            self.assertEqual(server.stop(), 0)

    def test_the_table_of_rate_limits_contains_no_names(self):
        person = self.on(self.first)
        person.log_in("named-in-clear", "wrong")
        rows = self.query("SELECT name FROM rates")
        self.assertTrue(rows)
        for row in rows.split("\n"):
            self.assertRegex(row, "^[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main()
