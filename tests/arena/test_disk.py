"""What strangers can put on the arena's disk, and what it costs to read it again."""

import unittest

from matches_server import Arena

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


if __name__ == "__main__":
    unittest.main()
