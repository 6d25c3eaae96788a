"""Diamonds by brute force, and their certificate straight from the formulas. Nothing is shared with the package."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from certificate_oracle import codegrees, edge_list, net_form, pairs


def diamonds(A: np.ndarray) -> np.ndarray:
    """The diamonds at each vertex: an edge, and two vertices adjacent to both of its ends."""
    q = np.zeros(len(A), dtype=np.int64)
    for u, v in edge_list(A):
        for two in combinations(np.flatnonzero(A[u] & A[v]), 2):
            q[[u, v, *two]] += 1
    return q


def closed_diamonds(A: np.ndarray) -> np.ndarray:
    """int64[n, n]: the diamonds with the edge uv, once it is there, four vertices at a time.

    On {u, v, x, y}: one if exactly one edge is missing, five if none is (any but uv may be left out).
    """
    n = len(A)
    c = np.zeros((n, n), dtype=np.int64)
    for u, v in pairs(n):
        ends = A[u].astype(np.int64) + A[v]
        edges = 1 + ends[:, None] + ends[None, :] + A
        inside = np.triu(np.ones((n, n), dtype=bool), 1)
        inside[[u, v], :] = inside[:, [u, v]] = False
        c[u, v] = c[v, u] = ((edges == 5) & inside).sum() + 5 * ((edges == 6) & inside).sum()
    return c


def all_diamonds(world: np.ndarray) -> np.ndarray:
    """int[2^b, n], `diamonds` of many graphs: one for four vertices with five edges, six for a clique."""
    n = world.shape[1]
    out = np.zeros(world.shape[:2], dtype=np.int16)
    for four in combinations(range(n), 4):
        edges = sum(world[:, u, v].astype(np.int8) for u, v in combinations(four, 2))
        out[:, four] += np.array([0, 0, 0, 0, 0, 1, 6], dtype=np.int16)[edges][:, None]
    return out


def most_common(A: np.ndarray) -> int:
    """M_3: the most common neighbours of three vertices."""
    return max((int(A[list(T)].all(axis=0).sum()) for T in combinations(range(len(A)), 3)), default=0)


WRONG = {
    "D, M and C over edges only": ["A", "LC"],
    "no growth of raises": ["A"],
    "no raise from elsewhere": ["A"],
    "no growth of drops": ["WC"],
    "no growth of single drops": ["LC"],
}
"""Forms that break, and the rules that they break: R those of raises, W and L those of drops."""


def diamond_tables(A: np.ndarray, limit: int, wrong: str = ""):
    """R[r][i], W(N, i, j) and L[s, i, j] of `certificates.diamonds`, for i, j < limit; `wrong`: one of WRONG."""
    n = len(A)
    a = codegrees(A)
    np.fill_diagonal(a, 0)
    c = closed_diamonds(A)
    three = most_common(A)
    only_edges = wrong == "D, M and C over edges only"
    a, counted = (a * A, c * A) if only_edges else (a, c)
    D = int(a.max(initial=0))

    def growth(M: int, t: int) -> int:
        return max(4, 2 * (M + t) + (D + t) + (min(M, three) + t))

    def elsewhere(M: int, t: int) -> int:
        return max(1, 2 * (M + t) + (D + t - 1) + 2 * max(min(M, three, D - 1) + t, 0))

    G = [sum(growth(D, t) for t in range(i)) for i in range(limit)]
    if wrong == "no growth of drops":
        G = [0] * limit
    most = [5 * comb(D + i, 2) for i in range(limit)]
    share = [max(1, 3 * (D + i - 1) + 2 * (min(three, D - 1) + i)) for i in range(limit)]
    new = [int(counted.max(initial=0)) + max(G[i] - growth(D, 0), 0) for i in range(limit)]
    old = [int(c[u, v]) for u, v in edge_list(A)]
    u = [
        sorted([min(e, most[i]) for e in [*(e + G[i] for e in old), *[new[i]] * i]], reverse=True) + [0] * limit
        for i in range(limit)
    ]

    def total(N: int, i: int, j: int) -> int:
        rest = max(N - 2, 0)
        return sum(min(N, 2) * e + min(2 * e, rest * e, rest * share[i]) for e in u[i][:j])

    R, L = [], np.zeros((n, limit, limit), dtype=np.int64)
    for r in range(n):
        M = int(a[r].max())
        far = sorted((int(c[r, v]) for v in range(n) if v != r and not A[r, v]), reverse=True) + [0] * limit
        at = sorted((int(c[r, v]) for v in range(n) if A[r, v]), reverse=True) + [0] * limit
        g = [growth(M, t) for t in range(limit)]
        s = [elsewhere(M, t) for t in range(limit)]
        up = [0] * limit if wrong == "no growth of raises" else g
        lift = [0] * limit if wrong == "no raise from elsewhere" else s
        simple = [max(lift[t], comb(M + t, 2) + (M + t) * (M + D + 2 * t)) for t in range(limit)]
        ordered = [max(lift[t], far[t]) + sum(up[:t]) for t in range(limit)]
        R.append([min(sum(simple[:i]), sum(ordered[:i])) for i in range(limit)])
        for i in range(limit):
            grown = 0 if wrong == "no growth of single drops" else sum(g[:i])
            for j in range(1, limit):
                L[r, i, j] = L[r, i, j - 1] + max(at[j - 1] + grown, s[i])
    return R, total, L


def diamond_form(A: np.ndarray, limit: int, wrong: str = "") -> np.ndarray:
    """φ from these tables."""
    R, total, L = diamond_tables(A, limit, wrong)
    return net_form(diamonds(A), lambda r, i: R[r][i], total, lambda s, i, j: int(L[s, i, j]), limit)


def broken_rules(A: np.ndarray, B: np.ndarray, limit: int, wrong: str = "") -> set[str]:
    """Which of "A", "B", "WC", "WD", "LC", "LD" fail between A and B, the same graph with one more edge."""
    n = len(A)
    (R, W, L), (R_more, W_more, L_more) = diamond_tables(A, limit, wrong), diamond_tables(B, limit, wrong)
    raised = diamonds(B) - diamonds(A)
    few, many = np.cumsum(np.sort(raised)), np.cumsum(np.sort(raised)[::-1])
    steps = range(limit - 1)
    broken = set()
    for r in range(n):
        for i in steps:
            if R[r][i + 1] < raised[r] + R_more[r][i]:
                broken.add("A")
            if R_more[r][i] < R[r][i] - raised[r]:
                broken.add("B")
    if (L[:, 1:, :] < L_more[:, :-1, :] - raised[:, None, None]).any():
        broken.add("LC")
    if (L_more[:, :, 1:] < L[:, :, :-1] + raised[:, None, None]).any():
        broken.add("LD")
    for N in range(1, n + 1):
        for i in steps:
            for j in steps:
                if W(N, i + 1, j) < W_more(N, i, j) - few[N - 1]:
                    broken.add("WC")
                if W_more(N, i, j + 1) < W(N, i, j) + many[N - 1]:
                    broken.add("WD")
    return broken
