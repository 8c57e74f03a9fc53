"""The code on the pages for bot authors runs as written: one program per language from the tables,
and the commands of the pages in a new project.

Skips languages whose compiler or interpreter is not installed, and names them.
"""

import os
import re
import shlex
import shutil
import subprocess

import arena
from test_docs import FENCE, read

# By language: the tool, the file, how to build and run it ({o} stands for the options that the page
# on memory recommends), and a program that prints random numbers and then the number of units, with
# the line from the page on debugging.
PROGRAMS = {
    "Python": (
        *("python3", "main.py", None, "python3 main.py"),
        "import os, random, sys\n{random}\ncount = 5\nprint(random.random())\n{debug}\n",
    ),
    "JavaScript": (
        *("node", "main.js", None, "node {o} main.js"),
        "{random}\nconst count = 5;\nconsole.log(random(1000000000));\n{debug}\n",
    ),
    "Ruby": (
        *("ruby", "main.rb", None, "ruby main.rb"),
        "{random}\ncount = 5\nputs random.rand\n{debug}\n",
    ),
    "Java": (
        *("java", "Main.java", None, "java {o} Main.java"),
        "import java.util.Random;\npublic class Main {{ public static void main(String[] a) {{\n"
        "Random random = {random};\nint count = 5;\nSystem.out.println(random.nextLong());\n"
        "{debug}\n}} }}\n",
    ),
    "C": (
        *("gcc", "main.c", "gcc -Wall -Werror -o main main.c", "./main"),
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{\n{random}\nint count = 5;\n"
        'printf("%ld\\n", lrand48());\n{debug}\n}}\n',
    ),
    "C++": (
        *("g++", "main.cpp", "g++ -std=gnu++17 -Wall -Werror -o main main.cpp", "./main"),
        "#include <cstdlib>\n#include <iostream>\n#include <random>\n#include <string>\n"
        "int main() {{\n{random}\nint count = 5;\nstd::cout << random() << '\\n';\n{debug}\n}}\n",
    ),
    "Go": (
        *("go", "main.go", "go build -o main main.go", "./main"),
        'package main\nimport ("fmt"; "math/rand"; "os"; "strconv")\nfunc main() {{\n{random}\n'
        "count := 5\nfmt.Println(random.Int63())\n{debug}\n}}\n",
    ),
    "Rust": (
        *("rustc", "main.rs", "rustc --edition 2021 -D warnings -o main main.rs", "./main"),
        "{random}\nfn main() {{\nlet mut random = Random::new();\nlet count = 5;\n"
        'println!("{{}}", random.below(1000000000));\n{debug}\n}}\n',
    ),
    "Lua": (
        *("lua5.4", "main.lua", None, "lua5.4 main.lua"),
        "{random}\nlocal count = 5\nprint(math.random())\n{debug}\n",
    ),
    "Perl": (
        *("perl", "main.pl", None, "perl -w main.pl"),
        '{random}\nmy $count = 5;\nprint rand(), "\\n";\n{debug}\n',
    ),
    "Haskell": (
        *("ghc", "main.hs", "ghc -v0 {o} -threaded -o main main.hs", "./main"),
        "import Data.Bits (shiftR)\nimport Data.Word (Word64)\n"
        "import System.Environment (lookupEnv)\nimport System.IO (hPutStrLn, stderr)\n\n{random}\n"
        "main :: IO ()\nmain = do\n  start <- seed\n  let count = 5 :: Int\n"
        "  print (snd (random 1000000000 start))\n  {debug}\n",
    ),
    "Common Lisp": (
        *("sbcl", "main.lisp", None, "sbcl {o} --script main.lisp"),
        "(let ((*random-state* {random}) (count 5))\n"
        '(format t "~d~%" (random 1000000000))\n{debug})\n',
    ),
}
FENCED = {"javascript": "JavaScript", "rust": "Rust", "haskell": "Haskell"}

# Commands that only work with more than a project: a person, an arena, another repository.
NOT_RUN = re.compile(r"skirmish (replay view|dev|login|submit)\b|git worktree add \S+ origin/")
# Options that reduce the work of a command.
MORE = {"analyze": "--samples 2 --continuations 2", "compare": "--pairs 1 --seed 1"}
# A comparison may be undecided; `feed` reports different answers if the bot is a different one.
STATUSES = {"compare": (0, 3, 4), "feed": (0, 1)}


def table(page, heading):
    """The rows of the table whose heading has these first columns, as {first cell: code in the
    second cell}."""
    rows = re.search(rf"^\| {re.escape(heading)} \|\n\|[-|]+\|\n((?:\|.*\n)+)", read(page), re.M)[1]
    found = {}
    for row in rows.splitlines():
        cells = re.split(r"(?<!\\) \| ", row.strip("| "))
        found[cells[0]] = re.search(r"`(.*)`", cells[1])[1].replace("\\|", "|")
    return found


class Languages(arena.ArenaTest):
    def run_program(self, command, **environment):
        return subprocess.run(
            command,
            shell=True,
            cwd=self.directory,
            env={**self.environment, "GOCACHE": self.path("go-cache"), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def test_the_code_for_each_language_works(self):
        random = table("docs/randomness.md", "language | random numbers with this seed")
        for kind, body in FENCE.findall(read("docs/randomness.md")):
            random[FENCED[kind]] = body
        debug = table("docs/debugging.md", "language | to standard error")
        memory = table("docs/time-and-memory.md", "language | option")
        self.assertEqual(set(random), set(PROGRAMS))
        self.assertEqual(set(debug), set(PROGRAMS))
        self.assertLess(set(memory), set(PROGRAMS))
        for language, (tool, file, build, run, source) in PROGRAMS.items():
            with self.subTest(language):
                if not shutil.which(tool):
                    self.skipTest(f"{language} is left out: {tool} is not installed")
                variables = dict(re.findall(r"^(\w+)=(\S+)$", memory.get(language, "")))
                option = re.search(
                    r"-(?:Xmx|-max-old|-dynamic-space-size |with-rtsopts)"
                    r".*?(?=$| -cp| bot| --script)",
                    memory.get(language, ""),
                )
                self.assertTrue(language not in memory or option or variables, memory)
                option = option[0] if option else ""
                self.write(file, source.format(random=random[language], debug=debug[language]))
                if build:
                    built = self.run_program(build.format(o=option))
                    self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
                done = [
                    self.run_program(run.format(o=option), SKIRMISH_SEED=seed, **variables)
                    for seed in ("7", "7", "8")
                ]
                for one in done:
                    self.assertEqual(one.returncode, 0, one.stderr)
                    self.assertRegex(one.stdout, r"^-?[0-9.e-]+\n$")
                    self.assertRegex(one.stderr, r"^units: +5\n$")
                self.assertEqual(done[0].stdout, done[1].stdout)
                self.assertNotEqual(done[0].stdout, done[2].stdout)


class Commands(arena.ArenaTest):
    """Runs the commands of a page in order, in a directory with the bot `my_bot`."""

    def setUp(self):
        super().setUp()
        program = os.path.dirname(arena.SKIRMISH)
        for name in ("AUTHOR", "COMMITTER"):
            self.environment |= {f"GIT_{name}_NAME": "Ann", f"GIT_{name}_EMAIL": "ann@example.org"}
        self.environment["PATH"] = f"{program}:{os.environ['PATH']}"
        os.mkdir(self.path("work"))
        self.place = self.path("work")
        self.game = None

    def make_bot(self, game):
        """Makes my_bot a bot for this game that runs the line from the page on debugging."""
        if game == self.game:
            return
        self.game = game
        shutil.rmtree(os.path.join(self.place, "my_bot"), ignore_errors=True)
        made = self.run_skirmish("new", game, os.path.join(self.place, "my_bot"))
        self.assertEqual(made.status, 0, made.err)
        path = os.path.join(self.place, "my_bot", "bot.py")
        with open(path, encoding="utf-8") as file:
            source = file.read()
        line = table("docs/debugging.md", "language | to standard error")["Python"]
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import sys\n\ncount = 5\n{line}\n{source}")

    def run_line(self, line):
        command = line.split("  #")[0].strip()
        words = shlex.split(command)
        if words[0] == "cd":
            self.place = os.path.join(self.place, words[1])
            return
        game = re.search(r"skirmish play (\w+)|--game (\w+)", command)
        if game and "my_bot" in command:
            self.make_bot(game[1] or game[2])
        name = words[1] if words[0] == "skirmish" else ""
        done = subprocess.run(
            f"{command} {MORE.get(name, '')}",
            shell=True,
            cwd=self.place,
            env=self.environment,
            input="\n",  # for --wait
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertIn(done.returncode, STATUSES.get(name, (0,)), done.stdout + done.stderr)

    def run_page(self, page):
        lines = re.findall(r"^    ((?:skirmish|git|cd) .*)$", FENCE.sub("", read(page)), re.M)
        ran = 0
        for line in lines:
            if not NOT_RUN.search(line):
                with self.subTest(line):
                    self.run_line(line)
                    ran += 1
        return ran

    def test_the_commands_about_randomness_work(self):
        self.assertEqual(self.run_page("docs/randomness.md"), 2)

    def test_the_commands_about_time_and_memory_work(self):
        self.assertEqual(self.run_page("docs/time-and-memory.md"), 3)

    def test_the_commands_about_debugging_work(self):
        self.make_bot("aliens")
        self.assertEqual(self.run_page("docs/debugging.md"), 8)

    def test_the_commands_about_teamwork_work(self):
        page = read("docs/teamwork.md").split("## Share the source")[1]
        before = {
            "git worktree": "git commit --quiet --allow-empty -m 'Change something'",
            "skirmish tournament": "cp -r ../before ../experiment",
        }
        lines = re.findall(r"^    ((?:skirmish|git|cd) .*)$", FENCE.sub("", page), re.M)
        lines = [line for line in lines if not NOT_RUN.search(line)]
        self.assertEqual(len(lines), 10)
        for line in lines:
            with self.subTest(line):
                if extra := before.get(" ".join(line.split()[:2])):
                    subprocess.run(
                        extra, shell=True, cwd=self.place, env=self.environment, check=True
                    )
                self.run_line(line)


if __name__ == "__main__":
    arena.main()
