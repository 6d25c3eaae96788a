"""`method="auto"` without a reference on the model problems of docs/tables, near the best as in `test_auto`."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dpselect as ds
from dpselect.problems.table.tallies import Confusions, Ranks

TABLES = json.loads((Path(__file__).parents[2] / "docs" / "tables" / "validation.json").read_text(encoding="utf-8"))
METRICS = ["accuracy", "recall", "precision", "f1", "f-beta", "balanced-accuracy", "matthews", "macro-f1",
           "macro-precision", "auc"]  # fmt: skip
BUDGETS = [("1/10", "1e-6"), ("1/2", "0"), ("1", "1e-6")]


@cache
def data(name, metric):
    """The kept tables of a name, the smallest and the largest."""
    found = [TABLES[name]["tables"][n] for n in sorted(TABLES[name]["tables"], key=int)]
    kept = [found[0], found[-1]]
    if metric == "auc":
        return [Ranks(t["ranks"][0], t["ranks"][1], np.array(t["ranks"][2])) for t in kept]
    return [Confusions(np.array(t["confusions"])) for t in kept]


def is_near(problem, x, epsilon, delta):
    """At most twice the least expected regret of all methods with defaults, or 1 % of the largest gap more."""
    auto = ds.expected_regret(ds.law(problem, x, epsilon=epsilon, delta=delta))
    found = ds.compare(problem, x, epsilon=epsilon, delta=delta)
    best = found.best.expected_regret
    return auto <= 2 * best or auto - best <= 0.01 * found.largest_gaps[0]


@pytest.mark.parametrize("unit", [ds.AddOrRemove(), ds.ReplaceOne()], ids=["add", "replace"])
@pytest.mark.parametrize("metric", METRICS)
def test_models(metric, unit):
    for name in TABLES:
        beta = 2 if metric == "f-beta" else None
        problem = ds.table.BestModel(TABLES[name]["models"], metric, trained_on="other records", unit=unit, beta=beta)
        for x in data(name, metric):
            for budget in BUDGETS:
                assert is_near(problem, x, *budget), (name, budget)


def test_thresholds_and_splits():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 3000)
    score = np.clip(label * 0.3 + rng.random(3000) * 0.7, 0, 1)
    cuts = [i / 20 for i in range(1, 20)]
    problems = [ds.table.BestThreshold(cuts, m, trained_on="other records") for m in ("f1", "accuracy", "matthews")]
    problems += [
        ds.table.BestSplit({"score": cuts}, c, most_records=m)
        for c, m in (("gini", None), ("information-gain", 10_000))
    ]
    for problem in problems:
        x = problem.read({"score": score, "label": label})
        for budget in BUDGETS:
            assert is_near(problem, x, *budget), (problem, budget)
