"""Helpers of the command-line tests: run skirmish, write bots, and find leftover processes."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import uuid

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOTS = os.path.join(TESTS, "bots")
sys.path.insert(0, TESTS)  # for modules that all tests share
PYTHON = "/usr/bin/python3"  # the sandbox shows only the system's runtimes


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self):
        return json.loads(self.out)


@functools.cache
def game_titles():
    """The titles of all games. A message may begin with a title, although these are capitalised."""
    games = subprocess.run([SKIRMISH, "games"], capture_output=True, text=True, check=True).stdout
    return tuple(re.findall(r"^\w+: (.+), \d+ (?:to \d+ )?players", games, re.M))


def message_faults(text):
    """Returns how error messages in a command's standard error break the conventions.

    An error is `skirmish: MESSAGE`: lower case, no full stop, the remedy after a semicolon.
    """
    faults = []
    for line in text.splitlines():
        if not line.startswith("skirmish: "):
            continue
        message = line.removeprefix("skirmish: ")
        first = re.match(r"[A-Z][a-z]+", message)
        if not message.strip():
            faults.append(f"{line!r} is empty")
        if first and not message.startswith(game_titles()):
            faults.append(f"{line!r} begins with a capital letter")
        if message.endswith((".", "!", ";", ":", " ")) and not message.endswith("..."):
            faults.append(f"{line!r} ends with {message[-1]!r}")
        if message != message.strip() or "  " in re.sub(r'"[^"]*"', '""', message):
            faults.append(f"{line!r} has superfluous spaces")
        if re.search(r"\bskirmish [a-z]+:", line):
            faults.append(f"{line!r} names the command")
    return faults


def help_faults(command, text):
    """Returns how a command's help breaks the conventions.

    The form: a sentence in the imperative, the usage, options whose texts are aligned, the exit
    status, and examples that can be pasted.
    """
    lines = text.splitlines()
    faults = [f"longer than 100 columns: {line}" for line in lines if len(line) > 100]
    faults += [f"spaces at the end: {line!r}" for line in lines if line != line.rstrip()]
    if not re.fullmatch(r"[A-Z][a-z]+\b.*\.", lines[0]) or re.match(r"[A-Z][a-z]*s\b", lines[0]):
        faults.append(f"the first line is not a sentence in the imperative: {lines[0]}")
    if lines[1] or not lines[2].startswith(f"Usage: skirmish {command}"):
        faults.append("the usage does not follow the first line")
    columns = {
        len(found[0]) for found in (re.match(r"  --\S.*?  +(?=\S)", x) for x in lines) if found
    }
    if len(columns) > 2:  # a single group may have long names
        faults.append(f"texts of options begin in columns {sorted(columns)}")
    if not any(line.startswith("Exit status: 0 ") for line in lines):
        faults.append("the exit status is missing")
    blocks = text.rstrip("\n").split("\n\n")
    head, *examples = blocks[-1].splitlines()
    if head != "Examples" or not examples:
        faults.append("examples are not the last part")
    for example in examples:
        if not example.startswith("  skirmish "):
            faults.append(f"not a command: {example}")
    return faults


class ArenaTest(unittest.TestCase):
    """Each test has its own directory, and an environment variable that marks its processes."""

    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        # The sandbox cannot show a private directory to another user on every machine.
        os.chmod(self.directory, 0o755)
        self.addCleanup(self.remove_directory)
        self.mark = "SKIRMISH_TEST_MARK=" + uuid.uuid4().hex
        name, value = self.mark.split("=")
        self.environment = dict(os.environ, **{name: value})

    def remove_directory(self):
        try:
            shutil.rmtree(self.directory)
        except OSError as error:
            left = os.listdir(self.directory)
            raise AssertionError(f"{error}: something still writes there: {left}") from error

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def bot(self, name, text):
        """Writes a Python bot in which view() reads a line and say() prints one. Returns its
        command."""
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
        self.assertEqual(message_faults(done.stderr), [])
        return Result(done)

    def play(self, game, *arguments, status=0, **options):
        """Plays a match with --json, checks that no process is left, and returns the verdict."""
        result = self.run_skirmish("play", game, "--json", *arguments, **options)
        self.assertEqual(result.status, status, result.err)
        self.assert_no_processes_left()
        return result.json

    def leftovers(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if int(pid) == os.getpid():
                continue
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    marked = self.mark.encode() in file.read()
                # Sandboxed bots have a clean environment but run in the directory of their files.
                if marked or self.directory in os.readlink(f"/proc/{pid}/cwd"):
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def runs(self, name, ancestor=None):
        """Whether a process of this test has that file on its command line and, if `ancestor` is
        given, descends from that process."""
        for pid in self.leftovers():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if name.encode() in words and (ancestor is None or descends(pid, ancestor)):
                return True
        return False

    def assert_no_processes_left(self):
        left = self.leftovers()
        self.assertEqual(left, [], "leftover processes:\n" + "".join(map(describe, left)))


def describe(pid):
    """What /proc shows about a process, for the message of a failed test."""
    wanted = ("State", "PPid", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt")
    lines = []
    for name in ("cmdline", "status", "wchan"):
        try:
            with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
                text = file.read().replace("\0", " ")
        except OSError as error:
            text = str(error)
        if name == "status":
            text = " ".join(line for line in text.splitlines() if line.startswith(wanted))
        lines.append(f"  {name}: {text.strip()}\n")
    return f"{pid}\n" + "".join(lines)


def descends(pid, ancestor):
    while pid > 1 and pid != ancestor:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                pid = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return pid == ancestor


def main():
    unittest.main(verbosity=2)
