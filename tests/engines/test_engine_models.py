"""Models, thresholds and splits on engines: the same tallies as in this process."""

import numpy as np
import pytest

import dpselect as ds
from dpselect.engines import opened

RNG = np.random.default_rng(8)
N = 60
DATA = {
    "label": RNG.integers(0, 2, N),
    "a": RNG.integers(0, 2, N),
    "b": RNG.integers(0, 2, N).astype(float),
    "c": np.array(["0", "1"])[RNG.integers(0, 2, N)],
    "x": RNG.normal(size=N).round(1),
    "y": RNG.normal(size=N).round(1),
    "who": RNG.integers(0, 12, N),
    "n": RNG.integers(0, 4, N),
}
DECLARED = {"trained_on": "other records"}


def model(metric, columns, **options):
    return ds.table.BestModel(columns, metric, **DECLARED, **options)


PROBLEMS = {
    "classes": model("f1", ["a", "b", "c"]),
    "classes by person": model("f1", ["a", "b", "c"], person="who", unit=ds.AddOrRemove(2)),
    "classes with counts": model("f1", ["a", "b", "c"], counts="n"),
    "ranks": model("auc", ["x", "y"]),
    "ranks by person": model("auc", ["x", "y"], person="who"),
    "losses": model("log-loss", ["x", "y"]),
    "thresholds": ds.table.BestThreshold([-1, 0, 1], "f1", score="x", **DECLARED),
    "splits": ds.table.BestSplit({"x": [-0.5, 0.5], "y": [0]}),
}


def numbers(tally):
    for name in ("counts", "doubled", "sums"):
        if hasattr(tally, name):
            return getattr(tally, name).tolist()
    raise AssertionError


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_tallies(engine, name):
    problem = PROBLEMS[name]
    with opened(problem, DATA, engine) as (asked, source):
        found = numbers(asked.read(source))
        again = numbers(asked.read(source))
    assert found == again == numbers(problem.read(DATA))


def test_policies_on_engines(engine):
    broken = {**DATA, "x": np.where(np.arange(N) == 7, np.nan, DATA["x"])}
    with opened(PROBLEMS["ranks"], broken, engine) as (asked, source), pytest.raises(ds.InvalidData, match="missing"):
        asked.read(source)
    dropping = model("auc", ["x", "y"], missing="drop")
    with opened(dropping, broken, engine) as (asked, source):
        tally = asked.read(source)
    assert tally.positives + tally.negatives == N - 1
