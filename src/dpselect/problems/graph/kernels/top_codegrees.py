"""The largest co-degrees of a vertex with its non-neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

# The first stage counts pairs with this many vertices of highest degree; each further stage, four times as
# many.
_FIRST = 1024


@kernel
def top_codegrees(start: Int64, neighbour: Int32, ranks: Int64, limit: int, met: Int32, touched: Int32) -> Int64:
    """out[b, k] = the (k+1)-th largest |N(r) ∩ N(v)| over v ∉ N(r) ∪ {r}, r = ranks[b]; padded with 0.

    Args:
        start, neighbour: ascending lists over ranks of falling degree.
        ranks: int64[b].
        met: int32[n], zero everywhere and left so. touched: int32[n], scratch.

    Returns:
        int64[b, limit], rows falling.

    Vertices are tried in stages by falling degree. After a stage let t be the limit-th largest co-degree so
    far: a vertex of degree ≤ t has co-degree ≤ t and cannot change the sorted top, and all later vertices
    have smaller degrees, so the scan ends where degrees fall to t. Cost: the wedges r–w–v with v before
    that end.
    """
    n = start.shape[0] - 1
    most = 0
    for r in ranks:
        most = max(most, start[r + 1] - start[r])
    # met[v] is the co-degree so far, and far below 0 on N(r) ∪ {r}
    position = np.empty(most, np.int64)
    seen = np.zeros(most + 1, np.int64)  # how many v have each co-degree ≥ 1
    out = np.zeros((ranks.shape[0], limit), np.int64)
    for b in range(ranks.shape[0]):
        r = ranks[b]
        begin = start[r]
        degree = start[r + 1] - begin
        met[r] = -(1 << 30)
        for p in range(degree):
            w = neighbour[begin + p]
            met[w] = -(1 << 30)
            position[p] = start[w]
        cut = n
        end = min(_FIRST, n)
        old = 0
        fresh = 0
        threshold = 0
        while True:
            for p in range(degree):
                w = neighbour[begin + p]
                q = position[p]
                stop = start[w + 1]
                while q < stop:
                    v = neighbour[q]
                    if v >= end:
                        break
                    if met[v] == 0:
                        touched[fresh] = v
                        fresh += 1
                    met[v] += 1
                    q += 1
                position[p] = q
            for k in range(old, fresh):
                seen[met[touched[k]]] += 1
            old = fresh
            # the limit-th largest so far, 0 if there are fewer
            left = limit
            threshold = degree
            while threshold > 0:
                left -= seen[threshold]
                if left <= 0:
                    break
                threshold -= 1
            # degrees fall: the first rank of degree ≤ threshold (every vertex of degree 0 is such a one)
            low = 0
            high = n
            while low < high:
                middle = (low + high) // 2
                if start[middle + 1] - start[middle] <= threshold:
                    high = middle
                else:
                    low = middle + 1
            cut = low
            if end >= cut:
                break
            end = min(4 * end, cut)
        k = 0
        value = degree
        while value > 0 and k < limit:
            for _ in range(min(seen[value], limit - k)):
                out[b, k] = value
                k += 1
            value -= 1
        for value in range(degree + 1):
            seen[value] = 0
        for k in range(fresh):
            met[touched[k]] = 0
        met[r] = 0
        for p in range(degree):
            met[neighbour[begin + p]] = 0
    return out
