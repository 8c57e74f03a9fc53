"""The capacity model, tools/scale-model: a case computed by hand, and how loads must grow."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
PROGRAM = os.path.join(ROOT, "tools", "scale-model")
MEASURED = {
    "store_us_per_match": 1000.0,
    "wal_bytes_per_match": 3000.0,
    "database_bytes_per_match": 2000.0,
}


def load():
    loader = importlib.machinery.SourceFileLoader("scale_model", PROGRAM)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("scale_model", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


scale_model = load()
DEFAULTS = {name: default for name, default, _ in scale_model.ASSUMPTIONS}


def loads(matches=8640000, measured=None, **changes):
    given = dict(DEFAULTS, **{name.replace("_", "-"): value for name, value in changes.items()})
    parts, cost = scale_model.model(measured or MEASURED, 1000, matches, given)
    return {name: load for name, load, *_ in parts}, cost


class Model(unittest.TestCase):
    def test_the_model_matches_a_case_computed_by_hand(self):
        # 100 matches a second on average, 200 at the peak.
        load, cost = loads()
        self.assertAlmostEqual(load["workers' cores"], 400)
        self.assertAlmostEqual(load["store CPU"], 0.2)
        self.assertAlmostEqual(load["store log"], 0.6)
        self.assertAlmostEqual(load["store connections"], 75)
        self.assertAlmostEqual(load["store disk after a year"], 8640000 * 365 * 2000 / 1e9)
        self.assertAlmostEqual(load["files"], 8640000 * 30 * 20000 / 1e9 + 0.2)
        self.assertAlmostEqual(cost["workers"], 200 * 730 * 0.04)

    def test_twice_the_matches_never_need_less_of_any_resource(self):
        (once, cost), (twice, more) = loads(), loads(matches=17280000)
        for name, load in once.items():
            self.assertGreaterEqual(twice[name], load, name)
        self.assertGreater(sum(more.values()), sum(cost.values()))
        self.assertAlmostEqual(twice["store CPU"], 2 * once["store CPU"])

    def test_longer_matches_need_more_workers_but_no_larger_store(self):
        once, longer = loads()[0], loads(match_seconds=4)[0]
        self.assertAlmostEqual(longer["workers' cores"], 2 * once["workers' cores"])
        self.assertEqual(longer["store CPU"], once["store CPU"])

    def test_the_first_part_to_be_full_has_the_highest_share(self):
        given = dict(DEFAULTS, **{"store-cores": 0.01})
        parts, _ = scale_model.model(MEASURED, 1000, 8640000, given)
        first = scale_model.first_full(parts)
        self.assertEqual(first[0], "store CPU")
        self.assertAlmostEqual(scale_model.size_when_full(first, 8640000), 8640000 / 20)

    def test_each_part_has_a_remedy(self):
        parts, _ = scale_model.model(MEASURED, 1000, 8640000, DEFAULTS)
        self.assertEqual({part[0] for part in parts}, set(scale_model.REMEDIES))


class Program(unittest.TestCase):
    def run_it(self, *options):
        return subprocess.run(
            [sys.executable, "-B", PROGRAM, *options], capture_output=True, text=True, check=False
        )

    def test_the_report_names_the_part_its_cost_and_the_assumptions(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("Full first: ", "twice as long", "Cost of a month", "--match-seconds 2"):
            self.assertIn(part, done.stdout)

    def test_a_file_without_measurements_is_refused(self):
        done = self.run_it("--measured", os.devnull)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bench/scale --json", done.stderr)

    def test_a_number_below_one_is_refused(self):
        self.assertEqual(self.run_it("--bots", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
