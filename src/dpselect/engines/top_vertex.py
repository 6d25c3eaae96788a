"""`graph.TopVertex` where the edges stay in an engine: degrees, triangles and cliques per vertex."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.engines.codegrees import codegree_stairs, triangle_profile
from dpselect.engines.edge_table import EdgeTable, OpenEdges
from dpselect.engines.motif_counts import keep_scores
from dpselect.engines.score_groups import ScoreGroups
from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import integer_array
from dpselect.exact.scores import Scores
from dpselect.methods.ladder import whole_steps
from dpselect.problems.graph.certificates.by_degree import flip_distance_by_degree
from dpselect.problems.graph.certificates.grouped import grouped
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT
from dpselect.problems.graph.motifs.clique import Clique
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.triangle import Triangle
from dpselect.problems.graph.top_vertex import TopVertex
from dpselect.problems.units import Edges
from dpselect.profile import Profile
from dpselect.question import LevelConstants, Unlisted


@final
class Counted:
    """What one motif needs of open edges, computed once: private."""

    def __init__(self, edges: OpenEdges, vertices: int) -> None:
        self.edges = edges
        self._vertices = vertices

    def __repr__(self) -> str:
        return "Counted(<private>)"

    @cached_property
    def groups(self) -> ScoreGroups:
        """The vertices by score and degree."""
        keep_scores(self.edges, self._vertices)
        return ScoreGroups.of(self.edges)

    @cached_property
    def codegree_profile(self) -> Profile:
        """A of triangles: from t = 0 on, the largest co-degree within t edges, or more."""
        return triangle_profile(codegree_stairs(self.edges), self.edges.n)

    @cached_property
    def largest_codegree(self) -> int:
        """D, over all pairs."""
        return int(self.codegree_profile.local_bound)


@final
@dataclass(frozen=True)
class TopVertexOnEngine:
    """argmax_v q(G, v), q(G, v) = degree of v, or cliques of ℓ vertices through v; `TopVertex` states the guarantee.

    Vertices are not listed: `groups` has one entry for each score and degree, and the vertex that is drawn is asked for
    by rank.

    Profile. Degrees: 1 for an edge, everywhere. Triangles: `codegrees.triangle_profile`. ℓ-cliques: LS ≤ binom(D,
    ℓ − 2), D the largest co-degree over all pairs, 1-Lipschitz; the map of the triangle profile by binom(·, ℓ − 2) is
    admissible (theory section 8, degree chain). Level: the same D, mapped. Up to k edges: as for `Triangle`, `Clique`.
    Flip distance: `certificates.by_degree`, or the whole steps of the ladder where these are larger. Smaller than that
    in memory, which sees the co-degrees of every vertex.
    """

    problem: TopVertex
    motif: Motif

    @classmethod
    def of(cls, problem: TopVertex) -> TopVertexOnEngine:
        """Raises `UnsupportedProblem` for other motifs."""
        motif = problem.named_motif
        if isinstance(motif, Clique):
            # The hierarchy by co-degrees: it needs D alone.
            motif = Clique(motif.size, hierarchy="codegree")
        elif not isinstance(motif, Triangle) and motif.name != "edge":
            raise UnsupportedProblem(
                f"motif {motif.name!r} is not counted on engines (edge, triangle, 4-clique, 5-clique, 6-clique are)"
            )
        return cls(problem, motif)

    @property
    def _vertices(self) -> int:
        return self.motif.size if isinstance(self.motif, Clique) else 3 if isinstance(self.motif, Triangle) else 2

    @property
    def _k(self) -> int:
        return self.problem.unit.k

    @property
    def name(self) -> str:
        """For releases."""
        return self.problem.name

    @property
    def unit(self) -> Edges:
        """`Edges(k)`."""
        return self.problem.unit

    def under(self, unit: object) -> TopVertexOnEngine:
        """The same question with more edges protected at once."""
        return TopVertexOnEngine(self.problem.under(unit), self.motif)

    @property
    def default_method(self) -> str | None:
        """What the exact regrets on public graphs speak for (`docs/scaling.md`); None: flip distances.

        Degrees as in memory. A hub with many triangles is told by the smooth bound better than by these flip distances,
        where there is a δ; the local sensitivity of larger cliques is too large for it.
        """
        if self._vertices == 2:
            return self.problem.default_method
        return "direct-smooth" if self._vertices == 3 else None

    kappa = 1

    @property
    def monotone(self) -> bool:
        """For one edge."""
        return self.problem.monotone

    def check(self, edges: object) -> None:
        """Only edges that are open."""
        if not isinstance(edges, OpenEdges):
            raise InvalidParameter(f"data must be edges in an open engine, got {type(edges).__name__}")

    def candidates(self, edges: OpenEdges) -> Unlisted:
        """The public vertex set."""
        return Unlisted(edges.n, "vertices")

    def global_sensitivity(self, edges: OpenEdges) -> Fraction:
        """From the public number of vertices."""
        return self.motif.global_sensitivity(edges.n, self._k)

    def level_constants(self, edges: OpenEdges) -> LevelConstants | None:
        """From the public number of vertices."""
        return None if self._vertices == 2 else self.motif.level_constants(edges.n, self._k)

    def assumptions(self, edges: OpenEdges) -> tuple[str, ...]:
        """What the release depends on being true."""
        said: tuple[str, ...] = ("the vertex set is public; edges are what is protected",)
        if edges.vertices_from_data:
            said += ("the vertex ids read from the edges are declared public",)
        return said

    def read(self, edges: OpenEdges) -> Counted:
        """What everything below is computed from."""
        return Counted(edges, self._vertices)

    def groups(self, x: Counted) -> ScoreGroups:
        """The vertices by score and degree."""
        return x.groups

    def scores(self, x: Counted) -> Scores:
        """One for each group."""
        return x.groups.scores

    def profile(self, x: Counted) -> Profile:
        """A_G for the unit."""
        if self._vertices == 2:
            return Profile.constant(self.motif.global_sensitivity(x.edges.n, self._k))
        return self._for_one_edge(x).groups(self._k)

    def _for_one_edge(self, x: Counted) -> Profile:
        if self._vertices == 2:
            return Profile.constant(self.motif.global_sensitivity(x.edges.n, 1))
        one = x.codegree_profile
        if self._vertices == 3:
            return one
        values = [comb(int(v), self._vertices - 2) for v in one.values]
        return Profile(one.starts, integer_array(np.array(values, dtype=object)))

    def flip_distance(self, x: Counted, groups: ScoreGroups) -> NDArray[np.int64]:
        """φ(G, ·) for the unit, of the candidates in the groups."""
        own = flip_distance_by_degree(
            integer_array(groups.values),
            groups.degrees,
            integer_array(groups.counts),
            # Degrees move by 1 with every edge, whatever D is.
            codegree=x.largest_codegree if self._vertices > 2 else 0,
            clique=self._vertices,
            n=x.edges.n,
            limit=DEFAULT_LIMIT * self._k,
        )
        return grouped(np.maximum(own, whole_steps(self._for_one_edge(x).ladder(1), groups.scores)), self._k)

    def levels(self, x: Counted) -> tuple[Fraction, ...]:
        """H_0 for triangles, D for larger cliques (mapped)."""
        return (self.profile(x).local_bound if self._vertices == 3 else x.codegree_profile.local_bound,)


def edges_of(data: Any) -> EdgeTable:
    """An edge table; other data are the table itself, with its first two columns.

    >>> edges_of("edges.parquet").vertices is None
    True
    """
    return data if isinstance(data, EdgeTable) else EdgeTable(data)
