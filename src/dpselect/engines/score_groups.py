"""Candidates that stay in an engine: the histogram of their scores, and one query for the member that was drawn.

The laws of the samplers depend on a candidate through its score only. So the driver holds (score, how many), draws a
score, then a uniform rank, and asks the engine for the candidate of this rank in the order of the ids, which is public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np

from dpselect.engines.edge_table import OpenEdges
from dpselect.errors import InvalidData
from dpselect.exact.bits import BitSource
from dpselect.exact.scores import IntegerScores, Scores
from dpselect.question import Groups


@final
class ScoreGroups(Groups):
    """One group for every score that occurs, ascending. Arguments: the open edges with their table score(v, score);
    score -> how many vertices; vertices taken already, with their scores."""

    def __init__(self, edges: OpenEdges, histogram: Mapping[int, int], taken: Sequence[tuple[Any, int]] = ()) -> None:
        self._edges = edges
        self._histogram = {score: histogram[score] for score in sorted(histogram) if histogram[score]}
        self._taken = tuple(taken)

    @classmethod
    def of(cls, edges: OpenEdges) -> ScoreGroups:
        """From the table score; the other vertices have score 0."""
        found = edges.source.arrays("SELECT score, COUNT(*) AS many FROM score GROUP BY score")
        histogram = {int(s): int(c) for s, c in zip(found["score"], found["many"], strict=True)}
        rest = edges.n - sum(histogram.values())
        if rest < 0:
            raise InvalidData("there are more scores than vertices")
        return cls(edges, {0: rest, **histogram})

    @cached_property
    def _scores(self) -> tuple[int, ...]:
        return tuple(self._histogram)

    @property
    def scores(self) -> Scores:
        return IntegerScores(np.array(self._scores, dtype=object))

    @property
    def values(self) -> tuple[int, ...]:
        return self._scores

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(self._histogram.values())

    def pick(self, group: int, source: BitSource) -> Any:
        score = self._scores[group]
        rank = source.below(self._histogram[score])
        self._edges.step("The chosen vertex")
        if score:
            rows = f"SELECT v FROM score WHERE score = {score}"
        else:
            rows = "SELECT vertex.v FROM vertex LEFT JOIN score ON vertex.v = score.v WHERE score.v IS NULL"
        gone = [v for v, its_score in self._taken if its_score == score]
        if gone:
            self._edges.source.attach("taken", {"v": gone})
            rows = f"SELECT r.v FROM ({rows}) AS r LEFT JOIN taken ON r.v = taken.v WHERE taken.v IS NULL"
        found = self._edges.source.arrays(f"SELECT v FROM ({rows}) AS r ORDER BY v LIMIT 1 OFFSET {rank}")["v"]
        if len(found) != 1:
            raise InvalidData("the data changed while they were read")
        return found[0] if isinstance(found[0], str) else int(found[0])

    def without(self, group: int, member: Any) -> ScoreGroups:
        score = self._scores[group]
        fewer = {**self._histogram, score: self._histogram[score] - 1}
        return ScoreGroups(self._edges, fewer, (*self._taken, (member, score)))
