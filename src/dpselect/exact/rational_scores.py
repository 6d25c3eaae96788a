"""Scores that are ratios of counts: q_r = a_r / b_r · unit, each with its own denominator.

A common denominator of thousands of counts would have millions of digits; here every gap is a ratio of two numbers
only, g_r = (A b_r − a_r B) / (B b_r) for the largest ratio A / B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import integer_array
from dpselect.exact.scores import LARGEST, Gaps, Scores


@final
@dataclass(frozen=True, eq=False, repr=False)
class RationalScores(Scores):
    """q_r = numerators_r / denominators_r · unit, denominators and unit > 0.

    Arguments: integers of any size, int64 or Python integers. Cost: O(m) operations on Python integers.

    >>> q = RationalScores(np.array([1, 2]), np.array([3, 5]), Fraction(1))
    >>> str(q.gaps().exact(0)), q.maximisers().tolist()
    ('1/15', [False, True])
    """

    numerators: NDArray[Any]
    denominators: NDArray[Any]
    unit: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.unit <= 0:
            raise InvalidParameter("the unit of scores must be above 0")
        if len(self.numerators) == 0 or len(self.numerators) != len(self.denominators):
            raise InvalidParameter("numerators and denominators must be equally many, at least one")
        object.__setattr__(self, "numerators", integer_array(self.numerators))
        object.__setattr__(self, "denominators", integer_array(self.denominators))
        if self.denominators.min() <= 0:
            raise InvalidParameter("denominators must be above 0")

    @property
    def size(self) -> int:
        return self.numerators.size

    def exact(self, i: int) -> Fraction:
        """q_i."""
        return Fraction(*self._pairs[i]) * self.unit

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.numerators.tolist(), self.denominators.tolist(), strict=True))

    @cached_property
    def _top(self) -> tuple[int, int]:
        best = self._pairs[0]
        for a, b in self._pairs:
            if a * best[1] > best[0] * b:
                best = a, b
        return best

    def without(self, indices: Sequence[int] | NDArray[np.int64]) -> RationalScores:
        left = np.delete(self.numerators, indices), np.delete(self.denominators, indices)
        return RationalScores(*left, self.unit)

    def gaps(self) -> Gaps:
        """One division of Python integers a proposal, which is correctly rounded: error 2^-53 g."""
        top, below = self._top
        p, q = self.unit.as_integer_ratio()
        over = [((top * b - a * below) * p, below * b * q) for a, b in self._pairs]
        proposal = np.array([_quotient(x, y) for x, y in over], dtype=np.float64)
        return Gaps(proposal, lambda i: Fraction(*over[i]))

    def maximisers(self) -> NDArray[np.bool_]:
        top, below = self._top
        return np.array([a * below == top * b for a, b in self._pairs])


def _quotient(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return LARGEST
