"""Any small connected motif: exact counts, certified bounds from highest degree and co-degree (theory section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.embeddings import copies_per_vertex
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.growth import horizon, profile_of, wide
from dpselect.problems.graph.motifs.known import (
    codegrees_within,
    degrees_within,
    known,
    largest_codegree,
    largest_degree,
)
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.pattern import EDGE, Pattern
from dpselect.profile import Profile
from dpselect.question import LevelConstants

Int64 = npt.NDArray[np.int64]


@final
@dataclass(frozen=True)
class Connected(Motif):
    """q(G, v) = the copies of a connected graph H through v; H has h ≤ 6 vertices and e edges.

        LS ≤ g(Δ, D) = (1/|Aut H|) Σ over edges of H, either way round, of Δ^a D^b,  a + b = h − 2
        GS = e · (n!/((n − h)! |Aut H|)) / binom(n, 2)
        A(t) = min(g(min(Δ + t, n − 1), D_t), GS)

    g is proved in `Pattern.one_edge`. D_t is the largest co-degree within t edges (the exact profile of triangles) and
    Δ + t the largest degree, both admissible families, and g is nondecreasing. The source's (2e/|Aut H|) Δ^(h−2) is g
    with D replaced by Δ ≥ D.

    Levels, one, mapped: D where g needs no degree, else Δ with D ≤ Δ. For k edges the span is
    at most Σ_{i<k} g(T + i), and T is k-Lipschitz.

    Default: a direct smooth bound where there is a δ to spend, else the whole-step ladder of this profile; degrees
    ("edge") have g = 1 = GS everywhere, and the global scale is best. Counts: copy by copy.
    """

    label: str
    pattern: Pattern

    @property
    def name(self) -> str:
        return self.label

    def counts(self, graph: Graph) -> Int64:
        if self.pattern == EDGE:
            return graph.degrees
        return known(graph, self.pattern, lambda: copies_per_vertex(graph, self.pattern))

    def global_sensitivity(self, n: int, k: int) -> Fraction:
        return k * self.pattern.through_one_pair(n)

    def profile(self, graph: Graph, k: int) -> Profile:
        return known(graph, (self.pattern, "profile"), lambda: self._single_profile(graph)).groups(k)

    def _single_profile(self, graph: Graph) -> Profile:
        bound, steps = self.pattern.one_edge, horizon(graph.n)
        largest = 2 * comb(self.pattern.size, 2) * graph.n ** (self.pattern.size - 2)
        degrees = wide(degrees_within(graph, steps), largest)
        common = codegrees_within(graph, steps) if bound.needs_codegrees else np.zeros(steps, np.int64)
        return profile_of(bound(degrees, wide(common, largest)), int(self.pattern.through_one_pair(graph.n)))

    def level_constants(self, n: int, k: int) -> LevelConstants:
        return LevelConstants(1, Fraction(k), (self.global_sensitivity(n, k),), (BoundMap(self.pattern, k),))

    def levels(self, graph: Graph, k: int) -> tuple[Fraction, ...]:
        degrees = self.pattern.one_edge.needs_degrees
        return (Fraction(largest_degree(graph) if degrees else largest_codegree(graph)),)

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> None:
        return None


@final
@dataclass(frozen=True)
class BoundMap:
    """T̃ ↦ Σ_{i<k} g(T̃ + i, T̃ + i)."""

    pattern: Pattern
    k: int

    def __call__(self, statistic: Fraction) -> Fraction:
        bound: Any = self.pattern.one_edge
        return Fraction(sum(bound(int(statistic) + i, int(statistic) + i) for i in range(self.k)))
