"""The pairs of a vertex with the most 3-paths between them, and the raises in 4-cycles that follow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

# The first round counts the pairs with this many vertices of highest degree.
_FIRST = 1024


@kernel
def top_three_paths(
    start: Int64,
    neighbour: Int32,
    ranks: Int64,
    limit: int,
    met: Int32,
    touched: Int32,
    paths: Int64,
    reached: Int32,
) -> Int64:
    """out[b, :limit] = the largest numbers of paths r–a–b–v over non-neighbours v ≠ r of r = ranks[b], falling,
    padded with 0; out[b, limit] = M_r, the largest co-degree of r with any vertex.

    Args:
        start, neighbour: ascending lists over ranks of falling degree.
        met: int32[n] and paths: int64[n], zero everywhere and left so. touched, reached: int32[n], scratch.

    Σ over b ∈ N(v) of the co-degree of r and b, b ≠ r: at most d_v M_r. A first round tries the v of highest degrees;
    with t the limit-th best of it, only v with d_v M_r > t can matter, and they are a beginning of the ranks.
    Cost: the wedges at r, and for every b met the neighbours of b before that end, at most 2m.
    """
    n = start.shape[0] - 1
    far = -(1 << 62)
    out = np.zeros((ranks.shape[0], limit + 1), np.int64)
    for k in range(ranks.shape[0]):
        r = ranks[k]
        fresh = 0
        most = 0
        for p in range(start[r], start[r + 1]):
            w = neighbour[p]
            for q in range(start[w], start[w + 1]):
                b = neighbour[q]
                if met[b] == 0:
                    touched[fresh] = b
                    fresh += 1
                met[b] += 1
        met[r] = 0
        for t in range(fresh):
            most = max(most, met[touched[t]])
        out[k, limit] = most
        paths[r] = far
        for p in range(start[r], start[r + 1]):
            paths[neighbour[p]] = far
        end = min(_FIRST, n)
        begin = 0
        while True:
            found = 0
            for t in range(fresh):
                b = touched[t]
                walks = met[b]
                if walks == 0:
                    continue
                p = start[b]
                stop = start[b + 1]
                if begin > 0:  # the first neighbour at or behind `begin`
                    high = stop
                    while p < high:
                        middle = (p + high) // 2
                        if neighbour[middle] < begin:
                            p = middle + 1
                        else:
                            high = middle
                while p < stop:
                    v = neighbour[p]
                    if v >= end:
                        break
                    if paths[v] == 0:
                        reached[found] = v
                        found += 1
                    paths[v] += walks
                    p += 1
            fitting = np.empty(found + limit, np.int64)
            for t in range(found):
                fitting[t] = paths[reached[t]]
                paths[reached[t]] = 0
            fitting[found:] = out[k, :limit]
            if found > 0:
                if found + limit > 4 * limit:
                    fitting = np.partition(fitting, found)[found:]
                out[k, :limit] = np.sort(fitting)[::-1][:limit]
            if begin > 0:
                break
            # degrees fall: the first rank with d_v M_r ≤ the limit-th best
            low = 0
            high = n
            while low < high:
                middle = (low + high) // 2
                if (start[middle + 1] - start[middle]) * most <= out[k, limit - 1]:
                    high = middle
                else:
                    low = middle + 1
            if low <= end:
                break
            begin = end
            end = low
        paths[r] = 0
        for p in range(start[r], start[r + 1]):
            paths[neighbour[p]] = 0
        for t in range(fresh):
            met[touched[t]] = 0
    return out


@kernel
def four_cycle_raises(counts: Int64, degree: Int64, codegree: Int64, largest: int) -> Int64:
    """out[b, i] = min(Σ_{t<i} max(1, (d + t)(D + t), 2 (M + t)), Σ_{k≤i} (max(h_{k−1}, c_(k)) + h_0 + … + h_{k−2})),
    h_t = max(2, D + t, 2 (M + t)).

    Args:
        counts: int64[b, K], falling rows c_(k). degree, codegree: int64[b], d and M. largest: D.
    """
    blocks, limit = counts.shape
    out = np.zeros((blocks, limit), np.int64)
    for b in range(blocks):
        earlier = 0
        simple = 0
        sorted_ = 0
        for i in range(1, limit):
            t = i - 1
            link = 2 * (codegree[b] + t)
            h = max(2, largest + t, link)
            simple += max(1, (degree[b] + t) * (largest + t), link)
            sorted_ += max(h, counts[b, t]) + earlier
            earlier += h
            out[b, i] = min(simple, sorted_)
    return out
