"""The demonstrations fail where they should, the calculators give the theory's values, the tables are checked."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import dpselect as ds
from dpselect import bounds, failures, source_tables
from dpselect.laws import sampler_named
from dpselect.verification.report import TOLERANCE

# ---------------------------------------------------------------- failures


@pytest.mark.parametrize("demonstration", failures.DEMONSTRATIONS, ids=lambda f: f.__name__)
def test_every_shortcut_fails_and_ours_holds(demonstration):
    failure = demonstration()
    assert failure.naive.holds is False
    if failure.ours is None:
        assert "epsilon" in failure.refusal
    else:
        assert failure.ours.holds is True
    assert all(len(row) == len(failure.heading) for row in failure.rows)
    json.dumps(failure.to_dict())


def test_naive_local_scale_tends_to_one_half():
    rows = failures.naive_local_scale(gaps=(10, 100, 1000)).rows
    deltas = [float(row[3]) for row in rows]
    assert deltas == sorted(deltas)
    assert 0.499 < deltas[-1] < 0.5


def test_naive_smooth_scale_has_no_pure_epsilon():
    """Least pure ε = (λ g/M)(e^β − 1) + log of normalisers: it grows in proportion to the gap."""
    rows = failures.naive_smooth_scale(gaps=(100, 1000)).rows
    for gap, pure, _ in rows:
        # At x the exponent of the second is (g/2) e^β, at x' it is g/2.
        z, hot = int(gap) / 2 * math.exp(0.1), int(gap) / 2
        assert float(pure) == pytest.approx(z - hot, rel=1e-3)


def test_multiplicity_tends_to_one_by_the_formula():
    """δ ≥ Pr_x'[others] − e Pr_x[others], with odds (m − 1) e^{−z} at both scales, for m far beyond any world."""
    for m in (10, 1000):
        (row,) = failures.multiplicity(sizes=(m,)).rows
        z = float(failures.multiplicity_gap(m, 1)) / 2 * math.e
        others = [1 / (1 + math.exp(t) / (m - 1)) for t in (z, z / math.e)]
        assert float(row[3]) == pytest.approx(others[1] - math.e * others[0], rel=2e-3)
    for exponent in (50, 200):
        size = 10.0**exponent
        theta = (math.e - 1) / 2
        z = (1 + theta) * math.log(size)
        others = [1 / (1 + math.exp(t - math.log(size))) for t in (z, z / math.e)]
        assert others[1] - math.e * others[0] > 1 - 1e-6


# ---------------------------------------------------------------- lower bounds

THEORY = {
    (10, "1", "1e-6"): (0.01452, 0.04140, 0.07725, 0.07725),
    (1000, "1", "1e-6"): (0.01146, 0.03035, 0.05759, 0.05759),
    (10**6, "3", "1e-6"): (0.02525, 0.06103, 0.11563, 0.11563),
}


@pytest.mark.parametrize("case", THEORY, ids=str)
def test_the_values_of_the_theory(case):
    row = bounds.smoothness_row(*case)
    found = (row.source, row.ours_half, row.ours_all, row.necessary)
    assert tuple(round(b, 5) for b in found) == THEORY[case]
    assert row.ours_all <= row.necessary <= row.closed_form
    json.dumps(row.to_dict())


@pytest.mark.parametrize(("m", "epsilon", "delta"), [(3, 0.5, 1e-3), (10, 1.0, 1e-6), (500, 2.0, 1e-4)])
def test_necessary_smoothness_by_other_means(m, epsilon, delta):
    """The largest β with all four hockey-sticks ≤ δ, by scipy on the difference of two logistic functions."""
    e = math.exp(epsilon)

    def others(z):
        return 1 / (1 + np.exp(np.minimum(z, 700)) / (m - 1))

    def worst(beta):
        def negative(z, sign, flip):
            p, q = (others(z), others(z * math.exp(-beta)))
            if flip:
                p, q = 1 - p, 1 - q
            return -(p - e * q) if sign else -(q - e * p)

        top = (math.log(m) + 50) * math.exp(beta)
        grid = np.linspace(0, top, 20001)
        best = 0.0
        for sign in (0, 1):
            for flip in (0, 1):
                k = int(np.argmin(negative(grid, sign, flip)))
                low, high = grid[max(k - 1, 0)], grid[min(k + 1, 20000)]
                found = minimize_scalar(
                    negative, bounds=(low, high), args=(sign, flip), method="bounded", options={"xatol": 1e-10}
                )
                best = max(best, -found.fun)
        return best

    truth = brentq(lambda beta: worst(beta) - delta, 1e-4, 4)
    assert bounds.necessary_smoothness(m, epsilon, delta) == pytest.approx(truth, rel=1e-6)


def test_no_direct_smooth_scale_beyond_the_necessary_value():
    """The exact law on the multiplicity world: beyond the bound some gap exceeds δ, a little below it none does."""
    m, epsilon, delta = 10, Fraction(1), Fraction(1, 10**4)
    necessary = bounds.necessary_smoothness(m, epsilon, delta)

    def exceeded(beta):
        found = []
        for gap in np.linspace(4, 40, 25):
            world = ds.worlds.multiplicity_world(m, Fraction(round(float(gap), 3)).limit_denominator(1000), 1)
            law = failures.at_smooth_scale(world, Fraction(beta).limit_denominator(10**9))
            # Only the edge x – x' on which nothing but the scale changes.
            pair = ds.World(["x", "x'"], [(0, 1)], world.candidates, world.table[:2].tolist())
            found.append(ds.verify(pair, epsilon=epsilon, delta=delta, method=law).holds)
        return False in found

    assert exceeded(necessary * 1.05)
    assert not exceeded(necessary * 0.999)


