"""Quantile: the value of a public grid that is nearest to the quantile of a private column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.scores import IntegerScores
from dpselect.problems.table.cells import CellQuery, Cells, read_cells
from dpselect.problems.table.columns import ValueColumn
from dpselect.problems.table.grid import Grid, decimal
from dpselect.problems.table.order_statistics import Sorted
from dpselect.problems.table.policies import (
    CLIP,
    REFUSE,
    VALUE_POLICIES,
    TableUnit,
    check_policy,
    check_unit,
    rows_of,
    unit_assumptions,
)
from dpselect.problems.table.quantile_flips import flips_adding, flips_replacing
from dpselect.problems.units import AddOrRemove, ReplaceOne
from dpselect.profile import Profile
from dpselect.question import NEVER

LARGEST_DENOMINATOR = 10**6
LARGEST_GRID = 2**24


@final
@dataclass(frozen=True)
class QuantileColumn:
    """What the two quantile problems declare alike: which quantile, of which column, on which grid.

    Arguments:
        p: 0 < p ≤ 1, e.g. 0.5 for the median; a float means its shortest decimal.
        grid: the candidates; the values of the column are rounded to it.
    """

    p: Fraction
    grid: Grid
    query: CellQuery

    @classmethod
    def of(
        cls,
        p: object,
        bounds: object,
        step: object,
        column: str | None,
        missing: str,
        outside: str,
        person: str | None,
        counts: str | None,
        unit: TableUnit,
    ) -> QuantileColumn:
        """Checked: raises `InvalidParameter` for everything that is out of range."""
        share = decimal(p, "p")
        if not 0 < share <= 1 or share.denominator > LARGEST_DENOMINATOR:
            raise InvalidParameter(f"p must be above 0 and at most 1, with a denominator of at most 10^6, got {p!r}")
        grid = Grid.of(bounds, step)
        if grid.steps > LARGEST_GRID:
            raise InvalidParameter("step must leave at most 2^24 candidates between the bounds")
        check_unit(unit, person, counts)
        check_policy("missing", missing, VALUE_POLICIES, unit)
        check_policy("outside", outside, VALUE_POLICIES, unit)
        value = ValueColumn(column, grid, missing, outside)
        return cls(share, grid, CellQuery(value, None, person, rows_of(unit), counts))

    def sorted(self, x: Any) -> Sorted:
        """The column, counted."""
        return Sorted.of(read_cells(self.query, x), self.grid.steps)


@final
@dataclass(frozen=True)
class Quantile:
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

    p: Any
    bounds: Any
    step: Any = 1
    column: str | None = None
    missing: str = field(default=REFUSE, kw_only=True)
    outside: str = field(default=CLIP, kw_only=True)
    person: str | None = field(default=None, kw_only=True)
    counts: str | None = field(default=None, kw_only=True)
    unit: TableUnit = field(default=AddOrRemove(), kw_only=True)

    name = "quantile"
    kappa = 2

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

    def under(self, unit: Any) -> Quantile:
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
        """GS = hi − lo."""
        return self.declared.grid.high - self.declared.grid.low

    @property
    def flip_distance_is_exact(self) -> bool:
        """For one row a person."""
        return rows_of(self.unit) == 1

    def read(self, x: Any) -> Cells:
        """The aggregate that everything below is computed from."""
        return read_cells(self.query, x)

    def scores(self, x: Any) -> IntegerScores:
        """−|r − x_(k)|, in whole steps."""
        column = self.declared.sorted(x)
        steps = np.arange(self.declared.grid.steps + 1, dtype=np.int64)
        return IntegerScores(-np.abs(steps - column.at(np.array([self._rank(column)]))[0]), self.declared.grid.step)

    def profile(self, x: Any) -> Profile:
        """The profile of the order statistics, for up to c rows a person."""
        column = self.declared.sorted(x)
        one = column.profile(self._rank(column), self.declared.grid.step)
        return one if rows_of(self.unit) == 1 else one.groups(rows_of(self.unit)).capped(self.global_sensitivity)

    def flip_distance(self, x: Any) -> NDArray[np.int64]:
        """How many records away every candidate is from being the quantile."""
        column = self.declared.sorted(x)
        if isinstance(self.unit, ReplaceOne):
            return flips_replacing(column, self._rank(column))
        flips = flips_adding(column, self.declared.p)
        c = rows_of(self.unit)
        return np.where(flips == NEVER, NEVER, -(-flips // c))

    def _rank(self, column: Sorted) -> int:
        """k = ⌈p n⌉."""
        return -(-self.declared.p.numerator * column.n // self.declared.p.denominator)
