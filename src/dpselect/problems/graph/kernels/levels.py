"""Λ(i, j) by sizes: the highest level that the j worst removals leave to some set of N candidates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int64 = npt.NDArray[np.int64]


@kernel
def scan_levels(prefix: Int64, largest: Int64, others: np.int64, share: Int64, settled: Int64) -> Int64:
    """table[i, j] = max(0, max_N ⌈(prefix[N] − Σ_{k≤j} c_N(largest[i, k]))/N⌉) for i + j < K.

    Args:
        prefix: int64[n + 1], sums of the N largest scores.
        largest: int64[K, K], falling rows of drops.
        others, share: the numbers a and h_i of c_N; a share of 0 means that there is none.
        settled: int64[K], the size from which on c_N is constant in row i.

    Sizes are tried with one multiplication; the division is left for those that win. Cost: O(K²·settled).
    """
    n = prefix.shape[0] - 1
    limit = largest.shape[0]
    most = prefix[1]
    table = np.full((limit, limit), most, np.int64)
    for i in range(limit):
        last = min(n, int(settled[i]))
        taken = np.zeros(last + 1, np.int64)
        h = share[i]
        for j in range(1, limit - i):
            c = largest[i, j - 1]
            best = np.int64(0)
            for size in range(1, last + 1):
                rest = max(size - 2, 0)
                part = min(others * c, rest * c)
                if h > 0:
                    part = min(part, rest * h)
                taken[size] += min(size, 2) * c + part
                left = prefix[size] - taken[size]
                if left > best * size:
                    best = -((-left) // size)
            if last < n:
                # from here on nothing more is taken: the first size whose next score does not help
                low = last
                high = n
                while low < high:
                    middle = (low + high) // 2
                    if prefix[middle] - middle * (prefix[middle + 1] - prefix[middle]) >= taken[last]:
                        high = middle
                    else:
                        low = middle + 1
                left = prefix[low] - taken[last]
                if left > best * low:
                    best = -((-left) // low)
            table[i, j] = best
    return table
