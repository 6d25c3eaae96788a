"""Released counts: exact δ(ε) of everything that is released, by independent code, on all small tables of rates."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from brute import Tables

import dpselect as ds
from dpselect.exact.bits import SeededBits
from dpselect.methods.choice import calibrate
from dpselect.methods.law import Law
from dpselect.methods.method import Budget
from dpselect.problems.problem import pose
from dpselect.regret import expected_regret

KINDS = ((0, 0), (0, 1), (1, 0), (1, 1))


def laplace_cdf(w):
    return np.where(w < 0, 0.5 * np.exp(np.minimum(w, 0)), 1 - 0.5 * np.exp(-np.maximum(w, 0)))


def truncated_cdf(w, a):
    w = np.clip(w, -a, a)
    norm = 2 * (1 - math.exp(-a))
    return np.where(
        w < 0, (np.exp(np.minimum(w, 0)) - math.exp(-a)) / norm, 0.5 + (1 - np.exp(-np.maximum(w, 0))) / norm
    )


def bound_law(count, epsilon, failure, noise, most):
    """Pr[ĉ = k], k = 0 … most: ĉ = max(0, ⌊count + (W − shift)/ε⌋)."""
    k = np.arange(most + 2)
    if noise == "laplace":
        upto = laplace_cdf(epsilon * (k - count) + math.log(1 / (2 * failure)))
    else:
        a = math.log(1 + math.expm1(epsilon) / (2 * failure))
        upto = truncated_cdf(epsilon * (k - count) + a, a)
    law = np.diff(upto)
    law[0] = upto[1]
    return law


def outcome_law(counts, rates, *, epsilons, failure, noise, minimum, kappa, weight=0, kept_by="released", scale_by=min):
    """Pr[(ĉ_1, ĉ_2, R)] as a flat array; R = none is one more outcome."""
    most, (spent, selecting) = 40, epsilons
    joint = np.multiply.outer(*(bound_law(c, spent, failure, noise, most) for c in counts))
    result = np.zeros((most + 1, most + 1, 3))
    for a in range(most + 1):
        for b in range(most + 1):
            seen = (a, b) if kept_by == "released" else counts
            kept = [r for r in range(2) if seen[r] >= minimum]
            if not kept:
                result[a, b, 2] = joint[a, b]
                continue
            scale = 1 / (max(1, scale_by((a, b)[r] for r in kept)) + weight)
            weights = np.array([math.exp(selecting * rates[r] / (kappa * scale)) if r in kept else 0 for r in range(2)])
            result[a, b, :2] = joint[a, b] * weights / weights.sum()
    return result.ravel()


def delta(p, q, epsilon):
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def worst_delta(unit, noise, *, minimum=2, failure=0.05, most=4, split=(1.0, 1.0), claimed=None, kappa=None, **wrong):
    """The largest δ at the claimed ε over all edges."""
    tables = Tables(KINDS, most, unit)
    touched = 1 if unit == "add" else 2
    kappa = touched if kappa is None else kappa
    epsilon = touched * split[0] + split[1] if claimed is None else claimed
    seen = {}

    def law(i):
        if i not in seen:
            x = tables.all[i]
            counts = (x[0] + x[1], x[2] + x[3])
            rates = [x[2 * r + 1] / counts[r] if counts[r] else 0.0 for r in range(2)]
            seen[i] = outcome_law(
                counts, rates, epsilons=split, failure=failure, noise=noise, minimum=minimum, kappa=kappa, **wrong
            )
        return seen[i]

    return max(delta(law(i), law(j), epsilon) for i, j in tables.edges)


@pytest.mark.parametrize("noise", ["laplace", "truncated"])
@pytest.mark.parametrize("minimum", [1, 2])
@pytest.mark.parametrize("unit", ["add", "replace"])
def test_the_guarantee_holds(unit, noise, minimum):
    touched = 1 if unit == "add" else 2
    assert worst_delta(unit, noise, minimum=minimum) <= touched * 0.05 + 1e-12


def test_wrong_variants_are_caught():
    assert worst_delta("add", "laplace", kept_by="true") > 0.05
    # The budget of add-or-remove where a record is replaced.
    honest = {"minimum": 1, "split": (4.0, 3.0), "failure": 0.02}
    assert worst_delta("replace", "laplace", **honest) <= 0.04
    assert worst_delta("replace", "laplace", claimed=7.0, **honest) > 0.04
    # The largest instead of the smallest kept bound: one more record in the smaller of two categories.
    options = {"epsilons": (2.0, 2.0), "failure": 0.1, "noise": "laplace", "minimum": 1, "kappa": 1}
    edge = [((3, 30), (1 / 3, 0.42)), ((4, 30), (0.5, 0.42))]
    for scale_by, broken in ((min, False), (max, True)):
        laws = [outcome_law(*x, scale_by=scale_by, **options) for x in edge]
        assert (max(delta(*laws, 4.0), delta(*laws[::-1], 4.0)) > 0.1) == broken


def test_one_record_replaced_needs_kappa_two():
    """At ĉ = the larger counts: a record moves from b (rate 1/2) to a (rate 0), and P(a) grows by more than e^ε."""
    low, high = np.array([0, 5 / 10]), np.array([1 / 10, 4 / 9])

    def law(rates, kappa):
        weights = np.exp(2.0 * rates / (kappa * (1 / 10)))
        return weights / weights.sum()

    assert np.abs(np.log(law(low, 2) / law(high, 2))).max() <= 2.0
    assert np.abs(np.log(law(low, 1) / law(high, 1))).max() > 2.0


# ---------------------------------------------------------------- the library does what was verified


def planned(unit, noise, minimum, sampler="gibbs", delta="1/20", epsilon=2):
    problem = ds.table.BestMean(["a", "b"], "c", "v", unit=unit)
    method = ds.ReleasedCounts(sampler=sampler, minimum=minimum, split="1/2", noise=noise)
    cells = ds.table.Cells.of([0, 0, 1, 1], [0, 1, 0, 1], [3, 2, 1, 3])
    posed = pose(problem, cells)
    budget = Budget(Fraction(epsilon), Fraction(delta))
    return calibrate(method, posed.question, budget), posed


@pytest.mark.parametrize("noise", ["laplace", "truncated"])
@pytest.mark.parametrize(("unit", "kappa"), [(ds.AddOrRemove(), 1), (ds.ReplaceOne(), 2)])
def test_marginal_law_is_that_of_the_outcomes(noise, unit, kappa):
    calibration, posed = planned(unit, noise, 2)
    law = Law(calibration, posed.evaluation, posed.names)
    touched = kappa
    spent = 1.0 / touched
    failure = 0.05 / touched
    assert calibration.guarantee.epsilon == 2
    assert calibration.guarantee.delta == Fraction(1, 20)
    want = outcome_law(
        (5, 4), (0.4, 0.75), epsilons=(spent, 1.0), failure=failure, noise=noise, minimum=2, kappa=kappa
    ).reshape(41, 41, 3)
    # The library integrates the unrounded bounds; the released ones are rounded down, and the scale with them.
    assert law.no_release == pytest.approx(want[:, :, 2].sum(), abs=1e-9)
    assert law.candidates.probabilities.sum() + law.no_release == pytest.approx(1, abs=1e-9)
    assert law.candidates["b"] == pytest.approx(want[:, :, 1].sum(), abs=0.02)
    assert law.scale.cdf(1 / 2) + law.no_release == pytest.approx(1, abs=1e-9)
    rule = law.scale.rule(12)
    assert rule.weights.sum() + rule.no_release == pytest.approx(1, abs=1e-9)


def test_draws_follow_the_law():
    """20,000 draws: counts of every (kept set, candidate) within 6.5 standard deviations (false alarm < 1e-9)."""
    calibration, posed = planned(ds.AddOrRemove(), "laplace", 3)
    law = Law(calibration, posed.evaluation, posed.names)
    want = outcome_law(
        (5, 4), (0.4, 0.75), epsilons=(1.0, 1.0), failure=0.05, noise="laplace", minimum=3, kappa=1
    ).reshape(41, 41, 3)
    draws, source, seen = 20_000, SeededBits(7), np.zeros((41, 41, 3))
    for _ in range(draws):
        drawn = law.draw(source)
        if drawn is None:
            seen[0, 0, 2] += 1
            continue
        (a, b, scale), (r,) = drawn
        assert scale == 1 / min(c for c in (a, b) if c >= 3)
        seen[int(a), int(b), r] += 1

    def grouped(table):
        big = np.arange(41) >= 3
        return np.array(
            [table[np.ix_(u, v, [r])].sum() for u in (big, ~big) for v in (big, ~big) for r in range(2)]
            + [table[:, :, 2].sum()]
        )

    p = grouped(want)
    deviation = np.abs(grouped(seen) - draws * p) / np.sqrt(np.maximum(draws * p * (1 - p), 1))
    assert deviation.max() < 6.5
    # The control: a law that is 10 % off would not pass.
    off = p.copy()
    off[np.argmax(p)] *= 0.9
    assert (np.abs(grouped(seen) - draws * off) / np.sqrt(np.maximum(draws * off * (1 - off), 1))).max() > 6.5


def test_small_categories_spoil_the_answer_and_both_cures_work():
    """A list with a category of 0 and one of 3 among large ones."""
    sizes = [900, 1200, 1500, 2000, 2500, 3000, 3500, 4000, 3, 0]
    ones = [270, 384, 525, 800, 1050, 1140, 1260, 1320, 1, 0]
    where = [r for r in range(10) for _ in range(2)]
    counts = [c for n, k in zip(sizes, ones, strict=True) for c in (n - k, k)]
    cells = ds.table.Cells.of(where, [0, 1] * 10, counts)
    plain = ds.table.BestMean(list("abcdefghij"), "c", "v")

    def regret(problem, method, delta=0):
        return expected_regret(ds.law(problem, cells, epsilon="1/2", delta=delta, method=method))

    assert plain.flip_distance(cells)[-1] == 1
    for method in ("global-scale", "ladder", "inverse-sensitivity"):
        assert regret(plain, method) > 0.03
    assert regret(replace(plain, support=200), "inverse-sensitivity") < 1e-6
    assert regret(plain, "released-counts", "1e-6") < 1e-3


def test_what_is_refused():
    _, posed = planned(ds.AddOrRemove(), "laplace", 3)
    with pytest.raises(ds.InvalidParameter, match="delta"):
        calibrate(ds.ReleasedCounts(), posed.question, Budget(Fraction(1), Fraction(0)))
    with pytest.raises(ds.InvalidParameter, match="top"):
        calibrate(ds.ReleasedCounts(), posed.question, Budget(Fraction(1), Fraction(1, 10**6), 2))
    with pytest.raises(ds.InvalidParameter, match="minimum"):
        calibrate(ds.ReleasedCounts(minimum=0), posed.question, Budget(Fraction(1), Fraction(1, 10**6)))
    supported = ds.table.BestMean(["a", "b"], "c", "v", support=5)
    with pytest.raises(ds.InvalidParameter, match="minimum must be at least 6"):
        ds.law(supported, ds.table.Cells.of([], [], []), epsilon=1, delta="1e-6", method=ds.ReleasedCounts(minimum=5))
    many = ds.table.BestMean(["a", "b"], "c", "v", person="who", unit=ds.AddOrRemove(2))
    with pytest.raises(ds.UnsupportedProblem, match="one row a person"):
        ds.law(many, ds.table.Cells.of([], [], []), epsilon=1, delta="1e-6", method="released-counts")
    with pytest.raises(ds.UnsupportedProblem):
        ds.select([1, 2], epsilon=1, delta="1e-6", sensitivity=1, method="released-counts")


def test_nothing_is_released_where_no_category_is_kept():
    problem = ds.table.BestMean(["a", "b"], "c", "v")
    release = ds.select(
        problem, ds.table.Cells.of([0], [1], [1]), epsilon=1, delta="1e-6", method=ds.ReleasedCounts(minimum=10**6)
    )
    assert release.status == "not-released"
    assert release.candidate is None
    assert release.scales == ()
