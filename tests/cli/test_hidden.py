"""If a command names an existing file that the sandbox hides, the error says so."""

import os
import re
import shutil
import subprocess
import tempfile

import arena
import fake_arena

SANDBOXED = re.search(
    r"^works .*\bfiles\b",
    subprocess.run([arena.SKIRMISH, "doctor"], capture_output=True, text=True, check=False).stdout,
    re.M,
)
REMEDY = (
    ": bots see only their own directory, /usr and /opt; start in its directory, give that "
    "directory as the bot, or use --sandbox=none"
)
RUNTIME_REMEDY = ", which the sandbox hides; install it in /usr/local, or use --sandbox=none"


@arena.unittest.skipUnless(SANDBOXED, "the sandbox cannot hide files on this machine")
class HiddenFiles(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        # Like a home directory: outside the directory where skirmish is started.
        self.home = tempfile.mkdtemp(prefix="skirmish-home-")
        os.chmod(self.home, 0o755)
        self.addCleanup(shutil.rmtree, self.home)
        self.environment["HOME"] = self.home
        self.script = self.home_file("bot.py", "print('[]')\n")

    def home_file(self, name, text, mode=0o644):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def failure(self, command, game="aliens"):
        """The failure of a bot in the verdict."""
        verdict = self.play(game, command, "house:random")
        return verdict["players"][0]["failure"]

    def test_the_verdict_names_the_hidden_file(self):
        os.symlink(self.script, self.path("link.py"))
        above = os.path.relpath(self.script, self.directory)
        python = arena.PYTHON
        for command, file in (
            (f"{python} {self.script}", self.script),
            (f"{python} '{self.script}'", self.script),
            (f'{python} -u "{self.script}" --fast', self.script),
            (f"cd {self.home} && {python} bot.py", self.home),
            (f"X=1 {python} {above}", self.script),
            (f"{python} ~/bot.py", self.script),
            (f"{python} $HOME/bot.py", self.script),
            (f"{python} ./link.py", self.script),
            (f"java -cp {self.home} Main", self.home),
            (f"java -jar={self.script}", self.script),
        ):
            with self.subTest(command):
                failure = self.failure(command)
                self.assertIn(f"; the sandbox hides {file}{REMEDY}", failure)
                self.assertIn(" in turn 1;", failure)

    def test_games_with_a_greeting_and_tournaments_name_the_hidden_file_too(self):
        command = f"{arena.PYTHON} {self.script}"
        self.assertIn(f"the sandbox hides {self.script}", self.failure(command, "underworld"))
        out = self.run_skirmish(
            "tournament", "--game", "aliens", "--quiet", "--json", command, "house:random"
        ).json
        self.assertIn(f"the sandbox hides {self.script}", str(out))

    def test_a_hidden_program_is_an_error_before_the_match(self):
        program = self.home_file("bots/hunter", "#!/bin/sh\necho '[]'\n", 0o755)
        node = self.home_file(".nvm/versions/node/v20/bin/some-node", "#!/bin/sh\n", 0o755)
        self.environment["PATH"] += ":" + os.path.dirname(node)
        managed = self.home_file(".pyenv/shims/python", "#!/bin/sh\n", 0o755)
        os.symlink(managed, self.path("python"))
        os.chmod(self.write("shim.py", f"#!{managed}\n"), 0o755)
        os.chmod(self.write("env.py", "#!/usr/bin/env some-node\n"), 0o755)
        for command, sentence in (
            (program, f"the sandbox hides {program}{REMEDY}"),
            (f"{node} bot.js", f"the sandbox hides {node}{REMEDY}"),
            ("./python bot.py", f"the sandbox hides {managed}{REMEDY}"),
            ("some-node bot.js", f'program "some-node" is {node}{RUNTIME_REMEDY}'),
            ("./shim.py", f"the interpreter of ./shim.py is {managed}{RUNTIME_REMEDY}"),
            ("./env.py", f"the interpreter of ./env.py is {node}{RUNTIME_REMEDY}"),
        ):
            with self.subTest(command):
                result = self.run_skirmish("play", "aliens", command, "house:random")
                self.assertEqual((result.status, result.out), (2, ""))
                self.assertIn(sentence, result.err)

    def test_a_bot_that_joins_an_arena_gets_an_error_about_the_hidden_file(self):
        server = fake_arena.FakeArena().start()
        self.addCleanup(server.stop)
        server.live[:] = [
            ("start", {"run": 1}),
            lambda: any("last=1" in path for path in server.paths("POST")),
            ("end", {"match": 7, "state": "over"}),
        ]
        result = self.run_skirmish(
            "join", server.url, "--game", "aliens", "--token", fake_arena.TOKEN,
            "--", f"{arena.PYTHON} {self.script}",
        )  # fmt: skip
        self.assertIn(f"the sandbox hides {self.script}{REMEDY}", result.err)

    def test_files_that_did_not_cause_the_failure_are_not_mentioned(self):
        self.write("bot.py", "exit(3)\n")
        later = self.bot("later", "view()\nsay('[]')\nview()\nexit(3)\n")
        for command in (
            f"{arena.PYTHON} bot.py",
            f"{arena.PYTHON} ./bot.py",
            f"{arena.PYTHON} {self.path('bot.py')}",
            f"{arena.PYTHON} bot.py /tmp /dev/null /usr/bin / {os.path.dirname(self.directory)}",
            f"{arena.PYTHON} /no/such/file",
            f"{later} {self.script}",
        ):
            with self.subTest(command):
                self.assertNotIn("hides", self.failure(command))
        verdict = self.play("aliens", "--sandbox=none", f"false {self.script}", "house:random")
        self.assertNotIn("hides", verdict["players"][0]["failure"])

    def test_a_bot_in_a_directory_gets_no_information_about_other_files(self):
        os.mkdir(self.path("bot"))
        self.write("bot/bot.json", f'{{"run": "python3 {self.script}"}}')
        self.assertNotIn("hides", self.failure("bot"))


if __name__ == "__main__":
    arena.main()
