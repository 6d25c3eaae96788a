"""What i added edges can give to a vertex in triangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Bool = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


@kernel
def triangle_raises(codegrees: Int64, cap: int) -> Int64:
    """out[b, i] = Σ_{k≤i} min(max(1, c_(k) + k − 1), cap) for i < K, c_(1) ≥ c_(2) ≥ … = codegrees[b].

    Args:
        codegrees: int64[b, K], falling rows.
        cap: n − 2, the triangles through one pair at most.
    """
    blocks, limit = codegrees.shape
    out = np.zeros((blocks, limit), np.int64)
    for b in range(blocks):
        for i in range(1, limit):
            out[b, i] = out[b, i - 1] + min(max(1, codegrees[b, i - 1] + i - 1), cap)
    return out


@kernel
def within_reach(scores: Int64, degrees: Int64, wedges: Int64, highest: Int64, lowest: Int64, cap: int) -> Bool:
    """False where the certificate is K for certain: q_r + R_r(i) < Λ(i, K − 1 − i) for all i, R from above.

    Args:
        scores, degrees: int64[n]. wedges: int64[n], paths r–w–v that end at a non-neighbour v ≠ r.
        highest: int64[K], the K highest degrees of the graph, falling.
        lowest: int64[K, K], running minima of the rows of Λ.
        cap: n − 2.

    c_(k) ≤ d_r, c_(k) ≤ highest_(k) (k non-neighbours have at least c_(k) neighbours each) and
    k·c_(k) ≤ c_(1) + … + c_(k) ≤ wedges_r. Every pair with i + j < K has j ≤ K − 1 − i and the rows of
    `lowest` fall, so if the lowest level of each row is out of reach, all are.

    Cost: O(K) per vertex.
    """
    n = scores.shape[0]
    limit = lowest.shape[0]
    out = np.zeros(n, np.bool_)
    for r in range(n):
        have = scores[r]
        for i in range(limit):
            if i > 0:
                most = min(degrees[r], highest[i - 1], wedges[r] // i)
                have += min(max(1, most + i - 1), cap)
            if have >= lowest[i, limit - 1 - i]:
                out[r] = True
                break
    return out
