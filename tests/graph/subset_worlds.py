"""Every k-subset of small graphs by slow code: scores, flip distances by definition and by search, laws by the list.

A graph on n vertices is a bit mask over the pairs of `combinations(range(n), 2)`, as in `small_worlds`.
"""

import math
from functools import cache
from itertools import combinations

import numpy as np
from motif_worlds import bits, copies

from dpselect.problems.graph.graph import Graph


def graph_of(n, mask):
    pairs = [pair for i, pair in enumerate(combinations(range(n), 2)) if mask >> i & 1]
    return Graph.from_edges(pairs, vertices=range(n))


def subsets(n, k):
    return list(combinations(range(n), k))


@cache
def inner(n, k):
    """For every subset, the pairs inside as a mask."""
    bit = bits(n)
    return [sum(1 << bit[pair] for pair in combinations(s, 2)) for s in subsets(n, k)]


def scores(name, n, k, mask):
    """Copies inside every subset of one graph."""
    masks, members = copies(name, n)
    there = (masks & mask) == masks
    out = []
    for s in subsets(n, k):
        outside = [v for v in range(n) if v not in s]
        out.append(int(np.sum(there & (members[:, outside].sum(axis=1) == 0))))
    return out


@cache
def table(name, n, k):
    """scores[mask, subset] for every graph on n vertices."""
    every = np.arange(2 ** (n * (n - 1) // 2))
    out = np.zeros((len(every), math.comb(n, k)), np.int64)
    masks, members = copies(name, n)
    for c, s in enumerate(subsets(n, k)):
        outside = [v for v in range(n) if v not in s]
        for copy, vertices in zip(masks, members, strict=True):
            if not vertices[outside].any():
                out[:, c] += (every & copy) == copy
    return out


@cache
def true_flips(name, n, k):
    """flips[mask, subset]: the fewest edges to change until the subset is a best one, by breadth-first search."""
    q = table(name, n, k)
    best = q == q.max(axis=1, keepdims=True)
    flips = np.where(best, 0, 99)
    every = np.arange(len(q))
    while True:
        before = flips.copy()
        for pair in range(n * (n - 1) // 2):
            flips = np.minimum(flips, before[every ^ (1 << pair)] + 1)
        if np.array_equal(flips, before):
            return flips


@cache
def _reach(name, n, k):
    """up[i][mask, subset], down[j][mask, subset]: the score after edges inside the subset are added or removed."""
    q, every = table(name, n, k), np.arange(2 ** (n * (n - 1) // 2))
    up, down = [q], [q]
    for _ in range(k * (k - 1) // 2):
        more, less = up[-1].copy(), down[-1].copy()
        for pair in range(n * (n - 1) // 2):
            for c, pairs in enumerate(inner(n, k)):
                if pairs >> pair & 1:
                    more[:, c] = np.maximum(more[:, c], up[-1][every | (1 << pair), c])
                    less[:, c] = np.minimum(less[:, c], down[-1][every & ~(1 << pair), c])
        up.append(more)
        down.append(less)
    return up, down


def certificate(name, n, k, mask, through, most, holding):
    """The certificate by its definition, over the list of candidates and every N."""
    up, down = _reach(name, n, k)
    q = np.sort(table(name, n, k)[mask])[::-1]
    steps, m = k * (k - 1) // 2, q.size
    sizes = np.arange(1, m + 1)
    found = np.full(m, 99)
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            drop = np.minimum(sizes * min(through[i], most), holding * through[i]) * j
            level = max(int(down[j][mask].max()), int(np.ceil((np.cumsum(q) - drop) / sizes).max()))
            found = np.where(up[i][mask] >= level, np.minimum(found, i + j), found)
    return found


def ladder(widths, gaps):
    """Whole steps: the least t with the sum of the first t widths at least the gap."""
    out = []
    for gap in gaps:
        t, height = 0, 0
        while height < gap:
            height += widths(t)
            t += 1
        out.append(t)
    return np.array(out)


def gibbs(z):
    w = np.exp(-np.asarray(z))
    return w / w.sum()


def permute_and_flip(z):
    """By the definition, candidate by candidate: P(r) = w_r ∫ Π (1 − w_s v) dv as a polynomial in v."""
    w = np.exp(-np.asarray(z, dtype=np.longdouble))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    v, out = (nodes + 1) / 2, []
    for r in range(len(w)):
        alive = np.prod(1 - np.outer(v, np.delete(w, r)), axis=1)
        out.append(float(w[r] * np.sum(weights / 2 * alive)))
    return np.array(out)


LAWS = {"gibbs": gibbs, "permute-and-flip": permute_and_flip}
