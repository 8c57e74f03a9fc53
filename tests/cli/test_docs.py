"""The documents agree with the program: links, commands, options and routes exist, and the bots,
configurations and plans in the documents work as shown."""

import fnmatch
import glob
import json
import os
import re
import subprocess
import unittest
import urllib.request

import arena

ROOT = os.path.dirname(arena.TESTS)

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)

# Options of other programs that documents mention.
FOREIGN_OPTIONS = {
    *("--suite", "--list", "--verbose", "--part", "--busy"),
    *("--measured", "--matches-per-day"),  # of tools/scale-model
    *("--listen", "--max-old-space-size", "--dynamic-space-size", "--script", "--prof"),
}
# Variables of other commands.
OTHER_VARIABLES = {"SKIRMISH_URL", "SKIRMISH_TOKEN"}


def documents():
    found = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "bots/starter/README.md",
    ]
    for folder in ("docs", "docs/rules", "docs/tutorials"):
        found += [
            f"{folder}/{name}"
            for name in sorted(os.listdir(os.path.join(ROOT, folder)))
            if name.endswith(".md")
        ]
    return found


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


GAMES = read("src/games/games.list").split()


def slug(heading):
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"[`*]", "", heading).lower()).strip("-")


def anchors(path):
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", read(path)), re.M)}


