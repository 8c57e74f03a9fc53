"""Every starter bot, bots/starter/GAME/LANGUAGE, is complete, plays without errors, and plays like
the other languages of its game. Together they beat the random bot.

Skips languages whose programs are not installed, and names them; with TEST_LANGUAGES=all, a missing
program is a failure. GAME limits the test to one game.
"""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import arena
from house import BETTER, GAMES

STARTERS = os.path.join(os.path.dirname(arena.TESTS), "bots", "starter")

PLAYED = [os.environ["GAME"]] if "GAME" in os.environ else GAMES
REQUIRED = {"python", "javascript"}  # every new game needs these

# Rejections that no bot can foresee, because they depend on the enemy's orders in the same turn.
CAUSED_BY_THE_ENEMY = {
    "ctf": r"\w has an order, but is dead",
    "underworld": r".*: (another warrior wants the same cell|"
    r"the warrior in front does not move|two warriors cannot swap places|the cell is occupied)",
}

# Views of the games with protocols that consist of words.
WORDY_VIEWS = {
    "ctf": "X\n#####\n#XxyY#\n#####\n\n0 0\nFlag 2 1\nSoldier X 1 1 0 True No\n"
    "EnemyFlag 3 1\nEnemy L 4 1 True No\n\n",
    "underworld": "Who are you?\n10 10 2 0\nmoney 3000\n0 0 0 C 10000\n0 1 0 B 1500\nend\n",
}


def starters():
    """All starters, as (game, language)."""
    folders = sorted(glob.glob(os.path.join(STARTERS, "*", "*", "")))
    return [tuple(folder.split(os.sep)[-3:-1]) for folder in folders]


def bot_json(game, language):
    with open(os.path.join(STARTERS, game, language, "bot.json"), encoding="utf-8") as file:
        return json.load(file)


def missing_program(game, language):
    """Returns a program that the starter needs and that the sandbox does not find in its paths, or
    None if it finds all."""
    about = bot_json(game, language)
    for command in (about.get("build", "true"), about["run"]):
        program = re.match(r"(?:\w+=\S+ )*(?:exec )?(\S+)", command)[1]
        places = ("/usr/local/bin", "/usr/bin", "/bin")
        if "/" not in program and not any(
            os.access(os.path.join(place, program), os.X_OK) for place in places
        ):
            return program
    return None


def playable(game):
    """The languages of the game's starters that can be played here."""
    return [
        language
        for one, language in starters()
        if one == game and not missing_program(*(one, language))
    ]


