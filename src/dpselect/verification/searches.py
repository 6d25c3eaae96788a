"""The law of a scale with finitely many values, read off the very objects that draw it.

    a test      passes iff φ + s W > t, W ~ Laplace(1) or Laplace(1) cut to ±bound
    bisection   ℓ = 1, h = J; test i = ⌊(ℓ + h)/2⌋; pass → h = i, fail → ℓ = i + 1; stop at ℓ ≥ h
    selection   the index by a law of `answers`

A scale law that is drawn in another way is taken at its word: float64 probabilities within its stated error.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

from dpselect.exact.noise import TruncatedLaplace
from dpselect.exact.reals import Real
from dpselect.methods.certificate_search import Bisect, SelectIndex
from dpselect.methods.fixed_scale_test import CertificateTest, TestOnce
from dpselect.methods.scale import Constant, FiniteScaleLaw
from dpselect.verification.answers import Answer, Ball, Certain, Listed, ToBall, Weighed
from dpselect.verification.levels import distribution

NOT_RELEASED: Final = "not released"


def finite_scales(scale: FiniteScaleLaw) -> tuple[list[Any], Answer]:
    """The labels (released scales, `NOT_RELEASED`) and their law."""
    draw = scale.sampler
    if isinstance(draw, Constant):
        return [draw.scales], Certain()
    if isinstance(draw, TestOnce):
        return [NOT_RELEASED if s is None else s for s in (draw.passed, draw.failed)], Tested(draw.test)
    if isinstance(draw, Bisect):
        return [(b,) for b in draw.grid], Bisected(draw.tests)
    if isinstance(draw, SelectIndex):
        exponents = [draw.exponents.exact(i) for i in range(draw.exponents.size)]
        return [(b,) for b in draw.grid], Weighed(exponents, draw.sampler.name)
    labels: list[Hashable] = [*scale.support, NOT_RELEASED]
    error = Fraction(scale.error)
    chances = [Fraction(p) for p in (*scale.probabilities, scale.no_release)]
    return labels, Listed([(max(Fraction(0), p - error), p + error) for p in chances])


def passing(test: CertificateTest, ball: ToBall) -> tuple[Ball, Ball]:
    """Pr[pass], Pr[fail] = Pr[W > w], Pr[W ≤ w] at w = (t − φ)/s; the noise is symmetric."""
    if test.certificate is None:
        return ball(1), ball(0)
    noise = test.noise.law(Fraction(1))
    bound = ball(Real.of(noise.bound)) if isinstance(noise, TruncatedLaplace) else None
    w = ball(test.noise.shift) - test.certificate * ball(test.noise.epsilon)
    return distribution(bound, -w), distribution(bound, w)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Tested(Answer):
    """Pass, or fail."""

    test: CertificateTest

    def balls(self, ball: ToBall) -> list[Ball]:
        return list(passing(self.test, ball))


@final
@dataclass(frozen=True, eq=False, repr=False)
class Bisected(Answer):
    """The index that a bisection ends at."""

    tests: Sequence[CertificateTest]

    def balls(self, ball: ToBall) -> list[Ball]:
        found = [ball(0)] * len(self.tests)
        pending = [(1, len(self.tests), ball(1))]
        while pending:
            low, high, mass = pending.pop()
            if low >= high:
                found[low - 1] = mass
                continue
            middle = (low + high) // 2
            passed, failed = passing(self.tests[middle - 1], ball)
            pending += [(low, middle, mass * passed), (middle + 1, high, mass * failed)]
        return found
