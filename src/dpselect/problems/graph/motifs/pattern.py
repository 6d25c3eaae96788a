"""A motif as a small graph: its symmetries, its copies in a complete graph, and how many copies few edges can carry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from math import perm
from typing import Any, TypeAlias, final

from dpselect.errors import InvalidParameter, UnsupportedProblem

MOST_VERTICES = 6
"""Copies are counted one by one; beyond six vertices that is out of reach on any graph worth asking about."""

Edge: TypeAlias = tuple[int, int]


@final
@dataclass(frozen=True)
class Terms:
    """g(Δ, D) = ⌊max over rows of Σ coefficient · Δ^a · D^b / order⌋, nondecreasing in both.

    Arguments: rows, each a tuple of (coefficient, a, b); order = |Aut H|.
    """

    rows: tuple[tuple[tuple[int, int, int], ...], ...]
    order: int

    def __call__(self, degree: Any, codegree: Any) -> Any:
        """For whole numbers, or for arrays of them (int64, or Python integers where int64 could overflow)."""
        best = None
        for row in self.rows:
            total = sum(c * degree**a * codegree**b for c, a, b in row) + 0 * (degree + codegree)
            best = total if best is None else best + (total - best) * (total > best)
        return 0 if best is None else best // self.order

    @property
    def needs_codegrees(self) -> bool:
        """Whether D occurs."""
        return any(b > 0 for row in self.rows for _, _, b in row)

    @property
    def needs_degrees(self) -> bool:
        """Whether Δ occurs."""
        return any(a > 0 for row in self.rows for _, a, _ in row)


@final
@dataclass(frozen=True)
class Pattern:
    """A connected graph H on the vertices 0 … h − 1, 2 ≤ h ≤ 6.

    Arguments: `size` = h, `edges`, pairs u < v in ascending order.

    >>> paw = Pattern.of([(0, 1), (0, 2), (1, 2), (2, 3)])
    >>> paw.automorphisms, paw.through_one_pair(10)
    (2, Fraction(224, 1))
    """

    size: int
    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        if self.size < 2 or not self.edges:
            raise InvalidParameter("motif must have at least one edge")
        if self.size > MOST_VERTICES:
            raise UnsupportedProblem(f"motif must have at most {MOST_VERTICES} vertices, got {self.size}")
        reached, waiting = {0}, [0]
        while waiting:
            for v in self.neighbours[waiting.pop()] - reached:
                reached.add(v)
                waiting.append(v)
        if len(reached) < self.size:
            raise UnsupportedProblem("motif must be connected")

    @staticmethod
    def of(pairs: Iterable[tuple[Any, Any]], vertices: Iterable[Any] = ()) -> Pattern:
        """From pairs of any hashable names; loops are refused, directions and repetitions forgotten."""
        listed = [tuple(pair)[:2] for pair in pairs]
        place: dict[Any, int] = {}
        for name in (*vertices, *(name for pair in listed for name in pair)):
            place.setdefault(name, len(place))
        if any(u == v for u, v in listed):
            raise UnsupportedProblem("motif must be a simple graph, without loops")
        edges = {(min(place[u], place[v]), max(place[u], place[v])) for u, v in listed}
        return Pattern(len(place), tuple(sorted(edges)))

    @property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """N(v) for each vertex v of H."""
        near: list[set[int]] = [set() for _ in range(self.size)]
        for u, v in self.edges:
            near[u].add(v)
            near[v].add(u)
        return tuple(frozenset(s) for s in near)

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Aut H as permutations."""
        own = set(self.edges)
        return tuple(p for p in permutations(range(self.size)) if self._moved(p) == own)

    @property
    def automorphisms(self) -> int:
        """|Aut H|."""
        return len(self.symmetries)

    def same(self, other: Pattern) -> bool:
        """Whether the two are isomorphic."""
        if self.size != other.size or sorted(map(len, self.neighbours)) != sorted(map(len, other.neighbours)):
            return False
        goal = set(other.edges)
        return any(self._moved(p) == goal for p in permutations(range(self.size)))

    def _moved(self, p: tuple[int, ...]) -> set[Edge]:
        return {(min(p[u], p[v]), max(p[u], p[v])) for u, v in self.edges}

    def through_one_pair(self, n: int) -> Fraction:
        """GS = e · (n!/((n−h)! |Aut H|)) / binom(n, 2): the copies in K_n through one pair.

        The copies through a pair only grow with the graph, so none has more than K_n, where by symmetry every pair
        has its share e of all copies. All copies through uv contain u and v: their counts change by exactly this.
        """
        if n < self.size:
            return Fraction(0)
        return Fraction(2 * len(self.edges) * perm(n - 2, self.size - 2), self.automorphisms)

    @cached_property
    def one_edge(self) -> Terms:
        """g with LS(G) ≤ g(Δ, D), Δ the maximum degree and D the maximum co-degree over all pairs of G.

        A copy through uv in G + uv is an embedding of H that sends an edge f of H to uv, 2e oriented choices, over
        |Aut H|. Place the other vertices of H one after another so that each has a placed neighbour: its images are
        neighbours in G of one placed vertex, at most Δ, or common neighbours of two, at most D. (Only f is sent to
        uv, so all these edges are in G itself.) The order is one with the most vertices of the second kind, D ≤ Δ.
        """
        row = [self._choices(1, {u, v}) for u, v in self.edges for _ in range(2)]
        return Terms((_collected(row),), self.automorphisms)

    @cached_property
    def two_edges(self) -> Terms:
        """g with |LS(G) − LS(G')| ≤ g(Δ, D)(G) for G' one edge from G.

        The copies through a pair e change by those through e and the other edge e' in G + e + e'. If e and e' share a
        vertex, an ordered pair of edges of H that share one is sent to them in at most one way; if they are disjoint,
        a disjoint pair in at most four. The rest as in `one_edge`. For G' = G − e' the same holds with even fewer.
        """
        adjacent: list[tuple[int, int, int]] = []
        disjoint: list[tuple[int, int, int]] = []
        for f, g in combinations(self.edges, 2):
            placed = {*f, *g}
            (adjacent if len(placed) == 3 else disjoint).extend([self._choices(2 if len(placed) == 3 else 8, placed)])
        return Terms(tuple(_collected(row) for row in (adjacent, disjoint) if row), self.automorphisms)

    def _choices(self, coefficient: int, placed: set[int]) -> tuple[int, int, int]:
        """coefficient · Δ^a D^b bounds the ways to place the rest, with b as large as possible."""
        near = self.neighbours
        rest = [v for v in range(self.size) if v not in placed]
        most = 0
        for order in permutations(rest):
            there, twice = set(placed), 0
            for v in order:
                back = len(near[v] & there)
                if back == 0:
                    break
                twice += back >= 2
                there.add(v)
            else:
                most = max(most, twice)
        return coefficient, len(rest) - most, most


def _collected(row: list[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    found: dict[tuple[int, int], int] = {}
    for c, a, b in row:
        found[a, b] = found.get((a, b), 0) + c
    return tuple((c, a, b) for (a, b), c in sorted(found.items()))


def clique(size: int) -> Pattern:
    """K_ℓ."""
    return Pattern.of(combinations(range(size), 2))


def star(leaves: int) -> Pattern:
    """One centre and its leaves."""
    return Pattern.of((0, leaf) for leaf in range(1, leaves + 1))


def path(edges: int) -> Pattern:
    """A path of so many edges."""
    return Pattern.of((i, i + 1) for i in range(edges))


def cycle(size: int) -> Pattern:
    """A cycle of so many vertices."""
    return Pattern.of((i, (i + 1) % size) for i in range(size))


DIAMOND = Pattern.of([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)])
PAW = Pattern.of([(0, 1), (0, 2), (1, 2), (2, 3)])
EDGE = Pattern.of([(0, 1)])
