"""The first feasible pair of every candidate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int64 = npt.NDArray[np.int64]


@kernel
def first_feasible(scores: Int64, raises: Int64, lowest: Int64) -> Int64:
    """out[r] = min{i + j < K : scores[r] + raises[r, i] ≥ lowest[i, j]}, K if there is none.

    Args:
        scores: int64[m].
        raises: int64[m, K].
        lowest: int64[K, K], rows that never rise.

    Once a sum is reached only smaller ones are tried, so a candidate costs at most 2K comparisons.
    """
    m = scores.shape[0]
    limit = lowest.shape[0]
    out = np.empty(m, np.int64)
    for r in range(m):
        best = limit
        i = 0
        while i < best:
            have = scores[r] + raises[r, i]
            while best > i and have >= lowest[i, best - 1 - i]:
                best -= 1
            i += 1
        out[r] = best
    return out
