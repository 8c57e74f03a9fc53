"""Bots that hang, flood, die, close pipes, ignore signals or leave children affect only their own
turns."""

import arena

QUICK = ["--turn-time", "200", "--start-time", "2000", "--seed", "1"]
HONEST = "while True:\n    view()\n    say('{\"moves\": []}')\n"


class HostileBots(arena.ArenaTest):
    def against_honest(self, text, *arguments, game="planetwars", turns=10):
        """Plays against an honest bot, by default Planet Wars, where no failure ends the match."""
        self.write("config.json", '{"max_turns": %d}' % turns)
        honest = self.bot("honest", HONEST)
        hostile = self.bot("hostile", text)
        verdict = self.play(game, "--config", "config.json", *QUICK, *arguments, hostile, honest)
        self.assertEqual(verdict["turns"], turns)
        self.assertEqual(verdict["players"][1]["status"], "ok")
        self.assertEqual(verdict["players"][1]["timeouts"], 0)
        self.assertEqual(verdict["players"][1]["refused"], 0)
        return verdict["players"][0]

    def test_a_bot_that_never_answers_times_out_every_turn(self):
        hostile = self.against_honest("time.sleep(1000)\n", turns=3)
        self.assertEqual(hostile["status"], "timeout")
        self.assertEqual(hostile["timeouts"], 3)

    def test_a_bot_that_answers_without_reading_can_play(self):
        hostile = self.against_honest("while True:\n    say('{\"moves\": []}')\n")
        self.assertEqual(hostile["status"], "ok")

    def test_a_bot_that_exits_at_once_has_crashed(self):
        hostile = self.against_honest("sys.exit(3)\n")
        self.assertEqual(hostile["status"], "crashed")
        self.assertIn("exited with status 3", hostile["failure"])

    def test_a_bot_that_dies_by_a_signal_has_crashed(self):
        hostile = self.against_honest(
            "for i in range(4):\n    view()\n    say('{\"moves\": []}')\n"
            "os.kill(os.getpid(), signal.SIGSEGV)\n"
        )
        self.assertEqual(hostile["status"], "crashed")
        self.assertIn("signal 11", hostile["failure"])

    def test_an_endless_line_is_rejected_and_skipped(self):
        hostile = self.against_honest(
            "view()\nfor i in range(40):\n    say('x' * 65536, end='')\nsay('')\n"
            "while True:\n    view()\n    say('{\"moves\": []}')\n"
        )
        self.assertEqual(hostile["status"], "ok")
        self.assertEqual(hostile["refused"], 1)

    def test_a_flood_of_standard_output_costs_only_the_bots_own_turns(self):
        hostile = self.against_honest("while True:\n    sys.stdout.write('y' * 100000)\n")
        self.assertEqual(hostile["refused"] + hostile["timeouts"], 10)

    def test_a_flood_of_standard_error_is_truncated(self):
        hostile = self.against_honest(
            "while True:\n    view()\n    sys.stderr.write('e' * 3000000)\n"
            "    sys.stderr.flush()\n    say('{\"moves\": []}')\n",
            "--turn-time",
            "5000",
            "--replay",
            "flood.skr",
        )
        self.assertEqual(hostile["status"], "ok")
        lines = self.run_skirmish("replay", "export", "flood.skr").out.splitlines()
        self.assertTrue("standard error limit reached" in lines[0], lines[0][-300:])
        self.assertLess(len(lines[0]), 100000)

    def test_closing_standard_input_does_no_harm(self):
        hostile = self.against_honest(
            "view()\nos.close(0)\nfor i in range(10):\n    say('{\"moves\": []}')\n"
            "time.sleep(1000)\n"
        )
        self.assertEqual(hostile["status"], "ok")

    def test_closing_standard_output_is_a_crash(self):
        hostile = self.against_honest("view()\nos.close(1)\ntime.sleep(1000)\n")
        self.assertEqual(hostile["status"], "crashed")
        self.assertIn("closed its standard output", hostile["failure"])

    def test_a_bot_that_ignores_signals_ends_with_the_match(self):
        self.against_honest(
            "for number in range(1, 32):\n"
            "    try:\n        signal.signal(number, signal.SIG_IGN)\n"
            "    except (OSError, ValueError):\n        pass\n"
            "while True:\n    try:\n        view()\n        say('{\"moves\": []}')\n"
            "    except SystemExit:\n        pass\n"
        )

    def test_children_in_other_sessions_end_with_the_match(self):
        self.against_honest(
            "for i in range(5):\n"
            "    subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            "        time.sleep(1000)\n    os._exit(0)\n" + HONEST
        )

    def test_a_child_that_keeps_the_output_open_does_not_hide_the_exit(self):
        hostile = self.against_honest(
            "subprocess.Popen(['sleep', '1000'])\nview()\nsay('{\"moves\": []}')\nsys.exit(0)\n"
        )
        self.assertEqual(hostile["status"], "crashed")
        self.assertEqual(hostile["timeouts"], 0)

    def test_a_bot_that_stops_itself_times_out(self):
        hostile = self.against_honest(
            "view()\nos.kill(os.getpid(), signal.SIGSTOP)\n" + HONEST, turns=3
        )
        self.assertGreater(hostile["timeouts"], 0)

    def test_nul_bytes_and_invalid_utf8_are_rejected(self):
        hostile = self.against_honest(
            "while True:\n    view()\n    sys.stdout.buffer.write(b'\\0\\xff\\xfe{\\n')\n"
            "    sys.stdout.flush()\n"
        )
        self.assertEqual(hostile["refused"], 10)
        self.assertEqual(hostile["status"], "ok")

    def test_answers_byte_by_byte_with_crlf_and_without_a_last_newline_are_accepted(self):
        hostile = self.against_honest(
            "for i in range(9):\n    view()\n"
            "    for c in '{\"moves\": []}\\r\\n':\n        say(c, end='')\n"
            "view()\nsay('{\"moves\": []}', end='')\n"
        )
        self.assertEqual(hostile["status"], "ok")
        self.assertEqual(hostile["refused"], 0)

    def test_a_bot_that_never_answers_times_out_when_all_think_together(self):
        hostile = self.against_honest("time.sleep(1000)\n", "--think", "together", turns=3)
        self.assertEqual(hostile["status"], "timeout")


if __name__ == "__main__":
    arena.main()
