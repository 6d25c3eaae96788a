"""ℓ-cliques per vertex, ℓ = 4, 5, 6: a certified flip distance from cliques in common neighbourhoods.

The raises and drops below go into the net form (`net`). For a pair u, v let c_uv be the (ℓ − 2)-cliques in
N(u) ∩ N(v): what the edge uv closes, or would close; M_s(i) the largest number of i-cliques in the common
neighbourhood of any s vertices. The cliques that hold a new edge uv and a third vertex w are (ℓ −
3)-cliques in the common neighbourhood of u, v and w. A new edge uw adds to c_uv only (ℓ − 3)-cliques in
N(u) ∩ N(v) ∩ N(w), and a new edge between two common neighbours of u and v only (ℓ − 4)-cliques in the
common neighbourhood of all four. So one added edge raises a third vertex, and any c, by at most max(M_3(ℓ −
3), M_4(ℓ − 4)). Within t additions, and with M a largest co-degree at hand that bounds the sets too, that
is at most

    h_t(M) = max(1, min(E_t, binom(M + t, ℓ − 3)), min(F_t, binom(M + t, ℓ − 4))),
    E = b^{ℓ−3},  F = b^{ℓ−4},  b^0_t = 1,  b^{−1}_t = 0,
    b^i_t = M_{ℓ−i}(i) + Σ_{u<t} max(1, b^{i−1}_u, b^{i−2}_u).

**b bounds M.** Let T be s = ℓ − i vertices. The i-cliques common to T that a new edge uv makes hold both ends: if u
is in T and v is not, they are v and an (i − 1)-clique common to T and v; if neither is in T, they are u, v and an
(i − 2)-clique common to T, u and v; if both are in T, there are none. The smaller cliques have no new edge. So M_s(i)
grows by at most max(M_{s+1}(i − 1), M_{s+2}(i − 2)), sets of ℓ again, and not at all for i = 0. With primes for the
graph after an addition, b'^i_t ≤ b^i_{t+1}: for t = 0 this is what was just said, and b'^i_{t+1} = b'^i_t + max(1,
b'^{i−1}_t, b'^{i−2}_t) ≤ b^i_{t+1} + max(1, b^{i−1}_{t+1}, b^{i−2}_{t+1}) = b^i_{t+2}. M grows by at most 1. Hence h'_t
≤ h_{t+1} after an addition; after a removal h'_t ≤ h_t, for nothing grows.

**Raise.** M_r the largest co-degree of r with any vertex, h_t = h_t(M_r), B_k = h_0 + … + h_{k−1},
c_(1) ≥ c_(2) ≥ … the c_rv of r with its *non-neighbours* v, padded with zeros:

    R_r(i) = Σ_{k≤i} (max(h_{k−1}, c_(k)) + B_{k−1}).

(A) After any addition h'_t ≤ h_{t+1} and c' ≤ c + h_0, so term k becomes at most
max(h_k, c_(k) + h_0) + B_k − h_0 ≤ max(h_k, c_(k)) + B_k at the same rank. Add rv of rank p: terms k ≥ p
move on to rank k + 1, max(h_k, c_(k+1)) + B_k at most, the old term k + 1. Terms k < p grow by max(h_k,
c_(k)) − max(h_{k−1}, c_(k)) + h_{k−1}; as c_(k) ≥ c_(p) the differences sum to at most max(h_{p−1}, c_(p))
− max(h_0, c_(p)), and the h_{k−1} to B_{p−1}: with the raise c_(p) ≤ max(h_0, c_(p)) this is at most term
p. Any other edge: the raise is ≤ h_0, the same sum with p = i + 1. (B) Remove rv: v enters at rank p;
nothing else grows. The moved ranks p … i − 1 and the new entry gain, in the same telescope, at most c_v
beyond the term i that is lost. Any other removal lets entries and M_r only fall.

**Total drop.** h*_t = h_t(D) with D the largest co-degree of all pairs, G_i = h*_0 + … + h*_{i−1}, C the
largest c_uv of **all pairs**; u_k(i) the largest of {c_e + G_i : existing edges} ∪ {i copies of C + G_i −
h*_0}, capped at binom(n − 2, ℓ − 2), and

    W^N(i, j) = Σ_{k≤j} c_N(u_k(i)),   c_1(c) = c,  c_N(c) = 2c + min((ℓ − 2) c, (N − 2) c, (N − 2) h*_i).

Removing an edge with c cliques takes c from each end and (ℓ − 2) c from all others together, at most M_3(ℓ − 3)
from each. (C) Old edges: c_e' + G'_i ≤ c_e + h*_0 + (G_{i+1} − h*_0). The new edge had c ≤
C: c + G'_i ≤ C + G_{i+1} − h*_0, one of the i + 1 copies. C' ≤ C + h*_0 and h*'_0 ≥ h*_0 keep the other i
copies below theirs, h*'_i ≤ h*_{i+1}. (D) The removed edge pays with c ≤ c + G_i and leaves; nothing else
grows.

**Drop of one vertex**, T = {s}: L_s(i, j) = Σ_{k≤j} (c_{s,(k)} + G^s_i), c_{s,(k)} the falling c_sv of the
existing edges at s, padded with zeros, G^s with M_s for D. (C) Each old c_sv grows by at most h^s_0 per
addition; a new edge sv enters with c ≤ the raise of s, which is subtracted, and its j entries still have
room j·G^s_{i+1} ≥ j·(h^s_0 + G'_i). (D) An edge at s pays with its own entry. An edge vw between two
neighbours of s takes from s the cliques with s, v and w, and as many from c_sv: if sv is among the j
largest afterwards, it was larger by the drop before; if not, it is the (j+1)-st entry that pays.

**Cut off at 2^60.** Larger counts are refused, so no edge here is in more than 2^60 cliques: the u_k may be capped
there as they are at binom(n − 2, ℓ − 2). All else is made of sums, products, min and max of whole numbers ≥ 0, and
meets only scores, levels and u_k, none above 2^60: cut off there, nothing overflows and every comparison comes out the
same (`saturated`).

**What is skipped**, with the same result: vertices out of reach, first by degrees and wedges, then by their co-degrees
(c ≤ binom(co-degree, ℓ − 2) as an upper bound; as a *definition* in the sorted raise it breaks (B), see the tests);
pairs whose co-degree is too small to change a sorted top.

Source: docs: theory 6b, graph certificates 3, where h uses co-degrees only; M_3 and M_4 are sharper.
"""

