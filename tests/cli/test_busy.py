"""Time on a busy machine: a bot is charged for sleeping and computing, but not for waiting for a
core.

The test pins itself and the processes that burn CPU time to one core, so that any machine is
busy."""

import json
import os
import subprocess
import sys
import unittest

import arena

BURNERS = 4  # compete with the bot, which gets a fifth of the core
LIMIT_MS = 200
HONEST_MS = 120  # of CPU time: within the limit, but it takes 600 ms next to the burners

BOT = (
    "def burn(ms):\n"
    "    end = time.process_time() + ms / 1000\n"
    "    while time.process_time() < end:\n"
    "        pass\n"
    "def answer():\n"
    "    say('{\"moves\": []}')\n"
    "def forever():\n"
    "    while True:\n"
    "        view()\n"
    "        answer()\n"
)


class BusyMachine(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        self.addCleanup(os.sched_setaffinity, 0, cores)

    def make_busy(self):
        burner = "import sys\nsys.stdout.write('x')\nsys.stdout.flush()\nwhile True:\n    pass\n"
        for _ in range(BURNERS):
            process = subprocess.Popen([sys.executable, "-c", burner], stdout=subprocess.PIPE)
            self.addCleanup(self.end, process)
            process.stdout.read(1)  # wait until it is running

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        process.stdout.close()

    def turns(self, text, *arguments, turns=5):
        """Plays `text` against a quick bot; returns its turns from the replay, and its verdict."""
        self.write("config.json", '{"max_turns": %d}' % turns)
        bot = self.bot("bot", BOT + text)
        other = self.bot("other", BOT + "forever()\n")
        verdict = self.play(
            "planetwars",
            "--config",
            "config.json",
            "--turn-time",
            str(LIMIT_MS),
            "--start-time",
            "10000",
            "--replay",
            "busy.skr",
            *arguments,
            bot,
            other
        )
        self.assertEqual(self.run_skirmish("replay", "verify", "busy.skr").status, 0)
        exported = self.run_skirmish("replay", "export", "busy.skr").out.splitlines()
        turns = [json.loads(line)["players"][0] for line in exported]
        self.assertEqual(
            verdict["players"][0]["graces"], sum(turn["grace_ms"] > 0 for turn in turns)
        )
        self.assertEqual(verdict["players"][1]["status"], "ok", verdict)
        return turns, verdict["players"][0]

    def check_honest(self, *arguments):
        self.make_busy()
        turns, verdict = self.turns(
            "while True:\n    view()\n    burn(%d)\n    answer()\n" % HONEST_MS, *arguments
        )
        self.assertEqual(verdict["status"], "ok", verdict)
        self.assertEqual(verdict["timeouts"], 0, verdict)
        self.assertGreater(verdict["graces"], 0)
        for turn in turns[1:]:  # the first includes the start time
            self.assertGreaterEqual(turn["wall_ms"], turn["grace_ms"])
            if turn["grace_ms"]:
                self.assertAlmostEqual(turn["grace_ms"], turn["wall_ms"] - LIMIT_MS, 3)

    def test_waiting_for_a_core_does_not_cause_a_timeout(self):
        self.check_honest()

    def test_waiting_for_a_core_does_not_cause_a_timeout_when_all_think_together(self):
        self.check_honest("--think", "together")

    def test_waiting_for_a_core_does_not_cause_a_timeout_without_a_sandbox(self):
        self.check_honest("--sandbox=none")

    def test_short_lived_processes_waiting_for_a_core_do_not_cause_a_timeout(self):
        """Only the control group has the waiting time of processes that have exited."""
        if not os.path.exists("/proc/pressure/cpu"):
            self.skipTest("this kernel has no pressure stall information")
        self.make_busy()
        text = (
            "while True:\n    view()\n    for _ in range(4):\n        child = os.fork()\n"
            "        if child == 0:\n            burn(30)\n"
            "            os._exit(0)\n        os.waitpid(child, 0)\n    answer()\n"
        )
        _, verdict = self.turns(text)
        self.assertEqual((verdict["status"], verdict["timeouts"]), ("ok", 0), verdict)
        self.assertGreater(verdict["graces"], 0)

    def check_timeout(self, what, *arguments):
        """Runs `what` in turn 3 before the answer; expects a timeout without grace."""
        turns, verdict = self.turns(
            "for turn in range(1, 9):\n    view()\n    if turn == 3:\n%s    answer()\nforever()\n"
            % what,
            *arguments,
            turns=8
        )
        self.assertEqual(turns[2]["kind"], "timeout", turns[2])
        self.assertEqual(turns[2]["grace_ms"], 0)
        self.assertGreaterEqual(verdict["timeouts"], 1)

    SLEEP = "        time.sleep(2)\n"
    SPIN = "        burn(600)\n"
    # Three children compute for 50 ms each, then sleep: they delay only each other.
    CROWD = (
        "        done, tell = os.pipe()\n        for _ in range(3):\n"
        "            if os.fork() == 0:\n                burn(50)\n"
        "                os.write(tell, b'x')\n                time.sleep(60)\n"
        "        for _ in range(3):\n            os.read(done, 1)\n"
        "        time.sleep(0.1)\n"
    )

    def test_a_sleeper_gets_no_grace_on_a_busy_machine(self):
        self.make_busy()
        self.check_timeout(self.SLEEP)

    def test_a_sleeper_gets_no_grace_on_a_busy_machine_when_all_think_together(self):
        self.make_busy()
        self.check_timeout(self.SLEEP, "--think", "together")

    def test_a_sleeper_gets_no_grace_on_a_busy_machine_without_a_sandbox(self):
        self.make_busy()
        self.check_timeout(self.SLEEP, "--sandbox=none")

    def test_a_bot_that_sleeps_and_then_computes_gets_no_grace(self):
        self.make_busy()
        self.check_timeout("        time.sleep(0.4)\n        burn(20)\n")

    def test_a_bot_that_sleeps_too_long_and_computes_at_the_deadline_gets_no_grace(self):
        """At the deadline the bot could be waiting for a core; its answer shows that it was not."""
        self.check_timeout(
            "        time.sleep(1.95)\n        burn(120)\n", "--sandbox=none", "--turn-time", "2000"
        )

    def test_a_spinner_gets_no_grace_on_a_busy_machine(self):
        self.make_busy()
        self.check_timeout(self.SPIN)

    def test_a_spinner_gets_no_grace_on_a_busy_machine_when_all_think_together(self):
        self.make_busy()
        self.check_timeout(self.SPIN, "--think", "together")

    def test_a_bot_whose_processes_wait_for_each_other_gets_no_grace(self):
        if not os.path.exists("/proc/pressure/cpu"):
            self.skipTest("this kernel has no pressure stall information")
        self.check_timeout(self.CROWD)

    def test_sleepers_and_spinners_get_no_grace_on_an_idle_machine(self):
        for what in (self.SLEEP, self.SPIN):
            self.check_timeout(what)

    def test_quick_bots_need_no_grace(self):
        _, verdict = self.turns("forever()\n", "--turn-time", "5000", turns=50)
        self.assertEqual((verdict["status"], verdict["graces"]), ("ok", 0))

    def test_waiting_for_a_core_at_the_start_does_not_cause_a_timeout(self):
        self.make_busy()
        bot = self.bot(
            "bot", BOT + "burn(300)\nsay('Ready')\nwhile True:\n    view()\n    say('')\n"
        )
        verdict = self.play("footsoldiers", "--start-time", "700", "--turn-time", "5000", bot, bot)
        for player in verdict["players"]:
            self.assertEqual((player["status"], player["restarts"]), ("ok", 0), verdict)
            self.assertGreater(player["graces"], 0, verdict)

    def test_grace_is_printed_in_80_columns(self):
        self.make_busy()
        self.write("config.json", '{"max_turns": 3}')
        bot = self.bot(
            "bot", BOT + "while True:\n    view()\n    burn(%d)\n    answer()\n" % HONEST_MS
        )
        result = self.run_skirmish(
            "play",
            "planetwars",
            "--config",
            "config.json",
            "--turn-time",
            str(LIMIT_MS),
            "--start-time",
            "5000",
            "--replay",
            "busy.skr",
            bot,
            bot,
        )
        self.assertRegex(
            result.out, r"granted extra time in \d+ turns? because the machine was busy"
        )
        for line in result.out.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assertIn(" grace: ", self.run_skirmish("replay", "show", "busy.skr").out)


if __name__ == "__main__":
    arena.main()
