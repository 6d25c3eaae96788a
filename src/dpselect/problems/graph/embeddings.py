"""Copies of any small connected graph at every vertex, found one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.certificates.codegrees import threads_for
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks
from dpselect.problems.graph.motifs.pattern import Pattern

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

_BLOCKS = 512


def copies_per_vertex(graph: Graph, pattern: Pattern, threads: int | None = None) -> Int64:
    """q(G, v) = the copies of H (subgraphs isomorphic to it, induced or not) that contain v, int64[n] by vertex index.

    Every copy is met once, so a count that could not be held in 64 bits could not be reached either.
    Cost: proportional to the copies of the connected subgraphs it is built up from: for sparse graphs and small H.

    >>> from dpselect.problems.graph.motifs.pattern import cycle
    >>> copies_per_vertex(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]), cycle(5)).tolist()
    [1, 1, 1, 1, 1]
    """
    from dpselect.problems.graph.kernels.embeddings import count_embeddings

    near, n = graph.adjacency, graph.n
    plan = search_plan(pattern)
    weights = np.diff(near.start) ** 2

    def work(counts: Int64, lo: int, hi: int) -> None:
        count_embeddings(lo, hi, near.start, near.neighbour, *plan, counts)

    count = threads_for(int(weights.sum())) if threads is None else threads
    states = run_blocks(even_blocks(weights, _BLOCKS), lambda: np.zeros(n, np.int64), work, count)
    return np.asarray(np.sum(states, axis=0)[near.rank])


def search_plan(pattern: Pattern) -> tuple[Bool, Bool, Int64]:
    """The order in which H is placed and the conditions that leave one embedding of each copy (`count_embeddings`).

    The order: highest degree first, then always a vertex with the most placed neighbours. The conditions: go through
    the vertices t in this order; of all vertices that the symmetries fixing the earlier ones can bring to t's place, t
    has the lowest image. Of the embeddings of one copy, |Aut H| of them, exactly one meets them all.
    """
    near = pattern.neighbours
    order = [max(range(pattern.size), key=lambda v: len(near[v]))]
    while len(order) < pattern.size:
        rest = [v for v in range(pattern.size) if v not in order and near[v] & set(order)]
        order.append(max(rest, key=lambda v: (len(near[v] & set(order)), len(near[v]))))
    place = {v: t for t, v in enumerate(order)}
    back = np.zeros((pattern.size, pattern.size), np.bool_)
    above = np.zeros_like(back)
    for u, v in pattern.edges:
        back[max(place[u], place[v]), min(place[u], place[v])] = True
    group = list(pattern.symmetries)
    for v in order:
        for w in {p[v] for p in group} - {v}:
            above[place[w], place[v]] = True
        group = [p for p in group if p[v] == v]
    return back, above, np.array([len(near[v]) for v in order], np.int64)
