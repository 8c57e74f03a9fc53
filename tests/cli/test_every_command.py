"""Rules for every command: colours only where they are wanted, control sequences only on a terminal
that understands them, and no message when the reader of the output leaves.

The list of commands comes from `skirmish help`, so a new command fails here until it has a call.
"""

import base64
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import arena
import fake_arena
import test_play

BOTS = ("house:medium", "house:random")
COLOUR = re.compile(rb"\x1b\[[0-9;]+m")

# Arguments with which each command exits by itself. {N} is the number of the call, for names that
# must be new.
CALLS = {
    "new": ("new", "planetwars", "new-{N}"),
    "dev": ("dev", "bot", "--game", "planetwars", "--against", "house:random", "--no-open"),
    "play": ("play", "planetwars", "--seed", "3", "--watch", "--speed", "1000", *BOTS),
    "tournament": ("tournament", "--game", "planetwars", "--seed", "1", "--out", "{N}.db", *BOTS),
    "compare": ("compare", "--game", "planetwars", "--pairs", "1", "--seed", "1", *BOTS),
    "rate": ("rate", "results.db"),
    "replay": ("replay", "show", "match.skr", "--turn", "3"),
    "feed": ("feed", "match.skr", "--player", "2", "house:random"),
    "check": ("check", "cat", "--game", "planetwars"),
    "analyze": (
        *("analyze", "match.skr", "--samples", "2", "--continuations", "2"),
        *("--bots", "house:random"),
    ),
    "games": ("games",),
    "doctor": ("doctor",),
    "serve": ("serve", "--port", "0", "--data", "data-{N}", "--ladder", "off"),
    "backup": ("backup", "backup-{N}", "--data", "data"),
    "restore": ("restore", "backup", "--data", "restored-{N}"),
    "migrate": ("migrate", "--from", "data", "--to", "migrated-{N}"),
    "password": ("password", "admin", "--data", "data"),
    "login": ("login", "{URL}", "--token", fake_arena.TOKEN),
    "logout": ("logout",),
    "submit": ("submit", "fleet.py", "--game", "planetwars"),
    "bots": ("bots",),
    "matches": ("matches",),
    "challenge": ("challenge", "house/hunter", "--bot", "mine"),
    "logs": ("logs", "7"),
    "join": (
        *("join", "{URL}", "--game", "aliens", "--token", fake_arena.TOKEN),
        *("--sandbox", "none", "--", "cat"),
    ),
    "ctf": ("ctf", "config", "cat", "cat"),
    "help": ("help",),
    "version": ("version",),
    "worker": ("worker", "--print-grants", "worker"),
}
# These run until Ctrl-C, which the test presses once they have printed this text.
ENDLESS = {"dev": b" ms per turn", "serve": b"http://"}
COLOURFUL = {"dev", "play", "tournament", "rate", "replay", "check", "analyze"}
# Progress lines of commands that are too fast for the tests in tmux.
PROGRESS = {
    "backup": b"copying the database",
    "restore": b"copying the database",
    "migrate": b"] 0 of ",
}
# A server continues when its standard output is closed.
OUTLIVES_ITS_READER = {"serve"}


