"""Programs of adjacent versions side by side: a simulated newer version upgrades the tables while
an arena and a worker of this version use them.

Needs a server, see tests/with_postgres.py.
"""

import itertools
import os
import shutil
import subprocess
import tempfile
import unittest

from accounts_server import SKIRMISH, Person, Server, wait_for
from test_workers import SECONDS, Worker, database

# An upgrade of the kind that src/store/schema.h allows.
NEXT_STEP = """
ALTER TABLE jobs ADD COLUMN later BIGINT NOT NULL DEFAULT 7;
ALTER TABLE matches ADD COLUMN later TEXT;
ALTER TABLE seats ADD COLUMN later BIGINT;
ALTER TABLE accounts ADD COLUMN later TEXT NOT NULL DEFAULT 'x';
ALTER TABLE sessions ADD COLUMN later BIGINT;
ALTER TABLE settings ADD COLUMN later TEXT;
CREATE TABLE later (x BIGINT);
"""
NUMBERS = itertools.count(1)
UPGRADED = "UPDATE skirmish_stamp SET version = version + 1, oldest = "


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-upgrade-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.store = database(f"upgrade_{next(NUMBERS)}")
        self.files = os.path.join(self.directory, "files")
        self.server = self.worker = None
        self.start_server()
        self.start_worker()
        self.person = Person(self.server)
        self.assertEqual(self.person.register("ann").status, 201)

    def options(self):
        return ("--store", self.store, "--files", self.files)

    def start_server(self):
        self.server = Server(self.directory, *self.options(), "--jobs", "0")
        self.addCleanup(self.server.stop)

    def start_worker(self):
        self.worker = Worker(self.directory, "worker", self.store, self.files)
        self.addCleanup(self.stop_worker, self.worker)

    @staticmethod
    def stop_worker(worker):
        if not worker.log.closed:
            worker.stop()

    def query(self, sql):
        command = ["psql", "-qAt", "-v", "ON_ERROR_STOP=1", self.store, "-c", sql]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def play(self):
        """Lets the worker play a match to its end."""
        self.person.server = self.server
        body = {"game": "planetwars", "seats": [{"bot": "house/planetwars-random"}] * 2}
        made = self.person.ask("POST", "/api/v1/matches", body)
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/matches/{made.json['id']}"

        def state():
            answer = self.person.ask("GET", path)
            return answer.json["state"] if answer.status == 200 else "unknown"

        wait_for(lambda: state() not in ("waiting", "playing", "unknown"), SECONDS)
        self.assertEqual(state(), "over", self.worker.read_log())

    def refuse(self, *command):
        done = subprocess.run(
            [SKIRMISH, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            cwd=self.directory,
        )
        self.assertEqual(done.returncode, 2, done.stdout)
        return done.stdout

    def test_older_programs_keep_running_and_start_if_the_newer_tables_allow_it(self):
        self.play()
        known = self.query("SELECT version FROM skirmish_stamp")
        self.query(NEXT_STEP + UPGRADED + "version")
        self.play()  # over existing connections
        self.assertEqual(self.worker.stop(), 0)
        self.start_worker()
        self.play()
        self.assertEqual(self.server.stop(), 0)
        self.start_server()
        self.play()
        self.assertEqual(
            self.query("SELECT version - 1, oldest FROM skirmish_stamp"), f"{known}|{known}"
        )
        # A copy by an older program would lack the columns that it does not know.
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(self.worker.stop(), 0)
        copy = self.refuse(
            *("migrate", "--from", self.store, "--from-files", self.files, "--to", "copy")
        )
        self.assertIn("copy it with the version of Skirmish that upgraded it", copy)

    def test_older_programs_do_not_start_if_the_newer_tables_do_not_allow_it(self):
        self.query(NEXT_STEP + UPGRADED + "version + 1")
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(self.worker.stop(), 0)
        for command in ("serve", "worker"):
            data = "new-" + command
            message = self.refuse(command, *self.options(), "--sandbox", "none", "--data", data)
            self.assertIn("written by a newer version of Skirmish", message)
            self.assertIn("upgrade this program", message)
            self.assertFalse(os.path.exists(os.path.join(self.directory, data)))


if __name__ == "__main__":
    unittest.main()
