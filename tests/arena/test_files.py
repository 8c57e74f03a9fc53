"""An arena that keeps its files in a bucket (tests/with_s3.py), or in an invalid place."""

import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import with_s3  # pylint: disable=wrong-import-position
from accounts_server import SKIRMISH, Person, Server  # pylint: disable=wrong-import-position

# Records every environment that it can read: its own and those of all other processes.
BOT = """import glob, os, sys
with open(%r, "ab") as to:
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            to.write(open(path, "rb").read() + b"\\n")
        except OSError:
            pass
for line in sys.stdin:
    print('{"moves": []}', flush=True)
"""


class Files(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-files-arena-")
        self.addCleanup(shutil.rmtree, self.directory)
        running = with_s3.RunningStore()
        self.store = running.__enter__()
        self.addCleanup(running.__exit__)
        keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        values = (with_s3.KEY, with_s3.SECRET, with_s3.TOKEN)
        self.environment = {**os.environ, **dict(zip(keys, values))}

    def wait(self, person, path, condition):
        """Repeats GET until there(JSON) is true; rate limits allow 4 requests/s."""
        for _ in range(480):
            answer = person.ask("GET", path)
            self.assertEqual(answer.status, 200, answer.body)
            if condition(answer.json):
                return
            time.sleep(0.25)
        self.fail(f"{path}: {answer.json}")

    def play(self, ann, bot):
        """Uploads a bot and plays a match with it. Returns the path of the match."""
        self.assertEqual(ann.register("ann").status, 201)
        made = ann.ask("POST", "/api/v1/bots", {"game": "planetwars", "name": "spy"})
        self.assertEqual(made.status, 201, made.body)
        made = ann.ask(
            "POST", "/api/v1/bots/ann/spy/versions", {"file_name": "bot.py", "source": bot}
        )
        self.assertEqual(made.status, 201, made.body)
        self.wait(ann, "/api/v1/bots/ann/spy", lambda found: found["active_version"])
        seats = [{"bot": "ann/spy"}, {"bot": "house/planetwars-random"}]
        made = ann.ask("POST", "/api/v1/matches", {"game": "planetwars", "seats": seats})
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/matches/{made.json['id']}"
        self.wait(ann, path, lambda match: match["state"] not in ("waiting", "playing"))
        return path

    def test_replays_are_in_the_bucket_and_bots_do_not_see_the_keys(self):
        seen = os.path.join(self.directory, "seen")
        options = ("--files", self.store.uri("arena"))
        server = Server(self.directory, *options, environment=self.environment)
        self.addCleanup(lambda: server.stop())
        ann = Person(server)
        path = self.play(ann, BOT % seen)
        answer = ann.ask("GET", path + "/replay")
        self.assertEqual(answer.status, 200, server.log())
        replay = answer.body
        log = server.log()
        self.assertEqual(server.stop(), 0)

        data = os.path.join(self.directory, "data")
        self.assertFalse(os.path.exists(os.path.join(data, "files")))
        rows = sqlite3.connect(os.path.join(data, "arena.db")).execute(
            "SELECT replay FROM matches WHERE id = ?", (path.rsplit("/", 1)[1],)
        )
        ((name,),) = rows.fetchall()
        self.assertTrue(
            os.path.exists(self.store.path_of("arena", "arena", "files", name[:2], name))
        )
        with open(seen, "rb") as file:
            environments = file.read()
        self.assertIn(b"PATH=", environments)
        for secret in (with_s3.SECRET, with_s3.TOKEN):
            self.assertNotIn(secret.encode(), environments)
            self.assertNotIn(secret, log)

        # A new machine has no cached copies, and fetches them.
        shutil.rmtree(os.path.join(data, "file-cache"))
        server = Server(self.directory, *options, environment=self.environment)
        self.assertEqual(Person(server).ask("GET", path + "/replay").body, replay)
        self.assertEqual(server.stop(), 0)

        # A backup has the files next to the database.
        backup = os.path.join(self.directory, "backup")
        subprocess.run(
            [SKIRMISH, "backup", backup, "--data", data, *options],
            env=self.environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.assertGreater(len(glob.glob(os.path.join(backup, "files", "??", "*"))), 1)

    def assert_refused(self, place, cause, remedy, environment=None):
        """Fails unless the arena refuses to start, says why, and creates nothing.

        Returns its output.
        """
        command = [SKIRMISH, "serve", "--port", "0", "--sandbox", "none"]
        done = subprocess.run(
            command + ["--data", "refused", "--files", place],
            cwd=self.directory,
            env={**self.environment, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(cause, done.stdout)
        self.assertIn("; " + remedy, done.stdout)
        self.assertNotIn(with_s3.SECRET, done.stdout)
        self.assertNotIn(with_s3.TOKEN, done.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "refused")))
        return done.stdout

    def test_an_arena_that_cannot_use_its_bucket_does_not_start(self):
        uri = self.store.uri("arena")
        none = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": self.directory}
        self.assert_refused(uri, "no credentials for the bucket", "set AWS_ACCESS_KEY_ID", none)
        self.assert_refused(
            uri, "does not know the access key", "check", {"AWS_ACCESS_KEY_ID": "OTHER"}
        )
        wrong = {"AWS_SECRET_ACCESS_KEY": with_s3.SECRET[1:]}
        self.assert_refused(uri, "the secret key is wrong", "check the credentials", wrong)
        self.assert_refused(
            self.store.uri("x", "elsewhere"), "the bucket does not exist", "create it"
        )
        self.assert_refused(
            uri.replace(with_s3.REGION, "moon-1"), "in another region", "name it with region"
        )
        self.assert_refused(
            "s3://arena/?endpoint=http://127.0.0.1:1", "Couldn't connect", "check the endpoint"
        )
        self.assertEqual(os.listdir(self.store.path_of("arena")), [])

    def test_an_arena_without_a_valid_place_does_not_start(self):
        for place, cause, remedy in (
            ("database", "only if it is PostgreSQL", "name one with --store"),
            ("s3://", "is not the name of a bucket", "use the form s3://BUCKET"),
            ("s3://Upper", '"Upper" is not the name of a bucket', "use the form"),
            ("s3://arena?endpoint=ftp://x", "is not a URL of a host", "use the form endpoint="),
            ("s3://arena?password=x", 'unknown option "password"', "known: endpoint"),
            ("gs://arena", "is not a place for files", "name a directory"),
        ):
            self.assert_refused(place, cause, remedy)

    def test_keys_in_a_uri_are_not_shown(self):
        keys = f"{with_s3.KEY}:{with_s3.SECRET}"
        for place, cause, remedy in (
            (f"s3://{keys}@arena", "has no credentials", "set AWS_ACCESS_KEY_ID"),
            (f"s3://arena:{with_s3.SECRET}/x", "has no credentials", "set AWS_ACCESS_KEY_ID"),
            (f"https://{keys}@arena", '"https://" is not a place for files', "name a directory"),
            (f"postgres://{keys}@db/x", '"postgres://" is not a place', "name a directory"),
        ):
            for part in with_s3.SECRET.split("/"):
                self.assertNotIn(part, self.assert_refused(place, cause, remedy))

    def test_a_bucket_with_files_of_an_unknown_store_is_left_alone(self):
        folder = self.store.path_of("arena", "arena", "files", "ab")
        os.makedirs(folder)
        with open(os.path.join(folder, "ab" * 32), "wb"):
            pass
        uri = self.store.uri("arena")
        self.assert_refused(uri, "has files of an unknown store", "choose an empty place")
        self.assertEqual(os.listdir(self.store.path_of("arena", "arena")), ["files"])

    def test_another_arenas_bucket_is_left_alone(self):
        uri = self.store.uri("arena")
        server = Server(self.directory, "--files", uri, environment=self.environment)
        self.assertEqual(server.stop(), 0)
        before = sorted(os.listdir(self.store.path_of("arena", "arena")))
        self.assert_refused(uri, "does not have the files of this store", "name the place")
        self.assertEqual(sorted(os.listdir(self.store.path_of("arena", "arena"))), before)


if __name__ == "__main__":
    unittest.main()
