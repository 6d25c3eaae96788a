"""Ranges of k-vertex subsets: how many members each class has, and a uniform one.

    AllSubsets          every k-subset of the vertices: connected ones are counted one by one, the others by identities
    ConnectedSubsets    the k-subsets that are connected in a public graph
    Family              subsets listed one by one

What a range consists of is public; the class of a member, what the private graph induces on it, is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, factorial, prod
from typing import NoReturn, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.subsets.census import Census
from dpselect.problems.graph.subsets.checkpoint import Checkpoint, fingerprint
from dpselect.problems.graph.subsets.classes import Class, bit, components, least_masks
from dpselect.problems.graph.subsets.unconnected import all_counts

Int64 = npt.NDArray[np.int64]
Members = tuple[int, ...]

MOST = 10**10
"""Connected subsets that are counted without being asked twice: under a minute on two cores."""

_TRIES = 4096
_SCANNED = 2048


class SubsetClasses(ABC):
    """The k-subsets of a range by the class that the private graph induces on them."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("classes of subsets are private and cannot be pickled")

    @final
    def __repr__(self) -> str:
        return f"{type(self).__name__}(<private>)"

    @property
    @abstractmethod
    def counts(self) -> dict[int, int]:
        """least mask -> members, without empty classes."""

    @abstractmethod
    def member(self, mask: int, source: BitSource) -> Members:
        """A member of the class, each equally likely: ascending vertex indices."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class AllSubsets(SubsetClasses):
    """Every k-subset of the vertices.

    Arguments: most: refuse to count more connected subsets than that (by an estimate; never if there are no more
    k-subsets at all). checkpoint: see `Checkpoint`.

    A uniform member of a connected class is the one of a uniform rank. For another class, with components c_1, …, c_p:
    draw a uniform connected subset of each class c_i, and again until no two of them meet or are adjacent. Every
    member then comes from equally many tuples. Where that takes long, because such subsets are rare, all k-subsets of
    a graph of up to 2,048 vertices are gone through instead.
    """

    graph: Graph
    size: int
    most: int
    checkpoint: Checkpoint | None = None

    @cached_property
    def census(self) -> Census:
        return Census(self.graph, self.graph, self.size)

    @cached_property
    def rows(self) -> Int64:
        """The connected subsets, block by block."""
        refuse_many(self.census, comb(self.graph.n, self.size), self.most)
        return self.census.count(self.checkpoint)

    @cached_property
    def connected(self) -> dict[Class, int]:
        return {c: int(self.rows[:, i].sum()) for c, i in self.census.columns.items()}

    @cached_property
    def counts(self) -> dict[int, int]:
        found = all_counts(self.connected, self.size)
        return {mask: n for (vertices, mask), n in found.items() if vertices == self.size and n}

    def member(self, mask: int, source: BitSource) -> Members:
        parts = components(self.size, mask)
        if len(parts) == 1:
            return self.census.member(self.rows, parts[0], source.below(self.connected[parts[0]]))
        tuples = prod(self.connected[c] for c in parts)
        good = self.counts[mask] * prod(factorial(times) for times in Counter(parts).values())
        rare = good * _TRIES < tuples and self.graph.n <= _SCANNED and comb(self.graph.n, self.size) <= self.most
        return self._scanned(mask, source) if rare else self._joined(parts, source)

    def _joined(self, parts: tuple[Class, ...], source: BitSource) -> Members:
        while True:
            chosen = [self.census.member(self.rows, c, source.below(self.connected[c])) for c in parts]
            if self._apart(chosen):
                return tuple(sorted(v for part in chosen for v in part))

    def _apart(self, chosen: list[Members]) -> bool:
        """Whether no two of the parts share a vertex or are joined by an edge."""
        for one, other in combinations(chosen, 2):
            for u in one:
                for v in other:
                    if u == v or self._edges.adjacent(u, v):
                        return False
        return True

    def _scanned(self, mask: int, source: BitSource) -> Members:
        everything = Census(self.graph, complete(self.graph), self.size)
        rows = everything.count()
        return everything.member(rows, (self.size, mask), source.below(self.counts[mask]))

    @cached_property
    def _edges(self) -> EdgeSet:
        return EdgeSet(self.graph)


@final
@dataclass(frozen=True, eq=False, repr=False)
class ConnectedSubsets(SubsetClasses):
    """The k-subsets that are connected in a public graph on the same vertices."""

    graph: Graph
    public: Graph
    size: int
    checkpoint: Checkpoint | None = None

    @cached_property
    def census(self) -> Census:
        return Census(self.graph, self.public, self.size)

    @cached_property
    def rows(self) -> Int64:
        return self.census.count(self.checkpoint)

    @cached_property
    def counts(self) -> dict[int, int]:
        columns = self.census.columns.items()
        found = {mask: int(self.rows[:, i].sum()) for (vertices, mask), i in columns if vertices == self.size}
        return {mask: n for mask, n in found.items() if n}

    def member(self, mask: int, source: BitSource) -> Members:
        return self.census.member(self.rows, (self.size, mask), source.below(self.counts[mask]))


@final
@dataclass(frozen=True, eq=False, repr=False)
class Family(SubsetClasses):
    """Subsets listed one by one: int64[members, k], ascending vertex indices in each row."""

    graph: Graph
    members: Int64

    @cached_property
    def _classes(self) -> Int64:
        """The class of every member."""
        size, edges = self.members.shape[1], EdgeSet(self.graph)
        masks = np.zeros(len(self.members), np.int64)
        for a, b in combinations(range(size), 2):
            masks |= np.where(edges.joined(self.members[:, a], self.members[:, b]), np.int64(bit(a, b)), 0)
        return least_masks(size)[masks]

    @cached_property
    def counts(self) -> dict[int, int]:
        masks, times = np.unique(self._classes, return_counts=True)
        return dict(zip(masks.tolist(), times.tolist(), strict=True))

    def member(self, mask: int, source: BitSource) -> Members:
        own = np.flatnonzero(self._classes == mask)
        return tuple(self.members[own[source.below(len(own))]].tolist())


@final
class EdgeSet:
    """Adjacency by look-up in the sorted edges."""

    def __init__(self, graph: Graph) -> None:
        self._n = graph.n
        self._keys = graph.tails.astype(np.int64) * graph.n + graph.heads

    def __repr__(self) -> str:
        return "EdgeSet(<private>)"

    def joined(self, u: Int64, v: Int64) -> npt.NDArray[np.bool_]:
        """Whether u[i] and v[i] are adjacent."""
        keys = np.minimum(u, v) * self._n + np.maximum(u, v)
        at = np.searchsorted(self._keys, keys)
        inside = at < len(self._keys)
        found = np.zeros(len(keys), np.bool_)
        found[inside] = self._keys[at[inside]] == keys[inside]
        return found

    def adjacent(self, u: int, v: int) -> bool:
        """Whether two vertices are adjacent."""
        key = min(u, v) * self._n + max(u, v)
        at = int(np.searchsorted(self._keys, key))
        return at < len(self._keys) and bool(self._keys[at] == key)


def complete(graph: Graph) -> Graph:
    """All pairs of the same vertices."""
    tails, heads = np.triu_indices(graph.n, 1)
    return Graph(graph.vertices, tails.astype(np.int32), heads.astype(np.int32))


def refuse_many(census: Census, subsets: int, most: int) -> None:
    """`InvalidParameter` if the connected subsets are more than `most` by estimate. The number itself is private."""
    if subsets > most and census.estimate() > most:
        raise InvalidParameter(
            f"most: by an estimate, more than {most:,} connected subgraphs of {census.size} vertices would have to be "
            "counted; raise `most` if you have the time (about 10^8 a second and core), or restrict the candidates"
        )


def checkpoint_at(path: object, size: int, *graphs: Graph) -> Checkpoint | None:
    """The checkpoint of this question, None without a path."""
    from pathlib import Path

    return None if path is None else Checkpoint(Path(str(path)), fingerprint(size, *graphs))
