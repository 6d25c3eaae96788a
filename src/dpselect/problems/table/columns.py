"""Columns by their role: a public declaration, and the expression that maps one record to integers.

A value becomes a step of its grid, a category its position among the declared ones, a person a text. Two negative
codes stand for "refuse the data set" and "drop the record"; the same policies hold on every engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.problems.table.grid import Grid
from dpselect.problems.table.policies import CLIP, DROP, OWN, REFUSE

REFUSED: Final = -1
DROPPED: Final = -2

_SIZES: Final = ("TINY", "SMALL", "", "BIG", "HUGE")
_INTEGERS: Final = [f"{sign}{size}INT" for sign in ("", "U") for size in _SIZES]
_NUMBERS: Final = frozenset([*_INTEGERS, "INTEGER", "UINTEGER", "FLOAT", "DOUBLE", "BOOLEAN"])
_NESTED: Final = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "LIST", "ARRAY")


def quoted(name: str) -> str:
    """A column name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _double(x: Fraction) -> str:
    # A bare 0.1 would be a DECIMAL in some engines.
    return f"CAST('{float(x)!r}' AS DOUBLE)"


def _code(policy: str) -> int:
    return DROPPED if policy == DROP else REFUSED


@final
@dataclass(frozen=True)
class ValueColumn:
    """A number, rounded to a public grid.

    Arguments: `name` is None for the only column there is; `missing` is the policy for null and NaN (and for text that
    is no number), `outside` for values beyond the bounds and infinities. The column may hold integers, decimals,
    floats, booleans (0 and 1) or text.
    """

    name: str | None
    grid: Grid
    missing: str
    outside: str

    def number(self, name: str, kind: str) -> str:
        """The value as DOUBLE, null where there is none. Raises `InvalidParameter` for columns that hold no numbers."""
        return number_sql(name, kind)

    def step(self, x: str) -> str:
        """The step of the grid, or a code. NaN is asked for first: engines disagree on how it compares."""
        grid = self.grid
        low, high = ("0", str(grid.steps)) if self.outside == CLIP else (str(_code(self.outside)),) * 2
        missing = "0" if self.missing == CLIP else str(_code(self.missing))
        # Times the denominator first: 0.95 · 10 is 9.5, while 0.95 / 0.1 is not.
        part, whole = (_double(Fraction(d)) for d in grid.step.as_integer_ratio())
        steps = f"({x} - {_double(grid.low)}) * {whole} / {part}"
        inside = f"CAST(FLOOR({steps} + CAST('0.5' AS DOUBLE)) AS BIGINT)"
        return (
            f"CASE WHEN {x} IS NULL OR ISNAN({x}) THEN {missing} "
            f"WHEN {x} < {_double(grid.low)} THEN {low} WHEN {x} > {_double(grid.high)} THEN {high} "
            f"ELSE LEAST(GREATEST({inside}, 0), {grid.steps}) END"
        )

    def broken(self, x: str) -> str:
        """1 where the value is missing, 2 where it is outside, else 0."""
        low, high = _double(self.grid.low), _double(self.grid.high)
        return f"CASE WHEN {x} IS NULL OR ISNAN({x}) THEN 1 WHEN {x} < {low} OR {x} > {high} THEN 2 ELSE 0 END"


@final
@dataclass(frozen=True)
class CategoryColumn:
    """A category out of a public list.

    Arguments: `name` is None for the only column there is; `keys` are the declared categories as texts, `unknown` the
    policy for null and undeclared ones; with "own category" they count for the position after the last.
    """

    name: str | None
    keys: tuple[str, ...]
    unknown: str

    def key(self, name: str, kind: str) -> str:
        """The category as text: whole numbers without a point, booleans as true and false, null where there is none."""
        column = quoted(name)
        if kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):
            # A column of integers with nulls reaches us as floats; -0.0 and 0.0 are one category.
            x = f"CAST({column} AS DOUBLE)"
            return (
                f"CASE WHEN {x} IS NULL OR ISNAN({x}) OR ISINF({x}) OR {x} <> FLOOR({x}) THEN NULL "
                f"ELSE CAST(TRY_CAST({x} AS HUGEINT) AS VARCHAR) END"
            )
        if kind == "BOOLEAN":
            return f"CASE WHEN {column} IS NULL THEN NULL WHEN {column} THEN 'true' ELSE 'false' END"
        if kind.startswith(_NESTED) or kind.endswith("]"):
            raise InvalidParameter(f"column {name!r} must hold categories, but its type is {kind}")
        return f"CAST({column} AS VARCHAR)"

    @property
    def elsewhere(self) -> int:
        """The position, or the code, of null and undeclared categories."""
        return len(self.keys) if self.unknown == OWN else _code(self.unknown)

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.keys) + (self.unknown == OWN)


