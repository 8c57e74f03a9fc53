"""Nothing that a bot, a file or an arena sends can act on a terminal.

Each test passes every control and format character and invalid UTF-8 through one or more commands.
Their output must be valid UTF-8 without these characters. JSON must return them unchanged.
"""

import base64
import csv
import fcntl
import io
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import unicodedata

import arena
import fake_arena
import test_play

HARMFUL = [
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp") and chr(code) not in "\n\0"
] + [
    "\0"
]  # last, because it ends some texts
INVALID = [bytes([byte]) for byte in range(0x80, 0x100)] + [
    b"\xc0\x9b",  # overlong forms of ESC and U+009B
    b"\xc0\x80",
    b"\xe0\x80\x9b",
    b"\xe0\x82\x9b",
    b"\xf0\x80\x82\x9b",
    b"\xed\xa0\x80",  # a surrogate
    b"\xf4\x90\x80\x80",  # above U+10FFFF
    b"\xe2\x80",  # truncated
]
SHORT = 18  # how many of these characters fit into a quotation in a verdict


def shout(units):
    """Joins the units with letters, which show where they went and keep them from combining."""
    return b"x" + b"x".join(units) + b"x"


TEXT = shout([character.encode() for character in HARMFUL]).decode()
BYTES = shout([character.encode() for character in HARMFUL] + INVALID)
# Control sequences that the program itself sends to a terminal.
OWN_SEQUENCES = re.compile("\x1b\\[(?:\\?(?:1049|25|7)[hl]|H|J|K|[0-9]+A|[0-9;]*m)|\r")


def parts(count=SHORT):
    """Yields the harmful characters and bytes, except those that end lines or strings, in parts."""
    units = [c.encode() for c in HARMFUL if c not in "\r\0"] + INVALID
    for at in range(0, len(units), count):
        yield shout(units[at : at + count])


def faults(output):
    """The characters of a command's output that may act on a terminal."""
    text = output.decode("utf-8", "surrogateescape")
    return sorted(
        {
            f"U+{ord(c):04X}"
            for c in text
            if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\n\t"
        }
    )


