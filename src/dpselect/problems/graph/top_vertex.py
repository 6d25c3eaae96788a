"""TopVertex: which vertex is in most copies of a motif? Under edge-differential privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import whole
from dpselect.exact.scores import IntegerScores
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.choice import motif_named
from dpselect.problems.graph.motifs.clique import Clique
from dpselect.problems.graph.motifs.closing import Diamond, FourCycle
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.triangle import Triangle
from dpselect.problems.units import Edges
from dpselect.profile import Profile
from dpselect.question import LevelConstants

ONE_EDGE = Edges(1)


@final
@dataclass(frozen=True)
class TopVertex:
    """argmax_v q(G, v), q(G, v) = number of copies of the motif through v; neighbours differ in up to k edges.

    Arguments:
        motif: a name ("triangle", "4-clique", "2-star", "4-cycle", "diamond", …), or a small connected graph, of
            networkx or as pairs (`motif_named`).
        unit: `Edges(k)`, default one edge. The vertex set is public; node-level privacy is out of scope.

    Guarantee: counts are monotone in the edges, so κ = 1; profile, levels and flip distances are stated and proved with
    the motif. Source: theory section 8.

    >>> from dpselect.problems.graph.graph import Graph
    >>> problem = TopVertex("triangle")
    >>> problem.scores(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).size
    4
    """

    motif: Any = "triangle"
    unit: Edges = ONE_EDGE

    def __post_init__(self) -> None:
        motif_named(self.motif)
        if not isinstance(self.unit, Edges):
            raise UnsupportedProblem(f"unit must be Edges(k) for a graph problem, got {self.unit!r}")

    @property
    def named_motif(self) -> Motif:
        """The motif by its name or shape."""
        return motif_named(self.motif)

    @property
    def default_method(self) -> str | None:
        """What the exact regrets on public graphs speak for (`docs/methods.md`); None: the general rule.

        Degrees move by 1 with an edge, everywhere: there is nothing to calibrate. Cliques, 4-cycles and diamonds are
        rare, and what counts is how many edges away a vertex is. Other motifs grow with every edge of a hub, so that a
        smooth bound of the local sensitivity sees more than the number of edges does.
        """
        motif = self.named_motif
        if motif.name == "edge":
            return "global-scale"
        return None if isinstance(motif, Triangle | Clique | FourCycle | Diamond) else "direct-smooth"

    @property
    def name(self) -> str:
        """For releases."""
        return f"top vertex by {self.named_motif.name} count"

    def under(self, unit: object) -> TopVertex:
        """The same question with more edges protected at once."""
        if isinstance(unit, int) and not isinstance(unit, bool):
            raise InvalidParameter(f"unit must be Edges({unit}), not a bare number")
        if not isinstance(unit, Edges):
            raise UnsupportedProblem(f"unit must be Edges(k) for a graph problem, got {unit!r}")
        return TopVertex(self.motif, Edges(whole(unit.k, "k", least=1)))

    kappa = 1

    @property
    def monotone(self) -> bool:
        """One edge moves all counts in one direction; of several, some may be added and others removed.

        The profile bounds the span either way, so κ stays 1.
        """
        return self.unit.k == 1

    def check(self, graph: object) -> None:
        """Only a `Graph` has a declared vertex set."""
        if not isinstance(graph, Graph):
            raise InvalidParameter(
                f"data must be a dpselect Graph, got {type(graph).__name__}; "
                "use ds.graph.read_edges(path) or ds.graph.as_graph(…)"
            )

    def candidates(self, graph: Graph) -> Sequence[Any]:
        """The public vertex set."""
        return graph.vertices

    def global_sensitivity(self, graph: Graph) -> Fraction:
        """From the public number of vertices."""
        return self.named_motif.global_sensitivity(graph.n, self.unit.k)

    def level_constants(self, graph: Graph) -> LevelConstants | None:
        """From the public number of vertices."""
        return self.named_motif.level_constants(graph.n, self.unit.k)

    def assumptions(self, graph: Graph) -> tuple[str, ...]:
        """What the release depends on being true."""
        said: tuple[str, ...] = ("the vertex set is public; edges are what is protected",)
        if graph.vertices_from_data:
            said += ("the vertex ids read from the edges are declared public",)
        return said

    def scores(self, graph: Graph) -> IntegerScores:
        """q(G, ·)."""
        return IntegerScores(self.named_motif.counts(graph), Fraction(1))

    def profile(self, graph: Graph) -> Profile:
        """A_G for the unit."""
        return self.named_motif.profile(graph, self.unit.k)

    def levels(self, graph: Graph) -> tuple[Fraction, ...]:
        """H_0(G), … for the unit."""
        return self.named_motif.levels(graph, self.unit.k)

    def flip_distance(self, graph: Graph) -> npt.NDArray[np.int64]:
        """φ(G, ·) for the unit."""
        return self.named_motif.flip_distance(graph, self.named_motif.counts(graph), self.unit.k)

    def flip_distance_among(self, graph: Graph, kept: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """φ(G, ·) where only the vertices at the positions `kept` are candidates (for top-k)."""
        scores = np.zeros(graph.n, np.int64)
        scores[kept] = self.named_motif.counts(graph)[kept]
        return self.named_motif.flip_distance(graph, scores, self.unit.k)[kept]
