"""The one aggregation behind every table problem: how many records there are of each (category, value).

    records  →  (position, step, count),   position < public number of categories, step ≤ public number of steps

`CellQuery` is public and says what is counted; `count_cells` counts it on DuckDB; `Cells` is the private result.
Scores, profiles and certificates are functions of `Cells` alone, so another engine only has to count the same cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.exact.numbers import integer_array
from dpselect.problems.table.columns import REFUSED, CategoryColumn, ValueColumn, person_sql, weight_sql
from dpselect.problems.table.policies import CATEGORY_POLICIES, VALUE_POLICIES, refusal
from dpselect.problems.table.source import Source, opened

Integers = NDArray[np.int64]


_BROKEN: Final = {"missing": 1, "outside": 2, "unknown": 4}
_BAD_COUNT: Final = 8
_NOBODY: Final = 16
_WORDS: Final = {
    "missing": "a value is missing (null, NaN, or no number)",
    "outside": "a value lies outside the bounds",
    "unknown": "a category is null or not declared",
}


@final
@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Counts of records by category and value, sorted by (position, step), without empty cells. Private.

    Arguments: equally long int64 arrays; `affected` says how many records a policy has touched ("missing",
    "outside", "unknown"), for the curator.

    >>> Cells.of([0, 0, 1], [5, 2, 5], [1, 1, 3])
    Cells(<private>)
    """

    positions: Integers
    steps: Integers
    counts: Integers
    affected: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        positions: Sequence[int] | Integers,
        steps: Sequence[int] | Integers,
        counts: Sequence[int] | Integers,
        affected: dict[str, int] | None = None,
    ) -> Cells:
        """Sorted and merged. Raises `InvalidData` for counts that are negative or too large."""
        given = (positions, steps, counts)
        columns = [integer_array(np.asarray(c)) if len(c) else np.empty(0, np.int64) for c in given]
        if len({len(c) for c in columns}) != 1 or any(c.dtype == object for c in columns):
            raise InvalidData("cells must be equally long columns of integers below 2^62")
        where, step, count = columns
        if count.size and (count.min() < 0 or float(count.sum(dtype=np.float64)) >= 2.0**53):
            raise InvalidData("counts of records must be nonnegative, and fewer than 2^53 in all")
        order = np.lexsort((step, where))
        order = order[count[order] > 0]
        where, step, count = where[order], step[order], count[order]
        new = np.ones(where.size, dtype=bool)
        new[1:] = (where[1:] != where[:-1]) | (step[1:] != step[:-1])
        merged = np.add.reduceat(count, np.flatnonzero(new)) if where.size else count
        return cls(where[new], step[new], merged, affected or {})

    def __repr__(self) -> str:
        return "Cells(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("cells are private and cannot be pickled")

    @property
    def records(self) -> int:
        """n, the number of records that count. Private under add-or-remove."""
        return int(self.counts.sum())


@final
@dataclass(frozen=True)
class CellQuery:
    """What is counted, public.

    Arguments:
        value: the column of numbers; None: every step is 0.
        category: the column of categories; None: every position is 0.
        person: the column that says whose row it is; with it, `rows` rows of a person count.
        counts: a column of whole numbers ≥ 0: every row stands for so many records (a histogram).
    """

    value: ValueColumn | None
    category: CategoryColumn | None
    person: str | None = None
    rows: int = 1
    counts: str | None = None

    def check(self, cells: Cells) -> Cells:
        """Cells from elsewhere, after a look at their range."""
        steps = 0 if self.value is None else self.value.grid.steps
        size = 1 if self.category is None else self.category.size
        if cells.counts.size and not (
            cells.positions.min() >= 0
            and cells.positions.max() < size
            and cells.steps.min() >= 0
            and cells.steps.max() <= steps
        ):
            raise InvalidData("cells name a category or a value that is not declared")
        return cells


def read_cells(query: CellQuery, data: Any) -> Cells:
    """The cells of any data that `source` can open; `Cells` are taken as they are."""
    if isinstance(data, Cells):
        return query.check(data)
    with opened(data) as source:
        return count_cells(query, source)


