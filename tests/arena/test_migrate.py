"""`skirmish migrate`: an arena moves to PostgreSQL and back. Needs a server, see
tests/with_postgres.py."""

import glob
import os
import re
import shutil
import signal
import sqlite3
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
# Rows that a short match does not create, with values other than the defaults. A job is leased, the
# highest id is that of a deleted row, and a table has more rows than one fetch returns.
MORE = """
INSERT INTO accounts VALUES (900, 'Gone', 'gone', '', 0, 2, 1, 1, 77);
DELETE FROM accounts WHERE id = 900;
INSERT INTO settings VALUES ('motto', 'Grüße aus Köln; it''s \\x41');
INSERT INTO tokens VALUES (5, 'hash', 1, 'mine', 1, 2, 3, 7);
INSERT INTO invitations VALUES (6, 'hash', 1, '', 1, 3, 4, 5);
INSERT INTO tournaments VALUES (7, 1, 'Cup', 'planetwars', 'round robin', '{}', 0, '', 1, 0, 0, 9,
    'no entrants');
INSERT INTO entrants SELECT 8, 7, bot, id, 12 FROM versions WHERE language <> 'house';
INSERT INTO matches VALUES (800, 1, 1, 1, 'planetwars', 'm', -5, NULL, 7, 2, 3, 4, 5, 0, 0, '', '',
    NULL, 1, 0, 'host', 97);
INSERT INTO jobs VALUES (9, 2, 4, 800, NULL, 2, 1, 99, 'holder', 'lost', 'ladder', 98, 1, 80, 120,
    3, 4, 5, 'request', 6, 'owner');
INSERT INTO workers VALUES ('w', 'host', 1, '0.1', 100, 2, 1, 0, 2, 3);
INSERT INTO rates VALUES ('login', 5);
INSERT OR REPLACE INTO shares VALUES ('ladder', 0, 10, 11, 12), ('ladder', 1, 13, 14, 15);
INSERT INTO analyses VALUES (800, NULL, 3, '{}', 'x');
INSERT INTO ratings SELECT bot, 'planetwars', id, -1500, 3, 4, 5, 6, 7, 8 FROM versions
    WHERE language <> 'house';
INSERT INTO rating_points SELECT 31, bot, NULL, 1500, 2, 3, 4 FROM versions
    WHERE language <> 'house';
INSERT INTO records SELECT min(id), max(id), 1, 2, 3, 4, 800 FROM bots WHERE true
    ON CONFLICT DO NOTHING;
INSERT OR REPLACE INTO streaks SELECT min(id), 3, 4, 800 FROM bots;
WITH RECURSIVE many (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM many WHERE n < 1450)
    INSERT INTO audit SELECT n, n, NULL, 'a', 'b', '', '' FROM many;
INSERT OR REPLACE INTO known_addresses VALUES (1, '127.0.0.9', 5);
"""


def uri_of(database):
    return URI.rsplit("/", 1)[0] + "/" + database


def psql(sql, database="postgres"):
    command = ["psql", "-qtA", uri_of(database), "-c", sql]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def create(name):
    """Creates a database; returns its URI."""
    psql(f"CREATE DATABASE {name}")
    return uri_of(name)


def dump(data):
    """Returns the rows of each table, and the last id that it has issued."""
    connection = sqlite3.connect(os.path.join(data, "arena.db"))
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    rows = {
        name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
        for (name,) in tables
        if name not in ("files", "file_chunks", "sqlite_stat1")
    }
    connection.close()
    return rows


