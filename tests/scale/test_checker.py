#!/usr/bin/env python3
"""The checker of the fault tests finds all damage, and nothing in a healthy store.

Needs a server, see tests/with_postgres.py. An arena plays some matches; then each test
damages the store in a transaction, reads it as the checker does, and rolls back.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, TESTS, os.path.join(TESTS, "arena")]

import checker
import cluster
import hosts
from accounts_server import SKIRMISH, Person, Server, wait_for

URI = os.environ["TEST_POSTGRES"]
BOT = """import sys
for line in sys.stdin:  # %s
    print('{"moves": []}', flush=True)
"""
SECONDS = 120


class Damage(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-checker-")
        subprocess.run(["psql", "-q", URI, "-c", "CREATE DATABASE checker"], check=True)
        cls.store = URI.rsplit("/", 1)[0] + "/checker"
        cls.files = os.path.join(cls.directory, "files")
        cls.history = []
        cls.replays = checker.Replays(SKIRMISH)
        try:
            cls.play()
        except BaseException:
            shutil.rmtree(cls.directory)
            raise

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    @classmethod
    def play(cls):
        """Plays matches, a ladder and a tournament with a person's bot; records the history."""
        places = ("--store", cls.store, "--files", cls.files, "--people-per-address", "1000")
        server = Server(cls.directory, *places, "--house-bots", "random", ladder="on")
        try:
            cls.use(server)
            wait_for(lambda: not cls.look(), SECONDS)
        finally:
            server.stop()
        # The next arena counts matches that are played while this one stops. Without a ladder, it
        # has nothing else to do.
        server = Server(cls.directory, *places, "--house-bots", "random", change_password=False)
        try:
            ask = Person(server).ask
            wait_for(lambda: ask("GET", "/api/v1/ladders/planetwars").json["items"], SECONDS)
            wait_for(lambda: not cls.look(), SECONDS)
        finally:
            server.stop()

    @classmethod
    def note(cls, op, made, value, **about):
        assert made.status in (200, 201), made.body
        cls.history.append({"type": "ok", "op": op, "value": value, "at": 0, **about})

    @classmethod
    def use(cls, server):
        admin, ann = Person(server), Person(server)
        assert admin.log_in("admin", server.password).status == 200
        cls.note("account", ann.register("ann"), "ann", name="ann")
        made = ann.ask("POST", "/api/v1/bots", {"game": "planetwars", "name": "bot"})
        cls.note("bot", made, "bot", owner="ann", name="bot")
        source = BOT % "one"
        body = {"file_name": "bot.py", "source": source}
        made = ann.ask("POST", "/api/v1/bots/ann/bot/versions", body)
        name = checker.file_name(source)
        cls.version = made.json["id"]
        cls.note("upload", made, cls.version, owner="ann", name="bot", source=name)
        wait_for(lambda: ann.ask("GET", "/api/v1/bots/ann/bot").json["active_version"], SECONDS)
        for _ in range(2):
            seats = [{"bot": "ann/bot"}, {"bot": "house/planetwars-random"}]
            made = ann.ask("POST", "/api/v1/matches", {"game": "planetwars", "seats": seats})
            cls.note("match", made, made.json["id"])
        cls.match = made.json["id"]
        plan = {"name": "Cup", "game": "planetwars", "format": "round-robin", "games": 2}
        made = admin.ask("POST", "/api/v1/tournaments", plan)
        cls.tournament = made.json["id"]
        cls.note("tournament", made, cls.tournament)
        path = f"/api/v1/tournaments/{cls.tournament}"
        for owner, bot in (("ann", "bot"), ("house", "planetwars-random")):
            admin.ask("POST", path + "/entrants", {"owner": owner, "bot": bot})
        made = admin.ask("POST", path + "/start")
        cls.note("start", made, cls.tournament, tournament=cls.tournament)
        wait_for(lambda: admin.ask("GET", path).json["state"] == "over", SECONDS)
        wait_for(lambda: cls.query("SELECT count(*) FROM ratings") > "1", SECONDS)

    @classmethod
    def query(cls, sql):
        done = subprocess.run(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", cls.store],
            input=sql,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @classmethod
    def look(cls, damage="", history=None, files=None, settled=True):
        """Returns the violations that the checker finds in the damaged store."""
        text = cls.query(f"BEGIN;\n{damage};\n{checker.SELECTS}ROLLBACK;\n")
        return checker.violations(
            cls.history if history is None else history,
            checker.read_dump(text),
            checker.read_files(cls.files) if files is None else files,
            cls.replays,
            settled,
        )

    def require(self, what, *arguments, **options):
        """Fails unless the checker finds exactly this kind of violation."""
        found = self.look(*arguments, **options)
        self.assertEqual({kind for kind, _ in found}, {what}, found)

    def one(self, table, column):
        which = "language <> 'house'" if table == "versions" else f"{column} <> ''"
        return self.query(f"SELECT {column} FROM {table} WHERE {which} LIMIT 1").strip()

    def damaged_file(self, table, column, change):
        """Returns the files of the store, with a changed copy in place of one of them."""
        files = checker.read_files(self.files)
        name = self.one(table, column)
        with open(files[name], "rb") as file:
            content = change(file.read())
        files[name] = os.path.join(self.directory, "damaged-" + self.id())
        with open(files[name], "wb") as file:
            file.write(content)
        return files

    def without(self, table, column):
        files = checker.read_files(self.files)
        del files[self.one(table, column)]
        return files

    def test_a_healthy_store_has_no_violations(self):
        self.assertEqual(self.look(), [])
        self.assertGreater(int(self.query("SELECT count(*) FROM matches WHERE kind = 2")), 0)
        self.assertGreater(int(self.query("SELECT count(*) FROM records")), 0)

    # ---- accounts and uploads ----

    def test_a_lost_account_is_found(self):
        self.require(
            "account lost",
            "UPDATE accounts SET name = 'other' WHERE name = 'ann'",
            history=[e for e in self.history if e["op"] == "account"],
        )

    def test_an_account_that_was_created_twice_is_found(self):
        again = [{"type": "ok", "op": "account", "value": 1, "name": "ann"}]
        self.require("account twice", history=self.history + again)
        copy = (
            "INSERT INTO accounts (name, name_key, password, role, state, created) "
            "SELECT name, name_key || '2', password, role, state, created FROM accounts "
            "WHERE name = 'ann'"
        )
        self.require("account twice", copy)

    def test_a_lost_session_is_found(self):
        seen = [{"type": "seen", "op": "session", "name": "ann", "status": 401, "at": 1}]
        self.require("session lost", history=self.history + seen)

    def test_a_lost_bot_is_found(self):
        self.require(
            "bot lost",
            "UPDATE bots SET name = 'other' WHERE name = 'bot'",
            history=[e for e in self.history if e["op"] == "bot"],
        )

    def test_a_lost_upload_is_found(self):
        lost = [{**e, "value": 9999} for e in self.history if e["op"] == "upload"]
        self.require("upload lost", history=lost)
        other = "(SELECT replay FROM matches WHERE replay <> '' LIMIT 1)"
        self.require(
            "upload lost", f"UPDATE versions SET source = {other} WHERE id = {self.version}"
        )

    def test_a_lost_or_damaged_source_is_found(self):
        self.require("source lost", files=self.without("versions", "source"))
        damaged = self.damaged_file("versions", "source", lambda content: content[:-1])
        self.require("source lost", files=damaged)

    # ---- matches ----

    def test_a_lost_match_is_found(self):
        lost = [{"type": "ok", "op": "match", "value": 9999}]
        self.require("match lost", history=self.history + lost)

    def test_a_lost_tournament_is_found(self):
        lost = [{"type": "ok", "op": "tournament", "value": 9999}]
        self.require("tournament lost", history=self.history + lost)
        self.require("tournament lost", "UPDATE tournaments SET state = 0")

    def test_a_tournament_that_does_not_end_is_found(self):
        self.require("tournament stuck", "UPDATE tournaments SET state = 1")

    def test_a_match_that_nobody_will_play_is_found(self):
        lost = f"UPDATE matches SET state = 0, result = NULL, replay = '' WHERE id = {self.match}"
        found = {kind for kind, _ in self.look(lost)}
        self.assertEqual(found, {"match stuck", "record wrong"})  # its result was counted

    def test_a_job_of_a_match_that_has_ended_is_found(self):
        job = (
            "INSERT INTO jobs (kind, urgency, match, attempt, losses, expires, holder, trouble, "
            f"requester) VALUES (2, 1, {self.match}, 1, 0, 0, '', '', '')"
        )
        self.require("job left", job)
        self.require("job left", job, settled=False)

    def test_a_result_number_of_several_matches_is_found(self):
        drop = "ALTER TABLE matches DROP CONSTRAINT matches_result_key"
        twice = "UPDATE matches SET result = (SELECT max(result) FROM matches)"
        found = self.look(f"{drop}; {twice} WHERE result = (SELECT max(result) - 1 FROM matches)")
        self.assertIn("result twice", {kind for kind, _ in found})

    def test_a_result_that_changed_is_found(self):
        seen = [
            {"type": "seen", "op": "look", "match": self.match, "result": result}
            for result in ("one", "other")
        ]
        self.require("result twice", history=self.history + seen)

    def test_a_tournament_match_that_was_played_twice_is_found(self):
        found = self.look(
            "DROP INDEX matches_tournament_fixture_leg_key;"
            "UPDATE matches SET leg = 0, fixture = 0 WHERE tournament IS NOT NULL"
        )
        self.assertEqual({kind for kind, _ in found}, {"result twice"})

    def test_an_incomplete_result_is_found(self):
        self.require(
            "result incomplete",
            f"UPDATE match_texts SET verdict = NULL WHERE false; "
            f"DELETE FROM match_texts WHERE match = {self.match}",
        )
        found = self.look(f"UPDATE seats SET place = 0 WHERE match = {self.match} AND seat = 0")
        self.assertIn("result incomplete", {kind for kind, _ in found})

    # ---- replays ----

    def test_a_lost_replay_is_found(self):
        self.require("replay lost", files=self.without("matches", "replay"))
        self.require("replay lost", f"UPDATE matches SET replay = '' WHERE id = {self.match}")

    def test_an_altered_replay_is_found(self):
        for change in (
            lambda content: content[: len(content) // 2],
            lambda content: content[:-20] + bytes([content[-20] ^ 1]) + content[-19:],
        ):
            damaged = self.damaged_file("matches", "replay", change)
            self.require("replay damaged", files=damaged)
            self.replays.good -= set(damaged.values())

    def test_the_replay_of_another_match_is_found(self):
        for damage in (
            f"replay = (SELECT max(replay) FROM matches WHERE id <> {self.match})",
            "turns = turns + 1",
            "reason = 'another'",
        ):
            self.require("replay wrong", f"UPDATE matches SET {damage} WHERE id = {self.match}")
        found = self.look(f"UPDATE seats SET place = 3 - place WHERE match = {self.match}")
        self.assertIn("replay wrong", {kind for kind, _ in found})

    # ---- what is counted ----

    def test_a_wrong_record_is_found(self):
        self.require("record wrong", "UPDATE records SET won = won + 1")
        self.require("record wrong", "DELETE FROM records")

    def test_results_that_were_not_counted_are_found(self):
        found = self.look("UPDATE results SET last = last - 1")
        self.assertEqual({kind for kind, _ in found} - {"streak wrong"}, {"record wrong"})

    def test_a_wrong_streak_is_found(self):
        self.require("streak wrong", "UPDATE streaks SET longest = longest + 1")

    def test_a_wrong_rating_is_found(self):
        self.require("rating wrong", "UPDATE ratings SET rating = rating + 100")
        self.require("rating wrong", "UPDATE ratings SET matches = matches + 1, won = won + 1")
        self.require("rating wrong", "DELETE FROM ratings")

    # ---- programs ----

    def silent(self, damage, holder):
        """Whether Cluster.silent reports a worker after this damage."""
        worker = types.SimpleNamespace(name="worker1", holder=holder)

        def psql(sql):
            return types.SimpleNamespace(stdout=self.query(f"BEGIN; {damage}; {sql}; ROLLBACK"))

        fake = types.SimpleNamespace(workers=[worker], psql=psql)
        return cluster.Cluster.silent(fake, [worker]) == ["worker1"]

    def test_a_worker_that_does_not_work_is_found(self):
        holder = self.query("SELECT name FROM workers ORDER BY started DESC LIMIT 1").strip()
        beat = "UPDATE workers SET state = {}, seen = extract(epoch FROM clock_timestamp()) * 1000"
        self.assertFalse(self.silent(beat.format(0), holder))
        self.assertTrue(self.silent(beat.format(0) + " - 60000", holder))
        self.assertTrue(self.silent(beat.format(0) + " + 60000", holder))
        self.assertTrue(self.silent(beat.format(5), holder))  # it starts no runners
        self.assertTrue(self.silent(beat.format(0), "another"))

    def test_a_program_that_exited_is_found(self):
        for expected, ready, status, found in (
            (False, True, 0, True),
            (False, False, 1, True),
            (False, False, 2, False),  # the program could not start
            (True, True, 1, False),  # the test killed it
        ):
            member = cluster.Member.__new__(cluster.Member)
            member.cluster = types.SimpleNamespace(deaths=[])
            member.name, member.expected, member.ready = "worker1", expected, ready
            member.output = lambda: "its last words"
            member.process = subprocess.Popen(["sh", "-c", f"exit {status}"])
            member.process.wait()
            member.record_exit()
            self.assertEqual(len(member.cluster.deaths), found)

    def test_processes_that_were_left_are_found(self):
        # The child prints its pid itself: before it has executed its program, it looks like its
        # parent.
        child = '$| = 1; print "$$\\n"; sleep 1000'
        program = ["sh", "-c", 'perl -e "$1" & wait', "sh", child]
        parent = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.wait)
        self.addCleanup(parent.kill)
        left = int(parent.stdout.readline())
        self.addCleanup(os.kill, left, signal.SIGKILL)
        fake = types.SimpleNamespace(fronts=[], workers=[types.SimpleNamespace(process=parent)])
        self.assertEqual(cluster.Cluster.bots(fake), [f"{left} perl -e {child}"])
        self.assertNotIn(left, hosts.orphans([parent.pid]))
        parent.kill()
        parent.wait()
        self.assertIn(left, hosts.orphans([parent.pid, os.getpid()]))


if __name__ == "__main__":
    unittest.main()