from __future__ import annotations

from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.codegrees import (
    CodegreeBounds,
    edge_codegrees,
    largest_at_edges,
    pair_codegree,
    threads_for,
)
from dpselect.problems.graph.certificates.net import Drops, check_scores, flips, levels, merged, reachable
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

if TYPE_CHECKING:
    from dpselect.problems.graph.adjacency import Adjacency
    from dpselect.problems.graph.graph import Graph

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Inside: TypeAlias = tuple[Bool, Int32, Int32]
Meeting: TypeAlias = tuple[Int32, Int32]

_BLOCKS = 256


def clique_flip_distance(graph: Graph, scores: Int64, size: int, limit: int = DEFAULT_LIMIT) -> Int64:
    """φ(x, r) = min{i + j < K : q_r + R_r(i) ≥ Λ(i, j)}, K if there is none, for cliques of `size` = 4, 5, 6.

    Args:
        graph: n vertices.
        scores: int64[n], the cliques of that size at each vertex, at most 2^60.
        size: ℓ, 4, 5 or 6 (triangles have a sharper form of their own).
        limit: K ≥ 1, public.

    Returns:
        int64[n], 0 … K.

    Guarantee: |φ(x, r) − φ(x', r)| ≤ 1 for graphs that differ in one edge, 0 exactly at maximisers, at most the
    fewest edges to add or remove until r is a maximiser. Proof: the rules (A)-(D) above and the theorem of `net`.

    Raises:
        InvalidParameter: size is not 4, 5 or 6, limit not a whole number ≥ 1, scores of the wrong length or type, below
            0 or beyond 2^60.

    Cost: as for triangles, plus clique counts in the common neighbourhoods of pairs whose co-degree can matter, and
    the common neighbourhoods of three and four vertices (`largest_common`).
    """
    from dpselect.problems.graph.kernels.saturated import MOST, cut_binomials

    K = whole(limit, "limit", least=1)
    if size not in (4, 5, 6):
        raise InvalidParameter(f"size: must be 4, 5 or 6, got {size}")
    check_scores(scores, graph.n)
    if scores.dtype == object or scores.min(initial=0) < 0 or scores.max(initial=0) > MOST:
        raise InvalidParameter("scores: expected int64 between 0 and 2^60")
    from dpselect.problems.graph.kernels.clique_tables import clique_raises, raise_clique_levels
    from dpselect.problems.graph.kernels.common_cliques import top_pair_cliques
    from dpselect.problems.graph.kernels.top_codegrees import top_codegrees

    lists = graph.adjacency
    start, split, neighbour = lists.start, lists.split, lists.neighbour
    n, k = graph.n, size - 2
    q = scores[lists.order]
    count = edge_codegrees(lists)
    D = pair_codegree(lists, int(count.max(initial=0)))
    existing = _top_edges(lists, count, k, K)
    C = _largest_pair(lists, k, int(existing[0]) if len(existing) else 0)

    triples, quadruples = _larger_sets(graph, size, K)
    codegrees = np.minimum(D + np.arange(K), max(n - 2, 0))
    shares = np.maximum(np.minimum(triples, cut_binomials(codegrees, k - 1)), 1)
    shares = np.maximum(np.minimum(quadruples, cut_binomials(codegrees, k - 2)), shares)
    grown = _sums(shares)
    added = np.minimum(C + np.concatenate(([0], _sums(shares[1:]))), MOST)  # C + G_i − h*_0; there is none for i = 0
    drops = Drops(merged(existing, grown, added, min(comb(max(n - 2, 0), k), MOST)), k, shares)
    table = levels(q, drops).astype(np.int64)  # between 0 and the largest score
    order = np.argsort(-q, kind="stable")
    raise_clique_levels(
        start, split, neighbour, count, q, order, size, triples, quadruples, *_inside(n), *_meeting(n), table
    )

    bounds = CodegreeBounds.of(lists, count, K)
    own = largest_at_edges(lists, count)
    phi = np.full(n, K, dtype=np.int64)

    def by_degrees(state: list[Int64], lo: int, hi: int) -> None:
        block = np.arange(lo, hi)
        highest = np.minimum(bounds.degrees[block], D)
        raises = clique_raises(cut_binomials(bounds.rows(block), k), highest, size, triples, quadruples)
        state.append(block[reachable(q[block], raises, table)])

    def by_codegrees(state: tuple[list[Int64], Meeting], lo: int, hi: int) -> None:
        block = near[lo:hi]
        rows = top_codegrees(start, neighbour, block, K, *state[1])
        highest = np.maximum(rows[:, 0], own[block])
        raises = clique_raises(cut_binomials(rows, k), highest, size, triples, quadruples)
        state[0].append(block[reachable(q[block], raises, table)])

    def by_cliques(state: tuple[Inside, Meeting], lo: int, hi: int) -> None:
        block = near[lo:hi]
        rows = top_pair_cliques(start, split, neighbour, block, K, k, *state[0], *state[1])
        raises = clique_raises(rows[:, :K].copy(), rows[:, K].copy(), size, triples, quadruples)
        phi[block] = flips(q[block], raises, table)

    even = np.ones(n, dtype=np.int64)
    near = _joined(run_blocks(even_blocks(even, 1 + n // 1024), list, by_degrees, threads_for(n * K)))
    weights = bounds.wedges[near] + K
    threads = threads_for(int(weights.sum()))

    def begin() -> tuple[list[Int64], Meeting]:
        return [], _meeting(n)

    states = run_blocks(even_blocks(weights, _BLOCKS), begin, by_codegrees, threads)
    near = _joined([found for found, _ in states])
    weights = bounds.wedges[near] + K
    run_blocks(even_blocks(weights, 4 * _BLOCKS), lambda: (_inside(n), _meeting(n)), by_cliques, threads)
    out = np.empty(n, dtype=np.int64)
    out[lists.order] = phi
    return out


def _larger_sets(graph: Graph, size: int, limit: int) -> tuple[Int64, Int64]:
    """E and F of the module's text, int64[K] each, at most 2^60."""
    from dpselect.problems.graph.cliques import largest_common
    from dpselect.problems.graph.kernels.saturated import MOST

    smaller, bound = np.zeros(limit, dtype=np.int64), np.ones(limit, dtype=np.int64)
    for i in range(1, size - 2):
        steps = np.maximum(1, np.maximum(bound, smaller))
        smaller, bound = bound, np.minimum(largest_common(graph, size - i, i) + _sums(steps), MOST)
    return bound, smaller


def _sums(steps: Int64) -> Int64:
    """min(steps_0 + … + steps_{t−1}, 2^60) for t = 0, 1, …, one sum for each step; steps ≥ 0."""
    from dpselect.problems.graph.kernels.saturated import MOST

    sums = accumulate(steps[:-1].tolist(), lambda total, step: min(total + step, MOST), initial=0)
    return np.fromiter(sums, np.int64, len(steps))


def _inside(n: int) -> Inside:
    """Scratch of the kernels that count cliques in a common neighbourhood: near, members, place."""
    return np.zeros(n, dtype=np.bool_), np.empty(n, dtype=np.int32), np.full(n, -1, dtype=np.int32)


def _meeting(n: int) -> Meeting:
    """Scratch of the kernels that count co-degrees: met, touched."""
    return np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)


def _joined(found: list[list[Int64]]) -> Int64:
    """All ranks found by all threads, ascending."""
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(part for parts in found for part in parts)]))


