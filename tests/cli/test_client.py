"""The commands that use an arena, against a fake one: requests, output and errors."""

import base64
import io
import json
import os
import pty
import signal
import stat
import subprocess
import tarfile
import threading
import time

import arena
import fake_arena


class ClientTest(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        self.arena = fake_arena.FakeArena().start()
        self.addCleanup(self.arena.stop)
        self.config = self.path("config/skirmish/arena.json")
        self.environment["XDG_CONFIG_HOME"] = self.path("config")
        self.environment["http_proxy"] = "http://127.0.0.1:1"  # unused for local addresses
        for name in ("SKIRMISH_URL", "SKIRMISH_TOKEN"):
            self.environment.pop(name, None)

    def log_in(self):
        result = self.run_skirmish("login", self.arena.url, "--token", fake_arena.TOKEN)
        self.assertEqual(result.status, 0, result.err)
        self.arena.calls.clear()

    def client(self, *arguments, status=0):
        result = self.run_skirmish(*arguments)
        self.assertEqual(result.status, status, result.out + result.err)
        return result


class LoginTest(ClientTest):
    def test_login_stores_a_token_and_not_the_password(self):
        done = subprocess.run(
            [arena.SKIRMISH, "login", self.arena.url], input="alice\nopen sesame\n", text=True,
            capture_output=True, env=self.environment, check=False, timeout=60,
        )  # fmt: skip
        self.assertEqual(
            (done.returncode, done.stdout),
            (0, f"Logged in to {self.arena.url} as alice.\n"),
            done.stderr,
        )
        with open(self.config, encoding="utf-8") as file:
            kept = json.load(file)
        self.assertEqual(
            kept, {"url": self.arena.url, "name": "alice", "token": fake_arena.TOKEN, "token_id": 3}
        )
        self.assertEqual(stat.S_IMODE(os.stat(self.config).st_mode), 0o600)
        self.assertEqual(os.listdir(os.path.dirname(self.config)), ["arena.json"])
        self.assertEqual(
            self.arena.paths(), [f"/api/v1/{name}" for name in ("login", "tokens", "logout", "me")]
        )

    def test_scopes_and_days_of_the_token_can_be_chosen(self):
        done = subprocess.run(
            [arena.SKIRMISH, "login", self.arena.url, "--scopes", "read,play", "--days", "7"],
            input="alice\nopen sesame\n", text=True, capture_output=True, env=self.environment,
            check=False, timeout=60,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        body = self.arena.token_request
        self.assertEqual((body["scopes"], body["days"]), (["read", "play"], 7))

    def test_a_password_is_not_shown_on_the_terminal(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(
                arena.SKIRMISH,
                ["skirmish", "login", self.arena.url, "--name", "alice"],
                self.environment,
            )
        shown = b""
        sent = False
        while True:
            try:
                more = os.read(terminal, 1000)
            except OSError:
                break
            if not more:
                break
            shown += more
            if b"Password: " in shown and not sent:
                os.write(terminal, b"open sesame\n")
                sent = True
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, shown)
        self.assertIn(b"as alice", shown)
        self.assertNotIn(b"sesame", shown)

    def test_registering_sends_the_invitation_code(self):
        def register(*options):
            return subprocess.run(
                [
                    arena.SKIRMISH,
                    "login",
                    self.arena.url,
                    "--register",
                    "--name",
                    "alice",
                    *options,
                ],
                input="open sesame\n",
                text=True,
                capture_output=True,
                env=self.environment,
                check=False,
                timeout=60,
            )

        rejected = register()
        self.assertEqual(
            (rejected.returncode, rejected.stderr),
            (2, "skirmish: an invitation code is required\n"),
        )
        self.assertEqual(register("--invitation", "welcome").returncode, 0)

    def test_logging_out_revokes_and_deletes_the_token(self):
        self.log_in()
        with open(self.config, encoding="utf-8") as file:
            kept = json.load(file)
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({**kept, "token_id": 3}, file)
        self.client("logout")
        self.assertEqual(self.arena.paths("DELETE"), ["/api/v1/tokens/3"])
        self.assertFalse(os.path.exists(self.config))
        self.assertIn(
            "not logged in; log in with: skirmish login", self.client("bots", status=2).err
        )

    def test_redirects_are_not_followed(self):
        self.log_in()
        other = fake_arena.FakeArena().start()
        self.addCleanup(other.stop)
        self.arena.redirect = other.url + "/api/v1/bots"
        self.assertIn("redirects to another address", self.client("bots", status=2).err)
        self.assertEqual(other.calls, [])

    def test_every_mistake_has_an_error_message(self):
        self.log_in()
        self.arena.add_bot("alice", "mine", "aliens", 11)
        closed = fake_arena.FakeArena()
        closed.server.server_close()
        for arguments, sentence in (
            (["login"], "expected the URL of one arena"),
            (["login", "ftp://x"], 'invalid arena address "ftp://x"'),
            (["login", "http://a:b@localhost"], "invalid arena address"),
            (["login", "localhost"], "invalid arena address"),
            (
                ["login", self.arena.url, "--token", "wrong"],
                "is invalid, expired or revoked; log in with",
            ),
            (
                ["login", self.arena.url, "--token", "a b"],
                "invalid API token",
            ),
            (
                ["login", self.arena.url, "--token", "x", "--name", "y"],
                "--token cannot be combined with --name or --register",
            ),
            (["login", self.arena.url, "--invitation", "x"], "--invitation requires --register"),
            (
                ["login", self.arena.url, "--days", "0"],
                "--days must be a whole number from 1 to 3650",
            ),
            (
                ["login", self.arena.url, "--token", "x", "--scopes", "read"],
                "--scopes and --days are for new tokens",
            ),
            (["login", closed.url, "--token", "x"], "cannot reach the arena at"),
            (["login", self.arena.url, "--name", "alice"], "no input"),
            (["logout", "x"], 'unexpected argument "x"'),
            (["bots", "x"], 'unexpected argument "x"'),
            (["bots", "--all", "--owner", "x"], "--owner and --all cannot be combined"),
            (["bots", "--limit", "0"], "--limit must be a whole number from 1 to 100000"),
            (["matches", "--nonsense"], 'unknown option "--nonsense"'),
            (["challenge", "house/hunter"], "--bot is required"),
            (["challenge", "--bot", "mine"], "expected at least one OPPONENT"),
            (["challenge", "--bot", "mine", "house/nobody"], 'unknown bot "house/nobody"'),
            (["challenge", "--bot", "other", "house/hunter"], 'unknown bot "alice/other"'),
            (["logs"], "expected one MATCH number"),
            (["logs", "seven"], "MATCH must be a whole number"),
            (["logs", "99"], "unknown path"),
            (["logs", "7", "--seat", "3"], "match 7 has only 2 seats"),
            (["logs", "7", "--seat", "2"], "the standard error of this seat is not public"),
            (["submit"], "expected one DIRECTORY or FILE"),
            (["submit", "not-there"], "cannot read not-there"),
            (
                ["submit", ".", "--activate", "--no-wait"],
                "--activate and --no-wait cannot be combined",
            ),
            (["join"], "expected the URL of one arena"),
            (["join", self.arena.url], "--game is required; `skirmish games` lists all games"),
            (
                ["join", self.arena.url, "--game", "aliens"],
                "expected URL -- BOT",
            ),
            (["join", self.arena.url, "--game", "chess", "--", "x"], 'unknown game "chess"'),
            (
                ["join", self.arena.url, "--game", "aliens", "--", "tcp:a:1"],
                "join cannot play tcp:a:1",
            ),
            (["join", "http://127.0.0.1:1", "--game", "aliens", "--", "x"], "you are logged in to"),
            (["backup"], "expected one directory"),
            (["backup", "x", "--data", "nowhere"], "nowhere"),
            (["restore", "x"], "--data is required"),
            (["restore", "nowhere", "--data", "new"], "nowhere"),
        ):
            with self.subTest(arguments):
                result = self.run_skirmish(*arguments)
                self.assertEqual((result.status, result.out), (2, ""), result.err)
                self.assertIn(sentence, result.err)

    def test_a_server_that_is_not_an_arena_is_an_error(self):
        self.log_in()
        self.arena.broken = b"<html>hello</html>"
        self.assertIn(
            "returned no account name; is it a Skirmish arena?",
            self.client("login", self.arena.url, "--token", "x", status=2).err,
        )

    def test_url_and_token_can_come_from_the_environment(self):
        self.environment.update(SKIRMISH_URL=self.arena.url, SKIRMISH_TOKEN=fake_arena.TOKEN)
        self.arena.add_bot("alice", "mine", "aliens", 11)
        self.assertIn("alice/mine", self.client("bots").out)


class SubmitTest(ClientTest):
    def setUp(self):
        super().setUp()
        self.log_in()

    def uploaded(self):
        return [call for call in self.arena.calls if call[0] == "POST" and "/versions?" in call[1]][
            -1
        ]

    def test_a_directory_is_sent_as_an_archive_without_hidden_files(self):
        os.makedirs(self.path("hunter/lib/" + "d" * 90))
        long_name = "lib/" + "d" * 90 + "/" + "f" * 60 + ".py"
        for name, text in (
            ("bot.json", "{}"),
            ("main.py", "x" * 1000),
            (long_name, "y"),
            (".hidden", "no"),
            ("empty", ""),
        ):
            self.write("hunter/" + name, text)
        os.makedirs(self.path("hunter/.git"))
        self.write("hunter/.git/config", "no")
        os.chmod(self.path("hunter/main.py"), 0o755)
        result = self.client("submit", "hunter", "--game", "aliens", "--activate")
        page = self.arena.url + "/bots/alice/hunter"
        self.assertEqual(
            result.out, f"hunter version 1 is live\nThe arena checks it now; see {page}\n"
        )
        self.assertEqual(result.err, "built in a second\n")
        self.assertEqual(json.loads(self.arena.calls[1][3]), {"name": "hunter", "game": "aliens"})
        call = self.uploaded()
        self.assertEqual(call[1], "/api/v1/bots/alice/hunter/versions?file_name=hunter.tar")
        with tarfile.open(fileobj=io.BytesIO(call[3])) as tar:
            self.assertEqual(tar.getnames(), ["bot.json", "empty", long_name, "main.py"])
            self.assertEqual(tar.extractfile("main.py").read(), b"x" * 1000)
            self.assertEqual([member.mode for member in tar][-1], 0o755)
        self.assertEqual(self.arena.paths("POST")[-1], "/api/v1/versions/11/activate")

    def test_the_game_of_a_new_bot_can_be_in_its_bot_json(self):
        os.makedirs(self.path("fleet"))
        self.write("fleet/bot.json", '{"game": "planetwars", "run": "./bot"}')
        self.client("submit", "fleet")
        self.assertEqual(
            json.loads(self.arena.calls[1][3]), {"name": "fleet", "game": "planetwars"}
        )

    def test_a_file_is_sent_unchanged_and_a_failed_build_is_status_1(self):
        self.arena.add_bot("alice", "fleet", "planetwars")
        self.arena.builds = ["waiting", "waiting", "failed"]
        self.arena.log = b"line 1: no \x1b[2Jsense"
        self.write("fleet.py", "print(1)\n")
        result = self.client("submit", "fleet.py", status=1)
        self.assertEqual(result.out, "fleet version 1 failed to build\n")
        self.assertEqual(result.err, "line 1: no \ufffd[2Jsense\n")
        self.assertEqual(self.uploaded()[3], b"print(1)\n")
        self.assertEqual(
            self.client("submit", "fleet.py", "--json", status=1).json["build"], "failed"
        )

    def test_uploads_that_cannot_be_sent_are_errors(self):
        os.makedirs(self.path("bad"))
        os.symlink("/etc/passwd", self.path("bad/link"))
        os.makedirs(self.path("nothing"))
        self.write("mine.py", "")
        self.arena.add_bot("alice", "fleet", "planetwars")
        for arguments, sentence in (
            (["bad", "--game", "aliens"], "link is a link; an arena accepts regular files only"),
            (["nothing", "--game", "aliens"], "nothing has no files"),
            (
                ["mine.py"],
                'you have no bot "mine"; to create it, use --game GAME',
            ),
            (
                ["mine.py", "--bot", "fleet", "--game", "aliens"],
                'your bot "fleet" plays planetwars, not aliens',
            ),
        ):
            with self.subTest(arguments):
                self.assertIn(sentence, self.client("submit", *arguments, status=2).err)


class MatchesTest(ClientTest):
    def setUp(self):
        super().setUp()
        self.log_in()
        self.arena.add_bot("alice", "mine", "aliens", 11)

    def test_lists_are_printed_as_lines_or_as_json(self):
        self.arena.add_bot("bob", "other", "ctf")
        self.assertEqual(self.client("bots").out, "aliens        version 1      alice/mine\n")
        self.assertIn("ctf           not live       bob/other\n", self.client("bots", "--all").out)
        self.assertEqual(len(self.client("bots", "--all", "--json").json["items"]), 2)
        self.assertEqual(
            self.client("matches", "--bot", "mine").out,
            "      7  aliens       over       2. alice/mine, 1. house/hunter\n",
        )
        self.assertEqual(self.arena.paths()[-1], "/api/v1/matches?limit=50&bot=alice%2Fmine")
        self.client("matches", "--bot", "bob/other", "--game", "aliens")
        self.assertEqual(
            self.arena.paths()[-1], "/api/v1/matches?limit=50&bot=bob%2Fother&game=aliens"
        )
        self.assertEqual(
            self.client("bots", "--all", "--search", "oth").out,
            "ctf           not live       bob/other\n",
        )
        self.assertEqual(
            self.client("bots", "--all", "--search", "none").out,
            "No bots. Upload one with `skirmish submit`.\n",
        )

    def test_long_lists_are_loaded_page_by_page(self):
        for number in range(449):
            self.arena.add_bot("alice", f"bot-{number}", "aliens", 1)
        self.arena.calls.clear()
        lines = self.client("bots", "--limit", "450").out.splitlines()
        self.assertEqual(
            [line.split("/")[1] for line in lines],
            ["mine"] + [f"bot-{number}" for number in range(449)],
        )
        self.assertEqual(
            self.arena.paths(),
            [
                "/api/v1/bots?limit=" + rest
                for rest in (
                    "200&owner=alice",
                    "200&owner=alice&cursor=200.200",
                    "50&owner=alice&cursor=400.400",
                )
            ],
        )
        some = self.client("bots", "--limit", "201").out.splitlines()
        self.assertEqual(
            (some[:-1], some[-1]), (lines[:201], "More available; use --limit to list more.")
        )
        self.assertEqual(len(self.client("bots").out.splitlines()), 51)
        pages = [
            json.loads(line)
            for line in self.client("bots", "--limit", "450", "--json").out.splitlines()
        ]
        self.assertEqual(
            ([len(page["items"]) for page in pages], pages[-1]["next"]), ([200, 200, 50], None)
        )

    def test_a_list_whose_pages_repeat_is_an_error(self):
        self.arena.circle = "1.1"
        self.assertIn(
            "the same page of the list twice", self.client("bots", "--limit", "1000", status=2).err
        )

    def test_a_challenge_reconnects_and_prints_the_verdict(self):
        self.arena.live[:] = [
            ("start", {}),
            ("turn", {"turn": 1}),
            None,
            ("turn", {"turn": 2}),
            ("end", {}),
        ]
        result = self.client("challenge", "house/hunter", "--bot", "mine", "--map", "small")
        self.assertEqual(
            result.out,
            "match 8, aliens on small, 42 turns: over (elimination)\n\n rank    score  player\n"
            "    2        3  1 alice/mine\n    1        9  2 house/hunter\n",
        )
        request = [call for call in self.arena.calls if call[0] == "POST"][0]
        self.assertEqual(
            json.loads(request[3]),
            {
                "game": "aliens",
                "map": "small",
                "seats": [{"bot": "alice/mine"}, {"bot": "house/hunter"}],
            },
        )
        lives = [
            call[2].get("Last-Event-ID") for call in self.arena.calls if call[1].endswith("/live")
        ]
        self.assertEqual(lives, [None, "2"])

    def test_a_challenge_can_print_json_or_not_wait(self):
        self.arena.live[:] = [("end", {})]
        self.assertEqual(
            self.client("challenge", "house/hunter", "--bot", "mine", "--json").json["state"],
            "over",
        )
        self.assertEqual(
            self.client("challenge", "house/hunter", "--bot", "mine", "--no-wait").out, "8\n"
        )

    def test_logs_prints_the_standard_error_of_your_seats(self):
        self.assertEqual(self.client("logs", "7").out, "1: one\n1: two\n")
        self.assertEqual(self.client("logs", "7", "--seat", "1").out, "one\ntwo\n")
        self.assertEqual(
            self.client("logs", "7", "--json").json,
            {"match": 7, "seats": [{"seat": 1, "stderr": "one\ntwo\n"}]},
        )
        self.arena.stderr = {}
        self.assertIn("no logs for match 7", self.client("logs", "7", status=2).err)


class JoinTest(ClientTest):
    """The client side of joining; tests/arena/test_join.py has both sides."""

    def view(self, run, text):
        return ("view", {"run": run, "bytes": base64.b64encode(text.encode()).decode()})

    def join(self, *arguments, bot=None, status=0):
        bot = bot or self.bot("echo", "while True: say('got ' + view().strip())")
        return self.client(
            "join",
            self.arena.url,
            "--game",
            "aliens",
            "--token",
            fake_arena.TOKEN,
            "--sandbox",
            "none",
            *arguments,
            "--",
            bot,
            status=status,
        )

    def test_views_reach_the_bot_and_every_run_restarts_it(self):
        self.arena.live[:] = [
            ("start", {"run": 1}),
            self.view(1, "one\ntw"),
            None,
            self.view(1, "o\n"),
            lambda: b"got two\n" in self.arena.seats.get(1, b""),
            ("stop", {"run": 1}),
            ("start", {"run": 2}),
            self.view(2, "three\n"),
            self.view(1, "stale\n"),
            lambda: b"got three\n" in self.arena.seats.get(2, b""),
            ("stop", {"run": 2}),
            ("end", {"match": 7, "state": "over"}),
        ]
        bot = self.bot(
            "echo",
            "print('up', file=sys.stderr, flush=True)\nwhile True: say('got ' + view().strip())",
        )
        result = self.join("--against", "house/hunter", "--label", "try", bot=bot)
        self.assertIn("match 7, aliens", result.out)
        self.assertEqual(result.err.count("up\n"), 2)
        request = [call for call in self.arena.calls if call[1] == "/api/v1/join"][0]
        self.assertEqual(
            json.loads(request[3]),
            {"game": "aliens", "opponents": ["house/hunter"], "label": "try"},
        )
        self.assert_no_processes_left()

    def test_an_answer_is_sent_before_the_next_view_arrives(self):
        self.arena.live[:] = [("start", {"run": 1}), self.view(1, "one\n")]
        process = subprocess.Popen(
            [
                arena.SKIRMISH,
                "join",
                self.arena.url,
                "--game",
                "aliens",
                "--token",
                "-",
                "--sandbox",
                "none",
                "--",
                self.bot("echo", "while True: say('got ' + view().strip())"),
            ],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        process.stdin.write(fake_arena.TOKEN + "\n")
        process.stdin.close()
        process.stdin = None
        while bytes(self.arena.seats.get(1, b"")) != b"got one\n":
            self.assertIsNone(process.poll(), "it exited")
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.arena.paths("DELETE"), ["/api/v1/join/secret"])
        self.assert_no_processes_left()

    def test_the_exit_of_a_bot_is_reported_to_the_arena(self):
        self.arena.live[:] = [("start", {"run": 1})]

        def end_after_exit():
            while not any("last=1" in call[1] for call in self.arena.calls):
                time.sleep(0.005)
            self.arena.live += [("stop", {"run": 1}), ("end", {"match": 7, "state": "over"})]

        thread = threading.Thread(target=end_after_exit, daemon=True)
        thread.start()
        self.join(bot="echo bye")
        thread.join()
        lasts = [call for call in self.arena.calls if call[1].endswith("last=1")]
        self.assertEqual(
            [call[1] for call in lasts], ["/api/v1/join/secret/answers?run=1&at=4&last=1"]
        )
        self.assertEqual(bytes(self.arena.seats[1]), b"bye\n")

    def test_several_matches_are_played(self):
        self.arena.live[:] = [("end", {"match": 7, "state": "over"})]
        result = self.join("--matches", "3", "--json")
        self.assertEqual([json.loads(line)["id"] for line in result.out.splitlines()], [7, 7, 7])

    def test_missed_events_end_the_match_with_an_error(self):
        self.arena.live[:] = [("gap", {"missed": 4})]
        self.assertIn("the connection was lost for too long", self.join(status=1).err)

    def test_a_cancelled_match_is_an_error_with_the_reason(self):
        self.arena.live[:] = [
            ("end", {"match": 7, "state": "called_off", "reason": "the arena was restarted"})
        ]
        self.assertIn("match 7 was cancelled: the arena was restarted", self.join(status=1).err)


if __name__ == "__main__":
    arena.main()
