"""Each fault is a small class: `inject` begins it, `heal` ends it, `seconds` is how long it lasts.
`Cluster.recover` restarts killed members.

Faults that must outlast a lease take a few seconds longer than that.
"""

import errno
import os
import signal
import time

import hosts
from cluster import LEASE_SECONDS

LONG = LEASE_SECONDS + 2
FILL_SECONDS = 10
FILL_PIECE = 64 << 20  # bytes


class Fault:
    """`random` is the generator of the test, so that a seed repeats the choices."""

    seconds = 0.0

    def __init__(self, cluster, random):
        self.cluster, self.random = cluster, random
        self.about = self.choose() or ""

    def __str__(self):
        return f"{type(self).__name__} {self.about}".strip()

    def choose(self):
        """Chooses a victim and returns its description."""

    def inject(self):
        raise NotImplementedError

    def heal(self):
        pass


# ---- kills ----


class KillMember(Fault):
    """Kills the main process of a host."""

    members = ()

    def choose(self):
        self.member = self.random.choice(self.candidates())
        self.seconds = self.random.random()
        return self.member.name

    def inject(self):
        self.member.kill()


class KillFrontEnd(KillMember):
    def candidates(self):
        return self.cluster.fronts


class KillWorker(KillMember):
    def candidates(self):
        return self.cluster.workers


class KillObjectStore(KillMember):
    def candidates(self):
        return [self.cluster.objects]


class KillPostgres(KillMember):
    """Kills the first process of the server; the others exit when they notice."""

    def candidates(self):
        return [self.cluster.db]


def descendants(member):
    """The descendants of a host's main process."""
    root = member.process.pid
    return sorted(hosts.tree([root], hosts.processes()) - {root})


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class KillBackend(Fault):
    """Kills one process of PostgreSQL, which then restarts all of them."""

    def choose(self):
        self.which = self.random.random()

    def inject(self):
        pids = descendants(self.cluster.db)
        if pids:
            send([pids[int(self.which * len(pids))]], signal.SIGKILL)


class KillRunner(KillBackend):
    """Kills a runner, a bot or another descendant of a worker or front end."""

    def choose(self):
        self.member = self.random.choice(self.cluster.workers + self.cluster.fronts)
        self.which = self.random.random()
        return self.member.name

    def inject(self):
        pids = descendants(self.member)
        if pids:
            send([pids[int(self.which * len(pids))]], signal.SIGKILL)


class KillAll(Fault):
    """Power loss: kills every program; only the disks remain."""

    def inject(self):
        for member in self.cluster.members:
            member.kill()


class KillStart(KillWorker):
    """Kills a member, and again while it recovers."""

    def candidates(self):
        return self.cluster.workers + self.cluster.fronts

    def inject(self):
        self.member.kill()
        self.member.launch()

    def heal(self):
        self.member.kill()


class StopWorker(KillWorker):
    """Stops a worker with SIGTERM, so that it drains."""

    def inject(self):
        self.member.stop()


# ---- stops ----


class Stop(Fault):
    """Stops processes with SIGSTOP for longer than a lease."""

    seconds = LONG
    whole = False  # also stop the descendants of the main process

    def choose(self):
        self.member = self.random.choice(self.candidates())
        return self.member.name

    def candidates(self):
        return self.cluster.workers

    def inject(self):
        root = self.member.process.pid
        self.pids = hosts.tree([root], hosts.processes()) if self.whole else {root}
        send(self.pids, signal.SIGSTOP)

    def heal(self):
        send(self.pids, signal.SIGCONT)


class StopWorkerProcess(Stop):
    """Stops only the worker's process: its runner and bots continue."""


class StopWorkerHost(Stop):
    whole = True


class StopFrontEnd(Stop):
    whole = True

    def candidates(self):
        return self.cluster.fronts


class StopPostgres(Stop):
    """Stops all processes of the server."""

    whole = True

    def candidates(self):
        return [self.cluster.db]


class StopBackends(StopPostgres):
    """Stops some processes of the server, so that their connections hang."""

    def inject(self):
        self.pids = {pid for pid in descendants(self.cluster.db) if self.random.random() < 0.3}
        send(self.pids, signal.SIGSTOP)


# ---- cuts ----


class Cut(Fault):
    """Cuts off a host in both directions from the database, the object store or both. Its clients
    still reach it."""

    seconds = LONG
    out, into = True, True

    def choose(self):
        self.member = self.random.choice(self.cluster.workers + self.cluster.fronts)
        self.far = [self.random.choice(self.targets())] if self.random.random() < 0.5 else []
        self.far = self.far or self.targets()
        return f"{self.member.name} from {' '.join(far.name for far in self.far)}"

    def targets(self):
        return [self.cluster.db, self.cluster.objects]

    def inject(self):
        if self.out:
            self.member.host.drop_to([far.host.address for far in self.far])
        if self.into:
            for far in self.far:
                far.host.drop_to([self.member.host.address])

    def heal(self):
        if self.out:
            self.member.host.drop_nothing()
        if self.into:
            for far in self.far:
                far.host.drop_nothing()


