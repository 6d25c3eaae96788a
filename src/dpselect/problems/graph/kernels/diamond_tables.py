"""Raises and single-vertex levels of diamonds, cut off at 2^60 (see `saturated`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import binomial, plus, times
from dpselect.problems.graph.kernels.single_levels import may_raise, raise_levels
from dpselect.problems.graph.kernels.top_codegrees import top_codegrees

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def diamond_growth(codegree: int, t: int, largest: int, triple: int) -> int:
    """g_t = max(4, 2 (M + t) + (D + t) + (min(M, M_3) + t)), M = codegree, D = largest, M_3 = triple."""
    return max(4, 2 * (codegree + t) + largest + t + min(codegree, triple) + t)


@kernel
def diamond_share(codegree: int, t: int, largest: int, triple: int) -> int:
    """s_t = max(1, 2 (M + t) + (D + t − 1) + 2 (min(M, M_3, D − 1) + t)₊)."""
    return max(1, 2 * (codegree + t) + largest + t - 1 + 2 * max(min(codegree, triple, largest - 1) + t, 0))


@kernel
def diamond_raises(counts: Int64, codegree: Int64, largest: int, triple: int) -> Int64:
    """out[b, i] = the lesser of two sums, with G_k = g_0 + … + g_{k−1}:

        Σ_{t<i} max(s_t, binom(M + t, 2) + (M + t)(M + D + 2t)),   Σ_{k≤i} (max(s_{k−1}, c_(k)) + G_{k−1}).

    Args:
        counts: int64[b, K], falling rows c_(k) ≤ 2^60. codegree: int64[b], M. largest: D. triple: M_3.
    """
    blocks, limit = counts.shape
    out = np.zeros((blocks, limit), np.int64)
    for b in range(blocks):
        M = codegree[b]
        earlier, simple, ordered = 0, 0, 0
        for i in range(1, limit):
            t = i - 1
            s = diamond_share(M, t, largest, triple)
            closed = plus(binomial(M + t, 2), times(M + t, M + largest + 2 * t))
            simple = plus(simple, max(s, closed))
            ordered = plus(plus(ordered, max(s, counts[b, t])), earlier)
            earlier = plus(earlier, diamond_growth(M, t, largest, triple))
            out[b, i] = min(simple, ordered)
    return out


@kernel
def raise_diamond_levels(
    start: Int64,
    neighbour: Int32,
    codegrees: Int32,
    diamonds: Int64,
    scores: Int64,
    order: Int64,
    largest: int,
    triple: int,
    met: Int32,
    touched: Int32,
    table: Int64,
) -> None:
    """table[i, j] = max(table[i, j], q_s − Σ_{k≤j} max(c_{s,(k)} + G_i, s_i)) over s, for i + j < K, j ≥ 1.

    Args:
        codegrees: int32[2m]. diamonds: int64[2m], c of the edges, at both places of each. order: int64[n], ranks by
            falling score. table: int64[K, K], ≥ 0, changed in place. met, touched: as for `top_codegrees`.

    Skipped: s behind the first with q_s ≤ min (table + j·max(4i, 1)), for g ≥ 4 and s_i ≥ 1; and s for which every
    entry is at least q_s (1 − 2 min(j, d)/d) − j·G_i, G from a lower bound of M: a copy uses two or three edges at s,
    so the c sum to at least 2 q_s, and the j largest to at least their share. Cost: K² + d log d for each other s.
    """
    limit = table.shape[0]
    grown = np.zeros(limit, np.int64)
    least = np.zeros(limit, np.int64)
    one = np.zeros(1, np.int64)
    floor = -1
    for s in order:
        q = scores[s]
        if q <= floor or q == 0:
            break
        degree = start[s + 1] - start[s]
        most = 0
        for p in range(start[s], start[s + 1]):
            most = max(most, codegrees[p])
        for i in range(1, limit):
            grown[i] = plus(grown[i - 1], diamond_growth(most, i - 1, largest, triple))
        if not may_raise(table, q, degree, 2, grown):
            continue
        one[0] = s
        most = max(most, top_codegrees(start, neighbour, one, 1, met, touched)[0, 0])
        for i in range(1, limit):
            grown[i] = plus(grown[i - 1], diamond_growth(most, i - 1, largest, triple))
        for i in range(limit):
            least[i] = diamond_share(most, i, largest, triple)
        raise_levels(table, q, np.sort(diamonds[start[s] : start[s + 1]])[::-1], grown, least)
        floor = q
        for i in range(limit):
            for j in range(1, limit - i):
                floor = min(floor, table[i, j] + j * max(4 * i, 1))
