"""Mode: the most frequent category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.scores import IntegerScores
from dpselect.problems.table.categories import Categories
from dpselect.problems.table.cells import CellQuery, Cells, read_cells
from dpselect.problems.table.policies import REFUSE, TableUnit, check_unit, rows_of, unit_assumptions
from dpselect.problems.units import AddOrRemove, ReplaceOne
from dpselect.profile import Profile

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True)
class Mode:
    """q(x, r) = number of records of the category r, for a public list of categories (count 0 included).

    Arguments:
        categories: the candidates: texts, integers or booleans.
        category: the name of the column; not needed where the data has one column only.
        unknown: "refuse", "drop" or "own category", for null and undeclared categories.
        other: the name of that one more candidate.
        person, counts, unit: as for `Quantile`.

    Sensitivity: one record moves one count by 1: GS = 1, and under add-or-remove all counts move in one direction:
    κ = 1, so `GlobalScale` weighs by exp(−ε · gap). The gap is the flip distance there, and halving it would waste
    half of ε: the default method is `GlobalScale`. Up to c rows a person: GS = c, still one direction. Replacing a
    record raises one count and lowers another: κ = 2.
    Flip distance (for `InverseSensitivity`, which never beats the global scale here): add-or-remove: ⌈gap/c⌉,
    because an addition to r or a removal at the top closes every gap by at most 1, and additions to r close all of
    them. Replace: min{t : Σ_{s≠r} (c_s − c_r − t)_+ ≤ t}: t replacements raise r by at most t, and each lowers one
    other category by 1; moving records of the categories above r to r does both at once.
    Cost: one aggregation of the data, then O(m log m). Source: theory section 8b.

    >>> import dpselect as ds
    >>> ds.select(ds.table.Mode(["a", "b", "c"]), ["a"] * 5 + ["b"] * 90, epsilon=1, seed=1).candidate
    'b'
    """

    categories: Sequence[Any]
    category: str | None = None
    unknown: str = field(default=REFUSE, kw_only=True)
    other: str = field(default="(other)", kw_only=True)
    person: str | None = field(default=None, kw_only=True)
    counts: str | None = field(default=None, kw_only=True)
    unit: TableUnit = field(default=AddOrRemove(), kw_only=True)

    name = "mode"
    default_method = "global-scale"

    def __post_init__(self) -> None:
        check_unit(self.unit, self.person, self.counts)
        _ = self.declared  # raises for what is out of range

    @cached_property
    def declared(self) -> Categories:
        """The categories, checked."""
        return Categories.of(self.categories, self.unknown, self.other, self.unit)

    @cached_property
    def query(self) -> CellQuery:
        """What is counted."""
        column = self.declared.column(self.category)
        return CellQuery(None, column, self.person, rows_of(self.unit), self.counts)

    def under(self, unit: Any) -> Mode:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def candidates(self) -> Sequence[Any]:
        """The declared categories, and `other` where it is one."""
        return self.declared.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is declared, in sentences."""
        return unit_assumptions(self.unit, self.person)

    @property
    def kappa(self) -> int:
        """1 under add-or-remove, 2 where a record is replaced."""
        return 2 if isinstance(self.unit, ReplaceOne) else 1

    @property
    def monotone(self) -> bool:
        """Under add-or-remove."""
        return self.kappa == 1

    @property
    def global_sensitivity(self) -> Fraction:
        """c."""
        return Fraction(rows_of(self.unit))

    @property
    def flip_distance_is_exact(self) -> bool:
        """For one row a person."""
        return rows_of(self.unit) == 1

    def read(self, x: Any) -> Cells:
        """The aggregate that everything below is computed from."""
        return read_cells(self.query, x)

    def scores(self, x: Any) -> IntegerScores:
        """The counts."""
        return IntegerScores(self.declared.counts(self.read(x)))

    def profile(self, x: Any) -> Profile:
        """A(t) = c."""
        return Profile.constant(self.global_sensitivity)

    def flip_distance(self, x: Any) -> Integers:
        """How many records away every category is from being the most frequent."""
        return self.flip_distance_among(x, np.arange(len(self.candidates)))

    def flip_distance_among(self, x: Any, kept: Integers) -> Integers:
        """The same among fewer categories."""
        counts = self.declared.counts(self.read(x))[kept]
        if isinstance(self.unit, ReplaceOne):
            return _flips_replacing(counts)
        return np.asarray(-(-(counts.max() - counts) // rows_of(self.unit)))


def _flips_replacing(counts: Integers) -> Integers:
    """min{t : Σ_s (c_s − c_r − t)_+ ≤ t} by bisection over sorted counts; r itself contributes 0."""
    ordered = np.sort(counts)
    above = np.concatenate([np.cumsum(ordered[::-1])[::-1], [0]])

    def excess(level: Integers) -> Integers:
        first = np.searchsorted(ordered, level, side="right")
        return np.asarray(above[first] - level * (len(ordered) - first))

    low, high = np.full(len(counts), -1, np.int64), counts.max() - counts
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        good = excess(counts + middle) <= middle
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return np.asarray(high)
