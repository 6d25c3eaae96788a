"""Sorted neighbour lists from an edge list, by two counting passes and no comparison sort."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel


@kernel
def neighbour_lists(
    start: npt.NDArray[np.int64],
    rank: npt.NDArray[np.int32],
    tails: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """neighbour[start[r] : start[r+1]] = {rank of u : u adjacent to the vertex of rank r}, ascending; and
    the splits.

    Arguments: start int64[n + 1], rank int32[n], tails and heads int32[m]. Returns split int64[n] (where the
    neighbours of lower rank end) and neighbour int32[2m].

    The first pass fills the lists in any order. The second visits the vertices r = 0, 1, … and appends r to
    the list of each of its neighbours: as adjacency is symmetric this gives the same lists, now ascending.
    Cost: O(n + m).
    """
    n, m = start.size - 1, tails.size
    position = start[:n].copy()
    unsorted = np.empty(2 * m, np.int32)
    for e in range(m):
        a, b = rank[tails[e]], rank[heads[e]]
        unsorted[position[a]] = b
        position[a] += 1
        unsorted[position[b]] = a
        position[b] += 1
    neighbour = np.empty(2 * m, np.int32)
    split = np.empty(n, np.int64)
    position[:] = start[:n]
    for r in range(n):
        split[r] = position[r]  # exactly the neighbours below r have been appended so far
        for k in range(start[r], start[r + 1]):
            x = unsorted[k]
            neighbour[position[x]] = r
            position[x] += 1
    return split, neighbour
