"""`skirmish dev` in a terminal. Its page is tested in a browser by web/tests/local.test.mjs; here
it is a file without scripts."""

import json
import os
import re
import shutil
import socket
import time

import arena
import terminal

BOT = """import sys
for line in sys.stdin:
    print("[]", flush=True)
"""

CRASH = """import sys
sys.stdin.readline()
print("[]", flush=True)
sys.stdin.readline()
raise ValueError("planted")
"""


class Dev(terminal.TerminalTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("web"))
        self.write("web/index.html", "<html><head><title>Page</title></head></html>")
        self.environment["SKIRMISH_WEB"] = self.path("web")
        self.project(BOT)

    def project(self, source, name="bot", **more):
        os.makedirs(self.path(name), exist_ok=True)
        self.write(f"{name}/bot.py", source)
        about = {"name": "mine", "run": f"{arena.PYTHON} bot.py", **more}
        self.write(f"{name}/bot.json", json.dumps(about))

    def start_dev(self, *arguments):
        self.start(
            *("dev", "bot", "--game", "aliens", "--against", "house:random", "--no-open"),
            *arguments,
        )

    def result(self, run, why, *words):
        """Waits until a run has printed the words, by default the speed of a match; returns the
        output of the run."""
        words = words or ("ms per turn",)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            screen = self.tmux("capture-pane", "-p")
            found = re.search(rf"run {run}: (.*?)(?=\n\d\d:\d\d:\d\d run|\Z)", screen, re.S)
            if found and all(word in found[1] for word in words):
                self.assertEqual(found[1].splitlines()[0].strip(), why)
                return found[1]
            time.sleep(0.05)
        return self.fail(f"run {run} never printed {words}:\n{screen}")

    def test_every_save_plays_a_match_and_prints_a_line(self):
        self.start_dev()
        first = self.result(1, "first run")
        self.assertRegex(first, r"standard  \w+ in turn \d+ \([a-z ]+\), [0-9.]+ ms per turn\n")
        self.write("bot/bot.py", BOT + "# changed\n")
        second = self.result(2, "bot.py changed")
        self.assertRegex(second, r" ms per turn, (as fast as before|.* slower|.* faster)\n")
        self.tmux("send-keys", "r")
        self.result(3, "play again")
        self.tmux("send-keys", "n")
        self.result(4, "seed 2")
        self.tmux("send-keys", "q")
        self.wait_for("status 0")

    def test_ctrl_c_ends_it_and_restores_the_terminal(self):
        self.afterwards = "cat"
        self.start_dev()
        self.result(1, "first run")
        self.tmux("send-keys", "C-c")
        self.wait_for("status 0")
        # The terminal echoes the line, and cat prints it.
        self.tmux("send-keys", "typed and shown", "Enter")
        self.wait_for("typed and shown\ntyped and shown")
        self.tmux("send-keys", "C-d")

    def test_all_maps_are_played(self):
        self.start_dev("--map", "all")
        self.result(1, "first run", "  standard  ", "  duel      ", "  corridor  ")

    def test_a_build_error_is_readable_and_the_next_save_recovers(self):
        self.project(BOT, build="echo bot.c:7: error: expected brackets >&2; exit 3")
        self.start_dev()
        printed = self.result(1, "first run", "| bot.c:7: error: expected brackets")
        self.assertIn("skirmish: bot mine: its build", printed)
        self.assertNotIn("ms per turn", printed)
        self.project(BOT, build="true")
        self.result(2, "bot.json changed")

    def test_a_crash_is_shown_with_the_standard_error(self):
        self.project(CRASH)
        self.start_dev()
        printed = self.result(1, "first run", "| ValueError: planted")
        self.assertIn("standard  lost: exited with status 1 in turn 2", printed)

    def test_deleted_files_are_reported_until_they_are_back(self):
        self.start_dev()
        self.result(1, "first run")
        os.remove(self.path("bot/bot.json"))
        self.result(2, "bot.json changed", "cannot read bot/bot.json")
        shutil.rmtree(self.path("bot"))
        self.result(3, "bot.py changed", 'the directory "bot" no longer exists')
        self.project(BOT, "new")
        os.rename(self.path("new"), self.path("bot"))
        self.result(4, "bot.json, bot.py changed")

    def test_changes_to_generated_files_are_ignored(self):
        # The build leaves different files each time.
        self.project(BOT, build="date +%s.%N >product.txt; date +%s.%N >named; mkdir -p target")
        self.write("bot/.gitignore", "/named\n*.out\n")
        self.start_dev()
        self.result(1, "first run")
        for name in (".bot.py.swp", "bot.py~", "x.out", "4913", "target/x.py", "debug.log"):
            self.write("bot/" + name, "noise")
        self.write("bot/bot.py", BOT + "# changed\n")
        self.result(2, "bot.py changed")
        self.tmux("send-keys", "r")
        self.result(3, "play again")

    def test_a_save_during_a_run_restarts_it(self):
        waits = f"open('{self.path('started')}', 'w').close()\nimport time\ntime.sleep(3600)\n"
        self.project(waits)
        self.start_dev("--sandbox", "none", "--turn-time", "3600000")
        self.wait_for("run 1: first run")
        while not os.path.exists(self.path("started")):
            self.assertNotIn("status", self.tmux("capture-pane", "-p"))
        self.write("bot/bot.py", BOT)
        self.result(2, "bot.py changed")
        self.assertEqual(self.result(1, "first run", "first"), "first run", "it has no result")

    def test_a_project_knows_its_game(self):
        self.project(BOT, game="aliens")
        self.start("dev", "bot", "--no-open")
        self.wait_for("Aliens, seed 1, against medium")
        self.result(1, "first run")

    def test_a_command_can_be_watched(self):
        self.start("dev", f"{arena.PYTHON} bot/bot.py", "--game", "aliens", "--no-open")
        self.result(1, "first run")
        self.write("bot/bot.py", BOT + "# changed\n")
        self.result(2, "bot.py changed")


class Mistakes(arena.ArenaTest):
    def test_mistakes_are_reported(self):
        os.mkdir(self.path("web"))
        self.write("web/index.html", "<html><head></head></html>")
        self.environment["SKIRMISH_WEB"] = self.path("web")
        os.mkdir(self.path("bot"))
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            for arguments, message in (
                ((), "BOT is required"),
                (("bot",), "cannot read bot/bot.json"),
                ((arena.PYTHON + " bot.py",), "--game is required"),
                (("bot", "more", "--game", "aliens"), 'unexpected argument "more"'),
                (("house:medium", "--game", "aliens"), "has no files to watch"),
                (("bot", "--game", "alien"), 'did you mean "aliens"?'),
                (("bot", "--game", "aliens", "--map", "dual"), 'did you mean "duel"?'),
                (("bot", "--game", "aliens", "--against", "house:medum"), 'did you mean "medium"?'),
                (("missing/bot", "--game", "aliens"), "missing/bot"),
                (("bot", "--game", "aliens", "--port", port), "choose another port with --port"),
            ):
                with self.subTest(arguments=arguments):
                    done = self.run_skirmish("dev", *arguments, timeout=30)
                    self.assertEqual((done.status, done.out), (2, ""))
                    self.assertIn(message, done.err)


if __name__ == "__main__":
    arena.main()
