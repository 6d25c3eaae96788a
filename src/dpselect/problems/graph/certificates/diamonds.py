"""Diamonds per vertex (K_4 without an edge, induced or not): a certified flip distance from co-degrees.

A diamond has two adjacent *hubs* and two *tips*, each adjacent to both hubs. The raises and drops below go into the
net form (`net`). a_uv is the co-degree of u and v; D the largest of all pairs, M_r that of r with any vertex, M_3 the
largest number of common neighbours of any three vertices: each grows by at most 1 with an added edge, and by nothing
with a removed one. c_uv are the diamonds that the edge uv closes, or would close,

    c_uv = binom(a_uv, 2) + Σ over common neighbours w of (a_uw + a_vw − 2 [u ~ v]):

the hubs are u and v, or one of them and w.

**Copies that hold three given vertices.** Let z be the fourth. If z is a tip, the hubs are two of the three and the
third is the other tip: all three are adjacent, and z is common to the hubs. If z is a hub, the other hub is one of the
three and z is common to all three; the two tips are not joined in the copy.

1. *Two edges pu and pv*: with z a tip at most a_pu + a_pv + a_uv; with z a hub the other hub is p, at most M_3.
2. *Two edges without a common end* lie in at most 4 of the 6 diamonds on their four vertices.
3. *An edge uv and a third vertex w*, in a graph with that edge. With z a tip, uvw is a triangle: at most (a_uv − 1) +
   (a_uw − 1) + (a_vw − 1). With z a hub the other is u or v, whichever is adjacent to w: T copies for each, T the
   common neighbours of u, v and w. If both are, T ≤ a_uv − 1, for w is another common neighbour of u and v. If only
   one is, there are these T ≤ min(M_w, M_3) copies and no others; for D ≤ 1 there are none, else T ≤ 3 (D − 1).

So, with M_r, D and M_3 as large as t additions make them,

    g_t(M) = max(4, 2 (M + t) + (D + t) + (min(M, M_3) + t)),
    s_t(M) = max(1, 2 (M + t) + (D + t − 1) + 2 (min(M, M_3, D − 1) + t)₊).

An added edge lets any other c_rv, of an edge or not, grow by at most g_0(M_r): 2 if it has no end in r or v; else 1,
where only one of the three co-degrees is not one of r. It raises a vertex r that is not its end by at most s_0(M_r): 3,
where a_ur − 1 and a_vr − 1 are the co-degrees before. After an addition g'_t ≤ g_{t+1} and s'_t ≤ s_{t+1}; after a
removal neither grows.

**Raise.** The least of two bounds; each obeys (A) and (B), so their minimum does. With M = M_r,

    Σ_{t<i} max(s_t, binom(M + t, 2) + (M + t)(M + D + 2t)).

(A) c_rv ≤ binom(M, 2) + M (M + D) is the term t = 0, any other edge raises r by at most s_0, and the rest moves up one
place. (B) Nothing grows. And with c_(1) ≥ c_(2) ≥ … the c_rv of the *non-neighbours* v of r, padded with zeros, and
G_k = g_0 + … + g_{k−1},

    Σ_{k≤i} (max(s_{k−1}, c_(k)) + G_{k−1}).

(A) After any addition c' ≤ c + g_0, s'_k ≤ s_{k+1} and G'_k ≤ G_{k+1} − g_0: term k becomes at most max(s_k, c_(k)) +
G_k at the same rank, k = 1, 2, …. Add rv of rank p: the terms behind p move up one place, where they are at most the
old ones; those before it grow by at most max(s_k, c_(k)) − max(s_{k−1}, c_(k)) + g_{k−1} each, and as c_(k) ≥ c_(p)
by at most max(s_{p−1}, c_(p)) − max(s_0, c_(p)) + G_{p−1} in all: with the raise c_(p) that is at most term p. Any
other edge: the same sum with p = i + 1 and the raise s_0. (B) Remove rv: v enters at rank p with c_rv, what it costs
r; the ranks p … i − 1 move down and gain, in the same telescope, at most max(s_{i−1}, c_(i)) − max(s_{p−1}, c_(i)),
of which the lost term i leaves nothing but max(s_{p−1}, c_rv) − max(s_{p−1}, c_(i)) ≤ c_rv. Else nothing grows.

**Total drop.** G*_i with g*_t = g_t(D), C the largest c_uv of **all pairs**; u_k(i) the largest of {c_e + G*_i :
existing edges} ∪ {i copies of C + G*_i − g*_0}, none above P_i = 5 binom(D + i, 2);

    W^N(i, j) = Σ_{k≤j} c_N(u_k(i)),   c_N(c) = min(N, 2) c + min(2 c, (N − 2)₊ c, (N − 2)₊ h_i),
    h_i = max(1, 3 (D + i − 1) + 2 (min(M_3, D − 1) + i)).

An edge has c ≤ binom(D, 2) + 2 D (D − 1) = P_0 copies; its ends lose c, two other vertices of each copy lose one, and
none of these more than h_0 (3). (C) Old edges: c_e' + G*'_i ≤ c_e + g*_0 + (G*_{i+1} − g*_0). The new edge had c ≤ C:
c + G*'_i ≤ C + G*_{i+1} − g*_0, one of the i + 1 copies. C' ≤ C + g*_0 and g*'_0 ≥ g*_0 keep the other i copies below
theirs; P'_i ≤ P_{i+1}, h'_i ≤ h_{i+1}. (D) The removed edge pays with c_e ≤ P_0, at most its member, and leaves.
Nothing else grows.

**Drop of one vertex**, T = {s}: with M = M_s and c_{s,(k)} the falling c_sv of the *existing* edges at s, padded with
zeros,

    L_s(i, j) = Σ_{k≤j} max(c_{s,(k)} + G_i, s_i).

(C) c' + G'_i ≤ c + G_{i+1} and s'_i ≤ s_{i+1}. A new edge sv enters with max(c_sv + G'_i, s'_i), at most the raise c_sv
more than max(G_{i+1}, s_{i+1}), which the j-th place holds anyway. (D) An edge at s pays with its own entry; any other
edge takes at most s_0 from s, which the (j + 1)-st place pays, and what is left does not grow.

Source: docs: theory 6b, graph certificates 1; the numbers for diamonds are proved here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.codegrees import CodegreeBounds, edge_codegrees, pair_codegree, threads_for
from dpselect.problems.graph.certificates.net import Drops, check_scores, flips, levels, merged, reachable
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

if TYPE_CHECKING:
    from dpselect.problems.graph.adjacency import Adjacency
    from dpselect.problems.graph.graph import Graph

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Scratch: TypeAlias = tuple[Int32, Int32, Int64, Bool]

_BLOCKS = 256
_ROWS = 1024


def diamond_flip_distance(graph: Graph, scores: Int64, limit: int = DEFAULT_LIMIT) -> Int64:
    """φ(x, r) = min{i + j < K : q_r + R_r(i) ≥ Λ(i, j)}, K if there is none, for diamonds.

    Args:
        graph: n vertices.
        scores: int64[n], the diamonds at each vertex, at most 2^60.
        limit: K ≥ 1, public.

    Returns:
        int64[n], 0 … K.

    Guarantee: |φ(x, r) − φ(x', r)| ≤ 1 for graphs that differ in one edge, 0 exactly at maximisers, at most the
    fewest edges to add or remove until r is a maximiser. Proof: the rules (A)-(D) above and the theorem of `net`.

    Raises:
        InvalidParameter: limit is not a whole number ≥ 1, scores of the wrong length or type, below 0 or beyond 2^60.
        UnsupportedProblem: an edge could close more than 2^60 diamonds.

    Cost: the triangles, O(m^(3/2)), the largest co-degrees of two and three vertices, O(n·K + K²·D), and the wedges of
    the vertices within reach. 24m bytes, and 16m for each thread.

    >>> from dpselect.problems.graph.graph import Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], vertices=range(6))
    >>> diamond_flip_distance(graph, np.array([1, 1, 1, 1, 0, 0]))
    array([0, 0, 0, 0, 1, 1])
    """
    from dpselect.problems.graph.cliques import largest_common
    from dpselect.problems.graph.kernels.diamond_tables import diamond_raises, raise_diamond_levels
    from dpselect.problems.graph.kernels.edge_diamonds import top_closed_diamonds
    from dpselect.problems.graph.kernels.saturated import MOST, cut_binomials
    from dpselect.problems.graph.pair_sums import largest_closed_diamonds

    K = whole(limit, "limit", least=1)
    n = graph.n
    check_scores(scores, n)
    if scores.dtype == object or scores.min(initial=0) < 0 or scores.max(initial=0) > MOST:
        raise InvalidParameter("scores: expected int64 between 0 and 2^60")
    lists = graph.adjacency
    start, neighbour = lists.start, lists.neighbour
    q = scores[lists.order]
    C = largest_closed_diamonds(graph)  # refuses what could pass 2^60, so that no c below does
    count = edge_codegrees(lists)
    D = pair_codegree(lists, int(count.max(initial=0)))
    triple = largest_common(graph, 3, 1)
    at_edges = _at_edges(lists, count)

    steps = np.arange(K, dtype=np.int64)
    growth = np.maximum(4, 3 * (D + steps) + min(D, triple) + steps)
    grown = np.concatenate(([0], np.cumsum(growth[:-1])))
    existing = np.sort(at_edges[_lower(lists)])[::-1]
    largest = merged(existing, grown, np.maximum(C + grown - growth[0], 0))
    most = np.minimum(5 * cut_binomials(D + steps, 2), MOST)
    share = np.maximum(1, 3 * (D + steps - 1) + 2 * (min(triple, D - 1) + steps))
    drops = Drops(np.minimum(largest, most[:, None]), 2, share)
    table = levels(q, drops).astype(np.int64)  # between 0 and the largest score
    order = np.argsort(-q, kind="stable")
    met, touched, *_ = _scratch(n)
    raise_diamond_levels(start, neighbour, count, at_edges, q, order, D, triple, met, touched, table)
    del at_edges

    bounds = CodegreeBounds.of(lists, count, K)
    phi = np.full(n, K, dtype=np.int64)

    def by_degrees(found: list[Int64], lo: int, hi: int) -> None:
        block = np.arange(lo, hi)
        highest = np.minimum(bounds.degrees[block], D)
        rows = bounds.rows(block)
        most = np.minimum(cut_binomials(rows, 2) + rows * (highest[:, None] + D), MOST)
        found.append(block[reachable(q[block], diamond_raises(most, highest, D, triple), table)])

    def by_pairs(scratch: Scratch, lo: int, hi: int) -> None:
        block = near[lo:hi]
        rows = top_closed_diamonds(start, neighbour, count, block, K, *scratch)
        phi[block] = flips(q[block], diamond_raises(rows[:, :K].copy(), rows[:, K].copy(), D, triple), table)

    even = np.ones(n, dtype=np.int64)
    parts = run_blocks(even_blocks(even, 1 + n // _ROWS), list, by_degrees, threads_for(n * K))
    near = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(ranks for part in parts for ranks in part)]))
    weights = bounds.wedges[near] + K
    run_blocks(even_blocks(weights, 4 * _BLOCKS), lambda: _scratch(n), by_pairs, threads_for(int(weights.sum())))
    out = np.empty(n, dtype=np.int64)
    out[lists.order] = phi
    return out


def _scratch(n: int) -> Scratch:
    """What a kernel needs to meet pairs: met, touched, total, near."""
    return np.zeros(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int64), np.zeros(n, np.bool_)


def _lower(lists: Adjacency) -> Bool:
    """bool[2m]: one of the two places of each edge, that in the list of its higher rank."""
    return lists.neighbour < np.repeat(np.arange(len(lists.split), dtype=np.int32), np.diff(lists.start))


def _at_edges(lists: Adjacency, count: Int32) -> Int64:
    """int64[2m]: c_uv of every edge, at both places of it. Cost: O(m^(3/2)); 16m bytes for each thread."""
    from dpselect.problems.graph.kernels.edge_codegrees import mirror
    from dpselect.problems.graph.kernels.edge_diamonds import add_edge_diamonds

    start, split, neighbour = lists.start, lists.split, lists.neighbour
    upper = split - start[:-1]
    weights = upper * upper

    def begin() -> tuple[Int64, Int64]:
        return np.full(len(split), -1, dtype=np.int64), np.zeros(len(neighbour), dtype=np.int64)

    def work(state: tuple[Int64, Int64], lo: int, hi: int) -> None:
        add_edge_diamonds(lo, hi, start, split, neighbour, count, *state)

    states = run_blocks(even_blocks(weights, _BLOCKS), begin, work, threads_for(int(weights.sum())))
    out = states.pop()[1]
    while states:
        out += states.pop()[1]
    wide = count.astype(np.int64)
    out += wide * (wide - 1) // 2  # with the edge between the hubs
    mirror(start, split, neighbour, out)
    return out
