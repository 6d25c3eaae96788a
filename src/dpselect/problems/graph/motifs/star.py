"""k-stars: everything from degrees (theory section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.binomials import binomials
from dpselect.problems.graph.from_degrees import stars_per_vertex
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.growth import Grown, horizon, profile_of
from dpselect.problems.graph.motifs.known import known, largest_degree
from dpselect.profile import Profile

Int64 = npt.NDArray[np.int64]
Whole = npt.NDArray[Any]

MOST_LEAVES = 20


@final
@dataclass(frozen=True)
class Star(Grown):
    """q(G, v) = the stars with k ≥ 2 leaves that contain v, as the centre or as a leaf ("2-star": paths of length 2).

        LS = max over pairs of binom(a, k − 1) + binom(b, k − 1),   GS = 2 binom(n − 2, k − 1),

    a, b the degrees without the edge uv: the new star's centre is u or v. An added edge raises a or b of a pair by 1,
    not both, and nothing else raises them. As f = binom(·, k − 1) is convex, t edges do most if all go to the higher
    end until that has degree n − 2, then to the other:

        A(t) = max over pairs, a ≥ b, of f(min(a + t, n − 2)) + f(min(b + (t − (n − 2 − a))₊, n − 2)),

    exactly. Only the Pareto-optimal (a, b) matter; an adjacent pair is no better than the two highest degrees less one.
    Slope (see `Grown`): one edge changes one of a, b by one, so binom(Δ, k − 2) bounds LS(H_0); 1 for k = 2.

    Default: a direct smooth bound where there is a δ to spend, else the flip-distance certificate: the counts of a hub
    grow with its degree, so that the profile is already close to them. Where a bound is released, the exact H_0 with
    one mapped level beats 2 binom(Δ, k − 1) mapped, which is up to twice too large before any noise.
    """

    leaves: int = 2

    def __post_init__(self) -> None:
        if whole(self.leaves, "leaves", least=2) > MOST_LEAVES:
            raise InvalidParameter(f"leaves must be at most {MOST_LEAVES}, got {self.leaves}")

    @property
    def name(self) -> str:
        return f"{self.leaves}-star"

    def counts(self, graph: Graph) -> Int64:
        return known(graph, (self.name, "counts"), lambda: stars_per_vertex(graph, self.leaves))

    def _through_a_pair(self, n: int) -> int:
        return 2 * comb(max(n - 2, 0), self.leaves - 1)

    def local_sensitivity(self, graph: Graph) -> int:
        return max(comb(a, self.leaves - 1) + comb(b, self.leaves - 1) for a, b in degree_pairs(graph))

    def statistic(self, graph: Graph) -> int:
        return largest_degree(graph)

    def slope(self, statistic: int) -> int:
        return comb(statistic, self.leaves - 2)

    @property
    def constant_slope(self) -> int | None:
        return 1 if self.leaves == 2 else None

    def _single_profile(self, graph: Graph) -> Profile:
        steps, most = np.arange(horizon(graph.n), dtype=np.int64), max(graph.n - 2, 0)
        best: Whole = np.zeros(len(steps), np.int64)
        for a, b in degree_pairs(graph):
            high, low = np.minimum(a + steps, most), np.minimum(b + np.maximum(steps - (most - a), 0), most)
            best = np.maximum(best, binomials(high, self.leaves - 1) + binomials(low, self.leaves - 1))
        return profile_of(best, self._through_a_pair(graph.n))

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> Int64:
        from dpselect.problems.graph.certificates.stars import star_flip_distance

        return star_flip_distance(graph, scores, self.leaves, limit)


def degree_pairs(graph: Graph) -> list[tuple[int, int]]:
    """Pairs (a, b), a ≥ b, of degrees without the edge between them, such that every pair is at most one of these.

    For each u the best partner of lower rank is the first that is not its neighbour. The scan ends where even an
    adjacent next pair could add nothing. Empty for n = 1 read as (0, 0). Cost: O(m) at worst, a few steps as a rule.

    >>> degree_pairs(Graph.from_edges([(0, 1), (0, 2), (3, 4)]))
    [(2, 1)]
    """
    near = graph.adjacency
    degrees = np.diff(near.start)
    if graph.n < 2:
        return [(0, 0)]
    found: list[tuple[int, int]] = []
    for u in range(graph.n - 1):
        high, next_high = int(degrees[u]), int(degrees[u + 1])
        if any(a >= high and b >= next_high for a, b in found):
            break
        later = near.neighbour[near.split[u] : near.start[u + 1]]
        gaps = np.flatnonzero(later != np.arange(u + 1, u + 1 + len(later)))
        v = u + 1 + (int(gaps[0]) if len(gaps) else len(later))
        if u == 0 and v > 1:
            found.append((high - 1, next_high - 1))
        if v < graph.n:
            found.append((high, int(degrees[v])))
    return [p for p in found if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in found)]
