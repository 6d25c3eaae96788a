"""Copies of small motifs in small graphs, listed one by one; shares nothing with the library.

A graph on n vertices is a bit mask over the pairs of `combinations(range(n), 2)`, as in `small_worlds`.
"""

from functools import cache
from itertools import combinations, permutations

import networkx as nx
import numpy as np

SHAPES = {
    "edge": nx.path_graph(2),
    "triangle": nx.complete_graph(3),
    "4-clique": nx.complete_graph(4),
    "5-clique": nx.complete_graph(5),
    "6-clique": nx.complete_graph(6),
    "2-star": nx.star_graph(2),
    "3-star": nx.star_graph(3),
    "4-star": nx.star_graph(4),
    "3-path": nx.path_graph(4),
    "4-path": nx.path_graph(5),
    "4-cycle": nx.cycle_graph(4),
    "5-cycle": nx.cycle_graph(5),
    "diamond": nx.Graph([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]),
    "paw": nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3)]),
}
EXACT = [name for name in SHAPES if name not in ("4-path", "5-cycle")]
"""Motifs whose profile starts at the exact local sensitivity."""


def bits(n):
    return {pair: i for i, pair in enumerate(combinations(range(n), 2))}


@cache
def copies(name, n):
    """Every copy of the motif in K_n, as (mask of its edges, indicator of its vertices)."""
    shape, bit, found = SHAPES[name], bits(n), {}
    h = shape.number_of_nodes()
    if h > n:
        return np.zeros(0, np.int64), np.zeros((0, n), np.int64)
    for image in permutations(range(n), h):
        mask = sum(1 << bit[min(image[u], image[v]), max(image[u], image[v])] for u, v in shape.edges())
        found[mask] = image
    inside = np.zeros((len(found), n), np.int64)
    for row, image in zip(inside, found.values(), strict=True):
        row[list(image)] = 1
    return np.array(list(found), np.int64), inside


def scores(name, n, mask):
    """Copies at every vertex of one graph."""
    masks, inside = copies(name, n)
    return ((masks & mask) == masks) @ inside


@cache
def table(name, n):
    """scores[mask, v] for every graph on n ≤ 6 vertices."""
    masks, inside = copies(name, n)
    every = np.arange(2 ** (n * (n - 1) // 2))
    out = np.zeros((len(every), n), np.int64)
    for copy, members in zip(masks, inside, strict=True):
        out += ((every & copy) == copy)[:, None] * members
    return out


def span(name, n, mask, flips):
    """The largest change of score differences from `mask` to mask ^ flip over all flips (monotone or not)."""
    here, worst = scores(name, n, mask), 0
    for flip in flips:
        change = scores(name, n, mask ^ flip) - here
        worst = max(worst, int(change.max() - change.min()))
    return worst


def flips(n, k):
    """All sets of 1 … k pairs to change, as masks."""
    e = n * (n - 1) // 2
    return [sum(1 << i for i in chosen) for size in range(1, k + 1) for chosen in combinations(range(e), size)]
