"""A game can be added without changing any file but the list of games.

Follows docs/adding-a-game.md in a copy of the tree: adds the files of tests/sixth-game/tree and a
line to games.list. Then builds, tests, plays, records, verifies, rates and draws the game.

KEEP=DIR uses and keeps that directory. SHOTS=DIR keeps screenshots of the pages.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ADDED = os.path.join(HERE, "tree")
LIST = "src/games/games.list"
NAME = "gems"
TITLE = "Gems"

# Nothing depends on these lists: they inform readers, or use some games as examples.
MAY_LIST_GAMES = {
    LIST,
    "README.md",
    "CHANGELOG.md",
    "tests/base/nearest_name_test.c",
    "tests/cli/test_languages.py",
}
LIST_LENGTH_MAX = (
    800  # characters: a file that names all games in less text than this has a list of them
)


def source_files(root):
    """Tracked files and new ones not yet added."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout
    names = {name for name in os.fsdecode(listing).split("\0") if name}
    return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))


def files_below(root):
    return sorted(
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(root)
        for name in names
    )


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def has_list(text, names):
    """Whether all the names occur close together. A single game may be an example."""
    found = [
        (match.start(), match[1])
        for match in re.finditer(rf"(?<![a-z])({'|'.join(names)})(?![a-z])", text)
    ]
    return any(
        {name for at, name in found[i:] if at - start < LIST_LENGTH_MAX} == set(names)
        for i, (start, _) in enumerate(found)
    )


def copy(root, names, to):
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
        shutil.copy2(os.path.join(root, name), os.path.join(to, name), follow_symlinks=False)


