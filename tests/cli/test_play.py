"""`skirmish play` and related commands: output, exit statuses and error messages."""

import json
import os
import re
import socket
import subprocess
import threading
import time

import arena
from house import BETTER, GAMES


class Play(arena.ArenaTest):
    def test_the_json_verdict_has_all_members(self):
        for game in GAMES:
            with self.subTest(game=game):
                verdict = self.play(
                    game,
                    "--seed",
                    "7",
                    "house:random",
                    "house:random",
                )
                self.assertEqual(verdict["game"], game)
                self.assertEqual(verdict["seed"], 7)
                self.assertGreater(verdict["turns"], 0)
                self.assertIsInstance(verdict["reason"], str)
                self.assertEqual(len(verdict["players"]), 2)
                for player in verdict["players"]:
                    self.assertEqual(player["name"], "random")
                    self.assertIn(player["rank"], (1, 2))
                    self.assertIn("score", player)
                    self.assertEqual(player["status"], "ok")
                    self.assertGreaterEqual(player["refused"], 0)
                    for key in (
                        "wall_total_ms",
                        "wall_longest_ms",
                        "cpu_total_ms",
                        "cpu_longest_ms",
                    ):
                        self.assertGreater(player[key], 0, key)
                    self.assertLessEqual(player["wall_longest_ms"], player["wall_total_ms"])

    def test_quiet_prints_nothing(self):
        result = self.run_skirmish("play", "aliens", "--quiet", "house:random", "house:random")
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))

    def test_the_log_has_events_and_rejected_orders(self):
        bot = self.bot("far", 'while True:\n    view()\n    say(\'[{"from":0,"to":399}]\')\n')
        result = self.run_skirmish("play", "aliens", "--log", "--seed", "3", bot, "house:random")
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("turn 1\n", result.out)
        self.assertIn("a spawns at 21", result.out)
        self.assertIn("refused: move from 0 to 399 does not start at one of your units", result.out)

    def test_a_crash_is_shown_with_the_last_lines_of_standard_error(self):
        bot = self.bot("crash", "view()\nraise RuntimeError('out of ideas')\n")
        result = self.run_skirmish("play", "aliens", bot, "house:random")
        self.assertEqual(result.status, 0)
        self.assertIn("exited with status 1 in turn 1", result.out)
        self.assertIn("RuntimeError: out of ideas", result.out)

    def failure(self, game, body):
        """The failure of a bot in the verdict."""
        bot = self.bot("mistaken", body)
        verdict = self.play(game, "--turn-time", "300", "--start-time", "1000", bot, "house:random")
        return verdict["players"][0]["failure"]

    def test_answers_that_were_never_read_are_reported(self):
        twice = "while True:\n    view()\n    say('{0}')\n    say('{0}')\n"
        for game, answer, each in (
            ("planetwars", '{{"moves": []}}', "line"),
            ("aliens", "[]", "answer"),
        ):
            with self.subTest(game=game):
                failure = self.failure(game, twice.format(answer.format()))
                self.assertRegex(
                    failure, rf"^\d+ answers were never read: print one {each} per turn$"
                )
        once = self.bot("once", "while True:\n    view()\n    say('[]')\n")
        self.assertNotIn("failure", self.play("aliens", once, "house:random")["players"][0])
        blank = "for i in range(200):\n    say('\\n')\nwhile True:\n    view()\n"
        self.assertIn("never read: print one answer per turn", self.failure("ctf", blank))

    def test_the_error_for_a_bot_that_waits_for_a_newline_names_view_newline(self):
        self.write("config.json", '{"view-newline": false, "total-turns": 1}')
        bot = self.bot("lines", "say('Ready')\nwhile True:\n    view()\n    say('No-op')\n")
        arguments = ("--config", "config.json", "--turn-time", "300", bot, "house:random")
        failure = self.play("footsoldiers", *arguments)["players"][0]["failure"]
        self.assertIn("waiting for more input: views end without a newline", failure)
        self.assertIn('"view-newline": false', failure)

    def test_a_timeout_says_what_the_bot_was_doing(self):
        waiting = (
            "in turn 1; it was waiting for more input: does it flush its output after each answer"
        )
        computing = "while True:\n    view()\n    while True:\n        pass\n"
        cases = [
            ("aliens", "for line in sys.stdin:\n    print('[]')\n", waiting),
            ("aliens", "for line in sys.stdin.read().splitlines():\n    say('[]')\n", waiting),
            (
                "footsoldiers",
                "print('Ready')\nfor line in sys.stdin:\n    pass\n",
                'did not say "Ready" within 1000 ms; it was waiting for more input',
            ),
            (
                "aliens",
                "view()\nsay('[{', end='')\nview()\n",
                'it had printed "[{", but not the ] of its array',
            ),
            (
                "aliens",
                "view()\nsay('dead\\x1b[2Jbeef', end='')\nview()\n",
                'it had printed "dead\ufffd[2Jbeef", but not a newline',
            ),
            (
                "ctf",
                "say('X D')\nwhile True:\n    view()\n",
                'it had printed "X D", but not the empty line',
            ),
            (
                "underworld",
                "view()\nsay('crayfish')\nview()\nsay('go')\nwhile True:\n    view()\n",
                'it had printed "go", but not the line "end"',
            ),
        ]
        for game, body, sentence in cases:
            with self.subTest(game=game, body=body):
                self.assertIn(sentence, self.failure(game, body))
        self.assertRegex(
            self.failure("aliens", computing), r"in turn 1; it used \d{3,} ms of CPU time$"
        )

    def test_an_invalid_answer_is_quoted(self):
        cases = [
            (
                "aliens",
                "view()\nsay('units: 3')\nsay('[]')\nview()\n",
                "was disqualified in turn 1: the answer is not valid JSON: line 1, column 1: "
                'expected a JSON value; it printed "units: 3"',
            ),
            (
                "aliens",
                "view()\nsay(str([{'from': 1, 'to': 2}]))\nview()\n",
                """; it printed "[{'from': 1, 'to': 2}]\"""",
            ),
            (
                "aliens",
                "view()\nsay('{\"moves\":[]}')\nview()\n",
                'the answer must be an array of moves, not an object; it printed "{"moves":[]}"',
            ),
            (
                "planetwars",
                "for line in sys.stdin:\n    say('x\\x1b[2J')\n",
                'it printed "x\ufffd[2J"',
            ),
            (
                "footsoldiers",
                "say('Ready')\nfor line in sys.stdin:\n    say('debug')\n",
                ': "debug" is not a command: column 1: expected No-op, Build',
            ),
            (
                "underworld",
                "view()\nsay('\\x1b]0;me')\nview()\n",
                'said "\ufffd]0;me" at the start instead of "crayfish"',
            ),
        ]
        for game, body, sentence in cases:
            with self.subTest(game=game, body=body):
                self.assertIn(sentence, self.failure(game, body))

    def test_standard_error_can_be_shown_unless_quiet(self):
        bot = self.bot(
            "chatty",
            "while True:\n    view()\n    print('hello', file=sys.stderr)\n    say('[]')\n",
        )
        result = self.run_skirmish("play", "aliens", "--stderr", bot, "house:random")
        self.assertIn(": hello\n", result.err)
        quiet = self.run_skirmish("play", "aliens", "--quiet", "--stderr", bot, "house:random")
        self.assertEqual((quiet.out, quiet.err), ("", ""))

    def test_the_same_seed_gives_the_same_match(self):
        bot = self.bot(
            "walker",
            "import random\nrandom.seed(4)\nwhile True:\n    v = json.loads(view())\n"
            "    s = v['state']\n"
            "    steps = [1, -1, s['cols'], -s['cols']]\n"
            "    say(json.dumps([{'from': i, 'to': i + random.choice(steps)}\n"
            "        for i, c in enumerate(s['grid']) if c == v['player']]))\n",
        )
        exports = []
        for think in ("in-turn", "together"):
            self.play(
                "aliens", "--seed", "11", "--think", think, "--replay", think + ".skr", bot, bot
            )
            lines = self.run_skirmish("replay", "export", think + ".skr").out.splitlines()
            exports.append([json.loads(line)["digest"] for line in lines])
        self.assertEqual(exports[0], exports[1])

    def test_every_bot_gets_a_seed_that_depends_only_on_match_and_seat(self):
        bot = self.bot(
            "seeded",
            "print(os.environ.get('SKIRMISH_SEED'), file=sys.stderr, flush=True)\n"
            "while True:\n    view()\n    say('{\"moves\":[]}')\n",
        )
        seeds = {}
        self.environment["SKIRMISH_SEED"] = "of another match"
        for sandbox in ("none", "best-effort"):
            for match in ("1", "1", "2", "18446744073709551615"):
                self.play(
                    "planetwars",
                    *("--map", "triad", "--seed", match, "--sandbox", sandbox, "--replay", "s.skr"),
                    *[bot] * 3,
                )
                first = json.loads(
                    self.run_skirmish("replay", "export", "s.skr").out.splitlines()[0]
                )
                said = tuple(int(player["stderr"]) for player in first["players"])
                self.assertEqual(seeds.setdefault(match, said), said)
        every = [seed for said in seeds.values() for seed in said]
        self.assertEqual(len(set(every)), 9)
        self.assertTrue(all(0 < seed <= 2**53 for seed in every), every)
        # Repeating an old match requires its seeds, so their derivation must never change.
        self.assertEqual(seeds["1"][:2], (8022393226992696, 343970384569652))

    def test_house_bots_play_the_same_match_with_the_same_seed(self):
        for game in GAMES:
            for bot in ("random", BETTER[game]):
                with self.subTest(game=game, bot=bot):
                    digests = []
                    for seed, sandbox in (("5", "none"), ("5", "best-effort"), ("6", "none")):
                        self.play(
                            game,
                            *("--seed", seed, "--sandbox", sandbox, "--replay", "s.skr"),
                            *[f"house:{bot}", "house:random"],
                        )
                        lines = self.run_skirmish("replay", "export", "s.skr").out.splitlines()
                        digests.append([json.loads(line)["digest"] for line in lines])
                    self.assertEqual(digests[0], digests[1])
                    self.assertNotEqual(digests[0], digests[2])

    def test_files_may_have_a_byte_order_mark_and_crlf(self):
        os.mkdir(self.path("theirs"))
        self.write(
            "theirs/bot.json",
            '\ufeff{\r\n "name": "theirs",\r\n "run": "%s bot.py"\r\n}\r\n' % arena.PYTHON,
        )
        self.write(
            "theirs/bot.py",
            "\ufeffimport sys\r\nfor line in sys.stdin:\r\n    print('[]', flush=True)\r\n",
        )
        self.write("config.json", '\ufeff{"maxTurns":\r\n 3}\r\n')
        verdict = self.play("aliens", "--config", "config.json", "theirs", "house:random")
        self.assertEqual(
            (verdict["turns"], verdict["players"][0]["name"], verdict["players"][0]["status"]),
            (3, "theirs", "ok"),
        )

    def test_errors_do_not_reveal_files_outside_the_sandbox(self):
        """The commands in a bot.json are checked before the match, outside the sandbox."""
        os.chmod(self.write("secret", "#!/hidden/interpreter\n"), 0o755)
        os.mkdir(self.path("prying"))
        os.chmod(self.path("prying"), 0o777)
        for build, run in (
            ("ln -sf ../secret link", "./link"),
            ("true", "../secret"),
            ("true", "./../secret"),
            ("true", "../missing"),
            ("printf '#!%s\\n' /hidden/missing >file; chmod +x file", "./file"),
        ):
            with self.subTest(run=run):
                self.write("prying/bot.json", json.dumps({"build": build, "run": run}))
                verdict = self.play("aliens", "prying", "house:random")
                self.assertNotIn("hidden", json.dumps(verdict))
                self.assertEqual(verdict["players"][0]["status"], "crashed")

    def test_a_directory_with_a_bot_json_is_built_and_run(self):
        os.mkdir(self.path("mybot"))
        # For machines that cannot map the owner to the build's user.
        os.chmod(self.path("mybot"), 0o777)
        self.write(
            "mybot/bot.json",
            '{"name": "builder", "build": "cp source.py bot.py", "run": "%s bot.py"}'
            % arena.PYTHON,
        )
        self.write(
            "mybot/source.py", "import sys\nfor line in sys.stdin:\n    print('[]', flush=True)\n"
        )
        verdict = self.play("aliens", "mybot", "house:random")
        self.assertEqual(verdict["players"][0]["name"], "builder")
        self.assertEqual(verdict["players"][0]["status"], "ok")

    def test_processes_of_a_build_end_with_its_shell_and_on_an_interrupt(self):
        os.mkdir(self.path("mybot"))
        self.write(
            "mybot/bot.json",
            '{"build": "sleep 1000 & exit 0", "run": "%s -c \'while input(): print([])\'"}'
            % arena.PYTHON,
        )
        self.assertEqual(
            self.play("aliens", "--sandbox", "none", "mybot", "house:random")["players"][0][
                "status"
            ],
            "ok",
        )
        self.write("mybot/bot.json", '{"build": "sleep 1000 & sleep 1000", "run": "true"}')
        for mode in ("none", "best-effort"):
            process = subprocess.Popen(
                [arena.SKIRMISH, "play", "aliens", "--sandbox", mode, "mybot", "house:random"],
                cwd=self.directory,
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            while not self.runs("1000"):
                self.assertIsNone(process.poll())
                time.sleep(0.005)
            process.terminate()
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("interrupted", errors)
            self.assert_no_processes_left()

    def test_a_replay_can_be_written_to_a_pipe_and_through_a_link(self):
        os.mkfifo(self.path("pipe"))
        # Not in the test's directory, where play() looks for leftover bots: cat may still run then.
        reader = subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE)
        self.play("aliens", "--replay", "pipe", "house:random", "house:random")
        copy, _ = reader.communicate(timeout=120)
        with open(self.path("copy.skr"), "wb") as file:
            file.write(copy)
        self.assertEqual(self.run_skirmish("replay", "verify", "copy.skr").status, 0)
        os.symlink("real.skr", self.path("link.skr"))
        self.write("real.skr", "")
        self.play("aliens", "--replay", "link.skr", "house:random", "house:random")
        self.assertTrue(os.path.islink(self.path("link.skr")))
        self.assertEqual(self.run_skirmish("replay", "verify", "real.skr").status, 0)

    def test_only_some_reasons_of_rejected_orders_are_kept_and_the_rest_counted(self):
        bot = self.bot(
            "many",
            "view()\nsay('crayfish')\nview()\nwhile True:\n    if view() == 'end\\n':\n"
            "        say('foo\\n' * 40 + 'end')\n",
        )
        self.write("short.json", '{"maxTurns": 2}')
        self.play(
            "underworld",
            "--config",
            "short.json",
            "--map",
            "duel",
            "--replay",
            "m.skr",
            bot,
            "house:random",
        )
        player = json.loads(self.run_skirmish("replay", "export", "m.skr").out.splitlines()[0])[
            "players"
        ][0]
        self.assertEqual(player["refused"], 40)
        self.assertIn("more)", player["reasons"][-1])

    def test_a_bot_can_listen_at_a_socket(self):
        for family in (socket.AF_INET, socket.AF_UNIX):
            with self.subTest(family=family):
                listener = socket.socket(family)
                listener.bind(
                    ("127.0.0.1", 0) if family == socket.AF_INET else self.path("bot.sock")
                )
                listener.listen()
                address = (
                    "unix:bot.sock"
                    if family == socket.AF_UNIX
                    else "tcp:127.0.0.1:%d" % listener.getsockname()[1]
                )

                def serve():
                    connection, _ = listener.accept()
                    with connection, connection.makefile("rw") as stream:
                        for _ in stream:
                            stream.write("[]")
                            stream.flush()

                thread = threading.Thread(target=serve)
                thread.start()
                verdict = self.play("aliens", address, "house:random")
                thread.join(120)
                self.assertFalse(thread.is_alive(), "the input of the bot was not closed")
                listener.close()
                self.assertEqual(verdict["players"][0]["status"], "ok")

    def test_an_interrupt_ends_the_match_and_its_bots(self):
        bot = self.bot(
            "sleeper",
            "view()\ntry:\n    open('asleep', 'w').close()\nexcept OSError:\n    pass\n"
            "time.sleep(1000)\n",
        )
        # In the sandbox the bot cannot write a file, so the test cannot tell if its turn has begun.
        for mode, is_started, sentence in (
            ("none", lambda: os.path.exists(self.path("asleep")), "interrupted in turn 1"),
            ("best-effort", lambda: self.runs("sleeper.py"), "interrupted"),
        ):
            process = subprocess.Popen(
                [
                    arena.SKIRMISH,
                    "play",
                    "aliens",
                    "--turn-time",
                    "600000",
                    "--sandbox",
                    mode,
                    "--replay",
                    "no.skr",
                    bot,
                    "house:random",
                ],
                cwd=self.directory,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            while not is_started():
                self.assertIsNone(process.poll())
                time.sleep(0.005)
            process.terminate()
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 130)
            self.assertIn(sentence, errors)
            self.assert_no_processes_left()
            self.assertFalse(
                [name for name in os.listdir(self.directory) if name.startswith("no.skr")]
            )

    def test_a_match_in_another_pid_namespace_does_not_disturb_this_one(self):
        """Like a container that shows the host's control groups but has its own process ids."""
        namespace = ["unshare", "--pid", "--fork", "--mount-proc"]
        if (
            os.getuid() != 0
            or subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode
        ):
            self.skipTest("no permission to create a pid namespace")
        self.write("one.json", '{"maxTurns": 1}')
        waiting = self.bot(
            "waiting", "view()\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\nsay('[]')\n"
        )
        with subprocess.Popen(
            [
                arena.SKIRMISH,
                "play",
                "aliens",
                "--json",
                "--config",
                "one.json",
                "--turn-time",
                "600000",
                waiting,
                "house:random",
            ],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            while not self.runs("waiting.py"):
                self.assertIsNone(process.poll())
                time.sleep(0.005)
            other = subprocess.run(
                [
                    *namespace,
                    arena.SKIRMISH,
                    "play",
                    "aliens",
                    "--quiet",
                    "--config",
                    "one.json",
                    "house:random",
                    "house:random",
                ],
                cwd=self.directory,
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            self.write("go", "")
            verdict = json.loads(process.communicate(timeout=120)[0])
        self.assertEqual((other.returncode, other.stderr), (0, ""))
        self.assertEqual([player["status"] for player in verdict["players"]], ["ok", "ok"])

    def test_waiting_bots_are_stopped_while_another_thinks(self):
        """A bot that keeps computing gets no CPU time during the other's turn, except with
        --ponder."""
        burner = self.bot(
            "burner",
            "import threading\n"
            "def burn():\n    while True:\n        pass\n"
            "threading.Thread(target=burn, daemon=True).start()\n"
            "while True:\n    view()\n    say('[]')\n",
        )

        def play(seconds, *options):
            slow = self.bot(
                "slow",
                f"for i in range(3):\n    view()\n    time.sleep({seconds})\n    say('[]')\n",
            )
            return self.play(
                "aliens", "--config", "short.json", "--turn-time", "60000", *options, burner, slow
            )

        self.write("short.json", '{"maxTurns": 3}')
        verdict = play(0.4)
        self.assertLess(verdict["players"][0]["cpu_total_ms"], 600)
        self.assertGreater(verdict["players"][1]["wall_total_ms"], 1100)
        stopped = verdict["players"][0]["cpu_total_ms"]
        for seconds in (0.4, 2, 10):  # on a busy machine, a short time may not be enough
            burnt = play(seconds, "--ponder")["players"][0]["cpu_total_ms"]
            if burnt > 2 * stopped:
                break
        self.assertGreater(burnt, 2 * stopped)

    def test_a_private_directory_works_or_the_error_names_the_remedy(self):
        bot = self.bot("quiet", "while True:\n    view()\n    say('[]')\n")
        os.chmod(self.directory, 0o700)
        result = self.run_skirmish("play", "aliens", "--json", bot, "house:random")
        if result.status == 0:
            self.assertEqual(result.json["players"][0]["status"], "ok")
        else:
            self.assertEqual(result.status, 2)
            self.assertIn("chmod o+rx", result.err)

    def test_limits_can_be_set(self):
        bot = self.bot("wordy", "view()\nsay('[' + ' ' * 5000 + ']')\ntime.sleep(100)\n")
        verdict = self.play("aliens", "--limit", "answer=4096", bot, "house:random")
        self.assertEqual(verdict["players"][0]["status"], "too much output")
        self.assertEqual(verdict["reason"], "too much output")

    def padder(self):
        """A bot with answers of 2,003 bytes, and one with answers of 3 bytes."""
        text = "while True:\n    view()\n    say('[' + ' ' * %d + ']')\n"
        return self.bot("greedy", text % 2000), self.bot("calm", text % 0)

    def test_a_player_whose_answers_exceed_its_share_of_the_replay_is_disqualified(self):
        verdict = self.play(
            "aliens", "--limit", "replay=20000", "--replay", "x.skr", *self.padder()
        )
        # Nine turns of 2,006 bytes fit, since a player can use what the other player leaves.
        self.assertEqual(verdict["turns"], 10)
        self.assertEqual(verdict["reason"], "too much output")
        self.assertEqual(
            [player["status"] for player in verdict["players"]], ["too much output", "ok"]
        )
        self.assertEqual(
            verdict["players"][0]["failure"],
            "was disqualified in turn 10: all answers together exceed 20000 bytes, and its"
            " own exceed its share of 10000",
        )
        turns = self.run_skirmish("replay", "export", "x.skr").out.splitlines()
        last = json.loads(turns[-1])["players"][0]
        self.assertEqual((last["kind"], last["answer"]), ("over share", ""))
        self.assertEqual(self.run_skirmish("replay", "verify", "x.skr").status, 0)

    def test_in_a_match_of_many_players_one_can_print_much(self):
        text = "while True:\n    view()\n    say('{\"moves\": []}' + ' ' * 900000)\n"
        config = self.write("short.json", '{"max_turns": 5}')
        bots = [self.bot("wordy", text), *["house:random"] * 63]
        verdict = self.play("planetwars", "--map", "generate:1", "--config", config, *bots)
        self.assertEqual((verdict["turns"], verdict["players"][0]["status"]), (5, "ok"))

    def test_a_player_over_its_share_is_not_asked_again_in_games_without_disqualification(self):
        text = "while True:\n    view()\n    say('{\"moves\": []}' + ' ' * 3000)\n"
        greedy = self.bot("greedy", text)
        self.play(
            "planetwars", "--limit", "replay=20000", "--replay", "x.skr", greedy, "house:medium"
        )
        turns = self.run_skirmish("replay", "export", "x.skr").out.splitlines()
        kinds = [json.loads(turn)["players"][0]["kind"] for turn in turns]
        over = kinds.index("over share")
        self.assertLess(over, 7)
        self.assertLessEqual(set(kinds[over:]), {"over share", "not asked"})
        self.assertEqual(self.run_skirmish("replay", "verify", "x.skr").status, 0)

    def test_recorded_answers_count_towards_the_share_when_a_match_is_continued(self):
        bots = self.padder()
        self.play("aliens", "--replay", "old.skr", *bots)
        verdict = self.play(
            "aliens", "--from", "old.skr", "--turn", "3", "--limit", "replay=20000",
            "--replay", "new.skr", *bots,
        )  # fmt: skip
        self.assertEqual(verdict["turns"], 10)
        self.assertEqual(self.run_skirmish("replay", "verify", "new.skr").status, 0)
        bot = self.bot(
            "greedy",
            "files = [open('/dev/null') for i in range(40)]\nwhile True:\n    view()\n"
            "    say('[]')\n",
        )
        self.assertEqual(self.play("aliens", bot, "house:random")["players"][0]["status"], "ok")
        verdict = self.play("aliens", "--limit", "files=20", bot, "house:random")
        self.assertEqual(verdict["players"][0]["status"], "crashed")


class CaptureTheFlag(arena.ArenaTest):
    CONFIG = (
        "Rules {nRounds = 20, nSoldiers = 1, pointsKill = 1, pointsCapture = 100, "
        "grenadeRange = 10, grenadeCooldown = 8}\n"
        "A.a\n...\nb.B\n"
    )

    def test_the_documented_command_prints_the_score_last(self):
        self.write("config", self.CONFIG)
        self.write(
            "input_a.txt", "X D\n\nX D\n\nX S\n\n" + "X U\n\nX U\n\nX R\n\nX R\n\n" + "X S\n\n" * 20
        )
        self.write("input_b.txt", "L S\n\n" * 20)
        result = self.run_skirmish(
            "ctf",
            "config",
            "(cat input_a.txt; cat >/dev/null)",
            "(cat input_b.txt; cat >/dev/null)",
        )
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.out.splitlines()[-1], "Final score: A 100 - B 0")
        self.assert_no_processes_left()

    def test_answers_printed_ahead_count_after_the_bot_has_exited_and_fill_a_buffer(self):
        """The bot prints more answers than fit into a buffer and exits: all count, in order."""
        self.write("config", self.CONFIG)
        flood = "head -c 30000 /dev/zero | tr '\\0' '\\n'"
        for _ in range(3):
            result = self.run_skirmish("ctf", "config", flood, flood)
            self.assertEqual(result.out.splitlines()[-1], "Final score: A 0 - B 0", result.out)

    def test_a_command_can_be_anything_a_shell_understands(self):
        self.write("config", self.CONFIG.replace("nRounds = 20", "nRounds = 1"))
        self.write("brain", "printf '\\n'\n")
        for command in (
            ". ./brain",
            "echo ''",
            "printf '\\n'",
            "X=1; echo; exit",
            "{ echo; }",
            "if true; then echo; fi",
            "command echo",
        ):
            with self.subTest(command=command):
                result = self.run_skirmish("ctf", "config", command, "echo")
                self.assertEqual(result.out.splitlines()[-1], "Final score: A 0 - B 0", result.err)

    def test_a_bot_that_exits_has_failed(self):
        self.write("config", self.CONFIG)
        self.write("input_b.txt", "L S\n\n" * 20)
        result = self.run_skirmish(
            "ctf", "config", "printf 'X S\\n\\n'", "(cat input_b.txt; cat >/dev/null)"
        )
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.out.splitlines()[-1], "A failed")
        self.assertIn("Round 2", result.out)

    def test_standard_error_of_bots_is_labelled(self):
        self.write("config", self.CONFIG)
        quiet = "while read line; do [ -z \"$line\" ] && printf '\\n'; done"
        talker = (
            "while read line; do [ -z \"$line\" ] && { echo 'what now' >&2; printf '\\n'; }; done"
        )
        result = self.run_skirmish("ctf", "config", quiet, talker)
        self.assertEqual(result.status, 0)
        self.assertTrue(result.err)
        self.assertEqual(set(result.err.splitlines()), {"B: what now"})
        self.assertEqual(result.out.splitlines()[-1], "Final score: A 0 - B 0")


