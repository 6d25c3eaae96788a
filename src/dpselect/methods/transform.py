"""From gaps to exponents: z = f(g) for a concave nondecreasing f with f(0) = 0, or a linear one with a real slope."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.exponents import COARSEST_ERROR, FINEST_ERROR, Exponents
from dpselect.exact.reals import Real
from dpselect.exact.scores import Gaps

FloatArray = NDArray[np.float64]
Exact = Fraction | Real

_LARGE = 2.0**1000
"""Proposals of candidates that are not excluded stay finite."""


def nearby(x: Exact) -> Fraction:
    """A rational within 2^-60 relative of x > 0.

    >>> nearby(Real.of(2).sqrt()) ** 2 - 2 < Fraction(1, 2**58)
    True
    """
    if isinstance(x, Fraction):
        return x
    if x.rational is not None:
        return x.rational
    bits = 80
    while True:
        lo, hi = x.enclosure(bits)
        if lo > 0 and (hi - lo) * 2**60 <= lo:
            return lo
        bits *= 2


def linear_exponents(gaps: Gaps, rate: Exact) -> Exponents:
    """z_r = rate · g_r for a rate > 0 that may be real.

    Proof of the proposals' error: those of a rational within 2^-60 relative of the rate have error below 2^-49 z
    (`Gaps.times`), so these stay below 2^-48 z, far inside the contract of `Exponents`.
    """
    known = rate if isinstance(rate, Fraction) else rate.rational
    if known is not None:
        return gaps.times(known)
    proposed = gaps.times(nearby(rate))
    return Exponents(proposed.proposal, lambda i: times(gaps.exact(i), rate), proposed.error)


def times(gap: Exact, rate: Exact) -> Exact:
    """gap · rate; a gap of 0 stays the rational 0."""
    if isinstance(gap, Fraction) and (gap == 0 or isinstance(rate, Fraction)):
        return gap * (rate if isinstance(rate, Fraction) else 0)
    return Real.of(gap) * rate


def concave_exponents(
    gaps: Gaps, proposal: FloatArray, exact: Callable[[Exact], Exact | None], steepest: float
) -> Exponents:
    """z_r = f(g_r), f concave and nondecreasing, f(0) = 0.

    Arguments:
        proposal: f in float64 at `gaps.proposal`, within 2^-45 max(1, z) there; inf for excluded candidates.
        exact: f itself; None for an excluded candidate.
        steepest: f'(0+) ≥ every slope of f: what an absolute error of a gap is multiplied with.
    """

    def of_candidate(i: int) -> Exact | None:
        return exact(gaps.exact(i))

    added = steepest * float(gaps.error) if gaps.error else 0.0
    if not added:
        return Exponents(proposal, of_candidate)
    if added > COARSEST_ERROR / 2:
        # The approximations are too coarse for this slope: make every proposal from the exact gap.
        return Exponents(np.array([_float(of_candidate(i)) for i in range(gaps.size)]), of_candidate)
    return Exponents(proposal, of_candidate, 2.0 ** math.ceil(math.log2(added * (1 + 2.0**-20) + FINEST_ERROR)))


def _float(z: Exact | None) -> float:
    if z is None:
        return math.inf
    if isinstance(z, Real):
        z = max(z.enclosure(64)[1], Fraction(0))
    return float(z) if z < _LARGE else _LARGE
