"""Two arenas on one database: one leads, and the other takes over when the leader is gone.

Needs a server, see tests/with_postgres.py. Each arena has its own data directory; the files
are in the database.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from accounts_server import Person, Server

URI = os.environ["TEST_POSTGRES"]
SECONDS = 120
RANDOM, MEDIUM = "planetwars-random", "planetwars-medium"


class Leader(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-leader-")
        self.addCleanup(shutil.rmtree, self.directory)
        subprocess.run(["psql", "-q", URI, "-c", "CREATE DATABASE leader"], check=True)
        self.addCleanup(self.sql, "DROP DATABASE leader")
        self.store = URI.rsplit("/", 1)[0] + "/leader"
        self.first, self.second = self.serve("first"), self.serve("second")

    def serve(self, name):
        directory = os.path.join(self.directory, name)
        os.mkdir(directory)
        server = Server(
            directory, "--store", self.store, "--files", "database", "--people-per-address", "50"
        )
        self.addCleanup(server.stop)
        return server

    def until(self, look, what):
        deadline = time.monotonic() + SECONDS
        while not (found := look()):
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.25)
        return found

    def leads(self, person):
        text = person.ask("GET", "/metrics").body.decode()
        return re.search(r"^skirmish_leader (\d)$", text, re.M)[1] == "1"

    def admin(self, server):
        person = Person(server)
        self.assertEqual(person.log_in("admin", self.first.password).status, 200)
        return person

    def play_tournament(self, admin, name):
        """Starts a tournament of house bots, and waits until it is over."""
        plan = {"name": name, "game": "planetwars", "format": "round-robin", "games": 2}
        made = admin.ask("POST", "/api/v1/tournaments", plan)
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/tournaments/{made.json['id']}"
        for bot in (RANDOM, MEDIUM):
            entered = admin.ask("POST", path + "/entrants", {"owner": "house", "bot": bot})
            self.assertEqual(entered.status, 201, entered.body)
        started = admin.ask("POST", path + "/start")
        self.assertEqual(started.status, 200, started.body)
        self.until(lambda: admin.ask("GET", path).json["state"] == "over", name)
        standings = admin.ask("GET", path + "/standings").json
        self.assertEqual(standings["bots"][0]["name"], "house/" + MEDIUM)

    def wait_ladder(self, admin, least):
        """Waits until both bots have played at least this many ladder matches."""

        def rows():
            items = admin.ask("GET", "/api/v1/ladders/planetwars").json["items"]
            matches = {row["bot"]: row["matches"] for row in items}
            return matches if min(matches.get(RANDOM, 0), matches.get(MEDIUM, 0)) >= least else None

        return self.until(rows, "the ladder")

    def test_the_other_arena_takes_over_when_the_leader_is_killed(self):
        first, second = self.admin(self.first), self.admin(self.second)
        house = "/api/v1/bots/house/"
        for bot in (RANDOM, MEDIUM):
            self.until(lambda: second.ask("GET", house + bot).json["active_version"], bot)
        self.until(lambda: self.leads(first), "a leader")
        self.assertFalse(self.leads(second))

        # The leader runs a tournament that was started elsewhere.
        self.play_tournament(second, "before")
        self.assertFalse(self.leads(second))

        self.first.process.kill()
        self.until(lambda: self.leads(second), "another leader")
        self.play_tournament(second, "after")
        changed = second.ask("PATCH", "/api/v1/admin/settings", {"ladder": True})
        self.assertEqual(changed.status, 200, changed.body)
        self.wait_ladder(second, 2)

    def sql(self, *statements):
        """Runs statements in another database of the server."""
        words = [word for statement in statements for word in ("-c", statement)]
        subprocess.run(["psql", "-q", URI, *words], check=True, stdout=subprocess.DEVNULL)

    def test_arenas_that_cannot_reach_their_database_say_so(self):
        people = [Person(self.first), Person(self.second)]
        seats = [{"bot": "house/" + RANDOM}, {"bot": "house/" + MEDIUM}]
        account = {"name": "admin", "password": self.first.password}
        questions = [
            ("GET", "/api/v1/bots"),
            ("GET", "/api/v1/bots?owner=house"),
            ("GET", f"/api/v1/matches?bot=house/{RANDOM}"),
            ("POST", "/api/v1/matches", {"game": "planetwars", "seats": seats}),
            ("POST", "/api/v1/matches", {"game": "planetwars", "seats": [{"version": 1}] * 2}),
            ("POST", "/api/v1/matches", {"from": {"match": 1, "turn": 1}}),
            ("POST", "/api/v1/join", {"game": "planetwars", "person": True}),
            ("POST", "/api/v1/login", account),
        ]
        self.sql(
            "ALTER DATABASE leader ALLOW_CONNECTIONS false",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'leader'",
        )
        for person in people:
            self.until(lambda who=person: who.ask("GET", "/healthz").status == 503, "an outage")
            for request in questions:
                with self.subTest(request):
                    reply = person.ask(*request)
                    answer = (reply.status, reply.headers["Retry-After"])
                    self.assertEqual(answer, (503, "5"), (request, reply.body))
        self.sql("ALTER DATABASE leader ALLOW_CONNECTIONS true")
        for person in people:
            self.until(lambda who=person: who.ask("GET", "/healthz").status == 200, "the end of it")
            self.assertEqual(person.ask("GET", "/api/v1/bots").status, 200)


if __name__ == "__main__":
    unittest.main()