class Mistakes(arena.ArenaTest):
    def test_every_mistake_has_an_error_message_and_status_2(self):
        self.write("bad.json", '{"rows": 20,\n "cols": "wide"}')
        self.write("text.txt", "hello\n")
        os.mkdir(self.path("empty"))
        os.mkdir(self.path("wrong"))
        self.write("wrong/bot.json", '{"name": "x", "start": "y"}')
        os.mkdir(self.path("bild"))
        self.write("bild/bot.json", '{"name": "x",\n"biuld": "y"}')
        os.mkdir(self.path("nobuild"))
        self.write("nobuild/bot.json", '{"build": "echo no compiler here; exit 3", "run": "true"}')
        self.write("plain.py", "print('[]')\n")
        for name, head in (
            ("silent.py", ""),
            ("windows.py", "#!/usr/bin/env python3\r\n"),
            ("typo.py", "#!/usr/bin/pythn3 -u\n"),
        ):
            os.chmod(self.write(name, head + "print('[]')\n"), 0o755)
        os.mkdir(self.path("folder"))
        os.chmod(self.path("folder"), 0o777)
        self.write("folder/bot.json", '{"build": "echo >bot.py", "run": "./bot.py"}')
        two = ["house:random", "house:random"]
        cases = [
            (["play"], "GAME is required; `skirmish games` lists all games"),
            (
                ["play", "chess", *two],
                'unknown game "chess"; known: ' + ", ".join(GAMES),
            ),
            (["play", "aliens"], "aliens requires 2 bots, but none were given"),
            (["play", "aliens", "house:random"], "aliens requires 2 bots, but 1 was given"),
            (
                ["play", "underworld", "house:random"],
                "underworld requires 2 to 64 bots, but 1 was given",
            ),
            (
                ["play", "aliens", "--config", "bad.json", *two],
                'bad.json:2: "cols" must be a whole number from 4 to 100, not a string',
            ),
            (
                ["play", "aliens", "--config", "none.json", *two],
                "cannot read none.json: No such file or directory",
            ),
            (
                ["play", "aliens", "--map", "moon", *two],
                'unknown map "moon"; known: standard, duel, corridor',
            ),
            (["play", "aliens", "--map", "text.txt", *two], "text.txt: line 1, column 1"),
            (["play", "aliens", "--seed", "-1", *two], "--seed must be a whole number from 0"),
            (
                ["play", "aliens", "--turn-time", "0", *two],
                "--turn-time must be a whole number from 1 to 3600000",
            ),
            (
                ["play", "aliens", "--think", "hard", *two],
                '--think: unknown value "hard"; known: in-turn, together',
            ),
            (
                ["play", "aliens", "--think", "inturn", *two],
                '--think: unknown value "inturn"; did you mean "in-turn"?',
            ),
            (["play", "aliens", "--loud", *two], 'unknown option "--loud"'),
            (
                ["play", "aliens", "--sede", "1", *two],
                'unknown option "--sede"; did you mean "--seed"?',
            ),
            (
                ["play", "aliens", "--map", "corridr", *two],
                'unknown map "corridr"; did you mean "corridor"?',
            ),
            (["plya"], 'unknown command "plya"; did you mean "play"?'),
            (["cft"], 'unknown command "cft"; did you mean "ctf"?'),
            (
                ["games", "--color", "alway"],
                '--color: unknown value "alway"; did you mean "always"?',
            ),
            (["replay", "verfy"], 'unknown action "verfy"; did you mean "verify"?'),
            (["play", "aliens", "--json=1", *two], "option --json takes no value"),
            (
                ["play", "aliens", "--sandbox", "maybe", *two],
                '--sandbox: unknown value "maybe"; known: none, best-effort, strict-except-uid, ',
            ),
            (
                ["play", "aliens", "--sandbox", "bestefort", *two],
                '--sandbox: unknown value "bestefort"; did you mean "best-effort"?',
            ),
            (["play", "aliens", "--limit", "luck=3", *two], 'unknown limit "luck"; known: '),
            (
                ["play", "aliens", "--limit", "memmory=3", *two],
                'unknown limit "memmory"; did you mean "memory"?',
            ),
            (
                ["play", "aliens", "--limit", "memory", *two],
                'the limit "memory" has no value; expected memory=VALUE',
            ),
            (
                ["play", "planetwars", "--map", "generat", *two],
                'unknown map "generat"; did you mean "generate"?',
            ),
            (
                ["play", "aliens", "bild", "house:random"],
                'bild/bot.json:2: unknown field "biuld"; did you mean "build"?',
            ),
            (
                ["play", "aliens", "--limit", "memory=0", *two],
                "memory must be a whole number from 1",
            ),
            (["doctor", "who"], 'unexpected argument "who"'),
            (["play", "aliens", *two, "--seed"], "option --seed requires a value"),
            (
                ["play", "aliens", "--json", "--log", *two],
                "--json cannot be combined with --log, --watch, --view or --stderr",
            ),
            (
                ["play", "aliens", "house:nobody", "house:random"],
                'unknown house bot "nobody"; known: easy, hard, medium, random',
            ),
            (
                ["play", "aliens", "nosuchprogram -x", "house:random"],
                'program "nosuchprogram" is not on the PATH',
            ),
            (["play", "aliens", "./missing.py", "house:random"], "no such file: ./missing.py"),
            (["play", "aliens", "./text.txt", "house:random"], "./text.txt cannot be executed"),
            (
                ["play", "aliens", "plain.py", "house:random"],
                'to run the file in this directory, write "python3 plain.py"',
            ),
            (
                ["play", "aliens", "./plain.py", "house:random"],
                "./plain.py cannot be executed; chmod +x it, "
                'or name its interpreter: "python3 ./plain.py"',
            ),
            (
                ["play", "aliens", "./silent.py", "house:random"],
                "./silent.py has no interpreter line",
            ),
            (
                ["play", "aliens", "./windows.py", "house:random"],
                "the interpreter line of ./windows.py ends in CRLF",
            ),
            (
                ["play", "aliens", "./typo.py", "house:random"],
                '"/usr/bin/pythn3", does not exist',
            ),
            (
                ["play", "aliens", "folder", "house:random"],
                "bot folder: ./bot.py cannot be executed; chmod +x it, "
                'or name its interpreter: "python3 ./bot.py"',
            ),
            (["play", "aliens", "empty", "house:random"], "cannot read empty/bot.json"),
            (
                ["play", "aliens", "wrong", "house:random"],
                'wrong/bot.json:1: unknown field "start"; known: name, game, build, run',
            ),
            (["play", "aliens", "nobuild", "house:random"], "no compiler here"),
            (
                ["play", "aliens", "tcp:127.0.0.1:1", "house:random"],
                "cannot connect: Connection refused",
            ),
            (["play", "aliens", "tcp:127.0.0.1", "house:random"], "expected tcp:HOST:PORT"),
            (["play", "aliens", "unix:none.sock", "house:random"], "cannot connect"),
            (["play", "aliens", "", "house:random"], "empty bot"),
            (
                ["play", "aliens", "--replay", "no/such/dir.skr", *two],
                "cannot write the replay no/such/dir.skr",
            ),
            (["play", "ctf", "--config", "text.txt", *two], "text.txt"),
            (
                ["play", "planetwars", "--map", "generate:x", *two],
                "the map's seed must be a whole number",
            ),
            (["ctf", "text.txt"], "expected CONFIG and a command for each player"),
            (["replay"], "expected verify, show, watch, view, export or info"),
            (["replay", "verify", "text.txt"], "text.txt: not a Skirmish replay"),
            (["replay", "verify", "none.skr"], "none.skr: cannot be opened"),
            (["replay", "show", "text.txt", "--turn", "x"], "--turn must be a whole number"),
            (["replay", "watch", "text.txt"], "replay watch requires a terminal"),
            (["games", "chess"], 'unknown game "chess"'),
            (["help", "chess"], 'unknown command "chess"'),
            (["fight"], 'unknown command "fight"'),
        ]
        for arguments, sentence in cases:
            with self.subTest(arguments=arguments):
                result = self.run_skirmish(*arguments)
                self.assertEqual(result.status, 2, result.err)
                self.assertIn(sentence, result.err)
                self.assertEqual(result.out, "")

    def test_every_command_has_help_of_the_same_form(self):
        overview = self.run_skirmish("help")
        self.assertEqual(overview.status, 0)
        commands = re.findall(r"^  ([a-z]+) {2,}[A-Z]", overview.out, re.M)
        self.assertIn("play", commands)
        for command in commands:
            if command in ("help", "version"):
                continue
            with self.subTest(command):
                page = self.run_skirmish("help", command)
                self.assertEqual(page.status, 0)
                self.assertEqual(arena.help_faults(command, page.out), [])
                self.assertEqual(page.out, self.run_skirmish(command, "--help").out)

    def test_games_lists_games_maps_and_options(self):
        result = self.run_skirmish("games")
        self.assertEqual(result.status, 0)
        for word in GAMES + [
            "hex",
            "corridor",
            "duel",
            "energyInterval",
            "initial-money",
            "nRounds",
            "max_turns",
            "vision",
        ]:
            self.assertIn(word, result.out)
        printed = self.run_skirmish("games", "planetwars", "--map", "hex").out
        self.assertEqual(len(json.loads(printed)["planets"]), 6)
        made = [
            self.run_skirmish("games", "planetwars", "--map", "generate:5", "--players", "3").out
            for _ in range(2)
        ]
        self.assertEqual(made[0], made[1])
        self.assertGreater(len(json.loads(made[0])["planets"]), 3)

    def test_output_that_cannot_be_written_is_status_1(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [arena.SKIRMISH, "play", "aliens", "house:random", "house:random"],
                cwd=self.directory,
                env=self.environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to standard output", done.stderr)


class Restarts(arena.ArenaTest):
    """Footsoldiers: a bot that exits is restarted, at most four times."""

    def verdict(self, text, *arguments):
        bot = self.bot("bot", text)
        return self.play("footsoldiers", "--seed", "1", *arguments, bot, "house:random")

    def test_a_bot_that_exits_after_every_answer_loses_at_its_fifth_restart(self):
        verdict = self.verdict("say('Ready')\nview()\nsay('No-op')\n")
        self.assertEqual(verdict["players"][0]["status"], "disqualified")
        self.assertEqual(verdict["players"][0]["restarts"], 4)
        self.assertEqual(verdict["players"][0]["rank"], 2)
        self.assertEqual(verdict["reason"], "disqualified")
        # answer, restart, answer, restart, ... the tenth turn would need the fifth restart
        self.assertEqual(verdict["turns"], 10)

    def test_a_bot_that_is_never_ready_uses_up_its_restarts(self):
        verdict = self.verdict("say('Steady')\ntime.sleep(100)\n", "--start-time", "300")
        self.assertEqual(verdict["players"][0]["restarts"], 4)
        self.assertEqual(verdict["turns"], 5)
        self.assertIn(
            'said "Steady" at the start instead of "Ready"', verdict["players"][0]["failure"]
        )

    def test_a_restarted_bot_has_the_same_seed(self):
        self.verdict(
            "print(os.environ['SKIRMISH_SEED'], file=sys.stderr, flush=True)\n"
            "say('Ready')\nview()\nsay('No-op')\n",
            *("--replay", "r.skr"),
        )
        lines = self.run_skirmish("replay", "export", "r.skr").out.splitlines()
        said = "".join(json.loads(line)["players"][0]["stderr"] for line in lines).split()
        self.assertEqual((len(said), len(set(said))), (5, 1))

    def test_one_crash_costs_only_a_turn(self):
        self.write("config.json", '{"total-turns": 12}')
        verdict = self.verdict(
            "say('Ready')\nif not os.path.exists('crashed'):\n    view()\n"
            "    open('crashed', 'w').close()\n    sys.exit(1)\n"
            "while True:\n    view()\n    say('No-op')\n",
            "--config",
            "config.json",
            "--sandbox",
            "none",  # in the sandbox, no file outlives the bot
        )
        self.assertEqual(verdict["players"][0]["status"], "ok")
        self.assertEqual(verdict["players"][0]["restarts"], 1)
        self.assertEqual(verdict["turns"], 12)

    def test_answers_printed_ahead_count_after_the_bot_has_exited(self):
        self.write("config.json", '{"total-turns": 10}')
        self.write("answers", "Ready\n" + "No-op\n" * 10)
        for think in ("in-turn", "together"):
            verdict = self.play(
                "footsoldiers",
                "--config",
                "config.json",
                "--think",
                think,
                "cat answers",
                "house:random",
            )
            self.assertEqual(
                (
                    verdict["turns"],
                    verdict["players"][0]["restarts"],
                    verdict["players"][0]["status"],
                ),
                (10, 0, "ok"),
            )

    def test_a_bot_that_never_answers_stays_in_the_match(self):
        self.write("config.json", '{"total-turns": 3}')
        verdict = self.verdict(
            "say('Ready')\nwhile True:\n    view()\n",
            "--config",
            "config.json",
            "--turn-time",
            "100",
        )
        self.assertEqual(verdict["players"][0]["status"], "timeout")
        self.assertEqual(verdict["turns"], 3)


class Handshake(arena.ArenaTest):
    def test_a_bot_that_fails_the_handshake_loses_before_the_first_turn(self):
        stranger = self.bot("stranger", "view()\nsay('lobster')\ntime.sleep(100)\n")
        verdict = self.play("underworld", "--seed", "1", stranger, *["house:random"] * 3)
        self.assertEqual(verdict["players"][0]["status"], "did not start")
        self.assertEqual(verdict["players"][0]["rank"], 4)

    def test_the_configuration_can_name_the_players(self):
        standard = json.loads(self.run_skirmish("games", "underworld", "--map", "duel").out)
        bot = self.bot(
            "bot",
            "view()\nsay('crayfish')\nview()\nwhile True:\n    if view() == 'end\\n':\n"
            "        say('end')\n",
        )
        standard["players"] = [{"name": "left", "command": bot}, {"name": "right", "command": bot}]
        standard["maxTurns"] = 5
        self.write("match.json", json.dumps(standard))
        verdict = self.play("underworld", "--config", "match.json")
        self.assertEqual([player["name"] for player in verdict["players"]], ["left", "right"])
        self.assertEqual([player["rank"] for player in verdict["players"]], [1, 1])
        # The original server's file for the same match.
        standard["players"] = [
            {"exeName": bot, "type": "process", "name": "bot", "trusted": False} for _ in range(2)
        ]
        self.write("game.json", json.dumps(standard))
        verdict = self.play("underworld", "--config", "game.json")
        self.assertEqual([player["rank"] for player in verdict["players"]], [1, 1])


if __name__ == "__main__":
    arena.main()