def test_infinite_where_nothing_is_necessary():
    assert bounds.closed_smoothness(10, 1, "1/2") == math.inf
    assert bounds.necessary_smoothness(10, 1, "99/100") == math.inf


def test_two_points():
    """Gibbs laws within ε of each other meet the condition; with the odds of 8.1 turned round they do not."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        gap_x, gap_y, b_x, b_y, rate = (Fraction(int(v), 10) for v in rng.integers(1, 60, 5))
        for delta in (0, "1/50"):
            p = 1 / (1 + math.exp(-rate * gap_x / b_x))
            q = 1 / (1 + math.exp(-rate * gap_y / b_y))
            for epsilon in ("1/2", "2"):
                e, d = math.exp(Fraction(epsilon)), float(Fraction(delta))
                private = (
                    p - e * (1 - q) <= d and (1 - q) - e * p <= d and q - e * (1 - p) <= d and (1 - p) - e * q <= d
                )
                found = bounds.two_points(rate, gap_x, b_x, gap_y, b_y, epsilon=epsilon, delta=delta)
                assert found.possible or not private
    with pytest.raises(ds.InvalidParameter, match="below both"):
        bounds.two_points(1, 1, 1, 1, 1, epsilon=1, delta="99/100")


# ---------------------------------------------------------------- the source's tables


@pytest.fixture(scope="module")
def first_table():
    return source_tables.table_1()


def test_table_1_has_every_method_and_every_bound_holds(first_table):
    from dpselect.methods import METHODS

    # Released counts bound the gap to the best category kept, not to the best one: no regret bound to check.
    assert {row.method for row in first_table} == set(METHODS) - {"released-counts", "supported-flips"}
    for row in first_table:
        assert row.holds, row
        assert row.measured is not None, row
    json.dumps([row.to_dict() for row in first_table])


def test_a_bound_that_is_too_small_is_noticed():
    """Negative control: at the expected regret the failure probability exceeds 1e-3."""
    found = ds.law(source_tables.Weighted(), source_tables.COUNTS, epsilon=1, method="global-scale")
    assert source_tables.failure_probability(found, Fraction(1)) > 0.05


def test_subgraph_rows_of_table_3():
    """K(binom(n, k), ρ) GS/ε with GS = k − 2, and the expected regret of the listed candidates."""
    row, larger = source_tables.table_3_subgraphs((12, 24), (4,), degree=5, seed=1)
    assert (row.m, row.global_, larger.global_) == (495, 2, 2)
    assert row.global_bound == pytest.approx(2 * float(sampler_named("permute-and-flip").tail(495, Fraction(1, 20))))
    graph = source_tables.random_graph(12, 5, 1)
    edges = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    q = [
        sum(all(pair in edges for pair in itertools.combinations(three, 2)) for three in itertools.combinations(s, 3))
        for s in itertools.combinations(range(12), 4)
    ]
    listed = ds.law(q, epsilon=1, sensitivity=2, monotone=True, method="global-scale")
    assert row.global_regret == pytest.approx(ds.expected_regret(listed))
    assert row.most == max(q)


def test_table_3_falls_with_n():
    rows = source_tables.table_3((150, 300, 600), degree=30, seed=1)
    ratios = [row.bound_ratio for row in rows]
    assert ratios == sorted(ratios, reverse=True)
    for row in rows:
        assert abs(2 * row.edges / row.n - 30) < 5
        assert row.our_regret <= row.global_regret
        assert row.our_regret <= row.our_bound
    json.dumps([row.to_dict() for row in rows])


@pytest.mark.parametrize(("motif", "power"), [("4-clique", 2), ("5-clique", 3), ("3-star", 2)])
def test_table_3_falls_faster_for_larger_motifs(motif, power):
    few, more = source_tables.table_3((150, 900), degree=8, seed=1, motifs=(motif,))
    assert few.motif == more.motif == motif
    assert more.bound_ratio < few.bound_ratio / 2
    assert more.global_ == ds.graph.TopVertex(motif).global_sensitivity(source_tables.random_graph(900, 8, 1))
    for row in (few, more):
        assert row.predicted == pytest.approx(
            source_tables.predicted_ratio("triangle", row.n, 8) ** power, rel=1e-9
        ) or (motif == "3-star")
        assert row.our_bound <= 2 * row.global_bound  # at its cap the private bound has paid for nothing
    assert source_tables.predicted_ratio("paw", 100, 12) is None


def test_random_graphs_are_simple_and_uniform():
    graph = source_tables.random_graph(50, 20, 3)
    pairs = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    assert len(pairs) == len(graph.tails)
    assert all(0 <= u < v < 50 for u, v in pairs)
    total = np.zeros((12, 12))
    for seed in range(400):
        g = source_tables.random_graph(12, 5.5, seed)
        total[g.tails, g.heads] += 1
    upper = total[np.triu_indices(12, 1)] / 400
    # p = 1/2; six standard deviations of 1/40 for 66 pairs: false alarm below 1e-6 · 66 / 1e3.
    assert np.abs(upper - 0.5).max() < 0.15
    assert source_tables.random_graph(5, 4, 0).tails.size == 10
    with pytest.raises(ds.InvalidParameter):
        source_tables.random_graph(5, 5, 0)


def test_tolerance_is_what_the_contract_says():
    assert Fraction(1, 2**100) == TOLERANCE
