"""A motif as a score: what has to be known about it so that its most frequent vertex can be selected.

    q(G, v) = number of (not necessarily induced) copies of the motif in G that contain v.

Adding an edge destroys no copy, so all counts move the same way on every edge: κ = 1 for every motif. One class per
motif family states its counts, its profile and its levels, with the proofs; `TopVertex` does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.graph import Graph
from dpselect.profile import Profile
from dpselect.question import LevelConstants

Int64 = npt.NDArray[np.int64]


class Motif(ABC):
    """The counts of one motif through every vertex, and how far k edges can move them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name used in `TopVertex(…)` and in releases."""

    @abstractmethod
    def counts(self, graph: Graph) -> Int64:
        """q(G, ·), int64[n] by vertex position."""

    @abstractmethod
    def global_sensitivity(self, n: int, k: int) -> Fraction:
        """A public bound of the span of q on any two graphs on n vertices that differ in up to k edges."""

    @abstractmethod
    def profile(self, graph: Graph, k: int) -> Profile:
        """An admissible profile of the span for neighbours that differ in up to k edges."""

    @abstractmethod
    def level_constants(self, n: int, k: int) -> LevelConstants | None:
        """The public side of the hierarchy for up to k edges; None if the motif has none."""

    @abstractmethod
    def levels(self, graph: Graph, k: int) -> tuple[Fraction, ...]:
        """H_0(G), …, for up to k edges."""

    @abstractmethod
    def certificate(self, graph: Graph, scores: Int64, limit: int) -> Int64 | None:
        """A flip-distance certificate for one edge, truncated at the public `limit`; None where none is known.

        `scores` are the counts of the candidates, 0 for vertices that are none: a candidate without copies, which no
        edge can change, forbids nothing that the others allow.
        """

    @final
    def flip_distance(self, graph: Graph, scores: Int64, k: int) -> Int64:
        """φ(G, ·) for up to k edges at the vertices with `scores`: ⌈max(certificate, whole steps of the ladder)/k⌉.

        Both are certificates (theory 6b), so their maximum is one: 0 exactly at the maximisers, and it changes by at
        most 1 on an edge. The ladder sees only the worst pair, but is not truncated; the certificate sees each vertex.
        """
        from dpselect.exact.scores import IntegerScores
        from dpselect.methods.ladder import whole_steps
        from dpselect.problems.graph.certificates.grouped import grouped
        from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT

        steps = whole_steps(self.profile(graph, 1).ladder(1), IntegerScores(scores, Fraction(1)))
        own = self.certificate(graph, scores, DEFAULT_LIMIT * k)
        return grouped(steps if own is None else np.maximum(own, steps), k)
