"""The largest co-degree over all pairs, adjacent or not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def largest_codegree(
    lo: int, hi: int, start: Int64, neighbour: Int32, met: Int32, touched: Int32, best: Int64, known: Int64
) -> None:
    """best[0] = max(best[0], known[0], |N(u) ∩ N(x)| over pairs x < u with lo ≤ u < hi).

    Args:
        start, neighbour: ascending lists over ranks of falling degree.
        met: int32[n], zero everywhere and left so. touched: int32[n], scratch.
        best: int64[1], of this thread alone.
        known: int64[1], a co-degree that occurs (or 0); raised on the way, as a hint to blocks that run
        beside this
            one. A lost update there costs time, not truth.

    A pair has co-degree at most its smaller degree, d_u, so the scan ends where d_u ≤ the best so far.
    Cost: the wedges u–w–x with x < u and d_u > D.
    """
    for u in range(lo, hi):
        best[0] = max(best[0], known[0])
        if start[u + 1] - start[u] <= best[0]:
            break
        fresh = 0
        for p in range(start[u], start[u + 1]):
            w = neighbour[p]
            for q in range(start[w], start[w + 1]):
                x = neighbour[q]
                if x >= u:
                    break
                if met[x] == 0:
                    touched[fresh] = x
                    fresh += 1
                met[x] += 1
        for k in range(fresh):
            best[0] = max(best[0], met[touched[k]])
            met[touched[k]] = 0
        if best[0] > known[0]:
            known[0] = best[0]