class Starters(arena.ArenaTest):
    @classmethod
    def setUpClass(cls):
        cls.copies = tempfile.mkdtemp(prefix="skirmish-test-")
        os.chmod(cls.copies, 0o755)
        cls.addClassCleanup(shutil.rmtree, cls.copies)

    def starter(self, game, language):
        """Returns the folder of a copy of the starter, which its first match builds."""
        place = os.path.join(self.copies, f"{game}-{language}")
        if not os.path.exists(place):
            shutil.copytree(os.path.join(STARTERS, game, language), place)
        return place

    def is_built(self, *places):
        """Marks copies as built, so that later matches do not rebuild them."""
        for place in places:
            path = os.path.join(place, "bot.json")
            with open(path, encoding="utf-8") as file:
                about = json.load(file)
            about.pop("build", None)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(about, file)

    def maps(self, game):
        """All maps with their numbers of players."""
        listed = self.run_skirmish("games", game).out.split("maps:\n")[1].split("  conf")[0]
        lines = re.findall(r"^    (\w+) .*?(?:\((\d+) players\))?$", listed, re.M)
        return [(name, int(players or 2)) for name, players in lines]

    def match(self, game, options, bots):
        """Plays a match and checks the starters for errors. Returns the ranks and the digests of
        all turns."""
        replay = os.path.join(tempfile.mkdtemp(dir=self.directory), "match.skr")
        verdict = self.play_alone(
            game,
            *("--turn-time", "5000", "--start-time", "20000", "--limit", "memory=512"),
            *("--replay", replay, *options, *bots),
        )
        turns = [
            json.loads(line)
            for line in self.run_skirmish("replay", "export", replay).out.splitlines()
        ]
        for seat, (bot, player) in enumerate(zip(bots, verdict["players"])):
            if bot.startswith("house:"):
                continue
            faults = {name: player[name] for name in ("status", "timeouts", "late", "restarts")}
            self.assertEqual(
                faults, {"status": "ok", "timeouts": 0, "late": 0, "restarts": 0}, (bot, player)
            )
            records = [turn["players"][seat] for turn in turns]
            reasons = [reason for record in records for reason in record["reasons"]]
            own = [
                reason
                for reason in reasons
                if not re.fullmatch(CAUSED_BY_THE_ENEMY.get(game, ""), reason)
            ]
            self.assertEqual(own, [], bot)
            self.assertRegex(
                "".join(record["stderr"] for record in records), r"\A[^\n]+\n\Z", bot
            )  # debug output of one line
        ranks = [player["rank"] for player in verdict["players"]]
        return ranks, [turn["digest"] for turn in turns]

    def play_alone(self, game, *arguments):
        """Like play, but does not look for leftover processes: other matches may run meanwhile."""
        result = self.run_skirmish("play", game, "--json", *arguments, timeout=300)
        self.assertEqual(result.status, 0, result.err)
        return result.json

    def test_every_game_has_a_starter_in_each_language(self):
        found = set(starters())
        languages = {language for _, language in found}
        self.assertEqual({game for game, _ in found}, set(GAMES))
        self.assertLessEqual(REQUIRED, languages)
        for game in GAMES:  # a new game may start with the required ones
            has = {language for one, language in found if one == game}
            self.assertIn(has, (REQUIRED, languages), game)

    def test_starters_follow_the_conventions(self):
        for game, language in starters():
            with self.subTest(game=game, language=language):
                folder = os.path.join(STARTERS, game, language)
                about = bot_json(game, language)
                self.assertEqual(about["name"], "starter")
                texts = {}
                for path in glob.glob(os.path.join(folder, "**"), recursive=True):
                    if os.path.isfile(path):
                        with open(path, encoding="utf-8") as file:
                            texts[os.path.relpath(path, folder)] = file.read()
                for name, text in texts.items():
                    self.assertNotIn("\r", text, name)
                    self.assertLessEqual(max(map(len, text.split("\n"))), 100, name)
                    self.assertTrue(text.endswith("\n") and text.count("\n") <= 200, name)
                mains = [text for text in texts.values() if "A starter bot for" in text]
                self.assertEqual(len(mains), 1, "one file has the strategy")
                self.assertIn("A starter bot for", mains[0].split("\n")[0])
                self.assertIn("Change it!", mains[0].split("\n")[0])
                self.assertRegex(mains[0], rf"skirmish play {game} .*--watch \. house:random\n")
                self.assertRegex(mains[0], "lines? to change first: ")
                talks = [name for name in texts if "protocol" in name.lower()]
                self.assertTrue(talks, "a module reads views and prints answers")
                for name in talks:
                    self.assertRegex(texts[name].split("\n")[0], "How a bot for .* referee")

    def test_starters_play_the_same_in_every_language(self):
        """Each language plays the next one, so each plays once in both seats."""
        for game in PLAYED:
            languages = playable(game)
            expected = None
            for one, other in zip(languages, languages[1:] + languages[:1]):
                with self.subTest(game=game, languages=(one, other)):
                    bots = [self.starter(game, one), self.starter(game, other)]
                    ranks, digests = self.match(game, ["--seed", "2"], bots)
                    self.is_built(*bots)
                    expected = expected or digests
                    differs = [
                        turn
                        for turn, pair in enumerate(zip(digests, expected), 1)
                        if pair[0] != pair[1]
                    ]
                    self.assertEqual(differs[:1], [], "the first turn that differs")
                    self.assertEqual(len(digests), len(expected))
            for language in languages:
                with self.subTest(game=game, language=language, input="empty"):
                    self.ends_with_its_input(game, language)

    def ends_with_its_input(self, game, language):
        done = subprocess.run(
            bot_json(game, language)["run"],
            shell=True,
            cwd=self.starter(game, language),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def test_starters_ignore_words_that_later_versions_may_add(self):
        for game in PLAYED:
            view = WORDY_VIEWS.get(game, "")
            answers = []
            for text in (view, re.sub(r"(?m)(.)$", r"\1 more", view)) if view else ():
                done = subprocess.run(
                    bot_json(game, "python")["run"],
                    shell=True,
                    cwd=self.starter(game, "python"),
                    env=self.environment,
                    input=text,
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                answers.append(done.stdout)
            with self.subTest(game=game):
                self.assertEqual(answers[:1], answers[1:])
                self.assertNotIn("", answers)

    def test_starters_win_nine_of_ten_matches_against_the_random_bot(self):
        """On all maps, in the first and the last seat. The other languages play the same."""
        for game in PLAYED:
            starter = self.starter(game, "python")
            scenes = [
                (name, players, seat)
                for name, players in self.maps(game)
                for seat in (0, players - 1)
            ]
            scenes *= -(-10 // len(scenes))

            def wins(number):
                name, players, seat = scenes[number]
                bots = ["house:random"] * players
                bots[seat] = starter
                options = ["--map", name, "--seed", str(number + 1)]
                ranks, _ = self.match(game, options, bots)
                return sum(rank <= ranks[seat] for rank in ranks) == 1

            with self.subTest(game=game), concurrent.futures.ThreadPoolExecutor(2) as pool:
                won = list(pool.map(wins, range(len(scenes))))
                lost = [scenes[i] for i, win in enumerate(won) if not win]
                print(f"{game}: won {sum(won)} of {len(won)}, not {lost}")
                self.assertGreaterEqual(sum(won), 0.9 * len(won))

    def test_starters_can_play_against_the_better_house_bot(self):
        for game in PLAYED:
            for seat in (0, 1):
                with self.subTest(game=game, seat=seat):
                    bots = [self.starter(game, "python"), "house:" + BETTER[game]]
                    self.match(game, ["--seed", "2"], bots if seat == 0 else bots[::-1])

    def test_starters_can_play_each_other_on_all_maps(self):
        for game in PLAYED:
            for name, seats in self.maps(game):
                with self.subTest(game=game, map=name):
                    bots = [self.starter(game, language) for language in sorted(REQUIRED) * 4]
                    self.match(game, ["--map", name, "--seed", "2"], bots[:seats])

    def test_all_languages_are_installed(self):
        missing = {
            f"{language} ({missing_program(game, language)})"
            for game, language in starters()
            if missing_program(game, language)
        }
        if missing and os.environ.get("TEST_LANGUAGES") != "all":
            raise unittest.SkipTest(f"left out, not installed: {', '.join(sorted(missing))}")
        self.assertEqual(missing, set())


if __name__ == "__main__":
    arena.main()
