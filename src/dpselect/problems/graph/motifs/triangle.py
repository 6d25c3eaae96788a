"""Triangles: local sensitivity, profile and flip distance, all from co-degrees (theory section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.known import codegree_steps, known, triangle_counts
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.profile import Profile
from dpselect.question import LevelConstants

Int64 = npt.NDArray[np.int64]


@final
@dataclass(frozen=True)
class Triangle(Motif):
    """q(G, v) = number of triangles through v.

    Toggling uv moves q_u and q_v by the co-degree of u and v, their common neighbours by 1, all in one direction:

        LS(G) = D(G) = max over all pairs (edges or not) of the co-degree,  GS = n − 2,  A_G exact by the staircase.

    Up to k edges at once: the span is at most A_k(t) = Σ_{i<k} A(k t + i) (spans add along a path). One level:
    H_0 = Σ_{i<k} A(i) with C = k², because A(i) is the largest D within i edges and so moves by at most k when k edges
    change: for z within i of x' there is a z' within i of x at distance at most k from z, and D is 1-Lipschitz.
    """

    @property
    def name(self) -> str:
        return "triangle"

    def counts(self, graph: Graph) -> Int64:
        return triangle_counts(graph)

    def global_sensitivity(self, n: int, k: int) -> Fraction:
        return Fraction(k * max(n - 2, 0))

    def profile(self, graph: Graph, k: int) -> Profile:
        return known(graph, "triangle profile", lambda: Profile(*codegree_steps(graph))).groups(k)

    def level_constants(self, n: int, k: int) -> LevelConstants:
        return LevelConstants(1, Fraction(k * k), (self.global_sensitivity(n, k),))

    def levels(self, graph: Graph, k: int) -> tuple[Fraction, ...]:
        return (self.profile(graph, k).local_bound,)

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> Int64:
        from dpselect.problems.graph.certificates.triangles import triangle_flip_distance

        return triangle_flip_distance(graph, scores, limit)
