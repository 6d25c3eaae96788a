"""The largest number of cliques in the common neighbourhood of a few vertices."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.bit_rows import rows_among
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.near_cliques import all_cliques
from dpselect.problems.graph.kernels.saturated import MOST, binomial, plus

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def largest_common_cliques(
    lo: int,
    hi: int,
    start: Int64,
    split: Int64,
    neighbour: Int32,
    vertices: int,
    size: int,
    own: Int64,
    triangles: Int32,
    near: Bool,
    place: Int32,
    members: Int32,
    met: Int32,
    touched: Int32,
    weight: Int64,
    best: Int64,
    known: Int64,
) -> None:
    """best[0] = max(best[0], known[0], i-cliques common to T) over sets T of s vertices whose last is in [lo, hi).

    Args:
        vertices, size: s ≥ 2 and i ≥ 1.
        own: int64[n], a bound of the i-cliques in N(u), by rank.
        triangles: int32[2m], the co-degree of each edge (not read for i = 1).
        near: bool[n] and met: int32[s − 1, n], zero and left so; place: int32[n], −1 and left so.
        members: int32[s, Δ], touched: int32[s − 1, n]: scratch. weight: int64[n], zero and left so.
        best: int64[1], of this thread. known: int64[1], a hint shared by threads.

    T is built by falling rank, u > x > …; members[d] is what its first d + 1 vertices have in common. A set is left
    when a common vertices cannot hold more than the best: binom(a, i), and for a pair also (1/i) Σ binom(e_uy, i − 1)
    over the common y, e_uy the co-degree of u and y, for every i-clique at y lies among these.
    """
    lengths = np.zeros(vertices, np.int64)
    fresh = np.zeros(vertices, np.int64)
    cursor = np.zeros(vertices, np.int64)
    for u in range(lo, hi):
        best[0] = max(best[0], known[0])
        degree = start[u + 1] - start[u]
        if own[u] <= best[0] or binomial(degree, size) <= best[0]:
            continue
        members[0, :degree] = neighbour[start[u] : start[u + 1]]
        lengths[0] = degree
        last = u
        level = 0
        # meet all x < last that share a neighbour with T
        while True:
            count = 0
            for k in range(lengths[level]):
                y = members[level, k]
                share = 0
                if level == 0 and size > 1:
                    share = binomial(triangles[start[u] + k], size - 1)
                for q in range(start[y], start[y + 1]):
                    x = neighbour[q]
                    if x >= last:
                        break
                    if met[level, x] == 0:
                        touched[level, count] = x
                        count += 1
                    met[level, x] += 1
                    if share:
                        weight[x] = plus(weight[x], share)
            fresh[level] = count
            cursor[level] = 0
            # go through them; descend into those with room
            descended = False
            while level >= 0:
                if cursor[level] == fresh[level]:
                    for k in range(fresh[level]):
                        met[level, touched[level, k]] = 0
                        if level == 0 and size > 1:
                            weight[touched[level, k]] = 0
                    level -= 1
                    continue
                x = touched[level, cursor[level]]
                cursor[level] += 1
                a = met[level, x]
                if binomial(a, size) <= best[0]:
                    continue
                # a weight that was cut off says nothing
                if level == 0 and size > 1 and weight[x] < MOST and weight[x] // size <= best[0]:
                    continue
                if level + 2 == vertices and size == 1:
                    best[0] = a
                    continue
                # what T and x have in common
                found = 0
                for q in range(start[x], start[x + 1]):
                    near[neighbour[q]] = True
                for k in range(lengths[level]):
                    if near[members[level, k]]:
                        members[level + 1, found] = members[level, k]
                        found += 1
                for q in range(start[x], start[x + 1]):
                    near[neighbour[q]] = False
                lengths[level + 1] = found
                if level + 2 < vertices:
                    last = x
                    level += 1
                    descended = True
                    break
                rows = rows_among(start, split, neighbour, members[level + 1, :found], place)
                best[0] = max(best[0], all_cliques(rows, size))
            if not descended:
                break
        if best[0] > known[0]:
            known[0] = best[0]
