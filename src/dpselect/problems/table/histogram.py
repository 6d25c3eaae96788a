"""Histogram: a table described by shares, as a report or an older survey gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative
from dpselect.problems.description import Description, sizes


@final
@dataclass(frozen=True, eq=False)
class Histogram(Description):
    """n records, of which the share shares[i] / Σ shares are the row i of `rows`, rounded to whole records.

    Arguments:
        rows: a mapping from columns to values (lists of equal length), or one list of values for a single column.
        shares: one number ≥ 0 for every row, in any unit.
        records: n, or a range (smallest, largest): both ends and the size between them.

    Records are rounded by largest remainders (ties: the first), so that they add up to n. Cost: O(n).

    >>> [(what, data.tolist()) for what, data in Histogram(["a", "b"], [3, 1], records=4).described()]
    [('4 records of a histogram', ['a', 'a', 'a', 'b'])]
    """

    rows: Mapping[str, Sequence[Any]] | Sequence[Any]
    shares: Sequence[Any]
    records: int | tuple[int, int]

    def __post_init__(self) -> None:
        columns = list(self.rows.values()) if isinstance(self.rows, Mapping) else [self.rows]
        if not columns or any(len(column) != len(self.shares) for column in columns):
            raise InvalidParameter("rows and shares must be equally many, in every column")
        if not sum(nonnegative(share, "shares") for share in self.shares):
            raise InvalidParameter("shares must not all be 0")
        sizes(self.records, "records", least=1)

    def described(self) -> Sequence[tuple[str, Any]]:
        """One table for each size."""
        return [(f"{n:,} records of a histogram", self._table(n)) for n in sizes(self.records, "records", least=1)]

    def _table(self, n: int) -> Any:
        counts = self._counts(n)
        if isinstance(self.rows, Mapping):
            return {name: np.repeat(np.asarray(column), counts) for name, column in self.rows.items()}
        return np.repeat(np.asarray(self.rows), counts)

    def _counts(self, n: int) -> list[int]:
        shares = [nonnegative(share, "shares") for share in self.shares]
        total = sum(shares, Fraction(0))
        exact = [n * share / total for share in shares]
        counts = [int(e) for e in exact]
        order = sorted(range(len(exact)), key=lambda i: (counts[i] - exact[i], i))
        for i in order[: n - sum(counts)]:
            counts[i] += 1
        return counts
