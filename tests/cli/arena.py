"""What the command line tests share: running skirmish, writing throw-away bots, and looking for processes that were left behind."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import uuid

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOTS = os.path.join(TESTS, "bots")
PYTHON = "/usr/bin/python3"  # bots run in the sandbox, which shows the system's own


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self):
        return json.loads(self.out)


class ArenaTest(unittest.TestCase):
    """A directory of its own, and a mark in the environment by which every process of the test is known."""

    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        os.chmod(
            self.directory, 0o755
        )  # not every machine can show a private directory to another user
        self.addCleanup(shutil.rmtree, self.directory)
        self.mark = "SKIRMISH_TEST_MARK=" + uuid.uuid4().hex
        name, value = self.mark.split("=")
        self.environment = dict(os.environ, **{name: value})

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def bot(self, name, text):
        """A Python bot; returns the command that runs it. `view()` reads a line, `say()` prints one."""
        prelude = (
            "import json, os, signal, subprocess, sys, time\n"
            "def view():\n"
            "    line = sys.stdin.readline()\n"
            "    return line if line else sys.exit(0)\n"
            "def say(text, end='\\n'):\n"
            "    sys.stdout.write(text + end)\n"
            "    sys.stdout.flush()\n"
        )
        self.write(name + ".py", prelude + text)
        return f"{PYTHON} {name}.py"

    def run_skirmish(self, *arguments, timeout=120, **options):
        done = subprocess.run(
            [SKIRMISH, *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            **options,
        )
        return Result(done)

    def play(self, game, *arguments, status=0, **options):
        """A match with --json: its verdict, after checking that nothing is left of its bots."""
        result = self.run_skirmish("play", game, "--json", *arguments, **options)
        self.assertEqual(result.status, status, result.err)
        self.assert_nobody_left()
        return result.json

    def leftovers(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if int(pid) == os.getpid():
                continue
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    marked = self.mark.encode() in file.read()
                # Inside the sandbox the environment is clean, but the bot is where its files are.
                if marked or self.directory in os.readlink(f"/proc/{pid}/cwd"):
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def runs(self, name):
        """Whether a process of this test's has that file on its command line."""
        for pid in self.leftovers():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if name.encode() in file.read().split(b"\0"):
                        return True
            except OSError:
                pass
        return False

    def assert_nobody_left(self):
        self.assertEqual(self.leftovers(), [], "processes of bots are left")


def main():
    unittest.main(verbosity=2)
