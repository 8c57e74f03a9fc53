"""Output in a terminal, tested with tmux."""

import json
import os
import threading

import arena
import fake_arena
import terminal


class Terminal(terminal.TerminalTest):
    def patient_bot(self, matches=0):
        """A bot that waits for release_bots() in its fourth turn, so that the screen stays the same
        until then. It does not wait in its first `matches` matches."""
        return self.bot(
            "patient",
            f"""
open(f'started-{{os.getpid()}}', 'w').close()
waits = sum(name.startswith('started-') for name in os.listdir('.')) > {matches}
for i in range(4):
    view()
    while i == 3 and waits and not os.path.exists('go'):
        time.sleep(0.01)
    say('[]')
""",
        )

    def release_bots(self):
        self.write("go", "")

    def test_a_match_is_drawn_turn_by_turn(self):
        self.start(
            "play",
            "aliens",
            "--watch",
            "--speed",
            "50",
            "--seed",
            "3",
            "--sandbox",
            "none",
            "--turn-time",
            "60000",
            "house:medium",
            self.patient_bot(),
        )
        self.wait_for("Aliens  seed 3  turn", "1 medium", "patient.py", "a:")
        self.release_bots()
        screen = self.wait_for("status 0", "wins")
        self.assertIn("rank", screen)

    def test_a_replay_can_be_paused_stepped_and_jumped(self):
        self.play("aliens", "--seed", "3", "--replay", "match.skr", "house:random", "house:random")
        self.start("replay", "watch", "match.skr", "--speed", "2")
        self.wait_for("2 turns/s")
        self.tmux("send-keys", "Space")
        self.wait_for("paused")
        self.tmux("send-keys", "7", "Enter")
        self.wait_for("turn 7", "paused")
        self.tmux("send-keys", "Right")
        self.wait_for("turn 8")
        self.tmux("send-keys", "Left")
        self.wait_for("turn 7")
        self.tmux("send-keys", "Home")
        self.wait_for("turn 0")
        self.tmux("send-keys", "End")
        self.wait_for("(last)", "The match ended")
        self.tmux("send-keys", "+")
        self.wait_for("4 turns/s")
        self.tmux("send-keys", "q")
        self.wait_for("status 0", absent=["turns/s"])

    def test_a_tournament_shows_its_progress_and_the_current_table(self):
        self.start(
            "tournament",
            "--game",
            "aliens",
            "--sandbox",
            "none",
            "--seed",
            "1",
            "--rounds",
            "2",
            "--turn-time",
            "60000",
            self.patient_bot(4),
            "house:medium",
            "house:random",
        )
        screen = self.wait_for(
            " of 12 matches, ", " per second, ", " left, ", " running", "1  medium", "ms/  time"
        )
        self.assertEqual(screen.count(" of 12 matches, "), 1, "the progress is printed in place")
        self.release_bots()
        screen = self.wait_for("status 0", "seed: 1, results: tournament.db", absent=["running"])
        self.assertIn("12 matches", screen)
        self.assertIn("Wins, draws and losses of row against column", screen)

    def test_ctrl_c_clears_the_progress_display(self):
        """The terminal echoes ^C at the cursor, which moves the line to the right."""
        patient = self.patient_bot()
        self.start(
            "tournament",
            "--game",
            "aliens",
            "--sandbox",
            "none",
            "--seed",
            "1",
            "--rounds",
            "6",
            "--jobs",
            "1",
            "--turn-time",
            "60000",
            patient,
            patient,
        )
        self.wait_for(" of 12 matches, ", " running")
        self.tmux("send-keys", "C-c")
        screen = self.wait_for(
            "finishing 1 running match; press Ctrl-C again to abort", " of 12 matches, "
        )
        self.assertIn("skirmish: finishing 1 ", [line[:22] for line in screen.splitlines()], screen)
        self.assertNotIn(" left", screen)
        self.release_bots()
        self.wait_for("status 130", "continue with: skirmish tournament --resume")

    def test_a_comparison_shows_its_progress(self):
        self.start(
            "compare",
            self.patient_bot(4),
            "house:medium",
            "--elo1",
            "200",
            "--game",
            "aliens",
            "--sandbox",
            "none",
            "--seed",
            "1",
            "--turn-time",
            "60000",
            "--jobs",
            "1",  # otherwise the matches that do not wait could belong to three pairs
        )
        self.wait_for(
            " of at most 40000 matches, ",
            "probability of being better: ",
            'odds for "better" ',
            " pairs: 0 points 0, ",
        )
        self.release_bots()
        screen = self.wait_for("status 0", absent=["running", " left"])
        self.assertIn("aliens: medium is better than", screen)

    def test_an_analysis_shows_a_progress_bar_with_the_remaining_time(self):
        self.play("aliens", "--seed", "3", "--replay", "match.skr", "house:medium", "house:random")
        self.start(
            "analyze",
            "match.skr",
            "--samples",
            "5",
            "--continuations",
            "2",
            "--sandbox",
            "none",
            "--jobs",
            "1",
            "--bots",
            self.patient_bot(8),
        )
        screen = self.wait_for("] 4 of 10 continuations, ", " s left")
        self.assertRegex(screen, r"(?m)^\[#{12}\.{18}\] 4 of 10 continuations, \d+ s left$")
        self.release_bots()
        self.wait_for("aliens, ", "match.analysis.json", "status 0", absent=[" of 10 "])

    def test_a_check_shows_its_stage_and_the_remaining_time(self):
        patient = self.bot(
            "patient",
            """
while True:
    line = view()
    while '"cols":41' in line and not os.path.exists('go'):
        time.sleep(0.01)
    say('[]')
""",
        )
        arguments = ("--game", "aliens", "--sandbox", "none", "--turn-time", "60000")
        self.start("check", patient, *arguments)
        screen = self.wait_for("%  maps and players, ", " s left")
        self.assertRegex(screen, r"(?m)^\[#+\.+\] +\d+%  maps and players, \d+ s left$")
        self.release_bots()
        screen = self.wait_for("passed: 0 errors, 0 warnings;", "status 0")
        self.assertNotIn(" left", screen)

    def slow_bot(self):
        """A bot with turns of 0.2 s, until release_bots()."""
        return self.bot(
            "slow",
            """
while view():
    until = time.monotonic() + 0.2
    while time.monotonic() < until and not os.path.exists('go'):
        time.sleep(0.01)
    say('[]')
""",
        )

    def test_a_match_shows_its_turn_and_the_remaining_time(self):
        for more in [], ["--json"]:
            with self.subTest(more):
                bots = (*more, "--sandbox", "none", self.slow_bot(), "house:random")
                self.start("play", "aliens", "--seed", "3", *bots)
                screen = self.wait_for("] turn ", " of at most ", " left")
                self.assertRegex(screen, r"(?m)^\[#*\.+\] turn \d+ of at most \d+, .*\d+ s left$")
                self.release_bots()
                self.wait_for("status 0", absent=[" left"])
                self.stop()
                os.remove(self.path("go"))

    def test_a_feed_shows_its_turn_and_the_remaining_time(self):
        self.play("aliens", "--seed", "3", "--replay", "match.skr", "house:medium", "house:random")
        self.start("feed", "match.skr", "--sandbox", "none", self.slow_bot())
        self.wait_for("] turn ", " of at most ", " left")
        self.release_bots()
        self.wait_for("answers differ, the first in turn", "status 1", absent=[" left"])

    def test_a_build_is_named_while_it_runs(self):
        os.mkdir(self.path("bot"))
        build = "while [ ! -e ../go ]; do sleep 0.01; done"
        self.write("bot/bot.json", json.dumps({"name": "mine", "build": build, "run": "cat"}))
        self.start("play", "aliens", "--sandbox", "none", "bot", "house:random")
        self.wait_for("building mine")
        self.release_bots()
        self.wait_for("status 0", absent=["building"])

    def test_verifying_many_replays_shows_the_remaining_time(self):
        self.play("aliens", "--seed", "3", "--replay", "match.skr", "house:medium", "house:random")
        self.start_script("$SKIRMISH replay verify $(yes match.skr | head -40000)")
        screen = self.wait_for(" of 40000 replays, ", " left")
        self.assertIn("match.skr: verified: aliens, seed 3", screen)
        self.tmux("send-keys", "C-c")
        self.wait_for("status 130")

    def test_an_export_to_a_pipe_shows_its_turn(self):
        # The bots exit, but the match continues, so that its export has a megabyte.
        self.play("planetwars", "--seed", "3", "--replay", "match.skr", "cat", "cat")
        self.write(
            "reader.py",
            "import os, sys, time\n"
            "while os.read(0, 4096):\n"
            "    if not os.path.exists('go'):\n"
            "        time.sleep(0.05)\n",
        )
        self.start_script("$SKIRMISH replay export match.skr | python3 reader.py")
        self.wait_for("] turn ", " of at most ", " left")
        self.release_bots()
        self.wait_for("status 0", absent=[" left"])

    def test_reading_a_long_list_of_results_shows_the_remaining_time(self):
        self.write("list.txt", "ann > bob\nbob > eve\n" * 2000000)
        self.start("rate", "list.txt")
        self.wait_for("] reading list.txt, ", " s left")
        self.tmux("send-keys", "C-c")
        self.wait_for("status 130")

    def test_an_upload_shows_how_much_has_been_sent(self):
        server = fake_arena.FakeArena().start()
        self.addCleanup(server.stop)
        server.hold = threading.Event()
        self.addCleanup(server.hold.set)
        self.environment["XDG_CONFIG_HOME"] = self.path("config")
        login = self.run_skirmish("login", server.url, "--token", fake_arena.TOKEN)
        self.assertEqual(login.status, 0, login.err)
        self.write("fleet.py", "#" * (32 << 20))
        self.start("submit", "fleet.py", "--game", "aliens")
        self.wait_for("] uploading, ", " of 32.0 MiB")
        server.hold.set()
        self.wait_for("version 1 built; use --activate", "status 0", absent=["uploading"])

    def test_nothing_is_shown_if_standard_error_is_not_a_terminal(self):
        """The match takes long enough that a progress bar would appear."""
        bot = self.bot(
            "slow",
            """
for turn in range(8):
    view()
    time.sleep(0.1)
    say('[]')
""",
        )
        bots = f"--sandbox none '{bot}' house:random"
        self.start_script(f"$SKIRMISH play aliens --seed 3 {bots} 2>errors")
        self.wait_for("status 0", " rank player")
        with open(self.path("errors"), encoding="utf-8") as errors:
            self.assertEqual(errors.read(), "")

    def test_play_asks_again_after_a_wrong_name(self):
        self.start("play")
        self.wait_for("Game [")
        self.tmux("send-keys", "alien", "Enter")
        self.wait_for('unknown game "alien"; did you mean "aliens"?')
        self.tmux("send-keys", "aliens", "Enter")
        self.wait_for("Player 1 [house:medium]:")
        self.tmux("send-keys", "house:medum", "Enter")
        self.wait_for('unknown house bot "medum"; did you mean "medium"?')
        self.tmux("send-keys", "nowhere.py", "Enter")
        self.wait_for('program "nowhere.py" is not on the PATH')
        self.tmux("send-keys", "house:easy", "Enter")
        self.wait_for("Player 2 [house:random]:")
        self.tmux("send-keys", "Enter")
        self.wait_for("1 easy", "2 random", "status 0")

    def test_play_can_be_left_at_every_question(self):
        for answers, question in (
            ([], "Game ["),
            (["aliens"], "Player 1 ["),
            (["aliens", ""], "Player 2 ["),
        ):
            for key, ending in (("C-c", ["status 130"]), ("C-d", ["no input", "status 2"])):
                with self.subTest(question=question, key=key):
                    self.start("play")
                    for number, answer in enumerate(answers):
                        self.wait_for(["Game [", "Player 1 ["][number])
                        self.tmux("send-keys", answer, "Enter")
                    self.wait_for(question)
                    self.tmux("send-keys", key)
                    self.wait_for(*ending)
                    self.stop()

    def test_play_without_bots_asks_for_them(self):
        self.start("play")
        self.wait_for("Games: ", "Game [")
        self.tmux("send-keys", "aliens", "Enter")
        self.wait_for("Bots: ", "house:medium", "Player 1 [house:medium]:")
        self.tmux("send-keys", "Enter")
        self.wait_for("Player 2 [house:random]:")
        self.tmux("send-keys", "house:medium", "Enter")
        self.wait_for("1 medium", "2 medium", "status 0")

    def test_play_in_a_project_proposes_its_bot(self):
        self.write("bot.json", json.dumps({"name": "mine", "run": "true"}))
        self.start("play", "aliens")
        self.wait_for("Bots: . ", "Player 1 [.]:")
        self.tmux("send-keys", "Enter")
        self.wait_for("Player 2 [house:random]:")
        self.tmux("send-keys", "C-d")
        self.wait_for("no input", "status 2")

    def test_a_new_project_is_created_by_questions_and_answers(self):
        self.start("new")
        self.wait_for("Games: ", "aliens", "Game [")
        self.tmux("send-keys", "alien", "Enter")
        self.wait_for('unknown game "alien"; did you mean "aliens"?')
        self.tmux("send-keys", "aliens", "Enter")
        self.wait_for("Languages: ", "javascript", "Language [python]:")
        self.tmux("send-keys", "Enter")
        self.wait_for("Directory [aliens-bot]:")
        self.tmux("send-keys", "mine", "Enter")
        self.wait_for("Created mine, a bot for Aliens in Python.", "cd mine", "status 0")
        self.assertIn("test.skr", os.listdir(self.path("mine")))


if __name__ == "__main__":
    arena.main()
