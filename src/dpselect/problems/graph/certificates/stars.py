"""k-stars per vertex (as the centre or a leaf), k ≥ 2: a certified flip distance from degrees.

The raises and drops below go into the net form (`net`). Write b_j(x) = binom(x, j), 0 for x < 0. A new edge uv between
vertices of degrees d_u, d_v closes b_{k−1}(d_u) + b_{k−1}(d_v) stars, all of which hold u and v, and
b_{k−2}(d_u − 1) of them hold a given other neighbour w of u. For an existing edge uv let c_uv = b_{k−1}(d_u
− 1) + b_{k−1}(d_v − 1). Δ is the largest degree; a degree without a given pair is at most n − 2, which caps
every degree below.

**Raise.**  R_r(i) = Σ_{t<i} max(b_{k−1}(d_r + t) + b_{k−1}(Δ + t), 2 b_{k−2}(Δ + t − 1)).
(A) Add rv: the raise is at most the term t = 0, and d_r and Δ grow by at most 1, so that the other terms move up one
place. Any other edge raises r by at most the second part, through its two ends. (B) Removals let d_r and Δ only fall.

*Sharper for k = 2*, δ_(1) ≥ δ_(2) ≥ … the degrees of the non-neighbours of r, padded with zeros:

    R_r(i) = Σ_{p≤i} max(2, min(d_r + p − 1, n − 2) + δ_(p)).

(A) Add rv, v of rank p: the raise is d_r + δ_(p). Ranks beyond p move up and find their old terms, as d_r
grew by 1; each rank before p grows by at most 1, and by 0 once d_r + (rank) − 1 ≥ n − 2: in all min(p − 1,
n − 2 − d_r), which with the raise is at most term p. An edge uv elsewhere: each end adds 1 to q_r if it is
a neighbour of r, and otherwise 1 to one δ: at most 2 ≤ term i + 1. (B) Remove rv: the drop is d_r − 1 + d_v
− 1; v enters with d_v − 1 at rank p, the ranks from p on move down and keep their terms, those before p
fall; the new term less term i, which is lost, is at most d_v − 1. Any other removal lets degrees only fall.

**Total drop.** u_k(i) the largest of {b_{k−1}(d_u − 1 + i) + b_{k−1}(d_v − 1 + i) : existing edges uv} ∪
{i copies of 2 b_{k−1}(Δ + i − 1)},

    W^N(i, j) = Σ_{k≤j} c_N(u_k(i)),   c_N(c) = min(N, 2) c + min((k − 1) c, (N − 2)₊ c, (N − 2)₊ 2 b_{k−2}(Δ + i − 2)).

Each of the c stars of a removed edge takes 1 from k − 1 others; one vertex loses those through either end, at most
b_{k−2}(d − 2) each. (C) Degrees grow by at most 1 an addition, the new edge joins degrees ≤ Δ: it is
covered by one of the i + 1 copies of 2 b_{k−1}(Δ + i). (D) The removed edge pays with c_uv ≤ its member and
leaves; degrees only fall.

Source: docs: theory 6b, graph certificates 4; the share of one vertex and the caps are sharper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dpselect.exact.numbers import whole
from dpselect.problems.graph.certificates.binomials import binomials
from dpselect.problems.graph.certificates.codegrees import threads_for
from dpselect.problems.graph.certificates.net import Drops, check_scores, flips, levels, reachable
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

if TYPE_CHECKING:
    from dpselect.problems.graph.adjacency import Adjacency
    from dpselect.problems.graph.graph import Graph

Whole = npt.NDArray[Any]
Int64 = npt.NDArray[np.int64]

_ROWS = 4096


def star_flip_distance(graph: Graph, scores: Whole, k: int, limit: int = DEFAULT_LIMIT) -> Int64:
    """φ(x, r) = min{i + j < K : q_r + R_r(i) ≥ Λ(i, j)}, K if there is none, for k-stars.

    Args:
        graph: n vertices.
        scores: whole[n], the k-stars at each vertex, binom(d_s, k) + Σ_{v ~ s} binom(d_v − 1, k − 1).
        k: leaves of the star, whole, ≥ 2.
        limit: K ≥ 1, public.

    Returns:
        int64[n], 0 … K.

    Guarantee: |φ(x, r) − φ(x', r)| ≤ 1 for graphs that differ in one edge, 0 exactly at maximisers, at most the
    fewest edges to add or remove until r is a maximiser. Proof: the rules (A)-(D) above and the theorem of `net`.

    Raises:
        InvalidParameter: k < 2, limit < 1, or scores of the wrong length or type.

    Cost: O(m + n·K) and K times the edges between high degrees. Python integers replace int64 where counts could
    overflow.

    >>> from dpselect.problems.graph.graph import Graph
    >>> star_flip_distance(Graph.from_edges([(0, 1), (0, 2), (0, 3)]), np.array([3, 2, 2, 2]), 2)
    array([0, 1, 1, 1])
    """
    leaves = whole(k, "k", least=2)
    K = whole(limit, "limit", least=1)
    n = graph.n
    check_scores(scores, n)
    lists = graph.adjacency
    q = scores[lists.order]
    degrees = np.diff(lists.start)
    cap = max(n - 2, 0)
    steps = np.arange(K)
    most = int(degrees[0])

    share = np.maximum(1, 2 * _choose(np.minimum(most + steps, cap + 1) - 2, leaves - 2))
    drops = Drops(_largest_drops(lists, leaves, K), leaves - 1, share)
    table = levels(q, drops)
    phi = np.full(n, K, dtype=np.int64)

    if leaves == 2:
        from dpselect.problems.graph.kernels.far_degrees import far_degrees

        def raises(lo: int, hi: int) -> Whole:
            far = far_degrees(lists.start, lists.neighbour, lo, hi, K)
            own = np.minimum(degrees[lo:hi, None] + steps, cap)
            return _sums(np.maximum(2, own + far))
    else:
        # vertices of one degree share their raises
        kinds, kind = np.unique(degrees, return_inverse=True)
        top = _choose(np.minimum(most + steps, cap), leaves - 1)
        link = 2 * _choose(np.minimum(most + steps, cap) - 1, leaves - 2)
        of_kind = _sums(np.maximum(_choose(np.minimum(kinds[:, None] + steps, cap), leaves - 1) + top, link))

        def raises(lo: int, hi: int) -> Whole:
            return of_kind[kind[lo:hi]]

    def work(_: None, lo: int, hi: int) -> None:
        rows = raises(lo, hi)
        near = reachable(q[lo:hi], rows, table)
        phi[lo:hi][near] = flips(q[lo:hi][near], rows[near], table)

    even = np.ones(n, dtype=np.int64)
    run_blocks(even_blocks(even, 1 + n // _ROWS), lambda: None, work, threads_for(n * K))
    out = np.empty(n, dtype=np.int64)
    out[lists.order] = phi
    return out


def _choose(values: Whole, k: int) -> Whole:
    """b_k(x): 0 for x < 0, also for k = 0."""
    return np.where(values < 0, 0, binomials(np.maximum(values, 0), k))


def _sums(terms: Whole) -> Whole:
    """[:, i] = the sum of the first i terms, i = 0 … K − 1."""
    out = np.zeros_like(terms)
    out[:, 1:] = np.cumsum(terms[:, :-1], axis=1)
    return out


def _largest_drops(lists: Adjacency, k: int, limit: int) -> Whole:
    """whole[K, K]: row i holds the K largest of the existing edges' and the added edges' bounds.

    For every i the value of an edge rises with both its degrees. So an edge cannot be among the K largest if K edges
    have both degrees at least as high: (1) at its end of higher degree, K neighbours of at least the other's degree;
    (2) K edges whose lower degree is at least this edge's higher one. The rest is evaluated for each i.
    """
    start, neighbour = lists.start, lists.neighbour
    n = len(lists.split)
    degrees = np.diff(start)
    cap = max(n - 2, 0)
    steps = np.arange(limit)

    tails = np.repeat(np.arange(n, dtype=np.int32), degrees)
    place = np.arange(len(neighbour)) - start[tails]
    chosen = np.flatnonzero((neighbour > tails) & (place < limit))  # seen from the end of lower rank, higher degree
    del place
    high, low = degrees[tails[chosen]], degrees[neighbour[chosen]]
    if len(chosen) > limit:
        enough = np.partition(low, len(low) - limit)[len(low) - limit]
        keep = high >= enough
        high, low = high[keep], low[keep]

    added = 2 * _choose(np.minimum(int(degrees[0]) + steps - 1, cap), k - 1)
    rows: list[Whole] = []
    for i in range(limit):
        existing = _choose(np.minimum(high - 1 + i, cap), k - 1) + _choose(np.minimum(low - 1 + i, cap), k - 1)
        row = np.concatenate((existing, np.full(i, added[i]), np.zeros(limit, dtype=np.int64)))
        if row.dtype != object and len(row) > 4 * limit:
            row = np.partition(row, len(row) - limit)[len(row) - limit :]
        rows.append(np.sort(row)[::-1][:limit])
    return np.array(rows)
