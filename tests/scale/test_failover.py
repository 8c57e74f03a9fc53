#!/usr/bin/env python3
"""Failover: the primary database fails under load, and its standby is promoted.

The standby replicates synchronously, so everything that the arena has confirmed must be there. The
arena, whose URI names both servers, continues without a restart.
"""

import os
import random
import shutil
import sys
import tempfile
import time
import unittest

import hosts

if __name__ == "__main__":
    hosts.enter()

import checker
from cluster import SKIRMISH, USER, Cluster
from load import History, Load
from with_postgres import PASSWORD

# From the promotion until every front end works again.
CONTINUE_SECONDS = 30
SETTLE_SECONDS = 180


class Failover(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.seed = int(os.environ.get("TEST_SEED", str(time.time_ns() % 10**9)))
        print(f"TEST_SEED={self.seed}", flush=True)
        self.logs = tempfile.mkdtemp(prefix="skirmish-failover-")  # kept after a failure
        print(f"logs: {self.logs}", flush=True)
        self.cluster = self.enterContext(Cluster(self.logs, workers=2, standby=True))
        self.replays = checker.Replays(SKIRMISH)

    def replicate(self):
        """Makes the second database a synchronous standby of the first one."""
        primary, standby = self.cluster.databases
        primary.settings = {"synchronous_standby_names": "'*'"}
        source = f"postgresql://{USER}:{PASSWORD}@{primary.host.address}/postgres"
        copy = standby.unprivileged(
            *("pg_basebackup", "--dbname", source + "?application_name=standby"),
            *("--pgdata", standby.data, "--write-recovery-conf", "--checkpoint=fast"),
        )
        standby.host.run(*copy)
        standby.launch()
        self.cluster.wait(standby.works, "the standby")
        set_names = "ALTER SYSTEM SET synchronous_standby_names = '*'"
        for sql in (set_names, "SELECT pg_reload_conf()"):
            self.cluster.query(sql, "postgres")
        state = "SELECT sync_state FROM pg_stat_replication"
        self.cluster.wait(lambda: self.cluster.try_query(state) == "sync", "replication")

    def check(self, settled):
        history = self.history.copy()
        tables = checker.read_dump(self.cluster.query(checker.DUMP))
        files = checker.read_files(self.cluster.objects.disk)
        return checker.violations(history, tables, files, self.replays, settled)

    def await_progress(self, count):
        """Waits until this many more requests have been confirmed."""
        least = self.load.successes + count
        self.cluster.wait(lambda: self.load.successes >= least, "new requests")

    def fail_over(self, fail):
        """Fails over; returns the seconds from the promotion until both front ends work."""
        primary, standby = self.cluster.databases
        fail(primary)
        self.cluster.databases.reverse()  # `db` is now the standby
        self.cluster.query("SELECT pg_promote()", "postgres")
        # From now on, no standby confirms the transactions of the new primary.
        self.cluster.query("ALTER SYSTEM SET synchronous_standby_names = ''", "postgres")
        self.cluster.query("SELECT pg_reload_conf()", "postgres")
        promoted = time.monotonic()
        self.cluster.wait(
            lambda: all(front.works() for front in self.cluster.fronts), "the front ends"
        )
        return time.monotonic() - promoted

    def run_failover(self, fail):
        self.cluster.databases[1].standby = True
        self.cluster.start()
        self.replicate()
        self.history = History(os.path.join(self.logs, "history"))
        self.load = Load(self.cluster, self.history, random.Random(self.seed).random())
        self.load.start()
        try:
            self.await_progress(20)
            programs = [member.process.pid for member in self.programs()]
            seconds = self.fail_over(fail)
            print(f"both front ends worked {seconds:.1f} s after the promotion", flush=True)
            self.assertLess(seconds, CONTINUE_SECONDS)
            self.await_progress(20)
        finally:
            self.load.stop()
        self.assertEqual(programs, [member.process.pid for member in self.programs()])
        self.assertTrue(all(member.runs() for member in self.programs()))
        print(f"slowest requests: {self.load.slowest}", flush=True)

    def programs(self):
        return [*self.cluster.fronts, *self.cluster.workers]

    def settle(self):
        for front in self.cluster.fronts:
            front.ladder = "off"
            front.stop()
            front.launch()
        until = time.monotonic() + SETTLE_SECONDS
        while found := self.check(True):
            self.assertLess(time.monotonic(), until, found)
            time.sleep(1)

    def test_confirmed_data_survives_the_loss_of_the_primary(self):
        self.run_failover(lambda primary: primary.kill())
        self.settle()
        shutil.rmtree(self.logs)

    def test_a_primary_that_was_only_cut_off_accepts_no_more_writes(self):
        """The old primary still runs, and returns without knowing that it was replaced. Its writes
        wait for a standby that it no longer has, so they are never confirmed."""
        self.run_failover(self.cut_off)
        old = self.cluster.databases[1]
        old.host.drop_nothing()
        self.await_old(old)
        self.settle()
        shutil.rmtree(self.logs)

    def cut_off(self, primary):
        others = [*self.programs(), self.cluster.databases[1]]
        primary.host.drop_to([member.host.address for member in others])

    def await_old(self, old):
        """Fences the old primary, as an operator must do."""
        old.kill()


if __name__ == "__main__":
    unittest.main(verbosity=2)