def count_cells(query: CellQuery, source: Source) -> Cells:
    """The cells of an open source: one query, integers only.

    Which rows of a person count depends on that person's rows alone: they are ordered by the MD5 of person, category,
    step and a running number among equal rows, so neither the order in the file nor anybody else matters.
    """
    if query.category is not None:
        keys = list(query.category.keys)
        source.attach("declared", {"key": keys, "position": list(range(len(keys)))})
    out = source.arrays(cell_sql(query, source))
    where, step = out["position"].astype(np.int64), out["step"].astype(np.int64)
    broken, count = out["broken"].astype(np.int64), out["records"].astype(np.int64)
    _refuse(query, where, step, broken)
    affected = {name: int(count[broken & bit > 0].sum()) for name, bit in _BROKEN.items()}
    kept = (where >= 0) & (step >= 0)
    return query.check(Cells.of(where[kept], step[kept], count[kept], affected))


def _refuse(query: CellQuery, where: Integers, step: Integers, broken: Integers) -> None:
    """`InvalidData` that names the rule, never a value or a count."""
    if bool((broken & _BAD_COUNT > 0).any()):
        raise InvalidData(f"column {query.counts!r} must hold whole numbers of records, at least 0")
    if bool((broken & _NOBODY > 0).any()):
        raise InvalidData(f"column {query.person!r} must say for every row whose it is")
    refused = {"missing": step == REFUSED, "outside": step == REFUSED, "unknown": where == REFUSED}
    for name, code in refused.items():
        if bool((code & (broken & _BROKEN[name] > 0)).any()):
            policies = CATEGORY_POLICIES if name == "unknown" else VALUE_POLICIES
            raise InvalidData(refusal(_WORDS[name], name, policies))


def cell_sql(query: CellQuery, source: Source) -> str:
    """The aggregation as SQL over `records` and `declared`: (position, step, broken, records).

    `broken` adds up what is wrong with a record: 1 missing, 2 outside, 4 unknown, 8 no count, 16 nobody's row.
    """
    number, key, person, weight = "NULL", "NULL", "NULL", "CAST(1 AS BIGINT)"
    position, step, join = "0", "0", ""
    broken = ["0"]
    if query.value is not None:
        value = query.value.name or _only(source, "column")
        number = query.value.number(value, source.type_of(value, "column"))
        step = query.value.step("number")
        broken.append(query.value.broken("number"))
    if query.category is not None:
        category = query.category.name or _only(source, "category")
        key = query.category.key(category, source.type_of(category, "category"))
        position = f"COALESCE(declared.position, {query.category.elsewhere})"
        broken.append("CASE WHEN declared.position IS NULL THEN 4 ELSE 0 END")
        join = "LEFT JOIN declared ON picked.key = declared.key"
    if query.counts is not None:
        source.type_of(query.counts, "counts")
        weight = weight_sql(query.counts)
        broken.append(f"CASE WHEN weight IS NULL THEN {_BAD_COUNT} ELSE 0 END")
    if query.person is not None:
        person = person_sql(query.person, source.type_of(query.person, "person"))
        broken.append(f"CASE WHEN person IS NULL THEN {_NOBODY} ELSE 0 END")
    mapped = (
        f"SELECT CAST({position} AS BIGINT) AS position, {step} AS step, {' + '.join(broken)} AS broken, person, "
        f"COALESCE(weight, 1) AS weight FROM (SELECT {number} AS number, {key} AS key, {person} AS person, "
        f"{weight} AS weight FROM records) AS picked {join}"
    )
    if query.person is not None:
        mapped = _truncated(mapped, query.rows)
    return (
        f"SELECT position, step, broken, CAST(SUM(weight) AS BIGINT) AS records "
        f"FROM ({mapped}) AS mapped WHERE weight <> 0 GROUP BY position, step, broken"
    )


def _only(source: Source, role: str) -> str:
    """The column, where there is one only."""
    if len(source.types) != 1:
        raise InvalidParameter(f"{role} is missing: the data does not have exactly one column")
    return next(iter(source.types))


def _truncated(mapped: str, rows: int) -> str:
    """At most so many good rows of every person; rows with a code stay, to be refused or counted as dropped."""
    good = "position >= 0 AND step >= 0"
    numbered = (
        f"SELECT *, ({good}) AS good, ROW_NUMBER() OVER (PARTITION BY person, position, step, broken) AS twin "
        f"FROM ({mapped}) AS rows_in"
    )
    order = "MD5(CONCAT(person, ':', position, ':', step, ':', twin))"
    ranked = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY person, good ORDER BY {order}) AS place FROM ({numbered}) AS n"
    return f"SELECT * FROM ({ranked}) AS ranked WHERE place <= {rows} OR NOT good"
