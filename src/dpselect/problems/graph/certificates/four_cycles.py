"""4-cycles per vertex: a certified flip distance from degrees and co-degrees.

The raises and drops below go into the net form (`net`). For a pair u, v let c_uv be the paths u–a–b–v, the
4-cycles that the edge uv closes, or would close; Δ the largest degree, D the largest co-degree of all
pairs, M_r that of r.

**Raise.** The least of two bounds; each obeys (A) and (B), so their minimum does. The first,

    Σ_{t<i} max(1, (d_r + t)(D + t), 2 (M_r + t)).

(A) Add rv: c_rv = Σ_{a ∈ N(r)} |N(a) ∩ N(v)| ≤ d_r D, the term t = 0; d_r, D and M_r grow by at most 1
each, so the other terms move up one place. Add uv elsewhere: r lies opposite u or opposite v on a new
cycle, in at most |N(r) ∩ N(u)| + |N(r) ∩ N(v)| ≤ 2 M_r ways. (B) Removals let all three only fall. The
second, with c_(1) ≥ c_(2) ≥ … the c_rv of the *non-neighbours* v of r, padded with zeros, h_t = max(2, D +
t, 2 (M_r + t)) and B_k = h_0 + … + h_{k−1},

    Σ_{k≤i} (max(h_{k−1}, c_(k)) + B_{k−1}).

An added edge ra or bv brings at most D new paths between r and v, an edge ab elsewhere at most 2, and an
edge that is not at r raises r by at most 2 M_r: all at most h_0, and h'_t ≤ h_{t+1} afterwards. (A) and (B)
then follow word for word as for cliques (`cliques`); removing rv costs r just the c_rv with which v enters.

**Total drop.** g_t = max(2, D + t), G_i = g_0 + … + g_{i−1}, C the largest c_uv of **all pairs**; u_k(i) the largest of
{c_e + G_i : existing edges} ∪ {i copies of C + G_i − g_0}, for i ≥ 1 at most P_i = (Δ + i − 1)(D + i − 1);

    W^N(i, j) = Σ_{k≤j} c_N(u_k(i)),   c_N(c) = min(N, 2) c + min(2 c, (N − 2)₊ c, (N − 2)₊ 2 (D + i − 1)).

On an edge uv of a graph, c_uv = Σ_{a ∈ N(u) − v} (|N(a) ∩ N(v)| − 1) ≤ (Δ − 1)(D − 1), for u is a common
neighbour of a and v; a third vertex w lies on at most (|N(w) ∩ N(v)| − 1) + (|N(w) ∩ N(u)| − 1) of these
cycles, and two other vertices on each.
(C) Every c, of an edge or not, grows by at most g_0 = max(2, D) with an added edge, as above. Old edges:
c_e' + G'_i ≤ c_e + g_0 + (G_{i+1} − g_0). The new edge had c ≤ C: c + G'_i ≤ C + G_{i+1} − g_0, one of the
i + 1 copies. C' ≤ C + g_0 and g'_0 ≥ g_0 keep the other i copies below theirs. All edges of x + e are at
most (Δ' − 1)(D' − 1) ≤ Δ D = P_1, and P'_i ≤ P_{i+1}. (D) The removed edge pays with c_e ≤ (Δ − 1)(D − 1),
at most its member, and leaves; nothing else grows.

Source: docs: theory 6b, graph certificates 4; the sorted raise, the counts of single pairs for i ≥ 1 and the share of
one vertex are sharper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.codegrees import edge_codegrees, pair_codegree, threads_for
from dpselect.problems.graph.certificates.net import Drops, check_scores, flips, levels, merged, reachable
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

if TYPE_CHECKING:
    from dpselect.problems.graph.adjacency import Adjacency
    from dpselect.problems.graph.graph import Graph

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_BLOCKS = 256
_ROWS = 4096


def four_cycle_flip_distance(graph: Graph, scores: Int64, limit: int = DEFAULT_LIMIT) -> Int64:
    """φ(x, r) = min{i + j < K : q_r + R_r(i) ≥ Λ(i, j)}, K if there is none, for 4-cycles.

    Args:
        graph: n vertices.
        scores: int64[n], the 4-cycles at each vertex.
        limit: K ≥ 1, public.

    Returns:
        int64[n], 0 … K.

    Guarantee: |φ(x, r) − φ(x', r)| ≤ 1 for graphs that differ in one edge, 0 exactly at maximisers, at most the
    fewest edges to add or remove until r is a maximiser. Proof: the rules (A)-(D) above and the theorem of `net`.

    Raises:
        InvalidParameter: limit < 1, or scores of the wrong length or type.

    Cost: O(Σ d²) over the vertices whose edges can have many 4-cycles, O(n·K), and up to 2m for each vertex
    within reach.

    >>> from dpselect.problems.graph.graph import Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], vertices=range(6))
    >>> four_cycle_flip_distance(graph, np.array([1, 1, 1, 1, 0, 0]))
    array([0, 0, 0, 0, 1, 1])
    """
    from dpselect.problems.graph.four_cycles import largest_closed_four_cycles
    from dpselect.problems.graph.kernels.top_three_paths import four_cycle_raises, top_three_paths

    K = whole(limit, "limit", least=1)
    n = graph.n
    check_scores(scores, n)
    lists = graph.adjacency
    q = scores[lists.order]
    degrees = np.diff(lists.start)
    steps = np.arange(K, dtype=np.int64)
    top = int(degrees[0])
    D = pair_codegree(lists, int(edge_codegrees(lists).max(initial=0)))

    existing = _largest_edge_counts(lists, D, K)
    grown = np.concatenate(([0], np.cumsum(np.maximum(2, D + steps[:-1]))))
    C = largest_closed_four_cycles(graph, D)
    largest = merged(existing, grown, np.maximum(C + grown - max(2, D), 0))
    most = np.maximum(top + steps - 1, 0) * np.maximum(D + steps - 1, 0)
    largest[1:] = np.minimum(largest[1:], most[1:, None])
    share = np.maximum(1, 2 * (D + steps - 1))
    table = levels(q, Drops(largest, 2, share))

    # Bounds of c_(k) that need no paths: d_r D, d_v M_r for the v of highest degrees, and all walks shared by k.
    codegree = np.minimum(degrees, D)
    walks = _sums_at_neighbours(lists, _sums_at_neighbours(lists, degrees - 1))
    highest = np.zeros(K, dtype=np.int64)
    highest[: min(n, K)] = degrees[:K]
    phi = np.full(n, K, dtype=np.int64)

    def by_degrees(found: list[Int64], lo: int, hi: int) -> None:
        most = np.minimum((degrees[lo:hi] * D)[:, None], codegree[lo:hi, None] * highest)
        most = np.minimum(most, walks[lo:hi, None] // (steps + 1))
        raises = four_cycle_raises(most, degrees[lo:hi], codegree[lo:hi], D)
        found.append(lo + np.flatnonzero(reachable(q[lo:hi], raises, table)))

    def by_paths(scratch: tuple[Int32, Int32, Int64, Int32], lo: int, hi: int) -> None:
        block = near[lo:hi]
        rows = top_three_paths(lists.start, lists.neighbour, block, K, *scratch)
        raises = four_cycle_raises(rows[:, :K].copy(), degrees[block], rows[:, K].copy(), D)
        phi[block] = flips(q[block], raises, table)

    def begin() -> tuple[Int32, Int32, Int64, Int32]:
        met, touched, reached = np.zeros(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
        return met, touched, np.zeros(n, dtype=np.int64), reached

    even = np.ones(n, dtype=np.int64)
    parts = run_blocks(even_blocks(even, 1 + n // _ROWS), list, by_degrees, threads_for(n * K))
    near = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(ranks for part in parts for ranks in part)]))
    weights = walks[near] + K
    run_blocks(even_blocks(weights, 4 * _BLOCKS), begin, by_paths, threads_for(int(weights.sum())))
    out = np.empty(n, dtype=np.int64)
    out[lists.order] = phi
    return out


def _sums_at_neighbours(lists: Adjacency, values: Int64) -> Int64:
    """int64[n]: Σ over the neighbours of each vertex."""
    sums = np.concatenate(([0], np.cumsum(values[lists.neighbour])))
    return sums[lists.start[1:]] - sums[lists.start[:-1]]


def _largest_edge_counts(lists: Adjacency, codegree: int, limit: int) -> Int64:
    """The `limit` largest numbers of 4-cycles through one edge, falling; fewer if there are fewer edges.

    `codegree` is D. What `limit` edges of one thread reach, shared as a hint, spares the others the rest.
    """
    from dpselect.problems.graph.kernels.edge_four_cycles import edge_four_cycles

    start, split, neighbour = lists.start, lists.split, lists.neighbour
    n = len(split)
    weights = _sums_at_neighbours(lists, np.diff(start))
    hint = np.zeros(1, dtype=np.int64)

    def begin() -> tuple[Int32, list[Int64]]:
        return np.zeros(n, dtype=np.int32), [np.zeros(limit, dtype=np.int64)]

    def work(state: tuple[Int32, list[Int64]], lo: int, hi: int) -> None:
        met, best = state
        out = np.zeros(int(start[hi] - start[lo]) + limit, dtype=np.int64)
        edge_four_cycles(lo, hi, start, split, neighbour, codegree, hint, met, out)
        out[-limit:] = best[0]
        best[0] = np.partition(out, len(out) - limit)[len(out) - limit :]
        hint[0] = max(hint[0], best[0][0])

    states = run_blocks(even_blocks(weights, _BLOCKS), begin, work, threads_for(int(weights.sum())))
    found = np.sort(np.concatenate([best[0] for _, best in states]))[::-1]
    return found[: min(limit, len(neighbour) // 2)]
