"""Triangles at every vertex."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel


@kernel
def count_triangles(
    lo: int,
    hi: int,
    start: npt.NDArray[np.uint64],
    split: npt.NDArray[np.uint64],
    neighbour: npt.NDArray[np.uint32],
    marked: npt.NDArray[np.uint8],
    counts: npt.NDArray[np.int64],
) -> None:
    """counts[x] += #{triangles {u > v > w} ∋ x : lo ≤ v < hi}, in ranks of `Adjacency`, seen as unsigned
    arrays.

    Each triangle is met once, at its middle vertex v: w is a neighbour of v of lower rank, u one of higher
    rank, and w a neighbour of u. `marked` must be all 0 and is left so. Counts are at most (n−1)(n−2)/2 <
    2^61: no overflow.

    A list is read twice: the first pass only adds up marks, which needs no branch; lists without a triangle,
    most of them in sparse graphs, end there. The second pass branches where hits are rare, and adds the mark
    itself where they are common and a branch would be guessed wrong. Unsigned indices spare a test for
    negative ones. Cost: Σ over edges uv of the number of neighbours of u of lower rank than v = O(m^{3/2}).
    """
    for v in range(lo, hi):
        first, last, end = start[v], split[v], start[v + 1]
        if first == last or last == end:
            continue
        highest = neighbour[last - np.uint64(1)]
        for k in range(first, last):
            marked[neighbour[k]] = 1
        at_v = np.int64(0)
        for k in range(last, end):
            u = neighbour[k]
            begin = q = start[u]
            at_u = np.int64(0)
            while neighbour[q] <= highest:  # the list of u holds v > highest: it never runs out
                at_u += np.int64(marked[neighbour[q]])
                q += np.uint64(1)
            if at_u == 0:
                continue
            if np.uint64(8 * at_u) < q - begin:
                for i in range(begin, q):
                    if marked[neighbour[i]]:
                        counts[neighbour[i]] += 1
            else:
                for i in range(begin, q):
                    counts[neighbour[i]] += np.int64(marked[neighbour[i]])
            counts[u] += at_u
            at_v += at_u
        counts[v] += at_v
        for k in range(first, last):
            marked[neighbour[k]] = 0
