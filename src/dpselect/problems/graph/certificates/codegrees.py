"""Co-degrees that several certificates need: of every edge, the largest of all pairs, and cheap bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.blocks import SMALLEST_SHARE, cores, even_blocks, run_blocks

if TYPE_CHECKING:
    from dpselect.problems.graph.adjacency import Adjacency

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_BLOCKS = 256


def threads_for(work: int) -> int:
    """Threads worth starting for so many steps of an inner loop."""
    return int(min(cores(), 1 + work // SMALLEST_SHARE))


def edge_codegrees(lists: Adjacency) -> Int32:
    """int32[2m]: |N(u) ∩ N(v)| for every edge uv, at the place of v in the list of u and of u in that of v.

    Cost: O(m^(3/2)); 8m bytes for each thread.
    """
    from dpselect.problems.graph.kernels.edge_codegrees import add_edge_codegrees, mirror

    start, split, neighbour = lists.start, lists.split, lists.neighbour
    n = len(split)
    upper = split - start[:-1]
    weights = upper * upper

    def begin() -> tuple[Int64, Int32]:
        return np.full(n, -1, dtype=np.int64), np.zeros(len(neighbour), dtype=np.int32)

    def work(state: tuple[Int64, Int32], lo: int, hi: int) -> None:
        add_edge_codegrees(lo, hi, start, split, neighbour, *state)

    states = run_blocks(even_blocks(weights, _BLOCKS), begin, work, threads_for(int(weights.sum())))
    count = states.pop()[1]
    while states:
        count += states.pop()[1]
    mirror(start, split, neighbour, count)
    return count


def pair_codegree(lists: Adjacency, known: int = 0) -> int:
    """max |N(u) ∩ N(v)| over all pairs u ≠ v; `known` is a value that occurs, or 0: it spares smaller pairs.

    Cost: the wedges between vertices of degree above the answer.
    """
    from dpselect.problems.graph.kernels.largest_codegree import largest_codegree

    start, neighbour = lists.start, lists.neighbour
    n = len(lists.split)
    hint = np.array([known], dtype=np.int64)
    degrees = np.diff(start)
    count = int(np.searchsorted(-degrees, -known))  # only these have a degree above `known`

    def begin() -> tuple[Int32, Int32, Int64]:
        return np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32), np.zeros(1, dtype=np.int64)

    def work(state: tuple[Int32, Int32, Int64], lo: int, hi: int) -> None:
        largest_codegree(lo, hi, start, neighbour, *state, hint)

    weights = degrees[:count] * degrees[:count]
    states = run_blocks(even_blocks(weights, _BLOCKS), begin, work, threads_for(int(weights.sum())))
    return max(known, *(int(best[0]) for _, _, best in states))


@final
@dataclass(frozen=True, eq=False, repr=False)
class CodegreeBounds:
    """Upper bounds of c_(k), the k-th largest co-degree of r with a non-neighbour, from degrees alone.

        c_(k) ≤ min(d_r, highest_k, ⌊wedges_r / k⌋)

    highest_k is the k-th highest degree of the graph: k non-neighbours have at least c_(k) neighbours each.
    wedges_r counts the paths r–w–v that end at a non-neighbour v ≠ r, and k·c_(k) ≤ c_(1) + … + c_(k) ≤ wedges_r.

    Attributes: degrees and wedges, int64[n]; highest, int64[K]. All by rank.
    """

    degrees: Int64
    wedges: Int64
    highest: Int64

    @staticmethod
    def of(lists: Adjacency, count: Int32, limit: int) -> CodegreeBounds:
        """From the co-degrees of the edges, `count` (see `edge_codegrees`). Cost: O(n + m)."""
        start, neighbour = lists.start, lists.neighbour
        degrees = np.diff(start)
        # all paths r–w–v, less r–w–r, less those that end at a neighbour v: the common neighbours w of r and v
        paths = np.concatenate(([0], np.cumsum(degrees[neighbour] - 1 - count)))
        highest = np.zeros(limit, dtype=np.int64)
        highest[: min(len(degrees), limit)] = degrees[:limit]
        return CodegreeBounds(degrees, paths[start[1:]] - paths[start[:-1]], highest)

    def rows(self, ranks: Int64) -> Int64:
        """int64[b, K]: the bounds for some vertices, falling rows."""
        share = self.wedges[ranks, None] // np.arange(1, len(self.highest) + 1)
        rows: Int64 = np.minimum(np.minimum(self.degrees[ranks, None], self.highest), share)
        return rows


def largest_at_edges(lists: Adjacency, count: Int32) -> Int64:
    """int64[n]: the largest co-degree of each vertex with a neighbour; 0 if there is none."""
    out = np.zeros(len(lists.split), dtype=np.int64)
    some = np.flatnonzero(np.diff(lists.start))
    if len(some):
        out[some] = np.maximum.reduceat(count, lists.start[some])
    return out
