"""Cliques inside the common neighbourhood of a pair: the (k + 2)-cliques that the pair's edge closes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.bit_rows import rows_among
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.near_cliques import all_cliques
from dpselect.problems.graph.kernels.saturated import binomial

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def common_cliques(
    start: Int64, split: Int64, neighbour: Int32, near: Bool, v: int, k: int, members: Int32, place: Int32
) -> int:
    """How many k-cliques, k ≥ 2, lie in N(u) ∩ N(v), where near marks N(u); 2^60 if there are more.

    Args:
        near: bool[n]. members: int32[n], scratch. place: int32[n], −1 everywhere and left so.

    Cost: d_v plus the upper neighbours of the common neighbours; for k ≥ 3 also a bit row for each of these,
    and their cliques (`all_cliques`).
    """
    size = 0
    for p in range(start[v], start[v + 1]):
        y = neighbour[p]
        if near[y]:
            members[size] = y
            size += 1
    if size < k:
        return 0
    if k > 2:
        return all_cliques(rows_among(start, split, neighbour, members[:size], place), k)
    total = 0
    for a in range(size):
        place[members[a]] = a
    for a in range(size):
        y = members[a]
        for p in range(start[y], split[y]):
            if place[neighbour[p]] >= 0:
                total += 1
    for a in range(size):
        place[members[a]] = -1
    return total


@kernel
def cliques_of_pairs(
    start: Int64,
    split: Int64,
    neighbour: Int32,
    us: Int32,
    vs: Int32,
    k: int,
    near: Bool,
    members: Int32,
    place: Int32,
    out: Int64,
) -> None:
    """out[p] = the k-cliques in N(us[p]) ∩ N(vs[p]); near must be False everywhere and is left so."""
    for p in range(us.shape[0]):
        u, v = us[p], vs[p]
        if start[u + 1] - start[u] > start[v + 1] - start[v]:
            u, v = v, u
        for q in range(start[u], start[u + 1]):
            near[neighbour[q]] = True
        out[p] = common_cliques(start, split, neighbour, near, v, k, members, place)
        for q in range(start[u], start[u + 1]):
            near[neighbour[q]] = False


@kernel
def largest_pair_cliques(
    lo: int,
    hi: int,
    start: Int64,
    split: Int64,
    neighbour: Int32,
    k: int,
    near: Bool,
    members: Int32,
    place: Int32,
    met: Int32,
    touched: Int32,
    best: Int64,
    known: Int64,
) -> None:
    """best[0] = max(best[0], known[0], k-cliques in N(u) ∩ N(x) over pairs x < u with lo ≤ u < hi).

    Args:
        best: int64[1], of this thread. known: int64[1], a count that occurs (or 0), a hint shared by threads.

    A pair of co-degree a has at most binom(a, k), and a ≤ d_u: most pairs are skipped on their co-degree, and the
    scan ends at the first u with binom(d_u, k) ≤ best.
    """
    for u in range(lo, hi):
        best[0] = max(best[0], known[0])
        if binomial(start[u + 1] - start[u], k) <= best[0]:
            break
        fresh = 0
        for p in range(start[u], start[u + 1]):
            w = neighbour[p]
            near[w] = True
            for q in range(start[w], start[w + 1]):
                x = neighbour[q]
                if x >= u:
                    break
                if met[x] == 0:
                    touched[fresh] = x
                    fresh += 1
                met[x] += 1
        for t in range(fresh):
            x = touched[t]
            if binomial(met[x], k) > best[0]:
                best[0] = max(best[0], common_cliques(start, split, neighbour, near, x, k, members, place))
            met[x] = 0
        for p in range(start[u], start[u + 1]):
            near[neighbour[p]] = False
        if best[0] > known[0]:
            known[0] = best[0]


@kernel
def top_pair_cliques(
    start: Int64,
    split: Int64,
    neighbour: Int32,
    ranks: Int64,
    limit: int,
    k: int,
    near: Bool,
    members: Int32,
    place: Int32,
    met: Int32,
    touched: Int32,
) -> Int64:
    """out[b, :limit] = the largest k-clique counts of r = ranks[b] with its non-neighbours, falling, padded with 0;
    out[b, limit] = M_r, the largest co-degree of r with any vertex.

    Non-neighbours are tried by falling co-degree a and the rest is skipped once binom(a, k) is at most the
    limit-th best. Cost: the wedges at r, and the counts that are not skipped.
    """
    far = -(1 << 30)
    out = np.zeros((ranks.shape[0], limit + 1), np.int64)
    for b in range(ranks.shape[0]):
        r = ranks[b]
        degree = start[r + 1] - start[r]
        met[r] = far
        for p in range(start[r], start[r + 1]):
            met[neighbour[p]] = far
            near[neighbour[p]] = True
        fresh = 0
        for p in range(start[r], start[r + 1]):
            w = neighbour[p]
            for q in range(start[w], start[w + 1]):
                v = neighbour[q]
                if met[v] == 0:
                    touched[fresh] = v
                    fresh += 1
                met[v] += 1
        most = 0
        for p in range(start[r], start[r + 1]):
            most = max(most, met[neighbour[p]] - far)
        # by falling co-degree: count, then place
        begin = np.zeros(degree + 2, np.int64)
        for t in range(fresh):
            begin[degree - met[touched[t]] + 1] += 1
        for a in range(degree + 1):
            begin[a + 1] += begin[a]
        order = np.empty(fresh, np.int32)
        for t in range(fresh):
            at = degree - met[touched[t]]
            order[begin[at]] = touched[t]
            begin[at] += 1
        if fresh > 0:
            most = max(most, met[order[0]])
        out[b, limit] = most
        for t in range(fresh):
            v = order[t]
            if binomial(met[v], k) <= out[b, limit - 1]:
                break
            c = common_cliques(start, split, neighbour, near, v, k, members, place)
            at = limit - 1
            if c > out[b, at]:
                while at > 0 and out[b, at - 1] < c:
                    out[b, at] = out[b, at - 1]
                    at -= 1
                out[b, at] = c
        for t in range(fresh):
            met[touched[t]] = 0
        met[r] = 0
        for p in range(start[r], start[r + 1]):
            met[neighbour[p]] = 0
            near[neighbour[p]] = False
    return out
