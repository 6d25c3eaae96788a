"""Laws of two and three levels against a plain nested integral, and what condensing keeps."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

import dpselect as ds
from dpselect.methods.quadrature import condensed

CHAIN = ds.World(
    list(range(7)), [(i, i + 1) for i in range(6)], ["a", "b", "c"], [[i**3, 20, 50] for i in range(7)], depth=3
)


def noise_cdf(w, reach):
    w = np.clip(w, -reach, reach)
    edge = np.exp(-reach)
    low = (np.exp(np.minimum(w, 0)) - edge) / (2 * (1 - edge))
    high = 1 - (np.exp(-np.maximum(w, 0)) - edge) / (2 * (1 - edge))
    return np.where(w <= 0, low, high)


def nested(law, cells=2000):
    """B_0 by brute force: every level as many small cells of equal width in the noise, merged by equal ratio."""
    scales, masses = np.array([float(law.scale.kernel.top)]), np.array([1.0])
    for plan, h in zip(reversed(law.scale.kernel.levels), reversed(law.scale.values), strict=True):
        shift = plan.noise.shift_float
        reach = 45.0 if plan.noise.kind == "laplace" else shift
        edges = np.linspace(-reach, reach, cells + 1)
        weight = np.diff(noise_cdf(edges, reach))
        middle = (edges[1:] + edges[:-1]) / 2
        b = float(h) + scales[:, None] / float(plan.noise.epsilon) * (middle + shift)
        b = np.minimum(np.maximum(b, float(plan.floor)), float(plan.cap)).ravel()
        m = (masses[:, None] * weight).ravel()
        grid = np.geomspace(b.min(), b.max() * (1 + 1e-12), 2 * cells)
        place = np.searchsorted(grid, b)
        total = np.bincount(place, m, len(grid) + 1)
        b = np.bincount(place, m * b, len(grid) + 1)[total > 0] / total[total > 0]
        scales, masses = b, total[total > 0]
    return scales, masses


def given_at(law, scales):
    """P(· | b) for many scales."""
    gaps = law.evaluation.scores.gaps().proposal
    rate = float(law.calibration.epsilon_selection) / law.calibration.question.kappa
    z = gaps * rate / scales[:, None]
    return law.calibration.sampler.grouped(z, np.ones(len(gaps)))


@pytest.mark.parametrize("noise", ["laplace", "truncated"])
@pytest.mark.parametrize("depth", [2, 3])
def test_cdf_of_deep_hierarchies(noise, depth):
    chain = ds.World(CHAIN.datasets, CHAIN.edges, CHAIN.candidates, CHAIN.scores_table, depth=depth)
    constants = chain.level_constants
    far = ds.LevelConstants(depth, constants.top, (Fraction(10**5),) * depth)

    class Uncapped:
        candidates, name = chain.candidates, "uncapped"
        level_constants = far
        scores, profile, levels = chain.scores, chain.profile, chain.levels

    law = ds.law(Uncapped(), 3, epsilon=6, delta="1/100", method=ds.PrivateBound(noise=noise, split="1/5", floors=2))
    scales, masses = nested(law)
    targets = np.quantile(scales, [0.1, 0.3, 0.5, 0.6, 0.7])
    found = [law.scale.cdf(b) for b in targets]
    assert np.allclose(found, [masses[scales <= b].sum() for b in targets], atol=3e-3)
    assert any(0.05 < p < 0.95 for p in found)
    rule = law.scale.rule(12)
    assert rule.weights.sum() == pytest.approx(1, abs=1e-9)
    total = sum(m * p for m, p in zip(masses, given_at(law, scales), strict=True))
    assert np.allclose(law.candidates.probabilities, total, atol=2e-5)


def test_condensing_keeps_integrals():
    rng = np.random.default_rng(1)
    nodes, weights = np.exp(rng.normal(0, 2, 50_000)), rng.random(50_000)
    few, mass = condensed(nodes, weights, 12)
    assert len(few) < 800
    for f in (np.log, np.sqrt, lambda b: np.exp(-3 / b), lambda b: 1 / (1 + b)):
        assert mass @ f(few) == pytest.approx(weights @ f(nodes), rel=1e-10)


def test_one_level_law_is_closed():
    chain = ds.World(CHAIN.datasets, CHAIN.edges, CHAIN.candidates, CHAIN.scores_table)
    law = ds.law(chain, 2, epsilon=1, delta="1/100", method=ds.PrivateBound(noise="laplace", split="1/4"))
    plan = law.scale.kernel.levels[0]
    s = float(law.scale.kernel.top) * 4
    for b in (40.0, 80.0):
        w = (b - float(law.scale.values[0])) / s - np.log(50)
        assert law.scale.cdf(b) == pytest.approx(0.5 * np.exp(w) if w < 0 else 1 - 0.5 * np.exp(-w), rel=1e-12)
    assert dict(law.scale.atoms)[plan.cap] == pytest.approx(1 - law.scale.cdf(float(plan.cap) * (1 - 1e-15)), rel=1e-9)


@pytest.mark.parametrize("noise", ["laplace", "truncated"])
def test_two_levels_against_adaptive_integration(noise):
    """The stated error of `cdf`, and of the atoms at floor and cap."""
    chain = ds.World(CHAIN.datasets, CHAIN.edges, CHAIN.candidates, CHAIN.scores_table, depth=2)
    method = ds.PrivateBound(noise=noise, split=("1/3", "1/3"), floors=(15, 8))
    law = ds.law(chain, 1, epsilon=9, delta="1/10", method=method)
    inner, outer = law.scale.kernel.levels
    (h0, h1), top = map(float, law.scale.values), float(law.scale.kernel.top)
    rates = [float(plan.noise.epsilon) for plan in (inner, outer)]
    shifts = [plan.noise.shift_float for plan in (inner, outer)]
    reach = [45.0 if plan.noise.kind == "laplace" else plan.noise.shift_float for plan in (inner, outer)]

    def b1(w):
        return min(max(h1 + top / rates[1] * (w + shifts[1]), float(outer.floor)), float(outer.cap))

    def expected(b):
        def conditional(w):
            return float(noise_cdf((b - h0) * rates[0] / b1(w) - shifts[0], reach[0]))

        mass = 0.5 / (1 - np.exp(-reach[1]))
        grid = np.linspace(-reach[1], reach[1], 401)
        total = sum(
            quad(lambda w: mass * np.exp(-abs(w)) * conditional(w), a, c, epsabs=1e-13)[0]
            for a, c in itertools.pairwise(grid)
        )
        return total

    low, high = float(inner.floor), float(inner.cap)
    for b in (low, (low + high) / 2, high * 0.99):
        assert law.scale.cdf(b) == pytest.approx(expected(b), abs=law.scale.error)
    atoms = dict(law.scale.atoms)
    assert atoms[inner.floor] == pytest.approx(expected(low), abs=law.scale.error)
    assert atoms[inner.cap] == pytest.approx(1 - expected(high * (1 - 1e-14)), abs=law.scale.error)
