"""Several front ends: live streams, and matches of people and remote bots, work whichever arena
receives a request.

Needs a server, see tests/with_postgres.py. Two arenas that play only matches with people and remote
bots, and workers with their own role, share a database and a directory of files.
"""

import base64
import contextlib
import http.client
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from accounts_server import SKIRMISH, Person, Server
from test_workers import PASSWORD, Worker, database

SECONDS = int(os.environ.get("TEST_SECONDS", "120"))
ROLE = "workers_of_front_ends"
RUN = 1 << 32  # events of the next attempt at a match have ids above this

# Answers as many turns as a file allows immediately, and the others late.
GATED_BOT = """import os, sys, time
def allowed():
    try:
        return int(open(%r).read() or 0)
    except OSError:
        return 1 << 30
turn = 0
for line in sys.stdin:
    if line.startswith('{'):
        turn += 1
        until = time.monotonic() + 4
        while turn > allowed() and time.monotonic() < until:
            time.sleep(0.01)
    print('{"moves": []}', flush=True)
"""


class Stream:
    """A stream of server-sent events, as a browser reads it."""

    def __init__(self, server, path, after=None, headers=()):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        given = dict(headers)
        if after is not None:
            given["Last-Event-ID"] = str(after)
        self.connection.request("GET", path, headers=given)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def next(self):
        """Returns the next event as (id, name, data), or None at the end."""
        fields = {}
        for raw in self.response:
            line = raw.decode().rstrip("\n")
            if not line and "event" in fields:
                return int(fields.get("id", 0)), fields["event"], json.loads(fields["data"])
            name, _, value = line.partition(": ")
            fields[name] = value
        return None

    def take(self, count):
        return [self.next() for _ in range(count)]

    def take_run(self, run, count):
        """Returns the first events of an attempt at the match; skips those of earlier attempts."""
        event = self.next()
        while event[0] < run * RUN:
            event = self.next()
        return [event, *self.take(count - 1)]

    def rest(self):
        return list(iter(self.next, None))

    def close(self):
        self.response.close()
        self.connection.close()


class Balancer:
    """A load balancer without sticky sessions: each request goes to the next server."""

    def __init__(self, servers):
        self.servers = itertools.cycle(servers)
        self.lock = threading.Lock()
        self.counts = {server.port: 0 for server in servers}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        """Forwards one request and its response."""
        with client, contextlib.suppress(OSError):
            text = b""
            while b"\r\n\r\n" not in text:
                got = client.recv(65536)
                if not got:
                    return
                text += got
            head, _, body = text.partition(b"\r\n\r\n")
            lines = [
                line
                for line in head.split(b"\r\n")
                if not line.lower().startswith((b"connection:", b"expect:"))
            ]
            if b"100-continue" in head.lower():
                client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head.lower())
            while length and len(body) < int(length[1]):
                body += client.recv(65536)
            with self.lock:
                port = next(self.servers).port
                self.counts[port] += 1
            with socket.create_connection(("127.0.0.1", port)) as server:
                head = b"\r\n".join([*lines, b"Connection: close"])
                server.sendall(head + b"\r\n\r\n" + body)
                while got := server.recv(65536):
                    client.sendall(got)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