def _top_edges(lists: Adjacency, count: Int32, k: int, limit: int) -> Int64:
    """The `limit` largest k-clique counts in the common neighbourhoods of edges, falling.

    By falling co-degree a, in growing batches, until binom(a, k) is at most the limit-th best.
    """
    from dpselect.problems.graph.kernels.common_cliques import cliques_of_pairs

    start, split, neighbour = lists.start, lists.split, lists.neighbour
    n = len(split)
    tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(start))
    upper = neighbour < tails
    tails, heads, codegrees = tails[upper], neighbour[upper], count[upper]
    order = np.argsort(-codegrees, kind="stable")
    best = np.empty(0, dtype=np.int64)
    done = 0
    while done < len(order):
        if len(best) == limit and comb(int(codegrees[order[done]]), k) <= best[-1]:
            break
        batch = order[done : done + max(2 * limit, done)]
        done += len(batch)
        us, vs, out = tails[batch], heads[batch], np.empty(len(batch), dtype=np.int64)

        def work(state: Inside, lo: int, hi: int, us: Int32 = us, vs: Int32 = vs, out: Int64 = out) -> None:
            cliques_of_pairs(start, split, neighbour, us[lo:hi], vs[lo:hi], k, *state, out[lo:hi])

        weights = codegrees[batch].astype(np.int64) ** 2
        ends = even_blocks(weights, _BLOCKS)
        run_blocks(ends, lambda: _inside(n), work, threads_for(int(weights.sum())))
        best = np.sort(np.concatenate((best, out)))[::-1][:limit]
    return best


def _largest_pair(lists: Adjacency, k: int, known: int) -> int:
    """The largest number of k-cliques in N(u) ∩ N(v) over all pairs, given a value that occurs (or 0)."""
    from dpselect.problems.graph.kernels.common_cliques import largest_pair_cliques

    start, split, neighbour = lists.start, lists.split, lists.neighbour
    n = len(split)
    hint = np.array([known], dtype=np.int64)
    degrees = np.diff(start)
    count = n
    while count > 0 and comb(int(degrees[count - 1]), k) <= known:
        count -= 1

    def begin() -> tuple[Inside, Meeting, Int64]:
        return _inside(n), _meeting(n), np.zeros(1, dtype=np.int64)

    def work(state: tuple[Inside, Meeting, Int64], lo: int, hi: int) -> None:
        inside, meeting, best = state
        largest_pair_cliques(lo, hi, start, split, neighbour, k, *inside, *meeting, best, hint)

    weights = degrees[:count] * degrees[:count]
    states = run_blocks(even_blocks(weights, _BLOCKS), begin, work, threads_for(int(weights.sum())))
    return max(known, *(int(best[0]) for _, _, best in states))
