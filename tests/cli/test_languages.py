"""Bots in C, C++, Go, Java, JavaScript, Lua, Perl, Python, Ruby and shell play real matches in the
sandbox."""

import os
import re
import shutil
import subprocess

import arena
from house import GAMES

SEEDS = os.environ.get(
    "SKIRMISH_SEEDS", os.path.join(os.path.dirname(arena.TESTS), "..", "shared", "seeds")
)


# For an ordinary user, strict may be unavailable for lack of a memory limit.
MODE = "strict" if os.geteuid() == 0 else "best-effort"


class Languages(arena.ArenaTest):
    def bot_file(self, name):
        """Copies the bot to the directory where the match is started: a bot sees no other."""
        source = os.path.join(arena.BOTS, name)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, self.path(name))
        os.chmod(
            self.path(name), 0o777
        )  # for machines that cannot map the owner to the build's user
        return name

    def check(self, game, command, refused=None):
        """Plays a match, which is repeatable: all bots have fixed seeds."""
        options = ["--map", "duel"] if game == "underworld" else []
        verdict = self.play(
            game,
            "--sandbox",
            MODE,
            *options,
            "--seed",
            "2",
            "--turn-time",
            "5000",
            "--start-time",
            "20000",
            "--limit",
            "memory=512",
            command,
            "house:random",
            timeout=300,
        )
        self.assertEqual([player["status"] for player in verdict["players"]], ["ok", "ok"], verdict)
        self.assertGreater(verdict["turns"], 5)
        if refused is not None:
            self.assertEqual(verdict["players"][0]["refused"], refused)
        return verdict

    def test_python(self):
        self.check(
            "planetwars", f"{arena.PYTHON} {self.bot_file('planetwars_rusher.py')}", refused=0
        )

    def test_javascript_without_newlines(self):
        self.check("aliens", f"node {self.bot_file('aliens_walker.js')}")

    def test_ruby(self):
        self.check("aliens", f"ruby {self.bot_file('aliens_walker.rb')}")

    def test_java(self):
        self.bot_file("Brain.java")
        subprocess.run(["javac", "Brain.java"], cwd=self.directory, check=True)
        self.check("ctf", "java -cp . Brain", refused=None)

    def test_lua(self):
        self.check("underworld", f"lua5.4 {self.bot_file('underworld_builder.lua')}")

    def test_perl(self):
        self.check("aliens", f"perl {self.bot_file('aliens_walker.pl')}")

    def test_go_built_in_the_sandbox(self):
        self.check("planetwars", self.bot_file("planetwars_go"), refused=0)

    def test_cpp_built_in_the_sandbox(self):
        self.check("footsoldiers", self.bot_file("footsoldiers_cpp"))

    def test_shell(self):
        self.check("footsoldiers", f"sh {self.bot_file('footsoldiers_builder.sh')}")

    def test_c(self):
        for game in GAMES:
            with self.subTest(game=game):
                self.check(game, "house:random")

    def test_the_bot_in_the_rules_of_underworld_plays_all_four_seats(self):
        document = os.path.join(SEEDS, "003_da8af37a6affbf6f.txt")
        if not os.path.exists(document):
            self.skipTest(f"the documents are not here: {SEEDS}")
        with open(document, encoding="utf-8") as file:
            program = re.search(r"~~~python\n(.*?)~~~", file.read(), re.DOTALL).group(1)
        self.write("seed.py", program)
        command = f"{arena.PYTHON} seed.py"
        verdict = self.play(
            "underworld", "--seed", "4", "--replay", "seed.skr", *[command] * 4, timeout=300
        )
        self.assertEqual([player["status"] for player in verdict["players"]], ["ok"] * 4, verdict)
        self.assertGreater(verdict["turns"], 50)
        self.assertEqual(self.run_skirmish("replay", "verify", "seed.skr").status, 0)


if __name__ == "__main__":
    arena.main()
