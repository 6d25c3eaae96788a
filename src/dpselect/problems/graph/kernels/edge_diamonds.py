"""Diamonds through every edge, and the pairs of a vertex whose edge would close the most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def add_edge_diamonds(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, codegrees: Int32, place: Int64, out: Int64
) -> None:
    """out[p] += the diamonds through edge p as a spoke, from triangles whose last vertex u is in [lo, hi).

    Σ over the triangles at the edge of (a − 1) + (a' − 1), a and a' the co-degrees of the two other edges. An edge
    u–v, v < u, lives at the place of v in the list of u, as in `add_edge_codegrees`; threads need an `out` each.

    Args:
        codegrees: int32[2m]. place: int64[n], −1 everywhere and left so.

    Cost: O(m^(3/2)) over all blocks.
    """
    for u in range(lo, hi):
        if split[u] - start[u] < 2:
            continue
        for p in range(start[u], split[u]):
            place[neighbour[p]] = p
        for p in range(start[u], split[u]):
            v = neighbour[p]
            for q in range(start[v], split[v]):
                at = place[neighbour[q]]
                if at >= 0:
                    here, there, last = np.int64(codegrees[p]), np.int64(codegrees[q]), np.int64(codegrees[at])
                    out[p] += there + last - 2
                    out[q] += here + last - 2
                    out[at] += here + there - 2
        for p in range(start[u], split[u]):
            place[neighbour[p]] = -1


@kernel
def top_closed_diamonds(
    start: Int64,
    neighbour: Int32,
    codegrees: Int32,
    ranks: Int64,
    limit: int,
    met: Int32,
    touched: Int32,
    total: Int64,
    near: Bool,
) -> Int64:
    """out[b, :limit] = the largest numbers of diamonds that an edge from r = ranks[b] to a non-neighbour would close,
    falling, padded with 0; out[b, limit] = M_r, the largest co-degree of r with any vertex.

    binom(a, 2) + Σ over the common neighbours w of (a_rw + a_wv), a the co-degree of r and v.

    Args:
        codegrees: int32[2m], at both places of each edge. met: int32[n], total: int64[n], near: bool[n], zero
            everywhere and left so. touched: int32[n], scratch.

    Cost: the wedges at each r.
    """
    out = np.zeros((ranks.shape[0], limit + 1), np.int64)
    for b in range(ranks.shape[0]):
        r = ranks[b]
        fresh = 0
        near[r] = True
        for p in range(start[r], start[r + 1]):
            w = neighbour[p]
            near[w] = True
            for q in range(start[w], start[w + 1]):
                v = neighbour[q]
                if met[v] == 0:
                    touched[fresh] = v
                    fresh += 1
                met[v] += 1
                total[v] += np.int64(codegrees[p]) + np.int64(codegrees[q])
        most = 0
        found = 0
        fitting = np.zeros(fresh + limit, np.int64)
        for k in range(fresh):
            v = touched[k]
            if v != r:
                most = max(most, met[v])
            if not near[v]:
                a = np.int64(met[v])
                fitting[found] = a * (a - 1) // 2 + total[v]
                found += 1
            met[v] = 0
            total[v] = 0
        near[r] = False
        for p in range(start[r], start[r + 1]):
            near[neighbour[p]] = False
        top = fitting[: found + limit]
        if found > 3 * limit:
            top = np.partition(top, found)[found:]
        out[b, :limit] = np.sort(top)[::-1][:limit]
        out[b, limit] = most
    return out