class OutputTest(arena.ArenaTest):
    def run_bytes(self, *arguments, **options):
        """Runs a command whose output must be harmless. Returns both of its streams."""
        done = subprocess.run(
            [arena.SKIRMISH, *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            **options,
        )
        with self.subTest(arguments):
            self.assertEqual((faults(done.stdout), faults(done.stderr)), ([], []))
        self.assertIn(done.returncode, (0, 1, 2, 3, 4), done.stderr)
        return done.stdout, done.stderr

    def write_bytes(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def shouting_bot(self, answer=b""):
        """A bot that prints everything to standard error and answers once with `answer`."""
        self.write_bytes("shout", b"".join(part + b"\n" for part in parts(100)))
        self.write_bytes("answer", answer)
        self.write("shout.sh", "read view; cat shout >&2; cat answer; exit 3\n")
        return "sh shout.sh"

    def assert_shown(self, output):
        """Fails unless the output has the bot's text, so that the test checks the right place."""
        self.assertIn(b"x\xef\xbf\xbd", output)

    def in_terminal(self, *arguments, keys=b""):
        """Returns what a command prints to a terminal, without the program's own sequences."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 100, 0, 0))
        process = subprocess.Popen(
            [arena.SKIRMISH, *arguments],
            cwd=self.directory,
            env=dict(self.environment, TERM="xterm"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        os.write(master, keys)
        output = b""
        while True:
            select.select([master], [], [], 60)
            try:
                output += os.read(master, 65536)
            except OSError:  # the program has exited
                break
        process.wait(60)
        os.close(master)
        text = output.decode("utf-8", "surrogateescape")
        self.assertIn("\x1b[", text)
        return OWN_SEQUENCES.sub("", text).encode("utf-8", "surrogateescape")


class Playing(OutputTest):
    def test_standard_error_of_bots(self):
        bot = self.shouting_bot(b"[]\n")
        self.write("config", test_play.CaptureTheFlag.CONFIG)
        out, err = self.run_bytes("play", "aliens", "--stderr", bot, "house:random")
        self.assert_shown(out)
        self.assert_shown(err)
        _, err = self.run_bytes("ctf", "config", bot, "cat")
        self.assert_shown(err)

    def test_verdicts_and_rejected_orders(self):
        for number, part in enumerate(parts()):
            bot = self.shouting_bot(part + b"\n\n")
            out, _ = self.run_bytes("play", "aliens", "--log", bot, "house:random")
            self.assert_shown(out)
            self.run_bytes("play", "aliens", "--json", bot, "house:random")
            if number % 4 == 0:
                self.run_bytes("play", "underworld", bot, "house:random")
                out, _ = self.run_bytes("check", bot, "--game", "aliens")
                self.assert_shown(out)
                self.run_bytes("check", bot, "--game", "aliens", "--json")
        self.write("config", test_play.CaptureTheFlag.CONFIG)
        for byte in range(0x100):
            if byte % 16 == 15 or byte == 0x9B:  # sixteen bytes per match; 0x9B (CSI) also ends one
                orders = b"".join(b"X %c\n" % c for c in range(byte - 15, byte + 1))
                self.run_bytes("ctf", "config", self.shouting_bot(orders + b"\n"), "cat")

    def test_output_of_builds(self):
        self.write_bytes("shout", BYTES)
        os.mkdir(self.path("bot"))
        self.write_bytes("bot/shout", BYTES)
        self.write("bot/bot.json", '{"run": "true", "build": "cat shout; exit 1"}')
        _, err = self.run_bytes("play", "aliens", "bot", "house:random")
        self.assert_shown(err)

    def test_names_of_directories_and_files(self):
        for part in parts(48):
            name = part.replace(b"/", b"").decode("utf-8", "surrogateescape")
            os.mkdir(self.path(name))
            self.write(os.path.join(name, "bot.json"), '{"run": "true"}')
            out, _ = self.run_bytes("play", "aliens", "--log", name, "house:random")
            self.assert_shown(out)
            os.remove(os.path.join(self.path(name), "bot.json"))
            self.run_bytes("play", "aliens", name, "house:random")
            self.run_bytes("play", "aliens", f"cat {name} >&2; exit 1", "house:random")
            self.run_bytes("play", "aliens", "--map", name, "house:random", "house:random")
            self.run_bytes("play", name, "house:random", "house:random")
            self.run_bytes("replay", "verify", name)
            self.run_bytes("ctf", name, "cat", "cat")

    def test_names_in_a_bot_json_are_rejected(self):
        os.mkdir(self.path("bot"))
        for character in HARMFUL:
            if ord(character) % 8 == 3 or ord(character) < 0x300:
                self.write("bot/bot.json", json.dumps({"name": "a" + character, "run": "true"}))
                _, err = self.run_bytes("play", "aliens", "bot", "house:random")
                self.assertIn(b'"name" must not contain control characters', err, ascii(character))

    def test_errors_in_configurations_maps_and_plans(self):
        text = json.dumps({TEXT: 1}, ensure_ascii=False)
        self.write("config.json", text)
        self.write("plan.json", text)
        self.write_bytes("map", BYTES)
        two = ("house:random", "house:random")
        games = re.findall(r"^(\w+): ", self.run_skirmish("games").out, re.M)
        self.assertIn("aliens", games)
        for game in games:
            self.run_bytes("play", game, "--config", "config.json", *two)
            self.run_bytes("play", game, "--map", "map", *two)
            self.run_bytes("play", game, "--config", "map", *two)
        _, err = self.run_bytes("tournament", "plan.json")
        self.assertIn(b"unknown", err)
        self.run_bytes("tournament", "map")
        self.run_bytes("rate", "map")
        self.run_bytes("replay", "info", "map")

    def test_a_match_in_a_terminal(self):
        os.mkdir(self.path("a\x9b\u202eb"))
        self.write("a\x9b\u202eb/bot.json", '{"run": "true"}')
        output = self.in_terminal("play", "aliens", "--watch", "a\x9b\u202eb", "house:random")
        self.assertIn("a\ufffd\ufffdb".encode(), output)
        self.assertEqual(faults(output), [])


class Replays(OutputTest):
    def replay(self, answer=b"[]\n"):
        bot = self.shouting_bot(answer)
        os.rename(self.path("shout.sh"), self.path("s\u202e\x9b.sh"))
        bot = bot.replace("shout", "s\u202e\x9b")
        self.run_bytes("play", "aliens", "--quiet", "--replay", "match.skr", bot, "house:random")
        return bot

    def test_every_way_to_read_a_replay(self):
        bot = self.replay()
        for what in "verify", "show", "info", "export":
            out, _ = self.run_bytes("replay", what, "match.skr")
            if what != "verify":
                self.assertTrue(b"s\xef\xbf\xbd\xef\xbf\xbd.sh" in out or b"s\\u202e\\u009b" in out)
        first = json.loads(out.splitlines()[0])["players"][0]
        self.assertEqual(first["name"], bot)
        kept = [c for c in HARMFUL if c not in "\r\0"]
        self.assertEqual([c for c in kept if f"x{c}x" not in first["stderr"]], [])

    def test_a_replay_that_another_program_wrote(self):
        """The header may contain any character that JSON allows unescaped."""
        self.replay()
        with open(self.path("match.skr"), "rb") as file:
            packed = file.read()
        zstd = ["zstd", "-q", "-c"]
        content = subprocess.run([*zstd, "-d"], input=packed[20:], capture_output=True, check=True)
        # Keeps the length, so that nothing else in the file changes.
        changed = content.stdout.replace(b"\\u202e\\u009b", "\u202e\x9b\u2028\x7f\x9c ".encode())
        self.assertNotEqual(changed, content.stdout)
        self.assertEqual(len(changed), len(content.stdout))
        done = subprocess.run([*zstd, "--check"], input=changed, capture_output=True, check=True)
        self.write_bytes("match.skr", packed[:20] + done.stdout)
        for what in "info", "show", "verify", "export":
            self.run_bytes("replay", what, "match.skr")

    def test_watching_a_replay(self):
        self.replay()
        output = self.in_terminal("replay", "watch", "match.skr", keys=b"q")
        self.assertIn("s\ufffd\ufffd.sh".encode(), output)
        self.assertEqual(faults(output), [])


class Tournaments(OutputTest):
    def test_names_and_failures(self):
        bot = self.shouting_bot(b"x\x1b\x9b\xc2\x9b\xe2\x80\xaey\n")
        plan = {
            "game": "aliens",
            "seed": 1,
            "bots": [bot, "house:random", {"name": "a" + chr(0x3000) + "b", "bot": "house:random"}],
        }
        self.write("plan.json", json.dumps(plan))
        out, _ = self.run_bytes("tournament", "plan.json", "--out", "a.db")
        self.assert_shown(out)
        for form in "--json", "--csv", "--cross":
            self.run_bytes("rate", "a.db", form)
        self.run_bytes("compare", "--game", "aliens", "--pairs", "1", bot, "house:random")
        output = self.in_terminal("tournament", "plan.json", "--out", "b.db")
        self.assertEqual(faults(output), [])

    def test_names_in_plans(self):
        names = [c.join("xy") for c in HARMFUL]
        bots = [
            {"name": name, "bot": "house:random"} for name in names[:40] + ["x\u202ey", "x\x9by"]
        ]
        plan = {"game": "aliens", "bots": bots, "format": "knockout", "title": "x\u202e\x9b"}
        self.write("plan.json", json.dumps(plan))
        out, _ = self.run_bytes("tournament", "plan.json", "--out", "a.db", "--html", "page.html")
        self.assert_shown(out)
        for form in [], ["--json"], ["--csv"], ["--cross"]:
            self.run_bytes("rate", "a.db", *form)
        with open(self.path("page.html"), "rb") as file:
            self.assertEqual(faults(file.read()), [])

    def test_lists_of_results(self):
        # Five characters per name, since the time to rate bots grows with the cube of their number.
        texts = [c for c in HARMFUL if c != "\0"]
        names = ["x".join(["", *texts[i : i + 5], ""]) for i in range(0, len(texts), 5)]
        players = [{"name": name, "rank": 1} for name in names]
        self.write(
            "list",
            "".join(
                json.dumps({"players": players[i : i + 2]}) + "\n" for i in range(len(names) - 1)
            ),
        )
        for form in [], ["--cross"], ["--json"], ["--csv"], ["--html", "page.html"]:
            out, _ = self.run_bytes("rate", "list", *form)
            if form == ["--json"]:
                found = {row["name"] for row in json.loads(out)["bots"]}
                self.assertEqual(set(names) - found, set())
            if form == ["--csv"]:
                rows = list(csv.DictReader(io.StringIO(out.decode())))
                self.assertEqual(len(rows), len(names))
        with open(self.path("page.html"), "rb") as file:
            self.assertEqual(faults(file.read()), [])


class Clients(OutputTest):
    """The commands that use an arena, which may be hostile."""

    def setUp(self):
        super().setUp()
        self.arena = fake_arena.FakeArena().start()
        self.arena.escapes = False
        self.addCleanup(self.arena.stop)
        self.environment["XDG_CONFIG_HOME"] = self.path("config")
        self.environment["http_proxy"] = "http://127.0.0.1:1"
        for name in ("SKIRMISH_URL", "SKIRMISH_TOKEN"):
            self.environment.pop(name, None)
        self.run_bytes("login", self.arena.url, "--token", fake_arena.TOKEN)
        self.match = fake_arena.match(game=TEXT, map=TEXT, reason=TEXT)
        for player in self.match["players"]:
            player.update(owner=TEXT, name=TEXT, failure=TEXT, status=TEXT)
        self.arena.matches = {7: [self.match]}

    def test_lists_of_bots_and_matches(self):
        self.arena.add_bot("alice", TEXT, TEXT)
        for command in ["bots", "--all"], ["matches", "--bot", "alice/mine"]:
            out, _ = self.run_bytes(*command)
            self.assert_shown(out)
            out, _ = self.run_bytes(*command, "--json")
            item = json.loads(out)["items"][0]
            self.assertEqual(item["game"], TEXT)

    def test_challenges(self):
        self.arena.add_bot("alice", "mine", "aliens", 11)
        self.arena.live[:] = [("end", {})]
        with_text = {**self.match, "id": 8}
        self.arena.challenge = [with_text]
        arguments = ["challenge", "house/hunter", "--bot", "mine"]
        out, _ = self.run_bytes(*arguments)
        self.assert_shown(out)
        self.assertEqual(json.loads(self.run_bytes(*arguments, "--json")[0])["reason"], TEXT)

    def test_logs(self):
        self.arena.stderr = {0: BYTES}
        for more in [], ["--seat", "1"]:
            out, _ = self.run_bytes("logs", "7", *more)
            self.assert_shown(out)
        out, _ = self.run_bytes("logs", "7", "--json")
        self.assertTrue(json.loads(out)["seats"][0]["stderr"].startswith(TEXT))

    def test_logs_of_builds(self):
        self.arena.log = BYTES
        self.write("fleet.py", "print(1)\n")
        for more in [], ["--json"]:
            _, err = self.run_bytes("submit", "fleet.py", "--game", "aliens", *more)
            self.assert_shown(err)

    def test_standard_error_of_a_bot_that_joins(self):
        self.write_bytes("shout", BYTES)
        view = base64.b64encode(b"one\n").decode()
        self.arena.live[:] = [
            ("start", {"run": 1}),
            ("view", {"run": 1, "bytes": view}),
            lambda: b"done" in self.arena.seats.get(1, b""),
            ("stop", {"run": 1}),
            ("end", {"match": 7, "state": "over"}),
        ]
        bot = self.bot(
            "echo",
            "view()\n"
            "for byte in open('shout', 'rb').read() + 'né\\u732b\\n'.encode():\n"
            "    os.write(2, bytes([byte]))\n"  # a character may arrive in several pieces
            "say('done')\n"
            "view()\n",
        )
        arguments = ["join", self.arena.url, "--game", "aliens", "--token", fake_arena.TOKEN]
        out, err = self.run_bytes(*arguments, "--sandbox", "none", "--", bot)
        self.assert_shown(out)
        self.assert_shown(err)
        self.assertIn("né\u732b\n".encode(), err)

    def test_errors_of_an_arena(self):
        self.arena.refusal = TEXT
        for command in ["bots"], ["matches"], ["logs", "7"], ["challenge", "a/b", "--bot", "c"]:
            _, err = self.run_bytes(*command)
            self.assert_shown(err)
        self.arena.refusal = None
        self.arena.broken = BYTES
        self.run_bytes("bots")
        self.run_bytes("bots", "--json")


if __name__ == "__main__":
    arena.main()
