"""Triangles per vertex: a certified flip distance from co-degrees.

The raises and drops below go into the net form (`net`, whose rules (A)-(D) are proved here). x is a graph
on n vertices, q_s the triangles at s, and the co-degree of two vertices is the number of their common
neighbours. Adding the edge uv of co-degree c raises q_u and q_v by c and each of the c common neighbours by
1.

**Raise.** c_(1) ≥ c_(2) ≥ … the co-degrees of r with its *non-neighbours*, padded with zeros;

    R_r(i) = Σ_{k≤i} t_k,   t_k = min(max(1, c_(k) + k − 1), n − 2).

(A) Add rv, v of rank p: the raise is c_v. v leaves the list and every other entry grows by at most 1 (v is
a new common neighbour). Ranks beyond p move up by one, where max(1, (c_(k+1) + 1) + k − 1) is at most the
old term k + 1; ranks k < p grow by at most 1 each. So R_{x+e}(i) ≤ R_x(i+1) − t_p + #{k < p that grow}, and
t_p pays for c_v and the p − 1 growing terms: max(1, c_v + p − 1) ≥ c_v + p − 1. Under the cap n − 2 the
growing ranks have c_(k) + k − 1 < n − 2, hence k ≤ n − 2 − c_v, and n − 2 pays. For p > i + 1 the same with
rank i + 1 as the payer. An edge between two neighbours of r: the raise is 1 ≤ t_{i+1} and no entry changes.
An edge between a neighbour of r and a non-neighbour: no raise, one entry grows by 1 ≤ t_{i+1}. Any other
edge changes nothing.
(B) Remove rv, v at rank p of the new list: the drop is c_v, other entries do not grow. For p ≤ i the sum
gains max(1, c_v + p − 1), at most 1 for each of the ranks p … i − 1 that move down, and loses t_i ≥ max(1,
i − 1): at most c_v in total (c_v = 0: then p may be taken behind all others and padding takes its place,
gain 0; under the cap the moved ranks that grow have c_(k) + k − 1 < n − 2, at most n − 1 − p of them, and
the lost term is n − 2). An edge between two neighbours of r drops 1 ≥ 0; any other removal lets entries only fall.

**Total drop.** u_1(i) ≥ u_2(i) ≥ … the largest members of {e + i : e the co-degree of an *existing* edge} ∪
{i copies of D + i − 1}, capped at n − 2, D the largest co-degree of **all pairs**;

    W^N(i, j) = Σ_{k≤j} c_N(u_k(i)),   c_1(c) = c,  c_N(c) = 2c + min(N − 2, c).

Removing an edge of co-degree c takes c from its ends, 1 from c others: at most c_N(c) from N candidates.
(C) After an addition old co-degrees are at most e + 1, the new edge had co-degree ≤ D, so it is covered by
one of the i + 1 copies of D + i, and D' ≤ D + 1 covers the i copies of D' + i − 1. (D) The removed edge
leaves the multiset after paying with c ≤ c + i; nothing else grows, D' ≤ D. With D over edges only, (C) is
false: the new edge may join the two non-adjacent vertices of largest co-degree (a test keeps the
counterexample).

**Drop of one vertex**, T = {s}: L_s(i, 0) = 0 and for j ≥ 1

    L_s(i, j) = i + F_j,   F_j = Σ_{k≤j} max(e_(k), k − 1),

e_(1) ≥ e_(2) ≥ … the co-degrees of the existing edges at s, padded with zeros.
(C) Add sv of co-degree c: c entries grow by 1 (the common neighbours' edges; sorted, c ranks grow by 1) and
c enters at some rank p; let a ≤ min(p − 1, c) of the grown ranks lie above p. For j < p the sum grows by at
most c. For j ≥ p it grows by at most a + max(c, p − 1) + (j − p) − (j − 1), each moved rank by at most 1:
this is ≤ a + c − (p − 1) ≤ c if c ≥ p − 1, and ≤ a ≤ c otherwise. Net of the raise c: ≤ 0. An edge between
two neighbours of s makes two entries grow by 1 and raises s by 1: net ≤ 1, which is the term i. Other edges
change nothing at s.
(D) Remove sv, c at rank p: others do not grow, ranks behind p move up, F_{j+1} ≥ c + F_j(x − e) term by
term. Remove an edge between two neighbours of s: the drop is 1 and F_{j+1} − F_j ≥ 1 (for j = 0 because
e_(1) ≥ 1 then).

**What is skipped.** Most vertices cannot come near: with upper bounds of c_(k) from degrees and wedges
instead of the sorted co-degrees, and the lowest level Λ(i, K − 1 − i) of each i, q_r + R_r(i) < Λ for every
i proves φ = K (`kernels.triangle_raises.within_reach`). Only the others are counted, and only against
vertices whose degree can still matter (`kernels.top_codegrees`). The result is the same number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.codegrees import CodegreeBounds, edge_codegrees, pair_codegree, threads_for
from dpselect.problems.graph.certificates.net import Drops, check_scores, flips, levels, merged
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT as DEFAULT_LIMIT
from dpselect.problems.graph.kernels.blocks import run_blocks

if TYPE_CHECKING:
    from dpselect.problems.graph.graph import Graph

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


def triangle_flip_distance(graph: Graph, scores: Int64, limit: int = DEFAULT_LIMIT) -> Int64:
    """φ(x, r) = min{i + j < K : q_r + R_r(i) ≥ Λ(i, j)}, K if there is none, for TopVertex("triangle").

    Args:
        graph: n vertices.
        scores: int64[n], the triangles at each vertex.
        limit: K ≥ 1, public: a function of public numbers only. More costs K², and vertices at K weigh
        e^{−εK/2}
            each.

    Returns:
        int64[n], 0 … K.

    Guarantee: |φ(x, r) − φ(x', r)| ≤ 1 for graphs that differ in one edge, 0 exactly at maximisers, at most
    the fewest edges to add or remove until r is a maximiser. Proof: the rules (A)-(D) above and the theorem
    of `net`.

    Raises:
        InvalidParameter: limit is not a whole number ≥ 1, or scores have the wrong length or type.

    Cost: the triangles (O(m^(3/2))), the largest co-degree, K² times the largest co-degree for the table,
    and the wedges of the vertices within reach. 24m + O(n) bytes, more with more threads (4·2m each).

    Source: docs: theory 6b, graph certificates 2.

    >>> from dpselect.problems.graph.graph import Graph
    >>> pairs = [(0, 1), (0, 2), (1, 2), (3, 4), (2, 3)]
    >>> triangle_flip_distance(Graph.from_edges(pairs), np.array([1, 1, 1, 0, 0]))
    array([0, 0, 0, 1, 1])
    """
    K = whole(limit, "limit", least=1)
    n = graph.n
    check_scores(scores, n)
    from dpselect.problems.graph.kernels.edge_codegrees import largest_values, triangle_singles
    from dpselect.problems.graph.kernels.top_codegrees import top_codegrees
    from dpselect.problems.graph.kernels.triangle_raises import triangle_raises, within_reach

    lists = graph.adjacency
    start, split, neighbour = lists.start, lists.split, lists.neighbour
    q = scores[lists.order]
    cap = max(n - 2, 0)

    count = edge_codegrees(lists)
    most = int(count.max(initial=0))
    D = pair_codegree(lists, most)

    steps = np.arange(K, dtype=np.int64)
    existing = largest_values(start, split, count, most, K)
    drops = Drops(merged(existing, steps, np.maximum(D + steps - 1, 0), cap), 1, np.ones(K, dtype=np.int64))
    alone = triangle_singles(start, count, q, np.argsort(-q, kind="stable"), K)
    singles = alone - steps[:, None]
    singles[:, 0] = q.max()
    table = levels(q, drops, singles)
    bounds = CodegreeBounds.of(lists, count, K)
    del count
    lowest = np.minimum.accumulate(table, axis=1)
    near = np.flatnonzero(within_reach(q, bounds.degrees, bounds.wedges, bounds.highest, lowest, cap))

    phi = np.full(n, K, dtype=np.int64)
    # interleaved, so that every block has its share of high degrees
    parts = -(-len(near) // 256)

    def work(scratch: tuple[Int32, Int32], lo: int, hi: int) -> None:
        for part in range(lo, hi):
            block = near[part::parts]
            raises = triangle_raises(top_codegrees(start, neighbour, block, K, *scratch), cap)
            phi[block] = flips(q[block], raises, table)

    run_blocks(
        np.arange(parts + 1),
        lambda: (np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)),
        work,
        threads_for(int(bounds.wedges[near].sum())),
    )
    out = np.empty(n, dtype=np.int64)
    out[lists.order] = phi
    return out
