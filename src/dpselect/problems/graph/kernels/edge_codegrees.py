"""Common neighbours of the two ends of every edge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def add_edge_codegrees(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, place: Int64, count: Int32
) -> None:
    """count[p] += the triangles through edge p whose last vertex u (highest rank) is in [lo, hi).

    An edge u–v with v < u lives at the place p of v in the list of u. A triangle x < v < u is met once, at u,
    and adds one to each of its three edges; several blocks may therefore touch one place, so that threads
    need a `count` each. `place` must be −1 everywhere and is left so. Cost: O(m^(3/2)) over all blocks.
    """
    for u in range(lo, hi):
        if split[u] - start[u] < 2:
            continue
        for p in range(start[u], split[u]):
            place[neighbour[p]] = p
        for p in range(start[u], split[u]):
            v = neighbour[p]
            here = 0
            for q in range(start[v], split[v]):
                at = place[neighbour[q]]
                if at >= 0:
                    here += 1
                    count[q] += 1
                    count[at] += 1
            count[p] += here
        for p in range(start[u], split[u]):
            place[neighbour[p]] = -1


@kernel
def mirror(start: Int64, split: Int64, neighbour: Int32, count: Int32 | Int64) -> None:
    """count at the place of u in the list of v := count at the place of v in the list of u, for all v < u.

    Visiting u = 0, 1, … meets the upper neighbours of each v in the order of its list. Cost: O(n + m).
    """
    n = start.shape[0] - 1
    position = split.copy()
    for u in range(n):
        for p in range(start[u], split[u]):
            v = neighbour[p]
            count[position[v]] = count[p]
            position[v] += 1


@kernel
def largest_values(start: Int64, split: Int64, count: Int32, top: int, limit: int) -> Int64:
    """The `limit` largest counts of all edges (each edge once), falling; fewer if there are fewer edges.

    `top` bounds the counts. One histogram, so no sort. Cost: O(m + top).
    """
    n = start.shape[0] - 1
    seen = np.zeros(top + 1, np.int64)
    edges = 0
    for u in range(n):
        for p in range(start[u], split[u]):
            seen[count[p]] += 1
            edges += 1
    out = np.empty(min(limit, edges), np.int64)
    k = 0
    value = top
    while k < out.shape[0]:
        if seen[value] > 0:
            seen[value] -= 1
            out[k] = value
            k += 1
        else:
            value -= 1
    return out


@kernel
def triangle_singles(start: Int64, count: Int32, scores: Int64, order: Int64, limit: int) -> Int64:
    """out[j] = max_s (q_s − Σ_{k≤j} max(e^s_(k), k − 1)), j < limit; e^s the falling counts of the edges at s.

    Args:
        count: int32[2m], at both places of each edge.
        order: int64[n], ranks by falling score; the scan stops where q_s ≤ out[j] + j(j − 1)/2 for all j, for
            then neither s nor anything behind it can raise an entry (e ≥ 0).

    Cost: O(limit + d_s log d_s) for each vertex before the stop.
    """
    out = np.full(limit, -1 << 62, np.int64)
    floor = np.int64(-1 << 62)
    for s in order:
        if scores[s] <= floor:
            break
        falling = np.sort(count[start[s] : start[s + 1]])[::-1]
        left = scores[s]
        for j in range(limit):
            if j > 0:
                drop = np.int64(j - 1)
                if j <= falling.shape[0] and falling[j - 1] > drop:
                    drop = np.int64(falling[j - 1])
                left -= drop
            if left > out[j]:
                out[j] = left
        floor = out[0]
        for j in range(limit):
            floor = min(floor, out[j] + j * (j - 1) // 2)
    return out
