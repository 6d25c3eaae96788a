"""GeneralizedExponential: candidates with sensitivities of their own (pure ε, theory section 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import UnsupportedProblem
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import nonnegative, probability
from dpselect.exact.reals import Real
from dpselect.exact.scores import Gaps
from dpselect.laws import sampler_named
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.options import Number
from dpselect.methods.scale import Scales
from dpselect.methods.within import largest_gap_within
from dpselect.question import Evaluation, Question

Integers = NDArray[Any]
"""Python integers, in an object array: cross products exceed 64 bits."""


@final
@dataclass(frozen=True)
class GeneralizedExponential(Method):
    """s(r) = min_{r'} [(q_r − τΔ_r) − (q_{r'} − τΔ_{r'})] / (Δ_r + Δ_{r'});  P(r) ∝ exp(ε s / 2).

    Δ_r ≥ 0 are public per-candidate sensitivities. The term r' = r is 0; between two candidates of zero sensitivity
    it is 0 if tied, −∞ if r is lower, and dropped if r is higher.

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        tau: τ ≥ 0. Default (2/ε) K(m, ρ), rounded up to a multiple of 2^-20.
        rho: ρ of the default τ, 0.05.

    Guarantee: ε-differential privacy for *every* public τ ≥ 0. τΔ_r is a public constant, so a numerator moves by at
    most Δ_r + Δ_{r'} on an edge and s, a minimum of such terms, by at most 1; two candidates of zero sensitivity keep
    their order on a component. So rounding the real number (2/ε) K costs nothing. (This step is never monotone.)
    Utility: with probability ≥ 1 − ρ, s(R) ≥ −τ, hence q_R ≥ max_r (q_r − 2τΔ_r): a private number, the curator's.
    A candidate with the largest q − τΔ has s = 0; it need not be a maximiser of q.
    Errors: `UnsupportedProblem` for problems without per-candidate sensitivities, or with computed real scores.
    Cost: O(m log m) integer operations: s(r) is a tangent from (−Δ_r, q_r − τΔ_r) to the upper hull of the points
    (Δ_{r'}, q_{r'} − τΔ_{r'}). Source: Raskhodnikova & Smith 2016.

    >>> GeneralizedExponential(sampler="gibbs").name
    'generalized-exponential'
    """

    sampler: str = "permute-and-flip"
    tau: Number | None = None
    rho: Number = Fraction(1, 20)

    name: ClassVar[str] = "generalized-exponential"
    theorem: ClassVar[str] = "theory 1: generalized exponential mechanism"

    def lacks(self, question: Question) -> str | None:
        return None if question.sensitivities is not None else "public sensitivities per candidate"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        assert question.sensitivities is not None  # `lacks` was asked first
        sampler = sampler_named(self.sampler)
        each = budget.epsilon / budget.peels
        rho = probability(self.rho, "rho")
        if self.tau is None:
            steps = 2 / each * sampler.tail(question.size, rho).upper()
            tau = Fraction(-(-steps * 2**20 // 1), 2**20)
        else:
            tau = nonnegative(self.tau, "tau")
        return pure_calibration(self, question, budget, sampler, ByNormalisedScore(each, question.sensitivities, tau))


@final
@dataclass(frozen=True)
class ByNormalisedScore(Selection):
    """z_r = −ε s(r) / 2."""

    epsilon: Fraction
    sensitivities: tuple[Fraction, ...]
    tau: Fraction

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        own = self.sensitivities
        if evaluation.kept is not None:
            own = tuple(own[i] for i in evaluation.kept)
        gaps = exact_gaps(evaluation.scores.gaps())
        shifted, fine = over_common_denominator([-(g + self.tau * d) for g, d in zip(gaps, own, strict=True)])
        widths, coarse = over_common_denominator(own)
        rise, run = steepest_tangents(widths, shifted)
        rate = self.epsilon / 2 * Fraction(coarse, fine)
        return Exponents(
            np.array([_float(rate, n, d) for n, d in zip(rise, run, strict=True)]),
            lambda i: None if run[i] == 0 else rate * Fraction(int(rise[i]), int(run[i])),
        )

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """The largest gap among the candidates with −s ≤ 2 z / ε."""
        return largest_gap_within(evaluation.scores.gaps(), self.exponents(evaluation, scales), nats)


def exact_gaps(gaps: Gaps) -> list[Fraction]:
    """All gaps as rationals."""
    if gaps.integers is not None and gaps.unit is not None:
        return [int(g) * gaps.unit for g in gaps.integers]
    if gaps.error:
        raise UnsupportedProblem("the generalized exponential mechanism needs rational scores")
    found = [gaps.exact(i) for i in range(gaps.size)]
    return [g for g in found if not isinstance(g, Real)]


def over_common_denominator(values: Sequence[Fraction]) -> tuple[Integers, int]:
    """Integers n and one denominator d with values = n / d."""
    denominator = math.lcm(*{v.denominator for v in values})
    numerators = np.empty(len(values), dtype=object)
    numerators[:] = [v.numerator * (denominator // v.denominator) for v in values]
    return numerators, denominator


def steepest_tangents(widths: Integers, values: Integers) -> tuple[Integers, Integers]:
    """max over r' of (v_{r'} − v_r)/(Δ_{r'} + Δ_r), as (rise, run) for every r; run 0 for an excluded candidate.

    It is the steepest line from (−Δ_r, v_r) to a point (Δ_{r'}, v_{r'}), which lies on its right. The steepest one
    touches the upper hull of these points; along the hull the slope from outside rises and then falls, so the
    vertex is found by bisection, for all r at once. Exact integers throughout.

    Arguments: widths Δ ≥ 0 and values v, Python integers in object arrays. Cost: O(m log m).
    """
    best: dict[int, int] = {}
    for width, value in zip(widths.tolist(), values.tolist(), strict=True):
        if width not in best or value > best[width]:
            best[width] = value
    points = sorted(best.items())
    hull = upper_hull(points)
    x = np.array([p[0] for p in hull], dtype=object)
    y = np.array([p[1] for p in hull], dtype=object)
    low, high = np.zeros(len(widths), dtype=np.int64), np.full(len(widths), len(hull) - 1)
    while np.any(low < high):
        middle = (low + high) // 2
        after = np.minimum(middle + 1, len(hull) - 1)
        # Is the hull's next edge steeper than the line to its left end?
        rising = (y[after] - y[middle]) * (x[middle] + widths) > (y[middle] - values) * (x[after] - x[middle])
        active = low < high
        low = np.where(active & rising, middle + 1, low)
        high = np.where(active & ~rising.astype(bool), middle, high)
    rise, run = y[low] - values, x[low] + widths
    if 0 in best:
        # No line leads from (0, v_r) to (0, v_r'): there, the order of the two decides.
        zero = np.flatnonzero(widths == 0)
        slopes = [Fraction(0), *(Fraction(value - best[0], width) for width, value in points[1:])]
        steepest = max(slopes)
        for r in zero.tolist():
            tied = values[r] == best[0]
            rise[r], run[r] = (steepest.numerator, steepest.denominator) if tied else (1, 0)
    return rise, run


def upper_hull(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The upper convex hull of points sorted by their distinct abscissae.

    >>> upper_hull([(0, 0), (1, 0), (2, 3), (4, 1)])
    [(0, 0), (2, 3), (4, 1)]
    """
    hull: list[tuple[int, int]] = []
    for x, y in points:
        while len(hull) >= 2:
            (a, b), (c, d) = hull[-2:]
            if (d - b) * (x - c) > (y - d) * (c - a):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _float(rate: Fraction, rise: int, run: int) -> float:
    """rate · rise / run, correctly rounded and saturated; inf for run 0."""
    if run == 0:
        return math.inf
    try:
        return min((rate.numerator * rise) / (rate.denominator * run), 2.0**1000)
    except OverflowError:
        return 2.0**1000
