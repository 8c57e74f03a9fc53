"""Each answer belongs to one view: late answers never count, early ones wait, and a bot that missed
a turn receives the next view."""

import json

import arena

# Bots tag their answers with the name of an unknown planet, which the replay keeps as part of the
# answer.
ANSWER = (
    "def answer(tag):\n"
    "    say(json.dumps({'moves': [{'origin': tag, 'destination': 'x', 'ship_count': 1}]}))\n"
)


class LateAnswers(arena.ArenaTest):
    def tags(self, text, turns, *arguments, turn_time=200):
        """Returns the tag that counted in each turn ('-' for none), and the verdict on the bot."""
        self.write("config.json", '{"max_turns": %d}' % turns)
        bot = self.bot("bot", ANSWER + text)
        other = self.bot("other", "while True:\n    view()\n    say('{\"moves\": []}')\n")
        verdict = self.play(
            "planetwars",
            "--config",
            "config.json",
            "--turn-time",
            str(turn_time),
            "--start-time",
            "5000",
            "--replay",
            "late.skr",
            *arguments,
            bot,
            other,
        )
        self.assertEqual(verdict["players"][1]["status"], "ok")
        tags = []
        for line in self.run_skirmish("replay", "export", "late.skr").out.splitlines():
            player = json.loads(line)["players"][0]
            tags.append(
                json.loads(player["answer"])["moves"][0]["origin"] if player["answer"] else "-"
            )
        self.assertEqual(self.run_skirmish("replay", "verify", "late.skr").status, 0)
        return tags, verdict["players"][0]

    def check_sleeper(self, *arguments):
        """A bot sleeps for 1.5 turns after view 3; its answer must not count for view 4.

        A referee that waits for a core at the deadline may find the late answer, and accept it in
        the bot's favour. The turns are so long that it would have to wait for half a second."""
        tags, verdict = self.tags(
            "for i in range(1, 9):\n    view()\n    if i == 3:\n        time.sleep(1.5)\n"
            "    answer('for %d' % i)\n",
            8,
            *arguments,
            turn_time=1000,
        )
        self.assertEqual(tags[:3], ["for 1", "for 2", "-"])
        self.assertEqual(verdict["late"], 1)
        self.assertNotIn("for 3", tags)
        for turn, tag in enumerate(tags[3:], 4):
            self.assertIn(tag, ("-", "for %d" % turn))
        self.assertEqual(tags[-1], "for 8")

    def test_a_late_answer_does_not_count_in_the_next_turn(self):
        self.check_sleeper()

    def test_a_late_answer_does_not_count_in_the_next_turn_when_all_think_together(self):
        self.check_sleeper("--think", "together")

    def test_an_answer_that_is_slightly_late_does_not_count(self):
        tags, verdict = self.tags(
            "for i in range(1, 9):\n    view()\n    if i == 3:\n        time.sleep(0.205)\n"
            "    answer('for %d' % i)\n",
            8,
        )
        self.assertNotIn("for 3", tags[3:])
        for turn, tag in enumerate(tags, 1):
            self.assertIn(tag, ("-", "for %d" % turn))

    def test_a_late_answer_of_a_computing_bot_does_not_count_later(self):
        tags, verdict = self.tags(
            "for i in range(1, 9):\n    view()\n    if i == 3:\n"
            "        end = time.process_time() + 0.3\n        while time.process_time() < end:\n"
            "            pass\n    answer('for %d' % i)\n",
            8,
        )
        self.assertNotIn("for 3", tags)
        for turn, tag in enumerate(tags, 1):
            self.assertIn(tag, ("-", "for %d" % turn))
        self.assertEqual(tags[-1], "for 8")

    def check_silent(self, *arguments):
        """A bot does not answer view 3; its answer to view 4 counts."""
        tags, verdict = self.tags(
            "for i in range(1, 9):\n    view()\n    if i != 3:\n        answer('for %d' % i)\n",
            8,
            *arguments,
        )
        self.assertEqual(tags, ["for 1", "for 2", "-"] + ["for %d" % i for i in range(4, 9)])
        self.assertEqual(verdict["late"], 0)
        self.assertEqual(verdict["timeouts"], 1)

    def test_a_bot_that_skips_a_turn_receives_the_next_view(self):
        self.check_silent()

    def test_a_bot_that_skips_a_turn_receives_the_next_view_when_all_think_together(self):
        self.check_silent("--think", "together")

    def test_a_bot_with_a_reading_thread_that_keeps_computing_is_late(self):
        """One thread reads every view immediately; the main thread still computes on view 3."""
        tags, verdict = self.tags(
            "import threading, queue\nviews = queue.Queue()\n"
            "def reader():\n    while True:\n        line = sys.stdin.readline()\n"
            "        views.put(line)\n"
            "        if not line:\n            return\n"
            "threading.Thread(target=reader, daemon=True).start()\n"
            "for i in range(1, 9):\n    views.get()\n    if i == 3:\n"
            "        end = time.process_time() + 0.3\n"
            "        while time.process_time() < end:\n            pass\n"
            "    answer('for %d' % i)\n",
            8,
        )
        self.assertNotIn("for 3", tags)
        for turn, tag in enumerate(tags, 1):
            self.assertIn(tag, ("-", "for %d" % turn))

    def check_oversleeper(self, *arguments):
        """A bot sleeps through view 4 and later ones: all views still arrive in order, and late
        answers do not count."""
        tags, verdict = self.tags(
            "for i in range(1, 19):\n    view()\n    if i == 3:\n        time.sleep(1.5)\n"
            "    answer('for %d' % i)\n",
            18,
            *arguments,
        )
        self.assertEqual(tags[:3], ["for 1", "for 2", "-"])
        for turn, tag in enumerate(tags, 1):
            self.assertIn(tag, ("-", "for %d" % turn))
        self.assertEqual(tags[-3:], ["for 16", "for 17", "for 18"])
        self.assertGreaterEqual(verdict["late"], 2)

    def test_a_bot_that_sleeps_too_long_still_receives_every_view(self):
        self.check_oversleeper()

    def test_a_bot_that_sleeps_too_long_receives_every_view_when_all_think_together(self):
        self.check_oversleeper("--think", "together")

    def test_a_bot_with_an_event_loop_that_skips_a_turn_receives_complete_views(self):
        self.write(
            "loop.js",
            "let n = 0;\nprocess.stdin.on('data', (data) => {\n  JSON.parse(data);\n  n++;\n"
            "  const move = {origin: 'for ' + n, destination: 'x', ship_count: 1};\n"
            "  if (n !== 3) console.log(JSON.stringify({moves: [move]}));\n});\n",
        )
        self.write("config.json", '{"max_turns": 6}')
        other = self.bot("other", "while True:\n    view()\n    say('{\"moves\": []}')\n")
        verdict = self.play(
            "planetwars",
            "--config",
            "config.json",
            "--turn-time",
            "300",
            "--replay",
            "late.skr",
            "node loop.js",
            other,
        )
        self.assertEqual(verdict["players"][0]["status"], "ok", verdict)
        self.assertEqual(verdict["players"][0]["timeouts"], 1)

    def test_standard_error_belongs_to_its_turn(self):
        text = (
            "for i in range(1, 9):\n    view()\n    sys.stderr.write(('%d' % i) * 40000)\n"
            "    sys.stderr.flush()\n    answer('x')\n"
        )
        for arguments in ([], ["--think", "together"]):
            self.tags(text, 8, *arguments)
            for line in self.run_skirmish("replay", "export", "late.skr").out.splitlines():
                turn = json.loads(line)
                self.assertEqual(turn["players"][0]["stderr"], str(turn["turn"]) * 40000)

    def test_a_late_answer_from_a_pipeline_does_not_count_later(self):
        """`tee` reads every view immediately, but the program that answers sleeps after view 3."""
        self.bot(
            "slow",
            ANSWER + "for i in range(1, 9):\n    view()\n    if i == 3:\n        time.sleep(0.3)\n"
            "    answer('for %d' % i)\n",
        )
        self.write("config.json", '{"max_turns": 8}')
        other = self.bot("other", "while True:\n    view()\n    say('{\"moves\": []}')\n")
        self.play(
            "planetwars",
            "--config",
            "config.json",
            "--turn-time",
            "200",
            "--replay",
            "late.skr",
            f"tee /dev/null | {arena.PYTHON} slow.py",
            other,
        )
        for line in self.run_skirmish("replay", "export", "late.skr").out.splitlines():
            turn = json.loads(line)
            answer = turn["players"][0]["answer"]
            if answer:
                self.assertEqual(json.loads(answer)["moves"][0]["origin"], "for %d" % turn["turn"])

    def test_a_bot_that_blocks_reading_receives_the_complete_view_after_a_missed_turn(self):
        tags, verdict = self.tags(
            "for i in range(1, 6):\n    whole = os.read(0, 1 << 20).endswith(b'\\n')\n"
            "    if i != 3:\n        answer(('for %d' if whole else 'torn %d') % i)\n",
            5,
        )
        self.assertEqual(tags, ["for 1", "for 2", "-", "for 4", "for 5"])

    def test_answers_printed_early_wait_for_their_views(self):
        tags, _ = self.tags(
            "for i in range(1, 6):\n    answer('for %d' % i)\nwhile True:\n    view()\n", 5
        )
        self.assertEqual(tags, ["for %d" % i for i in range(1, 6)])


if __name__ == "__main__":
    arena.main()
