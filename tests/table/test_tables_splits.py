"""Best split and best threshold: all small tables by the definition, wrong variants, and what is read."""

import random
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from brute import Tables, breaks_certificate, breaks_gs, breaks_p1, breaks_p2, exceeds_truth, unit_of
from models_brute import METRICS, confusions

import dpselect as ds
from dpselect.problems.table.best_split import Sides
from dpselect.problems.table.impurity import Entropy, Gini
from dpselect.profile import Profile

getcontext().prec = 60
TINY = Fraction(1, 10**30)
UNITS = [("add", 1), ("add", 2), ("replace", 1)]

# ---------------------------------------------------------------- splits by their definitions


def gini(counts):
    n = sum(counts)
    return n - Fraction(sum(a * a for a in counts), n) if n else Fraction(0)


def entropy(counts):
    """To 40 digits."""

    def part(v):
        return Decimal(v) * Decimal(v).ln() if v else Decimal(0)

    return Fraction(part(sum(counts)) - sum(part(a) for a in counts))


IMPURITIES = {"gini": gini, "information-gain": entropy}


def sides(records, splits, classes):
    counts = np.zeros((splits, 2, classes), np.int64)
    for label, *where in records:
        for r, side in enumerate(where):
            counts[r, side, label] += 1
    return Sides(counts)


def problem_of(criterion, splits, classes, unit, most, person=None):
    return ds.table.BestSplit(
        {f"f{r}": [0] for r in range(splits)}, criterion, classes=tuple(range(classes)), unit=unit, person=person,
        most_records=most if criterion == "information-gain" else None,
    )  # fmt: skip


@cache
def setting(criterion, unit="add", rows=1, classes=2, most=3):
    kinds = tuple((y, *where) for y in range(classes) for where in product((0, 1), repeat=2))
    world = Tables(kinds, most, unit, rows)
    problem = problem_of(criterion, 2, classes, unit_of(world), most, "who" if rows > 1 else None)
    data, scores = [], []
    for x in world.all:
        records = world.records(x)
        data.append(sides(records, 2, classes))
        scores.append([-sum(IMPURITIES[criterion](side) for side in split) for split in data[-1].counts.tolist()])
    return world, problem, data, scores


@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
@pytest.mark.parametrize("classes", [2, 3])
def test_splits(criterion, unit, rows, classes):
    world, problem, data, scores = setting(criterion, unit, rows, classes, 3 if classes == 2 else 2)
    for x, row in zip(data, scores, strict=True):
        gaps = problem.scores(x).gaps()
        for i, q in enumerate(row):
            gap = gaps.exact(i)
            middle = gap if isinstance(gap, Fraction) else sum(gap.enclosure(140)) / 2
            assert abs(middle - (max(row) - q)) <= TINY
            assert abs(float(gaps.proposal[i]) - middle) <= gaps.error + middle / 2**50
    assert problem.kappa == 1
    profiles = [problem.profile(x) for x in data]
    loose = [p.plus(TINY) for p in profiles]
    assert not breaks_p1(world, scores, loose, 1)
    assert not breaks_p2(world, profiles, 8)
    assert not breaks_gs(world, scores, loose, problem.global_sensitivity + TINY, 1)
    if problem.monotone:
        for i, j in world.edges:
            moved = [a - b for a, b in zip(scores[i], scores[j], strict=True)]
            assert min(moved) >= -TINY or max(moved) <= TINY


@pytest.mark.slow
@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_splits_of_more_records(criterion, unit, rows):
    world, problem, data, scores = setting(criterion, unit, rows, 2, 5 if rows == 1 else 4)
    profiles = [problem.profile(x) for x in data]
    assert not breaks_p1(world, scores, [p.plus(TINY) for p in profiles], 1)
    assert not breaks_p2(world, profiles, 8)


