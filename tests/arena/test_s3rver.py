"""An arena whose files are in a bucket of s3rver, an independent S3 server: tests/with_s3.py could
share a misunderstanding of S3 with the arena. Only with_s3.py rejects wrong signatures, though.
`tools/build-web --modules` installs s3rver from web/package-lock.json."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from accounts_server import SKIRMISH, Server

S3RVER = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../web/node_modules/s3rver/bin/s3rver.js"
)
KEY, SECRET = "S3RVER", "S3RVER"  # the only keys that s3rver accepts


class S3rver(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-s3rver-")
        self.addCleanup(shutil.rmtree, self.directory)
        os.mkdir(self.path("objects"))
        command = ["node", S3RVER, "--directory", self.path("objects"), "--address", "127.0.0.1"]
        server = subprocess.Popen(
            command + ["--port", "0", "--no-vhost-buckets", "--configure-bucket", "arena"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "NODE_NO_WARNINGS": "1"},
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        said = ""
        while not (port := re.search(r"listening on .*:(\d+)", said)):
            line = server.stdout.readline()
            self.assertTrue(line, said)
            said += line
        self.uri = f"s3://arena/folder?endpoint=http://127.0.0.1:{port[1]}&timeout=10"
        self.environment = {
            **os.environ,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }

    def path(self, name):
        return os.path.join(self.directory, name)

    def migrate(self, *options):
        done = subprocess.run(
            [SKIRMISH, "migrate", *options],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def files_of(self, folder):
        """The names and contents of the files in a data directory."""
        found = {}
        for parent, _, names in os.walk(self.path(folder + "/files")):
            for name in names:
                with open(os.path.join(parent, name), "rb") as file:
                    found[name] = file.read()
        return found

    def test_files_survive_a_migration_to_s3_and_back(self):
        server = Server(self.directory, environment=self.environment)  # stores the house bots
        self.assertEqual(server.stop(), 0)
        before = self.files_of("data")
        self.assertGreater(len(before), 1)
        self.migrate("--from", "data", "--to", "moved", "--to-files", self.uri)
        os.rename(self.path("data"), self.path("old"))
        os.rename(self.path("moved"), self.path("data"))
        server = Server(self.directory, "--files", self.uri, environment=self.environment)
        self.assertEqual(server.stop(), 0)
        shutil.rmtree(self.path("data/file-cache"), ignore_errors=True)
        self.migrate("--from", "data", "--from-files", self.uri, "--to", "back")
        self.assertEqual(self.files_of("back"), before)


if __name__ == "__main__":
    if not os.path.exists(S3RVER):
        print("s3rver is missing; see tools/build-web --modules")
        sys.exit(77)  # skipped, for meson
    unittest.main()
