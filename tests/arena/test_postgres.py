"""An arena whose store is in PostgreSQL. Needs a server, see tests/with_postgres.py."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from accounts_server import SKIRMISH, Person, Server

URI = os.environ["TEST_POSTGRES"]
PASSWORD = re.search(r"://[^:]+:([^@]+)@", URI)[1]
BOT = """import sys
for line in sys.stdin:
    print('{"moves": []}', flush=True)
"""


class Postgres(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-postgres-arena-")
        self.addCleanup(shutil.rmtree, self.directory)

    def create(self, name):
        """Creates a database; returns its URI."""
        subprocess.run(["psql", "-q", URI, "-c", f"CREATE DATABASE {name}"], check=True)
        return URI.rsplit("/", 1)[0] + "/" + name

    def run_skirmish(self, *words, **environment):
        """Runs a command; returns its exit status and messages, which hide the password."""
        done = subprocess.run(
            [SKIRMISH, *words],
            cwd=self.directory,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertNotIn(PASSWORD, done.stdout)
        return done.returncode, done.stdout

    def serve(self, *options, **environment):
        """Starts an arena that is expected to fail."""
        options = ("--port", "0", "--sandbox", "none", *options)
        return self.run_skirmish("serve", *options, **environment)

    def password(self, *options):
        return self.run_skirmish("password", "ann", "--data", "data", *options)

    def wait(self, person, path, condition):
        """Repeats GET until there(JSON) is true; rate limits allow 4 requests/s."""
        for _ in range(480):
            answer = person.ask("GET", path)
            self.assertEqual(answer.status, 200, answer.body)
            if condition(answer.json):
                return
            time.sleep(0.25)
        self.fail(f"{path}: {answer.json}")

    def play(self, ann):
        """Registers, uploads a bot, and plays a match with it; returns the match."""
        self.assertEqual(ann.register("ann").status, 201)
        self.assertEqual(
            ann.ask("POST", "/api/v1/bots", {"game": "planetwars", "name": "striker"}).status, 201
        )
        made = ann.ask(
            "POST",
            "/api/v1/bots/ann/striker/versions",
            {"file_name": "bot.py", "source": BOT},
        )
        self.assertEqual(made.status, 201, made.body)
        self.wait(ann, "/api/v1/bots/ann/striker", lambda bot: bot["active_version"])
        made = ann.ask(
            "POST",
            "/api/v1/matches",
            {
                "game": "planetwars",
                "seats": [{"bot": "ann/striker"}, {"bot": "house/planetwars-random"}],
            },
        )
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/matches/{made.json['id']}"
        self.wait(ann, path, lambda match: match["state"] not in ("waiting", "playing"))
        return path

    def test_everything_survives_a_restart(self):
        options = ("--store", self.create("restart"), "--visitors", "on")
        server = Server(self.directory, *options)
        self.addCleanup(lambda: server.stop())
        ann = Person(server)
        path = self.play(ann)
        bot = "/api/v1/bots/ann/striker"
        self.wait(ann, bot, lambda found: found["version"]["check"]["state"] == "done")
        before = {
            what: ann.ask("GET", what).json for what in (path, bot, "/api/v1/me", "/api/v1/bots")
        }
        self.assertEqual(before[path]["state"], "over")
        replay = ann.ask("GET", path + "/replay").body
        self.assertGreater(len(replay), 100)
        self.assertEqual(server.stop(), 0)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "data", "arena.db")))

        server = Server(self.directory, *options)
        again = Person(server)
        again.cookie, again.cookie_name = ann.cookie, ann.cookie_name
        self.assertEqual(again.ask("GET", path + "/replay").body, replay)
        for what, expected in before.items():
            self.assertEqual(again.ask("GET", what).json, expected)
        self.assertEqual(Person(server).log_in("ann").status, 200)

        # `skirmish password` uses the same database, even while the arena runs.
        self.assertEqual(self.password(*options[:2])[0], 0)
        self.assertEqual(Person(server).log_in("ann").status, 401)
        status, text = self.password()
        self.assertEqual(status, 2)
        self.assertIn(
            "has the files of a store on PostgreSQL; name its database with --store", text
        )
        self.assertNotIn(PASSWORD, server.log())
        self.assertEqual(server.stop(), 0)

    def test_others_cannot_see_the_password_of_a_running_arena(self):
        uri = self.create("hidden")
        others = {name: text for name, text in os.environ.items() if PASSWORD not in text}
        shown = uri.replace(":" + PASSWORD, "").encode()
        for options, environment, file in (
            (("--store", uri), {}, "cmdline"),
            ((f"--store={uri}?connect_timeout=9",), {}, "cmdline"),
            ((), {"SKIRMISH_STORE": uri}, "environ"),
        ):
            server = Server(self.directory, *options, environment={**others, **environment})
            with open(f"/proc/{server.process.pid}/{file}", "rb") as text:
                seen = text.read()
            self.assertEqual(server.stop(), 0)
            self.assertIn(shown, seen)
            self.assertNotIn(PASSWORD.encode(), seen)
            self.assertNotIn(b"connect_timeout", seen)

    def test_an_arena_that_cannot_use_its_database_does_not_start(self):
        host = URI.split("@")[1].split("/")[0]
        for uri, cause, remedy in (
            ("mysql://db/arena", "is not the URI of a PostgreSQL", "use the form postgresql://"),
            (f"postgresql://skirmish:no{PASSWORD}@{host}/x?port=x", "invalid", "check that"),
            (f"postgresql://skirmish:{PASSWORD[1:]}@{host}/x", "authentication failed", "check"),
            (URI + "-missing", "does not exist", "create it"),
            ("postgresql://127.0.0.1:1/x", "Connection refused", "check that the server"),
        ):
            for given in (("--store", uri), ()):
                more = {} if given else {"SKIRMISH_STORE": uri}
                status, text = self.serve("--data", "refused", *given, **more)
                self.assertEqual(status, 2, text)
                self.assertIn(cause, text)
                self.assertIn("; " + remedy, text)
                self.assertNotIn(PASSWORD[1:], text)
                self.assertFalse(os.path.exists(os.path.join(self.directory, "refused")))


if __name__ == "__main__":
    unittest.main()
