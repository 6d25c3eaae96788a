"""The score of a category: its mean, drawn towards a public prior, with a public minimum support.

    σ(n, S) = (S + w μ_0) / (n + w)   for n ≥ h,   e_0   for n < h

in steps of the grid of values: 0 ≤ S ≤ K n, 0 ≤ μ_0, e_0 ≤ K. σ is nondecreasing in S, which is all that the flip
distance needs; h ≥ 1 where w = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final


@final
@dataclass(frozen=True)
class MeanScore:
    """The public constants of σ, in steps of the grid.

    Arguments: weight w ≥ 0, prior μ_0, support h, empty e_0, highest K ≥ 0.
    """

    weight: Fraction
    prior: Fraction
    support: int
    empty: Fraction
    highest: int

    @cached_property
    def scale(self) -> int:
        """D: the common denominator of w and w μ_0."""
        return math.lcm(self.weight.denominator, (self.weight * self.prior).denominator)

    @cached_property
    def added_weight(self) -> int:
        """D w."""
        return int(self.weight * self.scale)

    @cached_property
    def added_sum(self) -> int:
        """D w μ_0."""
        return int(self.weight * self.prior * self.scale)

    def __call__(self, n: int, total: int) -> Fraction:
        """σ(n, S)."""
        if n < self.support:
            return self.empty
        return Fraction(self.scale * total + self.added_sum, self.scale * n + self.added_weight)

    # ---------------------------------------------------------------- how far one record moves it

    def addition(self, n: int) -> Fraction:
        """max |σ(n + 1, S + y) − σ(n, S)| for n ≥ h: K (n + w M)/((n + w)(n + 1 + w)), M = max(μ_0, K − μ_0)/K.

        The change is |y − σ(n, S)|/(n + 1 + w) with σ between w μ_0/(n + w) and (K n + w μ_0)/(n + w). It does not
        increase with n: with u = n + w and a = w (1 − M) ≤ u/2, (u − a)/(u (u + 1)) falls from u to u + 1 iff u ≥ 2a.
        """
        return Fraction(*self.addition_ratio(n))

    def addition_ratio(self, n: int) -> tuple[int, int]:
        """The same as numerator and denominator, not reduced: both sides times D²."""
        records = self.scale * n
        total = records + self.added_weight
        far = max(self.added_sum, self.highest * self.added_weight - self.added_sum)
        return self.scale * (self.highest * records + far), total * (total + self.scale)

    def replacement(self, n: int) -> Fraction:
        """max |σ(n, S') − σ(n, S)| when one of n ≥ max(h, 1) values is replaced: K/(n + w)."""
        return self.highest / (n + self.weight)

    @cached_property
    def crossing(self) -> Fraction:
        """max |σ(h, S) − e_0|: the jump where a category reaches its support, 0 without one."""
        if self.support == 0:
            return Fraction(0)
        low, high = self(self.support, 0), self(self.support, self.highest * self.support)
        return max(self.empty - low, high - self.empty)

    @cached_property
    def worst_addition(self) -> Fraction:
        """GS under add-or-remove, one row."""
        return max(self.crossing, self.addition(self.support))

    @cached_property
    def worst_replacement(self) -> Fraction:
        """GS of one score where a record is replaced."""
        return max(self.crossing, self.addition(self.support), self.replacement(max(self.support, 1)))
