"""4-cycles per vertex: a certified flip distance from degrees and co-degrees.

The raises and drops below go into the net form (`net`). For a pair u, v let c_uv be the paths u–a–b–v, the
4-cycles that the edge uv closes, or would close; Δ the largest degree, D the largest co-degree of all
pairs, M_r that of r.

**Raise.**  R_r(i) = Σ_{t<i} max(1, (d_r + t)(D + t), 2 (M_r + t)).
(A) Add rv: c_rv = Σ_{a ∈ N(r)} |N(a) ∩ N(v)| ≤ d_r D, the term t = 0; d_r, D and M_r grow by at most 1
each, so the other terms move up one place. Add uv elsewhere: r lies opposite u or opposite v on a new
cycle, in at most |N(r) ∩ N(u)| + |N(r) ∩ N(v)| ≤ 2 M_r ways. (B) Removals let all three only fall.

For D + t ≥ 2 the third part is no larger than the second, as M_r ≤ d_r; it matters for D ≤ 1 only, where
M_r = 1 iff some neighbour of r has another neighbour.

**Total drop.** u_k(0) the largest c_e of the existing edges; for i ≥ 1 the largest of
{min(c_e + G_i, P_i) : existing edges} ∪ {i copies of P_i}, G_i = Σ_{t<i} max(2, D + t), P_i = (Δ + i − 1)(D + i − 1);

    W^N(i, j) = Σ_{k≤j} c_N(u_k(i)),   c_N(c) = min(N, 2) c + min(2 c, (N − 2)₊ c, (N − 2)₊ 2 (D + i − 1)).

On an edge uv of a graph, c_uv = Σ_{a ∈ N(u) − v} (|N(a) ∩ N(v)| − 1) ≤ (Δ − 1)(D − 1), for u is a common
neighbour of a and v; a third vertex w lies on at most (|N(w) ∩ N(v)| − 1) + (|N(w) ∩ N(u)| − 1) of these
cycles, and two other vertices on each. An added edge ua or vb brings at most D new paths, an edge ab
elsewhere at most 2: c_e grows by at most max(2, D). (C) Old
edges: c_e' + G'_i ≤ c_e + max(2, D) + (G_{i+1} − max(2, D)), and all edges of x + e, old and new, are at most
(Δ' − 1)(D' − 1) ≤ Δ D = P_1 (i = 0) and P'_i ≤ P_{i+1} (i ≥ 1): the new edge is covered by one of the i + 1
copies. (D) The removed edge pays with c_e, at most its member, and leaves; nothing else grows.

Source: docs: theory 6b, graph certificates 4; the counts of single edges for i ≥ 1 and the share of one vertex are
sharper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.codegrees import edge_codegrees, pair_codegree, threads_for
from dpselect.problems.graph.certificates.net import Drops, check_scores, flips, levels, reachable
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

    Cost: O(Σ_v d_v²) for the 4-cycles at each edge, O(n·K) for the rest.

    >>> from dpselect.problems.graph.graph import Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], vertices=range(6))
    >>> four_cycle_flip_distance(graph, np.array([1, 1, 1, 1, 0, 0]))
    array([0, 0, 0, 0, 1, 1])
    """
    K = whole(limit, "limit", least=1)
    n = graph.n
    check_scores(scores, n)
    lists = graph.adjacency
    q = scores[lists.order]
    degrees = np.diff(lists.start)
    steps = np.arange(K, dtype=np.int64)
    top = int(degrees[0])
    D = pair_codegree(lists, int(edge_codegrees(lists).max(initial=0)))

    existing = _largest_edge_counts(lists, K)
    grown = np.concatenate(([0], np.cumsum(np.maximum(2, D + steps[:-1]))))
    most = np.maximum(top + steps - 1, 0) * np.maximum(D + steps - 1, 0)
    largest = np.zeros((K, K), dtype=np.int64)
    largest[0, : len(existing)] = existing
    for i in range(1, K):
        rest = np.minimum(existing + grown[i], most[i])[: K - i]
        largest[i, :i] = most[i]
        largest[i, i : i + len(rest)] = rest
    share = np.maximum(1, 2 * (D + steps - 1))
    table = levels(q, Drops(largest, 2, share))

    other = np.zeros(n, dtype=np.int64)  # M_r where D ≤ 1
    if D == 1:
        tails = np.repeat(np.arange(n), degrees)
        other[tails[degrees[lists.neighbour] >= 2]] = 1
    kinds, kind = np.unique(2 * degrees + other, return_inverse=True)
    own, third = kinds[:, None] // 2, kinds[:, None] % 2
    terms = np.maximum(1, np.maximum((own + steps) * (D + steps), 2 * (third + steps)))
    raises = np.zeros_like(terms)
    raises[:, 1:] = np.cumsum(terms[:, :-1], axis=1)
    phi = np.full(n, K, dtype=np.int64)

    def work(_: None, lo: int, hi: int) -> None:
        rows = raises[kind[lo:hi]]
        near = reachable(q[lo:hi], rows, table)
        phi[lo:hi][near] = flips(q[lo:hi][near], rows[near], table)

    even = np.ones(n, dtype=np.int64)
    run_blocks(even_blocks(even, 1 + n // _ROWS), lambda: None, work, threads_for(n * K))
    out = np.empty(n, dtype=np.int64)
    out[lists.order] = phi
    return out


def _largest_edge_counts(lists: Adjacency, limit: int) -> Int64:
    """The `limit` largest numbers of 4-cycles through one edge, falling; fewer if there are fewer edges."""
    from dpselect.problems.graph.kernels.edge_four_cycles import edge_four_cycles

    start, split, neighbour = lists.start, lists.split, lists.neighbour
    n = len(split)
    degrees = np.diff(start)
    walks = np.concatenate(([0], np.cumsum(degrees[neighbour])))
    weights = walks[start[1:]] - walks[start[:-1]]

    def begin() -> tuple[Int32, list[Int64]]:
        return np.zeros(n, dtype=np.int32), []

    def work(state: tuple[Int32, list[Int64]], lo: int, hi: int) -> None:
        out = np.full(int(start[hi] - start[lo]), -1, dtype=np.int64)
        edge_four_cycles(lo, hi, start, split, neighbour, state[0], out)
        out = out[out >= 0]  # the other places of an edge keep −1
        if len(out) > limit:
            out = np.partition(out, len(out) - limit)[len(out) - limit :]
        state[1].append(out)

    states = run_blocks(even_blocks(weights, _BLOCKS), begin, work, threads_for(int(weights.sum())))
    found = [part for _, parts in states for part in parts]
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *found]))[::-1][:limit]
