"""An arena on several hosts: a database, an object store, two front ends and four workers.

Everything that a host keeps is on its own small disk. `recover()` acts like an operator's
supervisor: it restarts missing programs until everything works again. `deaths` records processes
that exit although no test killed them.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "arena")]
import hosts
import with_postgres
import with_s3
from accounts_server import change_initial_password
from with_postgres import PASSWORD, USER

SKIRMISH = os.environ["SKIRMISH"]
SHIM = os.environ.get("CLOCK_SHIM_LIBRARY")
HERE = os.path.dirname(os.path.realpath(__file__))
PORT = 3000
LEASE_SECONDS = 5
START_SECONDS = 90
SILENCE_SECONDS = 10  # twice the time between heartbeats
# With these timeouts, the server notices clients that were cut off, and releases their locks.
POSTGRES = {
    "max_connections": "150",
    "shared_buffers": "32MB",
    "wal_keep_size": "64MB",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "log_line_prefix": "%m [%p] ",
}
WORKER_ROLE = "arena_workers"
FREE_MIN = 4 << 20
DISKS = {"db": 768 << 20, "files": 512 << 20}
DISK = 96 << 20  # size of the disks of the other hosts


def write_all(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Member:
    """A host, its disk, and the program that runs on it."""

    def __init__(self, cluster, name, number):
        self.cluster, self.name = cluster, name
        self.host = hosts.Host(name, number)
        self.disk = os.path.join(cluster.folder, name)
        os.mkdir(self.disk)
        size = DISKS.get(name, DISK)
        hosts.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.disk)
        self.log = os.path.join(cluster.logs, name + ".log")
        self.clock = os.path.join(cluster.folder, name + ".clock")
        with open(self.clock, "wb") as file:
            file.write(struct.pack("=q", 0))
        os.chmod(self.clock, 0o644)
        self.process = None
        self.expected = False  # whether the test ended the process

    def jump(self, seconds):
        """Sets the host's clock to the true time plus this many seconds."""
        with open(self.clock, "r+b") as file:
            file.write(struct.pack("=q", seconds))

    def has_shim(self):
        """Whether the program has loaded the library that makes its clock jump."""
        with open(f"/proc/{self.process.pid}/maps", encoding="ascii", errors="replace") as file:
            return SHIM is not None and os.path.realpath(SHIM) in file.read()

    def environment(self):
        clock = {"LD_PRELOAD": SHIM, "CLOCK_SHIM": self.clock} if SHIM else {}
        return {**os.environ, **self.cluster.keys, **clock, "PYTHONDONTWRITEBYTECODE": "1"}

    def launch(self):
        self.expected = False
        self.offset = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:
            self.process = self.host.start(
                *self.words(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.disk,
                env=self.environment(),
            )
        self.ready = False

    def output(self):
        """The output of the program since its last start."""
        with open(self.log, "rb") as log:
            log.seek(self.offset)
            return log.read().decode(errors="replace")

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        self.expected = True
        if self.runs():
            self.process.kill()
        self.process.wait()

    def stop(self):
        if not self.runs():
            return
        self.expected = True
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()

    def works(self):
        return self.runs()

    def could_not_start(self):
        """Whether the program exited because another one was missing. A supervisor restarts it."""
        return self.process.returncode == 2

    def record_exit(self):
        """Records an unexpected exit."""
        if self.process and not self.runs() and not self.expected:
            self.expected = True
            if self.ready or not self.could_not_start():
                self.cluster.deaths.append(
                    f"{self.name} ended with {self.process.returncode}: {self.output()[-600:]}"
                )


class Postgres(Member):
    settings = {}

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.data = os.path.join(self.disk, "data")
        self.sockets = os.path.join(self.cluster.folder, self.name + "-sockets")
        self.programs = with_postgres.programs()
        os.mkdir(self.sockets)
        self.give(self.sockets)
        self.give(self.disk)

    @staticmethod
    def give(path):
        shutil.chown(path, "postgres", "postgres")

    def unprivileged(self, program, *words):
        return [*with_postgres.unprivileged(), os.path.join(self.programs, program), *words]

    def create(self):
        os.mkdir(self.data, 0o700)
        self.give(self.data)
        initdb = os.path.join(self.programs, "initdb")
        with_postgres.create_or_copy(initdb, self.data, self.sockets)
        with open(os.path.join(self.data, "pg_hba.conf"), "a", encoding="ascii") as file:
            for what in ("all", "replication"):
                file.write(f"host {what} all {hosts.NETWORK}0/24 scram-sha-256\n")

    def words(self):
        settings = {
            **POSTGRES,
            "listen_addresses": self.host.address,
            "unix_socket_directories": self.sockets,
            **self.settings,
        }
        options = [word for name in settings for word in ("-c", f"{name}={settings[name]}")]
        return self.unprivileged("postgres", "-D", self.data, *options)

    def works(self):
        return self.runs() and self.cluster.try_query("SELECT 1", self) == "1"

    def could_not_start(self):
        """Processes of a killed server take a moment to exit and prevent a restart until then."""
        return "pre-existing shared memory block" in self.output()

    def stop(self):
        if self.runs():
            self.expected = True
            self.process.send_signal(signal.SIGINT)
        super().stop()


class Objects(Member):
    def words(self):
        store = os.path.join(HERE, "object_store.py")
        return [sys.executable, store, self.host.address, str(PORT), self.disk]

    def mode(self, fault):
        write_all(os.path.join(self.disk, "mode"), fault)

    def works(self):
        return self.runs() and ask(self, "GET", "/", seconds=5)[0] in (403, 404)


class FrontEnd(Member):
    ladder = "on"

    def words(self):
        return [
            *(SKIRMISH, "serve", "--address", self.host.address, "--port", str(PORT)),
            *("--store", self.cluster.uri(USER), "--files", self.cluster.files),
            *("--data", os.path.join(self.disk, "data"), "--sandbox", "strict", "--jobs", "0"),
            *("--lease-seconds", str(LEASE_SECONDS), "--free-min", str(FREE_MIN)),
            *("--people-per-address", "10000", "--waiting-max", "100000"),
            *("--bots-max", "100000", "--versions-max", "100000"),
            # With one house bot per game, all ladder matches have uploaded bots.
            *("--house-bots", "random", "--ladder", self.ladder),
            *("--file-cache", str(1 << 20)),
        ]

    def works(self):
        """Whether the front end responds and can read the database."""
        if not self.runs() or ask(self, "GET", "/api/v1/matches?limit=1", seconds=5)[0] != 200:
            return False
        self.ready = True
        return True


class Worker(Member):
    def words(self):
        return [
            *(SKIRMISH, "worker", "--store", self.cluster.uri(WORKER_ROLE)),
            *("--files", self.cluster.files, "--data", os.path.join(self.disk, "data")),
            *("--jobs", "1", "--sandbox", "strict", "--free-min", str(FREE_MIN)),
            *("--file-cache", str(1 << 20), "--drain-seconds", "2"),
        ]

    def works(self):
        if self.runs() and not self.ready:
            said = re.search(r"^The worker (\S+) is ready$", self.output(), re.M)
            self.ready = said is not None
            self.holder = said and said[1]
        return self.ready and self.runs()


def ask(member, method, path, body=None, headers=None, seconds=60):
    """Sends a request; returns status, headers and body. The status is 0 without a response."""
    connection = http.client.HTTPConnection(member.host.address, PORT, timeout=seconds)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    except (OSError, http.client.HTTPException):
        return 0, None, b""
    finally:
        connection.close()


class Cluster(contextlib.AbstractContextManager):
    """All hosts, for a `with` statement. The folder `logs` belongs to the caller and is kept."""

    def __init__(self, logs, workers=4, standby=False):
        self.logs = logs
        self.folder = tempfile.mkdtemp(prefix="skirmish-hosts-")
        os.chmod(self.folder, 0o755)
        self.keys = {}
        self.deaths = []
        self.databases = [Postgres(self, "db", 1)]
        if standby:
            self.databases.append(Postgres(self, "db2", 2))
        self.objects = Objects(self, "files", 3)
        self.fronts = [FrontEnd(self, f"front{n}", 10 + n) for n in (1, 2)]
        self.workers = [Worker(self, f"worker{n}", 20 + n) for n in range(1, workers + 1)]
        endpoint = f"http://{self.objects.host.address}:{PORT}"
        self.files = with_s3.uri(endpoint, "skirmish", timeout=3)
        credentials = os.path.join(self.objects.disk, "credentials")
        self.keys = {"AWS_SHARED_CREDENTIALS_FILE": credentials}
        self.password = None

    @property
    def db(self):
        """The primary."""
        return self.databases[0]

    @property
    def members(self):
        return [*self.databases, self.objects, *self.fronts, *self.workers]

    def uri(self, role, database="arena"):
        names = ",".join(db.host.address for db in self.databases)
        return f"postgresql://{role}:{PASSWORD}@{names}/{database}"

    def __exit__(self, *_):
        for member in reversed(self.members):
            if member.process:
                member.process.send_signal(signal.SIGKILL)
                member.process.wait()
        for member in self.members:
            subprocess.run(["umount", "-l", member.disk], check=False)
            member.host.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- the database ----

    def psql(self, sql, database="arena", to=None, seconds=30):
        address = (to or self.db).host.address
        uri = f"postgresql://{USER}:{PASSWORD}@{address}/{database}?connect_timeout=5"
        return subprocess.run(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", uri],
            input=sql,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def query(self, sql, database="arena", to=None):
        done = self.psql(sql, database, to)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def try_query(self, sql, to=None):
        try:
            done = self.psql(sql, "postgres", to, seconds=10)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    # ---- starting ----

    def wait(self, condition, what, seconds=START_SECONDS):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise AssertionError(f"{what}: not after {seconds} s")
            time.sleep(0.05)

    def start(self):
        self.db.create()
        self.db.launch()
        self.objects.launch()
        self.wait(lambda: self.db.works() and self.objects.works(), "database and object store")
        self.query("CREATE DATABASE arena", "postgres")
        self.query(f"CREATE ROLE {WORKER_ROLE} LOGIN PASSWORD '{PASSWORD}'")
        first = self.fronts[0]
        first.launch()
        self.wait(lambda: first.works() or not first.runs(), "the first front end")
        assert first.runs(), first.output()
        initial = os.path.join(first.disk, "data", "initial-password")
        url = f"http://{first.host.address}:{PORT}"
        self.password = change_initial_password(url, initial)
        grants = subprocess.run(
            [SKIRMISH, "worker", "--print-grants", WORKER_ROLE], check=True, capture_output=True
        )
        self.query(grants.stdout.decode())
        for member in [*self.fronts[1:], *self.workers]:
            member.launch()
        missing = self.recover(members=[*self.fronts, *self.workers])
        assert not missing, "does not start: " + missing

    def recover(self, seconds=START_SECONDS, members=None):
        """Starts missing programs and waits until everything works. Returns the names of the hosts
        that still do not work after this many seconds, or ""."""
        until = time.monotonic() + seconds
        while True:
            broken = []
            for member in members or self.members:
                if member.runs():
                    if not member.works():
                        broken.append(member.name)
                    continue
                member.record_exit()
                member.launch()
                broken.append(member.name)
            broken = broken or self.silent(members or self.members)
            if not broken or time.monotonic() > until:
                return " ".join(broken)
            time.sleep(0.2)

    def silent(self, members, since=0):
        """The names of workers whose last heartbeat is old, or says that they take no jobs. Ignores
        heartbeats before `since`, a time of the database in milliseconds."""
        try:
            beats = self.psql(
                f"SELECT name FROM workers WHERE state = 0 AND seen > {since} AND "
                f"abs(extract(epoch FROM clock_timestamp()) - seen / 1000) < {SILENCE_SECONDS}"
            ).stdout.split()
        except subprocess.TimeoutExpired:
            beats = []
        workers = [member for member in members if member in self.workers]
        return [worker.name for worker in workers if worker.holder not in beats]

    def wait_for_heartbeats(self):
        """Waits until every worker has sent a new heartbeat."""
        now = self.query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)")
        self.wait(lambda: not self.silent(self.workers, now), "a heartbeat of each worker")

    # ---- processes ----

    def roots(self):
        return [member.process.pid for member in self.members if member.process]

    def orphans(self, seconds=20):
        """Orphaned processes that have not exited by themselves after this many seconds."""
        until = time.monotonic() + seconds
        while True:
            hosts.reap(set(self.roots()))
            found = hosts.orphans(self.roots())
            if not found or time.monotonic() > until:
                return [f"{pid} {hosts.command_of(pid)}" for pid in found]
            time.sleep(0.1)

    def bots(self):
        """The processes below front ends and workers that are not runners. None may be left when
        everything has been played."""
        roots = {member.process.pid for member in (*self.fronts, *self.workers)}
        below = hosts.tree(roots, hosts.processes()) - roots
        return [
            f"{pid} {command}"
            for pid in sorted(below)
            if (command := hosts.command_of(pid)) and not command.startswith("skirmish ")
        ]

    def admin(self):
        """Logs in as the administrator; returns the headers for requests."""
        body = json.dumps({"name": "admin", "password": self.password})
        status, headers, answer = ask(
            self.fronts[0], "POST", "/api/v1/login", body, {"Content-Type": "application/json"}
        )
        assert status == 200, (status, answer)
        return {
            "Cookie": headers["Set-Cookie"].split(";")[0],
            "X-CSRF-Token": json.loads(answer)["csrf_token"],
            "Content-Type": "application/json",
        }
