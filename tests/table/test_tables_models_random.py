"""Best model on larger random tables: walks along edges; mistakes that show only beyond five records; time."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from brute import exact_scores
from models_brute import METRICS, best_model, confusions, problem_of, ranks, tallied

import dpselect as ds
from dpselect.problems.table.metrics.balanced import pair_steps
from dpselect.problems.table.tallies import Confusions, Ranks


def walk(rng, kinds, n, skew, replacing, length, classes=2):
    """Tables along a path of edges, starting from n records of which a share `skew` is not of class 0."""
    others = range(1, classes)
    records = [(rng.choice(others) if rng.random() < skew else 0, *rng.choice(kinds)) for _ in range(n)]
    yield list(records)
    for _ in range(length):
        new = (rng.randrange(classes), *rng.choice(kinds))
        if replacing:
            records[rng.randrange(len(records))] = new
        elif rng.random() < 0.5:
            records.append(new)
        elif records:
            records.pop(rng.randrange(len(records)))
        yield list(records)


NAMES = [
    "balanced-accuracy of 3 classes",
    "macro-precision of 3 classes",
    "precision",
    "f1",
    "f-beta",
    "f-beta, small",
    "balanced-accuracy",
    "auc of 3 values",
    "macro-f1",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", [ds.AddOrRemove(), ds.ReplaceOne()], ids=["add", "replace"])
def test_walks(name, unit):
    definition, classes, values, _, _ = METRICS[name]
    problem = problem_of(name, 2, unit)
    rng = random.Random(7)
    kinds = [(a, b) for a in range(values or classes) for b in range(values or classes)]
    for n, skew in ((7, 0.5), (12, 0.2), (25, 0.1), (25, 0.9), (40, 0.5)):
        before = None
        for records in walk(rng, kinds, n, skew, unit == ds.ReplaceOne(), 40, classes):
            x = tallied(name, records, 2)
            row = [definition(records, r) for r in range(2)]
            assert exact_scores(problem, x) == [q - max(row) for q in row]
            profile = [problem.profile(x)(t) for t in range(6)]
            best = np.array([q == max(row) for q in row])
            flips = problem.flip_distance(x) if problem.flip_distance else 1 - best.astype(int)
            common = None if problem.common_factor_span is None else common_values(problem, x)
            assert ((flips == 0) == best).all()
            if before is not None:
                old_row, old_profile, old_flips, old_common = before
                change = max(abs(a - b) for a, b in zip(row, old_row, strict=True))
                assert change <= min(profile[0], old_profile[0])
                assert all(profile[t + 1] >= old_profile[t] and old_profile[t + 1] >= profile[t] for t in range(5))
                assert np.abs(flips - old_flips).max() <= 1
                if common is not None:
                    moved = [a - b for a, b in zip(common, old_common, strict=True)]
                    assert max(moved) - min(moved) <= problem.common_factor_span
            before = row, profile, flips, common


def common_values(problem, x):
    gaps = problem.common_factor(x).gaps()
    return [-Fraction(gaps.exact(i)) for i in range(gaps.size)]


def matthews(n, p, said, right):
    below = p * (n - p) * said * (n - said)
    return (n * right - p * said) / math.sqrt(below) if below else 0.0


def moves_of_the_factor(n, p, label, power):
    """The span of (PQ/n)^power · ρ over all models at (n, P), when a record with this label is added."""
    found = []
    before, after = (x * (m - x) / m if m else 0.0 for x, m in ((p, n), (p + label, n + 1)))
    for said in range(n + 1):
        for right in {max(0, said - (n - p)), min(p, said)}:
            old = before**power * matthews(n, p, said, right)
            for z in (0, 1):
                found.append(after**power * matthews(n + 1, p + label, said + z, right + (label and z)) - old)
    return max(found) - min(found)


def test_the_factor_of_matthews_that_no_model_can_spoil():
    """√(PQ/n) ρ moves by at most 1 either way; without the root it would move further and further."""
    spans = {
        power: [max(moves_of_the_factor(n, p, y, power) for p in range(n + 1) for y in (0, 1)) for n in range(24)]
        for power in (0.5, 1)
    }
    assert 1.9 < max(spans[0.5]) <= 2
    assert max(spans[1]) > 3


# ---------------------------------------------------------------- certificates against their definitions


def auc_steps(p, q, d, *, product=True):
    """min{i + j : iQ + jP + ij ≥ D}, by enumeration."""
    for total in range(10**6):
        for i in range(total + 1):
            j = total - i
            if i * q + j * p + product * i * j >= d:
                return total
    raise AssertionError


def test_the_certificate_of_auc_is_the_minimum():
    problem = best_model("auc", 2)
    for p in range(1, 8):
        for q in range(1, 8):
            for twice in range(2 * p * q + 1):
                found = problem.flip_distance(Ranks(p, q, np.array([0, twice])))
                assert found.tolist() == [auc_steps(p, q, Fraction(twice, 2)), 0]


def test_auc_without_the_product_is_caught():
    """One positive less: U_s − U_r = D − Q at most; without ij the certificate falls by more than 1 somewhere."""
    worst = 0
    for p in range(2, 9):
        for q in range(2, 9):
            for d in range(p * q + 1):
                # One positive record less, one that s ranks above all negatives and r below: D − Q. And the other way.
                for less in (max(d - q, 0), min(d + q, (p - 1) * q)):
                    if abs(less) <= (p - 1) * q and abs(d - less) <= q:
                        change = abs(auc_steps(p, q, d, product=False) - auc_steps(p - 1, q, less, product=False))
                        worst = max(worst, change)
                        assert abs(auc_steps(p, q, d) - auc_steps(p - 1, q, less)) <= 1
    assert worst > 1


def balanced_steps(u, v, c, d, *, shrinking=True):
    """min{i + j : G(u, c, i) + G(v, d, j) ≤ 0}, by enumeration."""

    def part(a, size, i):
        if a > i:
            return Fraction(a - i, size + i)
        return Fraction(a - i, max(1, size - i) if shrinking else max(1, size))

    for total in range(10**6):
        if any(part(u, c, i) + part(v, d, total - i) <= 0 for i in range(total + 1)):
            return total
    raise AssertionError


def test_the_certificate_of_balanced_accuracy_is_the_minimum():
    for c in range(7):
        for d in range(7):
            pairs = [(u, v) for u in range(-c, c + 1) for v in range(-d, d + 1)]
            ahead = [(u, v) for u, v in pairs if u * d + v * c > 0 and c and d]
            if ahead:
                u, v = map(np.array, zip(*ahead, strict=True))
                assert pair_steps(u, v, c, d).tolist() == [balanced_steps(*pair, c, d) for pair in ahead]
    rng = random.Random(3)
    for _ in range(150):
        c, d = rng.randint(1, 60), rng.randint(1, 60)
        u, v = rng.randint(-c, c), rng.randint(-d, d)
        if u * d + v * c > 0:
            assert pair_steps(np.array([u]), np.array([v]), c, d).tolist() == [balanced_steps(u, v, c, d)]


def test_balanced_accuracy_with_fixed_denominators_is_caught():
    found = set()
    for c, d in ((3, 12), (2, 15), (4, 9)):
        for u in range(-c, c + 1):
            for v in range(-d, d + 1):
                for du in (-1, 0, 1):  # a record of the first class less
                    if abs(u + du) <= c - 1 and u * d + v * c > 0 and (u + du) * d + v * (c - 1) > 0:
                        for shrinking in (True, False):
                            steps = [
                                balanced_steps(u, v, c, d, shrinking=shrinking),
                                balanced_steps(u + du, v, c - 1, d, shrinking=shrinking),
                            ]
                            if abs(steps[0] - steps[1]) > 1:
                                found.add(shrinking)
    assert found == {False}


def test_undivided_certificates_are_caught():
    """AUC and three classes, one record replaced: two positive records, or one of each class, are in favour of s."""
    ties, negatives = [(1, 1, 1)] * 4, [(0, 1, 1)] * 6
    before = ranks([(1, 0, 2), (1, 0, 2), *ties, *negatives], 2)
    after = ranks([(1, 0, 2), (1, 2, 0), *ties, *negatives], 2)
    for unit, most in ((ds.AddOrRemove(), 2), (ds.ReplaceOne(), 1)):
        problem = best_model("auc", 2, unit=unit)
        assert np.abs(problem.flip_distance(before) - problem.flip_distance(after)).max() == most
    # The same with the first class far smaller than the others, where the common factor is nearly its size.
    many = [(1, 1, 1)] * 90 + [(2, 2, 2)] * 90
    before = confusions([(0, 1, 0)] * 2 + [(0, 0, 0)] + many, 2, 3)
    after = confusions([(0, 1, 0), (0, 0, 1), (0, 0, 0), *many], 2, 3)
    for unit, most in ((ds.AddOrRemove(), 1), (ds.ReplaceOne(), 1)):
        problem = best_model("balanced-accuracy", 2, 3, unit)
        assert np.abs(problem.flip_distance(before) - problem.flip_distance(after)).max() == most


# ---------------------------------------------------------------- against scikit-learn, and in time


def test_metrics_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    y = (rng.random(400) < 0.2).astype(int)
    said = {f"m{r}": np.where(rng.random(400) < 0.1 * (r + 1), 1 - y, y) for r in range(4)}
    scores = {f"m{r}": np.round(rng.normal(0.4 * r * y, 1), 1) for r in range(4)}
    classes = {f"m{r}": np.where(rng.random(400) < 0.2 * (r + 1), (y + 1 + r % 2) % 3, y) for r in range(4)}
    theirs = {
        "f1": metrics.f1_score,
        "precision": metrics.precision_score,
        "balanced-accuracy": metrics.balanced_accuracy_score,
        "matthews": metrics.matthews_corrcoef,
        "accuracy": lambda a, b: metrics.accuracy_score(a, b) * 400,
        "recall": lambda a, b: metrics.recall_score(a, b) * y.sum(),
        "f-beta": lambda a, b: metrics.fbeta_score(a, b, beta=2),
        "auc": metrics.roc_auc_score,
    }
    for name, theirs_of in theirs.items():
        table = scores if name == "auc" else said
        problem = best_model(name, 4, **({"beta": 2} if name == "f-beta" else {}))
        row = [theirs_of(y, column) for column in table.values()]
        found = problem.scores(problem.read({"label": y, **table})).gaps().proposal
        np.testing.assert_allclose(found, max(row) - np.array(row), atol=1e-12)
    third = (y + rng.integers(0, 2, 400)) % 3
    for name, average in (("macro-f1", metrics.f1_score), ("macro-precision", metrics.precision_score)):
        problem = best_model(name, 4, 3)
        row = [average(third, c, average="macro", zero_division=0) for c in classes.values()]
        found = problem.scores(problem.read({"label": third, **classes})).gaps().proposal
        np.testing.assert_allclose(found, max(row) - np.array(row), atol=1e-12)
    chances = {f"m{r}": np.clip(0.7 * y + 0.05 * r + 0.2 * rng.random(400), 0, 1) for r in range(4)}
    problem = best_model("log-loss", 4, loss_steps=2**16)
    row = [-metrics.log_loss(y, np.clip(p, np.exp(-4), 1 - 1e-16)) * 400 for p in chances.values()]
    found = problem.scores(problem.read({"label": y, **chances})).gaps().proposal
    np.testing.assert_allclose(found, max(row) - np.array(row), atol=400 * 4 / 2**16 + 3)


@pytest.mark.slow
def test_a_million_records_and_fifty_models():
    """Exact counts."""
    rng = np.random.default_rng(1)
    y = (rng.random(10**6) < 0.01).astype(np.int8)
    table = {"label": y} | {f"m{r}": (rng.random(10**6) < 0.02).astype(np.int8) for r in range(50)}
    problem = best_model("f1", 50)
    assert ds.select(problem, table, epsilon=1).candidate in table
    tally = problem.read(table)
    assert isinstance(tally, Confusions)
    assert tally.right[7, 1] == int(((table["m7"] == 1) & (y == 1)).sum())
