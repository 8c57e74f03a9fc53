"""`skirmish feed`: the views of a recorded match, sent to a bot."""

import os
import subprocess

import arena

# Sends all units to the right, or stays in some turns.
WALKER = """
STAY = {stay}
turn = 0
while True:
    v = json.loads(view())
    turn += 1
    s = v['state']
    moves = [{{'from': i, 'to': i + 1}} for i, c in enumerate(s['grid'])
             if c == v['player'] and (i + 1) % s['cols']]
    say(json.dumps([] if turn in STAY else moves, indent={indent}))
"""


class Feed(arena.ArenaTest):
    def walker(self, name, stay=(), indent=None):
        return self.bot(name, WALKER.format(stay=list(stay), indent=indent))

    def record(self, *bots):
        self.play("aliens", "--seed", "3", "--replay", "match.skr", *bots)

    def feed(self, *arguments, status=0, **options):
        result = self.run_skirmish("feed", "match.skr", *arguments, **options)
        self.assertEqual(result.status, status, result.out + result.err)
        self.assert_no_processes_left()
        return result

    def test_the_same_bot_gives_the_same_answers_however_it_writes_them(self):
        self.record(self.walker("walker"), "house:random")
        turns = len(self.run_skirmish("replay", "export", "match.skr").out.splitlines())
        for bot in ("walker", self.walker("spread", indent=2)):
            bot = bot if " " in bot else f"{arena.PYTHON} {bot}.py"
            self.assertEqual(self.feed(bot).out, f"{turns} answers, all as recorded\n")
        self.assertEqual(self.feed("--quiet", bot).out, "")

    def test_a_changed_bot_differs_from_the_turn_of_the_change_onwards(self):
        self.record(self.walker("walker"), "house:random")
        changed = self.walker("changed", stay=(3, 5))
        result = self.feed(changed, status=1)
        self.assertRegex(result.out, r"^turn 3\n  recorded: .*\n  now:      .*\nturn 5\n")
        self.assertRegex(result.out, r"\n2 of \d+ answers differ, the first in turn 3\n$")
        found = self.feed("--json", changed, status=1).json
        self.assertEqual(found["different"], 2)
        self.assertEqual([one["turn"] for one in found["differences"]], [3, 5])
        self.assertNotEqual(found["differences"][0]["recorded"], found["differences"][0]["now"])
        later = self.feed("--turn", "4", changed, status=1)
        self.assertRegex(later.out, r"\n1 of \d+ answers differ, the first in turn 5\n$")
        self.assertEqual(self.feed("--turn", "6", changed).status, 0)

    def test_the_bot_can_be_another_player(self):
        self.record("house:medium", self.walker("walker"))
        self.feed("--player", "2", f"{arena.PYTHON} walker.py")
        self.feed("--player", "1", f"{arena.PYTHON} walker.py", status=1)
        self.feed("house:medium")

    def test_random_numbers_from_the_seed_are_the_same(self):
        self.record("house:medium", "house:random")
        self.feed("--player", "2", "house:random")

    def test_a_bot_that_fails_is_named_with_its_turn(self):
        self.record(self.walker("walker"), "house:random")
        crash = self.bot("crash", "view()\nsay('[]')\nview()\nsys.exit(3)\n")
        self.assertIn("exited with status 3 in turn 2", self.feed(crash, status=1).err)
        slow = self.bot("slow", "view()\ntime.sleep(60)\n")
        late = self.feed("--turn-time", "100", "--start-time", "100", slow, status=1)
        self.assertIn("timed out in turn 1", late.err)

    def test_mistakes_are_explained(self):
        self.record("house:medium", "house:random")
        for arguments, message in (
            (["match.skr"], "expected REPLAY and BOT"),
            (["nothing.skr", "house:random"], "nothing.skr"),
            (["match.skr", "--player", "3", "house:random"], "has no player 3; it has 2 players"),
            (["match.skr", "--turn", "100000", "house:random"], "ended"),
            (["match.skr", "house:mediun"], 'did you mean "medium"'),
        ):
            with self.subTest(arguments):
                result = self.run_skirmish("feed", *arguments)
                self.assertEqual(result.status, 2)
                self.assertIn(message, result.err)

    def test_feed_can_wait_for_a_debugger_before_a_turn(self):
        self.record(self.walker("walker"), "house:random")
        noisy = self.bot(
            "noisy",
            "while True:\n    view()\n    open(f'seen-{time.time_ns()}', 'w')\n    say('[]')\n",
        )
        with subprocess.Popen(
            [arena.SKIRMISH, "feed", "match.skr", "--sandbox", "none"]
            + ["--turn", "4", "--wait", noisy],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            line = process.stderr.readline()
            self.assertRegex(
                line, r"^Turn 4 is next. The bot is process \d+. Press Enter to continue."
            )
            pid = int(line.split("process ")[1].split(".")[0])
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                self.assertIn(b"noisy.py", file.read())
            seen = [name for name in os.listdir(self.directory) if name.startswith("seen-")]
            self.assertEqual(len(seen), 3)
            process.stdin.write("\n")
            process.stdin.close()
            self.assertEqual(process.wait(60), 1)


if __name__ == "__main__":
    arena.main()