class EveryCommand(arena.ArenaTest):
    @classmethod
    def setUpClass(cls):
        listed = subprocess.run(
            [arena.SKIRMISH, "help"], capture_output=True, text=True, check=True
        ).stdout
        cls.commands = re.findall(r"^  ([a-z]+)  ", listed, re.M)
        assert "play" in cls.commands and "version" in cls.commands, listed

    def setUp(self):
        super().setUp()
        self.calls = 0
        self.environment.pop("NO_COLOR", None)
        self.arena = fake_arena.FakeArena().start()
        self.addCleanup(self.arena.stop)
        self.arena.add_bot("alice", "mine", "aliens", 11)
        self.environment["XDG_CONFIG_HOME"] = self.path("config-of-user")
        self.environment["http_proxy"] = "http://127.0.0.1:1"  # not for local addresses
        os.mkdir(self.path("web"))
        self.write("web/index.html", "<html><head><title>Page</title></head></html>")
        self.environment["SKIRMISH_WEB"] = self.path("web")
        self.write("config", test_play.CaptureTheFlag.CONFIG)
        self.write("fleet.py", "print(1)\n")
        os.mkdir(self.path("bot"))
        self.write("bot/bot.json", '{"name": "mine", "run": "cat"}')
        for arguments in (
            ("play", "planetwars", "--seed", "3", "--quiet", "--replay", "match.skr", *BOTS),
            ("tournament", "--game", "planetwars", "--quiet", "--out", "results.db", *BOTS),
        ):
            self.assertEqual(self.run_skirmish(*arguments).status, 0)

    def make_data(self):
        """Creates the data of an arena, and a backup of it."""
        serve = ("serve", "--port", "0", "--data", "data", "--ladder", "off")
        status, _, _ = self.call(serve, until=b"http://")
        self.assertEqual(status, 0)
        self.assertEqual(self.run_skirmish("backup", "backup", "--data", "data").status, 0)

    def prepare(self, name):
        """Prepares the fake arena for a call of a command; returns the arguments."""
        self.calls += 1
        if name != "login":
            login = self.run_skirmish("login", self.arena.url, "--token", fake_arena.TOKEN)
            self.assertEqual(login.status, 0, login.err)
        self.arena.builds = ["waiting", "good"]
        self.arena.challenge = [fake_arena.match(8)]
        view = base64.b64encode(b"one\n").decode()
        self.arena.live[:] = [("end", {"match": 7, "state": "over"})]
        if name == "join":
            self.arena.live[:0] = [
                ("start", {"run": 1}),
                ("view", {"run": 1, "bytes": view}),
                lambda: b"one" in self.arena.seats.get(1, b""),
                ("stop", {"run": 1}),
            ]
        self.arena.seats.clear()
        return [
            word.replace("{N}", str(self.calls)).replace("{URL}", self.arena.url)
            for word in CALLS[name]
        ]

    def call(self, arguments, until=None, terminal=False, **environment):
        """Runs a command until it exits; presses Ctrl-C once it has printed `until`. Returns its
        status, its output on the terminal or on both streams, and its process."""
        reading, writing = pty.openpty() if terminal else os.pipe()
        if terminal:
            fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 100, 0, 0))
        process = subprocess.Popen(
            [arena.SKIRMISH, *arguments],
            cwd=self.directory,
            env={**self.environment, "TERM": "xterm", **environment},
            stdin=writing if terminal else subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
        )
        os.close(writing)
        output = b""
        deadline = time.monotonic() + 120
        while True:
            ready, _, _ = select.select([reading], [], [], 1)
            self.assertLess(time.monotonic(), deadline, (arguments, output))
            try:
                more = os.read(reading, 65536) if ready else None
            except OSError:  # the program has exited and closed the terminal
                break
            if more == b"":
                break
            output += more or b""
            if until and until in output:
                process.send_signal(signal.SIGINT)
                until = None
        os.close(reading)
        return process.wait(120), output, process

    def test_every_command_has_a_call(self):
        self.assertEqual(set(self.commands), set(CALLS))

    def test_no_command_prints_unwanted_colours(self):
        self.make_data()
        for name in self.commands:
            for kind, options in {
                "NO_COLOR": {"terminal": True, "NO_COLOR": "1"},
                "a dumb terminal": {"terminal": True, "TERM": "dumb"},
                "a pipe": {},
            }.items():
                with self.subTest(command=name, output=kind):
                    arguments = self.prepare(name)
                    status, output, _ = self.call(arguments, ENDLESS.get(name), **options)
                    self.assertIn(status, (0, 1, 3, 4), output)
                    self.assertNotEqual(output, b"")
                    if name in PROGRESS:
                        progress = self.assertIn if "terminal" in options else self.assertNotIn
                        progress(PROGRESS[name], output)
                    if kind == "NO_COLOR":
                        self.assertIsNone(COLOUR.search(output), output)
                    else:
                        self.assertNotIn(b"\x1b", output)

    def test_colours_can_be_forced_and_forbidden(self):
        for name in sorted(COLOURFUL):
            with self.subTest(command=name):
                for more, terminal, wanted in (
                    (["--color=always"], False, True),
                    (["--color", "never"], True, False),
                    ([], True, True),
                ):
                    arguments = [*more, *self.prepare(name)]
                    _, output, _ = self.call(arguments, ENDLESS.get(name), terminal)
                    self.assertEqual(COLOUR.search(output) is not None, wanted, (more, output))

    def test_every_command_ends_silently_when_its_output_is_closed(self):
        self.make_data()
        for name in self.commands:
            if name in OUTLIVES_ITS_READER:
                continue
            with self.subTest(command=name):
                arguments = self.prepare(name)
                reading, writing = os.pipe()
                os.close(reading)
                with open(self.path("errors"), "w+b") as errors:
                    status = subprocess.run(
                        [arena.SKIRMISH, *arguments],
                        cwd=self.directory,
                        env=self.environment,
                        stdin=subprocess.DEVNULL,
                        stdout=writing,
                        stderr=errors,
                        timeout=120,
                        check=False,
                    ).returncode
                    os.close(writing)
                    errors.seek(0)
                    printed = errors.read()
                self.assertEqual(status, -signal.SIGPIPE, printed)
                self.assertNotIn(b"skirmish:", printed)
                self.assert_no_processes_left()


if __name__ == "__main__":
    arena.main()
