"""Laplace noise, rounded up to a public grid: the sum is rounded, never the noise alone.

    Laplace(s):                 density e^(-|z|/s) / 2s
    TruncatedLaplace(s, A):     density ∝ e^(-|z|/s) on [−A, A]
    draw_ceiling(h, γ) = ⌈(h + Z)/γ⌉

The distribution function is inverted on the interval that a lazy uniform is known to lie in, and the
uniform is refined until the ceiling is unique: the continuous law followed by post-processing, exactly.
Rounding the noise alone would change the law differently at h and h' when they lie differently on the grid,
a privacy bug.

Source: theory sections 4 and 10; truncated noise: Geng et al. 2020.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource, LazyUniform, coin
from dpselect.exact.reals import Real

_UNDECIDED: Final = 2**14
"""Bits after which a sum that has no ceiling yet (probability 2^-16,000) is taken to be undefined."""


class Noise(ABC):
    """Symmetric noise Z = ±M: a fair sign and a magnitude M ≥ 0."""

    scale: Fraction
    """In the units of what the noise is added to; 0 means no noise at all."""

    @abstractmethod
    def _degenerate(self) -> bool:
        """Whether Z = 0."""

    @abstractmethod
    def _magnitude(self, v: Real) -> Real:
        """M as a function of a uniform v in [0, 1)."""

    @abstractmethod
    def _below(self, x: Fraction | Real) -> Fraction | Real:
        """Pr[M < x], or any number ≤ 0 where that is 0, and any number ≥ 1 where it is 1."""

    @abstractmethod
    def _tail(self, x: Fraction) -> float:
        """Pr[Z ≤ −x] for x ≥ 0."""

    @final
    def draw_ceiling(self, offset: Fraction | Real, grid: Fraction, source: BitSource) -> int:
        """⌈(offset + Z)/grid⌉, exactly.

        Arguments: offset and grid > 0 in the units of the scale. Without noise a rational offset is rounded
        in exact arithmetic; a real one that lies on the grid without being known to be rational raises
        `InvalidParameter`. Cost: about 20 µs, more with probability about 2^-64 · scale/grid.

        >>> from dpselect.exact.bits import SeededBits
        >>> Laplace(Fraction(0)).draw_ceiling(Fraction(7, 2), Fraction(1), SeededBits(0))
        4
        """
        if grid <= 0:
            raise InvalidParameter("the grid must be above 0")
        centre = Real.of(offset) / grid
        if self._degenerate():
            return _ceiling(centre)
        negative = source.bits(1)
        uniform = LazyUniform(source)
        while True:
            uniform.grow()
            magnitude = self._magnitude(Real.interval(uniform.position, uniform.length)) / grid
            total = centre - magnitude if negative else centre + magnitude
            ends = total.ends(uniform.length + 32)
            if ends and math.ceil(ends[0]) == math.ceil(ends[1]):
                return math.ceil(ends[0])
            if uniform.length > _UNDECIDED:
                raise InvalidParameter("the offset is undefined or too large for the grid")

    @final
    def exceeds(self, offset: Fraction | Real, threshold: Fraction | Real, source: BitSource) -> bool:
        """offset + Z > threshold, exactly.

        >>> from dpselect.exact.bits import SeededBits
        >>> Laplace(Fraction(1)).exceeds(Fraction(10**6), Fraction(0), SeededBits(0))
        True
        """
        needed = Real.of(threshold) - Real.of(offset)
        if self._degenerate():
            return _above(-needed)
        if source.bits(1):
            return coin(self._below(-needed), source)  # −M > needed
        return not coin(self._below(needed), source)  # M > needed, up to an event of probability 0

    @final
    def cdf(self, x: float) -> float:
        """Pr[Z ≤ x] in float64, to about 1e-15 of the smaller of it and 1 minus it.

        The upper tail 1 − cdf(x) is cdf(−x): ask for that, which keeps its digits.

        >>> Laplace(Fraction(1)).cdf(0.0)
        0.5
        """
        if math.isnan(x):
            raise InvalidParameter("x must not be NaN")
        if math.isinf(x):
            return float(x > 0)
        if self._degenerate():
            return float(x >= 0)
        return self._tail(-Fraction(x)) if x <= 0 else 1.0 - self._tail(Fraction(x))


@final
@dataclass(frozen=True)
class Laplace(Noise):
    """Z with density e^(-|z|/scale) / (2 scale).

    >>> 1000 * Laplace(Fraction(2)).cdf(-10.0)
    3.36897349954...
    """

    scale: Fraction

    def __post_init__(self) -> None:
        _check_scale(self.scale)

    def _degenerate(self) -> bool:
        return self.scale == 0

    def _magnitude(self, v: Real) -> Real:
        return v.log() * -self.scale

    def _below(self, x: Fraction | Real) -> Real:
        # 1 − e^(-x/s) in the form that keeps its digits; x < 0 is cut off before its exponential overflows.
        return -((-_positive_part(Real.of(x)) / self.scale).expm1())

    def _tail(self, x: Fraction) -> float:
        return float((Real.of(-x) / self.scale).exp() / 2)


@final
@dataclass(frozen=True)
class TruncatedLaplace(Noise):
    """Z with density ∝ e^(-|z|/scale) on [−bound, bound].

    >>> TruncatedLaplace(Fraction(1), Real.of(2)).cdf(-2.0)
    0.0
    """

    scale: Fraction
    bound: Real

    def __post_init__(self) -> None:
        _check_scale(self.scale)
        if self.bound.rational is not None and self.bound.rational < 0:
            raise InvalidParameter("the bound of noise must be at least 0")

    def _degenerate(self) -> bool:
        return self.scale == 0 or self.bound.rational == 0

    def _mass(self) -> Real:
        """Pr[|Laplace| ≤ bound] = 1 − e^(-bound/scale)."""
        return -((-self.bound / self.scale).expm1())

    def _magnitude(self, v: Real) -> Real:
        return (v * -self._mass()).log1p() * -self.scale

    def _below(self, x: Fraction | Real) -> Real:
        return -((-_positive_part(Real.of(x)) / self.scale).expm1()) / self._mass()

    def _tail(self, x: Fraction) -> float:
        # (e^(-x/s) − e^(-A/s)) / (2 (1 − e^(-A/s))) = e^(-x/s) · (1 − e^(-(A−x)/s)) / (2 · mass)
        left = _positive_part(self.bound - x)
        inside = -((-left / self.scale).expm1())
        return float((Real.of(-x) / self.scale).exp() * inside / (self._mass() * 2))


def _check_scale(scale: Fraction) -> None:
    if scale < 0:
        raise InvalidParameter("the scale of noise must be at least 0")


def _positive_part(x: Real) -> Real:
    return Real.maximum([x, 0])


def _above(x: Real) -> bool:
    """x > 0."""
    if x.rational is not None:
        return x.rational > 0
    bits = 80
    while True:
        lo, hi = x.enclosure(bits)
        if lo > 0 or hi <= 0:
            return lo > 0
        if bits > 2**16:
            raise InvalidParameter("a real number cannot be told from 0")
        bits *= 2


def _ceiling(x: Real) -> int:
    """⌈x⌉ of a real number that is rational or not an integer."""
    if x.rational is not None:
        return math.ceil(x.rational)
    bits = 80
    while True:
        lo, hi = x.enclosure(bits)
        if math.ceil(lo) == math.ceil(hi):
            return math.ceil(lo)
        if bits > 2**16:
            raise InvalidParameter("a real number cannot be told from an integer")
        bits *= 2
