"""A public list of categories as candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.problems.table.cells import Cells
from dpselect.problems.table.columns import CategoryColumn, category_keys
from dpselect.problems.table.policies import CATEGORY_POLICIES, OWN, TableUnit, check_policy

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True)
class Categories:
    """The declared categories as candidates, and what happens to records of no declared category.

    Arguments: `names` as declared, with the name of the catch-all at the end if unknown="own category".
    """

    keys: tuple[str, ...]
    names: tuple[Any, ...]
    unknown: str

    @classmethod
    def of(cls, declared: Sequence[Any], unknown: str, other: str, unit: TableUnit) -> Categories:
        """Checked: raises `InvalidParameter`."""
        check_policy("unknown", unknown, CATEGORY_POLICIES, unit)
        keys = category_keys(declared)
        names = tuple(c.item() if isinstance(c, np.generic) else c for c in declared)
        if unknown == OWN:
            if other in names:
                raise InvalidParameter(f"other={other!r} is a declared category: choose another name")
            names = (*names, other)
        return cls(keys, names, unknown)

    def column(self, name: str | None) -> CategoryColumn:
        """The column that holds them."""
        return CategoryColumn(name, self.keys, self.unknown)

    def counts(self, cells: Cells) -> Integers:
        """How many records every candidate has."""
        counts = np.zeros(len(self.names), np.int64)
        np.add.at(counts, cells.positions, cells.counts)
        return counts
