"""Helpers for tests with matches of hostile bots in the sandbox, as root and as an ordinary user.

The programs are in hostile/: manners.c misbehaves without special rights, bombs.c exhausts
resources, burdens.c burdens its opponents, tries.c tries to escape.
"""

import ctypes
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import arena  # noqa: E402

HOSTILE = os.environ.get("HOSTILE") or sys.exit(
    "HOSTILE must name the directory with the built programs"
)
# A control group delegated to the ordinary user (tests/sandbox/vm creates one).
DELEGATED = os.environ.get("DELEGATED")
NOBODY = 65534
PR_SET_CHILD_SUBREAPER = 36
PROGRAMS = ("bombs", "burdens", "manners", "tries")
OUTSIDE = [
    "/", "/usr", "/usr/bin", "/usr/lib", "/usr/local/bin", "/etc", "/var", "/var/tmp", "/dev",
    "/dev/shm", "/run", "/opt", "/home", "/root", "/tmp",
]  # fmt: skip


def children():
    found = []
    for path in glob.glob("/proc/self/task/*/children"):
        with open(path, encoding="ascii") as file:
            found += [int(word) for word in file.read().split()]
    return found


def mounts():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return {line.split(" ", 1)[1] for line in file}


def groups(pid):
    """The control groups of a referee. In a container, their names include its pid namespace."""
    namespace = os.readlink("/proc/self/ns/pid")[len("pid:[") : -1]
    mine = re.compile(rf"skirmish-(runner-)?({namespace}\.)?{pid}(-|$)")
    return [
        os.path.join(at, name)
        for at, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if mine.match(name)
    ]


class HostileMatch:
    """Subclasses set the user: `user` is a command prefix that switches to the user id `uid`."""

    user = []
    uid = os.geteuid()
    mode = "strict"
    has_memory = True

    @classmethod
    def setUpClass(cls):
        """Copies the program and the bots to a directory that every user can read."""
        # Processes that outlive a match become children of this process.
        if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError("prctl(PR_SET_CHILD_SUBREAPER) failed")
        cls.common = tempfile.mkdtemp(prefix="skirmish-hostile-")
        cls.addClassCleanup(shutil.rmtree, cls.common)
        os.chmod(cls.common, 0o755)
        cls.program = shutil.copy(arena.SKIRMISH, cls.common)
        for name in PROGRAMS:
            shutil.copy(os.path.join(HOSTILE, name), cls.common)

    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="skirmish-hostile-")
        self.addCleanup(shutil.rmtree, self.base)
        os.chmod(self.base, 0o755)
        self.mark = "mark" + os.urandom(8).hex()
        for name in ("honest", "hostile", "out", "tmp"):
            os.mkdir(self.path(name))
        self.own("out", "tmp", "hostile")
        self.config(5)
        self.expected = {self.path("out/match.skr")}
        honest = [f"honest/{name}" for name in ("burdens", "manners")]
        for name in honest + [f"hostile/{name}" for name in PROGRAMS]:
            shutil.copy(os.path.join(self.common, os.path.basename(name)), self.path(name))
            self.own(name)
        for name in ("honest", "hostile"):
            self.bot(name, "exec ./manners polite")

    def path(self, name):
        return os.path.join(self.base, name)

    def own(self, *names):
        for name in names:
            if os.geteuid() == 0:
                os.chown(self.path(name), self.uid, self.uid)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        self.own(name)

    def config(self, turns):
        self.turns = turns
        self.write("config.json", json.dumps({"max_turns": turns}))

    def bot(self, name, run, build=None):
        self.write(
            f"{name}/bot.json",
            json.dumps({"name": name, "run": run, **({"build": build} if build else {})}),
        )

    def skirmish(self, *arguments, timeout=120, **environment):
        """Runs skirmish and checks that it leaves no process, control group, mount or file."""
        before = mounts()
        files = self.files()
        with subprocess.Popen(
            [*self.user, self.program, *arguments],
            cwd=self.base,
            env=dict(os.environ, SECRET=self.mark, TMPDIR=self.path("tmp"), **environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as referee:
            try:
                out, err = referee.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                referee.send_signal(signal.SIGTERM)
                self.fail(f"skirmish {' '.join(arguments)} did not end in {timeout} s")
        left = children()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.assertEqual(left, [], "processes are left")
        self.assertEqual(groups(referee.pid), [], "control groups are left")
        deadline = time.monotonic() + 30  # mounts of other programs may come and go
        while mounts() - before and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(mounts() - before, set(), "mounts are left")
        self.assertEqual(self.files() - files, set(), "files are left")
        return referee.returncode, out, err

    def files(self):
        """Unexpected files in the test's directory, and files named after the mark elsewhere."""
        found = {
            os.path.join(directory, name)
            for directory, names, files in os.walk(self.base)
            for name in names + files
        }
        found |= {
            os.path.join(place, self.mark)
            for place in OUTSIDE
            if os.path.lexists(os.path.join(place, self.mark))
        }
        return found - self.expected

    def against_honest(self, run=None, *options, turn=400, **environment):
        """Plays the hostile bot against the honest one; returns the hostile player's verdict.

        Stores the hostile bot's standard error in `said`.
        """
        if run:
            self.bot("hostile", "exec ./" + run)
        status, out, err = self.skirmish(
            "play", "planetwars", "--json", "--sandbox=" + self.mode, "--config", "config.json",
            "--seed", "1", "--turn-time", str(turn), "--start-time", str(max(turn, 1500)),
            "--replay", "out/match.skr", *options, "hostile", "honest", **environment,
        )  # fmt: skip
        self.assertEqual(status, 0, err)
        verdict = json.loads(out)
        self.honest = honest = verdict["players"][1]
        self.assertEqual(verdict["turns"], self.turns)
        self.assertEqual(
            (honest["status"], honest["timeouts"], honest["refused"]), ("ok", 0, 0), verdict
        )
        self.layers = verdict["sandbox"]
        self.read_replay()
        return verdict["players"][0]

    def read_replay(self):
        done = subprocess.run(
            [*self.user, self.program, "replay", "export", "out/match.skr"],
            cwd=self.base, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        players = [json.loads(line)["players"] for line in done.stdout.splitlines()]
        turns = [one[0] for one in players]
        self.walls = [[player["wall_ms"] for player in one] for one in players]
        self.kinds = [turn["kind"] for turn in turns]
        self.said = "".join(turn["stderr"] or "" for turn in turns)

    def check(self, run, status, *options, **more):
        hostile = self.against_honest(run, *options, **more)
        self.assertEqual(hostile["status"], status, (hostile, self.said))
        return hostile


class Root(HostileMatch):
    """As root: strict, with every layer."""

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("not root")
        super().setUpClass()


class User(HostileMatch):
    """As an ordinary user: strict-except-uid where it is available, else best-effort."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if os.geteuid() == 0:
            cls.user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            cls.uid = NOBODY
            if DELEGATED:
                cls.user = [
                    "sh",
                    "-c",
                    f'echo 0 >{DELEGATED}/cgroup.procs && exec "$@"',
                    "sh",
                    *cls.user,
                ]
        doctor = subprocess.run(
            [*cls.user, cls.program, "doctor"], stdout=subprocess.PIPE, text=True, check=False
        ).stdout
        cls.mode = "strict-except-uid"
        cls.has_memory = f"--sandbox={cls.mode} is available" in doctor
        if not cls.has_memory:
            cls.mode = "best-effort"
