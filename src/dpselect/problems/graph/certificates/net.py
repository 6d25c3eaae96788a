"""The monotone construction in net form: from raises and drops to a certified flip distance.

Setting: x is a graph, q_s(x) ≥ 0 counts copies of a motif at candidate s, so an added edge never lowers a
score. Write raise_s(e) = q_s(x + e) − q_s(x) and drop_s(e) = q_s(x) − q_s(x − e). Given, for i, j = 0, 1,
2, …,

* R_{x,r}(i, j) ≥ 0, a bound on what i additions can give to r, net of what j removals cost r, and
* W^T_x(i, j) ≥ 0 for every T of a *fixed* family of sets of candidates, a bound on what j removals can take
  from T as a whole after room is made for i additions,

with R(0, 0) = W(0, 0) = 0 and, for every edge e that can be added (A, C) or removed (B, D),

    (A)  R_{x,r}(i+1, j) ≥ raise_r(e) + R_{x+e,r}(i, j)
    (B)  R_{x,r}(i, j+1) ≥ R_{x−e,r}(i, j) − drop_r(e)
    (C)  W^T_x(i+1, j) ≥ W^T_{x+e}(i, j) − Σ_{s∈T} raise_s(e)
    (D)  W^T_x(i, j+1) ≥ Σ_{s∈T} drop_s(e) + W^T_{x−e}(i, j)

the distance is

    φ(x, r) = min{i + j : for every T,  Σ_{s∈T} (q_s − q_r − R_r(i, j)) ≤ W^T(i, j)}.

**Theorem.** φ changes by at most 1 along every edge, is 0 exactly at the maximisers if every singleton is
in the family, and is at most the true flip distance. So is, and does, min(φ, K) for every public K ≥ 1.

*Proof.* Let (i, j) be feasible at x + e. Then (i+1, j) is feasible at x: with q'_s = q_s + raise_s, for
every T, Σ_T (q_s − q_r − R_x(i+1, j)) ≤ Σ_T (q'_s − raise_s − q_r − raise_r − R_{x+e}(i, j)) by (A) = Σ_T
(q'_s − q'_r − R_{x+e}(i, j)) − Σ_T raise_s ≤ W^T_{x+e}(i, j) − Σ_T raise_s ≤ W^T_x(i+1, j) by (C). Let (i,
j) be feasible at x − e. Then (i, j+1) is feasible at x: with q'_s = q_s − drop_s, Σ_T (q_s − q_r − R_x(i,
j+1)) ≤ Σ_T (q'_s + drop_s − q'_r − drop_r − R_{x−e}(i, j) + drop_r) by (B) ≤ W^T_{x−e}(i, j) + Σ_T drop_s ≤
W^T_x(i, j+1) by (D). Every edge of the world is one addition read in both directions, so |φ(x) − φ(x')| ≤
1. (0, 0) is feasible iff Σ_T (q_s − q_r) ≤ 0 for all T, which holds for a maximiser and fails at T = {s}
for any better s. A 1-Lipschitz function that vanishes where r is a maximiser is at most the distance to
that set; min(·, K) keeps all three. ∎

The family must be fixed: "the N candidates that are on top at x" is a different set at a neighbour. A bound
W^N that holds for *all* sets of size N is fine, and the binding set is then the N largest scores.

**One table for all candidates.** With R_r(i, j), the sets of each size N (one W^N for all of them) and the
singletons (one L_s for each), the pair (i, j) is feasible for r iff q_r + R_r(i, j) ≥ Λ(i, j),

    Λ(i, j) = max( max_N ⌈(pre_N − W^N(i, j)) / N⌉, max_s (q_s − L_s(i, j)) ),

pre_N the sum of the N largest scores. The left side is a whole number, so the quotient may be rounded *up*:
N·(q_r + R) ≥ pre_N − W^N is the same statement. Only whole numbers are compared.

Source: docs: theory 6b, graph certificates 1.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter

Whole = npt.NDArray[Any]  # int64, or object holding Python ints where int64 could overflow
Int64 = npt.NDArray[np.int64]

# Sums below this cannot overflow int64 when two of them are added or subtracted.
_SAFE = 1 << 61


def check_scores(scores: Whole, n: int) -> None:
    """`InvalidParameter` unless scores are int64 or Python integers, one for each of n candidates."""
    if scores.shape != (n,) or scores.dtype not in (np.int64, object):
        raise InvalidParameter("scores: expected whole numbers (int64), one for each vertex")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Drops:
    """W^N(i, j) = Σ_{k≤j} c_N(u_k(i)), what j removals can take from any N candidates after i additions.

        c_N(c) = min(N, 2)·c + min(a·c, (N − 2)₊·c, (N − 2)₊·h_i)

    One removed edge with c copies through it takes c from each of its two ends (candidates 1 and 2), and
    a·c from all other candidates together, at most min(c, h_i) from each of them.

    Attributes:
        largest: whole[K, K], row i holds u_1(i) ≥ u_2(i) ≥ … ≥ 0: bounds of the copies through the edges that
            the removals may take, once i edges were added.
        others: a, the vertices of the motif besides the two ends of an edge (0 if the motif has just two).
        share: whole[K], h_i ≥ 1, or None where only min(c, ·) is known.

    Two numbers are enough for triangles (a = 1, h = 1), ℓ-cliques (a = ℓ − 2), k-stars (a = k − 1) and
    4-cycles (a = 2). Rules (C) and (D) are proved where the rows are made.
    """

    largest: Whole
    others: int
    share: Whole | None = None

    @property
    def limit(self) -> int:
        return int(self.largest.shape[0])

    def one(self, size: int, additions: int, drop: int) -> int:
        """c_N(c) for one removed edge, as a Python int."""
        rest = max(size - 2, 0)
        part = min(self.others * drop, rest * drop)
        if self.share is not None:
            part = min(part, rest * int(self.share[additions]))
        return min(size, 2) * drop + part

    def settled(self, additions: int) -> int:
        """The least N from which on c_N no longer grows, for every drop of this row."""
        top = int(self.largest[additions, 0])
        need = self.others
        if self.share is not None:
            need = max(need, -(-self.others * top // int(self.share[additions])))
        return 2 + need


def merged(existing: Whole, growth: Whole, added: Whole, cap: int | None = None) -> Whole:
    """u_k(i) = the k-th largest of {e + growth_i : e an existing edge} ∪ {i copies of added_i ≥ 0}, capped.

    Args:
        existing: whole[*], the copies through each existing edge, in falling order; more than K are not
        needed,
            because all of them grow by the same amount.
        growth: whole[K], what i additions can add to the copies through an existing edge.
        added: whole[K], a bound of the copies through any of the i added edges.
        cap: a public bound of the copies through one edge.

    Returns:
        whole[K, K], rows falling, padded with 0.

    Cost: O(K² log K).
    """
    limit = len(growth)
    head = existing[:limit]
    rows = np.zeros((limit, max(limit, len(head) + limit)), dtype=growth.dtype)
    rows[:, : len(head)] = head + growth[:, None]
    # row i has room for i added edges; the other places keep the 0 of the padding
    rows[:, len(head) : len(head) + limit] = np.tril(np.broadcast_to(added[:, None], (limit, limit)), -1)
    rows = np.sort(rows, axis=1)[:, ::-1][:, :limit]
    return rows if cap is None else np.minimum(rows, cap)


def levels(scores: Whole, drops: Drops, singles: Whole | None = None) -> Whole:
    """Λ(i, j) = max(0, max_N ⌈(pre_N − W^N(i, j))/N⌉, max_s (q_s − L_s(i, j))) for i + j < K.

    A level below 0 is as good as 0: every q_r + R_r is at least that.

    Args:
        scores: whole[n], the scores of all candidates, in any order.
        drops: W^N, for sets of N = 1, 2, …, n candidates.
        singles: whole[K, K], max_s (q_s − L_s(i, j)), or None.

    Returns:
        whole[K, K]; entries with i + j ≥ K are not used.

    W^N no longer grows from N = `drops.settled(i)` on. There N ↦ (pre_N − W)/N rises exactly while
    pre_N − N q_(N+1) < W, and the left side never falls with N: one binary search instead of a scan.

    Cost: O(n log n + K²·min(n, settled)), at most; sizes that cannot win are skipped. Python ints replace
    int64 where a sum could overflow.
    """
    falling = np.sort(scores)[::-1]
    limit = drops.limit
    most = int(falling[0])
    # Bounds of every intermediate value: N·(a score or a level), the sum of all scores, the sum of all drops.
    widest = max(most, 1) * len(falling) + limit * (2 + drops.others) * (int(drops.largest.max()) + 1)
    if falling.dtype != object and drops.largest.dtype != object and widest < _SAFE:
        from dpselect.problems.graph.kernels.levels import scan_levels

        share = np.zeros(limit, dtype=np.int64) if drops.share is None else drops.share.astype(np.int64)
        settled = np.full(limit, 2 + drops.others, dtype=np.int64)
        if drops.share is not None:
            settled = np.maximum(settled, 2 - (-drops.others * drops.largest[:, 0] // share))
        table: Whole = scan_levels(
            np.concatenate(([0], np.cumsum(falling, dtype=np.int64))),
            drops.largest,
            np.int64(drops.others),
            share,
            settled,
        )
    else:
        table = _levels_of_python_ints([int(q) for q in falling], drops)
    if singles is not None:
        table = np.maximum(table, singles)
    return table


def _levels_of_python_ints(falling: list[int], drops: Drops) -> Whole:
    """The same table without a word size; the plain text of the formula."""
    n, limit = len(falling), drops.limit
    prefix = [0]
    for q in falling:
        prefix.append(prefix[-1] + q)
    # pre_N − N q_(N+1) for N = 1 … n − 1; beyond n there is no larger set.
    excess = [prefix[size] - size * falling[size] for size in range(1, n)]
    table = np.full((limit, limit), falling[0], dtype=object)
    for i in range(limit):
        last = min(n, drops.settled(i))
        taken = [0] * (last + 1)
        for j in range(1, limit - i):
            drop = int(drops.largest[i, j - 1])
            for size in range(1, last + 1):
                taken[size] += drops.one(size, i, drop)
            sizes = list(range(1, last + 1))
            if last < n:
                sizes.append(bisect_left(excess, taken[last], lo=last - 1) + 1)
            table[i, j] = max(0, *(-((taken[min(size, last)] - prefix[size]) // size) for size in sizes))
    return table


def reachable(scores: Whole, raises: Whole, table: Whole) -> npt.NDArray[np.bool_]:
    """False where q_r + R_r(i) < min_j Λ(i, j) over i + j < K, for every i: there φ(r) = K for certain.

    `raises` may be any upper bounds of R_r(i): whole[m, K]. Cost: O(m·K + K²).
    """
    limit = len(table)
    lowest = np.minimum.accumulate(table, axis=1)
    steps = np.arange(limit)
    return np.asarray((scores[:, None] + raises >= lowest[steps, limit - 1 - steps]).any(axis=1), dtype=np.bool_)


def flips(scores: Whole, raises: Whole, table: Whole) -> Int64:
    """φ(r) = min{i + j : q_r + R_r(i, j) ≥ Λ(i, j)}, truncated at K.

    Args:
        scores: whole[m], q_r of some candidates (all, or a block of them).
        raises: whole[m, K] for R_r(i), or whole[m, K, K] for R_r(i, j).
        table: whole[K, K], Λ of *all* candidates.

    Returns:
        int64[m]: the certificate min(φ, K).

    Guarantee: the theorem of this module, if the raises and drops obey (A)-(D).
    Cost: O(K) per candidate with R_r(i), O(K²) with R_r(i, j).
    """
    limit = len(table)
    if raises.ndim == 3:
        steps = np.add.outer(np.arange(limit), np.arange(limit))
        feasible = (scores[:, None, None] + raises >= table) & (steps < limit)
        return np.asarray(np.where(feasible, steps, limit).min(axis=(1, 2)), dtype=np.int64)
    # A larger j costs more, so only the lowest level among 0 … j matters: running minima make the rows
    # monotone.
    lowest = np.minimum.accumulate(table, axis=1)
    if scores.dtype != object and raises.dtype != object and lowest.dtype != object:
        from dpselect.problems.graph.kernels.flips import first_feasible

        return np.asarray(first_feasible(scores, raises, lowest), dtype=np.int64)
    out = np.full(len(scores), limit, dtype=np.int64)
    for i in range(limit):
        row = lowest[i, : limit - i]
        for r, have in enumerate(scores + raises[:, i]):
            # the row falls: the first j at or below `have`
            j = bisect_left(row, -have, key=lambda level: -level)
            if i + j < out[r]:
                out[r] = i + j
    return out
