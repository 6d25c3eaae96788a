"""Every graph on n vertices at once, by slow code that shares nothing with the library.

A graph is a bit mask over the pairs of `combinations(range(n), 2)`; arrays are indexed by the mask.
"""

from functools import cache
from itertools import combinations

import numpy as np


@cache
def pairs(n):
    return list(combinations(range(n), 2))


@cache
def scores(n):
    """scores[mask, v] = triangles of the graph that contain v."""
    bit = {pair: i for i, pair in enumerate(pairs(n))}
    masks = np.arange(2 ** len(bit))
    table = np.zeros((masks.size, n), np.int8)
    for u, v, w in combinations(range(n), 3):
        here = (masks >> bit[u, v]) & (masks >> bit[u, w]) & (masks >> bit[v, w]) & 1
        for x in (u, v, w):
            table[:, x] += here.astype(np.int8)
    return table


@cache
def local_sensitivity(n):
    """LS[mask] by toggling every pair and comparing the scores."""
    table = scores(n)
    masks = np.arange(len(table))
    worst = np.zeros(len(table), np.int8)
    for i in range(len(pairs(n))):
        np.maximum(worst, np.abs(table - table[masks ^ (1 << i)]).max(axis=1), out=worst)
    return worst


@cache
def exact_profile(n):
    """A[t, mask] = max of LS over the ball of radius t, t = 0 … number of pairs, ball by ball."""
    e = len(pairs(n))
    masks = np.arange(2**e)
    rows = [local_sensitivity(n)]
    for _ in range(e):
        row = rows[-1].copy()
        for i in range(e):
            np.maximum(row, rows[-1][masks ^ (1 << i)], out=row)
        rows.append(row)
    return np.array(rows)


def edges(n, mask):
    return [pair for i, pair in enumerate(pairs(n)) if mask >> i & 1]


def breaks_p2(table, n):
    """Does some graph have A_x(t + 1) < A_x'(t) for a neighbour x'? (table[t, mask])"""
    masks = np.arange(table.shape[1])
    return any((table[1:] < table[:-1][:, masks ^ (1 << i)]).any() for i in range(len(pairs(n))))
