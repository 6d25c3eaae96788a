"""4-cycles at every vertex, and the largest number that one pair would close."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import MOST

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def count_four_cycles(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, met: Int32, touched: Int32, counts: Int64
) -> bool:
    """counts[z] += the 4-cycles through z whose first vertex u (lowest rank, highest degree) is in [lo, hi).

    With u given, the vertex y opposite to it has L common neighbours x > u with it: binom(L, 2) cycles hold u and y,
    and each x is in L − 1 of them. `met` is zero and left so. Returns False where a count could pass 2^60.
    Cost: Σ over edges of the smaller degree = O(m · arboricity), over all blocks.
    """
    for u in range(lo, hi):
        fresh = 0
        for p in range(split[u], start[u + 1]):
            x = neighbour[p]
            q = start[x + 1] - 1
            while neighbour[q] > u:  # the list of x holds u: it never runs out
                y = neighbour[q]
                if met[y] == 0:
                    touched[fresh] = y
                    fresh += 1
                met[y] += 1
                q -= 1
        if fresh == 0:
            continue
        for k in range(fresh):
            y = touched[k]
            pairs = np.int64(met[y]) * (met[y] - 1) // 2
            counts[u] += pairs
            counts[y] += pairs
            if counts[u] > MOST or counts[y] > MOST:
                return False
        for p in range(split[u], start[u + 1]):
            x = neighbour[p]
            q = start[x + 1] - 1
            while neighbour[q] > u:
                counts[x] += met[neighbour[q]] - 1
                q -= 1
            if counts[x] > MOST:
                return False
        for k in range(fresh):
            met[touched[k]] = 0
    return True


@kernel
def largest_closed_cycles(
    lo: int,
    hi: int,
    start: Int64,
    split: Int64,
    neighbour: Int32,
    codegree: int,
    met: Int32,
    touched: Int32,
    paths: Int64,
    reached: Int32,
    adjacent: Bool,
    best: Int64,
    known: Int64,
) -> None:
    """best[0] = max(best[0], known[0], the paths u–x–y–v over pairs v < u with lo ≤ u < hi): cycles that uv closes.

    Args:
        codegree: D, the largest co-degree of all pairs.
        met: int32[n], paths: int64[n], adjacent: bool[n]: zero and left so. touched, reached: int32[n], scratch.

    Σ over y ∈ N(v) − u of |N(u) ∩ N(y)|, less one for each of these y where u ~ v, because v itself is then a common
    neighbour and no inner vertex. Neither depends on the edge uv. It is at most d_u D and at most the walks u–x–y:
    other vertices u are skipped. Cost: the walks of length three of the rest, to vertices of higher degree.
    """
    for u in range(lo, hi):
        best[0] = max(best[0], known[0])
        degree = start[u + 1] - start[u]
        if degree * codegree <= best[0]:
            break
        walks = np.int64(0)
        for p in range(start[u], start[u + 1]):
            walks += start[neighbour[p] + 1] - start[neighbour[p]] - 1
        if walks <= best[0]:
            continue
        fresh = 0
        for p in range(start[u], start[u + 1]):
            x = neighbour[p]
            adjacent[x] = True
            for q in range(start[x], start[x + 1]):
                y = neighbour[q]
                if y == u:
                    continue
                if met[y] == 0:
                    touched[fresh] = y
                    fresh += 1
                met[y] += 1
        ends = 0
        for k in range(fresh):
            y = touched[k]
            for q in range(start[y], start[y + 1]):
                v = neighbour[q]
                if v >= u:
                    break
                if paths[v] == 0:
                    reached[ends] = v
                    ends += 1
                paths[v] += met[y]
        for k in range(ends):
            v = reached[k]
            closed = paths[v]
            if adjacent[v]:
                closed -= start[v + 1] - start[v] - 1
            best[0] = max(best[0], closed)
            paths[v] = 0
        for k in range(fresh):
            met[touched[k]] = 0
        for p in range(start[u], start[u + 1]):
            adjacent[neighbour[p]] = False
        if best[0] > known[0]:
            known[0] = best[0]
