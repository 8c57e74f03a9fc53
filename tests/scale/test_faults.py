#!/usr/bin/env python3
"""Random faults while people use an arena on eight hosts; see README.md.

    FAULTS=100 TEST_SEED=1 SKIRMISH=... python3 tests/scale/test_faults.py

FAULTS is the number of faults, by default a few of different kinds. FAULT_KINDS names the kinds,
separated by spaces. After a failure, the history and the logs stay in FAULTS_LOGS, by default a
temporary folder.
"""

import os
import random
import shutil
import sys
import tempfile
import time
import traceback

import hosts

if __name__ == "__main__":
    hosts.enter()

import checker
import faults
from cluster import SKIRMISH, Cluster
from load import History, Load

RECOVER_SECONDS = 90
SETTLE_SECONDS = 180


class Failure(Exception):
    pass


class Run:
    def __init__(self, seed, logs):
        self.random = random.Random(seed)
        self.logs = logs
        self.seed = seed
        self.replays = checker.Replays(SKIRMISH)
        self.began = time.monotonic()

    def plan(self):
        """Chooses the kinds of the faults, in order."""
        kinds = os.environ.get("FAULT_KINDS", "").split()
        count = int(os.environ.get("FAULTS", "0"))
        if kinds:
            chosen = {getattr(faults, kind): 1 for kind in kinds}
        elif not count:
            return self.random.sample(faults.SHORT, faults.SHORT_COUNT)
        else:
            chosen = faults.FAULTS
        return self.random.choices(list(chosen), list(chosen.values()), k=count or 10)

    def say(self, text):
        print(f"{time.monotonic() - self.began:7.1f} {text}", flush=True)

    def check(self, settled=False):
        """Returns the violations in the current content of the store."""
        history = self.history.copy()  # first, because the store may lack later ones
        done = self.cluster.psql(checker.DUMP)
        if done.returncode:
            raise Failure("the database cannot be read: " + done.stderr)
        return checker.violations(
            history,
            checker.read_dump(done.stdout),
            checker.read_files(self.cluster.objects.disk),
            self.replays,
            settled,
        )

    def require(self, found):
        if found:
            raise Failure(f"{len(found)} violations: " + "; ".join(map(str, found[:10])))

    def fail_and_recover(self, kind):
        fault = kind(self.cluster, self.random)
        fault.inject()
        try:
            time.sleep(fault.seconds)
        finally:
            fault.heal()
        healed = time.monotonic()
        missing = self.cluster.recover(RECOVER_SECONDS)
        recovered = time.monotonic() - healed
        if missing:
            raise Failure(f"not repaired after {RECOVER_SECONDS} s: {missing}")
        self.require(self.cluster.deaths)
        self.require(self.cluster.orphans())
        self.require(self.check())
        return f"{fault}: {recovered:.1f} s to recover"

    def await_result(self):
        """Waits until the arena confirms a request again."""
        before = self.load.successes
        until = time.monotonic() + RECOVER_SECONDS
        while self.load.successes == before:
            if time.monotonic() > until:
                raise Failure(f"no request was confirmed in {RECOVER_SECONDS} s")
            time.sleep(0.05)

    def settle(self):
        """Waits until everything has been played and counted."""
        until = time.monotonic() + SETTLE_SECONDS
        for front in self.cluster.fronts:
            front.ladder = "off"
            front.stop()
        self.require(self.cluster.recover(RECOVER_SECONDS))
        while found := self.check(settled=True) + self.cluster.bots():
            if time.monotonic() > until:
                self.require(found)
            time.sleep(1)
        self.cluster.wait_for_heartbeats()

    def run(self):
        kinds = self.plan()
        self.say(f"TEST_SEED={self.seed}, {len(kinds)} faults, logs in {self.logs}")
        with Cluster(self.logs) as self.cluster:
            self.cluster.start()
            self.history = History(os.path.join(self.logs, "history"))
            self.load = Load(self.cluster, self.history, self.random.random())
            self.load.start()
            try:
                self.await_result()
                for number, kind in enumerate(kinds, 1):
                    self.say(f"{number:4} {self.fail_and_recover(kind)}")
                    self.await_result()
            finally:
                self.load.stop()
            self.settle()
            self.summary()

    def summary(self):
        counts = self.cluster.query(
            "SELECT state, count(*) FROM matches GROUP BY 1 ORDER BY 1"
        ).split()
        self.say(
            f"matches by state: {' '.join(counts)}; builds: "
            + " ".join(
                self.cluster.query("SELECT build, count(*) FROM versions GROUP BY 1").split()
            )
        )
        self.say(f"slowest requests: {self.load.slowest}")
        self.say(f"{len(self.replays.good)} replays verified; nothing is lost or duplicated")


def main():
    seed = int(os.environ.get("TEST_SEED", str(time.time_ns() % 10**9)))
    logs = os.environ.get("FAULTS_LOGS") or tempfile.mkdtemp(prefix="skirmish-faults-")
    os.makedirs(logs, exist_ok=True)
    try:
        Run(seed, logs).run()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        print(f"failed; to repeat: TEST_SEED={seed}; logs: {logs}")
        return 1
    if "FAULTS_LOGS" not in os.environ:
        shutil.rmtree(logs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
