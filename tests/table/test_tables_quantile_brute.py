"""Quantiles on all tables with up to 5 records: profile, certificate, and wrong variants that are caught."""

from fractions import Fraction

import numpy as np
import pytest
from brute import (
    Tables,
    breaks_certificate,
    breaks_gs,
    breaks_p1,
    breaks_p2,
    differs_from_truth,
    unit_of,
)

import dpselect as ds
from dpselect.profile import Profile

STEPS = 4
SHARES = ("1/2", "1/4", "9/10", "1", "1/10")
KINDS = tuple((0, i) for i in range(STEPS + 1))
UNITS = [("add", 1), ("add", 2), ("replace", 1)]


def tables_of(unit, rows, most=5, kinds=KINDS):
    return Tables(kinds, most, unit, rows)


def values(tables, x):
    return sorted(step for _, step in tables.records(x))


def true_quantile(p, ordered):
    n = len(ordered)
    if n == 0:
        return 0
    k = -(-p.numerator * n // p.denominator)
    return ordered[k - 1]


def setting(p, unit, rows, most=5):
    tables = tables_of(unit, rows, most)
    problem = ds.table.Quantile(p, (0, STEPS), 1, person="who" if rows > 1 else None, unit=unit_of(tables))
    cells = [tables.cells(x) for x in tables.all]
    share = Fraction(p)
    scores = [[-abs(r - true_quantile(share, values(tables, x))) for r in range(STEPS + 1)] for x in tables.all]
    return tables, problem, cells, scores


@pytest.mark.parametrize("p", SHARES)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_scores_profile_and_certificate(p, unit, rows):
    tables, problem, cells, scores = setting(p, unit, rows)
    assert [problem.scores(x).values.tolist() for x in cells] == scores
    profiles = [problem.profile(x) for x in cells]
    assert not breaks_p1(tables, scores, profiles, problem.kappa)
    assert not breaks_p2(tables, profiles, 8)
    assert not breaks_gs(tables, scores, profiles, problem.global_sensitivity, problem.kappa)
    flips = [problem.flip_distance(x).tolist() for x in cells]
    assert not breaks_certificate(tables, scores, flips)
    assert problem.flip_distance_is_exact == (rows == 1)
    if rows == 1:
        assert not differs_from_truth(tables, scores, flips)


def test_profile_is_the_largest_local_sensitivity_in_the_ball():
    """Where a record is replaced, all balls are enumerated: attained for t < n."""
    tables, problem, cells, scores = setting("1/2", "replace", 1, most=4)
    local = [0] * len(cells)
    for i, j in tables.edges:
        local[i] = max(local[i], max(abs(a - b) for a, b in zip(scores[i], scores[j], strict=True)))
    for i, x in enumerate(cells):
        profile, ball = problem.profile(x), {i}
        for t in range(5):
            assert profile(t) >= max(local[z] for z in ball)
            if sum(tables.all[i]) > t:
                assert profile(t) == max(local[z] for z in ball)
            ball |= {j for z in ball for j in tables.neighbours[z]}


def between(tables, problem, x, k):
    """Wrong: the records strictly between r and the quantile."""
    ordered = values(tables, x)
    if not ordered:
        return [0 if r == 0 else 1 for r in range(STEPS + 1)]
    q = ordered[k - 1]
    return [sum(min(r, q) < v < max(r, q) for v in ordered) + (r != q) for r in range(STEPS + 1)]


def test_wrong_variants_are_caught():
    tables, problem, cells, scores = setting("1/2", "replace", 1)
    ranks = [-(-sum(x) // 2) for x in tables.all]
    wrong = [between(tables, problem, x, k) for x, k in zip(tables.all, ranks, strict=True)]
    assert breaks_certificate(tables, scores, wrong) or differs_from_truth(tables, scores, wrong)
    profiles = [problem.profile(x) for x in cells]
    # A profile one step late, a constant local one, and one that is a little smaller.
    late = [Profile(p.starts[:1], p.values[:1], p.unit) for p in profiles]
    assert breaks_p2(tables, late, 8)
    smaller = [p.times(Fraction(99, 100)) for p in profiles]
    assert breaks_p1(tables, scores, smaller, problem.kappa)
    # The certificate of the other unit.
    adding = [problem.under(ds.AddOrRemove()).flip_distance(x).tolist() for x in cells]
    assert breaks_certificate(tables, scores, adding)
    # One row a person where two are allowed.
    pairs, two, cells, scores = setting("1/2", "add", 2)
    single = [ds.table.Quantile("1/2", (0, STEPS)).flip_distance(x).tolist() for x in cells]
    assert breaks_certificate(pairs, scores, single)
    # (Two records move the median by one rank only: a higher quantile shows it.)
    pairs, two, cells, scores = setting("9/10", "add", 2)
    ones = [ds.table.Quantile("9/10", (0, STEPS)).profile(x) for x in cells]
    assert breaks_p1(pairs, scores, ones, two.kappa)


@pytest.mark.parametrize("p", SHARES)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_by_rank(p, unit, rows):
    tables, _, cells, _ = setting(p, unit, rows)
    problem = ds.table.QuantileByRank(p, (0, STEPS), 1, person="who" if rows > 1 else None, unit=unit_of(tables))
    share = Fraction(p)
    scores = []
    for x in tables.all:
        ordered = values(tables, x)
        n, row = len(ordered), []
        for r in range(STEPS + 1):
            a, b = sum(v < r for v in ordered), sum(v <= r for v in ordered)
            if unit == "replace":
                k = -(-share.numerator * n // share.denominator)
                row.append(Fraction(-max(0, k - b, a + 1 - k)))
            else:
                row.append(-max(Fraction(0), share * n - b, a - share * n))
        scores.append(row)
    mine = [[int(v) * problem.scores(x).unit for v in problem.scores(x).values] for x in cells]
    assert mine == scores
    profiles = [problem.profile(x) for x in cells]
    assert not breaks_p1(tables, scores, profiles, problem.kappa)
    assert not breaks_gs(tables, scores, profiles, problem.global_sensitivity, problem.kappa)
    # Attained: a smaller constant is too small (n = 0 under replace has no edges that matter).
    assert breaks_p1(tables, scores, [p.times(Fraction(9, 10)) for p in profiles], problem.kappa)
    # κ = 1 would need the span below GS, which holds for the maximum only.
    assert breaks_p1(tables, scores, profiles, 1) == (p != "1" or unit == "replace")


def test_horizon_splice_keeps_p2(monkeypatch):
    """With a tiny public horizon the wide windows take over: still admissible, and never below the exact profile."""
    from dpselect.problems.table import order_statistics

    for unit, rows in UNITS:
        tables, problem, cells, scores = setting("1/2", unit, rows)
        exact = [problem.profile(x) for x in cells]
        monkeypatch.setattr(order_statistics, "HORIZON", 2)
        spliced = [problem.profile(x) for x in cells]
        monkeypatch.undo()
        assert not breaks_p1(tables, scores, spliced, problem.kappa)
        assert not breaks_p2(tables, spliced, 8)
        assert all(a(t) <= b(t) for a, b in zip(exact, spliced, strict=True) for t in range(8))


def test_large_random_columns_against_sorting():
    random = np.random.default_rng(5)
    for n in (1, 2, 7, 400):
        column = np.sort(random.integers(0, 60, n))
        cells = ds.table.Cells.of(np.zeros(n, int), column, np.ones(n, int))
        for p in (Fraction(1, 3), Fraction(9, 10)):
            problem = ds.table.Quantile(p, (0, 60), 1)
            k = -(-p.numerator * n // p.denominator)
            padded = [0] * 500 + column.tolist() + [60] * 900
            at = 499 + k
            profile = problem.profile(cells)
            for t in (0, 1, 2, 5, 50, 399):
                want = max(padded[at + j] - padded[at + j - t - 1] for j in range(t + 2))
                assert profile(t) == want
