"""Every starter bot plays complete matches without errors: in both seats, against both house bots,
and on other maps."""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

import arena
from house import BETTER, GAMES

STARTERS = os.path.join(os.path.dirname(arena.TESTS), "bots", "starter")

# How to build and run a file, by its extension: as its first lines say, but with the system's
# interpreters.
RUN = {
    ".py": (None, f"{arena.PYTHON} starter.py"),
    ".js": (None, "node starter.js"),
    ".rb": (None, "ruby starter.rb"),
    ".lua": (None, "lua5.4 starter.lua"),
    ".pl": (None, "perl starter.pl"),
    ".c": ("gcc -Wall -Wextra -Werror -O2 -o starter starter.c -lm", "./starter"),
    ".cpp": ("g++ -Wall -Wextra -Werror -std=c++17 -O2 -o starter starter.cpp", "./starter"),
    ".go": ("GOCACHE=$PWD/../go-cache go build -o starter starter.go", "./starter"),
    ".java": ("javac Starter.java", "java -Xmx160m -cp . Starter"),
}
ALWAYS = {".py", ".js", ".rb"}  # every game has these

# Rejections that no bot can foresee: they depend on what the enemy does in the same turn.
CAUSED_BY_THE_ENEMY = {
    "ctf": r"\w has an order, but is dead",
    "underworld": r".*: (another warrior wants the same cell|"
    r"the warrior in front does not move|two warriors cannot swap places|the cell is occupied)",
}


def starters():
    """All starters, as (game, extension)."""
    files = sorted(glob.glob(os.path.join(STARTERS, "*", "*")))
    return [(os.path.basename(os.path.dirname(file)), os.path.splitext(file)[1]) for file in files]


class Starters(arena.ArenaTest):
    @classmethod
    def setUpClass(cls):
        cls.builds = tempfile.mkdtemp(prefix="skirmish-test-")
        cls.addClassCleanup(shutil.rmtree, cls.builds)

    def starter(self, game, ending):
        """Returns the command that runs a starter. Builds it if necessary, and copies it to the
        directory of the match, which is all that a bot sees."""
        name = f"{game}{ending}"
        build, run = RUN[ending]
        place = os.path.join(self.builds, name)
        if not os.path.exists(place):
            os.mkdir(place)
            for file in glob.glob(os.path.join(STARTERS, game, f"[sS]tarter{ending}")):
                shutil.copy(file, place)
            if build:
                subprocess.run(build, shell=True, cwd=place, env=self.environment, check=True)
        if not os.path.exists(self.path(name)):
            shutil.copytree(place, self.path(name))
        return f"cd {name} && exec {run}"

    def house_random(self, game):
        """The random bot with a fixed seed, so that the match is reproducible."""
        shutil.copy(
            os.path.join(os.path.dirname(arena.SKIRMISH), "bots", f"{game}-random"),
            self.path(f"{game}-random"),
        )
        return f"./{game}-random 5"

    def other_maps(self, game):
        """All maps with their numbers of players, except the default map for two players."""
        listed = self.run_skirmish("games", game).out.split("maps:\n")[1].split("  conf")[0]
        lines = re.findall(r"^    (\w+) .*?(?:\((\d+) players\))?$", listed, re.M)
        maps = [(name, int(players or 2)) for name, players in lines]
        maps.remove(next(one for one in maps if one[1] == 2))
        self.assertNotEqual(maps, [], game)
        return maps

    def match(self, game, options, bots):
        """Plays a match and checks the starters for errors. Returns the verdict's players and the
        final digest."""
        verdict = self.play(
            game,
            "--seed",
            "2",
            "--turn-time",
            "5000",
            "--start-time",
            "20000",
            "--limit",
            "memory=512",
            "--replay",
            "match.skr",
            *options,
            *bots,
        )
        turns = [
            json.loads(line)
            for line in self.run_skirmish("replay", "export", "match.skr").out.splitlines()
        ]
        for seat, (bot, player) in enumerate(zip(bots, verdict["players"])):
            if "starter" not in bot.lower():
                continue
            faults = {name: player[name] for name in ("status", "timeouts", "late", "restarts")}
            self.assertEqual(faults, {"status": "ok", "timeouts": 0, "late": 0, "restarts": 0})
            records = [turn["players"][seat] for turn in turns]
            reasons = [reason for record in records for reason in record["reasons"]]
            own = [
                reason
                for reason in reasons
                if not re.fullmatch(CAUSED_BY_THE_ENEMY.get(game, ""), reason)
            ]
            self.assertEqual(own, [])
            self.assertRegex(
                "".join(record["stderr"] for record in records), r"\A[^\n]+\n\Z"
            )  # it logs one line
        return verdict["players"], turns[-1]["digest"]

    def test_every_game_has_a_starter_in_each_language(self):
        self.assertEqual(
            {(game, ending) for game in BETTER for ending in ALWAYS} - set(starters()), set()
        )
        for path in glob.glob(os.path.join(STARTERS, "*", "*")):
            with self.subTest(path), open(path, "rb") as file:
                content = file.read()
                ending = os.path.splitext(path)[1]
                self.assertEqual(
                    os.path.basename(path), ("Starter" if ending == ".java" else "starter") + ending
                )
                self.assertIn(ending, RUN)
                text = content.decode("utf-8")
                self.assertNotIn("\r", text)
                if ending != ".go":
                    self.assertNotIn("\t", text)
                self.assertIn("to change first", text)
                self.assertTrue(40 <= text.count("\n") <= 120, text.count("\n"))
                self.assertLessEqual(max(map(len, text.split("\n"))), 100)

    def test_starters_beat_the_random_bot_and_play_the_same_in_every_language(self):
        ends = {}
        for game, ending in starters():
            for seat in (0, 1):
                with self.subTest(game=game, ending=ending, seat=seat):
                    bots = [self.starter(game, ending), self.house_random(game)]
                    players, digest = self.match(game, [], bots if seat == 0 else bots[::-1])
                    self.assertEqual((players[seat]["rank"], players[1 - seat]["rank"]), (1, 2))
                    self.assertEqual(ends.setdefault((game, seat), digest), digest)

    def test_starters_play_the_better_house_bot_from_both_seats(self):
        """Only in the languages that every game has; the others play the same."""
        for game, ending in starters():
            for seat in (0, 1) if ending in ALWAYS else ():
                with self.subTest(game=game, ending=ending, seat=seat):
                    bots = [self.starter(game, ending), "house:" + BETTER[game]]
                    self.match(game, [], bots if seat == 0 else bots[::-1])

    def test_starters_play_each_other_on_other_maps_and_with_more_players(self):
        for game in GAMES:
            for name, seats in self.other_maps(game):
                with self.subTest(game=game, map=name):
                    bots = [self.starter(game, ending) for ending in sorted(ALWAYS) * 3]
                    self.match(game, ["--map", name], bots[:seats])

    def test_starters_exit_cleanly_when_their_input_ends(self):
        for game, ending in starters():
            with self.subTest(game=game, ending=ending):
                done = subprocess.run(
                    self.starter(game, ending),
                    shell=True,
                    cwd=self.directory,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    arena.main()
