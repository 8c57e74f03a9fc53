"""`skirmish replay`, and continuing a match from a replay."""

import json
import os
import random
import subprocess
import time

import arena
import house


class Replays(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("SEED", time.time()))
        print("seed", self.seed)
        self.verdict = self.play(
            "aliens", "--seed", "9", "--replay", "match.skr", "house:medium", "house:random"
        )

    def test_a_replay_verifies(self):
        result = self.run_skirmish("replay", "verify", "match.skr")
        self.assertEqual(result.status, 0, result.err)
        self.assertIn(
            "match.skr: verified: aliens, seed 9, %d turns" % self.verdict["turns"], result.out
        )

    def test_export_has_a_line_per_turn(self):
        lines = [
            json.loads(line)
            for line in self.run_skirmish("replay", "export", "match.skr").out.splitlines()
        ]
        self.assertEqual(
            [line["turn"] for line in lines], list(range(1, self.verdict["turns"] + 1))
        )
        for line in lines:
            self.assertEqual(len(line["state"]["grid"]), 400)
            for player in line["players"]:
                for key in (
                    "answer",
                    "orders",
                    "refused",
                    "reasons",
                    "stderr",
                    "wall_ms",
                    "cpu_ms",
                ):
                    self.assertIn(key, player)
        refused = sum(line["players"][1]["refused"] for line in lines)
        self.assertEqual(refused, self.verdict["players"][1]["refused"])

    def test_show_draws_any_turn(self):
        first = self.run_skirmish("replay", "show", "match.skr", "--turn", "1")
        self.assertEqual(first.status, 0)
        self.assertIn("after turn 1", first.out)
        self.assertIn("a: 1 unit", first.out)
        last = self.run_skirmish("replay", "show", "match.skr")
        self.assertIn("The match ended: " + self.verdict["reason"], last.out)
        beyond = self.run_skirmish("replay", "show", "match.skr", "--turn", "4000")
        self.assertEqual(beyond.status, 2)
        self.assertIn("match.skr has no turn 4000; its last turn is", beyond.err)

    def test_info_prints_setup_and_verdict(self):
        head, end = map(
            json.loads, self.run_skirmish("replay", "info", "match.skr").out.splitlines()
        )
        self.assertEqual(head["game"], "aliens")
        self.assertEqual(
            head["players"][0], {"name": "medium", "bot": "house:medium", "absent": False}
        )
        self.assertIn("sandbox", head)
        self.assertEqual(end["reason"], self.verdict["reason"])

    def test_replays_of_every_game_verify(self):
        for game in house.GAMES:
            with self.subTest(game=game):
                self.play(game, "--replay", game + ".skr", "house:random", "house:random")
                result = self.run_skirmish("replay", "verify", game + ".skr")
                self.assertEqual(result.status, 0, result.err)

    def digests(self, name):
        return [
            json.loads(line)["digest"]
            for line in self.run_skirmish("replay", "export", name).out.splitlines()
        ]

    def test_a_match_can_be_continued_from_any_turn(self):
        # Two hunters, because a random bot may have lost all its units by then.
        self.play(
            "aliens", "--seed", "9", "--replay", "hunters.skr", "house:medium", "house:medium"
        )
        self.play(
            "aliens",
            "--from",
            "hunters.skr",
            "--turn",
            "5",
            "--replay",
            "other.skr",
            "house:random",
            "house:medium",
        )
        old, new = self.digests("hunters.skr"), self.digests("other.skr")
        self.assertEqual(old[:5], new[:5])
        self.assertNotEqual(old[5:], new[5:])
        self.assertEqual(self.run_skirmish("replay", "verify", "other.skr").status, 0)

    def test_a_match_that_cannot_be_continued_is_an_error(self):
        bots = ("house:random", "house:random")
        for arguments, sentence in {
            (
                "aliens",
                "--from",
                "match.skr",
                "--turn",
                "4000",
                *bots,
            ): "the match ended after turn",
            ("ctf", "--from", "match.skr", "--turn", "2", *bots): "the replay is a match of aliens",
            (
                "aliens",
                "--from",
                "match.skr",
                "--turn",
                "2",
                "house:random",
            ): "has 2 players, but 1 bot was given",
            ("aliens", "--from", "match.skr", *bots): "must be given together",
            (
                "aliens",
                "--from",
                "match.skr",
                "--turn",
                "2",
                "--seed",
                "1",
                *bots,
            ): "--from cannot be combined",
            ("aliens", "--from", "nowhere.skr", "--turn", "2", *bots): "nowhere.skr",
        }.items():
            with self.subTest(sentence):
                result = self.run_skirmish("play", *arguments)
                self.assertEqual(result.status, 2, result.err)
                self.assertIn(sentence, result.err)

    def check_bad(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        for command in ("verify", "show", "export"):
            result = self.run_skirmish("replay", command, name)
            self.assertEqual(result.status, 2, (name, command, result.err))
            self.assertEqual(len(result.err.splitlines()), 1, result.err)
            self.assertIn(name, result.err)
        return result.err

    def unpacked(self, data):
        """The decompressed content, or None if it is damaged. Used because a few bits of a zstd
        frame, such as the window size, do not affect the content."""
        done = subprocess.run(
            ["zstd", "-d", "-c", "-q"], input=data[20:], capture_output=True, check=False
        )
        return done.stdout if done.returncode == 0 else None

    def test_a_damaged_file_is_an_error_of_one_line(self):
        with open(self.path("match.skr"), "rb") as file:
            good = file.read()
        chance = random.Random(self.seed)
        for cut in [0, 1, 15, 16, 19, 20, 21, len(good) // 2, len(good) - 1]:
            self.check_bad("cut", good[:cut])
        for _ in range(25):
            at = chance.randrange(20, len(good))
            flipped = good[:at] + bytes([good[at] ^ (1 << chance.randrange(8))]) + good[at + 1 :]
            if self.unpacked(flipped) != self.unpacked(good):
                self.check_bad("flipped", flipped)
        self.check_bad("long", good + b"x")
        self.assertIn("format 2", self.check_bad("future", good[:16] + b"\2" + good[17:]))
        self.assertIn("not a Skirmish replay", self.check_bad("foreign", b"\x89PNG" * 100))

    def changed(self, name, old, new):
        """Returns a well-formed file with one change to the decompressed content."""
        try:
            packed = open(self.path(name), "rb").read()
            plain = arena.subprocess.run(
                ["zstd", "-dc"], input=packed[20:], stdout=arena.subprocess.PIPE, check=True
            ).stdout
        except FileNotFoundError:
            self.fail("the zstd program is needed: tools/setup installs it")
        changed = plain.replace(old, new, 1)
        self.assertNotEqual(plain, changed)
        return (
            packed[:20]
            + arena.subprocess.run(
                ["zstd", "-c", "--check"], input=changed, stdout=arena.subprocess.PIPE, check=True
            ).stdout
        )

    def test_a_forged_replay_fails_verification(self):
        self.assertIn(
            "verification failed: turn",
            self.check_bad("false", self.changed("match.skr", b'"to":', b'"so":')),
        )

    def test_a_forged_number_of_restarts_fails_verification(self):
        self.play(
            "footsoldiers", "--seed", "1", "--replay", "restarts.skr",
            self.bot("short", "say('Ready')\nview()\nsay('No-op')\n"), "house:random",
        )  # fmt: skip
        self.assertIn(
            "verification failed: restarts of player 1: 4; recorded: 0",
            self.check_bad("false", self.changed("restarts.skr", b'"restarts":4', b'"restarts":0')),
        )

    def test_replays_verify_even_if_reasons_of_rejected_orders_are_worded_differently(self):
        bot = self.bot("far", 'while True:\n    view()\n    say(\'[{"from":0,"to":399}]\')\n')
        self.play("aliens", "--replay", "far.skr", bot, "house:medium")
        with open(self.path("old.skr"), "wb") as file:
            file.write(
                self.changed(
                    "far.skr",
                    b"does not start at one of your units",
                    b"does not begin at one of your units",
                )
            )
        self.assertEqual(self.run_skirmish("replay", "verify", "old.skr").status, 0)
        shown = json.loads(self.run_skirmish("replay", "export", "old.skr").out.splitlines()[0])[
            "players"
        ][0]
        self.assertEqual(
            (shown["refused"], shown["reasons"]),
            (1, ["move from 0 to 399 does not start at one of your units"]),
        )


if __name__ == "__main__":
    arena.main()
