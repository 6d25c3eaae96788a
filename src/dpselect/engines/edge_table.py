"""Edges that stay in an engine, and the tables every count starts from: degrees, ranks, the edges between ranks.

    pair(a, b)      the simple undirected edges, a < b by id
    degree(v, d)    vertices with an edge
    ranked(v, d, r) r = 0, 1, … by falling degree, then ascending id
    edge(u, w)      the edges between ranks, u < w: u has the higher degree (or the smaller id)

Every step acts on one row at a time, as `Graph.from_edges` does: directions are forgotten, repetitions merged, loops
dropped, so neighbouring tables give neighbouring (or equal) graphs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Final, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.exact.numbers import whole
from dpselect.problems.graph.ids import Unknown
from dpselect.problems.table.columns import quoted
from dpselect.problems.table.source import ONLY_COLUMN, RECORDS, Source

Integers = NDArray[np.int64]

_INTEGERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


@final
@dataclass(frozen=True, repr=False)
class EdgeTable:
    """A table with one row for every edge, in a file or in memory, whose vertices are public.

    Arguments:
        data: what the engine opens: a .parquet, .csv or .tsv file (with a heading), a data frame, a dict of columns.
        ends: the names of the two columns with the ids, integers or texts (in text files ids are texts). Default:
            the first two.
        vertices: the public vertices: n for 0 … n − 1, a list of ids, or a table whose first column holds them, each
            once. None: all ids in `data` are declared public.
        unknown: what to do with edges that name other vertices: "refuse" or "drop".

    >>> EdgeTable({"from": [1, 2], "to": [2, 3]}, vertices=[1, 2, 3, 4])
    EdgeTable(<private>)
    """

    data: Any
    ends: tuple[str, str] | None = None
    vertices: Any = None
    unknown: Unknown = "refuse"

    def __post_init__(self) -> None:
        if self.unknown not in ("refuse", "drop"):
            raise InvalidParameter(f"unknown must be 'refuse' or 'drop', got {self.unknown!r}")
        if self.ends is not None and (len(self.ends) != 2 or not all(isinstance(end, str) for end in self.ends)):
            raise InvalidParameter("ends must be the names of two columns")
        if isinstance(self.vertices, int):
            whole(self.vertices, "vertices", least=1)

    def __repr__(self) -> str:
        # The representation of a data frame shows its rows.
        return "EdgeTable(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("edges are private and cannot be pickled")


@final
class OpenEdges:
    """An `EdgeTable` in an open engine: private; every table is made when it is first needed."""

    def __init__(self, source: Source, table: EdgeTable, advance: Callable[[str], None] | None = None) -> None:
        self.source = source
        self._table = table
        self._advance = advance

    def __repr__(self) -> str:
        return "OpenEdges(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("edges are private and cannot be pickled")

    def step(self, what: str) -> None:
        """Say what begins now."""
        if self._advance is not None:
            self._advance(what)

    @property
    def vertices_from_data(self) -> bool:
        """Whether the ids in the data are declared public."""
        return self._table.vertices is None

    @cached_property
    def _ends(self) -> tuple[str, str]:
        """The two ids of a row, in SQL."""
        types = self.source.types
        if self._table.ends is None and len(types) < 2:
            raise InvalidParameter("data: two columns of ids are needed (in text with a heading: .csv or .tsv)")
        names = self._table.ends or tuple(types)[:2]
        left, right = (_id(name, self.source.type_of(name, "ends")) for name in names)
        if left[1] != right[1]:
            raise InvalidParameter("both ends of an edge must be integers, or both texts")
        return left[0], right[0]

    @cached_property
    def n(self) -> int:
        """The number of vertices: public. Makes the table vertex(v)."""
        self.step("Vertices")
        source, (a, b) = self.source, self._ends
        if self.vertices_from_data:
            rows = f"SELECT {a} AS a, {b} AS b FROM {RECORDS}"
            source.keep("vertex", f"SELECT DISTINCT v FROM (SELECT UNNEST([a, b]) AS v FROM ({rows}) AS rows_in) AS e")
            n = self._count("SELECT COUNT(*) AS n FROM vertex")
        else:
            self._declare(self._table.vertices)
            n = self._count("SELECT COUNT(*) AS n FROM vertex")
            if n != self._count("SELECT COUNT(DISTINCT v) AS n FROM vertex"):
                raise InvalidParameter("vertices must be ids that do not repeat")
        if n == 0:
            raise InvalidData("a graph needs at least one vertex: declare vertices=, or give an edge")
        return n

    def _declare(self, vertices: Any) -> None:
        if isinstance(vertices, int):
            vertices = np.arange(vertices)
        elif not isinstance(vertices, str | PathLike) and not hasattr(vertices, "columns"):
            vertices = {ONLY_COLUMN: list(vertices)}
        types = self.source.attach("declared_vertex", vertices, "vertices")
        name = next(iter(types))
        column, kind = _id(name, types[name])
        own = _id(*next(iter((n, self.source.types[n]) for n in self._table.ends or tuple(self.source.types)[:2])))[1]
        if kind != own:
            raise InvalidParameter("vertices must be integers where the ids of the edges are, else texts")
        self.source.keep("vertex", f"SELECT {column} AS v FROM declared_vertex")

    def _count(self, query: str) -> int:
        return int(self.source.arrays(query)["n"][0])

    @cached_property
    def degrees(self) -> Degrees:
        """The histogram of degrees ≥ 1. Makes the tables pair and degree."""
        _ = self.n
        self.step("Degrees")
        source, (a, b) = self.source, self._ends
        rows = f"SELECT {a} AS a, {b} AS b FROM {RECORDS}"
        if self._count(f"SELECT COUNT(*) AS n FROM ({rows}) AS rows_in WHERE a IS NULL OR b IS NULL"):
            raise InvalidData("an edge has no id at one of its ends")
        simple = f"SELECT DISTINCT LEAST(a, b) AS a, GREATEST(a, b) AS b FROM ({rows}) AS rows_in"
        if not self.vertices_from_data:
            known = f"SELECT s.a, s.b FROM ({simple}) AS s JOIN vertex AS x ON s.a = x.v JOIN vertex AS y ON s.b = y.v"
            if self._table.unknown == "refuse":
                everything = f"SELECT COUNT(*) AS n FROM ({simple}) AS s"
                if self._count(everything) != self._count(f"SELECT COUNT(*) AS n FROM ({known}) AS k"):
                    raise InvalidData("an edge names a vertex that is not declared; declare it, or use unknown='drop'")
            simple = known
        source.keep("pair", f"SELECT a, b FROM ({simple}) AS s WHERE a <> b")
        ends = "SELECT UNNEST([a, b]) AS v FROM pair"
        source.keep("degree", f"SELECT v, COUNT(*) AS d FROM ({ends}) AS e GROUP BY v")
        found = source.arrays("SELECT d, COUNT(*) AS many FROM degree GROUP BY d")
        return Degrees.of(found["d"].astype(np.int64), found["many"].astype(np.int64))

    @cached_property
    def ranked(self) -> Degrees:
        """The same; makes the tables ranked and edge. No global sort: ranks are counted within each degree."""
        degrees = self.degrees
        self.step("Edges by degree")
        source = self.source
        source.attach("ahead", {"d": degrees.values, "before": degrees.before})
        rank = "ROW_NUMBER() OVER (PARTITION BY degree.d ORDER BY degree.v) - 1 + ahead.before"
        source.keep("ranked", f"SELECT degree.v, degree.d, {rank} AS r FROM degree JOIN ahead ON degree.d = ahead.d")
        source.keep(
            "edge",
            "SELECT LEAST(x.r, y.r) AS u, GREATEST(x.r, y.r) AS w "
            "FROM pair JOIN ranked AS x ON pair.a = x.v JOIN ranked AS y ON pair.b = y.v",
        )
        source.drop("pair")
        return degrees


@final
@dataclass(frozen=True, eq=False, repr=False)
class Degrees:
    """How many vertices have each degree ≥ 1: degrees falling, `before[i]` vertices have a higher one. Private."""

    values: Integers
    counts: Integers
    before: Integers

    @classmethod
    def of(cls, degrees: Integers, counts: Integers) -> Degrees:
        """Sorted."""
        order = np.argsort(-degrees)
        counts = counts[order]
        return cls(degrees[order], counts, np.cumsum(counts) - counts)

    def __repr__(self) -> str:
        return "Degrees(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("degrees are private and cannot be pickled")

    def above(self, d: Integers) -> Integers:
        """How many vertices have a degree above each of `d`."""
        ends = np.concatenate(([0], np.cumsum(self.counts)))
        return np.asarray(ends[np.searchsorted(-self.values, -d, side="left")])


def _id(name: str, kind: str) -> tuple[str, str]:
    """An id in SQL, and whether it is an integer or a text."""
    if kind in _INTEGERS:
        return f"CAST({quoted(name)} AS BIGINT)", "integer"
    if kind == "VARCHAR":
        return quoted(name), "text"
    raise InvalidParameter(f"column {name!r} must hold ids, integers or texts, but its type is {kind}")
