"""kill -9 of the server and of runners, at random moments and under load.

After a restart the queue drains, every match has exactly one result, and nothing that the arena
has confirmed is lost or incomplete.

    KILLS=100 TEST_SEED=1 SKIRMISH=... SEED=... python3 tests/arena/test_kill.py
"""

import collections
import http.client
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from accounts_server import Person
from join_server import descendants, groups, processes
from matches_server import SKIRMISH, Arena

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from house import BETTER

KILLS = int(os.environ.get("KILLS", "8"))
VISITORS = 3
BROKEN = (OSError, http.client.HTTPException)  # errors of a client whose server was killed

PYTHON = """import sys
for line in sys.stdin:  # %s
    print('{"moves": []}', flush=True)
"""
C = """#include <stdio.h>
int main(void) { /* %s */
    for (int byte; (byte = getchar()) != EOF;)
        if (byte == '\\n') {
            puts("{\\"moves\\": []}");
            fflush(stdout);
        }
    return 0;
}
"""


class World:
    """What visitors requested (`tried`), and what the arena confirmed."""

    def __init__(self, arena):
        self.arena = arena
        self.serving = threading.Event()
        self.over = threading.Event()
        self.tried_people = {}  # name: password
        self.people = set()
        self.tried_sources = collections.defaultdict(set)  # (owner, bot): sources
        self.bots = set()
        self.versions = {}  # id: (owner, bot, source)
        self.matches = set()
        self.faults = []
        self.broken = 0


class Visitor(threading.Thread):
    """Someone who keeps using the arena, even while it is down."""

    def __init__(self, world, number, seed):
        super().__init__()
        self.world, self.number, self.random = world, number, random.Random(seed)
        self.people = []  # accounts of this thread, with the names of their bots
        self.count = 0

    def run(self):
        steps = {self.play: 6, self.play_code: 1, self.register: 2, self.upload: 3, self.look: 6}
        while True:
            self.world.serving.wait()
            if self.world.over.is_set():
                return
            try:
                self.random.choices(list(steps), list(steps.values()))[0]()
            except BROKEN:
                self.world.broken += 1
            except Exception as error:  # reported at the end of the test
                self.world.faults.append(repr(error))
                return
            time.sleep(self.random.random() * 0.1)  # between two actions of a person

    def ask(self, person, method, path, body=None, good=200):
        """The response, or None if the arena is too busy."""
        answer = person.ask(method, path, body)
        if answer.status in (429, 503):
            return None
        if answer.status != good:
            self.world.faults.append("%s %s: %d %s" % (method, path, answer.status, answer.body))
            return None
        return answer

    def somebody(self):
        return self.random.choice(self.people) if self.people else (None, [])

    def new_name(self, what):
        self.count += 1
        return "%s-%d-%d" % (what, self.number, self.count)

    def register(self):
        name, person = self.new_name("person"), Person(self.world.arena)
        if len(self.people) == 12:
            return
        person.name = name
        self.world.tried_people[name] = "correct horse " + name
        if self.ask(
            person,
            "POST",
            "/api/v1/register",
            {"name": name, "password": self.world.tried_people[name]},
            201,
        ):
            self.world.people.add(name)
            self.people.append((person, []))

    def upload(self):
        person, bots = self.somebody()
        if not person:
            return
        if not bots or self.random.random() < 0.3:
            name = self.new_name("bot")
            self.world.tried_sources[person.name, name] = set()
            if self.ask(person, "POST", "/api/v1/bots", {"game": "planetwars", "name": name}, 201):
                self.world.bots.add((person.name, name))
                bots.append(name)
        if bots:
            bot, (file, text) = self.random.choice(bots), self.random.choice(
                (("bot.py", PYTHON), ("bot.c", C))
            )
            source = text % self.new_name("version")
            self.world.tried_sources[person.name, bot].add(source)
            made = self.ask(
                person,
                "POST",
                "/api/v1/bots/%s/%s/versions" % (person.name, bot),
                {"file_name": file, "source": source},
                201,
            )
            if made:
                self.world.versions[made.json["id"]] = (person.name, bot, source)

    def ask_for(self, game, seats):
        person, _ = self.somebody()
        made = self.ask(
            person or Person(self.world.arena),
            "POST",
            "/api/v1/matches",
            {"game": game, "seats": seats},
            201,
        )
        if made:
            self.world.matches.add(made.json["id"])

    def play(self):
        game = self.random.choice(list(BETTER))
        self.ask_for(
            game, [{"bot": "house/%s-%s" % (game, BETTER[game])}, {"bot": "house/%s-random" % game}]
        )

    def play_code(self):
        self.ask_for(
            "planetwars",
            [
                {"language": "python", "source": PYTHON % "a draft"},
                {"bot": "house/planetwars-medium"},
            ],
        )

    def look(self):
        person, _ = self.somebody()
        if person:
            self.ask(person, "GET", "/api/v1/me")
        stranger = Person(self.world.arena)
        self.ask(
            stranger,
            "GET",
            self.random.choice(
                (
                    "/api/v1/matches",
                    "/api/v1/ladders/ctf",
                    "/api/v1/bots",
                    "/api/v1/queue",
                    "/healthz",
                )
            ),
        )