@pytest.mark.parametrize("criterion", IMPURITIES)
def test_wrong_profiles_of_splits_are_caught(criterion):
    world, problem, data, scores = setting(criterion)
    profiles = [problem.profile(x) for x in data]
    assert breaks_p1(world, scores, [p.times(Fraction(9, 10)) for p in profiles], 1)
    assert breaks_p2(world, [Profile.constant(p(0)) for p in profiles], 7)
    replacing, _, these, rows = setting(criterion, "replace")
    assert breaks_p1(replacing, rows, [problem.profile(x) for x in these], 1)
    assert breaks_p1(world, scores, [Profile.constant(Fraction(2, 3))] * len(data), 1)


def exact_profile(criterion, counts, t):
    """The formula with every i, in float64."""
    growth = (Gini() if criterion == "gini" else Entropy()).near
    pairs = [(side[k], sum(side) - side[k]) for split in counts.tolist() for side in split for k in range(len(side))]
    found = [(max(a - i - 1, 0), b + t - i) for a, b in pairs for i in range(t + 1)]
    a, b = (np.array(v, dtype=float) for v in zip(*found, strict=True))
    return growth(a, b).max()


@pytest.mark.parametrize("criterion", IMPURITIES)
def test_two_ends_are_the_maximum_over_a_ball(criterion):
    rng = random.Random(4)
    for size in (3, 10, 40):
        for _ in range(3):
            records = [(rng.randrange(3), rng.randrange(2), rng.randrange(2)) for _ in range(size)]
            x = sides(records, 2, 3)
            profile = problem_of(criterion, 2, 3, ds.AddOrRemove(), 10**6).profile(x)
            for t in (0, 1, 2, 5, 9, 17):
                truth = exact_profile(criterion, x.counts, t)
                assert truth * (1 - 1e-12) <= profile(t) <= truth * (1 + 2**-7) + 1e-12


def test_rounding_up_decides_with_reals():
    for a in range(6):
        for b in range(6):
            exact = Entropy.exact(a, b)
            lower, upper = exact.enclosure(200)
            found = Entropy().rounded(a, b)
            assert lower <= found
            assert found <= max(upper, 0) * (1 + Fraction(1, 128))
    assert Entropy().rounded(10**6, 1) >= Entropy.exact(10**6, 1).enclosure(200)[0] > 0


def test_splits_that_tie():
    """The same counts in another order: one Real, so the tie is seen."""
    scores = Entropy().scores(np.array([[[3, 1], [2, 5]], [[5, 2], [1, 3]], [[4, 1], [1, 5]]]))
    assert scores.exact(0) is scores.exact(1)
    assert scores.maximisers().tolist() == [False, False, True]


def test_splits_are_read(tmp_path):
    rng = np.random.default_rng(3)
    data = {"a": rng.integers(0, 10, 300), "b": rng.normal(size=300).round(1), "label": rng.integers(0, 3, 300)}
    thresholds = {"b": [0.5, "-0.5"], "a": [7, 2, 4, 100]}
    problem = ds.table.BestSplit(thresholds, classes=(0, 1, 2))
    assert problem.candidates[0] == ("b", 0.5)
    frame = pd.DataFrame(data)
    frame.to_csv(tmp_path / "t.csv", index=False)
    for given in (data, frame, tmp_path / "t.csv"):
        counts = problem.read(given).counts
        for (feature, threshold), found in zip(problem.candidates, counts, strict=True):
            left = frame[feature] <= threshold
            for side, mask in enumerate((left, ~left)):
                assert found[side].tolist() == [int((mask & (frame["label"] == k)).sum()) for k in range(3)]
    weighted = ds.table.BestSplit(thresholds, classes=(0, 1, 2), counts="n")
    assert (weighted.read({**data, "n": np.full(300, 3)}).counts == 3 * counts).all()
    few = ds.table.BestSplit(thresholds, "information-gain", classes=(0, 1, 2), most_records=200)
    with pytest.raises(ds.InvalidData, match="most_records"):
        few.read(data)


