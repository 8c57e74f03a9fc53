"""`skirmish check`: finds and names the faults of a bot, and reports none for a good bot."""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import unittest

import arena
import house

# Long enough for a good bot, which is charged only for CPU time and sleeping.
QUICK = ["--turn-time", "300", "--start-time", "1500"]

# Common code of the bots below: all units move right where there is room.
THINK = """
import random
def moves(text):
    v = json.loads(text)
    s = v['state']
    return [{'from': i, 'to': i + 1} for i, c in enumerate(s['grid'])
            if c == v['player'] and (i + 1) % s['cols'] and s['grid'][i + 1] == '.']
def answer(text, end='\\n'):
    say(json.dumps(moves(text)), end)
turn = 0
"""
GOOD = """
while True:
    answer(view())
"""

# Bots with one fault each, by the id of the finding.
FAULTS = {
    "not-flushed": """
while True:
    print(json.dumps(moves(view())))
""",
    "reads-ahead": """
line = view()
while True:
    following = view()
    answer(line)
    line = following
""",
    "ignores-end": """
while True:
    line = sys.stdin.readline()
    if not line:
        time.sleep(1000)
    answer(line)
""",
    "fails-in-seat": """
while True:
    line = view()
    answer(line) if json.loads(line)['player'] == 'a' else sys.exit(1)
""",
    "fails-at-limits": """
while True:
    line = view()
    square = json.loads(line)['state']['rows'] * 50
    answer(line) if square < 5000 else sys.exit(1)
""",
    "fails-on-map": """
while True:
    line = view()
    state = json.loads(line)['state']
    answer(line) if state['rows'] == state['cols'] else sys.exit(1)
""",
    "no-answer": """
while True:
    line = view()
    turn += 1
    if turn != 3:
        answer(line)
""",
    "debug-output": """
say('Hello, I am a bot')
while True:
    answer(view())
""",
    "extra-answers": """
while True:
    line = view()
    answer(line)
    answer(line)
""",
    "slow-start": """
time.sleep(1000)
""",
    "slow-turn": """
while True:
    line = view()
    turn += 1
    if turn == 5:
        time.sleep(1000)
    answer(line)
""",
    "needs-network": """
import socket
socket.create_connection(('192.0.2.1', 80))
""",
    "writes-files": """
open('/etc/my-bot.log', 'w').write('started')
""",
    "out-of-memory": """
line = view()
memory = bytearray(400 << 20)
for i in range(0, len(memory), 4096):
    memory[i] = 1
answer(line)
while True:
    answer(view())
""",
    "not-deterministic": """
random.seed(os.urandom(8))
while True:
    found = moves(view())
    say(json.dumps(random.sample(found, random.randint(0, len(found)))))
""",
    "crlf": """
sys.stdin = open(0, newline='')
while True:
    line = view()
    assert line.endswith('}\\n')
    answer(line)
""",
    "view-in-pieces": """
while True:
    data = os.read(0, 1 << 20)
    answer(data) if data else sys.exit(0)
""",
    "views-together": """
while True:
    data = b''
    while not data.endswith(b'\\n'):
        more = os.read(0, 1 << 20)
        if not more:
            sys.exit(0)
        data += more
    answer(data.splitlines()[-1])
""",
    "rejected-orders": """
while True:
    view()
    say('[{"from": 0, "to": 399}]')
""",
    "invalid-answer": """
while True:
    say(str(moves(view())))
""",
    "crash-at-end": """
while True:
    answer(input())
""",
    "unterminated-answer": """
while True:
    say(json.dumps(moves(view()))[:-1])
""",
    "leaves-processes": """
subprocess.Popen(['sleep', '1000'], stdin=subprocess.DEVNULL)
while True:
    answer(view())
""",
    "exits-early": """
answer(view())
""",
    "no-start": """
import no_such_module
""",
    "output-at-end": """
while True:
    line = sys.stdin.readline()
    answer(line) if line else sys.exit(say('bye', end=''))
""",
    "crash": """
while True:
    line = view()
    turn += 1
    answer(line) if turn < 4 else os.abort()
""",
    "little-time": """
while True:
    line = view()
    turn += 1
    if turn == 3:
        time.sleep(0.2)
    answer(line)
""",
    "little-memory": """
memory = b'x' * (160 << 20)
while True:
    answer(view())
""",
}
# Faults that appear only where this layer of the sandbox works.
LAYERS = {
    "needs-network": "network",
    "writes-files": "files",
    "out-of-memory": "memory",
    "little-memory": "memory",
    "leaves-processes": "kill",
}
WARNINGS = {
    "not-deterministic", "crlf", "views-together", "rejected-orders", "crash-at-end",
    "leaves-processes", "output-at-end", "little-time", "little-memory",
}  # fmt: skip


