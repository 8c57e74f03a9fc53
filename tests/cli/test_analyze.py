"""`skirmish analyze`: winning chances, and planted blunders."""

import json
import os

import arena

# Plays like the house bot, except in one turn, in which it sacrifices its units or ships.
BLUNDERER = """
import json, subprocess, sys

game, program, blunder = sys.argv[1], sys.argv[2], int(sys.argv[3])
house = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def aliens(view):
    "Lets units meet on one square in pairs: both die."
    cols = view["state"]["cols"]
    units = [i for i, c in enumerate(view["state"]["grid"]) if c == view["player"]]
    orders = []
    while units:
        one = units.pop()
        def apart(other):
            return abs(one // cols - other // cols) + abs(one % cols - other % cols)
        friend = min(units, key=apart, default=None)
        if friend is None or apart(friend) > 2:
            continue
        units.remove(friend)
        if apart(friend) == 1:
            orders.append({"from": one, "to": friend})
            continue
        row, col = (one // cols + friend // cols) // 2, (one % cols + friend % cols) // 2
        if one // cols != friend // cols and one % cols != friend % cols:
            row, col = one // cols, friend % cols
        orders += [{"from": unit, "to": row * cols + col} for unit in (one, friend)]
    return orders


def planetwars(view):
    "Sends all ships of each planet to the one that is furthest away."
    moves = []
    for planet in view["planets"]:
        def apart(other):
            return (planet["x"] - other["x"]) ** 2 + (planet["y"] - other["y"]) ** 2
        if planet["owner"] == 1 and planet["ship_count"]:
            target = max(view["planets"], key=apart)
            moves.append({"origin": planet["name"], "destination": target["name"],
                          "ship_count": planet["ship_count"]})
    return {"moves": moves}


for turn, line in enumerate(sys.stdin, 1):
    house.stdin.write(line)
    house.stdin.flush()
    answer = house.stdout.readline()
    if turn == blunder:
        answer = json.dumps(globals()[game](json.loads(line))) + "\\n"
    sys.stdout.write(answer)
    sys.stdout.flush()
"""

QUICK = ("--samples", "12", "--continuations", "10")


