"""QuantileByRank: the classical private quantile, by the number of records between a candidate and the quantile."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from dpselect.exact.scores import IntegerScores
from dpselect.problems.table.policies import rows_of
from dpselect.problems.table.quantile_question import QuantileQuestion
from dpselect.problems.units import ReplaceOne
from dpselect.profile import Profile


@final
@dataclass(frozen=True)
class QuantileByRank(QuantileQuestion):
    """q(x, r) = −max(0, p n − b, a − p n) under add-or-remove, −max(0, k − b, a + 1 − k) where n is public.

    a = #{x < r}, b = #{x ≤ r}, k = ⌈p n⌉: how many ranks the candidate is off. Arguments as for `Quantile`.

    Sensitivity: one more record at v moves p n − b by p (v > r) or p − 1 (v ≤ r), and a − p n by −p or 1 − p; a
    maximum moves no further: GS = max(p, 1 − p). A replaced record moves a and b by at most 1 each: GS = 1. κ = 2,
    because candidates on both sides of the quantile move against each other. Up to c rows a person: c · GS.
    The score has the same worst case everywhere, so the default method is `GlobalScale`, the baseline to compare
    with; for one row a person its law is nearly that of `Quantile` with its flip distance.
    Cost: one aggregation of the data, then O(candidates). Source: theory section 8 (baseline).

    >>> import dpselect as ds
    >>> median = ds.table.QuantileByRank(0.5, bounds=(0, 10), step=1)
    >>> ds.select(median, [3, 4, 4, 5, 9] * 20, epsilon=2, seed=1).candidate
    4
    """

    name = "quantile by rank"
    default_method = "global-scale"

    @property
    def global_sensitivity(self) -> Fraction:
        """1, or c · max(p, 1 − p)."""
        p = self.share
        return Fraction(1) if isinstance(self.unit, ReplaceOne) else rows_of(self.unit) * max(p, 1 - p)

    def scores(self, x: Any) -> IntegerScores:
        """Ranks off, negated, in units of 1/denominator(p)."""
        column = self._sorted(x)
        if isinstance(self.unit, ReplaceOne):
            k = self._rank(column)
            return IntegerScores(-np.maximum(0, np.maximum(k - column.upto, column.below + 1 - k)), Fraction(1))
        part, whole = self.share.numerator, self.share.denominator
        target = part * column.n
        off = np.maximum(0, np.maximum(target - whole * column.upto, whole * column.below - target))
        return IntegerScores(-off, Fraction(1, whole))

    def profile(self, x: Any) -> Profile:
        """A(t) = GS."""
        return Profile.constant(self.global_sensitivity)
