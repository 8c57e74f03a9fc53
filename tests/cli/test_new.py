"""`skirmish new`: a project that plays immediately, with a test that passes."""

import json
import os
import re
import shutil
import subprocess
import unittest

import arena
from house import GAMES


class New(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        program = os.path.dirname(arena.SKIRMISH)
        self.environment["PATH"] = program + ":" + self.environment["PATH"]

    def new(self, *arguments, status=0):
        result = self.run_skirmish("new", *arguments)
        self.assertEqual(result.status, status, result.err)
        self.assert_no_processes_left()
        return result

    def run_test(self, project, *arguments):
        return subprocess.run(
            [self.path(f"{project}/test.sh"), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def test_a_project_of_every_game_plays_and_passes_its_test(self):
        for game in GAMES:
            with self.subTest(game=game):
                result = self.new(game)
                self.assertEqual(result.err, "")
                self.assertIn(f"Created {game}-bot, a bot for ", result.out)
                self.assertLessEqual(
                    {"bot.json", "bot.py", "protocol.py", "README.md", ".gitignore", "test.sh"},
                    set(os.listdir(self.path(f"{game}-bot"))),
                )
                with open(self.path(f"{game}-bot/bot.json"), encoding="utf-8") as file:
                    about = json.load(file)
                self.assertEqual((about["name"], about["game"]), (f"{game}-bot", game))
                with open(self.path(f"{game}-bot/README.md"), encoding="utf-8") as file:
                    self.assertLess(len(file.readlines()), 30)
                done = self.run_test(f"{game}-bot")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("answers, all as recorded", done.stdout)

    def test_the_commands_of_the_readme_work(self):
        self.new("aliens", "old")
        self.new("aliens", "mine")
        with open(self.path("mine/README.md"), encoding="utf-8") as file:
            readme = file.read()
        commands = re.findall(r"skirmish (play|check|compare) ([^`#\n]*)", readme)
        self.assertIn("skirmish dev . ", readme)
        self.assertIn("`skirmish replay view test.skr`", readme)
        self.assertEqual([name for name, _ in commands], ["play", "play", "check", "compare"])
        for name, words in commands:
            arguments = ["--pairs", "1"] if name == "compare" else []
            result = subprocess.run(
                [arena.SKIRMISH, name, *words.split(), *arguments],
                cwd=self.path("mine"),
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            # Status 4: one pair does not decide a comparison.
            self.assertEqual(result.returncode, 4 if name == "compare" else 0, result.stderr)

    def test_the_test_of_a_changed_bot_fails_until_it_is_recorded_again(self):
        self.new("aliens", "mine")
        with open(self.path("mine/bot.py"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("COURAGE = 2", text)
        self.write("mine/bot.py", text.replace("COURAGE = 2", "COURAGE = 0"))
        done = self.run_test("mine")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("answers differ, the first in turn ", done.stdout)
        self.assertEqual(self.run_test("mine", "record").returncode, 0)
        self.assertEqual(self.run_test("mine").returncode, 0)

    def test_languages_have_their_files_and_short_names(self):
        self.assertIn("javascript\n", self.new("ctf", "--language", "list").out)
        self.new("ctf", "one", "--language", "javascript")
        self.new("ctf", "two", "--language", "js")
        for name in ("one", "two"):
            self.assertIn("package.json", os.listdir(self.path(name)))
            self.assertEqual(self.run_test(name).returncode, 0)

    def test_mistakes_are_explained_and_nothing_is_created(self):
        os.mkdir(self.path("full"))
        self.write("full/file", "")
        self.write("file", "")
        for arguments, message in (
            ([], "GAME is required"),
            (["alien"], 'unknown game "alien"; did you mean "aliens"?'),
            (["aliens", "x", "--language", "pyton"], 'did you mean "python"?'),
            (["aliens", "x", "--language", "cobol"], 'unknown language "cobol"'),
            (["aliens", "full"], "full is not empty; choose another directory"),
            (["aliens", "file"], "cannot create file: Not a directory"),
            (["aliens", "a", "b"], 'unexpected argument "b"'),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.new(*arguments, status=2).err)
        self.assertIn("cannot create missing/x", self.new("aliens", "missing/x", status=1).err)
        self.assertEqual(sorted(os.listdir(self.directory)), ["file", "full"])

    def test_an_empty_directory_is_used(self):
        os.mkdir(self.path("empty"))
        self.new("planetwars", "empty")
        self.assertIn("bot.py", os.listdir(self.path("empty")))

    @unittest.skipUnless(os.geteuid() == 0, "only root can hide a program")
    def test_a_language_that_is_not_installed_is_named_with_its_package(self):
        node = os.path.realpath(shutil.which("node", path="/usr/local/bin:/usr/bin:/bin"))
        command = f"mount --bind /dev/null {node} && exec {arena.SKIRMISH} new ctf b --language js"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", command],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(
            "skirmish: JavaScript is not installed (missing: node); on Debian, run apt-get install"
            " nodejs\n",
            done.stderr,
        )
        self.assertIn("./test.sh record", done.stdout)
        self.assertEqual(self.run_test("b", "record").returncode, 0)

    def test_an_installed_program_can_create_a_project(self):
        """An installed program looks for the starters in share/skirmish."""
        os.makedirs(self.path("usr/bin"))
        os.makedirs(self.path("usr/share/skirmish"))
        shutil.copy(arena.SKIRMISH, self.path("usr/bin/skirmish"))
        starters = os.path.join(os.path.dirname(arena.TESTS), "bots", "starter")
        shutil.copytree(starters, self.path("usr/share/skirmish/starter"))
        done = subprocess.run(
            [self.path("usr/bin/skirmish"), "new", "aliens", "there"],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("protocol.py", os.listdir(self.path("there")))


if __name__ == "__main__":
    arena.main()
