"""Best model on all small validation tables: scores, profile, span, certificate, and wrong variants that are caught."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from brute import (
    breaks_certificate,
    breaks_gs,
    breaks_p1,
    breaks_p2,
    differs_from_truth,
    exceeds_truth,
    unit_of,
    worst_changes,
)
from models_brute import METRICS, problem_of, tables, tallied

from dpselect.exact.scores import RealScores
from dpselect.profile import Profile

TINY = Fraction(1, 10**30)
"""Matthews is compared at 40 digits."""
UNITS = [("add", 1), ("add", 2), ("replace", 1)]


def most_records(name, unit, rows):
    """As many as keep these tests short; `test_larger_tables` takes more."""
    kinds = len(tables(name, 2, 1).kinds)
    if kinds <= 8:
        return 3 if rows > 1 else 5 if unit == "add" else 4
    return 3 if kinds <= 18 and (unit, rows) != ("replace", 1) and rows == 1 else 2


@cache
def setting(name, unit="add", rows=1, models=2, most=None):
    world = tables(name, models, most or most_records(name, unit, rows), unit, rows)
    problem = problem_of(name, models, unit_of(world), "who" if rows > 1 else None)
    tallies = [tallied(name, world.records(x), models) for x in world.all]
    scores = [[METRICS[name][0](world.records(x), r) for r in range(models)] for x in world.all]
    return world, problem, tallies, scores


def exact(scores, i):
    gap = scores.gaps().exact(i)
    return gap if isinstance(gap, Fraction) else sum(gap.enclosure(140)) / 2


def gaps_agree(problem, tally, row):
    found = problem.scores(tally)
    return all(abs(exact(found, i) - (max(row) - q)) <= TINY for i, q in enumerate(row))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_scores_profile_and_span(name, unit, rows):
    world, problem, tallies, scores = setting(name, unit, rows)
    assert all(gaps_agree(problem, x, row) for x, row in zip(tallies, scores, strict=True))
    profiles = [problem.profile(x) for x in tallies]
    slack = TINY if name == "matthews" else 0
    loose = [p.plus(slack) for p in profiles]
    assert not breaks_p1(world, scores, loose, problem.kappa)
    assert not breaks_p2(world, profiles, 8)
    assert not breaks_gs(world, scores, loose, problem.global_sensitivity + slack, problem.kappa)
    if problem.common_factor_span is not None:
        common = [common_values(problem, x) for x in tallies]
        assert max(span for *_, span in worst_changes(world, common)) <= problem.common_factor_span + slack
        for row, each in zip(scores, common, strict=True):
            # c > 0: the same order; c = 0: no order.
            assert len(set(each)) == 1 or [q == max(row) for q in row] == [q == max(each) for q in each]


def common_values(problem, x):
    found = problem.common_factor(x)
    if isinstance(found, RealScores):
        return [sum(found.exact(i).enclosure(140)) / 2 for i in range(found.size)]
    return [-Fraction(found.gaps().exact(i)) for i in range(found.size)]


WITH_FLIPS = [name for name in METRICS if problem_of(name, 2).flip_distance is not None]


@pytest.mark.parametrize("name", WITH_FLIPS)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_flip_distances(name, unit, rows):
    world, problem, tallies, scores = setting(name, unit, rows)
    flips = [problem.flip_distance(x).tolist() for x in tallies]
    assert not breaks_certificate(world, scores, flips)
    assert not exceeds_truth(world, scores, flips)
    if problem.flip_distance_is_exact:
        assert not differs_from_truth(world, scores, flips)
    else:
        assert unit == "replace" or rows > 1 or problem.kappa == 2


@pytest.mark.parametrize("name", ["accuracy", "precision", "f1", "balanced-accuracy", "auc", "matthews", "macro-f1"])
@pytest.mark.parametrize("unit", ["add", "replace"])
def test_three_models(name, unit):
    world, problem, tallies, scores = setting(name, unit, models=3, most=3)
    profiles = [problem.profile(x).plus(TINY) for x in tallies]
    assert not breaks_p1(world, scores, profiles, problem.kappa)
    assert not breaks_p2(world, profiles, 6)
    if problem.flip_distance is not None:
        flips = [problem.flip_distance(x).tolist() for x in tallies]
        assert not breaks_certificate(world, scores, flips)
        assert not exceeds_truth(world, scores, flips)
        kept = np.array([0, 2])
        among = [problem.flip_distance_among(x, kept).tolist() for x in tallies]
        assert not breaks_certificate(world, [[row[0], row[2]] for row in scores], among)


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("unit", ["add", "replace"])
@pytest.mark.parametrize("models", [2, 3])
def test_larger_tables(name, unit, models):
    kinds = len(tables(name, models, 1).kinds)
    most = 6 if kinds <= 8 else 4 if kinds <= 18 else 3 if kinds <= 27 else 2
    world, problem, tallies, scores = setting(name, unit, models=models, most=most)
    profiles = [problem.profile(x).plus(TINY) for x in tallies]
    assert not breaks_p1(world, scores, profiles, problem.kappa)
    assert not breaks_p2(world, profiles, 8)
    if problem.flip_distance is not None:
        flips = [problem.flip_distance(x).tolist() for x in tallies]
        assert not breaks_certificate(world, scores, flips)
        assert not exceeds_truth(world, scores, flips)


def test_tables_without_a_class():
    """No positives, all positives, no records, constant scores: defined, and nobody is ahead where nobody can be."""
    for name in WITH_FLIPS:
        problem = problem_of(name, 2)
        classes = METRICS[name][1]
        for records in ([], [(0, 0, 1)] * 3, [(1, 0, 1)] * 3, [(k, 1, 1) for k in range(classes)] * 2):
            row = [METRICS[name][0](records, r) for r in range(2)]
            flips = problem.flip_distance(tallied(name, records, 2)).tolist()
            assert [f == 0 for f in flips] == [q == max(row) for q in row]
    for name in ("auc", "f1", "balanced-accuracy"):
        empty = tallied(name, [], 2)
        assert problem_of(name, 2).profile(empty)(0) == problem_of(name, 2).global_sensitivity


# ---------------------------------------------------------------- wrong variants


@pytest.mark.parametrize("name", METRICS)
def test_smaller_profiles_are_caught(name):
    """A tenth off GS where the worst change is attained on these tables; else a third off."""
    world, problem, tallies, scores = setting(name)
    loss = Fraction(1, 3) if name.startswith("macro-f1 of") else Fraction(1, 10)
    smaller = [problem.profile(x).times(1 - loss) for x in tallies]
    assert breaks_p1(world, scores, smaller, problem.kappa)


def listed(tallies, of):
    return [Profile.exact([of(x, t) for t in range(9)]) for x in tallies]


def test_wrong_profiles_are_caught():
    world, _, tallies, scores = setting("f1")

    def least(x):
        return int(x.class_sizes[1] + x.predicted[:, 1].min())

    def largest(x):
        return int(x.class_sizes[1] + x.predicted[:, 1].max())

    right = listed(tallies, lambda x, t: Fraction(2, max(2, least(x) - 2 * t)))
    assert not breaks_p1(world, scores, right, 2)
    assert not breaks_p2(world, right, 7)
    # N − t for N − 2t, the largest N, a profile that does not grow.
    assert breaks_p2(world, listed(tallies, lambda x, t: Fraction(2, max(2, least(x) - t))), 7)
    assert breaks_p1(world, scores, listed(tallies, lambda x, t: Fraction(2, max(2, largest(x) - 2 * t))), 2)
    assert breaks_p2(world, listed(tallies, lambda x, t: Fraction(2, max(2, least(x)))), 7)
    for name, halves in (("auc", 1), ("balanced-accuracy", 2)):
        world, _, tallies, scores = setting(name)

        def sizes(x):
            return (x.positives, x.negatives) if hasattr(x, "positives") else x.class_sizes

        right, wrong = (
            listed(tallies, lambda x, t, of=of, k=halves: Fraction(1, k * max(2, of(sizes(x)) - t)))
            for of in (min, max)
        )
        assert not breaks_p1(world, scores, right, 2)
        assert breaks_p1(world, scores, wrong, 2)
    # The profile of added records where one is replaced.
    for name in ("auc of 3 values", "balanced-accuracy", "macro-precision"):
        world, _, tallies, scores = setting(name, "replace")
        adding = setting(name)[1]
        assert breaks_p1(world, scores, [adding.profile(x) for x in tallies], 2), name
    world, _, tallies, scores = setting("accuracy", "replace")
    assert breaks_p1(world, scores, [Profile.constant(1)] * len(tallies), 1)


@pytest.mark.parametrize("name", [n for n in WITH_FLIPS if "auc" not in n and "3" not in n])
def test_undivided_certificates_are_caught(name):
    """Of added and removed records, where one is replaced. AUC and three classes: on larger tables."""
    world, _, tallies, scores = setting(name, "replace")
    undivided = [setting(name)[1].flip_distance(x).tolist() for x in tallies]
    assert breaks_certificate(world, scores, undivided)


def test_one_end_of_the_level_is_caught():
    """(F_s − F_r) N_s/(2 − F_r) alone is no certificate, nor is the other end, nor their maximum."""
    world, _, tallies, scores = setting("f1")

    def flips(x, choose):
        n = [int(x.class_sizes[1] + y) for y in x.predicted[:, 1]]
        f = [Fraction(2 * int(tp), below) if below else Fraction(0) for tp, below in zip(x.right[:, 1], n, strict=True)]
        found = []
        for r, s in ((0, 1), (1, 0)):
            gap = max(f[s] - f[r], 0)
            ends = gap * n[s] / (2 - f[r]), gap * n[r] / (2 - f[s])
            found.append(max(-(-choose(ends) // 1), int(gap > 0)))
        return found

    right = [flips(x, min) for x in tallies]
    assert not breaks_certificate(world, scores, right)
    assert right == [setting("f1")[1].flip_distance(x).tolist() for x in tallies]
    for wrong in (max, lambda ends: ends[0], lambda ends: ends[1]):
        assert breaks_certificate(world, scores, [flips(x, wrong) for x in tallies])
