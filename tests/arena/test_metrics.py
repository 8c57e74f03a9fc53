"""What an arena exports for Prometheus, and what depends on it: the table in the documentation, the
Grafana dashboard, and the alerts."""

import json
import os
import re
import unittest

import prometheus
from accounts_server import ServerTest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


class Metrics(ServerTest):
    def metrics(self):
        answer = self.admin.ask("GET", "/metrics")
        self.assertEqual(answer.status, 200)
        self.assertIn("text/plain", answer.headers["Content-Type"])
        return prometheus.parse(answer.body.decode())

    def test_names_follow_the_conventions(self):
        for name, metric in self.metrics().items():
            self.assertRegex(name, "^skirmish_[a-z_]+$")
            self.assertTrue(metric.help.endswith("."), name)
            self.assertNotRegex(name, "_(milliseconds|ms|minutes|kb|mib)(_|$)")
            self.assertEqual(
                metric.kind == "histogram",
                name.endswith("_seconds") and "_oldest_" not in name,
                name,
            )

    def test_work_of_the_store_is_measured(self):
        before = self.metrics()["skirmish_store_transaction_seconds"]
        self.person("measured")
        after = self.metrics()["skirmish_store_transaction_seconds"]
        for kind in ("read", "write"):
            counts = [metric.value("_count", transaction=kind) for metric in (before, after)]
            self.assertGreater(counts[1], counts[0], kind)
        sums = [metric.total("_sum") for metric in (before, after)]
        self.assertGreater(sums[1], sums[0])
        self.assertLess(sums[1], 60)
        self.assertEqual(self.metrics()["skirmish_store_info"].value(engine="sqlite"), 1)
        files = self.metrics()["skirmish_files_request_seconds"]
        self.assertGreater(files.value("_count", request="put"), 0)  # house bots

    def check_expression(self, expression):
        """Fails unless every metric in the expression is exported, with the labels it selects."""
        exported = self.metrics()
        depth = 0
        for sign in expression:
            depth += (sign in "([{") - (sign in ")]}")
            self.assertGreaterEqual(depth, 0, expression)
        self.assertEqual(depth, 0, expression)
        named = re.findall(r"\b(skirmish_[a-z_]+)(\{[^}]*\})?", expression)
        self.assertTrue(named, expression)
        for name, selector in named:
            metric = exported.get(re.sub("_(bucket|sum|count)$", "", name)) or exported.get(name)
            self.assertIsNotNone(metric, f"{name} is not exported")
            if name.endswith("_bucket"):
                self.assertEqual(metric.kind, "histogram", name)
            called = re.search(
                r"(\w+)\(" + re.escape(name + selector) + r"(\[\w+\])?\)", expression
            )
            per_second = bool(called and called[1] in ("rate", "increase"))
            self.assertEqual(per_second, metric.kind != "gauge", expression)
            values = {}
            for _, labels in metric.samples:
                for label, value in labels:
                    values.setdefault(label, set()).add(value)
            for label, operator, wanted in re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', selector):
                for value in wanted.split("|"):
                    self.assertIn(value, values.get(label, ()), f"{operator} in {expression}")
            for group in re.findall(r"\bby \(([^)]*)\)", expression):
                for label in group.split(", "):
                    self.assertIn(label, {*values, "instance"}, expression)

    def test_the_dashboard_shows_the_exported_metrics(self):
        dashboard = json.loads(read("packaging", "grafana", "skirmish.json"))
        self.assertEqual((dashboard["uid"], dashboard["title"]), ("skirmish", "Skirmish"))
        self.assertGreaterEqual(dashboard["schemaVersion"], 39)
        variable = dashboard["templating"]["list"][0]
        self.assertEqual((variable["name"], variable["type"]), ("datasource", "datasource"))
        panels = dashboard["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken, shown = set(), set()
        for panel in panels:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            cells = {
                (place["x"] + x, place["y"] + y)
                for x in range(place["w"])
                for y in range(place["h"])
            }
            self.assertFalse(cells & taken, f"{panel['title']} covers another panel")
            taken |= cells
            if panel["type"] == "row":
                continue
            self.assertIn(panel["type"], ("timeseries", "stat"))
            self.assertEqual(panel["datasource"]["uid"], "${datasource}")
            self.assertTrue(panel["targets"], panel["title"])
            for target in panel["targets"]:
                self.check_expression(target["expr"])
                shown |= set(re.findall("skirmish_[a-z_]+", target["expr"]))
        parts = (
            "workers",
            "leader",
            "queue_oldest_seconds",
            "store_transaction_seconds_bucket",
            "files_request_seconds_bucket",
            "http_request_seconds_bucket",
            "live_viewers",
        )
        self.assertLessEqual({"skirmish_" + part for part in parts}, shown)

    def test_alerts_use_only_exported_metrics(self):
        rules = read("packaging", "prometheus", "skirmish.yml")
        found = re.findall(
            r"^      - alert: (\w+)\n        expr: ((?:.|\n)*?)\n(?:        for: \d+[ms]\n)?"
            r"        labels:\n          severity: (?:warning|critical)\n"
            r"        annotations:\n          summary: (\S.*)$",
            rules,
            re.M,
        )
        self.assertEqual(len(found), rules.count("- alert:"))
        self.assertEqual(len({name for name, _, _ in found}), len(found))
        guide = read("docs", "scale.md")
        for name, expression, summary in found:
            self.check_expression(re.sub(r"\s+", " ", expression.removeprefix(">-").strip()))
            self.assertTrue(summary.strip('"').endswith("."), summary)
            self.assertIn(f"`{name}`", guide)

    def test_the_documentation_lists_every_metric(self):
        documented = re.findall(r"^\| `(skirmish_[a-z_]+)`", read("docs", "arena.md"), re.M)
        self.assertEqual(sorted(documented), sorted(self.metrics()))


if __name__ == "__main__":
    unittest.main()
