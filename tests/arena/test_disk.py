"""How much strangers can store on the arena's disk, and what it costs to read it again."""

import base64
import concurrent.futures
import contextlib
import io
import json
import os
import re
import sqlite3
import subprocess
import time
import unittest
import zipfile

from matches_server import SKIRMISH, Arena

CALM = """import sys
for line in sys.stdin:
    print('{"moves": []}', flush=True)
"""
GREEDY = """import sys
for line in sys.stdin:
    print('{"moves": []}' + ' ' * 3000, flush=True)
"""


def draft(source):
    return {"language": "python", "source": source}


def zipped(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def archive(source):
    return {"archive": base64.b64encode(zipped(main_py=source)).decode()}


class Disk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arena = Arena(
            "--people-per-address", "20", "--ladder", "off", "--replay-max", "40000",
            "--disk-max", "3000000",
        )  # fmt: skip
        cls.arena.seed("account", "alice", "0", "skt_alice", "account", "ada", "2", "skt_ada")
        cls.arena.start()

    @classmethod
    def tearDownClass(cls):
        try:
            status, left = cls.arena.stop()
            assert status == 0 and not left, (status, left)
        finally:
            cls.arena.close()

    def play(self, *seats, **more):
        """Plays a match to its end; returns it."""
        body = dict(more, game="planetwars", seats=list(seats))
        status, _, match = self.arena.ask("POST", "/api/v1/matches", body)
        self.assertEqual(status, 201, match)
        return dict(self.arena.wait_over(match["id"]), key=match["key"])

    def test_drafts_that_pad_their_answers_leave_a_small_replay(self):
        match = self.play(draft(GREEDY), draft(GREEDY))
        for player in match["players"]:
            self.assertEqual(player["status"], "too much output")
            self.assertIn("all answers together exceed 40000 bytes", player["failure"])
        status, headers, replay = self.arena.ask("GET", "/api/v1/matches/%d/replay" % match["id"])
        self.assertEqual(status, 200)
        self.assertLess(len(replay), 40000)
        path = os.path.join(self.arena.directory, "padded.skr")
        with open(path, "wb") as file:
            file.write(replay)
        verified = subprocess.run([SKIRMISH, "replay", "verify", path], capture_output=True)
        self.assertEqual(verified.returncode, 0, verified)

    def upload(self, bot, size):
        """Uploads a version whose build leaves `size` bytes; returns it after the build."""
        about = {"build": "head -c %d /dev/zero > left" % size, "run": "/usr/bin/python3 main.py"}
        status, _, version = self.arena.ask(
            "POST",
            "/api/v1/bots/alice/%s/versions?file_name=bot.zip" % bot,
            zipped(main_py=CALM, bot_json=json.dumps(dict(about, name=bot))),
            token="skt_alice",
        )
        self.assertEqual(status, 201, version)
        path = "/api/v1/versions/%d" % version["id"]
        return self.arena.wait(
            lambda: (lambda found: found["build"] != "waiting" and found)(self.arena.get(path))
        )

    def ask_alice(self, method, path, body=None):
        return self.arena.ask(method, path, body, token="skt_alice")

    def test_only_builds_of_active_versions_are_kept(self):
        self.ask_alice("POST", "/api/v1/bots", {"game": "planetwars", "name": "rebuilt"})
        first, second = self.upload("rebuilt", 1000000), self.upload("rebuilt", 1000001)
        self.assertEqual((first["build"], second["build"]), ("good", "good"))
        versions = os.path.join(self.arena.data, "versions")
        self.arena.wait(lambda: os.listdir(versions) == [str(second["id"])])
        # The space of the first build is released once its files are deleted.
        usage = self.arena.wait(
            lambda: (lambda found: found["builds"] < 1100000 and found)(
                self.ask_alice("GET", "/api/v1/me/disk")[2]
            )
        )
        self.assertLess(0, usage["sources"])
        self.assertLess(1000000, usage["builds"])
        # The older version is rebuilt before it plays again.
        status, _, _ = self.ask_alice("POST", "/api/v1/versions/%d/activate" % first["id"])
        self.assertEqual(status, 200)
        match = self.play({"bot": "alice/rebuilt"}, draft(CALM))
        self.assertEqual(match["players"][0]["status"], "ok")
        self.assertEqual(self.ask_alice("DELETE", "/api/v1/bots/alice/rebuilt")[0], 204)

    def test_a_build_beyond_the_quota_of_its_owner_fails(self):
        self.ask_alice("POST", "/api/v1/bots", {"game": "planetwars", "name": "large"})
        version = self.upload("large", 3000000)
        self.assertEqual(version["build"], "failed")
        path = "/api/v1/versions/%d/log" % version["id"]
        self.assertRegex(
            self.ask_alice("GET", path)[2].decode(),
            r"Build rejected: this takes 3 MiB, but your bots already take \d+ MiB \(sources \d+, "
            r"builds \d+\) of the 3 MiB that an account has; retire a bot",
        )
        self.assertEqual(self.ask_alice("DELETE", "/api/v1/bots/alice/large")[0], 204)

    def allow(self, size):
        """Sets alice's disk quota as an administrator; returns her limit."""
        status, _, account = self.arena.ask(
            "PATCH", "/api/v1/admin/accounts/alice", {"disk_max": size}, token="skt_ada"
        )
        self.assertEqual((status, account.get("disk_max")), (200, size), account)
        return self.ask_alice("GET", "/api/v1/me/disk")[2]["limit"]

    def test_an_administrator_changes_the_quota_of_an_account(self):
        self.assertEqual(self.ask_alice("GET", "/api/v1/me/disk")[2]["limit"], 3000000)
        self.assertEqual(self.allow(6000000), 6000000)
        self.ask_alice("POST", "/api/v1/bots", {"game": "planetwars", "name": "favoured"})
        self.assertEqual(self.upload("favoured", 3500000)["build"], "good")
        self.assertEqual(self.allow(0), 3000000)
        self.assertEqual(self.ask_alice("DELETE", "/api/v1/bots/alice/favoured")[0], 204)
        # The other tests need the space.
        self.arena.wait(lambda: not self.ask_alice("GET", "/api/v1/me/disk")[2]["builds"])
        audit = self.arena.ask("GET", "/api/v1/admin/audit?person=ada", token="skt_ada")[2]["items"]
        self.assertEqual(
            [(entry["subject"], entry["detail"]) for entry in audit],
            [("alice", "the default"), ("alice", "6000000 bytes")],
        )

    def texts(self, match):
        """The specification of a match, which is all the text that the database keeps of it."""
        path = "file:%s?mode=ro" % os.path.join(self.arena.data, "arena.db")
        with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
            return database.execute(
                "SELECT spec FROM match_texts WHERE match = ?", (match,)
            ).fetchone()[0]

    def test_the_code_of_an_editor_is_deleted_when_its_match_ends(self):
        mark = "# only-for-this-match\n"
        match = self.play(draft(mark + CALM), archive(mark + CALM))
        self.assertEqual([player["status"] for player in match["players"]], ["ok", "ok"])
        spec = json.loads(self.texts(match["id"]))
        self.assertEqual(spec["seats"], [{}, {}])
        self.assertIn("map", spec)
        # The match can still be continued.
        self.play(draft(CALM), draft(CALM), **{"from": {"match": match["id"], "turn": 1}})

    def metrics(self):
        return self.arena.get("/metrics").decode()

    def copies_made(self):
        found = re.search(r"^skirmish_copies_made_total (\d+)$", self.metrics(), re.M)
        return int(found[1])

    def test_what_is_made_from_a_replay_is_cached(self):
        match = self.play(draft(CALM), draft(CALM))
        before = self.copies_made()
        for path in ("replay", "picture"):
            url = "/api/v1/matches/%d/%s" % (match["id"], path)
            first = self.arena.ask("GET", url)
            self.assertEqual(first[0], 200)
            for _ in range(3):
                self.assertEqual(self.arena.ask("GET", url)[2], first[2])
            same = {"If-None-Match": first[1]["ETag"]}
            self.assertEqual(self.arena.ask("GET", url, headers=same)[0], 304)
        self.assertEqual(self.copies_made(), before + 2)

    def test_simultaneous_readers_share_one_copy(self):
        match = self.play(draft(CALM), draft(CALM))
        before = self.copies_made()
        url = "/api/v1/matches/%d/picture" % match["id"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: self.arena.ask("GET", url), range(4)))
        self.assertEqual([answer[0] for answer in answers], [200] * 4)
        self.assertEqual(len({answer[2] for answer in answers}), 1)
        self.assertEqual(self.copies_made(), before + 1)