class Analyze(arena.ArenaTest):
    def blunderer(self, game, turn):
        self.write("blunderer.py", BLUNDERER)
        house = os.path.join(os.path.dirname(arena.SKIRMISH), "bots", f"{game}-medium")
        return f"{arena.PYTHON} blunderer.py {game} {house} {turn}"

    def record(self, game, *bots, seed="1"):
        self.play(game, "--seed", seed, "--sandbox", "none", "--replay", "match.skr", *bots)

    def analyze(self, *arguments, status=0, **options):
        result = self.run_skirmish("analyze", "match.skr", *arguments, **options)
        self.assertEqual(result.status, status, result.out + result.err)
        self.assert_no_processes_left()
        return result

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def find_planted(self, game, player, turn):
        bots = ["house:medium", "house:medium"]
        bots[player - 1] = self.blunderer(game, turn)
        self.record(game, *bots)
        found = self.analyze("--json", *QUICK).json
        self.assertEqual(len(found["blunders"]), 1, found["blunders"])
        [blunder] = found["blunders"]
        self.assertEqual(blunder["player"], player)
        self.assertLessEqual(abs(blunder["first_turn"] - turn), 2)
        self.assertLessEqual(abs(blunder["last_turn"] - turn), 2)
        self.assertGreater(blunder["instead"]["low"], blunder["after"]["high"])
        orders = [one for one in blunder["orders"] if one["turn"] == turn]
        self.assertTrue(orders and orders[0]["orders"], blunder["orders"])
        return found

    def test_a_planted_blunder_in_aliens_is_found(self):
        found = self.find_planted("aliens", 2, 40)
        self.assertEqual(found["decided"]["player"], 1)
        self.assertLessEqual(abs(found["decided"]["turn"] - 40), 8)

    def test_a_planted_blunder_in_planet_wars_is_found(self):
        self.find_planted("planetwars", 1, 30)

    def test_a_match_without_a_blunder_has_none(self):
        for game, seed in (("aliens", "2"), ("ctf", "1")):
            with self.subTest(game=game):
                self.record(game, "house:medium", "house:medium", seed=seed)
                found = self.analyze("--json", *QUICK).json
                self.assertEqual(found["blunders"], [])
                self.assertIn("No blunders found.", self.analyze(*QUICK).out)

    def test_chances_of_all_players_add_up_and_intervals_contain_them(self):
        self.record("planetwars", *["house:medium"] * 2, "house:random")
        found = self.analyze("--json", "--samples", "4", "--continuations", "3").json
        self.assertEqual(len(found["players"]), 3)
        points = found["points"]
        self.assertEqual([point["turn"] for point in points], sorted({p["turn"] for p in points}))
        self.assertEqual(points[0]["turn"], 0)
        self.assertEqual(points[-1]["turn"], found["turns"])
        for point in points:
            self.assertAlmostEqual(sum(one["chance"] for one in point["players"]), 1, places=3)
            for one in point["players"]:
                self.assertLessEqual(0, one["low"])
                self.assertLessEqual(one["low"], one["chance"])
                self.assertLessEqual(one["chance"], one["high"])
                self.assertLessEqual(one["high"], 1)
        last = points[-1]["players"]
        self.assertEqual([one["low"] for one in last], [one["high"] for one in last])
        end = self.run_skirmish("replay", "info", "match.skr").out.splitlines()[1]
        won = [one["rank"] == 1 for one in json.loads(end)["players"]]
        self.assertEqual([one["chance"] > 0 for one in last], won)

    def test_the_same_seed_gives_the_same_result_and_another_one_another(self):
        self.record("ctf", "house:medium", "house:medium")
        options = ("--json", "--samples", "3", "--continuations", "6")
        first = self.analyze(*options, "--seed", "5").json
        self.assertEqual(self.analyze(*options, "--seed", "5", "--jobs", "1").json, first)
        other = self.analyze(*options, "--seed", "6").json
        self.assertNotEqual(other["points"], first["points"])

    def test_the_report_names_the_blunder_and_the_file_is_next_to_the_replay(self):
        self.record("aliens", "house:medium", self.blunderer("aliens", 40))
        report = self.analyze(*QUICK).out
        self.assertRegex(
            report, r"Blunder \(\^\)\n  Turn 40: 2 \S.*has a chance of \d+% \(\d+-\d+%\)"
        )
        self.assertRegex(report, r"\n  100% \|")
        self.assertRegex(report, r"\n +\+-+\^-+\n")
        self.assertIn("match.analysis.json", report)
        written = self.read("match.analysis.json")
        self.assertEqual(written["blunders"][0]["last_turn"], 40)
        last = self.run_skirmish("replay", "export", "match.skr").out.splitlines()[-1]
        self.assertEqual(written["digest"], json.loads(last)["digest"])

    def test_the_file_can_have_another_name_or_be_left_out(self):
        self.record("aliens", "house:medium", "house:random")
        few = ("--samples", "2", "--continuations", "1")
        self.analyze(*few, "--output", "here.json")
        self.assertEqual(self.analyze(*few, "--json").json, self.read("here.json"))
        self.analyze(*few, "--output", "-")
        self.assertFalse(os.path.exists(self.path("match.analysis.json")))

    def test_continuations_can_be_played_by_chosen_bots(self):
        self.record("aliens", "house:medium", "house:medium")
        few = ("--json", "--samples", "2", "--continuations", "8")
        found = self.analyze(*few, "--bots", "house:medium", "--bots", "house:random").json
        self.assertEqual(
            [one["continued_by"] for one in found["players"]], ["house:medium", "house:random"]
        )
        self.assertGreater(found["points"][0]["players"][0]["chance"], 0.9)

    def test_failing_bots_are_reported(self):
        self.record("aliens", "house:medium", "house:medium")
        crash = self.bot("crash", "view()\nsay('[]')\nsys.exit(3)\n")
        result = self.analyze("--samples", "2", "--continuations", "2", "--bots", crash)
        self.assertRegex(result.out, r"In \d+ continuations a bot failed: .*exited with status 3")

    def test_mistakes_are_explained(self):
        self.record("aliens", "house:medium", "house:random")
        self.write("broken.skr", "nothing")
        for arguments, message in (
            ([], "expected REPLAY"),
            (["match.skr", "more"], 'unexpected argument "more"'),
            (["none.skr"], "none.skr"),
            (["broken.skr"], "broken.skr"),
            (["match.skr", "--samples", "0"], "--samples must be"),
            (["match.skr", "--bots", "house:nobody"], 'unknown house bot "nobody"'),
            (["match.skr", *["--bots", "house:random"] * 3], "one for each player"),
        ):
            with self.subTest(arguments=arguments):
                result = self.run_skirmish("analyze", *arguments)
                self.assertEqual(result.status, 2, result.err)
                self.assertIn(message, result.err)


if __name__ == "__main__":
    arena.main()
