"""Records with a label and many columns: read column by column, as integers and numbers, never row by row.

    records  →  (position of the label, weight, value of one column) for every record that counts, one column at a time

`LabelledQuery` is public and says what is read. What a record means depends on that record alone: its label and its
values, and of a person's rows on that person's rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData
from dpselect.problems.table.columns import class_sql, number_sql, person_sql, weight_sql
from dpselect.problems.table.policies import DROP, REFUSE, refusal
from dpselect.problems.table.source import Source, opened

Codes = NDArray[np.int8]
Weights = NDArray[np.int64]

_FLAGS: Final = ("unknown", "missing", "uncounted", "nobody")
_AT_ONCE: Final = 8
"""Columns held in memory at a time."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One column next to the labels. Private.

    `position` in the query; `labels` int8; `weights` records per row (None: 1 each); `values` int8 positions among the
    classes, or float64.
    """

    position: int
    labels: Codes
    weights: Weights | None
    values: NDArray[Any]

    def __repr__(self) -> str:
        return "Column(<private>)"


@final
@dataclass(frozen=True)
class LabelledQuery:
    """What is read, public.

    Arguments:
        label, keys: the column of labels and the declared classes as texts.
        columns: the other columns, all of one `kind`: "classes" (of the same declared list) or "numbers".
        unknown: "refuse" or "drop" a record with a label or a class that is null or not declared.
        missing: "refuse" or "drop" a record with a number that is null or NaN.
        person, rows, counts: as in `CellQuery`.
    """

    label: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    kind: Literal["classes", "numbers"]
    unknown: str = REFUSE
    missing: str = REFUSE
    person: str | None = None
    rows: int = 1
    counts: str | None = None


def read_columns(query: LabelledQuery, data: Any) -> Iterator[Column]:
    """Every column of any data that `source` can open, in order, over the records that count.

    Raises `InvalidData` where "refuse" applies: it names the rule, never a value or a count.
    """
    with opened(data) as source:
        table = _prepared(query, source)
        try:
            yield from _columns(query, source, table)
        finally:
            if query.person is not None:
                source.drop(table)


def _columns(query: LabelledQuery, source: Source, table: str) -> Iterator[Column]:
    for start in range(0, len(query.columns), _AT_ONCE):
        positions = range(start, min(start + _AT_ONCE, len(query.columns)))
        names = ", ".join(f"c{j}" for j in positions)
        arrays = source.arrays(f"SELECT label, weight, {names} FROM {table} WHERE broken = 0 AND weight > 0")
        labels = _plain(arrays["label"]).astype(np.int8, copy=False)
        weights = _plain(arrays["weight"]).astype(np.int64) if query.counts is not None else None
        for j in positions:
            yield Column(j, labels, weights, _plain(arrays[f"c{j}"]))


def _prepared(query: LabelledQuery, source: Source) -> str:
    """A table with label, weight, broken and the columns c0, c1, …, after "refuse" had its say."""
    mapped = _mapped(query, source)
    table = f"({mapped}) AS mapped"
    if query.person is not None:
        source.keep("kept", _truncated(mapped, query))
        table = "kept"
    flags = ", ".join(f"COALESCE(MAX({name}), 0) AS {name}" for name in _FLAGS)
    found = source.arrays(f"SELECT {flags} FROM {table} WHERE weight IS NULL OR weight <> 0")
    broken = {name for name in _FLAGS if int(_plain(found[name])[0])}
    if "uncounted" in broken:
        raise InvalidData(f"column {query.counts!r} must hold whole numbers of records, at least 0")
    if "nobody" in broken:
        raise InvalidData(f"column {query.person!r} must say for every row whose it is")
    if "unknown" in broken and query.unknown == REFUSE:
        raise InvalidData(refusal("a label or a class is null or not declared", "unknown", (REFUSE, DROP)))
    if "missing" in broken and query.missing == REFUSE:
        raise InvalidData(refusal("a number is missing (null, NaN, or no number)", "missing", (REFUSE, DROP)))
    return table


def _mapped(query: LabelledQuery, source: Source) -> str:
    """Every record with its flags; `broken` counts those that are set."""
    label = class_sql(query.label, source.type_of(query.label, "label"), query.keys)
    types = [(name, source.type_of(name, "column")) for name in query.columns]
    if query.kind == "classes":
        values = [class_sql(name, kind, query.keys) for name, kind in types]
        unknown, missing = " OR ".join(["label IS NULL", *(f"c{j} IS NULL" for j in range(len(values)))]), "1 = 0"
    else:
        values = [number_sql(name, kind) for name, kind in types]
        unknown, missing = "label IS NULL", " OR ".join(f"c{j} IS NULL OR ISNAN(c{j})" for j in range(len(values)))
    person, nobody, weight, uncounted = "NULL", "1 = 0", "CAST(1 AS BIGINT)", "1 = 0"
    if query.person is not None:
        person, nobody = person_sql(query.person, source.type_of(query.person, "person")), "person IS NULL"
    if query.counts is not None:
        source.type_of(query.counts, "counts")
        weight, uncounted = weight_sql(query.counts), "weight IS NULL"
    wrong = dict(zip(_FLAGS, (unknown, missing, uncounted, nobody), strict=True))
    flags = ", ".join(f"CASE WHEN {test} THEN 1 ELSE 0 END AS {name}" for name, test in wrong.items())
    columns = ", ".join(f"{value} AS c{j}" for j, value in enumerate(values))
    picked = f"SELECT {label} AS label, {person} AS person, {weight} AS weight, {columns} FROM records"
    flagged = f"SELECT *, {flags} FROM ({picked}) AS picked"
    return f"SELECT *, {' + '.join(_FLAGS)} AS broken FROM ({flagged}) AS flagged"


def _truncated(mapped: str, query: LabelledQuery) -> str:
    """At most so many good rows of every person, chosen as in `cells`; broken rows stay, to be refused or dropped."""
    names = ["label", *(f"c{j}" for j in range(len(query.columns)))]
    content, text = ", ".join(names), ", ':', ".join(["person", *names, "twin"])
    numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY person, {content}, broken) AS twin FROM ({mapped}) AS r"
    order = f"MD5(CONCAT({text}))"
    place = f"ROW_NUMBER() OVER (PARTITION BY person, broken = 0 ORDER BY {order}) AS place"
    ranked = f"SELECT *, {place} FROM ({numbered}) AS n"
    return f"SELECT * FROM ({ranked}) AS ranked WHERE place <= {query.rows} OR broken <> 0"


def _plain(array: Any) -> NDArray[Any]:
    """An array without a mask: nothing that is kept is null."""
    return np.asarray(array.data if isinstance(array, np.ma.MaskedArray) else array)
