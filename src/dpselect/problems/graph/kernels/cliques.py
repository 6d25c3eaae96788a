"""Cliques at every vertex, by bit rows inside the upper neighbourhoods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.bit_rows import rows_among
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.near_cliques import add_cliques
from dpselect.problems.graph.kernels.saturated import MOST, plus

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


@kernel
def count_cliques(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, size: int, place: Int32, counts: Int64
) -> bool:
    """counts[x] += the cliques of 4 ≤ `size` ≤ 6 vertices through x whose last vertex u (highest rank) is in [lo, hi).

    The other members of such a clique are upper neighbours of u, at most √(2m) of them, and form a clique of one vertex
    less there (`add_cliques`). Returns False where a count could be 2^60 or more. Cost: O(m^(3/2)) for the rows, then
    at most the cliques of size − 2 vertices within upper neighbourhoods, √(2m)/64 words each at most; those within a
    near-clique are not listed.
    """
    most = 0
    for u in range(lo, hi):
        most = max(most, split[u] - start[u])
    sets = np.zeros((size, (most + 63) >> 6), np.uint64)
    order = np.empty((size, most), np.int64)
    spare = np.empty((3, most), np.int64)
    local = np.zeros(most, np.int64)
    for u in range(lo, hi):
        members = neighbour[start[u] : split[u]]
        if members.shape[0] < size - 1:
            continue
        rows = rows_among(start, split, neighbour, members, place)
        for w in range(rows.shape[1]):
            sets[size - 1, w] = 0
        for a in range(members.shape[0]):
            sets[size - 1, a >> 6] |= np.uint64(1) << np.uint64(a & 63)
            local[a] = 0
        counts[u] = plus(counts[u], add_cliques(rows, sets, size - 1, order, spare, local))
        fits = counts[u] < MOST
        for a in range(members.shape[0]):
            v = members[a]
            counts[v] = plus(counts[v], local[a])
            fits &= counts[v] < MOST
        if not fits:
            return False
    return True