def number_sql(name: str, kind: str) -> str:
    """A column as DOUBLE, null where it holds no number. Raises `InvalidParameter` for columns of other types."""
    column = quoted(name)
    if kind == "VARCHAR":
        return f"COALESCE(TRY_CAST({column} AS DOUBLE), CAST(TRY_CAST({column} AS BOOLEAN) AS DOUBLE))"
    if kind in _NUMBERS or kind.startswith("DECIMAL"):
        return f"CAST({column} AS DOUBLE)"
    raise InvalidParameter(f"column {name!r} must hold numbers, booleans or text, but its type is {kind}")


def class_sql(name: str, kind: str, keys: Sequence[str]) -> str:
    """The position of a column's value among the declared keys as TINYINT, null where it is none of them.

    Integers are compared as integers and booleans as booleans (true is also 1, and false 0, where only those are
    declared); everything else as the text that `CategoryColumn.key` makes of it.
    """
    column = quoted(name)
    if kind == "BOOLEAN":
        found = {bit: _first(keys, (word, str(int(bit)))) for bit, word in ((True, "true"), (False, "false"))}
        yes, no = ("NULL" if place is None else str(place) for place in (found[True], found[False]))
        return f"CAST(CASE WHEN {column} IS NULL THEN NULL WHEN {column} THEN {yes} ELSE {no} END AS TINYINT)"
    if kind in _INTEGERS or kind in ("INTEGER", "UINTEGER"):
        whole = [(key, place) for place, key in enumerate(keys) if key.lstrip("-").isdecimal() and str(int(key)) == key]
        cases = " ".join(f"WHEN {column} = {key} THEN {place}" for key, place in whole)
        return f"CAST(CASE {cases} ELSE NULL END AS TINYINT)" if cases else "CAST(NULL AS TINYINT)"
    text = CategoryColumn(name, tuple(keys), REFUSE).key(name, kind)
    cases = " ".join(f"WHEN {_literal(key)} THEN {place}" for place, key in enumerate(keys))
    return f"CAST(CASE {text} {cases} ELSE NULL END AS TINYINT)"


def weight_sql(name: str) -> str:
    """The number of records a row stands for, null where that is no whole number from 0 to 2^53."""
    x = f"TRY_CAST({quoted(name)} AS DOUBLE)"
    return (
        f"CASE WHEN {x} IS NULL OR ISNAN({x}) OR {x} < 0 OR {x} >= 9007199254740992 OR {x} <> FLOOR({x}) "
        f"THEN NULL ELSE CAST({x} AS BIGINT) END"
    )


def _first(keys: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((keys.index(key) for key in wanted if key in keys), None)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def person_sql(name: str, kind: str) -> str:
    """Whose row it is, as text; null where it is nobody's. Of floats, -0.0 and 0.0 are one person, NaN is nobody."""
    column = quoted(name)
    if kind not in ("FLOAT", "DOUBLE"):
        return f"CAST({column} AS VARCHAR)"
    x = f"CAST({column} AS DOUBLE)"
    return (
        f"CASE WHEN {x} IS NULL OR ISNAN({x}) THEN NULL WHEN {x} = FLOOR({x}) AND ABS({x}) < 1000000000000000 "
        f"THEN CAST(TRY_CAST({x} AS BIGINT) AS VARCHAR) ELSE CAST({x} AS VARCHAR) END"
    )


def category_keys(declared: Sequence[Any]) -> tuple[str, ...]:
    """The declared categories (texts, integers, booleans) as the texts that records are compared with.

    >>> category_keys(["a", 1, True])
    ('a', '1', 'true')
    """
    is_text, is_number = isinstance(declared, str | bytes), getattr(declared, "ndim", 1) == 0
    listed = isinstance(declared, Sequence | np.ndarray) and not (is_text or is_number)
    if not listed or len(declared) == 0:
        given = "none" if listed else type(declared).__name__
        raise InvalidParameter(f"categories must be a list with at least one declared category, got {given}")
    keys = []
    for category in declared:
        plain = category.item() if isinstance(category, np.generic) else category
        if isinstance(plain, bool):
            keys.append("true" if plain else "false")
        elif isinstance(plain, int | str):
            keys.append(str(plain))
        else:
            raise InvalidParameter(f"categories must be texts, integers or booleans, got {category!r}")
    if len(set(keys)) != len(keys):
        raise InvalidParameter("categories must not repeat (1 and '1' are the same category)")
    return tuple(keys)
