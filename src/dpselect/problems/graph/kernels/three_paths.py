"""The largest number of paths of three edges that one pair would make."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def largest_closed_paths(start: Int64, neighbour: Int32, walks: Int64, near: Bool) -> int:
    """max over pairs u, v of ab − 3c + s_u + s_v, the 3-paths through uv in G + uv.

    Args:
        walks: int64[n], w_u = Σ over x ∈ N(u) of (d_x − 1). near: bool[n], zero and left so.

    a, b are the degrees and s_u, s_v the sums w without the other end, c the co-degree: ab − c paths have uv in the
    middle, s_u − c and s_v − c at an end. Pairs with d_u d_v + w_u + w_v at most the best are skipped; ranks fall in
    degree, so a scan ends where even the largest w would not help. Cost: the pairs that are not skipped so.
    """
    n = start.shape[0] - 1
    top = np.int64(0)
    for u in range(n):
        top = max(top, walks[u])
    best = np.int64(0)
    for u in range(1, n):
        degree = start[u + 1] - start[u]
        if degree * (start[1] - start[0]) + walks[u] + top <= best:
            continue
        marked = False
        for v in range(u):
            other = start[v + 1] - start[v]
            if degree * other + walks[u] + top <= best:
                break
            if degree * other + walks[u] + walks[v] <= best:
                continue
            if not marked:
                for p in range(start[u], start[u + 1]):
                    near[neighbour[p]] = True
                marked = True
            common = 0
            for p in range(start[v], start[v + 1]):
                if near[neighbour[p]]:
                    common += 1
            made = degree * other + walks[u] + walks[v] - 3 * common
            if near[v]:
                # without the edge uv itself: a, b, and the other end in both sums
                made += 1 - degree - other - (other - 1) - (degree - 1)
            best = max(best, made)
        if marked:
            for p in range(start[u], start[u + 1]):
                near[neighbour[p]] = False
    return int(best)
