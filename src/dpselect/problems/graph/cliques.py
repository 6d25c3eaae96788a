"""Cliques per vertex, and the most cliques in the common neighbourhood of a few vertices (theory section 8).

M_s(i) is the largest number of i-cliques in the common neighbourhood of s vertices; edges among the s do not matter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.certificates.codegrees import edge_codegrees, threads_for
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.blocks import cores, even_blocks, run_blocks

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

TOO_MANY = "a vertex is in more than 2^60 copies of this motif: not supported"
_BLOCKS = 256


def cliques_per_vertex(graph: Graph, size: int, threads: int | None = None) -> Int64:
    """q(G, v) = the cliques of `size` ≥ 4 vertices through v, int64[n] by vertex index.

    Raises `UnsupportedProblem` where a count could pass 2^60. Cost: see the kernel.

    >>> from itertools import combinations
    >>> cliques_per_vertex(Graph.from_edges([*combinations(range(5), 2), (4, 5)]), 4).tolist()
    [4, 4, 4, 4, 4, 0]
    """
    from dpselect.problems.graph.kernels.cliques import count_cliques

    near, n = graph.adjacency, graph.n
    upper = near.split - near.start[:-1]
    weights = upper * upper

    def start() -> tuple[Int32, Int64, list[bool]]:
        return np.full(n, -1, np.int32), np.zeros(n, np.int64), []

    def work(state: tuple[Int32, Int64, list[bool]], lo: int, hi: int) -> None:
        place, counts, fits = state
        fits.append(count_cliques(lo, hi, near.start, near.split, near.neighbour, size, place, counts))

    count = threads_for(int(weights.sum())) if threads is None else threads
    states = run_blocks(even_blocks(weights, _BLOCKS if count > 1 else 1), start, work, count)
    total = np.zeros(n, np.int64)
    for _, counts, fits in states:
        total += counts
        if not all(fits) or total.max(initial=0) > 1 << 60:
            raise UnsupportedProblem(TOO_MANY)
    return np.asarray(total[near.rank])


def largest_common(graph: Graph, vertices: int, size: int, known: int = 0, smaller: Int64 | None = None) -> int:
    """max(known, M_s(i)), s = `vertices` ≥ 2, i = `size` ≥ 1: i-cliques in the common neighbourhood of s vertices.

    Arguments:
        known: sets that cannot pass it are skipped.
        smaller: the (i + 1)-cliques at each vertex, by vertex index, if they are known: no vertex in fewer than
            the best so far has to be looked at, for each i-clique that counts makes one with that vertex.

    Cost: the wedges of the vertices that can matter, and the sets whose co-degrees leave room for more than the best.
    """
    from dpselect.problems.graph.kernels.largest_common import largest_common_cliques

    near, n = graph.adjacency, graph.n
    if n < vertices + size:
        return known
    degrees = np.diff(near.start)
    most = degrees if size == 1 else np.full(n, 1 << 62, np.int64)
    own = most if smaller is None else smaller[near.order]
    triangles = edge_codegrees(near) if size > 1 else np.zeros(1, np.int32)
    hint = np.array([known], np.int64)
    weights = np.where(own > known, degrees * degrees, 0)

    def start() -> tuple[npt.NDArray[np.bool_], Int32, Int32, Int32, Int32, Int64, Int64]:
        return (
            np.zeros(n, np.bool_),
            np.full(n, -1, np.int32),
            np.empty((vertices, int(degrees[0])), np.int32),
            np.zeros((vertices - 1, n), np.int32),
            np.empty((vertices - 1, n), np.int32),
            np.zeros(n if size > 1 else 1, np.int64),
            np.zeros(1, np.int64),
        )

    def work(state: tuple[npt.NDArray[np.bool_], Int32, Int32, Int32, Int32, Int64, Int64], lo: int, hi: int) -> None:
        largest_common_cliques(
            lo, hi, near.start, near.split, near.neighbour, vertices, size, own, triangles, *state, hint
        )

    count = min(cores(), threads_for(int(weights.sum())))
    states = run_blocks(even_blocks(weights, _BLOCKS), start, work, count)
    return max(known, *(int(best[0]) for *_, best in states))
