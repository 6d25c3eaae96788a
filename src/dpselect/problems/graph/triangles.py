"""Triangles per vertex, and everything their calibration needs (theory, section 8).

For vertices u ≠ v let a = |N(u) ∩ N(v)| and σ = d_u + d_v − 2·[u ~ v]: σ = 2a + b, where b vertices are
adjacent to exactly one of the two. Neither number depends on the edge uv itself. All pairs count, not only
edges: adding a missing edge changes the counts by the co-degree of its ends.
"""

from __future__ import annotations

from threading import Lock
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.graph import Graph

Whole: TypeAlias = npt.NDArray[np.int64]
Scratch: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.uint32], npt.NDArray[np.bool_], Whole]


def triangles_per_vertex(graph: Graph, threads: int | None = None) -> Whole:
    """q(G, v) = |{{u, w} : uvw is a triangle of G}|, int64[n] by vertex index.

    Monotone: adding an edge lowers no count, and all candidates move the same way on every edge change.

    Arguments: `threads`, at most so many (None: the cores this process may use; small graphs use one).
    Cost: O(m^{3/2}) time; 9n bytes a thread beside the adjacency.

    >>> triangles_per_vertex(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).tolist()
    [1, 1, 1, 0]
    """
    from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks
    from dpselect.problems.graph.kernels.triangles import count_triangles

    near = graph.adjacency
    n, below = graph.n, near.start[1:] - near.split
    lists = near.start.view(np.uint64), near.split.view(np.uint64), near.neighbour.view(np.uint32)

    def start() -> tuple[npt.NDArray[np.uint8], Whole]:
        return np.zeros(n, np.uint8), np.zeros(n, np.int64)

    def work(state: tuple[npt.NDArray[np.uint8], Whole], lo: int, hi: int) -> None:
        count_triangles(lo, hi, *lists, *state)

    count = _threads(graph, threads)
    states = run_blocks(even_blocks(below, 32 * count if count > 1 else 1), start, work, count)
    total = sum((counts for _, counts in states), np.zeros(n, np.int64))
    return np.asarray(total[near.rank])


def triangle_staircase(graph: Graph, threads: int | None = None) -> tuple[Whole, Whole]:
    """The Pareto-optimal pairs (a, σ) over all pairs of vertices: a ascending, σ strictly descending.

    Every pair of vertices is at most some (a[i], σ[i]) in both coordinates, and each of these is attained.
    Both arrays are int64; they are empty when n = 1.

    Pairs with a = 0 are in it: without them the profile of `triangle_profile_values` breaks P2.

    Cost: O(Σ_v d_v²) time at worst; pruning by degree (see the kernel) leaves a small part of it on skewed
    graphs.

    >>> triangle_staircase(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]))
    (array([1]), array([3]))
    """
    from dpselect.problems.graph.kernels.blocks import run_blocks
    from dpselect.problems.graph.kernels.staircase import raise_staircase

    near, n = graph.adjacency, graph.n
    neighbour = near.neighbour.view(np.uint32)
    shared = np.full(int(near.start[1]) + 2, -1, np.int64)
    lock = Lock()
    finished = False

    def start() -> Scratch:
        with lock:
            stairs = shared.copy()
        return np.zeros(n, np.int32), np.empty(n, np.uint32), np.zeros(n, np.bool_), stairs

    def work(state: Scratch, lo: int, hi: int) -> None:
        nonlocal finished
        if finished:
            return
        stairs = state[-1]
        more = raise_staircase(lo, hi, near.start, neighbour, *state)
        with lock:  # what one thread has seen prunes the others' next blocks
            np.maximum(shared, stairs, out=shared)
            np.copyto(stairs, shared)
            finished = finished or not more

    count = _threads(graph, threads)
    ends = np.array([0, n])
    if count > 1:  # blocks that double: the first, tiny ones find most of the staircase among the hubs
        ends = np.unique(np.minimum(np.concatenate(([0], 64 * 2 ** np.arange(12), np.arange(1, 257) * n // 256)), n))
    run_blocks(ends, start, work, count)
    a = np.flatnonzero(shared[:-1] > shared[1:])
    return a, shared[a]


def local_sensitivity_triangles(graph: Graph, threads: int | None = None) -> int:
    """LS(G) = D = max over all pairs u ≠ v of |N(u) ∩ N(v)|; 0 when there is no pair.

    Why: toggling uv changes the count of u and of v by exactly |N(u) ∩ N(v)|, of each common neighbour by 1 and of
    nobody else. D is 1-Lipschitz: an edge adds at most one common neighbour to any pair. Cost: as the staircase,
    whose pruning is also that of D.

    Vertices 0 and 3 are not adjacent and have two common neighbours:

    >>> local_sensitivity_triangles(Graph.from_edges([(0, 1), (0, 2), (3, 1), (3, 2)]))
    2
    """
    a, _ = triangle_staircase(graph, threads)
    return int(a[-1]) if a.size else 0


def triangle_profile_values(a: Whole, sigma: Whole, n: int) -> tuple[Whole, Whole]:
    """A(t) = max over pairs of min(a + t, ⌊(σ + t)/2⌋, n − 2) as steps: from t = starts[i] on, A is
    values[i].

    A(t) is the largest local sensitivity within t edge changes, exactly: raising the co-degree of a pair by
    one costs one edge while one of the b vertices adjacent to exactly one of the two is left, and two edges
    after that.

    Arguments: the staircase (a ascending, σ strictly descending), the public n ≥ 1. Returns int64 arrays:
    starts strictly ascending from 0, values all the integers from A(0) to the cap max(n − 2, 0).

    Why the closed form: each term grows by at most one per step, so A takes every value; v is first reached
    by the pair (a, σ) at t = max(v − a, 2v − σ), where v − a is the larger iff σ − a ≥ v. As σ − a falls
    along the staircase the pairs with v − a are a beginning of it, whose last is the best; the others are
    best at their first.

    Cost: O((n + s) log s) for s stairs; the length of the result is at most n − 1.

    >>> triangle_profile_values(np.array([1, 2]), np.array([9, 4]), 7)
    (array([0, 2, 3, 4]), array([2, 3, 4, 5]))
    """
    if a.size == 0:  # no pair of vertices, no edge to change
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    cap = max(n - 2, 0)
    first = min(int(a[-1]), cap)  # 2a ≤ σ: the t = 0 value is a itself
    values = np.arange(first, cap + 1, dtype=np.int64)
    starts = np.zeros(values.size, np.int64)
    if values.size > 1:
        later = values[1:]
        one_each = np.searchsorted(-(sigma - a), -later, side="right")  # how many stairs have σ − a ≥ v
        far = np.iinfo(np.int64).max
        by_ones = np.where(one_each > 0, later - a[np.maximum(one_each - 1, 0)], far)
        by_twos = np.where(one_each < a.size, 2 * later - sigma[np.minimum(one_each, a.size - 1)], far)
        starts[1:] = np.minimum(by_ones, by_twos)
    return starts, values


def _threads(graph: Graph, threads: int | None) -> int:
    from dpselect.problems.graph.kernels.blocks import SMALLEST_SHARE, cores

    return max(1, min(cores() if threads is None else threads, graph.tails.size // SMALLEST_SHARE))
