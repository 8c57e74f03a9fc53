"""What strangers can put on the arena's disk, and what it costs to read it again."""

import concurrent.futures
import os
import re
import unittest

from matches_server import Arena

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


class Disk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arena = Arena("--people-per-address", "20", "--ladder", "off", "--replay-max", "40000")
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
            self.assertIn("more than 20000 bytes in total", player["failure"])
        status, headers, replay = self.arena.ask("GET", "/api/v1/matches/%d/replay" % match["id"])
        self.assertEqual(status, 200)
        self.assertLess(len(replay), 40000)

    def metrics(self):
        return self.arena.get("/metrics").decode()

    def copies_made(self):
        found = re.search(r"^skirmish_copies_made_total (\d+)$", self.metrics(), re.M)
        return int(found[1])

    def test_what_readers_get_of_a_replay_is_made_once(self):
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

    def test_readers_who_come_together_share_one_copy(self):
        match = self.play(draft(CALM), draft(CALM))
        before = self.copies_made()
        url = "/api/v1/matches/%d/picture" % match["id"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: self.arena.ask("GET", url), range(4)))
        self.assertEqual([answer[0] for answer in answers], [200] * 4)
        self.assertEqual(len({answer[2] for answer in answers}), 1)
        self.assertEqual(self.copies_made(), before + 1)


class LowDisk(unittest.TestCase):
    def test_matches_wait_for_free_space(self):
        arena = Arena("--ladder", "off", "--free-min", str(1 << 60))
        self.addCleanup(arena.close)
        os.mkdir(os.path.join(arena.directory, "web"))
        arena.file("web/index.html", "<html><head><title>x</title></head><body></body></html>")
        arena.options += ("--web", os.path.join(arena.directory, "web"))
        bot = arena.file("bot.py", CALM)
        arena.seed(
            "account", "alice", "0", "skt_alice", "bot", "alice", "planetwars", "calm", "python", bot
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