class FrontEnds(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-front-ends-")
        cls.files = os.path.join(cls.directory, "files")
        cls.gate = os.path.join(cls.directory, "gate")
        cls.store = database("front_ends")
        cls.worker_store = cls.store.replace(f"skirmish:{PASSWORD}", f"{ROLE}:{PASSWORD}")
        cls.servers, cls.workers = [], []
        try:
            cls.one, cls.other = cls.serve("one"), cls.serve("other")
            cls.grant()
            cls.start_worker("first")
            cls.ann = Person(cls.one)
            assert cls.ann.register("ann").status == 201
            cls.upload("gated", GATED_BOT % cls.gate)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        statuses = [process.stop() for process in cls.workers]
        logs = [worker.read_log() for worker in cls.workers]
        logs += [server.log() for server in cls.servers]
        statuses += [process.stop() for process in cls.servers]
        shutil.rmtree(cls.directory)
        assert not any(statuses), f"exit statuses: {statuses}"
        assert PASSWORD not in "".join(logs), "a log has the password of the database"
        assert "permission denied" not in "".join(logs), logs

    @classmethod
    def serve(cls, name):
        directory = os.path.join(cls.directory, name)
        os.mkdir(directory)
        options = ("--store", cls.store, "--files", cls.files, "--jobs", "0")
        server = Server(directory, *options, "--people-per-address", "50")
        cls.servers.append(server)
        return server

    @classmethod
    def grant(cls):
        """Creates the role of the workers."""
        create = f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'"
        subprocess.run(["psql", "-q", cls.store, "-c", create], check=True)
        grants = subprocess.run(
            [SKIRMISH, "worker", "--print-grants", ROLE], check=True, capture_output=True
        )
        subprocess.run(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1", cls.store], check=True, input=grants.stdout
        )

    @classmethod
    def start_worker(cls, name):
        worker = Worker(cls.directory, name, cls.worker_store, cls.files)
        cls.workers.append(worker)
        return worker

    @classmethod
    def upload(cls, name, source):
        made = cls.ann.ask("POST", "/api/v1/bots", {"game": "planetwars", "name": name})
        assert made.status == 201, made.body
        version = {"file_name": "bot.py", "source": source}
        made = cls.ann.ask("POST", f"/api/v1/bots/ann/{name}/versions", version)
        assert made.status == 201, made.body
        # Wait for the check, because the gate would slow it down as well.
        path = f"/api/v1/bots/ann/{name}"
        cls.until(lambda: cls.ann.ask("GET", path).json["active_version"])
        cls.until(lambda: cls.ann.ask("GET", path).json["version"]["check"]["state"] == "done")

    @classmethod
    def until(cls, condition):
        """Waits until condition() is true; rate limits allow 4 requests/s."""
        until = time.monotonic() + SECONDS
        while not (found := condition()):
            assert time.monotonic() < until, f"the condition was not met within {SECONDS} s"
            time.sleep(0.25)
        return found

    @classmethod
    def query(cls, sql):
        done = subprocess.run(
            ["psql", "-qAt", cls.store, "-c", sql], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def allow(self, turns):
        """Lets the gated bot answer this many turns, or all if `turns` is None."""
        if turns is None:
            os.remove(self.gate)
            return
        with open(self.gate + ".new", "w") as file:
            file.write(str(turns))
        os.rename(self.gate + ".new", self.gate)

    def setUp(self):
        self.allow(0)
        self.addCleanup(lambda: os.path.exists(self.gate) and os.remove(self.gate))

    def play(self):
        """Requests a match of the gated bot; returns its id."""
        match = {
            "game": "planetwars",
            "turn_time": 5000,
            "seats": [{"bot": "ann/gated"}, {"bot": "house/planetwars-random"}],
        }
        made = self.ann.ask("POST", "/api/v1/matches", match)
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/matches/{made.json['id']}/call-off"
        self.addCleanup(self.ann.ask, "POST", path)  # other tests need the worker
        return made.json["id"]

    def watch(self, server, match, after=None):
        stream = Stream(server, f"/api/v1/matches/{match}/live", after)
        self.assertEqual(stream.status, 200)
        self.addCleanup(stream.close)
        return stream

    # ---- viewers ----

    def test_viewers_on_all_front_ends_see_a_match_of_a_worker_live(self):
        match = self.play()
        at_one = self.watch(self.one, match)
        self.assertEqual(at_one.next()[:2], (1, "start"))
        self.allow(3)
        seen = at_one.take(3)
        self.assertEqual([(id, name) for id, name, _ in seen], [(i, "turn") for i in (2, 3, 4)])
        # A late viewer on the other front end gets the same events, with the same ids.
        at_other = self.watch(self.other, match)
        self.assertEqual(at_other.take(4)[1:], seen)

        # A browser that was connected to one front end continues on the other one.
        at_one.close()
        moved = self.watch(self.other, match, after=3)
        self.assertEqual(moved.next(), seen[-1])
        self.allow(5)
        later = at_other.take(2)
        self.assertEqual([id for id, _, _ in later], [5, 6])
        self.assertEqual(moved.take(2), later)
        back = self.watch(self.one, match, after=6)
        self.allow(None)
        ends = [at_other.rest(), moved.rest(), back.rest()]
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])
        self.assertEqual([id for id, _, _ in ends[0]], list(range(7, 7 + len(ends[0]))))
        self.assertEqual(ends[0][-1][1], "end")
        self.assertEqual(len(ends[0][-1][2]["players"]), 2)
        # The events do not stay in the database.
        self.until(lambda: self.query("SELECT count(*) FROM relay") == "0")

    def test_a_stream_can_continue_on_another_front_end(self):
        match = self.play()
        at_one = self.watch(self.one, match)
        self.allow(3)
        seen = at_one.take(4)
        at_other = self.watch(self.other, match, after=2)
        self.assertEqual(at_other.take(2), seen[2:])

    def test_nothing_is_written_for_a_match_that_nobody_watches(self):
        match = self.play()
        self.until(
            lambda: self.ann.ask("GET", f"/api/v1/matches/{match}").json["state"] == "playing"
        )
        self.allow(None)
        self.until(lambda: self.ann.ask("GET", f"/api/v1/matches/{match}").json["state"] == "over")
        self.assertEqual(
            self.query(f"SELECT count(*) FROM relay WHERE topic = 'match-{match}'"), "0"
        )

    def test_viewers_see_a_match_start_again_if_its_worker_dies(self):
        match = self.play()
        streams = [self.watch(server, match) for server in self.servers]
        self.allow(2)
        first = [stream.take(3) for stream in streams]
        self.assertEqual(first[0], first[1])
        self.assertEqual([id for id, _, _ in first[0]], [1, 2, 3])
        worker = self.workers.pop()
        worker.kill()
        self.start_worker(worker.directory)  # its start proves that its predecessor is gone
        again = [stream.take_run(1, 3) for stream in streams]
        self.assertEqual(again[0], again[1])
        self.assertEqual(
            [(id, name) for id, name, _ in again[0]],
            [(RUN + 1, "start"), (RUN + 2, "turn"), (RUN + 3, "turn")],
        )
        # A viewer who reconnects with an id of the first attempt sees the second one.
        late = self.watch(self.one, match, after=3)
        self.assertEqual(late.take_run(1, 3), again[0])
        self.allow(None)
        ends = [stream.rest() for stream in (*streams, late)]
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])
        self.assertEqual(ends[0][-1][1], "end")

    def test_viewers_are_notified_that_a_match_was_cancelled(self):
        match = self.play()
        streams = [self.watch(server, match) for server in self.servers]
        for stream in streams:
            self.assertEqual(stream.next()[1], "start")
        gone = self.ann.ask("POST", f"/api/v1/matches/{match}/call-off")
        self.assertIn(gone.status, (200, 204), gone.body)
        ends = [stream.rest() for stream in streams]
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0][-1][1], "end")

    # ---- tournaments ----

    def leader(self):
        for server in self.servers:
            metrics = Person(server).ask("GET", "/metrics").body.decode()
            if re.search(r"^skirmish_leader 1$", metrics, re.M):
                return server
        return None

    def test_a_tournament_is_live_on_every_front_end(self):
        leader = self.until(self.leader)
        other = next(server for server in self.servers if server is not leader)
        admin = Person(other)
        self.assertEqual(admin.log_in("admin", self.one.password).status, 200)
        plan = {"name": "Cup", "game": "planetwars", "format": "round-robin", "games": 2}
        made = admin.ask("POST", "/api/v1/tournaments", plan)
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/tournaments/{made.json['id']}"
        for bot in ("planetwars-random", "planetwars-medium"):
            entered = admin.ask("POST", path + "/entrants", {"owner": "house", "bot": bot})
            self.assertEqual(entered.status, 201, entered.body)
        streams = [Stream(server, path + "/live") for server in (leader, other)]
        activity = Stream(other, "/api/v1/activity/live")
        for stream in (*streams, activity):
            self.addCleanup(stream.close)
        started = admin.ask("POST", path + "/start")
        self.assertEqual(started.status, 200, started.body)
        on_leader, on_other = (stream.rest() for stream in streams)
        self.assertEqual(on_other, on_leader)
        names = [name for _, name, _ in on_other]
        self.assertEqual(names.count("match"), 4)
        self.assertEqual(names[-1], "standings")
        self.assertTrue(on_other[-1][2]["finished"])
        # Pages that list tournaments are also notified of the leader's changes.
        heard = []
        while heard.count("tournament") < 2:
            heard.append(activity.next()[1])

    # ---- seats ----

    def join(self, server, **more):
        """Requests a seat for a person; returns its secret and its match."""
        seat = {"game": "planetwars", "person": True, "opponents": ["house/planetwars-medium"]}
        self.ann.server = server
        made = self.ann.ask("POST", "/api/v1/join", {**seat, **more})
        self.assertEqual(made.status, 201, made.body)
        self.addCleanup(self.ann.ask, "DELETE", f"/api/v1/join/{made.json['seat']}")
        return made.json["seat"], made.json["match"]

    def follow(self, server, seat, after=None):
        headers = {"Cookie": f"{self.ann.cookie_name}={self.ann.cookie}"}
        stream = Stream(server, f"/api/v1/join/{seat}/events", after, headers.items())
        self.addCleanup(stream.close)
        return stream

    def say(self, server, seat, query="", body=b""):
        self.ann.server = server
        return self.ann.ask(
            "POST",
            f"/api/v1/join/{seat}/answers{query}",
            body,
            {"Content-Type": "application/octet-stream"},
        )

    def test_a_person_can_play_through_any_front_end(self):
        self.addCleanup(setattr, self.ann, "server", self.one)
        turns = itertools.cycle([self.other, self.one])
        seat, match = self.join(self.one)
        stream = self.follow(next(turns), seat)
        self.assertEqual(stream.status, 200)
        run, sent, text, last, views = 0, 0, b"", 0, 0
        answer = b'{"moves": []}\n'
        while True:
            last, name, data = stream.next()
            if name == "end":
                break
            if name == "start":
                run, sent = data["run"], 0
            if name != "view":
                continue
            *lines, text = (text + base64.b64decode(data["bytes"])).split(b"\n")
            for _ in lines:
                said = self.say(next(turns), seat, f"?run={run}&at={sent}", answer)
                self.assertIn(said.status, (204, 409), said.body)  # it may have ended
                sent += len(answer) if said.status == 204 else 0
                views += 1
            if views % 5 == 4:  # lose the connection, and reconnect to the other front end
                stream.close()
                stream = self.follow(next(turns), seat, after=last)
                self.assertEqual(stream.status, 200)
        self.assertEqual(data, {"match": match, "state": "over"})
        self.assertGreater(views, 10)
        over = self.ann.ask("GET", f"/api/v1/matches/{match}").json
        own = next(player for player in over["players"] if player["name"] == "ann (in person)")
        self.assertIsNone(own["failure"])
        # The front end that owns the seat remembers it for a while.
        self.assertEqual(self.say(self.one, seat).status, 204)

    def test_strangers_cannot_find_or_use_a_seat(self):
        self.addCleanup(setattr, self.ann, "server", self.one)
        seat, _ = self.join(self.one)
        bob = Person(self.other)
        self.assertEqual(bob.register("bob").status, 201)
        for secret, status in ((seat, 404), (seat[:-1] + "~", 404), ("x", 404)):
            path = f"/api/v1/join/{secret}"
            self.assertEqual(bob.ask("POST", path + "/answers", b"").status, status)
            self.assertEqual(bob.ask("GET", path + "/events").status, status)
            self.assertEqual(bob.ask("DELETE", path).status, status)
        self.assertEqual(self.say(self.other, seat).status, 204)
        # The front end that owns the seat checks positions.
        self.assertEqual(self.say(self.other, seat, "?run=77&at=0", b"x").status, 409)
        left = self.ann.ask("DELETE", f"/api/v1/join/{seat}")  # through the other front end
        self.assertEqual(left.status, 204)
        rows = self.query(
            "SELECT string_agg(t::text, ' ') FROM (SELECT r::text t FROM remote_seats r UNION ALL "
            "SELECT c::text FROM seat_calls c UNION ALL SELECT e::text FROM seat_relay e) x"
        )
        self.assertIn("seat-", rows)
        self.assertNotIn(seat, rows)

    def test_a_remote_bot_plays_through_a_load_balancer(self):
        balancer = Balancer(self.servers)
        self.addCleanup(balancer.close)
        environment = dict(os.environ, XDG_CONFIG_HOME=os.path.join(self.directory, "config"))
        url = f"http://127.0.0.1:{balancer.port}"
        bot = "planetwars-random"

        def skirmish(*arguments, text=""):
            done = subprocess.run(
                [SKIRMISH, *arguments],
                cwd=self.directory,
                env=environment,
                input=text,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout

        skirmish("login", url, "--register", "--name", "carol", text="correct horse battery\n")
        played = skirmish(
            *("join", url, "--json", "--game", "planetwars", "--against", f"house/{bot}"),
            *("--", "house:medium"),
        )
        match = json.loads(played)
        self.assertEqual(match["state"], "over")
        self.assertEqual([player["failure"] for player in match["players"]], [None, None])
        self.assertGreater(min(balancer.counts.values()), 10, balancer.counts)

    def test_a_match_with_people_is_cancelled_if_its_front_end_dies(self):
        self.addCleanup(setattr, self.ann, "server", self.one)
        third = self.serve("third")
        seat, match = self.join(third)
        stream = self.follow(self.one, seat)
        self.assertEqual(stream.next()[1], "start")
        third.process.kill()
        third.process.wait()
        self.servers.remove(third)
        third.stop()
        self.assertEqual(self.say(self.one, seat).status, 503)
        # As if a minute had passed.
        self.query("UPDATE workers SET seen = 0 WHERE kind = 0")
        self.query(f"UPDATE jobs SET expires = 1 WHERE match = {match}")
        events = stream.rest()
        self.assertEqual(
            events[-1][1:],
            (
                "end",
                {"match": match, "state": "called_off", "reason": "the arena was restarted"},
            ),
        )

    def test_workers_cannot_read_what_players_receive(self):
        for sql in (
            "SELECT topic FROM remote_seats",
            "SELECT question FROM seat_calls",
            "INSERT INTO seat_calls (topic, question, asked) VALUES ('', '', 0)",
            "SELECT data FROM seat_relay",
            "INSERT INTO seat_relay VALUES ('', 1, '', 0)",
            "SELECT data FROM relay",
        ):
            done = subprocess.run(
                ["psql", "-q", self.worker_store, "-c", sql], capture_output=True, text=True
            )
            self.assertIn("permission denied", done.stderr)


if __name__ == "__main__":
    unittest.main()