@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize("method", ["auto", "global-scale", "ladder", "log-transform"])
def test_splits_are_released(criterion, method):
    y = [0] * 400 + [1] * 600
    data = {"a": list(range(1000)), "b": [i % 7 for i in range(1000)], "label": y}
    problem = ds.table.BestSplit(
        {"a": [200, 399, 700], "b": [3]}, criterion, most_records=2000 if criterion != "gini" else None
    )
    release = ds.select(problem, data, epsilon=2, method=method)
    assert release.candidate == ds.table.Split("a", 399.0)  # the others are hundreds of nats behind
    assert release.epsilon == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"splits": {}}, "splits"),
        ({"splits": {"a": []}}, "splits"),
        ({"splits": {"a": [1, 1.0]}}, "different"),
        ({"splits": {"label": [1]}}, "label"),
        ({"splits": {"a": "12"}}, "list"),
        ({"criterion": "entropy"}, "criterion"),
        ({"criterion": "information-gain"}, "most_records"),
        ({"most_records": 5}, "most_records"),
        ({"criterion": "information-gain", "most_records": 0}, "most_records"),
        ({"missing": "drop", "unit": ds.ReplaceOne()}, "public"),
    ],
)
def test_declarations_of_splits_are_checked(options, words):
    with pytest.raises(ds.InvalidParameter, match=words):
        ds.table.BestSplit(**{"splits": {"a": [1]}, **options})


# ---------------------------------------------------------------- thresholds

CUTS = (0.5, 1.5, 2.5)
THRESHOLD_METRICS = ["accuracy", "recall", "precision", "f1", "balanced-accuracy", "macro-f1"]


@pytest.mark.parametrize("metric", THRESHOLD_METRICS)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_thresholds_by_the_definition(metric, unit, rows):
    kinds = tuple((y, s) for y in range(2) for s in range(4))
    world = Tables(kinds, 4, unit, rows)
    problem = ds.table.BestThreshold(
        CUTS, metric, trained_on="other records", unit=unit_of(world), person="who" if rows > 1 else None
    )
    cut = [[(y, *(int(s >= c) for c in CUTS)) for y, s in world.records(x)] for x in world.all]
    data = [confusions(records, 3) for records in cut]
    scores = [[METRICS[metric][0](records, r) for r in range(3)] for records in cut]
    profiles = [problem.profile(x) for x in data]
    assert not breaks_p1(world, scores, profiles, problem.kappa)
    assert not breaks_p2(world, profiles, 6)
    if problem.flip_distance is not None:
        flips = [problem.flip_distance(x).tolist() for x in data]
        assert not breaks_certificate(world, scores, flips)
        assert not exceeds_truth(world, scores, flips)


def test_thresholds_are_read():
    rng = np.random.default_rng(6)
    y, score = rng.integers(0, 2, 500), rng.normal(size=500).round(2)
    thresholds = [0.3, -1, "0.1", 5]
    problem = ds.table.BestThreshold(thresholds, "f1", trained_on="other records")
    counts = problem.read({"label": y, "score": score}).counts
    for t, found in zip(problem.candidates, counts, strict=True):
        said = score >= t
        assert found.tolist() == [[int(((y == k) & (said == z)).sum()) for z in (False, True)] for k in (0, 1)]
    problem = ds.table.BestThreshold(thresholds, "f1", trained_on="other records", counts="n", person=None)
    twice = problem.read({"label": y, "score": score, "n": np.full(500, 2)})
    assert (twice.counts == 2 * counts).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": "auc"}, "threshold"),
        ({"metric": "log-loss"}, "threshold"),
        ({"thresholds": []}, "thresholds"),
        ({"thresholds": "123"}, "thresholds"),
        ({"thresholds": [1, 1.0]}, "repeat"),
        ({"thresholds": [float("nan")]}, "thresholds"),
        ({"classes": (0, 1, 2)}, "exactly 2"),
        ({"score": "label"}, "two columns"),
        ({"trained_on": "these records"}, "no validation record"),
        ({"cv": 5}, "cross-validation"),
    ],
)
def test_declarations_of_thresholds_are_checked(options, words):
    given = {"thresholds": [0.5], "metric": "f1", "trained_on": "other records", **options}
    with pytest.raises(ds.InvalidParameter, match=words):
        ds.table.BestThreshold(**given)
