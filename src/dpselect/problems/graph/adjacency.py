"""Neighbour lists of a graph whose vertices are renamed by falling degree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dpselect.problems.graph.graph import Graph


@final
@dataclass(frozen=True, eq=False, repr=False)
class Adjacency:
    """N(r) = neighbour[start[r] : start[r + 1]], ascending, for ranks r = 0 … n−1 with d_0 ≥ d_1 ≥ ….

    Ranks replace vertex indices (ties: smaller index first). Because low ranks are high degrees, the
    neighbours of higher degree are a prefix, N(r) ∩ [0, r) = neighbour[start[r] : split[r]]: the same lists
    serve as the full graph and as its orientation from low to high degree, whose prefixes have at most √(2m)
    members.

    Arguments:
        order: int32[n], order[rank] = vertex index.  rank: int32[n], its inverse.
        start: int64[n + 1].  split: int64[n].  neighbour: int32[2m].
    """

    order: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int32]
    start: npt.NDArray[np.int64]
    split: npt.NDArray[np.int64]
    neighbour: npt.NDArray[np.int32]

    def __repr__(self) -> str:
        return f"Adjacency(vertices={len(self.order)})"


def adjacency(graph: Graph) -> Adjacency:
    """The degree-ordered neighbour lists of `graph`: O(n log n + m) time, 16m + O(n) bytes while it works."""
    from dpselect.problems.graph.kernels.csr import neighbour_lists

    order = np.argsort(-graph.degrees, kind="stable").astype(np.int32)
    rank = np.empty(graph.n, np.int32)
    rank[order] = np.arange(graph.n, dtype=np.int32)
    start = np.zeros(graph.n + 1, np.int64)
    np.cumsum(graph.degrees[order], out=start[1:])
    split, neighbour = neighbour_lists(start, rank, graph.tails, graph.heads)
    arrays = (order, rank, start, split, neighbour)
    for array in arrays:
        array.flags.writeable = False
    return Adjacency(*arrays)
