"""The most frequent category on all tables with up to 6 records."""

from fractions import Fraction

import pytest
from brute import (
    Tables,
    breaks_certificate,
    breaks_gs,
    breaks_p1,
    differs_from_truth,
    exact_scores,
    exceeds_truth,
    unit_of,
)

import dpselect as ds
from dpselect.profile import Profile

KINDS = tuple((r, 0) for r in range(4))


def setting(unit, rows):
    tables = Tables(KINDS, 6, unit, rows)
    problem = ds.table.Mode(list("abcd"), unit=unit_of(tables), person="who" if rows > 1 else None)
    return tables, problem, [tables.cells(x) for x in tables.all], [list(map(Fraction, x)) for x in tables.all]


@pytest.mark.parametrize(("unit", "rows"), [("add", 1), ("add", 2), ("replace", 1)])
def test_scores_sensitivity_and_certificate(unit, rows):
    tables, problem, cells, scores = setting(unit, rows)
    for x, row in zip(cells, scores, strict=True):
        assert exact_scores(problem, x) == [q - max(row) for q in row]
    profiles = [problem.profile(x) for x in cells]
    assert not breaks_p1(tables, scores, profiles, problem.kappa)
    assert not breaks_gs(tables, scores, profiles, problem.global_sensitivity, problem.kappa)
    flips = [problem.flip_distance(x).tolist() for x in cells]
    assert not breaks_certificate(tables, scores, flips)
    assert not exceeds_truth(tables, scores, flips)
    if rows == 1:
        assert problem.flip_distance_is_exact
        assert not differs_from_truth(tables, scores, flips)


def test_wrong_variants_are_caught():
    tables, adding, cells, scores = setting("add", 1)
    small = [Profile.constant(Fraction(9, 10)) for _ in cells]
    assert breaks_p1(tables, scores, small, 1)
    replacing, problem, cells, scores = setting("replace", 1)
    assert problem.kappa == 2
    ones = [problem.profile(x) for x in cells]
    assert breaks_p1(replacing, scores, ones, 1)
    assert breaks_certificate(replacing, scores, [adding.flip_distance(x).tolist() for x in cells])


def test_the_law_does_not_halve_the_gap():
    """P(r) ∝ exp(−ε gap) under add-or-remove, by default."""
    import math

    law = ds.law(ds.table.Mode(["a", "b"]), {"x": ["a"] * 5 + ["b"] * 3}, epsilon=1, sampler="gibbs")
    assert law.calibration.method == "global-scale"
    assert law.candidates["b"] / law.candidates["a"] == pytest.approx(math.exp(-2), rel=1e-12)
    replacing = ds.law(
        ds.table.Mode(["a", "b"]), {"x": ["a"] * 5 + ["b"] * 3}, epsilon=1, sampler="gibbs", unit=ds.ReplaceOne()
    )
    assert replacing.candidates["b"] / replacing.candidates["a"] == pytest.approx(math.exp(-1), rel=1e-12)


def test_categories_without_records_are_candidates():
    problem = ds.table.Mode(["a", "b", "never"])
    assert ds.law(problem, {"x": ["a", "b"]}, epsilon=1).candidates["never"] > 0
    assert problem.scores({"x": ["a"]}).values.tolist() == [1, 0, 0]


def test_among_fewer_categories():
    problem = ds.table.Mode(["a", "b", "c"])
    release = ds.select(problem, {"x": ["a"] * 900 + ["b"] * 500 + ["c"]}, epsilon=5, top=2, seed=1)
    assert release.candidates == ("a", "b")