class Kill(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.seed = int(os.environ.get("TEST_SEED", str(time.time_ns() % 10**9)))
        print("TEST_SEED=%d KILLS=%d" % (self.seed, KILLS), flush=True)
        self.random = random.Random(self.seed)
        self.arena = Arena("--sandbox", "best-effort")
        self.addCleanup(self.arena.close)
        os.chmod(self.arena.directory, 0o755)  # each bot has its own user
        self.seen = set()  # every process of the arena before a kill

    # ---- killing ----

    def kill_server(self):
        self.world.serving.clear()
        self.arena.kill()
        self.arena.start()
        self.world.serving.set()

    def kill_runner(self):
        runners = self.arena.runners()
        if runners:
            try:
                os.kill(self.random.choice(runners), 9)
            except ProcessLookupError:
                return False
        return bool(runners)

    def kill_both(self):
        self.kill_runner()
        self.kill_server()

    def kill_start(self):
        """Kills the server, and again while it recovers."""
        self.world.serving.clear()
        self.arena.kill()
        self.arena.launch()
        time.sleep(self.random.random() * 0.4)
        self.look_at_processes()
        self.kill_server()

    def look_at_processes(self):
        self.seen |= descendants(self.arena.process.pid)

    def kill_often(self):
        ways = {self.kill_server: 45, self.kill_runner: 35, self.kill_both: 10, self.kill_start: 10}
        done = collections.Counter()
        while sum(done.values()) < KILLS:
            time.sleep(self.random.random() * 0.7)  # kill at a random moment
            self.look_at_processes()
            way = self.random.choices(list(ways), list(ways.values()))[0]
            done[way.__name__] += way() is not False
        return done

    # ---- checks ----

    def test_after_kills_nothing_is_lost_and_every_match_has_one_result(self):
        self.arena.start()
        self.arena.wait_ladder("ctf")
        self.world = World(self.arena)
        visitors = [Visitor(self.world, number, self.random.random()) for number in range(VISITORS)]
        self.world.serving.set()
        for visitor in visitors:
            visitor.start()
        began = time.monotonic()
        try:
            done = self.kill_often()
        finally:
            self.world.over.set()
            self.world.serving.set()
            for visitor in visitors:
                visitor.join()
        print(
            "%d s of %s; %d requests interrupted"
            % (time.monotonic() - began, dict(done), self.world.broken),
            flush=True,
        )
        self.assertEqual(self.world.faults, [])
        self.drain()
        self.check_people_and_bots()
        self.check_ladder()
        self.check_copy()
        self.look_at_processes()
        self.assertEqual(self.arena.stop(), (0, []))
        self.check_matches()
        self.check_leftovers()

    def drain(self):
        """Restarts the arena without a ladder, and waits until the queue is empty."""
        self.arena.kill()
        self.arena.options += ("--ladder", "off")
        began = time.monotonic()
        self.arena.start()
        self.arena.wait(lambda: not any(self.arena.get("/api/v1/queue").values()), seconds=300)
        print("%d s until the queue was empty" % (time.monotonic() - began), flush=True)

    def check_people_and_bots(self):
        people = {}
        for name, password in self.world.tried_people.items():
            person = Person(self.arena)
            found = person.ask("GET", "/api/v1/people/" + name).status
            entered = person.log_in(name, password).status
            self.assertIn((found, entered), ((200, 200), (404, 401)), name)
            if found == 200:
                people[name] = person
        self.assertLessEqual(self.world.people, set(people))
        bots, versions = set(), {}
        for owner, bot in self.world.tried_sources:
            path = "/api/v1/bots/%s/%s" % (owner, bot)
            found = people[owner].ask("GET", path).status
            self.assertIn(found, (200, 404), path)
            if found == 404:
                continue
            bots.add((owner, bot))
            for version in self.look(people[owner], path + "/versions?limit=200").json["items"]:
                self.assertEqual(version["build"], "good", version)
                source = self.look(
                    people[owner], "/api/v1/versions/%d/source" % version["id"]
                ).body.decode()
                self.assertIn(source, self.world.tried_sources[owner, bot])
                versions[version["id"]] = (owner, bot, source)
        self.assertLessEqual(self.world.bots, bots)
        self.assertLessEqual(self.world.versions.items(), versions.items())
        print(
            "%d of %d requested accounts, %d of %d bots and %d of %d versions exist, "
            "including all that the arena confirmed"
            % (
                len(people),
                len(self.world.tried_people),
                len(bots),
                len(self.world.tried_sources),
                len(versions),
                sum(map(len, self.world.tried_sources.values())),
            ),
            flush=True,
        )

    def look(self, person, path):
        answer = person.ask("GET", path)
        self.assertEqual(answer.status, 200, (path, answer.body))
        return answer

    def database(self):
        database = sqlite3.connect("file:%s/arena.db?mode=ro" % self.arena.data, uri=True)
        self.addCleanup(database.close)
        return database

    def check_ladder(self):
        """Fails unless each result counts exactly once for each bot that is still on the ladder."""

        def differences():
            database = self.database()
            active = {
                row[0]
                for row in database.execute(
                    "SELECT active FROM bots WHERE active IS NOT NULL AND retired = 0"
                )
            }
            seats = collections.defaultdict(set)
            for match, version in database.execute(
                "SELECT match, version FROM seats JOIN matches ON matches.id = match"
                " WHERE kind = 2 AND state = 2"
            ):
                seats[match].add(version)
            counted = collections.Counter(
                version
                for versions in seats.values()
                if len(versions & active) > 1
                for version in versions & active
            )
            shown = dict(database.execute("SELECT version, matches FROM ratings"))
            return {
                version: (counted[version], shown.get(version, 0))
                for version in active
                if counted[version] != shown.get(version, 0)
            }

        try:
            self.arena.wait(lambda: not differences())
        except AssertionError:
            self.fail("results of versions, and how many the ladder has: %s" % differences())

    def check_copy(self):
        """A backup reads every file of the store and checks it against its hash."""
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(
                [SKIRMISH, "backup", os.path.join(directory, "copy"), "--data", self.arena.data],
                check=True,
                capture_output=True,
            )

    def check_matches(self):
        database = self.database()
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
        self.assertEqual(database.execute("SELECT count(*) FROM jobs").fetchone(), (0,))
        rows = database.execute("SELECT id, state, result, replay FROM matches").fetchall()
        self.assertEqual([row for row in rows if row[1] != 2 or not row[2] or not row[3]], [])
        self.assertEqual(len({row[2] for row in rows}), len(rows))
        self.assertLessEqual(self.world.matches, {row[0] for row in rows})
        whole = (
            "SELECT count(*) FROM matches JOIN match_texts ON match = id WHERE verdict <> ''"
            " AND (SELECT count(*) FROM seats WHERE seats.match = id AND place > 0) > 1"
        )
        self.assertEqual(database.execute(whole).fetchone(), (len(rows),))
        files = sorted({os.path.join(self.arena.data, "files", row[3][:2], row[3]) for row in rows})
        for at in range(0, len(files), 100):
            subprocess.run(
                [SKIRMISH, "replay", "verify", *files[at : at + 100]],
                check=True,
                capture_output=True,
            )
        print(
            "%d matches, of which %d had been confirmed; %d replays verified"
            % (len(rows), len(self.world.matches), len(files)),
            flush=True,
        )

    def check_leftovers(self):
        drafts = os.path.join(self.arena.data, "drafts")  # created with the first draft
        self.assertEqual(os.listdir(drafts) if os.path.isdir(drafts) else [], [])
        self.arena.wait(lambda: not self.seen & set(processes()))
        self.assertEqual(groups(pid for pid, _ in self.seen), [])
        print("of %d processes nothing is left" % len(self.seen), flush=True)


class Stop(unittest.TestCase):
    def test_a_match_interrupted_by_a_stop_returns_to_the_queue(self):
        arena = Arena()
        self.addCleanup(arena.close)
        arena.seed("account", "olga", "1", "skt_olga")
        arena.start()
        arena.wait_ladder("planetwars")
        source = (
            "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.9)\n"
            "    print('{\"moves\": []}', flush=True)\n"
        )
        seats = [{"language": "python", "source": source}, {"bot": "house/planetwars-medium"}]
        match = arena.ask(
            "POST", "/api/v1/matches", {"game": "planetwars", "seats": seats}, token="skt_olga"
        )[2]["id"]
        arena.watch("/api/v1/matches/%d/live" % match, until="turn")
        self.assertEqual(arena.stop(), (0, []))
        database = sqlite3.connect("file:%s/arena.db?mode=ro" % arena.data, uri=True)
        self.assertEqual(
            database.execute("SELECT state FROM matches WHERE id = ?", (match,)).fetchone(), (0,)
        )
        self.assertEqual(
            database.execute(
                "SELECT expires, losses FROM jobs WHERE match = ?", (match,)
            ).fetchone(),
            (0, 0),
        )
        database.close()
        self.assertEqual(os.listdir(os.path.join(arena.data, "drafts")), [])
        arena.start()
        arena.watch("/api/v1/matches/%d/live" % match, until="turn")


if __name__ == "__main__":
    unittest.main()
