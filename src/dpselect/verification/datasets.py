"""What verification needs of a dataset graph: names, edges, and a posed problem at every dataset."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.rational_scores import RationalScores
from dpselect.exact.scores import FloatScores, IntegerScores, RealScores, Scores
from dpselect.question import Evaluation, Question


class PosedProblem(Protocol):
    """A problem put to one dataset: the public question, the private evaluation, the names of the candidates."""

    @property
    def question(self) -> Question:
        """Public facts."""

    @property
    def evaluation(self) -> Evaluation:
        """Private facts."""

    @property
    def names(self) -> Sequence[Any]:
        """The candidates."""


class DatasetGraph(Protocol):
    """A dataset graph written out; `World` and `ProblemWorld` are two."""

    @property
    def datasets(self) -> Sequence[Any]:
        """Names."""

    @property
    def edges(self) -> Sequence[tuple[int, int]]:
        """Pairs of positions."""

    def posed(self, position: int) -> PosedProblem:
        """The problem at a dataset."""

    def datum(self, position: int) -> Any:
        """What a user's own mechanism is called with."""


def checked(graph: object) -> DatasetGraph:
    """The argument of `verify`, or an error that says what is missing."""
    lacking = [a for a in ("datasets", "edges", "posed", "datum") if not hasattr(graph, a)]
    if lacking:
        raise InvalidParameter(
            f"world must be a World or another dataset graph with datasets, edges, posed(i) and datum(i); "
            f"{type(graph).__name__} lacks {', '.join(lacking)}"
        )
    return graph  # type: ignore[return-value]


def edge_array(graph: DatasetGraph) -> NDArray[np.int64]:
    """The undirected edges, each once, loops left out, as a (k, 2) array."""
    n = len(graph.datasets)
    pairs = np.asarray(graph.edges, dtype=np.int64).reshape(-1, 2)
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < n):
        raise InvalidParameter(f"edges must join datasets 0 … {n - 1}")
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    return np.unique(pairs, axis=0)


def refuse_false_monotone(graph: DatasetGraph, edges: NDArray[np.int64]) -> None:
    """A flag `monotone` is checked on every edge, not believed: all scores move in the same direction, or none do."""
    if not getattr(graph, "monotone", False) or not len(edges):
        return
    rows = {i: graph.posed(i).evaluation.scores for i in np.unique(edges).tolist()}
    first = next(iter(rows.values()))
    if isinstance(first, IntegerScores) and all(
        isinstance(s, IntegerScores) and s.unit == first.unit and s.values.dtype == np.int64 for s in rows.values()
    ):
        table = np.zeros((len(graph.datasets), first.size), dtype=np.int64)
        for i, row in rows.items():
            assert isinstance(row, IntegerScores)
            table[i] = row.values
        change = table[edges[:, 0]] - table[edges[:, 1]]
        false = ~(np.all(change >= 0, axis=1) | np.all(change <= 0, axis=1))
        _refuse(graph, edges[np.flatnonzero(false)])
        return
    _refuse(graph, np.array([e for e in edges.tolist() if _moves_both_ways(rows[e[0]], rows[e[1]])]).reshape(-1, 2))


def _refuse(graph: DatasetGraph, false: NDArray[np.int64]) -> None:
    if len(false):
        x, y = (graph.datasets[i] for i in false[0].tolist())
        raise InvalidParameter(f"monotone is declared, but between {x!r} and {y!r} one score rises and another falls")


def _moves_both_ways(mine: Scores, other: Scores) -> bool:
    """Certainly one score rises and another falls."""
    changes = [(a[0] - b[1], a[1] - b[0]) for a, b in zip(_ends(mine), _ends(other), strict=True)]
    return any(low > 0 for low, _ in changes) and any(high < 0 for _, high in changes)


def _ends(scores: Scores) -> list[tuple[Fraction, Fraction]]:
    """Enclosures of the scores: points, but for computed real scores."""
    if isinstance(scores, IntegerScores):
        return [(int(v) * scores.unit,) * 2 for v in scores.values]
    if isinstance(scores, FloatScores):
        return [(Fraction(float(v)),) * 2 for v in scores.values]
    if isinstance(scores, RationalScores):
        return [(scores.exact(i),) * 2 for i in range(scores.size)]
    assert isinstance(scores, RealScores)
    return [scores.exact(i).enclosure(80) for i in range(scores.size)]


__all__ = ["DatasetGraph", "PosedProblem", "checked", "edge_array", "refuse_false_monotone"]
