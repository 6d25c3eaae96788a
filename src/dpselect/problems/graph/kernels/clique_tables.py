"""Raises and single-vertex levels of ℓ-cliques, cut off at 2^60 (see `saturated`).

Scores are at most 2^60 and levels lie between 0 and the largest score. A raise of 2^60 is enough for every level, and a
sum of 2^60 leaves nothing of any score: what is cut off there decides every comparison as the exact number does.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.common_cliques import common_cliques
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import binomial, plus
from dpselect.problems.graph.kernels.single_levels import may_raise, raise_levels
from dpselect.problems.graph.kernels.top_codegrees import top_codegrees

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def growth(codegree: int, t: int, size: int, triples: Int64, quadruples: Int64) -> int:
    """h_t = max(1, min(E_t, binom(M + t, ℓ − 3)), min(F_t, binom(M + t, ℓ − 4))), M = codegree.

    Args:
        triples, quadruples: int64[K], E and F: bounds for any three and any four vertices, at most 2^60.
    """
    three = min(int(triples[t]), binomial(codegree + t, size - 3))
    return max(1, three, min(int(quadruples[t]), binomial(codegree + t, size - 4)))


@kernel
def clique_raises(counts: Int64, codegree: Int64, size: int, triples: Int64, quadruples: Int64) -> Int64:
    """out[b, i] = Σ_{k≤i} (max(h_{k−1}, c_(k)) + h_0 + … + h_{k−2}), h_t = `growth` at M = codegree[b].

    Args:
        counts: int64[b, K], falling rows c_(k) ≤ 2^60. codegree: int64[b]. size: ℓ. triples, quadruples: see `growth`.
    """
    blocks, limit = counts.shape
    out = np.zeros((blocks, limit), np.int64)
    for b in range(blocks):
        earlier = 0
        for i in range(1, limit):
            h = growth(codegree[b], i - 1, size, triples, quadruples)
            out[b, i] = plus(plus(out[b, i - 1], max(h, counts[b, i - 1])), earlier)
            earlier = plus(earlier, h)
    return out


@kernel
def raise_clique_levels(
    start: Int64,
    split: Int64,
    neighbour: Int32,
    edge_codegrees: Int32,
    scores: Int64,
    order: Int64,
    size: int,
    triples: Int64,
    quadruples: Int64,
    near: Bool,
    members: Int32,
    place: Int32,
    met: Int32,
    touched: Int32,
    table: Int64,
) -> None:
    """table[i, j] = max(table[i, j], q_s − Σ_{k≤j} (c_{s,(k)} + G^s_i)) over s, for i + j < K, j ≥ 1.

    Args:
        edge_codegrees: int32[2m]. order: int64[n], ranks by falling score. table: int64[K, K], ≥ 0, changed in
            place.

    Skipped without counting: s behind the first with q_s ≤ min (table + i·j), for G^s_i ≥ i; and s for which every
    entry is at least q_s (1 − (ℓ − 1) min(j, d)/d) − j·G_i, G from a lower bound of M_s: the d counts of the edges at
    s sum to (ℓ − 1) q_s, so the j largest sum to at least their share. Cost: K² for each s that is looked at,
    cliques at its edges for each that is counted.
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
            most = max(most, edge_codegrees[p])
        for i in range(1, limit):
            grown[i] = plus(grown[i - 1], growth(most, i - 1, size, triples, quadruples))
        if not may_raise(table, q, degree, size - 1, grown):
            continue
        one[0] = s
        most = max(most, top_codegrees(start, neighbour, one, 1, met, touched)[0, 0])
        for i in range(1, limit):
            grown[i] = plus(grown[i - 1], growth(most, i - 1, size, triples, quadruples))
        for p in range(start[s], start[s + 1]):
            near[neighbour[p]] = True
        counts = np.zeros(degree, np.int64)
        for p in range(degree):
            if edge_codegrees[start[s] + p] >= size - 2:
                v = neighbour[start[s] + p]
                counts[p] = common_cliques(start, split, neighbour, near, v, size - 2, members, place)
        for p in range(start[s], start[s + 1]):
            near[neighbour[p]] = False
        raise_levels(table, q, np.sort(counts)[::-1], grown, least)
        floor = q
        for i in range(limit):
            for j in range(1, limit - i):
                floor = min(floor, table[i, j] + i * j)
