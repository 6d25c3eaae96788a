"""The highest degrees among the vertices that are not neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def far_degrees(start: Int64, neighbour: Int32, lo: int, hi: int, limit: int) -> Int64:
    """out[b, k] = the (k+1)-th highest degree of the vertices outside N(r) ∪ {r}, r = lo + b; padded with 0.

    Ranks fall by degree and lists ascend, so both are merged from the front. Cost: O(limit + d_r) a vertex at most.
    """
    n = start.shape[0] - 1
    out = np.zeros((hi - lo, limit), np.int64)
    for r in range(lo, hi):
        p = start[r]
        v = 0
        k = 0
        while k < limit and v < n:
            if p < start[r + 1] and neighbour[p] == v:
                p += 1
            elif v != r:
                out[r - lo, k] = start[v + 1] - start[v]
                k += 1
            v += 1
    return out
