"""A bot's turn costs it the same, whatever its opponent does: hostile bots that burden others.

Every test runs twice: as root with `--sandbox=strict`, and as an ordinary user. The programs are in
hostile/burdens.c. CPU time is compared, not wall time, because other programs of a busy machine
change it little.
"""

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


class AsRoot(hostile_match.Root, Fairness, unittest.TestCase):
    """Strict, with every layer."""


class AsUser(hostile_match.User, Fairness, unittest.TestCase):
    """Strict where it is available, else best-effort."""


if __name__ == "__main__":
    hostile_match.arena.main()
