"""Quantile: the value of a public grid that is nearest to the quantile of a private column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.scores import IntegerScores
from dpselect.problems.table.policies import rows_of
from dpselect.problems.table.quantile_flips import flips_adding, flips_replacing
from dpselect.problems.table.quantile_question import QuantileQuestion
from dpselect.problems.units import ReplaceOne
from dpselect.profile import Profile
from dpselect.question import NEVER


@final
@dataclass(frozen=True)
class Quantile(QuantileQuestion):
    """q(x, r) = −|r − x_(k)|, k = ⌈p n⌉, over a public grid of candidates r; x_(k) = the lower bound where n = 0.

    Arguments:
        p: which quantile, 0 < p ≤ 1.
        bounds, step: the candidates lo, lo + step, …, hi. Values are rounded to the grid, one record at a time.
        column: its name; not needed where the data has one column only.
        missing: "refuse", "drop" or "clip" (to the lower bound), for null and NaN.
        outside: "clip" (default), "refuse" or "drop", for values beyond the bounds and infinities.
        person: the column that says whose row it is: at most `unit.rows_per_person` rows of a person count.
        counts: a column of whole numbers: the data is a histogram, every row stands for so many records.
        unit: `AddOrRemove()` (n is private) or `ReplaceOne()` (n is public).

    Sensitivity: GS = hi − lo, κ = 2 (candidates on both sides of the quantile move against each other); the profile
    follows the order statistics (`Sorted.profile`, with proof), grouped for several rows a person.
    Flip distance (default method): exact for one row a person (`quantile_flips`, with proofs); ⌈φ/c⌉ for up to c
    rows, which is 1-Lipschitz because φ changes by at most c, and 0 exactly where φ is.
    Errors: `InvalidParameter` for declarations, before data is read; `InvalidData` where "refuse" applies.
    Cost: one aggregation of the data, then O(candidates). Source: theory section 8b.

    >>> import dpselect as ds
    >>> median = ds.table.Quantile(0.5, bounds=(0, 10), step=1)
    >>> ds.select(median, [3, 4, 4, 5, 9] * 20, epsilon=2, seed=1).candidate
    4
    """

    name = "quantile"

    @property
    def global_sensitivity(self) -> Fraction:
        """GS = hi − lo."""
        return self.grid.high - self.grid.low

    @property
    def flip_distance_is_exact(self) -> bool:
        """For one row a person."""
        return rows_of(self.unit) == 1

    def scores(self, x: Any) -> IntegerScores:
        """−|r − x_(k)|, in whole steps."""
        column = self._sorted(x)
        steps = np.arange(self.grid.steps + 1, dtype=np.int64)
        return IntegerScores(-np.abs(steps - column.at(np.array([self._rank(column)]))[0]), self.grid.step)

    def profile(self, x: Any) -> Profile:
        """The profile of the order statistics, for up to c rows a person."""
        column = self._sorted(x)
        one = column.profile(self._rank(column), self.grid.step)
        return one if rows_of(self.unit) == 1 else one.groups(rows_of(self.unit)).capped(self.global_sensitivity)

    def flip_distance(self, x: Any) -> NDArray[np.int64]:
        """How many records away every candidate is from being the quantile."""
        column = self._sorted(x)
        if isinstance(self.unit, ReplaceOne):
            return flips_replacing(column, self._rank(column))
        flips = flips_adding(column, self.share)
        c = rows_of(self.unit)
        return np.where(flips == NEVER, NEVER, -(-flips // c))
