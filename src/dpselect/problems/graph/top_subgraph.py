"""The k vertices whose induced subgraph holds the most copies of a motif, under edge-differential privacy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any, NoReturn, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import whole
from dpselect.exact.scores import IntegerScores
from dpselect.methods.ladder import whole_steps
from dpselect.problems.graph.certificates.grouped import grouped
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.choice import motif_named
from dpselect.problems.graph.motifs.known import known
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.shapes import pattern_of
from dpselect.problems.graph.subsets.classes import MOST_VERTICES, Inside, inside
from dpselect.problems.graph.subsets.groups import SubgraphGroups, flip_distances
from dpselect.problems.graph.subsets.ranges import (
    MOST,
    AllSubsets,
    ConnectedSubsets,
    Family,
    SubsetClasses,
    checkpoint_at,
)
from dpselect.problems.units import Edges
from dpselect.profile import Profile
from dpselect.question import LevelConstants, Unlisted

Int64 = npt.NDArray[np.int64]

ONE_EDGE = Edges(1)


@final
@dataclass(frozen=True)
class TopSubgraph:
    """argmax over k-subsets S of the vertices of q(G, S) = the copies of a motif H in G[S], induced or not.

    The candidates are never listed. Connected subsets are counted by isomorphism class, in parallel over their least
    vertices; the number of each class that is not connected, usually nearly all of the binom(n, k), follows from these
    (`subsets.unconnected`). The draw works on the classes (at most 156), a second pass finds a uniform member.

    Arguments, all public:
        k: 2 … 6 vertices.
        motif: as for `TopVertex`, of at most k vertices.
        unit: `Edges(j)`, default one edge. The vertex set is public.
        within: choose among these vertices only.
        connected_in: a `Graph` (public) in which the k vertices must be connected; its vertices are declared there.
        family: the candidates one by one, each k vertices; excludes the other two.
        most: refuse to count more connected subgraphs (by an estimate); about 10^8 a second and core.
        checkpoint: a file to go on from when the counting was stopped. **It holds private counts** (mode 0600).

    Sensitivity (theory 8). An edge uv changes q(S) only for S ∋ u, v, by the copies through uv inside S, all in one
    direction (κ = 1):

        GS = copies of H in K_k through one edge (ℓ-cliques: binom(k − 2, ℓ − 2)), whatever n is
        H_0 = min(GS, LS of H per vertex), which is LS for triangles: min(k − 2, largest co-degree)

    because copies through uv inside S are copies through uv in G + uv, of which the count of vertex u has them all. The
    profile is min(GS, that of the motif per vertex): f(A) for a nondecreasing f (theory 2). For triangles A is exact,
    as k − 2 common neighbours together with u, v are a candidate. With `within` all of it is about the subgraph on
    these vertices; other edges change no score. Levels: those of the motif per vertex, the first of them capped by GS.

    Flip distance: `subsets.groups.flip_distances`, or the whole steps of the ladder where these are larger; the profile
    per vertex bounds the copies through a pair there, and is made of counts, degrees and co-degrees by nondecreasing
    functions, so it does not rise when an edge is removed. Up to j edges: the span is at most the sum of the profile
    over j steps; flips are divided by j and rounded up.

    Answer: the labels of the subset as a list, in the order of the vertices.
    Errors: `InvalidParameter` if k is below the size of the motif or above the number of vertices.

    >>> graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> TopSubgraph(3).candidates(graph).size
    4
    """

    k: int
    motif: Any = "triangle"
    unit: Edges = ONE_EDGE
    within: Iterable[Any] | None = None
    connected_in: Graph | None = None
    family: Iterable[Iterable[Any]] | None = None
    most: int = MOST
    checkpoint: Any = None

    def __post_init__(self) -> None:
        size = whole(self.k, "k", least=2)
        if size > MOST_VERTICES:
            raise InvalidParameter(f"k must be at most {MOST_VERTICES}, got {size}")
        needed = pattern_of(self._motif).size
        if needed > size:
            raise InvalidParameter(
                f"k must be at least {needed} for motif {self._motif.name!r}: {size} vertices hold no copy of it"
            )
        if not isinstance(self.unit, Edges):
            raise UnsupportedProblem(f"unit must be Edges(k) for a graph problem, got {self.unit!r}")
        whole(self.most, "most", least=1)
        if self.connected_in is not None and not isinstance(self.connected_in, Graph):
            raise InvalidParameter(f"connected_in must be a dpselect Graph, got {type(self.connected_in).__name__}")
        if self.family is not None and (self.within is not None or self.connected_in is not None):
            raise InvalidParameter("family lists the candidates: it excludes within= and connected_in=")
        if self.checkpoint is not None and self.family is not None:
            raise InvalidParameter("checkpoint: a family is counted at once, there is nothing to go on from")
        if self.within is not None:
            object.__setattr__(self, "within", _distinct(self.within, "within"))
        if self.family is not None:
            object.__setattr__(self, "family", _subsets(self.family, size))

    @property
    def _motif(self) -> Motif:
        return motif_named(self.motif)

    @property
    def _inside(self) -> Inside:
        return inside(pattern_of(self._motif), self.k)

    @property
    def name(self) -> str:
        """For releases."""
        return f"top {self.k}-vertex subgraph by {self._motif.name} count"

    def under(self, unit: object) -> TopSubgraph:
        """The same question with more edges protected at once."""
        if isinstance(unit, int) and not isinstance(unit, bool):
            raise InvalidParameter(f"unit must be Edges({unit}), not a bare number")
        if not isinstance(unit, Edges):
            raise UnsupportedProblem(f"unit must be Edges(k) for a graph problem, got {unit!r}")
        return TopSubgraph(
            self.k, self.motif, unit, self.within, self.connected_in, self.family, self.most, self.checkpoint
        )

    kappa = 1

    @property
    def monotone(self) -> bool:
        """One edge moves all counts in one direction; of several, some may be added and others removed.

        The profile bounds the span either way, so κ stays 1.
        """
        return self.unit.k == 1

    @property
    def default_method(self) -> str | None:
        """What "auto" takes: the global scale for motifs of one or two edges, and of three from k = 5 on.

        A subset without an edge is e^(−ε binom(k, 2)/e) lighter than a complete one at the global scale (κ = 1), and at
        most e^(−ε binom(k, 2)/2) by flips (κ = 2), e the edges of the motif. Flips see what others do not, and win on
        public graphs from e = 4 on, and for e = 3 where most subsets are nearly empty (docs/graph/top-subgraph.md).
        """
        edges = len(pattern_of(self._motif).edges)
        return "global-scale" if edges <= 2 or (edges == 3 and self.k >= 5) else None

    def check(self, graph: object) -> None:
        """Only a `Graph` has a declared vertex set."""
        if not isinstance(graph, Graph):
            raise InvalidParameter(
                f"data must be a dpselect Graph, got {type(graph).__name__}; "
                "use ds.graph.read_edges(path) or ds.graph.as_graph(…)"
            )

    def candidates(self, graph: Graph) -> Unlisted:
        """How many there are, from the public vertices (and the public graph or family)."""
        chosen = self.read(graph)
        if self.family is not None:
            return Unlisted(len(chosen.members), f"{self.k}-vertex subsets, listed")
        if self.k > chosen.graph.n:
            raise InvalidParameter(f"k must be at most the number of vertices ({chosen.graph.n}), got {self.k}")
        if self.connected_in is None:
            return Unlisted(comb(chosen.graph.n, self.k), f"{self.k}-vertex subsets")
        size = chosen.connected
        if size == 0:
            raise InvalidParameter(f"connected_in: no {self.k} of the vertices are connected there")
        return Unlisted(size, f"{self.k}-vertex subsets, connected in a public graph")

    def global_sensitivity(self, graph: Graph) -> Fraction:
        """Public, and independent of the graph."""
        return self.unit.k * pattern_of(self._motif).through_one_pair(self.k)

    def level_constants(self, graph: Graph) -> LevelConstants | None:
        """From the public number of vertices."""
        own = self._motif.level_constants(self.read(graph).graph.n, self.unit.k)
        if own is None:
            return None
        first = self.global_sensitivity(graph)
        first = first if own.caps[0] is None else min(first, own.caps[0])
        return LevelConstants(own.count, own.top, (first, *own.caps[1:]), own.maps)

    def assumptions(self, graph: Graph) -> tuple[str, ...]:
        """What the release depends on being true."""
        said: tuple[str, ...] = ("the vertex set is public; edges are what is protected",)
        if graph.vertices_from_data:
            said += ("the vertex ids read from the edges are declared public",)
        if self.within is not None:
            said += ("the vertices to choose among are public",)
        if self.connected_in is not None:
            said += ("the graph in which the vertices must be connected is public",)
        if self.family is not None:
            said += ("the list of candidates is public",)
        return said

    def read(self, graph: Graph | Chosen) -> Chosen:
        """The subgraph on the vertices to choose among, and its subsets by class once they are asked for."""
        if isinstance(graph, Chosen):
            return graph
        return Chosen.of(self, graph)

    def groups(self, x: Graph | Chosen) -> SubgraphGroups:
        """The candidates by isomorphism class."""
        chosen = self.read(x)
        return SubgraphGroups(self._inside, chosen.classes, chosen.graph.vertices)

    def scores(self, x: Graph | Chosen) -> IntegerScores:
        """q(G, ·), one for each group."""
        return self.groups(x).scores

    def profile(self, x: Graph | Chosen) -> Profile:
        """A_G for the unit."""
        return self._single_profile(x).groups(self.unit.k)

    def _single_profile(self, x: Graph | Chosen) -> Profile:
        cap = pattern_of(self._motif).through_one_pair(self.k)
        return self._motif.profile(self.read(x).graph, 1).capped(cap)

    def levels(self, x: Graph | Chosen) -> tuple[Fraction, ...]:
        """H_0(G), … for the unit."""
        graph = self.read(x).graph
        first, *others = self._motif.levels(graph, self.unit.k)
        constants = self._motif.level_constants(graph.n, self.unit.k)
        if constants is not None and constants.map_of(0) is None:
            first = min(first, self.unit.k * pattern_of(self._motif).through_one_pair(self.k))
        return (first, *others)

    def flip_distance(self, x: Graph | Chosen, groups: SubgraphGroups | None = None) -> Int64:
        """φ(G, ·) for the unit, one for each group; `groups` where some candidates are taken already (top-k)."""
        chosen = self.read(x)
        left = self.groups(chosen) if groups is None else groups
        pattern, n = pattern_of(self._motif), chosen.graph.n
        own = self._motif.profile(chosen.graph, 1)
        through = [int(own(i)) for i in range(self._inside.steps + 1)]
        holding = comb(n - pattern.size, self.k - pattern.size)
        found = flip_distances(self._inside, left.masks, left.counts, through, holding)
        steps = whole_steps(self._single_profile(chosen).ladder(1), left.scores)
        return grouped(np.maximum(found, steps), self.unit.k)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Chosen:
    """The private graph on the vertices to choose among, and what is public about the range."""

    problem: TopSubgraph
    graph: Graph
    public: Graph | None
    members: Int64

    def __repr__(self) -> str:
        return "Chosen(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("the chosen subgraph is private and cannot be pickled")

    @staticmethod
    def of(problem: TopSubgraph, graph: Graph) -> Chosen:
        """Cuts the graph down to the vertices of the range."""
        none = np.empty((0, problem.k), np.int64)
        if problem.family is not None:
            place = {label: i for i, label in enumerate(graph.vertices)}
            rows = [sorted(_positions(subset, place, "family")) for subset in problem.family]
            members = np.unique(np.array(rows, np.int64), axis=0)
            if len(members) < len(rows):
                raise InvalidParameter("family: a subset is listed twice")
            return Chosen(problem, graph, None, members)
        labels = graph.vertices if problem.within is None else problem.within
        own = graph if problem.within is None else restricted(graph, tuple(labels), "within")
        public = problem.connected_in
        return Chosen(problem, own, None if public is None else _on_vertices(public, own), none)

    @property
    def connected(self) -> int:
        """The connected k-subsets of the public graph: a public number, counted without the private graph, once."""
        whole_graph = self.problem.connected_in
        assert whole_graph is not None
        return known(whole_graph, ("connected", self.problem.k, tuple(self.graph.vertices)), self._connected)

    def _connected(self) -> int:
        from dpselect.problems.graph.subsets.census import Census

        assert self.public is not None
        empty = Graph(self.public.vertices, np.empty(0, np.int32), np.empty(0, np.int32))
        k, census = self.problem.k, Census(empty, self.public, self.problem.k)
        if census.estimate() > self.problem.most:
            raise InvalidParameter(
                f"most: by an estimate, more than {self.problem.most:,} subsets of {k} vertices are connected in the "
                "public graph; raise `most` if you have the time (about 10^8 a second and core)"
            )
        return int(census.count()[:, census.columns[k, 0]].sum())

    @cached_property
    def classes(self) -> SubsetClasses:
        """The candidates by class, counted when they are asked for."""
        problem, k, most = self.problem, self.problem.k, self.problem.most
        if problem.family is not None:
            return Family(self.graph, self.members)
        if self.public is not None:
            at = checkpoint_at(problem.checkpoint, k, self.graph, self.public)
            return ConnectedSubsets(self.graph, self.public, k, at)
        return AllSubsets(self.graph, k, most, checkpoint_at(problem.checkpoint, k, self.graph))


def restricted(graph: Graph, labels: tuple[Any, ...], name: str) -> Graph:
    """The subgraph induced on some vertices, in the order of the graph."""
    place = {label: i for i, label in enumerate(graph.vertices)}
    chosen = np.sort(np.array(_positions(labels, place, name), np.int64))
    rank = np.full(graph.n, -1, np.int32)
    rank[chosen] = np.arange(len(chosen), dtype=np.int32)
    tails, heads = rank[graph.tails], rank[graph.heads]
    inside = (tails >= 0) & (heads >= 0)
    return Graph(tuple(graph.vertices[i] for i in chosen), tails[inside], heads[inside], graph.vertices_from_data)


def _on_vertices(public: Graph, own: Graph) -> Graph:
    """The public graph on the vertices of the private one; its other vertices are left out."""
    place = {label: i for i, label in enumerate(own.vertices)}
    rank = np.array([place.get(label, -1) for label in public.vertices], np.int32)
    tails, heads = rank[public.tails], rank[public.heads]
    inside = (tails >= 0) & (heads >= 0)
    pairs = np.stack([tails[inside], heads[inside]], axis=1)
    found = Graph.from_edges(pairs.astype(np.int64), vertices=range(own.n))
    return Graph(own.vertices, found.tails, found.heads)


def _positions(labels: Iterable[Any], place: dict[Any, int], name: str) -> list[int]:
    found = [place.get(label) for label in labels]
    if None in found:
        raise InvalidParameter(f"{name}: a vertex is not among those of the graph")
    return [i for i in found if i is not None]


def _distinct(labels: object, name: str) -> tuple[Any, ...]:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InvalidParameter(f"{name} must be a list of vertices")
    listed = tuple(labels)
    if len(set(listed)) < len(listed):
        raise InvalidParameter(f"{name}: a vertex is listed twice")
    return listed


def _subsets(family: object, size: int) -> tuple[tuple[Any, ...], ...]:
    if isinstance(family, str | bytes) or not isinstance(family, Iterable):
        raise InvalidParameter("family must be a list of subsets")
    listed = tuple(_distinct(subset, "family") for subset in family)
    if not listed or any(len(subset) != size for subset in listed):
        raise InvalidParameter(f"family must hold at least one subset, each of k = {size} vertices")
    return listed