class Retention(unittest.TestCase):
    """How long replays are kept with the default options."""

    def test_replays_are_kept_for_sixty_days_and_two_gibibytes(self):
        arena = Arena("--people-per-address", "20", "--ladder", "off")
        self.addCleanup(arena.close)
        arena.seed("account", "alice", "0", "skt_alice", "account", "bob", "0", "skt_bob")
        arena.start()
        body = {"game": "planetwars", "seats": [draft(CALM), draft(CALM)]}
        days, sizes = (59, 61), (1 << 30, 1 << 30, 1)
        matches = [
            arena.wait_over(arena.ask("POST", "/api/v1/matches", body, token=token)[2]["id"])["id"]
            for token in ["skt_alice"] * len(days) + [None] * len(sizes) + ["skt_bob"] * 2
        ]
        of_days, of_sizes, of_bob = matches[:2], matches[2:5], matches[5:]
        self.assertEqual(arena.stop(), (0, []))
        with contextlib.closing(sqlite3.connect(os.path.join(arena.data, "arena.db"))) as database:
            for match, age in zip(of_days, days):
                ended = int((time.time() - age * 86400) * 1000)
                database.execute("UPDATE matches SET ended = ? WHERE id = ?", (ended, match))
            for match, size in zip(of_sizes + of_bob, (*sizes, 2 << 30, 1)):
                database.execute("UPDATE matches SET replay_bytes = ? WHERE id = ?", (size, match))
            database.commit()

        def kept():
            found = [arena.get("/api/v1/matches/%d" % match)["replay"] for match in matches]
            return [match for match, replay in zip(matches, found) if replay]

        arena.start()  # housekeeping first runs at the start
        left = [of_days[0], *of_sizes[1:], of_bob[1]]
        arena.wait(lambda: len(kept()) <= len(left))
        self.assertEqual(kept(), left)
        self.assertEqual(arena.stop(), (0, []))