def section(text, heading):
    """The text below a heading, up to the next one."""
    return re.split(r"^## ", text.split(f"\n## {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def code_of(text):
    """Lines of code: indented lines, and text between backticks."""
    lines = re.findall(r"^(?:    |  (?=skirmish ))(.*)$", FENCE.sub("", text), re.M)
    return lines + re.findall(r"`([^`\n]+)`", text)


def commands_in(text):
    """The words of every `skirmish COMMAND ...`, without the comment after it."""
    for line in code_of(text):
        for found in re.findall(
            r"(?:^|&& |[ /])skirmish ((?:[^\s#|`&]+ ?)+)", re.sub(r"\s{2,}.*", "", line.strip())
        ):
            if not found.startswith(("(", "-")) and found.split()[0].isalpha():
                yield found.split()


def names_of_tests():
    """The functions of all tests, and the attempts of a hostile bot."""
    found = set()
    for path in glob.glob(os.path.join(ROOT, "tests/**/*.[cp]*"), recursive=True):
        source = read(os.path.relpath(path, ROOT)) if path.endswith((".py", ".c")) else ""
        found |= set(re.findall(r"(?:    def|^static void) (\w+)\(", source, re.M))
        if path.endswith("hostile/tries.c"):
            found |= set(re.findall(r'\{"([a-z0-9-]+)", ', source))
    return found


# The requirements of OWASP ASVS 4.0.3, levels 1 and 2: their numbers by section.
ASVS_LEVEL_2 = {
    **{
        section: range(1, int(most) + 1)
        for section, most in (
            pair.split(":")
            for pair in """
                1.1:7 1.2:4 1.5:4 1.6:4 1.7:2 1.8:2 1.9:2 1.10:1 1.11:2 1.14:6
                2.1:12 2.2:3 2.3:3 2.4:5 2.5:7 2.6:3 2.7:6 2.8:7 2.9:3 2.10:4
                3.1:1 3.2:4 3.3:4 3.4:5 3.5:3 3.7:1 4.2:2 4.3:3 5.1:5 5.2:8
                5.3:10 5.4:3 5.5:4 6.1:3 6.2:6 6.3:2 6.4:2 7.1:4 7.2:2 7.4:3
                8.1:4 8.2:3 8.3:8 9.1:3 9.2:4 10.2:2 10.3:3 11.1:8 12.1:3 12.2:1
                12.3:6 12.4:2 12.5:2 12.6:1 13.3:2 13.4:2 14.1:4 14.2:6 14.4:7
                14.5:4
            """.split()
        )
    },
    "1.4": [1, 4, 5],
    "1.12": [2],
    "4.1": [1, 2, 3, 5],
    "7.3": [1, 3, 4],
    "13.1": [1, 3, 4, 5],
    "13.2": [1, 2, 3, 5, 6],
    "14.3": [2, 3],
}


class Documents(arena.ArenaTest):
    @classmethod
    def setUpClass(cls):
        overview = subprocess.run(
            [arena.SKIRMISH, "help"], capture_output=True, text=True, check=True
        ).stdout
        names = [
            name
            for name in re.findall(r"^  (\w+) +\S", overview, re.M)
            if name not in ("help", "version", "skirmish")
        ]
        cls.help = {
            name: subprocess.run(
                [arena.SKIRMISH, "help", name], capture_output=True, text=True, check=True
            ).stdout
            for name in names
        }
        cls.common = set(
            OPTION.findall(overview.split("\nOptions of every command\n")[1].split("\n\n")[0])
        )
        cls.options = {
            name: set(OPTION.findall(text)) | cls.common for name, text in cls.help.items()
        }

    def test_every_link_has_a_target(self):
        for path in documents():
            for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", read(path))):
                with self.subTest(document=path, link=target):
                    self.assertFalse(target.startswith("/"), "absolute path")
                    if re.match(r"https?:", target):
                        continue
                    name, _, place = target.partition("#")
                    leads = (
                        os.path.normpath(os.path.join(os.path.dirname(path), name))
                        if name
                        else path
                    )
                    self.assertTrue(os.path.exists(os.path.join(ROOT, leads)))
                    if place:
                        self.assertIn(place, anchors(leads))

    def test_every_named_file_exists(self):
        place = re.compile(r"`((?:src|tests|tools|bench|web|bots|docs|packaging)/[\w./-]+)`")
        seen = 0
        for document in set(documents()) - {"CHANGELOG.md"}:  # which names deleted files
            for path in place.findall(FENCE.sub("", read(document))):
                if not re.search("[A-Z]{4}", path):  # NAME is a placeholder
                    seen += 1
                    with self.subTest(document=document, path=path):
                        self.assertTrue(os.path.exists(os.path.join(ROOT, path)))
        self.assertGreater(seen, 30)

    def test_the_table_of_asvs_has_every_requirement_of_level_2_once(self):
        page = section(read("docs/security.md"), "The arena and OWASP ASVS level 2")
        exist = names_of_tests()
        found = []
        for row in re.findall(r"^\| (\d+\..*)\|$", page, re.M):
            requirements, state, where, shown = (cell.strip() for cell in row.split("|"))
            with self.subTest(row=row):
                for part in requirements.split(":")[0].split(", "):
                    first, last = (part.split("–") * 2)[:2]
                    group, number = first.rsplit(".", 1)
                    self.assertEqual(group, last.rsplit(".", 1)[0])
                    numbers = range(int(number), int(last.rsplit(".", 1)[1]) + 1)
                    found += [f"{group}.{number}" for number in numbers]
                self.assertIn(state, ("met", "partly", "not met", "operator", "none"))
                if state in ("met", "partly", "not met"):
                    self.assertTrue(where or shown)
                for name in re.findall(r"`([\w/.]+)`", shown):
                    self.assertTrue(name in exist or name.endswith(".mjs"), name)
        wanted = [
            f"{group}.{number}" for group, numbers in ASVS_LEVEL_2.items() for number in numbers
        ]
        self.assertEqual(sorted(found), sorted(wanted))

    def test_every_promise_of_the_sandbox_names_tests_that_exist(self):
        page = read("docs/security.md")
        exist = names_of_tests()
        # Tests in the last column of tables, and tests that are named in sentences.
        named = set(re.findall(r"`(test_\w+)`", page))
        promises = {}
        for table in re.findall(r"^(\|[^\n]*\| tests? \|\n(?:\|.*\n)+)", page, re.M):
            for row in table.splitlines()[2:]:
                cells = row.strip("| ").split(" | ")
                tests = [name for name in re.findall(r"`([\w*-]+)`", cells[-1])]
                self.assertTrue(tests, f"no test for: {row}")
                promises[cells[0]] = tests
                named |= set(tests)
        self.assertGreater(len(named), 50)
        for name in named:
            with self.subTest(test=name):
                self.assertTrue(fnmatch.filter(exist, name), "there is no such test")
        layers = re.findall(r"^\| (`\w+`) \| .* \| .* \|$", section(page, "Layers"), re.M)
        self.assertEqual(len(layers), 13)
        self.assertEqual([layer for layer in layers if layer not in promises], [])
        for protected in re.findall(
            r"^\| ((?:the|a) [\w ]+) \|", section(page, "What the sandbox promises"), re.M
        ):
            with self.subTest(promise=protected):
                start = protected.split(" and ")[0]
                self.assertTrue([promise for promise in promises if promise.startswith(start)])

    def test_every_command_exists_with_its_options(self):
        texts = {path: read(path) for path in documents()}
        texts |= {f"skirmish help {name}": text for name, text in self.help.items()}
        shown = set()
        for source, text in texts.items():
            for words in commands_in(text):
                with self.subTest(source=source, command=" ".join(words)):
                    name = words[1] if words[0] == "help" and len(words) > 1 else words[0]
                    if name in ("help", "version", "COMMAND"):
                        continue
                    self.assertIn(name, self.help)
                    shown.add(name)
                    own = words[: words.index("--")] if "--" in words else words
                    self.assertEqual(
                        {word.split("=")[0] for word in own if word.startswith("--")}
                        - self.options[name],
                        set(),
                    )
        self.assertEqual(set(self.help) - shown, set(), "no document shows these commands")

    def test_every_named_option_exists(self):
        known = set.union(*self.options.values())
        for path in documents():
            for line in code_of(read(path)):
                if re.match(
                    r"(sudo )?(git|meson|apt-get|systemctl|systemd-run|find|CARGO_HOME|"
                    r"\./test|FUZZ|SHOTS|TEST_SEED)\b",
                    line,
                ):
                    continue
                for option in OPTION.findall(line):
                    with self.subTest(document=path, line=line):
                        self.assertIn(option, known | FOREIGN_OPTIONS)

    def test_the_help_has_the_options_that_the_program_reads_and_no_others(self):
        read_by_program = set()
        for name in os.listdir(os.path.join(ROOT, "src", "cli")):
            if name not in ("runner.c", "unpack.c"):
                entry = (
                    r'\{"([a-z][a-z0-9-]*)",\s*'
                    r"(?:required_argument|no_argument|OPTION_(?:TEXT|NUMBER|SWITCH|LIST))"
                )
                read_by_program |= {
                    "--" + option for option in re.findall(entry, read(f"src/cli/{name}"))
                }
        self.assertGreater(len(read_by_program), 50)
        self.assertEqual(read_by_program | self.common, set.union(*self.options.values()))

    def test_the_operators_page_names_the_options_of_serve_and_no_others(self):
        page = read("docs/arena.md")
        variables = set(re.findall(r"SKIRMISH_[A-Z_]+", page)) - OTHER_VARIABLES
        self.assertEqual(
            {"--" + name[9:].lower().replace("_", "-") for name in variables}
            - self.options["serve"],
            set(),
        )
        missing = {option for option in self.options["serve"] if option not in page}
        self.assertEqual(missing - self.common - {"--port"}, set())

    def test_every_api_route_exists(self):
        with subprocess.Popen(
            [
                arena.SKIRMISH,
                "serve",
                "--port",
                "0",
                "--sandbox",
                "none",
                "--ladder",
                "off",
                "--data",
                self.path("data"),
            ],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            try:
                line = next(line for line in process.stdout if line.startswith("The arena is at "))
                with urllib.request.urlopen(
                    line.split()[-1] + "/api/v1/openapi.json", timeout=60
                ) as answer:
                    paths = json.load(answer)["paths"]
            finally:
                process.terminate()
        shapes = {re.sub(r"\{\w+\}", "*", path): set(methods) for path, methods in paths.items()}
        seen = 0
        for document in documents():
            for method, path in re.findall(
                r"(?:\b(GET|POST|PUT|PATCH|DELETE) )?(/api/v1/[\w{}./-]*\w\}?)", read(document)
            ):
                if path.endswith("openapi.json"):
                    continue
                with self.subTest(document=document, method=method, path=path):
                    seen += 1
                    shape = re.sub(r"\{\w+\}", "*", path)
                    self.assertIn(shape, shapes)
                    if method:
                        self.assertIn(method.lower(), shapes[shape])
        self.assertGreater(seen, 8)

    def test_the_bot_and_the_command_in_the_readme_win(self):
        page = read("README.md")
        source = next(body for kind, body in FENCE.findall(page) if kind == "python")
        self.assertEqual(len([line for line in source.splitlines() if line.strip()]), 10)
        command = re.search(r'^    \./run play (\w+) --watch "python3 (\S+)" (\S+)$', page, re.M)
        game, file, opponent = command.groups()
        self.write(file, source)
        wins = 0
        for _ in range(11):
            player = self.play(game, f"{arena.PYTHON} {file}", opponent)["players"][0]
            self.assertEqual(player["status"], "ok")
            wins += player["rank"] == 1
        # The bot wins 96% of its matches against random moves, so one run of this test in 500,000
        # has fewer than six wins in eleven matches.
        self.assertGreaterEqual(wins, 6)

    def test_the_workflow_for_github_passes_in_a_new_project(self):
        """Runs all its steps except the installation, which needs a network and root."""
        workflow = next(body for kind, body in FENCE.findall(read("docs/ci.md")) if kind == "yaml")
        steps = re.findall(r"- name: (.*)\n        run: (?!\|)(.*)", workflow)
        self.assertEqual(len(steps), workflow.count("run: ") - 1)
        project = self.path("project")
        self.run_skirmish("new", "planetwars", project)
        path = os.path.dirname(arena.SKIRMISH) + ":" + os.environ["PATH"]
        for name, command in steps:
            with self.subTest(step=name):
                done = subprocess.run(
                    ["sh", "-e", "-c", command],
                    cwd=project,
                    env={**os.environ, "PATH": path},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_diagram_is_up_to_date(self):
        tool = os.path.join(ROOT, "tools", "draw-layers")
        result = subprocess.run([tool, "--check"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_example_bots_in_the_rules_play(self):
        for game in GAMES:
            bots = [
                body
                for kind, body in FENCE.findall(read(f"docs/rules/{game}.md"))
                if kind == "python"
            ]
            self.assertEqual(len(bots), 1, game)
            with self.subTest(game):
                self.write("bot.py", bots[0])
                player = self.play(game, f"{arena.PYTHON} bot.py", "house:random")["players"][0]
                self.assertEqual((player["status"], player.get("failure")), ("ok", None))

    def test_the_example_configurations_and_maps_in_the_rules_are_valid(self):
        for game in set(GAMES) - {"ctf"}:
            section = read(f"docs/rules/{game}.md").split("\n## Configuration", 1)[1]
            configs = [body for kind, body in FENCE.findall(section) if kind == "json"]
            self.assertGreater(len(configs), 0, game)
            for body in configs:
                with self.subTest(game):
                    self.write("config.json", body)
                    self.play(game, "--config", "config.json", "house:random", "house:random")
        rules = re.search(r"^    Rules \{.*\n(?:    .+\n)+", read("docs/rules/ctf.md"), re.M)[0]
        self.write("ctf.config", re.sub(r"^    ", "", rules, flags=re.M))
        self.play("ctf", "--config", "ctf.config", "house:random", "house:random")

    def turns_of(self, game, *arguments):
        """Plays Python bots; returns the exported players of each turn of the replay."""
        words = [f"{arena.PYTHON} {word}" if word.endswith(".py") else word for word in arguments]
        self.play(game, "--replay", "match.skr", *words)
        exported = self.run_skirmish("replay", "export", "match.skr").out.splitlines()
        return [json.loads(line)["players"] for line in exported]

    def test_the_errors_quoted_in_the_rules_are_those_of_the_program(self):
        ctf, underworld = read("docs/rules/ctf.md"), read("docs/rules/underworld.md")
        rules = re.search(r"^    (Rules \{.*\n(?:    .+\n)+)", ctf, re.M)[1].replace("\n    ", "\n")
        board = re.search(r"```json\n(.*?)```", underworld.split("## Configuration", 1)[1], re.S)[1]
        mistakes = [
            (ctf, "ctf", "my.config", rules.replace("nSoldiers=3", "nSoldiers=8")),
            (ctf, "ctf", "my.config", rules.replace("..#..", "..#.")),
            (underworld, "underworld", "match.json", board.replace('"x": 8', '"x": 9')),
        ]
        for page, game, file, text in mistakes:
            with self.subTest(game=game, text=text):
                self.write(file, text)
                result = self.run_skirmish(
                    "play", game, "--config", file, "house:random", "house:random"
                )
                message = result.err.strip().removeprefix("skirmish: ")
                self.assertEqual(result.status, 2)
                self.assertTrue(f"\n    {message}\n" in page, message)

    def test_the_example_of_planet_wars_happens_as_written(self):
        section = read("docs/rules/planetwars.md").split("### The view")[1].split("### Time")[0]
        blocks = re.findall(r"(?:^    .*\n)+", section, re.M)
        first, answer, other, second = (re.sub(r"\n? {4}", "", block) for block in blocks)
        for name, text in (("one.py", answer), ("two.py", other)):
            self.write(
                name,
                "import sys\n"
                "for view in sys.stdin:\n"
                "    print(view, end='', file=sys.stderr, flush=True)\n"
                f"    print({text.strip()!r}, flush=True)\n",
            )
        turns = self.turns_of("planetwars", "--map", "hex", "one.py", "two.py")
        self.assertEqual([turn[0]["stderr"] for turn in turns[:2]], [first, second])
        swapped = re.sub(r'"owner":([12])', lambda owner: f'"owner":{3 - int(owner[1])}', second)
        self.assertEqual(turns[1][1]["stderr"], swapped)
        self.assertIn(f"`{turns[0][0]['reasons'][0]}`", " ".join(section.split()))

    def test_the_example_of_underworld_happens_as_written(self):
        section = read("docs/rules/underworld.md").split("### An example")[1].split("\n### ")[0]
        blocks = re.findall(r"(?:^    .*\n)+", section, re.M)
        first, one, second, two, third, refused = (
            re.sub(r"^ {4}", "", block, flags=re.M) for block in blocks
        )
        for name, answers in (("one.py", [one, two]), ("two.py", ["spawn 9 8 W\nend\n"])):
            self.write(
                name,
                "import sys\n"
                "sys.stdin.readline()\n"
                "print('crayfish', flush=True)\n"
                f"answers = iter({answers!r})\n"
                "for line in sys.stdin:\n"
                "    print(line, end='', file=sys.stderr, flush=True)\n"
                "    if line == 'end\\n':\n"
                "        print(next(answers, 'end\\n'), end='', flush=True)\n",
            )
        turns = self.turns_of("underworld", "--map", "duel", "one.py", "two.py")
        self.assertEqual([turn[0]["stderr"] for turn in turns[:3]], [first, second, third])
        self.assertEqual(turns[1][0]["reasons"], refused.splitlines())

    def test_the_example_plan_of_a_tournament_is_valid(self):
        plan = re.search(r"^    \{\n(?:    .*\n)+?    \}\n", read("docs/tournaments.md"), re.M)[0]
        self.write("cup.json", plan)
        for name in ("ann", "bob"):
            os.mkdir(self.path(name))
            self.write(f"{name}/bot.json", '{"run": "cat"}')
            self.write(
                f"{name}/main.py",
                "import sys\nfor line in sys.stdin:\n    print('{\"moves\":[]}', flush=True)\n",
            )
        wanted = json.loads(plan)
        sandbox = [] if self.run_skirmish("doctor").status == 0 else ["--sandbox", "best-effort"]
        result = self.run_skirmish("tournament", "cup.json", "--json", *sandbox)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(result.json["bots"]), len(wanted["bots"]))
        rows = re.findall(
            r"^\| (`.*?`(?:, `.*?`)*) \|.*\|.*\|$",
            read("docs/tournaments.md").split("| member | meaning |")[1].split("\n## ")[0],
            re.M,
        )
        listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
        self.assertEqual(set(wanted) - listed, set())


if __name__ == "__main__":
    arena.main()
