"""Gibbs and permute-and-flip: probabilities against exact computation, tails attained and never exceeded."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.laws import GIBBS, PERMUTE_AND_FLIP, sampler_named
from oracle import samplers

SAMPLERS = [GIBBS, PERMUTE_AND_FLIP]


def test_permute_and_flip_against_exact_fractions():
    rng = np.random.default_rng(0)
    for m in (1, 2, 3, 5, 8, 12):
        for _ in range(6):
            w = [Fraction(int(n), 32) for n in rng.integers(1, 33, m)]
            w[int(rng.integers(m))] = Fraction(1)
            exact = np.array([float(p) for p in samplers.permute_and_flip_by_polynomial(w)])
            found = PERMUTE_AND_FLIP.probabilities(-np.log(np.array([float(p) for p in w])))
            assert np.allclose(found, exact, rtol=1e-11, atol=0)


@pytest.mark.parametrize("m", [13, 100, 1500])
def test_permute_and_flip_of_many_against_a_quadrature_that_is_exact_by_degree(m):
    rng = np.random.default_rng(m)
    for spread in (0.0, 0.01, 1.0, 30.0):
        z = rng.exponential(1.0, m) * spread
        z[0] = 0.0
        found, expected = PERMUTE_AND_FLIP.probabilities(z), samplers.permute_and_flip(z)
        assert found.sum() == pytest.approx(1.0, abs=1e-10)
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-300)


def test_permute_and_flip_of_a_million_ties():
    """All m at z = 0: 1/m each. m − 1 at the same z: the maximiser's share in closed form."""
    m = 10**6
    assert np.allclose(PERMUTE_AND_FLIP.probabilities(np.zeros(m)), 1 / m, rtol=1e-9)
    z = np.full(m, 12.0)
    z[7] = 0.0
    w = math.exp(-12.0)
    top = -math.expm1(m * math.log1p(-w)) / (m * w)
    found = PERMUTE_AND_FLIP.probabilities(z)
    assert found[7] == pytest.approx(top, rel=1e-9)
    assert found.sum() == pytest.approx(1.0, abs=1e-9)


def test_gibbs_probabilities():
    rng = np.random.default_rng(1)
    for m in (1, 2, 10, 1000):
        z = rng.exponential(5.0, m)
        assert np.allclose(GIBBS.probabilities(z), np.exp(-z) / math.fsum(np.exp(-z)), rtol=1e-12)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda s: s.name)
def test_excluded_candidates_have_probability_zero_and_change_nothing(sampler):
    z = np.array([0.0, 1.0, np.inf, 2.0, np.inf])
    found = sampler.probabilities(z)
    assert found[2] == found[4] == 0.0
    assert np.allclose(found[[0, 1, 3]], sampler.probabilities(z[[0, 1, 3]]), rtol=1e-12)


def test_permute_and_flip_is_never_worse():
    """Its gap is stochastically no larger: every upper tail is at most that of Gibbs."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        z = np.sort(rng.exponential(rng.choice([0.3, 2.0, 8.0]), int(rng.integers(2, 9))))
        z -= z[0]
        upper = [s.probabilities(z)[::-1].cumsum()[::-1] for s in SAMPLERS]
        assert np.all(upper[1] <= upper[0] + 1e-12)


def worst_tail(sampler, m, K):
    """Pr[z_R ≥ K] for one candidate at 0 and m − 1 at K: where the tail is attained."""
    z = np.full(m, K)
    z[0] = 0.0
    return float(sampler.probabilities(z)[1:].sum())


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda s: s.name)
@pytest.mark.parametrize("m", [2, 3, 10, 1000])
@pytest.mark.parametrize("rho", ["1/20", "1/1000", "1e-9", "1/3"])
def test_tail_is_attained_and_never_exceeded(sampler, m, rho):
    rho = Fraction(rho)
    K = float(sampler.tail(m, rho))
    at = worst_tail(sampler, m, K)
    if K > 0:
        # Attained: a little less would not do. (K is rounded up by about 1e-9.)
        assert at <= float(rho) * (1 + 1e-9)
        assert at >= float(rho) * (1 - 1e-6)
        assert worst_tail(sampler, m, K - 1e-3) > float(rho)
    else:
        assert worst_tail(sampler, m, 0.0) <= float(rho) * (1 + 1e-9) or float(rho) >= (m - 1) / m
    rng = np.random.default_rng(m)
    for _ in range(30):
        z = np.concatenate([[0.0], rng.exponential(rng.choice([1.0, K + 1]), min(m, 60) - 1)])
        z[rng.random(len(z)) < 0.3] = K * (1 + 1e-12)
        z[0] = 0.0
        assert float(sampler.probabilities(z)[z > K].sum()) <= float(rho) * (1 + 1e-9)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda s: s.name)
def test_tail_of_one_candidate_or_a_large_rho_is_zero(sampler):
    assert float(sampler.tail(1, Fraction(1, 20))) == 0
    assert float(sampler.tail(2, Fraction(1, 2))) == 0
    assert float(sampler.tail(4, Fraction(3, 4))) == 0
    assert float(sampler.tail(4, Fraction(74, 100))) > 0


def test_the_tails_of_theory():
    """o/(1 + o) with o = (m − 1) e^{-K}; 1 − (1 − (1 − p)^m)/(m p) with p = e^{-K}: about log 2 less."""
    m, rho = 1000, Fraction(1, 20)
    K = float(GIBBS.tail(m, rho))
    assert pytest.approx(math.log(999 * 19), rel=1e-12) == K
    p = math.exp(-float(PERMUTE_AND_FLIP.tail(m, rho)))
    assert 1 - (1 - (1 - p) ** m) / (m * p) == pytest.approx(0.05, rel=1e-8)
    small = Fraction(1, 10**6)
    assert float(GIBBS.tail(m, small)) - float(PERMUTE_AND_FLIP.tail(m, small)) == pytest.approx(math.log(2), abs=1e-4)


def test_names():
    for sampler in SAMPLERS:
        assert sampler_named(sampler.name) is sampler
        assert sampler_named(sampler) is sampler
    for bad in ("Gibbs", "", None, 1, True, "exponential"):
        with pytest.raises(InvalidParameter, match="gibbs"):
            sampler_named(bad)
