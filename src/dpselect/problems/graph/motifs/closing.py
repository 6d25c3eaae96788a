"""Motifs of four vertices: exact local sensitivity, growth from what two edges can share (theory section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.four_cycles import four_cycles_per_vertex, largest_closed_four_cycles
from dpselect.problems.graph.from_degrees import (
    diamonds_per_vertex,
    largest_closed_three_paths,
    paws_per_vertex,
    three_paths_per_vertex,
)
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.growth import Grown, grown, horizon, wide
from dpselect.problems.graph.motifs.known import (
    codegrees_within,
    degrees_within,
    known,
    largest_codegree,
    largest_degree,
    triangle_counts,
)
from dpselect.problems.graph.motifs.pattern import DIAMOND, PAW, Pattern, cycle, path
from dpselect.problems.graph.pair_sums import largest_closed_diamonds, largest_closed_paws
from dpselect.profile import Profile

Int64 = npt.NDArray[np.int64]

PATH, CYCLE = path(3), cycle(4)


@final
@dataclass(frozen=True)
class ThreePath(Grown):
    """q(G, v) = the paths of three edges (four vertices) that contain v.

        LS = max over all pairs of ab − 3c + s_u + s_v,   GS = 3 (n − 2)(n − 3),

    a, b the degrees without uv, c the co-degree, s_u = Σ over x ∈ N(u) − v of (d_x − 1): ab − c paths with uv in the
    middle, s_u − c and s_v − c with uv at an end. Slope: max(2Δ, 4), the paths through two given edges
    (`Pattern.two_edges`: if they share an end, one more edge at either other end; if not, four ways to join them).
    Ceiling: 3Δ².

    Default: a direct smooth bound where there is a δ to spend, else the whole-step ladder; no flip-distance certificate
    of its own is known.
    """

    @property
    def name(self) -> str:
        return "3-path"

    def counts(self, graph: Graph) -> Int64:
        return known(graph, "3-path", lambda: three_paths_per_vertex(graph, triangle_counts(graph)))

    def _through_a_pair(self, n: int) -> int:
        return int(PATH.through_one_pair(n))

    def local_sensitivity(self, graph: Graph) -> int:
        return largest_closed_three_paths(graph)

    def statistic(self, graph: Graph) -> int:
        return largest_degree(graph)

    def slope(self, statistic: int) -> int:
        return max(2 * statistic, 4)

    @property
    def constant_slope(self) -> int | None:
        return None

    def _single_profile(self, graph: Graph) -> Profile:
        return _between(graph, PATH, self.exact(graph))

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> None:
        return None


@final
@dataclass(frozen=True)
class FourCycle(Grown):
    """q(G, v) = the 4-cycles, induced or not, that contain v.

        LS = max over all pairs of the paths u–x–y–v,   GS = (n − 2)(n − 3),

    Slope: max(2, D), the 4-cycles through two given edges: if they share an end, one for each common neighbour of the
    other two; if not, two ways to join them. Ceiling: Δ·D.

    Default: the flip-distance certificate; with a released bound the exact level and a mapped one.
    """

    @property
    def name(self) -> str:
        return "4-cycle"

    def counts(self, graph: Graph) -> Int64:
        return known(graph, "4-cycle", lambda: four_cycles_per_vertex(graph))

    def _through_a_pair(self, n: int) -> int:
        return int(CYCLE.through_one_pair(n))

    def local_sensitivity(self, graph: Graph) -> int:
        return largest_closed_four_cycles(graph, largest_codegree(graph))

    def statistic(self, graph: Graph) -> int:
        return largest_codegree(graph)

    def slope(self, statistic: int) -> int:
        return max(2, statistic)

    @property
    def constant_slope(self) -> int | None:
        return None

    def _single_profile(self, graph: Graph) -> Profile:
        return _between(graph, CYCLE, self.exact(graph))

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> Int64:
        from dpselect.problems.graph.certificates.four_cycles import four_cycle_flip_distance

        return four_cycle_flip_distance(graph, scores, limit)


@final
@dataclass(frozen=True)
class Diamond(Grown):
    """q(G, v) = the diamonds (K_4 without an edge, induced or not) that contain v.

        LS = max over all pairs of binom(c, 2) − 2c [u ~ v] + Σ over common q of (e_uq + e_vq),
        GS = 5 (n − 2)(n − 3)/2,

    c the co-degree of the pair, e that of the ends of an edge (`largest_closed_diamonds`). Slope: max(4D, 4), the
    diamonds through two given edges (`Pattern.two_edges`). Ceiling: (5/2) D².

    Default: the flip-distance certificate, with or without a δ.
    """

    @property
    def name(self) -> str:
        return "diamond"

    def counts(self, graph: Graph) -> Int64:
        return known(graph, "diamond", lambda: diamonds_per_vertex(graph, triangle_counts(graph)))

    def _through_a_pair(self, n: int) -> int:
        return int(DIAMOND.through_one_pair(n))

    def local_sensitivity(self, graph: Graph) -> int:
        return largest_closed_diamonds(graph)

    def statistic(self, graph: Graph) -> int:
        return largest_codegree(graph)

    def slope(self, statistic: int) -> int:
        return max(4 * statistic, 4)

    @property
    def constant_slope(self) -> int | None:
        return None

    def _single_profile(self, graph: Graph) -> Profile:
        return _between(graph, DIAMOND, self.exact(graph))

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> Int64:
        from dpselect.problems.graph.certificates.diamonds import diamond_flip_distance

        return diamond_flip_distance(graph, scores, limit)


@final
@dataclass(frozen=True)
class Paw(Grown):
    """q(G, v) = the paws (a triangle with one more edge at one of its vertices, induced or not) that contain v.

        LS = max over all pairs of t_u + t_v + c (d_u + d_v − 4 − 4 [u ~ v]) + Σ over common q of d_q,
        GS = 4 (n − 2)(n − 3),

    t the triangles, d the degrees, c the co-degree (`largest_closed_paws`). Slope: max(3Δ + 2D, 4), the paws through
    two given edges (`Pattern.two_edges`), at most 5Δ in the mapped level. Ceiling: 4ΔD.

    Default: a direct smooth bound where there is a δ to spend, else the whole-step ladder.
    """

    @property
    def name(self) -> str:
        return "paw"

    def counts(self, graph: Graph) -> Int64:
        return known(graph, "paw", lambda: paws_per_vertex(graph, triangle_counts(graph)))

    def _through_a_pair(self, n: int) -> int:
        return int(PAW.through_one_pair(n))

    def local_sensitivity(self, graph: Graph) -> int:
        return largest_closed_paws(graph, triangle_counts(graph))

    def statistic(self, graph: Graph) -> int:
        return largest_degree(graph)

    def slope(self, statistic: int) -> int:
        return max(5 * statistic, 4)

    @property
    def constant_slope(self) -> int | None:
        return None

    def _single_profile(self, graph: Graph) -> Profile:
        return _between(graph, PAW, self.exact(graph))

    def certificate(self, graph: Graph, scores: Int64, limit: int) -> None:
        return None


def _between(graph: Graph, pattern: Pattern, exact: int) -> Profile:
    """The recursion of `growth` with slope g_2(Δ_t, D_t) and ceiling g_1(Δ_t, D_t) of the pattern."""
    steps, cap = horizon(graph.n), int(pattern.through_one_pair(graph.n))
    degrees = wide(degrees_within(graph, steps), 64 * graph.n ** (pattern.size - 2) * steps)
    needs = pattern.one_edge.needs_codegrees or pattern.two_edges.needs_codegrees
    common = codegrees_within(graph, steps) if needs else np.zeros(steps, np.int64)
    return grown(exact, pattern.two_edges(degrees, common), pattern.one_edge(degrees, common), cap)