def run(*command, cwd, **environment):
    """Runs a command that must succeed; returns what it printed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=dict(os.environ, **environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-6000:]}")
    return done.stdout


class SixthGame(unittest.TestCase):
    """The tests run in the order of their names and share one copy of the tree."""

    @classmethod
    def setUpClass(cls):
        cls.copy = os.environ.get("KEEP") or tempfile.mkdtemp(prefix="skirmish-sixth-")
        if not os.environ.get("KEEP"):
            cls.addClassCleanup(shutil.rmtree, cls.copy)
        os.makedirs(cls.copy, exist_ok=True)
        os.chmod(cls.copy, 0o755)  # bots run as another user
        cls.before = source_files(ROOT)
        copy(ROOT, cls.before, cls.copy)
        # Step by step, as docs/adding-a-game.md says.
        copy(ADDED, files_below(ADDED), cls.copy)
        with open(os.path.join(cls.copy, LIST), "a", encoding="utf-8") as file:
            file.write(NAME + "\n")
        cls.play_directory = os.path.join(cls.copy, "build", "play")
        os.makedirs(cls.play_directory, exist_ok=True)

    def skirmish(self, *arguments):
        return run(
            os.path.join(self.copy, "build", "skirmish"), *arguments, cwd=self.play_directory
        )

    def test_1_only_the_list_of_games_changes(self):
        added = set(files_below(ADDED))
        self.assertEqual(added & set(self.before), set(), "these are in the tree already")
        for name in added:
            self.assertRegex(name, rf"(^|/){NAME}([/._]|$)")
        changed = [
            name
            for name in self.before
            if not os.path.islink(os.path.join(ROOT, name))
            and digest(os.path.join(ROOT, name)) != digest(os.path.join(self.copy, name))
        ]
        self.assertEqual(changed, [LIST])

    def test_2_it_builds_and_its_tests_pass(self):
        if not os.path.exists(os.path.join(self.copy, "build", "build.ninja")):
            run("meson", "setup", "build", cwd=self.copy)
        corpora = [f"tests/fuzz/corpus_{NAME}_{kind}" for kind in ("answer", "config", "map")]
        bots = [
            f"bots/{NAME}-{file[:-2]}"
            for file in os.listdir(os.path.join(ADDED, "bots", NAME))
            if file.endswith(".c")
        ]
        targets = ["skirmish", "tests/property_test", f"tests/{NAME}_rules_test", *bots, *corpora]
        # With this setting, ccache also serves most objects from the build of the original tree.
        run("ninja", "-C", "build", *targets, cwd=self.copy, CCACHE_NOHASHDIR="1")
        tests = [
            f"{NAME} rules",
            f"{NAME} properties",
            *(f"corpus {NAME}_{kind}" for kind in ("answer", "config", "map")),
        ]
        run("meson", "test", "-C", "build", "--no-rebuild", *tests, cwd=self.copy)

    def test_3_its_bots_play_and_the_replay_is_verified(self):
        for bots in (
            ["house:collector", "house:random"],
            ["house:random", "house:collector", "house:random"],
        ):
            replay = f"{len(bots)}.skr"
            verdict = json.loads(
                self.skirmish("play", NAME, "--json", "--seed", "1", "--replay", replay, *bots)
            )
            self.assertEqual(
                [player["status"] for player in verdict["players"]], ["ok"] * len(bots)
            )
            winner = min(verdict["players"], key=lambda player: player["rank"])
            self.assertEqual(winner["name"], "collector")
            self.assertIn(f"{NAME}, seed 1, 100 turns", self.skirmish("replay", "verify", replay))

    def test_4_its_starters_beat_the_random_bot(self):
        starters = os.path.join(self.copy, "bots", "starter", NAME)
        self.assertEqual(sorted(os.listdir(starters)), ["javascript", "python"])
        for language in os.listdir(starters):
            verdict = json.loads(
                self.skirmish(
                    *("play", NAME, "--json", "--seed", "1", "--turn-time", "5000"),
                    *("--start-time", "20000", os.path.join(starters, language), "house:random"),
                )
            )
            player = verdict["players"][0]
            self.assertEqual((player["status"], player["rank"]), ("ok", 1), language)
            self.assertEqual(player["refused"], 0)

    def test_5_a_tournament_rates_its_bots(self):
        self.skirmish(
            *("tournament", "--game", NAME, "--games", "4", "--map", "small", "--quiet"),
            *("--sandbox", "best-effort", "--out", "cup.db", "house:random", "house:collector"),
        )
        table = json.loads(self.skirmish("rate", "--json", "cup.db"))
        ratings = {bot["name"]: bot["rating"] for bot in table["bots"]}
        self.assertGreater(ratings["collector"], ratings["random"])
        self.assertIn(NAME, self.skirmish("games"))

    def test_6_the_pages_show_it(self):
        # The copy uses the original tree's modules: both have the same web/package-lock.json.
        run("tools/build-web", "--modules", cwd=ROOT)
        modules = os.path.join(self.copy, "web", "node_modules")
        if not os.path.lexists(modules):
            os.symlink(os.path.join(ROOT, "web", "node_modules"), modules)
        run("tools/build-web", cwd=self.copy)
        environment = {"SKIRMISH": "build/skirmish", "SKIRMISH_WEB": "build/web"}
        scenes = ["--test-name-pattern", f"^{NAME}:", "web/tests/games.test.mjs"]
        run("node", "--test", *scenes, cwd=self.copy, **environment)
        run(
            "node",
            "--test",
            "tests/sixth-game/pages.test.mjs",
            cwd=self.copy,
            GAME=NAME,
            TITLE=TITLE,
            REPLAY=os.path.join(self.play_directory, "3.skr"),
            **environment,
        )

    def test_7_no_other_file_lists_the_games(self):
        names = read(ROOT, LIST).split()
        own = re.compile(rf"(^|[/_.-])({'|'.join(names)})([/_.-]|$)")
        found = [
            file
            for file in self.before
            if not own.search(file) and has_list(read(ROOT, file), names)
        ]
        self.assertEqual(set(found) - MAY_LIST_GAMES, set(), "take the names from games.list")


if __name__ == "__main__":
    unittest.main(verbosity=2)