class CutOut(Cut):
    """Packets from the host are lost; those to it arrive."""

    into = False


class CutIn(Cut):
    """Packets to the host are lost; those from it arrive."""

    out = False


class CutDatabase(Fault):
    """Packets from the database to all others are lost."""

    seconds = LONG

    def inject(self):
        others = [*self.cluster.workers, *self.cluster.fronts]
        self.cluster.db.host.drop_to([member.host.address for member in others])

    def heal(self):
        self.cluster.db.host.drop_nothing()


class LongCut(Cut):
    """Long enough for connections to time out."""

    seconds = 20.0


class Blink(Cut):
    """A short cut, during which connections survive."""

    seconds = 1.0


# ---- clocks ----


class Jump(Fault):
    """The clock of a host jumps, and later jumps back."""

    seconds = LONG

    def choose(self):
        self.member = self.random.choice(self.candidates())
        self.by = self.random.choice((-1, 1)) * self.random.choice((2, 30, 600, 7200))
        self.seconds = self.random.choice((1.0, 3.0, LONG))
        return f"{self.member.name} by {self.by} s"

    def candidates(self):
        return self.cluster.workers + self.cluster.fronts

    def inject(self):
        if not self.member.has_shim():
            raise RuntimeError(f"{self}: the clock does not jump")
        self.member.jump(self.by)

    def heal(self):
        self.member.jump(0)


class JumpDatabase(Jump):
    """The clock of the database, which all leases use."""

    def candidates(self):
        return [self.cluster.db]


# ---- disks ----


class Fill(Fault):
    """The disk of a host is full."""

    seconds = 2.5
    spare = 0

    def choose(self):
        self.member = self.random.choice(self.candidates())
        self.spare = self.random.choice((0, 0, 64 << 10, 2 << 20))
        return f"{self.member.name}, all but {self.spare} bytes"

    def candidates(self):
        return self.cluster.workers + self.cluster.fronts

    def path(self):
        return os.path.join(self.member.disk, "filler")

    def free(self):
        disk = os.statvfs(self.member.disk)
        return disk.f_bavail * disk.f_frsize

    def inject(self):
        """Fills the disk in pieces: an attempt takes nothing if programs write to it meanwhile."""
        until = time.monotonic() + FILL_SECONDS
        piece = FILL_PIECE
        with open(self.path(), "wb") as file:
            while (more := self.free() - self.spare) > 0:
                if time.monotonic() > until:
                    raise RuntimeError(f"{self}: {more} bytes are still free")
                size = min(more, piece)
                try:
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, size)
                except OSError as problem:
                    if problem.errno != errno.ENOSPC:
                        raise
                    piece = max(size // 2, 4096)

    def heal(self):
        if os.path.exists(self.path()):
            os.unlink(self.path())


class FillDatabase(Fill):
    def candidates(self):
        return [self.cluster.db]


class FillObjectStore(Fill):
    def candidates(self):
        return [self.cluster.objects]


# ---- the object store ----


class Objects(Fault):
    """The object store responds to all requests with the fault `mode`."""

    mode = ""
    seconds = 2.5

    def inject(self):
        self.cluster.objects.mode(self.mode)

    def heal(self):
        self.cluster.objects.mode("ok")


class ObjectsSlow(Objects):
    mode = "slow"


class ObjectsFail(Objects):
    mode = "500"


class ObjectsTruncated(Objects):
    mode = "truncate"


class ObjectsCorrupt(Objects):
    mode = "corrupt"


class ObjectsHang(Objects):
    mode = "hang"


# ---- twice ----


class Notices(Fault):
    """Notifications arrive repeatedly, including some that nobody sent. (The load sends requests
    twice, and stopped workers send results twice.)"""

    def inject(self):
        letters = "jcmbkwerfsqatgxz"  # all kinds in src/store/news.c, and an unknown one
        for number in range(1, 20):
            text = " ".join(f"{letter}{number}" for letter in letters)
            self.cluster.query(f"SELECT pg_notify('skirmish', '{text}')")


# The relative frequency of each fault.
FAULTS = {
    KillFrontEnd: 10,
    KillWorker: 20,
    KillObjectStore: 4,
    KillPostgres: 6,
    KillBackend: 8,
    KillRunner: 20,
    KillAll: 2,
    KillStart: 6,
    StopWorker: 4,
    StopWorkerProcess: 4,
    StopWorkerHost: 4,
    StopFrontEnd: 3,
    StopPostgres: 2,
    StopBackends: 2,
    Cut: 4,
    CutOut: 3,
    CutIn: 3,
    CutDatabase: 2,
    Blink: 4,
    LongCut: 1,
    Jump: 4,
    JumpDatabase: 4,
    Fill: 4,
    FillDatabase: 3,
    FillObjectStore: 3,
    ObjectsSlow: 2,
    ObjectsFail: 3,
    ObjectsTruncated: 3,
    ObjectsCorrupt: 3,
    ObjectsHang: 2,
    Notices: 3,
}
# The short test injects this many of these kinds. It takes less than a minute on an idle machine.
SHORT_COUNT = 9
SHORT = tuple(kind for kind in FAULTS if kind is not LongCut)
