"""The largest degree sums among pairs with many common neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel


@kernel
def raise_staircase(
    lo: int,
    hi: int,
    start: npt.NDArray[np.int64],
    neighbour: npt.NDArray[np.uint32],
    common: npt.NDArray[np.int32],
    touched: npt.NDArray[np.uint32],
    adjacent: npt.NDArray[np.bool_],
    stairs: npt.NDArray[np.int64],
) -> bool:
    """stairs[i] ← max(stairs[i], max{σ(u, x) : a(u, x) ≥ i, x < u, lo ≤ u < hi}), in ranks of `Adjacency`.

    a(u, x) = |N(u) ∩ N(x)| and σ(u, x) = d_u + d_x − 2·[u ~ x], over *all* pairs: adjacent or not, a = 0 too.
    Returns False when no pair with a later u can raise `stairs` any more.

    A pair is passed over only if a pair already recorded dominates it. As x < u has d_x ≥ d_u, a ≤ d_u and
    σ ≤ d_u + d_x, it is enough that d_u + d_x ≤ stairs[d_u]; along falling degrees the x that remain are a
    prefix [0, limit), and once it is empty for u it is empty for every later one (stairs[d] − d rises as d
    falls). Among the x without common neighbours only those up to the first non-adjacent one can matter:
    they come in falling degree.

    Arguments: `stairs` int64[d_0 + 2], nonincreasing, −1 where there is no pair yet; scratch `common`
    int32[n], `touched` uint32[n], `adjacent` bool[n], zero and left so. Cost: at most Σ_w d_w² steps, in
    practice few.
    """
    most = start[1] - start[0]
    for u in range(max(lo, 1), hi):
        degree = start[u + 1] - start[u]
        needed = stairs[degree] - degree  # x matters only if d_x > needed
        if most <= needed:
            return False
        limit, beyond = 0, u
        while limit < beyond:
            middle = (limit + beyond) // 2
            if start[middle + 1] - start[middle] > needed:
                limit = middle + 1
            else:
                beyond = middle
        met = 0
        for k in range(start[u], start[u + 1]):
            w = neighbour[k]
            adjacent[w] = True
            for q in range(start[w], start[w + 1]):
                x = neighbour[q]
                if x >= limit:
                    break
                if common[x] == 0:
                    touched[met] = x
                    met += 1
                common[x] += 1
        for x in range(limit):
            if common[x] == 0:
                sigma = degree + start[x + 1] - start[x]
                if adjacent[x]:
                    sigma -= 2
                stairs[0] = max(stairs[0], sigma)
                if not adjacent[x]:
                    break
        for k in range(met):
            x = touched[k]
            a = common[x]
            common[x] = 0
            sigma = degree + start[x + 1] - start[x]
            if adjacent[x]:
                sigma -= 2
            while a >= 0 and stairs[a] < sigma:
                stairs[a] = sigma
                a -= 1
        for k in range(start[u], start[u + 1]):
            adjacent[neighbour[k]] = False
    return True
