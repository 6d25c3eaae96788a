"""The noise that makes an upper bound private, in units of its scale s = C/ε (theory section 4).

- Laplace: W ~ Lap(1), shift log(1/(2η)): the bound fails with probability η, at cost ε alone.
- Truncated: density ∝ e^{-|z|} on [−a, a], a = log(1 + (e^ε − 1)/(2δ)), shift a: the bound never fails, at cost (ε, δ).

Either way a level adds its η (or δ) to the δ of the release.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.noise import Laplace, TruncatedLaplace
from dpselect.exact.reals import Real, less
from dpselect.guarantee import Kind, Part

NoiseKind = Literal["laplace", "truncated", "auto"]
NOISE_KINDS = ("laplace", "truncated", "auto")
FloatArray = NDArray[np.float64]


@final
@dataclass(frozen=True)
class UpperNoise:
    """Noise plus shift for one level: public, fixed by (kind, ε, η).

    Arguments:
        kind: "laplace" or "truncated" (`choose` resolves "auto").
        epsilon: ε of this level.
        failure: η (Laplace) or δ (truncated) of this level.
    """

    kind: Literal["laplace", "truncated"]
    epsilon: Fraction
    failure: Fraction

    @classmethod
    def choose(cls, kind: str, epsilon: Fraction, failure: Fraction) -> UpperNoise:
        """The noise asked for; "auto" takes the smaller shift: truncated iff e^ε < 2 − 2δ (or δ ≥ 1/2)."""
        if kind not in NOISE_KINDS:
            raise InvalidParameter(f"noise must be one of {', '.join(map(repr, NOISE_KINDS))}, got {kind!r}")
        smaller = failure >= Fraction(1, 2) or less(Real.of(epsilon).exp(), Real.of(2 - 2 * failure))
        if kind == "truncated" or (kind == "auto" and smaller):
            return cls("truncated", epsilon, failure)
        if failure >= Fraction(1, 2):
            raise InvalidParameter(f"delta of a level with Laplace noise must be below 1/2, got {failure}")
        return cls("laplace", epsilon, failure)

    @cached_property
    def shift(self) -> Real:
        """What is added to the level, in units of the scale."""
        if self.kind == "laplace":
            return Real.of(1 / (2 * self.failure)).log()
        return (Real.of(self.epsilon).expm1() / (2 * self.failure)).log1p()

    @cached_property
    def shift_float(self) -> float:
        """The shift in float64."""
        return float(self.shift)

    def law(self, scale: Fraction) -> Laplace | TruncatedLaplace:
        """The exact noise (without the shift) at scale s."""
        if self.kind == "laplace":
            return Laplace(scale)
        return TruncatedLaplace(scale, self.shift * scale)

    def upper(self, xi: Fraction) -> Real:
        """w with Pr[W ≤ w] ≥ 1 − ξ, in units of the scale."""
        if self.kind == "laplace":
            # For ξ > 1/2 the quantile is negative; 0 is a valid bound.
            return Real.of(max(Fraction(1), 1 / (2 * xi))).log()
        floor = (-self.shift).exp()
        return Real.maximum([Real.of(0), -(floor + 2 * xi * (1 - floor)).log()])

    @property
    def part(self) -> Part:
        """What the ε of this noise is made of."""
        # Cut noise is no Laplace mechanism, whose loss some accountants price by its exact distribution.
        return Part(Kind.LAPLACE if self.kind == "laplace" else Kind.PURE, self.epsilon)

    @property
    def support(self) -> float:
        """Half-width of the support in units of the scale; beyond it less than 1e-17 of the mass."""
        return 40.0 if self.kind == "laplace" else min(self.shift_float, 40.0)

    def cdf(self, w: FloatArray | float) -> FloatArray:
        """Pr[W ≤ w] in float64, relative error about 1e-15 in the lower tail."""
        x = np.asarray(w, dtype=np.float64)
        if self.kind == "laplace":
            return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(x, 0.0)))
        a = self.shift_float
        x = np.clip(x, -a, a)
        # e^x − e^{−a} = e^x (1 − e^{−(a + x)}) keeps its digits at both ends of the support.
        below = np.exp(np.minimum(x, 0.0)) * -np.expm1(-(a + np.minimum(x, 0.0))) / (2.0 * -math.expm1(-a))
        above = 0.5 + -np.expm1(-np.maximum(x, 0.0)) / (2.0 * -math.expm1(-a))
        return np.where(x < 0, below, above)

    def density(self, w: FloatArray) -> FloatArray:
        """The density in units of the scale, inside the support."""
        norm = 1.0 if self.kind == "laplace" else -math.expm1(-self.shift_float)
        return np.asarray(0.5 * np.exp(-np.abs(w)) / norm)
