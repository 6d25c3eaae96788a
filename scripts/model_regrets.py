"""Expected regrets of docs/tables/best-model.md and best-split.md, exact, for `table_regrets.py`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

import dpselect as ds
from dpselect.problems.table.tallies import Confusions, Ranks

KEPT = Path(__file__).parents[1] / "docs" / "tables" / "validation.json"
EPSILONS = ("0.1", "0.5", "1")
METHODS = ("global-scale", "ladder", "log-transform", "inverse-sensitivity", "supported-flips", "common-factor")
APPROXIMATE = ("certificate-search", "private-smooth", "direct-smooth")
DELTA = "1e-6"
REPEATS = (1, 4, 16, 64)


@cache
def kept(name):
    """The models, and the counts by number of records."""
    found = json.loads(KEPT.read_text(encoding="utf-8"))[name]
    tables = {int(n): (np.array(t["confusions"]), t["ranks"]) for n, t in found["tables"].items()}
    if name == "breast cancer":
        ((n, (counts, (p, q, doubled))),) = tables.items()
        tables = {k * n: (k * counts, [k * p, k * q, [k * k * u for u in doubled]]) for k in REPEATS}
    return found["models"], tables


def tally(metric, counts, ranks):
    return Ranks(ranks[0], ranks[1], np.array(ranks[2])) if metric == "auc" else Confusions(counts)


def expected(problem, data, method, epsilon, delta="0"):
    law = ds.law(problem, data, epsilon=epsilon, delta=delta, method=method)
    return ds.expected_regret(law)


def shown(value):
    return "0" if value < 5e-5 else f"{value:.2g}" if value >= 0.001 else f"{value:.4f}"


def usable(problem, method):
    if method == "supported-flips":
        return problem.support_constants is not None
    if method == "common-factor":
        return problem.common_factor_span is not None
    return method != "inverse-sensitivity" or problem.flip_distance is not None


def against_n(name, metric, unit=None):
    """One row for each ε and method, one column for each n; bold within 2 % of the best."""
    models, tables = kept(name)
    problem = ds.table.BestModel(models, metric, trained_on="other records", unit=unit or ds.AddOrRemove())
    data = {n: tally(metric, *t) for n, t in tables.items()}
    lines = ["| ε | method | " + " | ".join(f"n = {n:,}" for n in data) + " |", "| --- | --- |" + " --- |" * len(data)]
    for epsilon in EPSILONS:
        rows = {m: [expected(problem, x, m, epsilon) for x in data.values()] for m in METHODS if usable(problem, m)}
        rows |= {m: [expected(problem, x, m, epsilon, DELTA) for x in data.values()] for m in APPROXIMATE}
        best = np.min(list(rows.values()), axis=0)
        for method, values in rows.items():
            label = f"`{method}`" + (" (default)" if method == problem.default_method else "")
            cells = [f"**{shown(v)}**" if v <= 1.02 * b + 5e-5 else shown(v) for v, b in zip(values, best, strict=True)]
            lines.append(f"| {epsilon} | {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


ALL = ("accuracy", "recall", "precision", "f1", "f-beta", "balanced-accuracy", "matthews", "macro-f1",
       "macro-precision", "auc")  # fmt: skip


def every_metric(unit=None, epsilon="0.5", n=16_000):
    """One row a metric, one column a method, on the table with 1 % positives."""
    models, tables = kept("one percent")
    lines = ["| metric | " + " | ".join(f"`{m}`" for m in METHODS) + " |", "| --- |" + " --- |" * len(METHODS)]
    for metric in ALL:
        problem = ds.table.BestModel(
            models, metric, trained_on="other records", unit=unit or ds.AddOrRemove(),
            beta=2 if metric == "f-beta" else None,
        )  # fmt: skip
        x = tally(metric, *tables[n])
        share = {"accuracy": n, "recall": int(tables[n][0][0, 1].sum())}.get(metric, 1)
        values = [expected(problem, x, m, epsilon) / share if usable(problem, m) else None for m in METHODS]
        best = min(v for v in values if v is not None)
        cells = []
        for method, v in zip(METHODS, values, strict=True):
            text = "–" if v is None else f"**{shown(v)}**" if v <= 1.02 * best + 5e-5 else shown(v)
            cells.append(text + (" *" if method == problem.default_method else ""))
        lines.append(f"| {metric} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- splits


def split(unit=None):
    """The root of a tree on breast cancer, Gini and information gain, in records or nats per 1,000 records."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    frame = data.frame.rename(columns={"target": "label"})
    bounds = {"mean radius": (5, 30), "mean texture": (5, 40), "mean area": (0, 2500), "worst perimeter": (50, 250),
              "worst concave points": (0, 0.3), "mean smoothness": (0.05, 0.17)}  # fmt: skip
    cuts = {name: [low + (high - low) * i / 16 for i in range(1, 16)] for name, (low, high) in bounds.items()}
    lines = ["| criterion | ε | method | n = 569 | n = 2,276 | n = 9,104 |", "| --- |" + " --- |" * 5]
    for criterion in ("gini", "information-gain"):
        problem = ds.table.BestSplit(
            cuts, criterion, unit=unit or ds.AddOrRemove(), most_records=10**4 if criterion != "gini" else None
        )
        whole = problem.read(frame).counts
        tables = {569 * k: type(problem.read(frame))(k * whole) for k in (1, 4, 16)}
        for epsilon in EPSILONS:
            for method in ("global-scale", "ladder"):
                values = [1000 * expected(problem, x, method, epsilon) / n for n, x in tables.items()]
                label = f"`{method}`" + (" (default)" if method == problem.default_method else "")
                cells = " | ".join(f"{v:.3g}" if v >= 5e-4 else "0" for v in values)
                lines.append(f"| {criterion} | {epsilon} | {label} | {cells} |")
    return "\n".join(lines) + "\n"


BLOCKS = {
    "f1-cancer": lambda: against_n("breast cancer", "f1"),
    "f1-one-percent": lambda: against_n("one percent", "f1"),
    "f1-one-percent-replace": lambda: against_n("one percent", "f1", ds.ReplaceOne()),
    "auc-cancer": lambda: against_n("breast cancer", "auc"),
    "auc-one-percent": lambda: against_n("one percent", "auc"),
    "auc-one-percent-replace": lambda: against_n("one percent", "auc", ds.ReplaceOne()),
    "every-metric": every_metric,
    "every-metric-replace": lambda: every_metric(ds.ReplaceOne()),
    "split": split,
    "split-replace": lambda: split(ds.ReplaceOne()),
}
