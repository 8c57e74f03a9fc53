"""A bot's turn costs the same CPU time whatever its opponent does: bots that burden others.

Every test runs twice: as root with `--sandbox=strict`, and as an ordinary user. The programs are in
hostile/burdens.c. The tests compare CPU time, not wall-clock time, because other load on the
machine changes it little.
"""

import glob
import json
import shutil
import statistics
import unittest

import hostile_match


class Fairness:
    """The tests."""

    def cost(self, opponent, *options, turns=4, **more):
        """CPU time in ms of an honest bot that does the same work in every turn."""
        self.config(turns)
        self.bot("honest", "exec ./burdens steps 40")
        self.check(opponent, "ok", *options, turn=20000, **more)
        return self.honest["cpu_total_ms"]

    def test_timers_of_a_waiting_bot_cost_its_opponent_nothing(self):
        quiet = self.cost("manners polite")
        self.assertLess(self.cost("burdens timers"), 2 * quiet, self.said)

    def test_a_bot_that_keeps_the_core_busy_slows_down_only_itself(self):
        self.config(12)
        self.check("manners crowd 60", "ok", turn=20000)
        # The sandbox catches the hostile bot in its second turn. That bot's own turns are slow,
        # because its threads compete.
        hostile, honest = (
            statistics.median(one[player] for one in self.walls[2:]) for player in (0, 1)
        )
        self.assertLess(honest, hostile / 4)

    def test_an_eliminated_bot_stops_computing_before_the_next_turn(self):
        self.write(
            "config.json",
            json.dumps(
                {
                    "max_turns": 3,
                    "planets": [
                        {"name": "a", "x": 0, "y": 0, "ship_count": 1, "owner": 1},
                        {"name": "b", "x": 1, "y": 0, "ship_count": 1000, "owner": 2},
                        {"name": "c", "x": 500, "y": 0, "ship_count": 9, "owner": 3},
                    ],
                }
            ),
        )
        for name, run in (
            ("hostile", "burdens lingers 60"),
            ("conqueror", "burdens conquers"),
            ("honest", "manners late 3000"),
        ):
            if name == "conqueror":
                shutil.copytree(self.path("honest"), self.path(name))
                self.expected |= {self.path(name), *glob.glob(self.path(name) + "/*")}
            self.bot(name, "exec ./" + run)
        status, out, err = self.skirmish(
            "play", "planetwars", "--json", "--sandbox=" + self.mode, "--config", "config.json",
            "--turn-time", "20000", "hostile", "conqueror", "honest",
        )  # fmt: skip
        self.assertEqual(status, 0, err)
        players = json.loads(out)["players"]
        self.assertEqual([one["status"] for one in players], ["ok", "ok", "ok"])
        self.assertEqual(players[0]["rank"], 3, players)
        # The others play two more turns of 3 s, in which the eliminated bot must not compute.
        self.assertLess(players[0]["cpu_total_ms"], 1000)

    def check_no_grace(self, run, *options, limit=200):
        """A bot that needs more CPU time than allowed in every turn gets no grace for it.

        Ignores the first turn, which includes the start time.
        """
        self.config(5)
        self.against_honest(run, *options, turn=limit)
        answers = [
            wall[0] for kind, wall in zip(self.kinds[1:], self.walls[1:]) if kind == "answer"
        ]
        self.assertEqual(answers, [], "wall time of turns in which its answer counted")

    def test_computing_in_children_without_waiting_for_them_gains_no_time(self):
        self.check_no_grace("burdens idles 500")

    def test_computing_in_one_thread_after_the_other_gains_no_time(self):
        if self.has_memory:  # with control groups, the honest bot keeps its grace
            self.bot("honest", "exec ./manners works 250")
        self.check_no_grace("burdens chains 600", "--think", "together", limit=400)

    def test_keeping_the_referee_from_running_gains_no_time(self):
        self.check_no_grace("burdens starves 250")

    def test_waiting_at_its_own_limit_on_cpu_time_gains_no_time(self):
        if not self.has_memory:
            self.skipTest("this user has no limit on CPU time")
        self.check_no_grace("manners works 150", "--limit", "cpu=10")


class AsRoot(hostile_match.Root, Fairness, unittest.TestCase):
    """Strict, with every layer."""


class AsUser(hostile_match.User, Fairness, unittest.TestCase):
    """Strict where it is available, else best-effort."""


if __name__ == "__main__":
    hostile_match.arena.main()
