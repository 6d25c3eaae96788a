"""The largest value over pairs with common neighbours of a sum over these neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def largest_pair_sum(
    lo: int,
    hi: int,
    start: Int64,
    neighbour: Int32,
    first: Int64,
    second: Int64,
    own: Int64,
    line: Int64,
    numbers: Int64,
    most: Int64,
    met: Int32,
    total: Int64,
    touched: Int32,
    adjacent: Bool,
    best: Int64,
    known: Int64,
) -> None:
    """best[0] = max(best[0], known[0], F(u, x) over x < u with c ≥ 1 common neighbours, lo ≤ u < hi):

        F = own_u + own_x + c (line_u + line_x + a_0 + a_1 [u ~ x]) + a_2 binom(c, 2) + Σ over wedges u–q–x of (f + s)

    Args:
        first, second: int64[2m]; f is first at the place of q in the list of u, s second at that of x in the list of q.
        own, line: int64[n]. numbers: (a_0, a_1, a_2). most: int64[n], a bound of F(u, ·): vertices that cannot pass the
            best are skipped.
        met: int32[n], total: int64[n], adjacent: bool[n], zero and left so. touched: int32[n], scratch.
        best: int64[1], of this thread. known: int64[1], a hint shared by threads.

    Cost: the wedges of the vertices that are not skipped.
    """
    for u in range(lo, hi):
        best[0] = max(best[0], known[0])
        if most[u] <= best[0]:
            continue
        fresh = 0
        for p in range(start[u], start[u + 1]):
            w = neighbour[p]
            adjacent[w] = True
            for q in range(start[w], start[w + 1]):
                x = neighbour[q]
                if x >= u:
                    break
                if met[x] == 0:
                    touched[fresh] = x
                    fresh += 1
                met[x] += 1
                total[x] += first[p] + second[q]
        for k in range(fresh):
            x = touched[k]
            c = np.int64(met[x])
            each = line[u] + line[x] + numbers[0]
            if adjacent[x]:
                each += numbers[1]
            value = own[u] + own[x] + c * each + numbers[2] * (c * (c - 1) // 2) + total[x]
            best[0] = max(best[0], value)
            met[x] = 0
            total[x] = 0
        for p in range(start[u], start[u + 1]):
            adjacent[neighbour[p]] = False
        if best[0] > known[0]:
            known[0] = best[0]
