"""The private datum of every graph problem: a simple undirected graph on public vertices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.problems.graph import ids

if TYPE_CHECKING:
    from dpselect.problems.graph.adjacency import Adjacency


@final
@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """G = (V, E), E ⊆ {{u, v} : u ≠ v ∈ V}; V is public, E is private.

    Two graphs on the same V are neighbours when they differ in one edge (edge-DP). Node-DP is out of scope:
    nothing here hides whether a vertex takes part.

    Arguments:
        vertices: n ≥ 1 public labels; the position of a label is the vertex's index.
        tails, heads: int32[m], the edges as index pairs tails[i] < heads[i], in ascending order, each once.
        vertices_from_data: True when the labels were read from the edges; a release then assumes, and says,
            that the ids in the data are declared public.

    Build one with `Graph.from_edges`, `as_graph` or `read_edges`; direct construction checks the invariants
    and raises `InvalidParameter`. The arrays are copies that cannot be written to. The text form shows
    public facts only.

    >>> graph = Graph.from_edges([("b", "a"), ("b", "c"), ("a", "b"), ("c", "c")])
    >>> graph
    Graph(vertices=3)
    >>> graph.vertices, graph.tails.tolist(), graph.heads.tolist()
    (('a', 'b', 'c'), [0, 1], [1, 2])
    """

    vertices: ids.Labels
    tails: npt.NDArray[np.int32]
    heads: npt.NDArray[np.int32]
    vertices_from_data: bool = False

    def __post_init__(self) -> None:
        n = len(self.vertices)
        if n == 0:
            raise InvalidData("a graph needs at least one vertex: declare vertices=, or give an edge")
        if n > ids.MOST_VERTICES:
            raise InvalidParameter(f"vertices: at most {ids.MOST_VERTICES} are supported, got {n}")
        for name in ("tails", "heads"):
            array = np.array(getattr(self, name), dtype=np.int32)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        u, v = self.tails, self.heads
        if u.ndim != 1 or u.shape != v.shape:
            raise InvalidParameter("tails, heads: must be two one-dimensional arrays of the same length")
        if u.size and not (
            u.min() >= 0
            and v.max() < n
            and bool((u < v).all())
            and bool(((u[:-1] < u[1:]) | ((u[:-1] == u[1:]) & (v[:-1] < v[1:]))).all())
        ):
            raise InvalidParameter("tails, heads: must be unique, sorted pairs of indices with tail < head")

    def __repr__(self) -> str:
        return f"Graph(vertices={self.n})"

    @staticmethod
    def from_edges(
        pairs: Iterable[object], vertices: ids.Declared | None = None, unknown: ids.Unknown = "refuse"
    ) -> Graph:
        """The simple undirected graph of the pairs: directions are forgotten, repetitions merged, loops
        dropped.

        Each step acts on one edge at a time, so neighbouring inputs give neighbouring (or equal) graphs.

        Arguments:
            pairs: (k, 2) array of ids, or any iterable of pairs. Ids are integers, strings or other hashable
                values that can be ordered; never booleans or floats.
            vertices: the public labels, in their order. None: all ids in `pairs` (loops too), ascending, are
                declared public.
            unknown: what to do with edges that name an id outside `vertices`: "refuse" or "drop".

        Raises `InvalidData` for unknown ids under "refuse", for malformed pairs and for no vertex at all,
        `InvalidParameter` for a bad declaration. Cost: O(k log k), vectorised for integer arrays.

        >>> Graph.from_edges([(1, 2), (2, 9)], vertices=[1, 2, 3], unknown="drop").tails.tolist()
        [0]
        """
        left, right = columns(pairs)
        return from_columns(left, right, None if vertices is None else ids.declared(vertices), unknown)

    @property
    def n(self) -> int:
        """The number of vertices: public."""
        return len(self.vertices)

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """int64[n]: d_v = |{u : uv ∈ E}|."""
        counts = np.bincount(self.tails, minlength=self.n) + np.bincount(self.heads, minlength=self.n)
        degrees = counts.astype(np.int64, copy=False)
        degrees.flags.writeable = False
        return degrees

    @cached_property
    def adjacency(self) -> Adjacency:
        """Neighbour lists of the vertices renamed by falling degree; computed once (imports numba)."""
        from dpselect.problems.graph.adjacency import adjacency

        return adjacency(self)

    def toggle(self, u: int, v: int) -> Graph:
        """The neighbouring graph with edge uv (indices) removed if it is there, added if not."""
        if not (0 <= u < self.n and 0 <= v < self.n and u != v):
            raise InvalidParameter("u, v: must be two different vertex indices")
        key = self.n * min(u, v) + max(u, v)
        keys = self.tails.astype(np.int64) * self.n + self.heads
        at = int(np.searchsorted(keys, key))
        present = at < keys.size and keys[at] == key
        keys = np.delete(keys, at) if present else np.insert(keys, at, key)
        return Graph(self.vertices, *_split(keys, self.n), self.vertices_from_data)


def columns(pairs: Iterable[object]) -> tuple[ids.Ids, ids.Ids]:
    """The two id columns of a (k, 2) array or an iterable of pairs; `InvalidData` if it is neither."""
    shape_rule = "edges: expected pairs of ids, or an array of shape (k, 2)"
    try:
        if isinstance(pairs, np.ndarray):
            if pairs.ndim != 2 or pairs.shape[1] != 2:
                if pairs.size == 0:
                    return np.empty(0, np.int64), np.empty(0, np.int64)
                raise InvalidData(shape_rule)
            return ids.as_ids(pairs[:, 0]), ids.as_ids(pairs[:, 1])
        rows = [_pair(pair) for pair in pairs]
        return ids.as_ids([row[0] for row in rows]), ids.as_ids([row[1] for row in rows])
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidData):
            raise
        raise InvalidData(f"{shape_rule}; ids are integers, strings or other hashable values, not floats") from None


def _pair(pair: object) -> tuple[object, object]:
    if isinstance(pair, str | bytes) or not isinstance(pair, Iterable):
        raise TypeError("not a pair")
    left, right = pair
    return left, right


def from_columns(
    left: ids.Ids,
    right: ids.Ids,
    vertices: ids.Labels | None,
    unknown: ids.Unknown = "refuse",
    extra: ids.Ids | None = None,
) -> Graph:
    """The graph of two id columns; `extra` are ids that belong to the data's vertices without being in an
    edge.
    """
    labels, i, j = ids.indexed(left, right, vertices, unknown, extra)
    n = len(labels)
    if n > ids.MOST_VERTICES:
        raise InvalidParameter(f"vertices: at most {ids.MOST_VERTICES} are supported, got {n}")
    keys = np.minimum(i, j)
    keys *= n
    keys += np.maximum(i, j)
    keys = keys[i != j]
    del i, j
    keys.sort()
    if keys.size:
        first = np.empty(keys.size, np.bool_)
        first[0] = True
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        keys = keys[first]
    return Graph(labels, *_split(keys, n), vertices_from_data=vertices is None)


def _split(keys: npt.NDArray[np.int64], n: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    tails, heads = np.divmod(keys, max(n, 1))
    return tails.astype(np.int32), heads.astype(np.int32)
