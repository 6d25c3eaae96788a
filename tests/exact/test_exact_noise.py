"""Noise: the ceiling of the sum has the law of the continuous noise, and the sum is what is rounded."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from fitting import DRAWS, Scripted, misfit
from hypothesis import given
from hypothesis import strategies as st

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import SeededBits
from dpselect.exact.noise import Laplace, TruncatedLaplace
from dpselect.exact.reals import Real

ROOT3 = Real.of(3).sqrt()
NOISES = [Laplace(Fraction(3, 2)), TruncatedLaplace(Fraction(3, 2), ROOT3 * 2)]


def laplace_cdf(scale: float, x: float) -> float:
    return 0.5 * math.exp(x / scale) if x <= 0 else 1 - 0.5 * math.exp(-x / scale)


def truncated_cdf(scale: float, bound: float, x: float) -> float:
    if abs(x) >= bound:
        return float(x > 0)
    low = laplace_cdf(scale, -bound)
    return (laplace_cdf(scale, x) - low) / (1 - 2 * low)


def cells(cdf, offset: float, grid: float, cuts: list[int]) -> list[float]:
    """The probabilities that the ceiling lies up to cuts[0], in (cuts[0], cuts[1]], …, above the last."""
    levels = [0.0, *(cdf(cut * grid - offset) for cut in cuts), 1.0]
    return [b - a for a, b in itertools.pairwise(levels)]


@pytest.mark.parametrize("kind", ["laplace", "truncated"])
@pytest.mark.parametrize("offset", [Fraction(1, 3), ROOT3 - 2], ids=["rational", "real"])
def test_the_ceiling_has_the_law_of_the_sum(kind, offset):
    """False alarm 1e-9; a scale off by 10 %, and noise rounded without the offset, are rejected."""
    scale, grid, cuts, bound = 1.5, 0.75, [-1, 0, 2], 2 * math.sqrt(3)
    if kind == "laplace":
        noise, cdf = NOISES[0], laplace_cdf
    else:
        noise, cdf = NOISES[1], lambda s, x: truncated_cdf(s, bound, x)
    source, x = SeededBits(21), float(offset)
    drawn = [noise.draw_ceiling(offset, Fraction(3, 4), source) for _ in range(DRAWS)]
    sample = [sum(d > cut for cut in cuts) for d in drawn]
    law = cells(lambda t: cdf(scale, t), x, grid, cuts)
    assert min(law) > 0.1
    assert not misfit(sample, law)
    assert misfit(sample, cells(lambda t: cdf(scale * 1.1, t), x, grid, cuts))
    assert misfit(sample, cells(lambda t: cdf(scale / 1.1, t), x, grid, cuts))
    assert misfit(sample, cells(lambda t: cdf(scale, t), math.ceil(x / grid) * grid, grid, cuts))
    if kind == "truncated":
        assert max(abs(d * 0.75 - x) for d in drawn) <= bound + grid


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "truncated"])
@pytest.mark.parametrize("threshold", [Fraction(-1), Fraction(3, 2), ROOT3], ids=["below", "above", "real"])
def test_exceeding_has_the_law_of_the_sum(noise, threshold):
    """False alarm 1e-9; a scale off by 10 % is rejected (50 % for truncated noise, where it matters less)."""
    offset = Fraction(1, 3)
    source, t = SeededBits(22), float(threshold) - float(offset)
    sample = [int(noise.exceeds(offset, threshold, source)) for _ in range(DRAWS)]

    def law(scale: float) -> list[float]:
        p = laplace_cdf(scale, -t) if isinstance(noise, Laplace) else truncated_cdf(scale, 2 * math.sqrt(3), -t)
        return [1 - p, p]

    assert not misfit(sample, law(1.5))
    assert misfit(sample, law(1.65 if isinstance(noise, Laplace) else 2.25))


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "truncated"])
@given(
    offset=st.fractions(-100, 100, max_denominator=10**6),
    steps=st.integers(-(10**6), 10**6),
    parts=st.integers(2, 10**9),
    seed=st.integers(0, 2**32),
)
def test_the_sum_is_rounded(noise, offset, steps, parts, seed):
    """With the same noise: a shift by whole steps shifts the result, and rounding to a finer grid first changes
    nothing. Both follow from ⌈(h + Z)/γ⌉; the second is false of h + ⌈Z⌉."""
    grid = Fraction(3, 4)
    drawn = noise.draw_ceiling(offset, grid, SeededBits(seed))
    assert noise.draw_ceiling(offset + steps * grid, grid, SeededBits(seed)) == drawn + steps
    finer = noise.draw_ceiling(offset, grid / parts, SeededBits(seed))
    assert math.ceil(Fraction(finer, parts)) == drawn
    real = Real.of(offset) + ROOT3 - ROOT3
    assert noise.draw_ceiling(real, grid, SeededBits(seed)) == drawn


def test_rounding_the_noise_alone_fails_that_property():
    grid, offset, parts = Fraction(1), Fraction(1, 3), 1000
    wrong = 0
    for seed in range(100):
        alone = Laplace(Fraction(1)).draw_ceiling(Fraction(0), grid, SeededBits(seed)) + offset
        finer = Laplace(Fraction(1)).draw_ceiling(offset, grid / parts, SeededBits(seed))
        wrong += math.ceil(Fraction(finer, parts)) != math.ceil(alone)
    assert wrong > 10


def test_the_uniform_is_refined_until_the_ceiling_is_unique():
    """U = 1/2 + tiny puts log U at −log 2; a grid of log 2 / 2^60 steps is undecided after 64 bits."""
    source = Scripted([0, 2**63, 5, 7])
    grid = Fraction(1, 2**100)
    drawn = Laplace(Fraction(1)).draw_ceiling(Fraction(0), grid, source)
    assert len(source.asked) > 2
    assert abs(drawn * grid - Fraction(math.log(2))) < Fraction(1, 2**40)
    # A uniform that starts with zeros is a large magnitude, never an infinite one.
    far = Laplace(Fraction(1)).draw_ceiling(Fraction(0), Fraction(1), Scripted([1, 0, 0, 1, 0]))
    assert far == -math.floor(192 * math.log(2))


@pytest.mark.parametrize("noise", [Laplace(Fraction(0)), TruncatedLaplace(Fraction(0), ROOT3)], ids=repr)
def test_no_noise_is_exact_arithmetic(noise):
    source = Scripted([])
    assert noise.draw_ceiling(Fraction(6), Fraction(2), source) == 3
    assert noise.draw_ceiling(Fraction(6) + Fraction(1, 10**50), Fraction(2), source) == 4
    assert noise.draw_ceiling(ROOT3, Fraction(1), source) == 2
    assert not noise.exceeds(Fraction(1), Fraction(1), source)
    assert noise.exceeds(ROOT3, Fraction(17, 10), source)
    assert noise.cdf(-1e-300) == 0.0
    assert noise.cdf(0.0) == 1.0
    with pytest.raises(InvalidParameter):
        noise.draw_ceiling(ROOT3 * ROOT3, Fraction(1), source)


def test_a_bound_of_zero_is_no_noise():
    noise = TruncatedLaplace(Fraction(1), Real.of(0))
    assert noise.draw_ceiling(Fraction(1, 2), Fraction(1), Scripted([])) == 1


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "truncated"])
def test_far_thresholds(noise):
    for seed in range(20):
        assert noise.exceeds(Fraction(0), Fraction(-(10**50)), SeededBits(seed))
        assert not noise.exceeds(Fraction(0), Fraction(10**50), SeededBits(seed))
        assert noise.exceeds(Fraction(10**50), ROOT3, SeededBits(seed))
    # At the threshold itself it is a fair coin.
    assert {noise.exceeds(ROOT3, ROOT3, SeededBits(seed)) for seed in range(50)} == {True, False}


def test_truncated_noise_stays_inside_its_bound():
    noise = TruncatedLaplace(Fraction(1), Real.of(2))
    for last in (0, 2**64 - 1):
        for sign in (0, 1):
            drawn = noise.draw_ceiling(Fraction(0), Fraction(1, 1000), Scripted([sign, last, 5, 5]))
            assert -2000 <= drawn <= 2000
    for seed in range(200):
        assert not noise.exceeds(Fraction(0), Fraction(2), SeededBits(seed))
        assert noise.exceeds(Fraction(0), Fraction(-2), SeededBits(seed))


@given(st.floats(-400, 400))
def test_cdf_keeps_its_digits_in_the_tail(x):
    """Against decimal arithmetic with 60 digits."""
    scale = Fraction(1, 3)
    with localcontext() as context:
        context.prec = 60

        def decay(t: float) -> Decimal:
            return (-abs(Decimal(t)) * 3).exp()

        tail = decay(x) / 2
        cut = Decimal(10)
        truncated = (decay(x) - (-cut * 3).exp()) / 2 / (1 - (-cut * 3).exp()) if abs(x) < 10 else Decimal(0)
    for noise, expected in ((Laplace(scale), tail), (TruncatedLaplace(scale, Real.of(10)), truncated)):
        assert math.isclose(noise.cdf(-abs(x)), float(expected), rel_tol=1e-15, abs_tol=1e-323)
        assert math.isclose(noise.cdf(abs(x)), float(1 - expected), rel_tol=1e-15)


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "truncated"])
def test_cdf_at_the_ends(noise):
    assert noise.cdf(-math.inf) == 0.0
    assert noise.cdf(math.inf) == 1.0
    assert noise.cdf(0.0) == 0.5
    with pytest.raises(InvalidParameter):
        noise.cdf(math.nan)


def test_a_bound_that_is_not_rational():
    noise = TruncatedLaplace(Fraction(1), ROOT3)
    assert noise.cdf(-1.7320508075688774) == 0.0
    assert 0.0 < noise.cdf(-1.7320508075688772) < 1e-15


def test_impossible_noise_is_refused():
    for make in (
        lambda: Laplace(Fraction(-1)),
        lambda: TruncatedLaplace(Fraction(-1), Real.of(1)),
        lambda: TruncatedLaplace(Fraction(1), Real.of(-1)),
        lambda: Laplace(Fraction(1)).draw_ceiling(Fraction(0), Fraction(0), SeededBits(0)),
        lambda: Laplace(Fraction(1)).draw_ceiling(Real.of(-1).log(), Fraction(1), SeededBits(0)),
    ):
        with pytest.raises(InvalidParameter):
            make()
