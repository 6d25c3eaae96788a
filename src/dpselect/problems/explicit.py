"""Explicit worlds: a finite dataset graph written out, with a score table. Everything about it is exact.

    datasets x_0, x_1, …;  edges {x_i, x_j};  candidates r_0, …;  q(x_i, r) a table of rationals.

The profile is A_x(t) = max{LS(z) : d(x, z) ≤ t}, the flip distance min{d(x, z) : r ∈ argmax q(z, ·)}, both by
breadth-first search within the component of x. Worlds are public: they exist to check mechanisms on.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.exact.numbers import exact, integer_array, whole
from dpselect.exact.scores import IntegerScores
from dpselect.problems.given_file import GivenFile
from dpselect.problems.problem import Posed, pose
from dpselect.profile import Profile
from dpselect.question import NEVER, LevelConstants


@final
@dataclass(frozen=True, eq=False, repr=False)
class World:
    """A finite dataset graph with a score table; itself a problem whose datasets are its names (or positions).

    Arguments:
        datasets: names, distinct.
        edges: pairs of positions; an undirected edge joins neighbours.
        candidates: names, distinct.
        scores: `scores[i][r]` = q(x_i, r), rationals (ints, Fractions, Decimals, "1/3", floats as dyadic rationals).
        monotone: whether on every edge all scores move in the same direction; a false claim is refused.
        depth: number of levels of the exact hierarchy H_0 = LS(q), H_{j+1} = LS(H_j) offered to PrivateBound.

    >>> w = World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 0], [1, 0]], monotone=True)
    >>> int(w.global_sensitivity), int(w.profile("x").local_bound), w.flip_distance("y").tolist()
    (1, 1, [0, 1])
    """

    datasets: Sequence[Any]
    edges: Sequence[tuple[int, int]]
    candidates: Sequence[Any]
    scores_table: Sequence[Sequence[Any]]
    monotone: bool = False
    depth: int = 1

    def __post_init__(self) -> None:
        for label, names in (("datasets", self.datasets), ("candidates", self.candidates)):
            if len(names) == 0:
                raise InvalidParameter(f"{label} must not be empty")
            try:
                distinct = len(set(names))
            except TypeError:
                raise InvalidParameter(f"{label} must be names (texts or numbers)") from None
            if distinct != len(names):
                raise InvalidParameter(f"{label} must not repeat")
        whole(self.depth, "depth", least=1)
        n = len(self.datasets)
        for pair in self.edges:
            if len(pair) != 2 or not all(isinstance(i, int | np.integer) and not isinstance(i, bool) for i in pair):
                raise InvalidParameter("edges must be pairs of positions of datasets")
            if not all(0 <= i < n for i in pair):
                raise InvalidParameter(f"edges must join datasets 0 … {n - 1}, got {list(map(int, pair))}")
        if len(self.scores_table) != n:
            raise InvalidParameter(f"scores must have one row per dataset ({n}), got {len(self.scores_table)}")
        if any(len(row) != len(self.candidates) for row in self.scores_table):
            raise InvalidParameter(f"every row of scores must have one entry per candidate ({len(self.candidates)})")
        if self.monotone and not bool(np.all(self._is_monotone)):
            raise InvalidParameter("monotone is declared, but on some edge one score rises and another falls")

    def __repr__(self) -> str:
        return f"World({len(self.datasets)} datasets, {len(self.edges)} edges, {len(self.candidates)} candidates)"

    # ---------------------------------------------------------------- reading and writing

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> World:
        """From the form of a world file: datasets, edges, candidates, scores, monotone (default false)."""
        if not isinstance(content, Mapping):
            raise InvalidParameter("a world must be an object with datasets, edges, candidates and scores")
        missing = [key for key in ("datasets", "edges", "candidates", "scores") if key not in content]
        unknown = [key for key in content if key not in ("datasets", "edges", "candidates", "scores", "monotone")]
        if missing or unknown:
            wrong = [f"{what} {keys}" for what, keys in (("missing", missing), ("unknown", unknown)) if keys]
            raise InvalidParameter(f"a world must have its parts: {', '.join(wrong)}")
        for key in ("datasets", "edges", "candidates", "scores"):
            if not isinstance(content[key], list | tuple):
                raise InvalidParameter(f"{key} must be a list")
        if not all(isinstance(row, list | tuple) for row in [*content["edges"], *content["scores"]]):
            raise InvalidParameter("edges and scores must be lists of lists")
        monotone = content.get("monotone", False)
        if not isinstance(monotone, bool):
            raise InvalidParameter("monotone must be true or false")
        return cls(
            list(content["datasets"]),
            [tuple(edge) for edge in content["edges"]],
            list(content["candidates"]),
            content["scores"],
            monotone,
        )

    @classmethod
    def from_json(cls, source: str | Path) -> World:
        """From a world file, or its text; numbers are parsed as exact decimals, NaN and Infinity refused."""
        text = str(source)
        is_text = text.lstrip().startswith("{")
        file = GivenFile("world", "" if is_text else source, "a world")
        if not is_text:
            try:
                text = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InvalidParameter(file.wrong("expected UTF-8 text")) from None
        try:
            content = json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
            world = cls.from_dict(content)
            _ = world.table
        except json.JSONDecodeError as problem:
            raise InvalidParameter(file.wrong_line(problem.lineno, f"expected JSON ({problem.msg})")) from None
        except (InvalidData, InvalidParameter) as problem:
            # A world is public: its errors may say what stands in it.
            raise type(problem)(file.wrong_inside(str(problem))) from None
        except (ValueError, RecursionError) as problem:
            raise InvalidParameter(file.wrong_inside(f"cannot be parsed as JSON ({type(problem).__name__})")) from None
        return world

    def to_dict(self) -> dict[str, Any]:
        """The form of a world file; scores as strings "p/q" where they are no integers."""
        rows = [[_plain(v * self.score_unit) for v in row] for row in self.table.tolist()]
        return {
            "datasets": list(self.datasets),
            "edges": [[int(i), int(j)] for i, j in self.edges],
            "candidates": list(self.candidates),
            "scores": rows,
            "monotone": self.monotone,
        }

    # ---------------------------------------------------------------- the graph

    @cached_property
    def _numbers(self) -> tuple[NDArray[Any], Fraction]:
        flat = [exact(v) for row in self.scores_table for v in row]
        if any(v is None for v in flat):
            raise InvalidData("scores of a world must be finite numbers")
        values = [v for v in flat if v is not None]
        denominator = int(np.lcm.reduce(np.array([v.denominator for v in values], dtype=object)))
        integers = integer_array([v.numerator * (denominator // v.denominator) for v in values])
        return integers.reshape(len(self.datasets), len(self.candidates)), Fraction(1, denominator)

    @property
    def table(self) -> NDArray[Any]:
        """Scores as integers, datasets × candidates; times `score_unit`."""
        return self._numbers[0]

    @property
    def score_unit(self) -> Fraction:
        """The unit of `table`."""
        return self._numbers[1]

    @cached_property
    def edge_array(self) -> NDArray[np.int64]:
        """Edges as an (k, 2) array, loops left out."""
        pairs = np.array([(i, j) for i, j in self.edges if i != j], dtype=np.int64)
        return pairs.reshape(-1, 2)

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """Adjacency lists."""
        lists: list[set[int]] = [set() for _ in self.datasets]
        for i, j in self.edge_array.tolist():
            lists[i].add(j)
            lists[j].add(i)
        return [sorted(s) for s in lists]

    @cached_property
    def _is_monotone(self) -> NDArray[np.bool_]:
        i, j = self.edge_array.T
        change = self.table[i] - self.table[j]
        return np.asarray(np.all(change >= 0, axis=1) | np.all(change <= 0, axis=1))

    def _local_changes(self, values: NDArray[Any]) -> NDArray[Any]:
        """LS at every dataset of a table (datasets × anything), as integers."""
        i, j = self.edge_array.T
        result = np.zeros(len(self.datasets), dtype=values.dtype)
        if len(i):
            change = np.abs(values[i] - values[j]).max(axis=1)
            np.maximum.at(result, i, change)
            np.maximum.at(result, j, change)
        return result

    @cached_property
    def _hierarchy(self) -> list[NDArray[Any]]:
        """LS(q), LS(LS(q)), …: depth + 1 rows over the datasets."""
        rows = [self._local_changes(self.table)]
        for _ in range(self.depth):
            rows.append(self._local_changes(rows[-1][:, None]))
        return rows

    def distances(self, start: int) -> dict[int, int]:
        """d(start, z) for every z on the component of start."""
        found, frontier = {start: 0}, [start]
        while frontier:
            following = []
            for z in frontier:
                for y in self.neighbours[z]:
                    if y not in found:
                        found[y] = found[z] + 1
                        following.append(y)
            frontier = following
        return found

    def position(self, x: Any) -> int:
        """The position of a dataset given by name, or by position where no dataset has that name."""
        index = self._positions.get(x) if isinstance(x, Hashable) else None
        if index is None and isinstance(x, int | np.integer) and 0 <= x < len(self.datasets):
            index = int(x)
        if index is None:
            raise InvalidParameter(f"unknown dataset {x!r}")
        return index

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {name: i for i, name in enumerate(self.datasets)}

    # ---------------------------------------------------------------- for verification

    def datum(self, position: int) -> Any:
        """The dataset at a position: its name."""
        return self.datasets[position]

    def posed(self, position: int) -> Posed:
        """This world as a problem, put to the dataset at a position."""
        return pose(self, self.datasets[position])

    # ---------------------------------------------------------------- the problem

    name = "explicit world"
    flip_distance_is_exact = True
    unit = "one edge of the world's dataset graph"

    @cached_property
    def global_sensitivity(self) -> Fraction:
        """GS = max LS."""
        return int(self._hierarchy[0].max()) * self.score_unit

    @cached_property
    def sensitivities(self) -> tuple[Fraction, ...]:
        """Δ_r = max |q(x, r) − q(x', r)| over all edges, per candidate."""
        i, j = self.edge_array.T
        change = np.abs(self.table[i] - self.table[j])
        largest = change.max(axis=0) if len(i) else np.zeros(len(self.candidates), dtype=np.int64)
        return tuple(int(v) * self.score_unit for v in largest)

    def scores(self, x: Any) -> IntegerScores:
        """The row of x."""
        return IntegerScores(self.table[self.position(x)], self.score_unit)

    def profile(self, x: Any) -> Profile:
        """A_x(t) = max{LS(z) : d(x, z) ≤ t}."""
        reach = self.distances(self.position(x))
        values = [0] * (max(reach.values()) + 1)
        for z, t in reach.items():
            values[t] = max(values[t], int(self._hierarchy[0][z]))
        running = np.maximum.accumulate(np.array(values, dtype=object))
        return Profile(np.arange(len(values)), running, self.score_unit)

    def levels(self, x: Any) -> tuple[Fraction, ...]:
        """H_0 = LS(q), …, H_{depth−1} at x."""
        i = self.position(x)
        return tuple(int(row[i]) * self.score_unit for row in self._hierarchy[: self.depth])

    @cached_property
    def level_constants(self) -> LevelConstants:
        """C = GS(H_{depth−1}); caps: GS of what every level covers."""
        bounds = [int(row.max()) * self.score_unit for row in self._hierarchy]
        return LevelConstants(self.depth, bounds[self.depth], tuple(bounds[: self.depth]))

    def flip_distance(self, x: Any) -> NDArray[np.int64]:
        """min{d(x, z) : r ∈ argmax q(z, ·)} by breadth-first search; `NEVER` if r is best nowhere on the component."""
        return self._flips(x, np.arange(len(self.candidates)))

    def flip_distance_among(self, x: Any, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same among fewer candidates."""
        return self._flips(x, kept)

    def _flips(self, x: Any, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        reach = self.distances(self.position(x))
        rows = self.table[list(reach)][:, kept]
        best = rows == rows.max(axis=1, keepdims=True)
        away = np.array(list(reach.values()))[:, None]
        return np.asarray(np.where(best, away, NEVER).min(axis=0), dtype=np.int64)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidParameter(f"a world file must hold finite numbers only, found {name}")


def _plain(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else str(value)