class LowDisk(unittest.TestCase):
    def test_matches_wait_for_free_space(self):
        arena = Arena("--ladder", "off", "--free-min", str(1 << 60))
        self.addCleanup(arena.close)
        os.mkdir(os.path.join(arena.directory, "web"))
        arena.file("web/index.html", "<html><head><title>x</title></head><body></body></html>")
        arena.options += ("--web", os.path.join(arena.directory, "web"))
        bot = arena.file("bot.py", CALM)
        arena.seed(
            "account", "alice", "0", "skt_alice",
            "bot", "alice", "planetwars", "calm", "python", bot,
        )  # fmt: skip
        arena.start()
        match = {"game": "planetwars", "seats": [draft(CALM), draft(CALM)]}
        requests = {
            "/api/v1/matches": match,
            "/api/v1/join": {"game": "planetwars", "against": ["house/planetwars-random"]},
            "/api/v1/bots/alice/calm/versions": {"file_name": "bot.py", "source": CALM},
        }
        for path, body in requests.items():
            status, headers, problem = arena.ask("POST", path, body, token="skt_alice")
            self.assertEqual((path, status), (path, 507))
            self.assertIn("The disk of this arena is almost full", problem["detail"])
            self.assertEqual(headers["Retry-After"], "60")
        self.assertEqual(arena.get("/healthz"), {"status": "ok", "disk": "low"})
        self.assertIn("\nskirmish_disk_low 1\n", arena.get("/metrics").decode())
        for page in ("/", "/matches/1"):
            self.assertIn(b'<meta name="arena-notice" content="The disk', arena.get(page))
        queue = arena.get("/api/v1/queue")
        self.assertEqual((queue["builds"], queue["running"]), (1, 0))
        self.assertEqual(arena.stop(), (0, []))

        arena.options += ("--free-min", "1")
        arena.start()
        arena.wait(lambda: arena.get("/api/v1/bots/alice/calm")["active_version"])
        self.assertEqual(arena.get("/healthz"), {"status": "ok", "disk": "ok"})
        self.assertNotIn(b"arena-notice", arena.get("/"))
        status, _, made = arena.ask("POST", "/api/v1/matches", match)
        self.assertEqual(status, 201)
        self.assertEqual(arena.wait_over(made["id"])["state"], "over")
        self.assertEqual(arena.stop(), (0, []))


if __name__ == "__main__":
    unittest.main()
