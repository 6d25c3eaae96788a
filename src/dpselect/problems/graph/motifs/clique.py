"""ℓ-cliques: local sensitivity, hierarchy and profile from common neighbourhoods (theory section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.binomials import binomials
from dpselect.problems.graph.cliques import cliques_per_vertex, largest_common
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.growth import horizon, profile_of, wide
from dpselect.problems.graph.motifs.known import codegrees_within, known, triangle_counts
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.profile import Profile
from dpselect.question import LevelConstants

Int64 = npt.NDArray[np.int64]
Whole = npt.NDArray[Any]

SIZES = range(4, 7)


@final
@dataclass(frozen=True)
class Clique(Motif):
    """q(G, v) = the cliques of ℓ vertices through v, ℓ = 4, 5 or 6 (ℓ = 3 is `Triangle`).

    M_s(i) is the largest number of i-cliques in the common neighbourhood of s vertices, edges among the s ignored:

        LS = M_2(ℓ − 2) over all pairs,   GS = binom(n − 2, ℓ − 2),
        H_j = max over s ≥ j + 2 of M_s(ℓ − s),  j = 0 … ℓ − 3,   C = 1 = M_ℓ(0).

    H_0 ≥ LS, and H_{j+1} ≥ LS(H_j): a new edge uv adds to the i-cliques common to a set T those that hold u and v
    (i − 2 more vertices, common to T, u and v), or, if v is in T, those that hold u (i − 1 more, common to T and u):
    M_s(i) changes by at most max(M_{s+1}(i − 1), M_{s+2}(i − 2)), both of which H_{j+1} contains. Without the outer
    maximum this fails (a 4-cycle, ℓ = 4), as it does when one level alone is replaced by a looser bound.

    Profile: U_j(0) = H_j,  U_j(t + 1) = min(U_j(t) + U_{j+1}(t), F_j(A_3(t + 1)), GS of level j);  A(0) = LS, A = U_0
    afterwards. A_3 is the exact profile of triangles and F_j(D) = max over s ≥ j + 2 of binom(D, ℓ − s) bounds H_j, so
    this is the best of the Newton series, integration and the mapped co-degree, step by step (proof in `growth`;
    A(0) may be smaller than U_0(0) because P2 asks nothing of an earlier value).

    Levels: (H_0, …, H_{ℓ−3}) for `hierarchy="cliques"`; the co-degree D mapped by F_0 for "codegree", a single level.
    Up to k edges: H_j^k = Σ U_j(i_0 + … + i_j) over 0 ≤ i_0, …, i_j < k with U_j the Newton series of
    (H_j, H_{j+1}, …, 1), and C = k^(ℓ−1): one edge changes U_j(t) by at most U_{j+1}(t), which grows
    by one step along each of the k edges.
    The mapped level: D is k-Lipschitz, Σ_{i<k} F_0(D + i) bounds the span.

    Default: the flip distance; the certificate looks at each candidate, not at the worst pair. For ℓ = 6 it is the best
    on every public graph of docs/graph/results.md (ε = 1), with 1/52 and 1/65 of the regret of the next one on ca-GrQc
    and ca-HepTh; for ℓ = 5 on all but facebook_combined. Among the hierarchies "cliques" wins where large co-degrees
    are not cliques, up to 10 times there; but each level multiplies the noise, so with the four levels of ℓ = 6
    "codegree" is "auto".
    """

    size: int = 4
    hierarchy: str = "auto"

    def __post_init__(self) -> None:
        if whole(self.size, "size") not in SIZES:
            raise InvalidParameter(f"size must be 4, 5 or 6, got {self.size}")
        if self.hierarchy not in ("auto", "cliques", "codegree"):
            raise InvalidParameter(f"hierarchy must be 'auto', 'cliques' or 'codegree', got {self.hierarchy!r}")

    @property
    def _mapped(self) -> bool:
        return self.hierarchy == "codegree" or (self.hierarchy == "auto" and self.size == 6)

    @property
    def name(self) -> str:
        return f"{self.size}-clique"

    def counts(self, graph: Graph) -> Int64:
        return clique_counts(graph, self.size)

    def global_sensitivity(self, n: int, k: int) -> Fraction:
        return Fraction(k * comb(max(n - 2, 0), self.size - 2))

    def profile(self, graph: Graph, k: int) -> Profile:
        return known(graph, (self.name, "profile"), lambda: self._profile(graph)).groups(k)

    def level_constants(self, n: int, k: int) -> LevelConstants:
        first = self.global_sensitivity(n, k)
        if self._mapped:
            return LevelConstants(1, Fraction(k), (first,), (CodegreeMap(self.size, k),))
        caps = (first, *(Fraction(k ** (j + 1) * self._cap(n, j)) for j in range(1, self.size - 2)))
        return LevelConstants(self.size - 2, Fraction(k ** (self.size - 1)), caps)

    def levels(self, graph: Graph, k: int) -> tuple[Fraction, ...]:
        if self._mapped:
            return (Fraction(int(codegrees_within(graph, 1)[0])),)
        chain = [*clique_levels(graph, self.size), 1]
        return tuple(
            min(Fraction(_grouped(chain[j:], j, k)), Fraction(k ** (j + 1) * self._cap(graph.n, j)))
            for j in range(self.size - 2)
        )

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> Int64:
        from dpselect.problems.graph.certificates.cliques import clique_flip_distance

        return clique_flip_distance(graph, scores, self.size, limit)

    def _cap(self, n: int, j: int) -> int:
        """GS of H_j: max over s ≥ j + 2 of the (ℓ − s)-cliques among n − s vertices (and 1, which is M_ℓ(0))."""
        return max(1, *(comb(max(n - s, 0), self.size - s) for s in range(j + 2, self.size)))

    def _profile(self, graph: Graph) -> Profile:
        steps, chain = horizon(graph.n), clique_levels(graph, self.size)
        cap = comb(max(graph.n - 2, 0), self.size - 2)
        common = codegrees_within(graph, steps)
        slope = np.ones(steps, np.int64)
        for j in reversed(range(self.size - 2)):
            most = _ceiling(self.size, j, common)
            sums = np.concatenate(([0], np.cumsum(wide(slope, int(slope[-1]) * steps)[:-1])))
            room = wide(np.asarray(most), int(sums[-1]) + int(most[-1])) - sums
            room[0] = chain[j]
            slope = _at_most(sums + np.minimum.accumulate(room), self._cap(graph.n, j))
        slope[0] = largest_clique_codegree(graph, self.size)
        return profile_of(slope, cap)


@final
@dataclass(frozen=True)
class CodegreeMap:
    """D̃ ↦ Σ_{i<k} binom(D̃ + i, ℓ − 2)."""

    size: int
    k: int

    def __call__(self, statistic: Fraction) -> Fraction:
        return Fraction(sum(comb(int(statistic) + i, self.size - 2) for i in range(self.k)))


def clique_counts(graph: Graph, size: int) -> Int64:
    """The cliques of `size` ≥ 2 vertices at every vertex, remembered with the graph."""
    if size == 2:
        return graph.degrees
    if size == 3:
        return triangle_counts(graph)
    return known(graph, (size, "cliques"), lambda: cliques_per_vertex(graph, size))


def largest_clique_codegree(graph: Graph, size: int) -> int:
    """LS = M_2(ℓ − 2): the most (ℓ − 2)-cliques in the common neighbourhood of two vertices, adjacent or not."""
    smaller = clique_counts(graph, size - 1)
    return known(graph, (size, "LS"), lambda: largest_common(graph, 2, size - 2, 0, smaller))


def clique_levels(graph: Graph, size: int) -> tuple[int, ...]:
    """(H_0, …, H_{ℓ−3}), H_j = max(1, max over j + 2 ≤ s < ℓ of M_s(ℓ − s)), from the last to the first."""

    def compute() -> tuple[int, ...]:
        found: list[int] = []
        best = 1
        for s in reversed(range(2, size)):
            if s == 2:
                best = max(best, largest_clique_codegree(graph, size))
            else:
                best = largest_common(graph, s, size - s, best, clique_counts(graph, size - s + 1))
            found.append(best)
        return tuple(reversed(found))

    return known(graph, (size, "hierarchy"), compute)


def _at_most(values: Whole, cap: int) -> Whole:
    return np.minimum(values, cap if values.dtype == object else min(cap, np.iinfo(np.int64).max))


def _ceiling(size: int, j: int, common: Int64) -> Whole:
    """F_j(D) = max over s ≥ j + 2 of binom(D, ℓ − s), at least 1."""
    most = np.ones_like(common)
    for s in range(j + 2, size):
        most = np.maximum(most, binomials(common, size - s))
    return most


def _grouped(tail: list[int], j: int, k: int) -> int:
    """Σ over 0 ≤ i_0, …, i_j < k of Σ_a binom(i_0 + … + i_j, a) H_{j+a}."""
    ways = [1]
    for _ in range(j + 1):
        ways = [sum(ways[max(0, t - k + 1) : t + 1]) for t in range(len(ways) + k - 1)]
    return sum(count * comb(t, a) * level for t, count in enumerate(ways) for a, level in enumerate(tail))
