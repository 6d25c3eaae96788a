"""A motif as a score: what has to be known about it so that its most frequent vertex can be selected.

    q(G, v) = number of (not necessarily induced) copies of the motif in G that contain v.

Adding an edge destroys no copy, so all counts move the same way on every edge: κ = 1 for every motif. One class per
motif family states its counts, its profile and its levels, with the proofs; `TopVertex` does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

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

    @property
    @abstractmethod
    def has_flip_distance(self) -> bool:
        """Whether there is a certificate better than the ladder."""

    @abstractmethod
    def flip_distance(self, graph: Graph, k: int) -> Int64:
        """A flip-distance certificate for up to k edges, int64[n]."""
