"""Copies per vertex, and through a pair, of the motifs that degrees and co-degrees settle (theory, section 8)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.adjacency import Adjacency
from dpselect.problems.graph.certificates.binomials import binomials
from dpselect.problems.graph.certificates.codegrees import edge_codegrees, threads_for
from dpselect.problems.graph.cliques import TOO_MANY
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

Int64 = npt.NDArray[np.int64]
Whole = npt.NDArray[Any]

_BLOCKS = 256


def stars_per_vertex(graph: Graph, leaves: int) -> Int64:
    """q(G, v) = binom(d_v, k) + Σ over u ∈ N(v) of binom(d_u − 1, k − 1): v as the centre and as a leaf, k ≥ 2.

    Raises `UnsupportedProblem` where a count could pass 2^60. Cost: O(n + m).

    >>> stars_per_vertex(Graph.from_edges([(0, 1), (0, 2), (0, 3)]), 2).tolist()
    [3, 2, 2, 2]
    """
    near = graph.adjacency
    degrees = np.diff(near.start)
    return _by_index(
        near, _fitting(binomials(degrees, leaves), near, binomials(np.maximum(degrees - 1, 0), leaves - 1))
    )


def three_paths_per_vertex(graph: Graph, triangles: Int64) -> Int64:
    """q(G, v) = (d_v − 1) w_v − 2 t_v + Σ over a ∈ N(v) of w_a − d_v (d_v − 1) − 2 t_v, paths of three edges.

    w_v = Σ over b ∈ N(v) of (d_b − 1) are the walks of two steps from v, t_v = `triangles` (by index). As an inner
    vertex: (d_v − 1)(d_b − 1) choices beside the middle edge vb, less those that meet. As an end: the walks
    v–a–b–c, less those with b = v or c = v. Raises as `stars_per_vertex`. Cost: O(n + m).

    >>> three_paths_per_vertex(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)]), np.zeros(5, np.int64)).tolist()
    [1, 2, 2, 2, 1]
    """
    near = graph.adjacency
    degrees = np.diff(near.start)
    walks = walks_of_two(near)
    inner = np.maximum(degrees - 1, 0)
    if float((inner.astype(np.float64) * walks).max(initial=0)) > 2.0**58:
        raise UnsupportedProblem(TOO_MANY)
    total = _fitting(inner * walks, near, walks) - degrees * inner - 4 * triangles[near.order]
    return _by_index(near, total)


def walks_of_two(near: Adjacency) -> Int64:
    """w_v = Σ over b ∈ N(v) of (d_b − 1), by rank: int64, at most 2m·n."""
    return _fitting(np.zeros(len(near.order), np.int64), near, np.maximum(np.diff(near.start) - 1, 0))


def largest_closed_three_paths(graph: Graph) -> int:
    """LS(G) = max over all pairs uv, adjacent or not, of the paths of three edges through uv in G + uv.

    >>> largest_closed_three_paths(Graph.from_edges([(0, 1), (2, 3)]))
    1
    """
    from dpselect.problems.graph.kernels.three_paths import largest_closed_paths

    near = graph.adjacency
    walks = walks_of_two(near)
    return int(largest_closed_paths(near.start, near.neighbour, walks, np.zeros(graph.n, np.bool_)))


def diamonds_per_vertex(graph: Graph, triangles: Int64) -> Int64:
    """q(G, v) = Σ over edges e at v of binom(c_e, 2) + Σ over triangles vpq of (c_pq − 1): K_4 without one edge.

    c_e is the co-degree of the ends of e; v is an end of the shared edge, or opposite it.
    Raises as `stars_per_vertex`. Cost: O(m^(3/2)).

    >>> diamonds_per_vertex(Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]), np.array([2, 2, 1, 1])).tolist()
    [1, 1, 1, 1]
    """
    from dpselect.problems.graph.kernels.opposite_edges import sum_opposite_edges

    near, n = graph.adjacency, graph.n
    count = edge_codegrees(near)
    upper = near.split - near.start[:-1]
    weights = upper * upper

    def work(state: tuple[Int64, Int64], lo: int, hi: int) -> None:
        sum_opposite_edges(lo, hi, near.start, near.split, near.neighbour, count, *state)

    # at most n·m ≤ 2^61 in all: a co-degree of less than n for each of the edges opposite to a vertex
    states = run_blocks(
        even_blocks(weights, _BLOCKS),
        lambda: (np.full(n, -1, np.int64), np.zeros(n, np.int64)),
        work,
        threads_for(int(weights.sum())),
    )
    opposite = np.sum([out for _, out in states], axis=0)
    wide = count.astype(np.int64)
    return _by_index(near, _fitting(opposite - triangles[near.order], near, None, wide * (wide - 1) // 2))


def paws_per_vertex(graph: Graph, triangles: Int64) -> Int64:
    """q(G, v) = t_v (d_v − 2) + Σ over p ∈ N(v) of c_vp (d_p − 2) + Σ over u ∈ N(v) of (t_u − c_uv): triangle and tail.

    v is where the tail begins, another vertex of the triangle, or the end of the tail.
    Raises as `stars_per_vertex`. Cost: O(m^(3/2)).

    >>> paws_per_vertex(Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)]), np.array([1, 1, 1, 0])).tolist()
    [1, 1, 1, 1]
    """
    near = graph.adjacency
    degrees = np.diff(near.start)
    own = triangles[near.order]
    count = edge_codegrees(near).astype(np.int64)
    if float((own.astype(np.float64) * degrees).max(initial=0)) > 2.0**58:
        raise UnsupportedProblem(TOO_MANY)
    # c ≥ 1 needs d ≥ 2
    at_edges = count * np.maximum(degrees[near.neighbour] - 2, 0)
    total = _fitting(own * np.maximum(degrees - 2, 0), near, own, at_edges) - 2 * own
    return _by_index(near, total)


def _fitting(first: Whole, near: Adjacency, at_neighbours: Whole | None, at_places: Whole | None = None) -> Int64:
    """first_v + Σ over the list of v of (at_neighbours[u] + at_places[p]), nonnegative, by rank; refused from 2^60 on.

    A float sum of n nonnegative numbers errs by less than n·2^−52 of itself: below 2^60 it proves that int64 did not
    wrap.
    """
    value = np.zeros(len(near.neighbour), np.float64)
    for part in (None if at_neighbours is None else at_neighbours[near.neighbour], at_places):
        if part is not None:
            value += part.astype(np.float64)
    total = first.astype(np.float64) + _sums(near, value)
    if float(total.max(initial=0)) > 2.0**60:
        raise UnsupportedProblem(TOO_MANY)
    exact = first.astype(np.int64)
    for part in (None if at_neighbours is None else at_neighbours.astype(np.int64)[near.neighbour], at_places):
        if part is not None:
            exact = exact + _sums(near, part.astype(np.int64))
    return np.asarray(exact, np.int64)


def _sums(near: Adjacency, values: Whole) -> Whole:
    """Σ over the list of each vertex; degrees fall, so the empty lists are the last."""
    out = np.zeros(len(near.order), values.dtype)
    some = int(np.searchsorted(-np.diff(near.start), 0))
    if some:
        out[:some] = np.add.reduceat(values, near.start[:some])
    return out


def _by_index(near: Adjacency, by_rank: Int64) -> Int64:
    return np.asarray(by_rank[near.rank])