class Migrate(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-migrate-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        server = Server(cls.directory)
        try:
            cls.ann = Person(server)
            cls.play(cls.ann)
            cls.replay = cls.ann.ask("GET", cls.match + "/replay").body
            assert len(cls.replay) > 100
        finally:
            assert server.stop() == 0
        cls.data = os.path.join(cls.directory, "data")
        connection = sqlite3.connect(os.path.join(cls.data, "arena.db"))
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(MORE)
        connection.close()
        cls.rows = dump(cls.data)
        cls.files = len(glob.glob(os.path.join(cls.data, "files", "??", "*")))
        assert cls.files > 1
        assert all(cls.rows.values()), [name for name in cls.rows if not cls.rows[name]]

    @classmethod
    def play(cls, ann):
        """Registers, uploads a bot, and plays a match with it."""

        def wait(path, condition):
            for _ in range(480):
                answer = ann.ask("GET", path)
                assert answer.status == 200, answer.body
                if condition(answer.json):
                    return
                time.sleep(0.25)  # rate limits allow 4 requests per second
            raise AssertionError(f"{path}: {answer.json}")

        def make(path, body):
            made = ann.ask("POST", "/api/v1/" + path, body)
            assert made.status == 201, made.body
            return made.json

        assert ann.register("ann").status == 201
        make("bots", {"game": "planetwars", "name": "striker"})
        make("bots/ann/striker/versions", {"file_name": "bot.py", "source": BOT})
        bot = "/api/v1/bots/ann/striker"
        wait(bot, lambda found: found["active_version"])
        wait(bot, lambda found: found["version"]["check"]["state"] == "done")
        seats = [{"bot": "ann/striker"}, {"bot": "house/planetwars-random"}]
        made = make("matches", {"game": "planetwars", "seats": seats})
        cls.match = f"/api/v1/matches/{made['id']}"
        wait(cls.match, lambda match: match["state"] == "over")

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def migrate(self, *words):
        """Runs the command; returns its exit status and messages, which hide the password."""
        done = subprocess.run(
            [SKIRMISH, "migrate", *words],
            cwd=self.directory,
            env={**os.environ, "TMPDIR": self.directory},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertNotIn(PASSWORD, done.stdout)
        return done.returncode, done.stdout

    def assert_migrates(self, *words):
        status, text = self.migrate(*words)
        self.assertEqual(status, 0, text)
        rows = sum(len(self.rows[name]) for name in self.rows if name != "sqlite_sequence")
        self.assertIn(
            f"Copied {rows} rows of {len(self.rows) - 1} tables, and {self.files} files", text
        )

    def assert_works(self, name, *options):
        """Fails unless an arena on the copy knows the session and the replay, and can be used."""
        folder = self.path(name)
        os.makedirs(folder, exist_ok=True)
        server = Server(folder, *options)
        try:
            again = Person(server)
            again.cookie, again.csrf_token = self.ann.cookie, self.ann.csrf_token
            me = again.ask("GET", "/api/v1/me")
            self.assertEqual((me.status, me.json["name"]), (200, "ann"))
            self.assertEqual(again.ask("GET", self.match + "/replay").body, self.replay)
            made = again.ask("POST", "/api/v1/bots", {"game": "planetwars", "name": "second"})
            self.assertEqual(made.status, 201, made.body)
            self.assertEqual(Person(server).register("bea").status, 201)
        finally:
            self.assertEqual(server.stop(), 0, server.log() if not server.errors.closed else "")

    def test_a_store_survives_a_migration_to_postgresql_and_back(self):
        """All rows and files are the same after a copy to PostgreSQL, to another PostgreSQL with
        the files in its database, and back to a data directory."""
        os.mkdir(self.path("there"))
        place = ("--to", create("there"), "--to-files", "there/data")
        self.assert_migrates("--from", "data", *place)
        self.assertEqual(dump(self.data), self.rows)
        place = ("--from", uri_of("there"), "--from-files", "there/data")
        self.assert_migrates(*place, "--to", create("again"), "--to-files", "database")
        place = ("--from", uri_of("again"), "--from-files", "database")
        os.mkdir(self.path("back"))
        self.assert_migrates(*place, "--to", "back/data")
        self.assertEqual(dump(self.path("back", "data")), self.rows)

        self.assert_works("there", "--store", uri_of("there"))
        self.assert_works("again", "--store", uri_of("again"), "--files", "database")
        self.assert_works("back")
        # Ids of deleted rows are not reused.
        for name in ("there", "again"):
            self.assertEqual(psql("SELECT id FROM accounts WHERE name = 'bea'", name), "901")
        ((bea,),) = sqlite3.connect(self.path("back", "data", "arena.db")).execute(
            "SELECT id FROM accounts WHERE name = 'bea'"
        )
        self.assertEqual(bea, 901)

        # A place that already has an arena cannot be the destination.
        for words in (
            ("--from", "data", "--to", uri_of("there"), "--to-files", "database"),
            ("--from", "data", "--to", "back/data"),
        ):
            status, text = self.migrate(*words)
            self.assertEqual(status, 2, text)
            self.assertIn("already has an arena; name a new directory", text)

    def test_a_migration_counts_results_that_were_not_yet_counted(self):
        uri = create("uncounted")
        self.assert_migrates("--from", "data", "--to", uri, "--to-files", "database")
        counted = int(psql("SELECT last FROM results", "uncounted"))
        self.assertEqual(counted, max(row[17] or 0 for row in self.rows["matches"]))
        self.assertEqual(int(psql("SELECT nextval('result_numbers')", "uncounted")), counted + 1)
        psql(f"UPDATE matches SET result = {counted + 5} WHERE id = 800", "uncounted")
        place = ("--from", uri, "--from-files", "database")
        self.assert_migrates(*place, "--to", "counted")
        self.assertEqual(dump(self.path("counted"))["results"], [(counted + 5,)])

    def wait_for(self, sql, database):
        """Waits until a query returns 1."""
        until = time.monotonic() + 60
        while psql(sql, database) != "1":
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def start_until_locked(self, words, number):
        """Starts a copy, and sends it a signal when it waits for the lock on the table `jobs`."""
        running = subprocess.Popen(
            [SKIRMISH, "migrate", *words],
            cwd=self.directory,
            env={**os.environ, "TMPDIR": self.directory},  # a killed copy leaves a temporary folder
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait_for(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'jobs'::regclass",
            "interrupted",
        )
        running.send_signal(number)
        return running

    def test_a_copy_that_was_interrupted_can_be_repeated(self):
        uri = create("interrupted")
        target = ("--to", uri, "--to-files", "database")
        # A damaged file ends the copy after the tables and some files have been copied.
        shutil.copytree(self.data, self.path("damaged"))
        damaged = max(glob.glob(self.path("damaged", "files", "??", "*")))
        with open(damaged, "ab") as file:
            file.write(b"x")
        status, text = self.migrate("--from", "damaged", *target)
        self.assertEqual(status, 1, text)
        self.assertIn("is damaged", text)
        self.assertEqual(psql("SELECT count(*) FROM files", "interrupted"), str(self.files - 1))

        # Another session holds a lock that stops the next copies after most of the rows.
        with subprocess.Popen(["psql", "-qtA", uri], stdin=subprocess.PIPE, text=True) as holder:
            holder.stdin.write("BEGIN; LOCK TABLE jobs IN EXCLUSIVE MODE;\n")
            holder.stdin.flush()
            self.wait_for(
                "SELECT count(*) FROM pg_locks WHERE granted AND relation = 'jobs'::regclass",
                "interrupted",
            )
            words = ("--from", "data", *target)
            killed = self.start_until_locked(words, signal.SIGKILL)
            self.assertEqual(killed.wait(60), -signal.SIGKILL)
            # The server would notice the killed client only after getting the lock.
            self.wait_for(
                "SELECT 1 - count(*) FROM pg_locks WHERE NOT granted "
                "AND relation = 'jobs'::regclass AND 0 < (SELECT pg_cancel_backend(pid)::int)",
                "interrupted",
            )
            stopped = self.start_until_locked(words, signal.SIGINT)
            holder.stdin.close()
        self.assertEqual(stopped.wait(60), 130)
        self.assertEqual(psql("SELECT count(*) FROM accounts", "interrupted"), "0")

        self.assert_migrates(*words)
        place = ("--from", uri, "--from-files", "database")
        self.assert_migrates(*place, "--to", "completed")
        self.assertEqual(dump(self.path("completed")), self.rows)

    def test_unusable_sources_and_destinations_are_refused(self):
        uri = create("refused")
        source = ("--from", "data")
        target = ("--to", uri, "--to-files", "database")
        missing = URI.rsplit("/", 1)[0] + "/nowhere"
        os.mkdir(self.path("empty"))
        shutil.copytree(self.data, self.path("old"))
        shutil.copytree(self.data, self.path("new"))
        shutil.copytree(self.data, self.path("foreign"))
        for name, pragma in (
            ("old", "user_version = 3"),
            ("new", "user_version = 9999"),
            ("foreign", "application_id = 7"),
        ):
            connection = sqlite3.connect(self.path(name, "arena.db"))
            connection.execute("PRAGMA " + pragma)
            connection.close()
        psql("CREATE TABLE other (x INT)", create("others") and "others")
        for cause, remedy, words in (
            ("--from is required", "", target),
            ("--to is required", "", source),
            ("--to-files is required", "name a directory", (*source, "--to", uri)),
            ("--from-files is required", "name a directory", ("--from", uri, "--to", "x")),
            ("not the URI of a PostgreSQL", "use the form", (*source, "--to", "mysql://a:b@c/d")),
            (
                "not the URI of a PostgreSQL",
                "use the form",
                ("--from", "host=db password=with-postgres-secret", *target),
            ),
            ("is not the data directory", "name the one", ("--from", "nowhere", *target)),
            ("is not the data directory", "name the one", ("--from", "empty", *target)),
            ("from an older version", "`skirmish serve` upgrades", ("--from", "old", *target)),
            ("by a newer version", "", ("--from", "new", *target)),
            ("another program's database", "use an empty", ("--from", "foreign", *target)),
            ("from an older version", "`skirmish serve` upgrades", (*source, "--to", "old")),
            ("another program's", "use an empty", (*source, "--to", "foreign")),
            (
                "another program's",
                "use an empty",
                (*source, "--to", uri_of("others"), "--to-files", "database"),
            ),
            ("source and destination are the same", "name another", (*source, "--to", "./data/")),
            ("does not exist", "create it", (*source, "--to", missing, "--to-files", "database")),
            (
                "Connection refused",
                "check that the server",
                (*source, "--to", "postgresql://127.0.0.1:1/x", "--to-files", "database"),
            ),
            (
                "has its own database",
                "choose another",
                (*source, "--to", uri, "--to-files", "data"),
            ),
            (
                "there is no store in it",
                "`skirmish serve` creates",
                ("--from", uri, "--from-files", "database", "--to", "x"),
            ),
        ):
            with self.subTest(cause=cause, words=words):
                status, text = self.migrate(*words)
                self.assertEqual(status, 2, text)
                self.assertIn(cause, text)
                if remedy:
                    self.assertIn("; " + remedy, text)
                self.assertNotIn("a:b@c", text)
                self.assertNotIn("with-postgres-secret", text)
        self.assertEqual(
            psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", "refused"), "0"
        )
        self.assertFalse(os.path.exists(self.path("x")))

    def test_a_running_arena_cannot_be_migrated(self):
        uri = create("running")
        os.mkdir(self.path("running"))
        words = ("--from", uri, "--from-files", "database", "--to", "moved")
        server = Server(self.path("running"), "--store", uri, "--files", "database")
        try:
            status, text = self.migrate(*words)
            self.assertEqual(status, 2, text)
            self.assertIn("an arena is running on the database to copy from; stop it", text)
        finally:
            self.assertEqual(server.stop(), 0)
        self.assertEqual(self.migrate(*words)[0], 0)
        os.mkdir(self.path("here"))
        shutil.move(self.path("moved"), self.path("here", "data"))
        server = Server(self.path("here"))
        try:
            status, text = self.migrate("--from", "here/data", "--to", "x")
            self.assertEqual(status, 2, text)
            self.assertIn("is in use by another Skirmish process; stop the arena", text)
        finally:
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