def working_layers():
    done = subprocess.run([arena.SKIRMISH, "doctor"], capture_output=True, text=True, check=False)
    return set(re.findall(r"^works +(\S+)", done.stdout, re.M))


class Check(arena.ArenaTest):
    def check(self, bot, *arguments, game="aliens", status=0):
        """Runs the check with --json and returns the report."""
        result = self.run_skirmish("check", bot, "--game", game, "--json", *arguments)
        self.assertEqual(result.status, status, result.out + result.err)
        self.assert_no_processes_left()
        return result.json

    def found(self, report):
        return {finding["id"] for finding in report["findings"]}

    def faulty(self, fault):
        return self.bot(fault, THINK + FAULTS[fault])

    def check_fault(self, fault):
        """Returns what is wrong with the report about a bot with one fault, or ""."""
        warning = fault in WARNINGS
        command = ["check", self.faulty(fault), "--game", "aliens", "--json", *QUICK]
        result = self.run_skirmish(*command)
        try:
            (finding,) = result.json["findings"]
        except ValueError:
            return f"{fault}: expected one finding: {result.out}{result.err}"
        good = (
            finding["id"] == fault
            and finding["severity"] == ("warning" if warning else "error")
            and finding["what"]
            and finding["change"]
            and result.status == (0 if warning else 1)
        )
        return "" if good else f"{fault}: status {result.status}, {finding}"

    def test_every_planted_fault_is_found_and_named(self):
        layers = working_layers()
        missing = {fault for fault, layer in LAYERS.items() if layer not in layers}
        for fault in missing:
            print(f"not tested, because a layer of the sandbox is missing: {fault}")
        # Several at once, since most of them wait, and waiting for a core is not charged.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            wrong = list(pool.map(self.check_fault, sorted(set(FAULTS) - missing)))
        self.assert_no_processes_left()
        self.assertEqual([text for text in wrong if text], [])

    def test_a_crash_after_elimination_is_found_in_games_with_a_final_message(self):
        bot = self.bot(
            "bot",
            "say('crayfish') if view() else 0\n"
            "lines = []\n"
            "while True:\n"
            "    lines.append(view().strip())\n"
            "    if lines[-1] == 'end':\n"
            "        sys.exit(1) if lines[0] == 'gg' else say('end')\n"
            "        lines = []\n",
        )
        report = self.check(bot, *QUICK, game="underworld")
        self.assertEqual(self.found(report), {"crash-at-end"})

    def check_good(self, case):
        """Returns the report about a good bot if it is wrong, or ""."""
        game, bot = case
        result = self.run_skirmish("check", bot, "--game", game, "--json")
        report = result.json
        outcomes = {stage["name"]: stage["outcome"] for stage in report["stages"]}
        note = next(stage["note"] for stage in report["stages"] if stage["name"] == "limits")
        size = int(re.search(r"a view of (\d+) bytes", note)[1])
        good = (
            result.status == 0
            and report["passed"]
            and not report["findings"]
            and set(outcomes.values()) <= {"passed", "skipped"}
            and size > 2000  # the largest map is large
        )
        return "" if good else f"{game} {bot}: {json.dumps(report, indent=1)}"

    def test_a_good_bot_passes_every_stage_in_every_game(self):
        starters = os.path.join(house.ROOT, "bots", "starter")
        cases = [
            (game, bot)
            for game in house.GAMES
            for bot in (os.path.join(starters, game, "python"), "house:" + house.BETTER[game])
        ]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = list(pool.map(self.check_good, cases))
        self.assert_no_processes_left()
        self.assertEqual([text for text in wrong if text], [])

    def test_a_finding_shows_what_was_sent_and_received_and_what_to_change(self):
        bot = self.bot("bot", THINK + FAULTS["extra-answers"])
        result = self.run_skirmish("check", bot, "--game", "aliens", *QUICK)
        self.assertEqual(result.status, 1)
        self.assertRegex(result.out, r"(?m)^found +start")
        self.assertRegex(result.out, r"(?m)^not run +match")
        self.assertIn(
            "error: extra-answers (start; turn 1, player 1 of 2, map standard)\n", result.out
        )
        self.assertRegex(result.out, r'(?m)^    sent      \{"player":"a"')
        self.assertRegex(result.out, r"(?m)^    received  \[\]\n              \[\]\n")
        self.assertIn("    change    Print one answer for each view.\n", result.out)
        self.assertRegex(result.out, r"(?m)^failed: 1 error, 0 warnings; 1 match")
        quiet = self.run_skirmish("check", bot, "--game", "aliens", "--quiet", *QUICK)
        self.assertTrue(quiet.out.startswith("error: extra-answers"), quiet.out)

    def test_strict_fails_on_warnings(self):
        bot = self.bot("bot", THINK + FAULTS["rejected-orders"])
        self.assertTrue(self.check(bot)["passed"])
        self.check(bot, "--strict", status=1)

    def test_the_game_may_come_from_bot_json(self):
        self.bot("bot", THINK + GOOD)
        self.write("bot.json", '{"game": "aliens", "run": "python3 bot.py"}')
        self.assertEqual(self.run_skirmish("check", ".").status, 0)
        self.write("bot.json", '{"run": "python3 bot.py"}')
        for bot in (".", "house:random"):
            result = self.run_skirmish("check", bot)
            self.assertEqual(result.status, 2)
            self.assertIn("--game is required", result.err)

    def test_without_a_sandbox_the_report_says_so(self):
        bot = self.bot("bot", THINK + GOOD)
        stages = {stage["name"]: stage for stage in self.check(bot, "--sandbox", "none")["stages"]}
        self.assertEqual(stages["sandbox"]["outcome"], "skipped")
        self.assertEqual(stages["sandbox"]["note"], "the bot ran without a sandbox")
        self.assertIn("memory not measured", stages["time and memory"]["note"])

    def test_ctrl_c_ends_the_check_and_the_bot(self):
        os.mkfifo(self.path("started"))
        bot = self.bot("bot", "open('started', 'w').close()\ntime.sleep(1000)\n")
        command = [arena.SKIRMISH, "check", bot, "--game", "aliens", "--sandbox", "none"]
        with subprocess.Popen(
            [*command, "--start-time", "600000"],
            cwd=self.directory,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        ) as check:
            with open(self.path("started"), encoding="utf-8"):
                check.send_signal(signal.SIGINT)
            _, errors = check.communicate(timeout=60)
        self.assertEqual((check.returncode, errors), (130, "skirmish: interrupted\n"))
        self.assert_no_processes_left()

    def test_wrong_usage_is_reported(self):
        for arguments, message in (
            ([], "BOT is required"),
            (["house:random", "more"], 'unexpected argument "more"'),
            (["house:random", "--game", "alien"], 'did you mean "aliens"?'),
            (["tcp:localhost:1", "--game", "aliens"], "cannot be checked"),
        ):
            result = self.run_skirmish("check", *arguments)
            self.assertEqual(result.status, 2)
            self.assertIn(message, result.err)

    def test_every_fault_is_in_the_documentation(self):
        with open(os.path.join(house.ROOT, "src", "check", "fault.c"), encoding="utf-8") as file:
            known = set(re.findall(r'"([a-z-]+)",\s*CHECK_', file.read()))
        page = os.path.join(house.ROOT, "docs", "checking-bots.md")
        with open(page, encoding="utf-8") as file:
            documented = set(re.findall(r"^\| `([a-z-]+)` \|", file.read(), re.M))
        self.assertEqual(known, documented)
        self.assertLessEqual(set(FAULTS), known)


if __name__ == "__main__":
    unittest.main()
