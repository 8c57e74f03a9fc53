"""Reads Prometheus' text format strictly, as /metrics writes it."""

import re

SAMPLE = re.compile(
    r'([a-z_][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.]+|\+Inf)$'
)
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


class Metric:
    """A metric: its kind, its help, and its samples by suffix and labels."""

    def __init__(self, kind, text):
        self.kind, self.help = kind, text
        self.samples = {}

    def value(self, suffix="", **labels):
        return self.samples[suffix, tuple(sorted(labels.items()))]

    def total(self, suffix=""):
        return sum(value for (name, _), value in self.samples.items() if name == suffix)


def check_histogram(name, metric):
    """Fails unless the buckets are cumulative and the one for +Inf equals the count."""
    groups = {}
    for (suffix, labels), value in metric.samples.items():
        if suffix == "_bucket":
            bound = dict(labels)["le"]
            rest = tuple(label for label in labels if label[0] != "le")
            groups.setdefault(rest, []).append((float(bound.replace("+Inf", "inf")), value))
    assert groups, f"{name} has no buckets"
    for labels, buckets in groups.items():
        values = [value for _, value in sorted(buckets)]
        assert values == sorted(values), f"{name}: {buckets}"
        assert sorted(buckets)[-1] == (float("inf"), metric.samples["_count", labels]), name


def parse(text):
    """Returns the metrics by name. Fails on anything that Prometheus would not accept, or that
    breaks its naming conventions."""
    metrics = {}
    name = None
    lines = text.split("\n")
    assert lines.pop() == "", "the last line has no newline"
    for line in lines:
        if line.startswith("# HELP "):
            _, _, name, text = line.split(" ", 3)
            assert name not in metrics, f"{name} is described twice"
            metrics[name] = Metric(None, text)
            continue
        if line.startswith("# TYPE "):
            _, _, typed, kind = line.split(" ")
            assert typed == name and kind in ("counter", "gauge", "histogram"), line
            assert kind == "counter" or not name.endswith("_total"), line
            metrics[name].kind = kind
            continue
        found = SAMPLE.match(line)
        assert found, line
        suffix = found[1].removeprefix(name)
        metric = metrics[name]
        allowed = ("_bucket", "_sum", "_count") if metric.kind == "histogram" else ("",)
        assert suffix in allowed, line
        key = suffix, tuple(sorted(LABEL.findall(found[2] or "")))
        assert key not in metric.samples, line
        metric.samples[key] = float(found[3].replace("+Inf", "inf"))
    for name, metric in metrics.items():
        assert metric.kind and metric.samples, name
        if metric.kind == "histogram":
            check_histogram(name, metric)
    return metrics
