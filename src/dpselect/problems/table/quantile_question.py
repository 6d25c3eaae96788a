"""What the two quantile problems share: which quantile, of which column, on which grid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

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
from dpselect.problems.units import AddOrRemove
from dpselect.profile import Profile

LARGEST_DENOMINATOR = 10**6
LARGEST_GRID = 2**24


@dataclass(frozen=True)
class QuantileQuestion(ABC):
    """A problem whose candidates are a public grid and whose data is one column, rounded to it.

    The arguments are those of `Quantile`. A problem of this kind says what a candidate off the quantile is worth.
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

    kappa = 2

    def __post_init__(self) -> None:
        _ = self.share, self.grid  # raise for what is out of range
        check_unit(self.unit, self.person, self.counts)
        check_policy("missing", self.missing, VALUE_POLICIES, self.unit)
        check_policy("outside", self.outside, VALUE_POLICIES, self.unit)

    # ---------------------------------------------------------------- public

    @cached_property
    def share(self) -> Fraction:
        """p, exactly; a float means its shortest decimal."""
        share = decimal(self.p, "p")
        if not 0 < share <= 1 or share.denominator > LARGEST_DENOMINATOR:
            raise InvalidParameter(
                f"p must be above 0 and at most 1, with a denominator of at most 10^6, got {self.p!r}"
            )
        return share

    @cached_property
    def grid(self) -> Grid:
        """The candidates; the values of the column are rounded to it."""
        grid = Grid.of(self.bounds, self.step)
        if grid.steps > LARGEST_GRID:
            raise InvalidParameter("step must leave at most 2^24 candidates between the bounds")
        return grid

    @cached_property
    def query(self) -> CellQuery:
        """What is counted."""
        value = ValueColumn(self.column, self.grid, self.missing, self.outside)
        return CellQuery(value, None, self.person, rows_of(self.unit), self.counts)

    def under(self, unit: Any) -> Self:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def candidates(self) -> Sequence[Any]:
        """The values of the grid."""
        return self.grid.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is declared, in sentences."""
        return unit_assumptions(self.unit, self.person)

    @property
    @abstractmethod
    def global_sensitivity(self) -> Fraction:
        """GS for the unit."""

    # ---------------------------------------------------------------- private

    def read(self, x: Any) -> Cells:
        """The aggregate that everything below is computed from."""
        return read_cells(self.query, x)

    @abstractmethod
    def scores(self, x: Any) -> IntegerScores:
        """q(x, ·)."""

    @abstractmethod
    def profile(self, x: Any) -> Profile:
        """The profile for the unit."""

    def _sorted(self, x: Any) -> Sorted:
        """The column, counted."""
        return Sorted.of(self.read(x), self.grid.steps)

    def _rank(self, column: Sorted) -> int:
        """k = ⌈p n⌉."""
        return -(-self.share.numerator * column.n // self.share.denominator)
