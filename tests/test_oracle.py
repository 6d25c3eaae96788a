"""The oracle itself: its routes agree with each other, with definitions, and with numbers known in closed form."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as ds
from claims import models
from oracle import hockey, noise, reading, samplers, worlds


def test_four_routes_to_permute_and_flip():
    rng = np.random.default_rng(3)
    for m in (1, 2, 3, 4, 5, 6):
        for _ in range(3):
            w = [Fraction(int(n), 16) for n in rng.integers(1, 17, m)]
            w[int(rng.integers(m))] = Fraction(1)
            exact = samplers.permute_and_flip_by_orders(w)
            assert exact == samplers.permute_and_flip_by_polynomial(w)
            assert sum(exact) == 1
            floats = np.array([float(p) for p in exact])
            z = -np.log([float(p) for p in w])
            assert np.allclose(samplers.permute_and_flip(z), floats, rtol=1e-12, atol=0)
            assert np.allclose(samplers.permute_and_flip_by_coins(z), floats, rtol=1e-12, atol=0)


def test_gibbs_is_the_normalised_exponential():
    z = np.array([[0.0, 1.0, np.inf, 800.0], [3.0, 3.0, 3.0, 5.0]])
    w = np.exp(-z)
    assert np.allclose(samplers.gibbs(z), w / w.sum(axis=-1, keepdims=True), rtol=1e-14)


def test_noise_integrates_to_its_distribution_function():
    x, weight = np.polynomial.legendre.leggauss(40)
    for reach in (np.inf, 0.3, 2.0, 11.0):
        for left, right in ((-0.2, 0.0), (0.0, 0.25), (-1.5, -0.4)):
            w = left + (right - left) * (x + 1) / 2
            integral = (weight * noise.density(w, reach)).sum() * (right - left) / 2
            if right - left < reach and abs(left) < reach:
                assert integral == pytest.approx(noise.below(right, reach) - noise.below(left, reach), rel=1e-12)
        assert noise.below(0.0, reach) == pytest.approx(0.5)
        assert noise.below(-0.1, reach) == pytest.approx(noise.above(0.1, reach))


def test_one_level_against_the_laplace_mechanism():
    """Without a selection (one gap 0) δ(ε) is that of Laplace noise, 1 − e^{(ε − 1/s)/2}, if nothing is cut off."""
    level = reading.Level(1.0, 30.0, np.inf, 1e-9, np.inf, 1.0)
    x = reading.Scaled((level,), (100.0,), 1.0, 1.0, np.zeros(1), "gibbs")
    y = reading.Scaled((level,), (103.0,), 1.0, 1.0, np.zeros(1), "gibbs")
    for epsilon in (0.5, 1.0, 2.9):
        for interval in hockey.delta(x, y, epsilon):
            assert interval.high - interval.low < 1e-9
            assert interval.low == pytest.approx(1 - np.exp((epsilon - 3) / 2), abs=1e-9)
    assert hockey.delta(x, y, 3.0)[0].high < 1e-9


@pytest.mark.parametrize("kind", ["laplace", "truncated"])
def test_nested_quadrature_against_the_adaptive_one(kind):
    for seed in range(12):
        world = worlds.random_world(seed)
        for dressed in (world, worlds.uncapped(world)):
            found, _ = models(dressed, ds.PrivateBound(noise=kind), "2", "1/10")
            for x, y in worlds.both_ways(dressed):
                if isinstance(found[x], reading.Scaled) and found[x].levels[0].rate is not None:
                    good = hockey.delta(found[x], found[y], 1.2)
                    rough = hockey._nested(found[x], found[y], np.exp(1.2), fine=4)
                    for a, b in zip(good, rough, strict=True):
                        assert b.low - 2e-3 <= a.low <= a.high <= b.high + 2e-3


def test_finite_laws():
    x = reading.Finite({None: (1.0, np.array([0.0, 0.0]))}, "gibbs")
    y = reading.Finite({None: (1.0, np.array([0.0, np.log(3.0)]))}, "gibbs")
    forth, back = hockey.delta(x, y, np.log(1.5))
    assert forth.low == pytest.approx(0.5 - 1.5 * 0.25)
    assert back.low == pytest.approx(0.0)
    gone = reading.Finite({Fraction(1): (0.75, np.array([0.0]))}, "gibbs", withheld=0.25)
    here = reading.Finite({Fraction(1): (1.0, np.array([0.0]))}, "gibbs")
    assert hockey.delta(gone, here, 5.0)[0].low == 0.25
