"""QuantileByRank: the classical private quantile, by the number of records between a candidate and the quantile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np

from dpselect.exact.scores import IntegerScores
from dpselect.problems.table.cells import CellQuery, Cells, read_cells
from dpselect.problems.table.policies import CLIP, REFUSE, TableUnit, rows_of, unit_assumptions
from dpselect.problems.table.quantile import QuantileColumn
from dpselect.problems.units import AddOrRemove, ReplaceOne
from dpselect.profile import Profile


@final
@dataclass(frozen=True)
class QuantileByRank:
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

    p: Any
    bounds: Any
    step: Any = 1
    column: str | None = None
    missing: str = field(default=REFUSE, kw_only=True)
    outside: str = field(default=CLIP, kw_only=True)
    person: str | None = field(default=None, kw_only=True)
    counts: str | None = field(default=None, kw_only=True)
    unit: TableUnit = field(default=AddOrRemove(), kw_only=True)

    name = "quantile by rank"
    kappa = 2
    default_method = "global-scale"

    def __post_init__(self) -> None:
        _ = self.declared  # raises for what is out of range

    @cached_property
    def declared(self) -> QuantileColumn:
        """The declarations, checked."""
        return QuantileColumn.of(
            self.p, self.bounds, self.step, self.column, self.missing, self.outside, self.person, self.counts, self.unit
        )

    @property
    def query(self) -> CellQuery:
        """What is counted."""
        return self.declared.query

    def under(self, unit: Any) -> QuantileByRank:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def candidates(self) -> Sequence[Any]:
        """The values of the grid."""
        return self.declared.grid.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is declared, in sentences."""
        return unit_assumptions(self.unit, self.person)

    @property
    def global_sensitivity(self) -> Fraction:
        """1, or c · max(p, 1 − p)."""
        p = self.declared.p
        return Fraction(1) if isinstance(self.unit, ReplaceOne) else rows_of(self.unit) * max(p, 1 - p)

    def read(self, x: Any) -> Cells:
        """The aggregate that everything below is computed from."""
        return read_cells(self.query, x)

    def scores(self, x: Any) -> IntegerScores:
        """Ranks off, negated, in units of 1/denominator(p)."""
        column, p = self.declared.sorted(x), self.declared.p
        part, whole = p.numerator, p.denominator
        if isinstance(self.unit, ReplaceOne):
            k = -(-part * column.n // whole)
            return IntegerScores(-np.maximum(0, np.maximum(k - column.upto, column.below + 1 - k)), Fraction(1))
        target = part * column.n
        off = np.maximum(0, np.maximum(target - whole * column.upto, whole * column.below - target))
        return IntegerScores(-off, Fraction(1, whole))

    def profile(self, x: Any) -> Profile:
        """A(t) = GS."""
        return Profile.constant(self.global_sensitivity)
