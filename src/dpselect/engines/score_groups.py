"""Candidates that stay in an engine: how many have each score and degree, and one query for the member that was drawn.

The laws of the samplers depend on a candidate through its score only, or through score and degree where flip distances
are weighed. So the driver holds (score, degree, how many), draws a group, then a uniform rank, and asks the engine for
the candidate of this rank in the order of the ids, which is public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.engines.edge_table import OpenEdges
from dpselect.errors import InvalidData
from dpselect.exact.bits import BitSource
from dpselect.exact.scores import IntegerScores, Scores
from dpselect.question import Groups

Alike = tuple[int, int]
"""The score and the degree that the vertices of a group have in common."""


@final
class ScoreGroups(Groups):
    """One group for every pair of score and degree that occurs, ascending.

    Arguments: the open edges with their table score(v, score, d); (score, degree) -> how many vertices; vertices taken
    already, with their scores and degrees."""

    def __init__(
        self, edges: OpenEdges, histogram: Mapping[Alike, int], taken: Sequence[tuple[Any, Alike]] = ()
    ) -> None:
        self._edges = edges
        self._histogram = {alike: histogram[alike] for alike in sorted(histogram) if histogram[alike]}
        self._taken = tuple(taken)

    @classmethod
    def of(cls, edges: OpenEdges) -> ScoreGroups:
        """From the tables score and degree; the vertices that are not in the first have score 0."""
        found = edges.source.arrays("SELECT score, d, COUNT(*) AS many FROM score GROUP BY score, d")
        columns = (found[name].tolist() for name in ("score", "d", "many"))
        histogram = {(int(score), int(d)): int(many) for score, d, many in zip(*columns, strict=True)}
        rest = dict(zip(edges.degrees.values.tolist(), edges.degrees.counts.tolist(), strict=True))
        rest[0] = edges.n - sum(rest.values())
        for (_, d), many in histogram.items():
            rest[d] = rest.get(d, 0) - many
        if min(rest.values()) < 0:
            raise InvalidData("there are more scores than vertices")
        return cls(edges, {**{(0, d): many for d, many in rest.items()}, **histogram})

    @cached_property
    def _alike(self) -> tuple[Alike, ...]:
        return tuple(self._histogram)

    @property
    def scores(self) -> Scores:
        return IntegerScores(np.array(self.values, dtype=object))

    @cached_property
    def values(self) -> tuple[int, ...]:
        return tuple(score for score, _ in self._alike)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """The degree of the vertices of every group."""
        return np.array([d for _, d in self._alike], dtype=np.int64)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(self._histogram.values())

    def pick(self, group: int, source: BitSource) -> Any:
        score, d = self._alike[group]
        rank = source.below(self._histogram[score, d])
        self._edges.step("The chosen vertex")
        if score:
            rows = f"SELECT v FROM score WHERE score = {score} AND d = {d}"
        elif d:
            rows = (
                "SELECT degree.v FROM degree LEFT JOIN score ON degree.v = score.v "
                f"WHERE degree.d = {d} AND score.v IS NULL"
            )
        else:
            rows = "SELECT vertex.v FROM vertex LEFT JOIN degree ON vertex.v = degree.v WHERE degree.v IS NULL"
        gone = [v for v, alike in self._taken if alike == (score, d)]
        if gone:
            self._edges.source.attach("taken", {"v": gone})
            rows = f"SELECT r.v FROM ({rows}) AS r LEFT JOIN taken ON r.v = taken.v WHERE taken.v IS NULL"
        found = self._edges.source.arrays(f"SELECT v FROM ({rows}) AS r ORDER BY v LIMIT 1 OFFSET {rank}")["v"]
        if len(found) != 1:
            raise InvalidData("the data changed while they were read")
        return found[0] if isinstance(found[0], str) else int(found[0])

    def without(self, group: int, member: Any) -> ScoreGroups:
        alike = self._alike[group]
        fewer = {**self._histogram, alike: self._histogram[alike] - 1}
        return ScoreGroups(self._edges, fewer, (*self._taken, (member, alike)))
