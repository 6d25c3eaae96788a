"""PrivateSmooth: select at a privatised smooth bound of the local sensitivity (theory section 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from dpselect.exact.bits import BitSource
from dpselect.exact.numbers import nonnegative, positive
from dpselect.exact.reals import Real
from dpselect.laws import sampler_named
from dpselect.methods.linear import AtScale
from dpselect.methods.method import Budget, Calibration, Method, kernel_calibration
from dpselect.methods.noise import UpperNoise
from dpselect.methods.options import Number, Releases, rounded_down, share
from dpselect.methods.quadrature import panels
from dpselect.methods.scale import Constant, FiniteScaleLaw, ScaleKernel, ScaleLaw, ScaleRule, Scales
from dpselect.methods.transform import nearby
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class PrivateSmooth(Method):
    """B = min(GS, S_β(x) · exp((β/ε_t)(W + shift))), then a selection at scale B.

    log S_β moves by at most β on an edge, so the noise is added to the logarithm.

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        split: ε_t / ε. Default 1/4.
        noise: "laplace" (shift log(1/(2η))), "truncated", or "auto" (the smaller shift, default).
        smoothness: β ≥ 0. Default: ε_t / (4 · shift), so that the shift costs a factor e^{1/4}.
        grid: log B is rounded up to a multiple of it. Default 1/64: B grows by at most 1.6 %, whatever its unit.
        releases: "scale and candidate" (default), or "candidate".

    Guarantee: (ε_t + ε_s, δ): the noise on log S_β is (ε_t, 0) and covers except with probability δ, or is
    (ε_t, δ) and always covers; composition as for `PrivateBound`. β = 0: S is constant on a component and costs
    nothing. S = 0: the scores are constant on the component, B = 0 and a maximiser is named.
    Publishable regret: with probability ≥ 1 − ρ the gap is at most (κ B / ε_s) K(m, ρ).
    b↑(ξ) = S_β · (1/(4 ξ η))^{β/ε_t} for Laplace noise (eq. 48), times e^grid.
    Errors: `UnsupportedProblem` without a finite global sensitivity; `InvalidParameter` for δ = 0.
    Cost: the profile, then one pass. Source: section 7.3.

    >>> PrivateSmooth(noise="laplace").name
    'private-smooth'
    """

    sampler: str = "permute-and-flip"
    split: Number = Fraction(1, 4)
    noise: str = "auto"
    smoothness: Number | None = None
    grid: Number = Fraction(1, 64)
    releases: Releases = "scale and candidate"

    name: ClassVar[str] = "private-smooth"
    theorem: ClassVar[str] = "theory 7: privatised smooth bound"

    def lacks(self, question: Question) -> str | None:
        return None if question.global_sensitivity is not None else "a finite global sensitivity"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        assert question.global_sensitivity is not None  # `lacks` was asked first
        beta = None if self.smoothness is None else nonnegative(self.smoothness, "smoothness")
        noise = None
        spent = share(self.split, "split") * budget.epsilon
        if beta != 0:
            noise = UpperNoise.choose(self.noise, spent, budget.require_delta(self.name))
            if beta is None:
                beta = rounded_down(float(spent) / (4 * noise.shift_float))
        kernel = LogKernel(noise, beta or Fraction(0), positive(self.grid, "grid"), question.global_sensitivity)
        return kernel_calibration(
            self,
            question,
            kernel,
            lambda each: AtScale(each, question.kappa),
            sampler_named(self.sampler),
            budget=budget,
            spent=[] if noise is None else [noise.part],
            failure=Fraction(0) if noise is None else budget.delta,
            releases=self.releases,
        )


@final
@dataclass(frozen=True)
class LogKernel(ScaleKernel):
    """B = min(cap, S_β · exp(s (W + shift))), s = β/ε_t, on a grid of log B; `noise` None for β = 0."""

    noise: UpperNoise | None
    smoothness: Fraction
    grid: Fraction
    cap: Fraction

    def law(self, evaluation: Evaluation) -> ScaleLaw:
        if evaluation.profile.is_zero:
            return _certain(Fraction(0))
        bound = evaluation.profile.smooth_bound(self.smoothness)
        if self.noise is None:
            return _certain(min(dyadic_above(bound), self.cap))
        return LogLaw(self, self.noise, bound)

    def finish(self, steps: int) -> Fraction:
        """From the number of steps on the grid of log B to B: a public map."""
        exponent = steps * self.grid
        # e^x ≥ 2^x: beyond the cap for certain, and possibly too large to be written out.
        if exponent > max(0, self.cap.numerator.bit_length() - self.cap.denominator.bit_length() + 1):
            return self.cap
        # A number too small to be written out is raised to e^{-500,000}.
        return min(dyadic_above(Real.of(max(exponent, Fraction(-500_000))).exp()), self.cap)

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        if evaluation.profile.is_zero:
            return (Fraction(0),)
        bound = evaluation.profile.smooth_bound(self.smoothness)
        if self.noise is None:
            return (min(dyadic_above(bound), self.cap),)
        scale = self.smoothness / self.noise.epsilon
        total = bound.log() + (self.noise.shift + self.noise.upper(xi)) * scale
        return (self.finish(math.ceil(total.upper() / self.grid)),)


def _certain(scale: Fraction) -> ScaleLaw:
    return FiniteScaleLaw(((scale,),), (1.0,), Constant((scale,)))


def dyadic_above(x: Real) -> Fraction:
    """A dyadic rational of 40 bits in [x, x (1 + 2^-38)], x > 0.

    >>> dyadic_above(Real.of(Fraction(1, 3))) - Fraction(1, 3) < Fraction(1, 2**38)
    True
    """
    above = nearby(x) * (1 + Fraction(1, 2**59))
    unit = Fraction(2) ** (above.numerator.bit_length() - above.denominator.bit_length() - 40)
    return -(-above // unit) * unit


@final
@dataclass(frozen=True, eq=False, repr=False)
class LogLaw(ScaleLaw):
    """The law of B at one dataset; S_β > 0."""

    kernel: LogKernel
    noise: UpperNoise
    bound: Real

    @property
    def _scale(self) -> Fraction:
        return self.kernel.smoothness / self.noise.epsilon

    def draw(self, source: BitSource) -> Scales | None:
        offset = self.bound.log() + self.noise.shift * self._scale
        return (self.kernel.finish(self.noise.law(self._scale).draw_ceiling(offset, self.kernel.grid, source)),)

    def _standard(self, b: float) -> float:
        """w with S exp(s (w + shift)) = b."""
        return float((Real.of(Fraction(b)).log() - self.bound.log()) / self._scale) - self.noise.shift_float

    def cdf(self, b: float) -> float:
        if b >= float(self.kernel.cap):
            return 1.0
        return 0.0 if b <= 0 else float(self.noise.cdf(self._standard(b)))

    @property
    def atoms(self) -> tuple[tuple[Fraction, float], ...]:
        """The cap."""
        mass = float(self.noise.cdf(-self._standard(float(self.kernel.cap))))
        return ((self.kernel.cap, mass),) if mass > 0 else ()

    @property
    def error(self) -> float:
        return 1e-14

    def rule(self, points: int) -> ScaleRule:
        support, scale = self.noise.support, float(self._scale)
        cap = self._standard(float(self.kernel.cap))
        # What lies 600 octaves below the cap is as good as 0 and makes one node. No panel is wider than a factor e.
        left, right = max(-support, cap - 600 * math.log(2) / scale), min(support, cap)
        w, measure = panels(left, right, [0.0], points, min(4.0, 1 / scale))
        exponents = np.append(w, left) * scale + float(self.bound.log() + self.noise.shift * self._scale)
        weights = np.append(measure * self.noise.density(w), self.noise.cdf(min(left, right)))
        atoms = self.atoms
        return ScaleRule(
            np.append(np.exp(exponents), [float(b) for b, _ in atoms]), np.append(weights, [p for _, p in atoms])
        )
