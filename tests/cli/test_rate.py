"""`skirmish rate`: reading results, and the tables, files and pages made from them."""

import base64
import csv
import hashlib
import html.parser
import io
import json
import random
import re
import subprocess

import arena

HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    '=HYPERLINK("evil","x")',
    "\x1b[2J\x1b[31mred",
    "\u202edesrever",
    "two\nlines, and a comma",
    "猫" * 40,
    "long " * 60,
]

VOID = {"meta", "input", "br", "path", "rect", "circle"}


class Page(html.parser.HTMLParser):
    """Checks that elements are properly nested, and collects their text."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.elements = []
        self.problems = []
        self.content = {}
        self.names = []
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f"left open: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "bdi":
            self.names.append("")

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if self.open:
            self.content[self.open[-1]] = self.content.get(self.open[-1], "") + data
            if self.open[-1] == "bdi":
                self.names[-1] += data


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def duel(winner, loser, **more):
    return json.dumps(
        {"players": [{"name": winner, "rank": 1, **more}, {"name": loser, "rank": 2}]}
    )


class Rate(arena.ArenaTest):
    def rate(self, text, *options, status=0, **limits):
        self.write("results.txt", text)
        result = self.run_skirmish("rate", *options, "results.txt", **limits)
        self.assertEqual(result.status, status, result.err)
        return result

    def page(self, text):
        self.rate(text, "--html", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            source = file.read()
        page = Page(source)
        self.assertEqual(page.problems, [])
        return page, source

    # ---- input ----

    def test_all_notations_of_results_are_read(self):
        result = self.rate(
            "# a comment\n"
            "\n"
            "  alice>bob  \r\n"
            "alice = bob * 3\n"
            'python3 my_bot.py > "x > \\"y\\"" = alice > bob\n'
            '{"players": [{"name": "bob", "rank": 1}, {"name": "carol", "rank": 2}], "more": [1]}\n'
            "a > b * 2",
            "--json",
        ).json
        rows = {row["name"]: row for row in result["bots"]}
        self.assertEqual(
            set(rows), {"alice", "bob", "carol", "python3 my_bot.py", 'x > "y"', "a", "b"}
        )
        self.assertEqual(result["matches"], 1 + 3 + 1 + 1 + 2)
        self.assertEqual(
            (rows["alice"]["wins"], rows["alice"]["draws"], rows["alice"]["losses"]), (1, 3, 1)
        )
        self.assertEqual(
            (rows["alice"]["points"], rows["alice"]["points_most"]), (1 + 1.5 + 1.5, 7)
        )
        self.assertEqual((rows["bob"]["wins"], rows["bob"]["points"]), (1, 2.5))
        self.assertEqual(rows["b"]["losses"], 2)
        numbers = {row["bot"]: row["name"] for row in result["bots"]}
        pairs = {(numbers[pair["a"]], numbers[pair["b"]]): pair for pair in result["pairs"]}
        pair = pairs[("alice", "bob")]
        self.assertEqual((pair["wins"], pair["draws"], pair["losses"]), (2, 3, 0))
        self.assertGreater(pair["superiority"], 0.5)
        self.assertIsNone(result["bracket"])
        self.assertEqual(result["history"][-1]["matches"], 8)
        self.assertEqual(len(result["history"][-1]["ratings"]), 7)

    def test_output_of_play_can_be_rated(self):
        lines = ""
        for seed in range(3):
            played = self.run_skirmish(
                "play", "aliens", "--json", "--seed", str(seed), "house:medium", "house:random"
            )
            self.assertEqual(played.status, 0, played.err)
            lines += played.out
        rows = {row["name"]: row for row in self.rate(lines, "--json").json["bots"]}
        self.assertEqual(set(rows), {"medium", "random"})
        self.assertEqual(rows["medium"]["matches"], 3)
        self.assertGreater(rows["medium"]["turns"], 0)
        self.assertGreater(rows["medium"]["wall_ms"], 0)
        self.assertIn("ms/", self.rate(lines).out)

    def test_standard_input_is_read(self):
        done = subprocess.run(
            [arena.SKIRMISH, "rate", "-"],
            input="alice > bob\n",
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        )
        self.assertIn("Results: 2 bots, 1 match\n", done.stdout)

    def test_errors_name_the_file_and_the_line(self):
        for line, sentence in [
            ("alice", "a match needs at least two bots, as in: alice > bob"),
            ("alice >", "a bot's name was expected at the end"),
            ("alice > > bob", "a bot's name was expected before >, = or *"),
            ("alice > bob > alice", '"alice" is in one match twice; bots need different names'),
            (
                "alice > bob * many",
                "* must be followed by how often the match counts, 1 to 1000000",
            ),
            ("alice > bob * 0", "* must be followed by how often the match counts, 1 to 1000000"),
            ('"alice > bob', '""alice > bob" is not a quoted name as in JSON'),
            ('"alice" bob', "> or = was expected after a quoted name"),
            ('"" > bob', "a bot without a name"),
            ('"a\\u0000b" > bob', "a name must not contain a zero byte"),
            (" > ".join(f"b{i}" for i in range(65)), "more than 64 bots in one match"),
            (
                '{"players": 3}',
                'an object needs "players", an array of objects with "name" and "rank"',
            ),
            ('{"players": [1, 2]}', 'each of "players" must be an object, not a number'),
            ('{"players": [{"rank": 1}]}', 'each of "players" must have a "name", a string'),
            ('{"players": [{"name": "x"}]}', 'each of "players" must have a "rank"; 1 is best'),
            (
                duel("x", "y", refused=-1),
                '"refused" must be a non-negative integer, not a number',
            ),
            (duel("x", "y", wall_total_ms="1"), '"wall_total_ms" must be a time in milliseconds'),
            (duel("x", "y", status="sad"), '"status" is not a known player status'),
            ('{"players": [', "column 14: unexpected end; expected a JSON value"),
        ]:
            with self.subTest(line):
                result = self.rate("alice > bob\n# more\n" + line + "\nalice > bob\n", status=2)
                self.assertEqual(result.err, f"skirmish: results.txt:3: {sentence}\n")
                self.assertEqual(result.out, "")

    def test_unreadable_files_are_errors(self):
        self.assertIn("cannot read missing", self.run_skirmish("rate", "missing").err)
        self.assertEqual(self.run_skirmish("rate", "missing").status, 2)
        self.assertEqual(
            self.rate("# nothing\n", status=2).err, "skirmish: results.txt has no results\n"
        )
        self.assertIn("is a database", self.rate("SQLite format 3\0" + "x" * 100, status=2).err)
        self.assertIn(
            "more than 10000000 matches", self.rate("a > b * 1000000\n" * 11, status=2).err
        )

    def test_wrong_usage_is_an_error(self):
        for arguments in [[], ["a", "b"], ["--json", "--csv", "a"], ["--wrong", "a"], ["--html"]]:
            with self.subTest(arguments):
                result = self.run_skirmish("rate", *arguments)
                self.assertEqual(result.status, 2)
                self.assertIn("Try: skirmish help rate", result.err)
        self.assertIn("alice > bob", self.run_skirmish("help", "rate").out)

    def test_a_page_that_cannot_be_written_is_an_error(self):
        result = self.rate("a > b\n", "--html", "no/such/folder.html", status=2)
        self.assertEqual(
            result.err, "skirmish: cannot write no/such/folder.html: No such file or directory\n"
        )

    # ---- output ----

    def test_the_table_and_the_cross_table_are_printed(self):
        result = self.rate("alice > bob * 3\nbob > carol * 3\nalice = bob\n", "--cross")
        masked = re.sub(r"[+-]\d+ ± *\d+", "RATING", result.out)
        self.assertEqual(
            re.sub(" +", " ", masked),
            "results.txt: 3 bots, 7 matches\n"
            "\n"
            "# bot rating points % W-D-L\n"
            "1 alice RATING 3.5 87.5 3-1-0\n"
            "2 bob RATING 3.5 50.0 3-1-3\n"
            "3 carol RATING 0 0.0 0-0-3\n"
            "\n"
            "Wins, draws and losses of row against column\n"
            "\n"
            " A B C\n"
            "A alice . 3-1-0 -\n"
            "B bob 0-1-3 . 3-0-0\n"
            "C carol - 0-0-3 .\n",
        )

    def test_control_characters_in_names_do_not_reach_the_terminal(self):
        out = self.rate("\n".join(duel(name, "bob") for name in HOSTILE), "--cross").out
        self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        self.assertEqual(len(out.split("\n\n")[1].strip().split("\n")), 1 + len(HOSTILE) + 1)
        for line in out.split("\n"):
            self.assertLessEqual(len(line) + line.count("猫"), 80)

    def test_csv_can_be_parsed(self):
        out = self.rate("\n".join(duel(name, 'a "b", c') for name in HOSTILE), "--csv").out
        rows = list(csv.DictReader(io.StringIO(out), strict=True))
        self.assertEqual(len(rows), len(HOSTILE) + 1)
        names = [row["name"] for row in rows]
        self.assertIn('a "b", c', names)
        self.assertIn('\'=HYPERLINK("evil","x")', names)
        self.assertIn("two\ufffdlines, and a comma", names)
        for row in rows:
            self.assertNotIn(row["name"][0], "=+-@")
            self.assertEqual(None in row or None in row.values(), False)
            self.assertGreater(float(row["error"]), 0)
        self.assertEqual(rows[-1]["losses"], str(len(HOSTILE)))

    def test_json_has_the_unchanged_names(self):
        result = self.rate("\n".join(duel(name, "bob") for name in HOSTILE), "--json").json
        self.assertEqual({row["name"] for row in result["bots"]}, set(HOSTILE) | {"bob"})
        self.assertEqual(result["title"], "results.txt")
        self.assertIs(result["finished"], True)

    def test_the_page_is_well_formed_and_hostile_names_are_inert(self):
        page, source = self.page("\n".join(duel(name, "bob") for name in HOSTILE))
        tags = {tag for tag, _ in page.elements}
        self.assertEqual(sum(tag == "script" for tag, _ in page.elements), 1)
        self.assertFalse(
            tags & {"img", "iframe", "link", "object", "a", "foreignobject", "image", "use"}, tags
        )
        for _, attributes in page.elements:
            self.assertFalse(
                [
                    name
                    for name in attributes
                    if name.startswith("on") or name in ("style", "src", "href", "srcset")
                ]
            )
        self.assertIn("<script>alert(1)</script>", page.names)
        self.assertNotRegex(source, "[\x00-\x09\x0b-\x1f\x7f\u202e]")

    def test_the_page_loads_nothing_and_its_policy_forbids_it(self):
        page, source = self.page("alice > bob\nbob > carol\n")
        self.assertNotRegex(source, r"https?:|//\w|url\(|@import|fetch|XMLHttp|sendBeacon|eval")
        policy = next(
            a["content"]
            for tag, a in page.elements
            if a.get("http-equiv") == "Content-Security-Policy"
        )
        self.assertEqual(
            policy,
            f"default-src 'none'; style-src '{digest(page.content['style'])}'; "
            f"script-src '{digest(page.content['script'])}'; base-uri 'none'; form-action 'none'",
        )

    def test_the_page_has_charts(self):
        _, source = self.page("alice > bob\nbob > carol\nalice = carol\n")
        for title in ("Ratings with 95% confidence intervals", "Ratings over time", "Cross table"):
            self.assertIn(f'aria-label="{title}"', source)
        self.assertNotIn('aria-label="Time per turn"', source)
        self.assertNotIn("timeouts", source)
        line = (
            '{"turns": 10, "players": [{"name": "a", "rank": 1, "wall_total_ms": 5}, '
            '{"name": "b", "rank": 2}]}\n'
        )
        row = self.rate(line * 2, "--json").json["bots"][0]
        self.assertEqual((row["turns"], row["wall_ms"], row["cpu_ms"]), (20, 10.0, 0.0))
        _, source = self.page(line * 2)
        self.assertIn('aria-label="Time per turn"', source)
        self.assertIn("timeouts", source)

    def test_a_thousand_bots_can_be_rated_and_shown(self):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        chance = random.Random(seed)
        lines = "".join(
            "bot%d > bot%d\n" % tuple(chance.sample(range(1000), 2)) for _ in range(3000)
        )
        lines += "".join(f"bot{i} = bot{(i + 1) % 1000}\n" for i in range(1000))
        result = self.rate(lines, "--cross", "--html", "page.html", timeout=500)
        self.assertTrue(all(len(line) <= 80 for line in result.out.split("\n")))
        self.assertIn(
            "The cross table of 1000 bots does not fit in 80 columns; see the HTML report.",
            result.out,
        )
        with open(self.path("page.html"), encoding="utf-8") as file:
            source = file.read()
        self.assertLess(len(source), 1 << 20)
        page = Page(source)
        self.assertEqual(page.problems, [])
        self.assertEqual(len(page.names), 3 + 1000)
        self.assertIn("Showing the first 40 of 1000 bots.", source)


if __name__ == "__main__":
    arena.main()
