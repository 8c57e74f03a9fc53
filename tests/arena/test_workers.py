"""Workers: processes that play for an arena whose store is in PostgreSQL.

Needs a server, see tests/with_postgres.py. An arena that plays nothing itself and two workers
share a directory of files; each has its own data directory.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from accounts_server import SKIRMISH, Person, Server, wait_for
from join_server import descendants

URI = os.environ["TEST_POSTGRES"]
ROLE = "workers_of_the_arena"
PASSWORD = re.search(r"://[^:]+:([^@]+)@", URI)[1]
SECONDS = int(os.environ.get("TEST_SECONDS", "120"))

C_BOT = """#include <stdio.h>
int main(void) {
    for (int byte; (byte = getchar()) != EOF;)
        if (byte == '\\n') {
            puts("{\\"moves\\": []}");
            fflush(stdout);
        }
    return 0;
}
"""
# Answers slowly as long as a file exists.
SLOW_BOT = """import os, sys, time
for line in sys.stdin:
    if os.path.exists(%r):
        time.sleep(0.2)
    print('{"moves": []}', flush=True)
"""

# The columns that the current role can read, by table.
READABLE = """
SELECT table_name, string_agg(column_name, ' ' ORDER BY column_name)
FROM information_schema.columns
WHERE table_schema = 'public' AND has_column_privilege(table_name, column_name, 'SELECT')
GROUP BY 1"""
READABLE_TABLES = set(
    "analyses bots checks entrants file_chunks files jobs match_texts matches results seats "
    "settings shares skirmish_stamp tournaments versions workers".split()
)


def database(name):
    """Creates a database; returns its URI."""
    subprocess.run(["psql", "-q", URI, "-c", f"CREATE DATABASE {name}"], check=True)
    return URI.rsplit("/", 1)[0] + "/" + name


class Worker:
    """`skirmish worker` with its own data directory."""

    def __init__(self, directory, name, store, files, *options):
        self.directory = name
        self.log_name = os.path.join(directory, name + ".log")
        self.log = open(self.log_name, "ab")
        self.process = subprocess.Popen(
            [SKIRMISH, "worker", "--store", store, "--files", files, "--sandbox", "none"]
            + ["--jobs", "1", "--data", os.path.join(directory, name), *options],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.name = None
        line = self.process.stdout.readline()
        found = re.match(r"The worker (\S+) is ready", line)
        assert found, f"the worker did not start: {line} {self.read_log()}"
        self.name = found[1]

    def read_log(self):
        with open(self.log_name) as file:
            return file.read()

    def wait(self):
        status = self.process.wait(SECONDS)
        self.process.stdout.close()
        self.log.close()
        return status

    def kill(self):
        self.process.kill()
        self.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.wait()


class Workers(unittest.TestCase):
    maxDiff = None
    NAMES = ("workers", ROLE)  # of the database and the role
    OPTIONS = ()  # of the arena

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-workers-")
        cls.files = os.path.join(cls.directory, "files")
        cls.gate = os.path.join(cls.directory, "gate")
        name, cls.role = cls.NAMES
        cls.store = database(name)
        cls.worker_store = cls.store.replace(f"skirmish:{PASSWORD}", f"{cls.role}:{PASSWORD}")
        cls.running = []
        cls.server = None
        try:
            places = ("--store", cls.store, "--files", cls.files)
            cls.server = Server(cls.directory, *places, "--jobs", "0", *cls.OPTIONS)
            cls.admin = Person(cls.server)
            assert cls.admin.log_in("admin", cls.server.password).status == 200
            cls.grant()
            cls.start_worker("one")
            cls.start_worker("two")
            cls.ann = Person(cls.server)
            assert cls.ann.register("ann").status == 201
            cls.upload("slow", "bot.py", SLOW_BOT % cls.gate)
            cls.upload("quick", "bot.c", C_BOT)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        statuses = [worker.stop() for worker in cls.running]
        statuses += [cls.server.stop()] if cls.server else []
        logs = [worker.read_log() for worker in cls.running]
        shutil.rmtree(cls.directory)
        assert not any(statuses), f"exit statuses: {statuses}"
        assert PASSWORD not in "".join(logs), "a log has the password of the database"
        assert "permission denied" not in "".join(logs), logs

    @classmethod
    def grant(cls):
        """Creates the role of the workers."""
        create = f"CREATE ROLE {cls.role} LOGIN PASSWORD '{PASSWORD}'"
        # As in clusters that were upgraded from PostgreSQL 14.
        loose = "GRANT CREATE ON SCHEMA public TO PUBLIC"
        subprocess.run(["psql", "-q", cls.store, "-c", create, "-c", loose], check=True)
        grants = subprocess.run(
            [SKIRMISH, "worker", "--print-grants", cls.role], check=True, capture_output=True
        )
        subprocess.run(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1", cls.store], check=True, input=grants.stdout
        )

    @classmethod
    def start_worker(cls, name, *options):
        worker = Worker(cls.directory, name, cls.worker_store, cls.files, *options)
        cls.running.append(worker)
        return worker

    @classmethod
    def ended(cls, worker):
        cls.running.remove(worker)

    @classmethod
    def upload(cls, name, file_name, source):
        made = cls.ann.ask("POST", "/api/v1/bots", {"game": "planetwars", "name": name})
        assert made.status == 201, made.body
        made = cls.ann.ask(
            "POST",
            f"/api/v1/bots/ann/{name}/versions",
            {"file_name": file_name, "source": source},
        )
        assert made.status == 201, made.body
        cls.wait(f"/api/v1/bots/ann/{name}", lambda bot: bot["active_version"])
        return made

    @classmethod
    def wait(cls, path, condition):
        """Repeats GET until there(JSON) is true; rate limits allow 4 requests/s."""
        until = time.monotonic() + SECONDS
        while True:
            answer = cls.ann.ask("GET", path)
            assert answer.status == 200, answer.body
            if condition(answer.json):
                return answer.json
            assert time.monotonic() < until, f"{path}: {answer.json}"
            time.sleep(0.25)

    def query(self, sql):
        done = subprocess.run(
            ["psql", "-qAt", self.store, "-c", sql], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def play(self, *bots):
        made = self.ann.ask(
            "POST",
            "/api/v1/matches",
            {"game": "planetwars", "seats": [{"bot": bot} for bot in bots]},
        )
        self.assertEqual(made.status, 201, made.body)
        return made.json["id"]

    def wait_over(self, match):
        return self.wait(
            f"/api/v1/matches/{match}", lambda row: row["state"] not in ("waiting", "playing")
        )

    def close_gate(self):
        """Makes the slow bot slow until the returned function is called."""
        open(self.gate, "w").close()

        def open_gate():
            if os.path.exists(self.gate):
                os.remove(self.gate)

        self.addCleanup(open_gate)
        return open_gate

    def setUp(self):
        self.seen_bots = set()

    def start_slow(self):
        """Starts a slow match; returns its id and the worker that plays it."""
        match = self.play("ann/slow", "house/planetwars-random")

        def holder():
            return self.query(f"SELECT holder FROM jobs WHERE match = {match} AND kind = 2")

        wait_for(holder, SECONDS)
        player = next(worker for worker in self.running if worker.name == holder())
        wait_for(lambda: self.bots_of(player), SECONDS)
        return match, player

    def bots_of(self, worker):
        """The slow bots that a worker runs or has left behind."""
        found = descendants(worker.process.pid)
        self.seen_bots |= {pid for pid, _ in found if "bot.py" in command_of(pid)}
        return [pid for pid in self.seen_bots if "bot.py" in command_of(pid)]

    def attempts_of(self, match):
        return self.query(f"SELECT attempt FROM jobs WHERE match = {match} AND kind = 2")

    def check_one_result(self, match, state="over"):
        row = self.wait_over(match)
        self.assertEqual(row["state"], state)
        self.assertEqual(self.query(f"SELECT count(*) FROM jobs WHERE match = {match}"), "0")
        if state == "over":
            replay = self.ann.ask("GET", f"/api/v1/matches/{match}/replay")
            self.assertEqual(replay.status, 200)
            self.assertGreater(len(replay.body), 100)
        return row

    # ---- the registry ----

    def test_processes_register_with_the_speed_of_their_machine(self):
        rows = self.query(
            "SELECT name, kind, runners, state, wanted, machine, speed > 0 FROM workers "
            "WHERE state <> 6 ORDER BY kind, name"
        ).split("\n")
        rows = [row.split("|") for row in rows]
        machine = os.uname().nodename
        self.assertEqual(rows[0][1:], ["0", "0", "0", "0", machine, "t"])  # the arena
        self.assertEqual(
            rows[1:],
            [
                [name, "1", "1", "0", "0", machine, "t"]
                for name in sorted(worker.name for worker in self.running)
            ],
        )

    def test_a_match_records_the_machine_and_the_speed_it_was_played_with(self):
        match = self.play("ann/quick", "house/planetwars-random")
        self.check_one_result(match)
        self.assertEqual(
            self.query(
                "SELECT count(*) FROM matches m JOIN workers w ON w.machine = m.machine "
                f"AND w.speed = m.speed AND w.kind = 1 WHERE m.id = {match}"
            )
            != "0",
            True,
        )

    def find(self, name):
        """A worker as the API shows it."""
        answer = self.admin.ask("GET", "/api/v1/admin/workers")
        self.assertEqual(answer.status, 200, answer.body)
        return next(row for row in answer.json["items"] if row["name"] == name)

    def wait_for_state(self, worker, state):
        """Waits for a state of the API. Polls the database, since requests have rate limits."""
        names = ["running", "draining", "drained", "blocked"]
        number = str(names.index(state))
        sql = f"SELECT state FROM workers WHERE name = '{worker.name}'"
        wait_for(lambda: self.query(sql) == number, SECONDS)
        self.assertEqual(self.find(worker.name)["state"], state)

    def ask_worker(self, name, wanted):
        answer = self.admin.ask("PATCH", f"/api/v1/admin/workers/{name}", {"wanted": wanted})
        self.assertEqual(answer.status, 200, answer.body)

    def test_a_blocked_worker_loses_its_match_to_another_one(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        jobs = self.find(player.name)["jobs"]
        self.assertIn(match, [job.get("match") for job in jobs])
        self.ask_worker(player.name, "block")
        self.addCleanup(self.ask_worker, player.name, "play")
        other = next(worker for worker in self.running if worker is not player)
        self.wait_for_state(player, "blocked")
        wait_for(lambda: not self.bots_of(player), SECONDS)
        holder = f"SELECT holder FROM jobs WHERE match = {match}"
        wait_for(lambda: self.query(holder) == other.name, SECONDS)
        self.assertEqual(self.find(player.name)["jobs"], [])
        self.assertEqual(self.attempts_of(match), "2")
        open_gate()
        self.check_one_result(match)
        self.assertEqual(self.query(f"SELECT losses FROM jobs WHERE match = {match}"), "")
        self.assertIn("an administrator has blocked this worker", player.read_log())

    def test_a_draining_worker_finishes_its_match_and_stays_drained_after_a_restart(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        self.ask_worker(player.name, "drain")
        self.wait_for_state(player, "draining")
        open_gate()
        self.check_one_result(match)
        self.wait_for_state(player, "drained")
        self.ended(player)
        self.assertEqual(player.stop(), 0)
        again = self.start_worker(player.directory)
        self.addCleanup(self.ask_worker, again.name, "play")
        self.assertEqual(self.find(again.name)["wanted"], "drain")
        self.wait_for_state(again, "drained")

    def test_a_tournament_says_that_no_worker_has_the_speed_it_needs(self):
        def cup(**speeds):
            plan = {"name": "Cup", "game": "planetwars", "format": "round-robin", "games": 1}
            made = self.admin.ask("POST", "/api/v1/tournaments", {**plan, **speeds})
            self.assertEqual(made.status, 201, made.body)
            one = f"/api/v1/tournaments/{made.json['id']}"
            for bot in ("planetwars-random", "planetwars-medium"):
                self.admin.ask("POST", one + "/entrants", {"owner": "house", "bot": bot})
            started = self.admin.ask("POST", one + "/start")
            self.assertEqual(started.status, 200, started.body)
            return one

        stuck = [cup(speed_min=50000), cup(speed_max=1)]
        for column, speed in (("speed_min", 50000), ("speed_max", 1)):
            jobs = f"SELECT count(*) > 0 FROM jobs WHERE {column} = {speed} AND expires = 0"
            wait_for(lambda sql=jobs: self.query(sql) == "t", SECONDS)
        queue = self.wait("/api/v1/queue", lambda now: now["without_worker"] > 0)
        self.assertEqual(queue["without_worker"], queue["tournament"])
        for path in stuck:
            self.assertTrue(self.ann.ask("GET", path).json["without_worker"])
        played = cup(speed_min=1, speed_max=50000)
        self.wait(played, lambda row: row["state"] == "over")
        self.assertFalse(self.ann.ask("GET", played).json["without_worker"])
        for path in stuck:
            self.assertEqual(self.ann.ask("GET", path).json["state"], "running")
            self.assertEqual(self.admin.ask("POST", path + "/call-off").status, 200)
        refused = self.admin.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": "x", "game": "planetwars", "format": "swiss", "speed_min": 9, "speed_max": 8},
        )
        self.assertEqual(refused.status, 422, refused.body)
        self.assertIn("must not be greater", refused.json["detail"])

    def test_a_worker_cannot_change_the_requests_of_administrators(self):
        change = ["psql", "-q", "-v", "ON_ERROR_STOP=1", self.worker_store, "-c"]
        for sql, refused in (
            ("UPDATE workers SET wanted = 0", True),
            ("UPDATE workers SET name = 'other' WHERE name = 'none'", True),
            ("DELETE FROM workers WHERE name = 'none'", True),
            ("UPDATE workers SET seen = 0 WHERE name = 'none'", False),
        ):
            done = subprocess.run(change + [sql], capture_output=True, text=True)
            self.assertEqual("permission denied" in done.stderr, refused, sql + done.stderr)

    # ---- playing ----

    def test_workers_build_check_and_play_for_the_arena(self):
        bot = self.wait(
            "/api/v1/bots/ann/quick", lambda found: found["version"]["check"]["state"] == "done"
        )
        self.assertEqual(bot["version"]["check"]["errors"], 0, bot)
        # The build is on the machine of a worker, not on the arena's.
        version = str(bot["active_version"])
        self.assertFalse(os.path.exists(os.path.join(self.directory, "data", "versions", version)))
        match = self.play("ann/quick", "house/planetwars-random")
        self.check_one_result(match)

    def job_lines(self, request):
        """The lines about a request in the logs of the arena and of all workers, by process."""
        logs = {"arena": self.server.log()}
        logs.update((worker.name, worker.read_log()) for worker in self.running)
        found = {}
        for name, text in logs.items():
            lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
            found[name] = [line for line in lines if line.get("request") == request]
        return {name: lines for name, lines in found.items() if lines}

    def test_the_id_of_a_request_is_in_the_logs_of_the_arena_and_the_worker(self):
        made = self.ann.ask(
            "POST",
            "/api/v1/matches",
            {"game": "planetwars", "seats": [{"bot": "house/planetwars-random"}] * 2},
        )
        self.assertEqual(made.status, 201, made.body)
        request, match = made.headers["X-Request-Id"], made.json["id"]
        self.assertRegex(request, "^[0-9a-f]{16}$")
        self.check_one_result(match)

        def ended():
            worker = [lines for name, lines in self.job_lines(request).items() if name != "arena"]
            return (
                worker
                and worker[0][-1]["event"] == "job.end"
                and "arena" in self.job_lines(request)
            )

        wait_for(ended, SECONDS)
        lines = self.job_lines(request)
        self.assertEqual([line["event"] for line in lines.pop("arena")], ["request"])
        self.assertEqual(len(lines), 1, lines)
        (lines,) = lines.values()
        self.assertEqual([line["event"] for line in lines], ["job.start", "job.end"])
        for line in lines:
            self.assertEqual((line["kind"], line["match"], line["attempt"]), ("match", match, 1))
        self.assertEqual(lines[1]["outcome"], "finished")
        self.assertGreater(lines[1]["microseconds"], 0)

    def test_the_check_of_a_version_has_the_id_of_the_request_of_its_upload(self):
        request = self.upload("logged", "bot.c", C_BOT).headers["X-Request-Id"]

        def kinds():
            lines = sum(self.job_lines(request).values(), [])
            return sorted(line["kind"] for line in lines if line["event"] == "job.end")

        wait_for(lambda: kinds() == ["build", "check"], SECONDS)

    def test_viewers_of_a_match_on_a_worker_see_its_end(self):
        open_gate = self.close_gate()
        match, _ = self.start_slow()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        connection.request("GET", f"/api/v1/matches/{match}/live")
        stream = connection.getresponse()
        open_gate()
        events = stream.read().decode()  # until the stream ends
        connection.close()
        self.assertIn("event: end\n", events)
        verdict = json.loads(events.split("event: end\ndata: ")[1].split("\n")[0])
        self.assertEqual(len(verdict["players"]), 2)

    def test_the_ladder_and_tournaments_progress_with_results_of_workers(self):
        changed = self.admin.ask("PATCH", "/api/v1/admin/settings", {"ladder": True})
        self.assertEqual(changed.status, 200, changed.body)
        try:
            self.wait(
                "/api/v1/ladders/planetwars",
                lambda ladder: any(row["matches"] > 1 for row in ladder["items"]),
            )
        finally:
            self.admin.ask("PATCH", "/api/v1/admin/settings", {"ladder": False})
        made = self.admin.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": "Cup", "game": "planetwars", "format": "round-robin"},
        )
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/tournaments/{made.json['id']}"
        for bot in ("planetwars-random", "planetwars-medium"):
            body = {"owner": "house", "bot": bot}
            entered = self.admin.ask("POST", path + "/entrants", body)
            self.assertEqual(entered.status, 201, entered.body)
        started = self.admin.ask("POST", path + "/start")
        self.assertEqual(started.status, 200, started.body)
        self.wait(path, lambda tournament: tournament["state"] == "over")

    # ---- ends of workers ----

    def test_a_match_of_a_killed_worker_is_played_again(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        player.kill()
        self.ended(player)
        wait_for(lambda: not self.bots_of(player), SECONDS)
        # The start of its successor proves that the worker is gone.
        self.start_worker(player.directory)
        open_gate()
        self.check_one_result(match)

    def test_the_leader_takes_a_job_from_a_worker_that_makes_no_progress(self):
        for worker in self.running:
            self.ask_worker(worker.name, "drain")
            self.addCleanup(self.ask_worker, worker.name, "play")
        for worker in self.running:
            self.wait_for_state(worker, "drained")
        match = self.play("ann/quick", "house/planetwars-random")
        # As if a worker had extended its lease, here for an hour, without making progress.
        now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
        self.query(
            f"UPDATE jobs SET attempt = 1, holder = 'hangs', leased = {now}, progressed = {now}, "
            f"progress = 1, patience = 1000, expires = {now} + 3600000 WHERE match = {match}"
        )
        job = f"SELECT attempt, losses, expires, holder, trouble FROM jobs WHERE match = {match}"
        taken = "1|1|0||its worker extended the lease without making progress"
        wait_for(lambda: self.query(job) == taken, SECONDS)
        self.doCleanups()
        self.check_one_result(match)

    def test_a_worker_logs_a_summary_of_its_work(self):
        def status(worker):
            lines = [json.loads(line) for line in worker.read_log().splitlines() if line[0] == "{"]
            return [line for line in lines if line["event"] == "status"]

        worker = self.running[0]
        self.assertEqual(worker.stop(), 0)
        self.ended(worker)
        line = status(worker)[-1]
        self.assertEqual(line["store_up"], 1)
        self.assertGreater(line["store_connections"], 0)
        for name in ("matches", "builds", "checks", "job_failures", "store_errors"):
            self.assertGreaterEqual(line[name], 0, name)
        self.start_worker(worker.directory)

    def test_a_drained_worker_finishes_its_match(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        player.process.terminate()
        self.assertIn("Draining", player.process.stdout.readline())
        open_gate()
        self.assertEqual(player.wait(), 0)
        self.ended(player)
        self.check_one_result(match)
        self.start_worker(player.directory)

    def test_a_second_signal_returns_the_match_to_the_queue(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        player.process.terminate()
        self.assertIn("Draining", player.process.stdout.readline())
        self.assertEqual(self.attempts_of(match), "1")
        player.process.send_signal(signal.SIGINT)
        self.assertEqual(player.wait(), 0)
        self.ended(player)
        open_gate()
        self.check_one_result(match)
        self.start_worker(player.directory)

    def test_cancelling_a_match_ends_it_on_its_worker(self):
        self.close_gate()
        match, player = self.start_slow()
        gone = self.ann.ask("POST", f"/api/v1/matches/{match}/call-off")
        self.assertIn(gone.status, (200, 204), gone.body)
        wait_for(lambda: not self.bots_of(player), SECONDS)
        self.check_one_result(match, "called_off")

    # ---- rights ----

    def test_a_stolen_worker_credential_reveals_no_secrets(self):
        self.assertEqual(self.query("SELECT count(password) > 1 FROM accounts"), "t")
        for sql in (
            "SELECT password FROM accounts",
            "SELECT * FROM accounts",
            "SELECT secret FROM sessions",
            "SELECT count(*) FROM sessions",
            "SELECT secret FROM tokens",
            "SELECT secret FROM invitations",
            "SELECT address FROM known_addresses",
            "SELECT * FROM audit",
            "SELECT * FROM rates",
            "INSERT INTO sessions (secret, account, address, created, expires) "
            "VALUES ('x', 1, '', 0, 1)",
            "UPDATE accounts SET password = ''",
            "UPDATE accounts SET role = 2",
            "UPDATE bots SET owner = 1",
            "UPDATE versions SET source = ''",
            "DELETE FROM matches",
            "UPDATE results SET last = 0",
            "UPDATE records SET won = 0",
            "UPDATE streaks SET longest = 0",
            "UPDATE ratings SET rating = 0",
            "INSERT INTO settings VALUES ('registration', 'open')",
            "CREATE TABLE more (id BIGINT)",
            "DROP TABLE jobs",
        ):
            done = subprocess.run(
                ["psql", "-q", self.worker_store, "-c", sql], capture_output=True, text=True
            )
            self.assertIn(
                "permission denied" if "DROP" not in sql else "must be owner", done.stderr
            )

        secret = "SELECT count(*) FROM settings WHERE name = 'match_secret'"
        self.assertEqual(self.query(secret), "1")
        seen = subprocess.run(
            ["psql", "-qAt", self.worker_store, "-c", secret], capture_output=True, text=True
        )
        self.assertEqual(seen.stdout, "0\n")

    def test_a_worker_can_read_only_the_tables_that_it_needs(self):
        """The listed tables have no secrets. A grant on another table needs a decision here."""
        done = subprocess.run(
            ["psql", "-qAt", self.worker_store, "-c", READABLE], capture_output=True, text=True
        )
        tables = dict(line.split("|") for line in done.stdout.splitlines())
        self.assertEqual(tables.pop("accounts"), "disk_max id name state")
        self.assertEqual(tables.pop("relay"), "number topic")
        self.assertEqual(set(tables), READABLE_TABLES)

    def test_names_of_roles_are_quoted(self):
        done = subprocess.run(
            [SKIRMISH, "worker", "--print-grants", 'a"; DROP TABLE jobs; --'],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertIn('TO "a""; DROP TABLE jobs; --";\n', done.stdout)
        done = subprocess.run([SKIRMISH, "worker", "--print-grants", ""], capture_output=True)
        self.assertEqual(done.returncode, 2)

    # ---- starts ----

    def refuse(self, *options, environment=None):
        """Starts a worker that is expected to fail; returns what it prints."""
        data = os.path.join(self.directory, "refused")
        done = subprocess.run(
            [SKIRMISH, "worker", "--sandbox", "none", "--data", data, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            cwd=self.directory,
            env={**os.environ, **(environment or {})},
        )
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertNotIn(PASSWORD, done.stdout)
        self.assertFalse(os.path.exists(data), done.stdout)
        return done.stdout

    def test_a_worker_that_cannot_work_does_not_start(self):
        empty = database("workers_empty")
        old = database("workers_old")
        new = database("workers_new")
        for uri, version in ((old, "18 - 2"), (new, "1000")):
            subprocess.run(
                ["psql", "-q", uri]
                + ["-c", "CREATE TABLE skirmish_stamp (application BIGINT, version BIGINT)"]
                + ["-c", f"INSERT INTO skirmish_stamp VALUES ({0x534B5354}, {version})"],
                check=True,
            )
        files = ("--files", self.files)
        for options, message in (
            ((), "--store is required"),
            (("--store", "skirmish-data", *files), "which workers need"),
            (("--store", empty, *files), "there is no store in it; `skirmish serve` creates one"),
            (("--store", old, *files), "older version of Skirmish; `skirmish serve` upgrades it"),
            (("--store", new, *files), "newer version of Skirmish"),
            (("--store", URI + "-missing", *files), "does not exist; create it"),
            (("--store", "postgresql://127.0.0.1:1/x", *files), "Connection refused"),
            (("--store", self.store, *files, "--jobs", "0"), "--jobs"),
            (("--store", self.store, *files, "--sandbox", "some"), "--sandbox"),
        ):
            self.assertIn(message, self.refuse(*options))
        self.assertEqual(
            subprocess.run(
                ["psql", "-qAt", empty, "-c", "SELECT count(*) FROM pg_tables "]
                + ["-c", "SELECT to_regclass('jobs') IS NULL"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.split()[-1],
            "t",
        )

    def test_an_arena_without_postgresql_has_no_workers(self):
        done = subprocess.run(
            [SKIRMISH, "serve", "--jobs", "0", "--data", os.path.join(self.directory, "no")],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("only a store on PostgreSQL can have workers", done.stderr)


class Stalls(Workers):
    """Processes that are stopped but do not exit. Takes minutes, because the limits are long."""

    NAMES = ("workers_stalls", ROLE + "_stalls")
    OPTIONS = ("--lease-seconds", "5")

    def test_a_match_is_played_again_if_its_runner_was_stopped(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        for pid, _ in descendants(player.process.pid):
            if "runner" in command_of(pid).split("\0"):
                os.kill(pid, signal.SIGSTOP)
        open_gate()
        self.check_one_result(match)
        self.assertIn("its runner made no progress", player.read_log())

    def test_a_worker_reports_the_progress_of_its_jobs(self):
        open_gate = self.close_gate()
        match, _ = self.start_slow()

        def progress():
            return int(
                self.query(
                    "SELECT CASE WHEN progressed >= leased AND patience > 0 THEN progress ELSE 0 "
                    f"END FROM jobs WHERE match = {match}"
                )
            )

        wait_for(lambda: progress() > 0, SECONDS)
        before = progress()
        wait_for(lambda: progress() > before, SECONDS)
        open_gate()
        self.check_one_result(match)

    def test_a_match_is_played_again_if_its_worker_was_stopped(self):
        open_gate = self.close_gate()
        match, player = self.start_slow()
        player.process.send_signal(signal.SIGSTOP)
        self.addCleanup(player.process.send_signal, signal.SIGCONT)
        stopped = time.monotonic()
        wait_for(lambda: self.attempts_of(match) != "1", SECONDS)
        # The workers use the arena's lease time; the default would be a minute.
        self.assertLess(time.monotonic() - stopped, 40)
        open_gate()
        row = self.check_one_result(match)
        replay = self.ann.ask("GET", f"/api/v1/matches/{match}/replay").body
        # When the worker continues, it changes nothing.
        player.process.send_signal(signal.SIGCONT)
        wait_for(lambda: not self.bots_of(player), SECONDS)
        again = self.ann.ask("GET", f"/api/v1/matches/{match}").json
        self.assertEqual(again["verdict"], row["verdict"])
        self.assertEqual(self.ann.ask("GET", f"/api/v1/matches/{match}/replay").body, replay)


# Stalls runs only its own tests, not those that it inherits.
for name in [name for name in dir(Workers) if name.startswith("test_")]:
    setattr(Stalls, name, None)


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main()
