"""Dense, slow, independent forms of everything the certificates use, and brute-force flip distances.

A graph is a boolean adjacency matrix here. Nothing is shared with the package.
"""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np


def pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))


def matrix(n: int, edges) -> np.ndarray:
    A = np.zeros((n, n), dtype=bool)
    for u, v in edges:
        A[u, v] = A[v, u] = True
    return A


def edge_list(A: np.ndarray) -> list[tuple[int, int]]:
    return [(u, v) for u, v in pairs(len(A)) if A[u, v]]


def flipped(A: np.ndarray, u: int, v: int) -> np.ndarray:
    B = A.copy()
    B[u, v] = B[v, u] = not A[u, v]
    return B


# --- counts of copies at each vertex ---


def codegrees(A: np.ndarray) -> np.ndarray:
    a = A.astype(np.int64)
    return a @ a


def triangles(A: np.ndarray) -> np.ndarray:
    a = A.astype(np.int64)
    return np.diagonal(a @ a @ a) // 2


def cliques_within(A: np.ndarray, members: list[int], size: int) -> int:
    if size == 0:
        return 1
    return sum(cliques_within(A, [w for w in members[k + 1 :] if A[v, w]], size - 1) for k, v in enumerate(members))


def cliques(A: np.ndarray, size: int) -> np.ndarray:
    n = len(A)
    near = [[v for v in range(n) if A[s, v]] for s in range(n)]
    return np.array([cliques_within(A, near[s], size - 1) for s in range(n)], dtype=np.int64)


def stars(A: np.ndarray, k: int) -> np.ndarray:
    """k-stars at each vertex, as the centre or as a leaf."""
    d = A.sum(axis=1)
    out = np.zeros(len(A), dtype=np.int64)
    for s in range(len(A)):
        out[s] = comb(int(d[s]), k) + sum(comb(int(d[v]) - 1, k - 1) for v in np.flatnonzero(A[s]))
    if k == 1:
        out = d.astype(np.int64)
    return out


def four_cycles(A: np.ndarray) -> np.ndarray:
    c = codegrees(A)
    np.fill_diagonal(c, 0)
    return (c * (c - 1) // 2).sum(axis=1)


def codegree_without(A: np.ndarray, u: int, v: int) -> int:
    return int((A[u] & A[v]).sum())


# --- worlds ---


def world(n: int) -> np.ndarray:
    """bool[2^binom(n, 2), n, n]: every graph on n vertices; bit b of the index is the pair pairs(n)[b]."""
    P = pairs(n)
    index = np.arange(1 << len(P))
    A = np.zeros((len(index), n, n), dtype=bool)
    for b, (u, v) in enumerate(P):
        A[:, u, v] = A[:, v, u] = (index >> b) & 1
    return A


def flip_distances(scores: np.ndarray) -> np.ndarray:
    """int16[2^b, m]: the fewest changed bits until candidate r is on top, for scores int[2^b, m].

    The distance transform of a hypercube separates: one pass for each bit, in any order.
    """
    size = len(scores)
    bits = size.bit_length() - 1
    d = np.where(scores == scores.max(axis=1, keepdims=True), 0, 1 << 10).astype(np.int16)
    for b in range(bits):
        view = d.reshape(size >> (b + 1), 2, 1 << b, -1)
        low = np.minimum(view[:, 0], view[:, 1] + 1)
        high = np.minimum(view[:, 1], view[:, 0] + 1)
        view[:, 0], view[:, 1] = low, high
    return d


def classes(n: int) -> list[tuple[np.ndarray, int]]:
    """One graph of each isomorphism class on n ≤ 7 vertices, with the number of labelled graphs in it."""
    import networkx as nx

    moves = np.array(list(permutations(range(n))))
    out = []
    for g in nx.graph_atlas_g():
        if g.number_of_nodes() != n:
            continue
        A = matrix(n, g.edges())
        same = A[moves[:, :, None], moves[:, None, :]] == A
        out.append((A, factorial(n) // int(same.all(axis=(1, 2)).sum())))
    return out


def code(A: np.ndarray) -> int:
    """The index of A in `world`."""
    return sum(1 << b for b, (u, v) in enumerate(pairs(len(A))) if A[u, v])


# --- shapes where wrong certificates break ---


def book(n: int, pages: int, clique: int, rng: np.random.Generator | None = None) -> np.ndarray:
    """Two non-adjacent vertices with `pages` common neighbours, a clique, the rest isolated."""
    A = np.zeros((n, n), dtype=bool)
    A[0, 2 : 2 + pages] = A[1, 2 : 2 + pages] = True
    end = min(n, 2 + pages + clique)
    A[2 + pages : end, 2 + pages : end] = True
    A |= A.T
    np.fill_diagonal(A, False)
    if rng is not None:
        p = rng.permutation(n)
        A = A[p][:, p]
    return A


def random_graph(n: int, rng: np.random.Generator) -> np.ndarray:
    """Sparse, dense, books, stars, cliques and unions of them, with a little noise."""
    kind = rng.integers(6)
    A = np.zeros((n, n), dtype=bool)
    if kind <= 1:
        A = np.triu(rng.random((n, n)) < rng.choice([0.1, 0.25, 0.4, 0.6, 0.85]), 1)
    elif kind == 2:
        clique = int(rng.integers(3, 8))
        pages = int(rng.integers(2, max(3, n - 2 - clique)))
        A = np.triu(book(n, min(pages, n - 2), clique), 1)
    elif kind == 3:  # stars
        for _ in range(int(rng.integers(1, 4))):
            c = rng.integers(n)
            A[c, rng.random(n) < 0.6] = True
    elif kind == 4:  # cliques, perhaps overlapping
        for _ in range(int(rng.integers(1, 4))):
            members = rng.permutation(n)[: int(rng.integers(3, max(4, 2 * n // 3)))]
            A[np.ix_(members, members)] = True
    else:  # a vertex joined to everything, sparse rest
        A = np.triu(rng.random((n, n)) < 0.2, 1)
        A[0] = True
    A = A | A.T
    noise = np.triu(rng.random((n, n)) < rng.choice([0.0, 0.02, 0.08]), 1)
    A = A ^ (noise | noise.T)
    np.fill_diagonal(A, False)
    return A


def clique_graph(n: int, rng: np.random.Generator) -> np.ndarray:
    """n ≥ 7 vertices and many large cliques: dense graphs, overlapping cliques, books of cliques, complete parts."""
    kind = rng.integers(4)
    A = np.zeros((n, n), dtype=bool)
    if kind == 0:
        A = rng.random((n, n)) < rng.choice([0.6, 0.75, 0.9, 0.95])
    elif kind == 1:
        for _ in range(int(rng.integers(1, 4))):
            members = rng.permutation(n)[: int(rng.integers(5, n + 1))]
            A[np.ix_(members, members)] = True
    elif kind == 2:  # vertices that are not adjacent, all joined to one clique
        members = rng.permutation(n)
        ends = int(rng.integers(2, n - 4))
        joined = members[: ends + int(rng.integers(4, n - ends + 1))]
        A[np.ix_(joined, joined[ends:])] = True
        A |= A.T
    else:
        part = rng.integers(0, int(rng.integers(5, 9)), n)
        A = part[:, None] != part[None, :]
    A = np.triu(A, 1) | np.triu(A.T, 1)
    noise = np.triu(rng.random((n, n)) < rng.choice([0.0, 0.03, 0.1]), 1)
    A = A ^ noise
    return A | A.T


# --- certificates, straight from the formulas ---


def net_form(q, raises, total, single, limit):
    """min{i + j < K : q_r + R_r(i) ≥ (pre_N − W^N(i, j))/N for all N and ≥ q_s − L_s(i, j) for all s}.

    raises(r, i), total(N, i, j), single(s, i, j) or None. Plain Python integers, every pair, every size.
    """
    n = len(q)
    falling = sorted((int(v) for v in q), reverse=True)
    prefix = np.concatenate(([0], np.cumsum(falling)))
    best = np.full(n, limit, dtype=np.int64)
    for i in range(limit):
        have = [int(q[r]) + raises(r, i) for r in range(n)]
        for j in range(limit - i):
            for r in range(n):
                if best[r] <= i + j:
                    continue
                ok = all(int(prefix[N]) - N * have[r] <= total(N, i, j) for N in range(1, n + 1))
                if ok and single is not None:
                    ok = all(int(q[s]) - have[r] <= single(s, i, j) for s in range(n))
                if ok:
                    best[r] = i + j
    return best


def triangle_form(A: np.ndarray, limit: int, D_over: str = "all") -> np.ndarray:
    """Section 2 of the specification. D_over: "all", or the wrong "edges" and "non-edges"."""
    n = len(A)
    c = codegrees(A)
    np.fill_diagonal(c, 0)
    cap = max(n - 2, 0)
    off = ~np.eye(n, dtype=bool)
    chosen = {"all": off, "edges": A, "non-edges": off & ~A}[D_over]
    D = int(c[chosen].max(initial=0))
    q = triangles(A)
    R = np.zeros((n, limit), dtype=np.int64)
    F = np.zeros((n, limit), dtype=np.int64)
    for r in range(n):
        far = [int(c[r, v]) for v in range(n) if v != r and not A[r, v]]
        others = sorted(far, reverse=True) + [0] * limit
        edges = sorted((int(c[r, v]) for v in range(n) if A[r, v]), reverse=True) + [0] * limit
        for i in range(1, limit):
            R[r, i] = R[r, i - 1] + min(max(1, others[i - 1] + i - 1), cap)
            F[r, i] = F[r, i - 1] + max(edges[i - 1], i - 1)
    existing = [int(c[u, v]) for u, v in edge_list(A)]
    u = {
        i: sorted([min(e + i, cap) for e in existing] + [min(D + i - 1, cap)] * i, reverse=True) + [0] * limit
        for i in range(limit)
    }

    def total(N, i, j):
        return sum(e if N == 1 else 2 * e + min(N - 2, e) for e in u[i][:j])

    return net_form(q, lambda r, i: int(R[r, i]), total, lambda s, i, j: 0 if j == 0 else i + int(F[s, j]), limit)


def simplest_triangle_form(A: np.ndarray, limit: int, D_over: str = "all", every_size: bool = True):
    """Theory 6b: R_r(i) = Σ_{k<i} min(max(1, M_r + k), n − 2), W^N = j·c_N(D + i), positive parts.

    every_size=False: only N = 1, 2 and all, with D, 2D and 3D.
    """
    n = len(A)
    c = codegrees(A)
    np.fill_diagonal(c, 0)
    D = int((c[A] if D_over == "edges" else c).max(initial=0))
    q = triangles(A)
    falling = sorted((int(v) for v in q), reverse=True)
    best = np.full(n, limit, dtype=np.int64)
    for r in range(n):
        M = int(c[r].max(initial=0))
        for i in range(limit):
            R = sum(min(max(1, M + k), max(n - 2, 0)) for k in range(i))
            for j in range(limit - i):
                if i + j >= best[r]:
                    break
                gain = 0
                ok = True
                for N in range(1, n + 1):
                    gain += max(0, falling[N - 1] - int(q[r]) - R)
                    e = D + i
                    if every_size:
                        ok = ok and gain <= j * (e if N == 1 else 2 * e + min(N - 2, e))
                    elif N in (1, 2, n):
                        ok = ok and gain <= j * min(N, 3) * e
                if ok:
                    best[r] = i + j
    return best


def pair_cliques(A: np.ndarray, size: int) -> np.ndarray:
    """int64[n, n]: the (size − 2)-cliques in the common neighbourhood of each pair."""
    n = len(A)
    c = np.zeros((n, n), dtype=np.int64)
    for u, v in pairs(n):
        c[u, v] = c[v, u] = cliques_within(A, [w for w in range(n) if A[u, w] and A[v, w]], size - 2)
    return c


def largest_common(A: np.ndarray, vertices: int, size: int) -> int:
    """M_s(i): the most cliques of `size` in the common neighbourhood of a set of `vertices`."""
    common = (np.flatnonzero(A[list(T)].all(axis=0)).tolist() for T in combinations(range(len(A)), vertices))
    return max((cliques_within(A, members, size) for members in common), default=0)


def larger_sets(A: np.ndarray, size: int, limit: int) -> tuple[list[int], list[int]]:
    """What t additions can make of the cliques common to three and to four vertices, one size after the other."""
    M = {s: largest_common(A, s, size - s) for s in range(3, size)}
    steps = range(limit)
    if size == 4:
        return [M[3] + t for t in steps], [1 << 60] * limit
    if size == 5:
        four = [M[4] + t for t in steps]
        return [M[3] + sum(max(1, x) for x in four[:t]) for t in steps], four
    five = [M[5] + t for t in steps]
    four = [M[4] + sum(max(1, x) for x in five[:t]) for t in steps]
    return [M[3] + sum(max(1, x, y) for x, y in zip(four[:t], five[:t], strict=True)) for t in steps], four


def clique_form(A: np.ndarray, size: int, limit: int, only_c: bool = False, sharp: bool = True) -> np.ndarray:
    """Section 3. sharp: growth bounded by what three and four vertices have in common, too.

    only_c: the wrong form that puts binom(co-degree, size − 2) for c in the sorted raise.
    """
    n = len(A)
    a = codegrees(A)
    np.fill_diagonal(a, 0)
    c = pair_cliques(A, size)
    q = cliques(A, size)

    def choose(x: int, k: int) -> int:
        return comb(x, k) if k >= 0 else 0

    E, F = larger_sets(A, size, limit) if sharp else ([1 << 60] * limit, [1 << 60] * limit)

    def h(M: int, t: int) -> int:
        return max(1, min(E[t], choose(M, size - 3)), min(F[t], choose(M, size - 4)))

    D = int(a.max(initial=0))
    top = max(n - 2, 0)
    share = [h(min(D + t, top), t) for t in range(limit)]
    G = [sum(share[:i]) for i in range(limit)]
    C = int(c.max(initial=0))
    existing = [int(c[u, v]) for u, v in edge_list(A)]
    cap = comb(top, size - 2)
    u = {
        i: sorted([min(e + G[i], cap) for e in existing] + [min(max(C + G[i] - share[0], 0), cap)] * i, reverse=True)
        + [0] * limit
        for i in range(limit)
    }
    R = np.zeros((n, limit), dtype=np.int64)
    L = np.zeros((n, limit, limit), dtype=np.int64)
    for r in range(n):
        M = int(a[r].max(initial=0))
        far = [v for v in range(n) if v != r and not A[r, v]]
        term = [choose(int(a[r, v]), size - 2) if only_c else int(c[r, v]) for v in far]
        term = sorted(term, reverse=True) + [0] * limit
        at = sorted((int(c[r, v]) for v in range(n) if A[r, v]), reverse=True) + [0] * limit
        for i in range(limit):
            B = sum(h(M + t, t) for t in range(i))
            if i + 1 < limit:
                R[r, i + 1] = R[r, i] + max(h(M + i, i), term[i]) + B
            for j in range(limit):
                L[r, i, j] = sum(at[:j]) + j * B

    def total(N, i, j):
        a, rest = size - 2, max(N - 2, 0)
        return sum(min(N, 2) * e + min(a * e, rest * e, rest * share[i]) for e in u[i][:j])

    return net_form(q, lambda r, i: int(R[r, i]), total, lambda s, i, j: int(L[s, i, j]), limit)


def star_form(A: np.ndarray, k: int, limit: int, sharp: bool = True) -> np.ndarray:
    """Section 4, k-stars; for k = 2 the sorted raise. sharp: degrees capped, and what one third vertex can lose."""
    n = len(A)
    d = [int(v) for v in A.sum(axis=1)]
    top = max(d)
    q = stars(A, k)
    cap = max(n - 2, 0)

    def choose(x: int, j: int) -> int:
        return comb(x, j) if x >= 0 else 0

    def low(x: int) -> int:
        return min(x, cap) if sharp else x

    u = {}
    for i in range(limit):
        old = [choose(low(d[a] - 1 + i), k - 1) + choose(low(d[b] - 1 + i), k - 1) for a, b in edge_list(A)]
        u[i] = sorted(old + [2 * choose(low(top + i - 1), k - 1)] * i, reverse=True) + [0] * limit
    share = [max(1, 2 * choose(min(top + i, cap + 1) - 2, k - 2)) for i in range(limit)]

    def raises(r: int, i: int) -> int:
        if k == 2:
            far = sorted((d[v] for v in range(n) if v != r and not A[r, v]), reverse=True) + [0] * limit
            return sum(max(2, low(d[r] + t) + far[t]) for t in range(i))
        return sum(
            max(
                choose(low(d[r] + t), k - 1) + choose(low(top + t), k - 1),
                2 * choose(low(top + t) - 1, k - 2),
            )
            for t in range(i)
        )

    def total(N, i, j):
        if not sharp:
            return min(N, k + 1) * sum(u[i][:j])
        rest = max(N - 2, 0)
        return sum(min(N, 2) * c + min((k - 1) * c, rest * c, rest * share[i]) for c in u[i][:j])

    R = [[raises(r, i) for i in range(limit)] for r in range(n)]
    return net_form(q, lambda r, i: R[r][i], total, None, limit)


def four_cycles_at_pairs(A: np.ndarray) -> np.ndarray:
    """int64[n, n]: the paths u–a–b–v on four different vertices."""
    n = len(A)
    out = np.zeros((n, n), dtype=np.int64)
    for u, v in pairs(n):
        for a in range(n):
            for b in range(n):
                if len({u, v, a, b}) == 4 and A[u, a] and A[a, b] and A[b, v]:
                    out[u, v] += 1
        out[v, u] = out[u, v]
    return out


def four_cycle_form(A: np.ndarray, limit: int, sharp: bool = True) -> np.ndarray:
    """Section 4, 4-cycles.

    sharp: the sorted raise, counts of single pairs for i ≥ 1 too, and what one third vertex can lose.
    """
    n = len(A)
    d = [int(v) for v in A.sum(axis=1)]
    top = max(d)
    a = codegrees(A)
    np.fill_diagonal(a, 0)
    D = int(a.max(initial=0))
    c = four_cycles_at_pairs(A)
    q = four_cycles(A)
    exact = sorted((int(c[u, v]) for u, v in edge_list(A)), reverse=True)
    u = {0: exact + [0] * limit}
    for i in range(1, limit):
        most = max(top + i - 1, 0) * max(D + i - 1, 0)
        G = sum(max(2, D + t) for t in range(i))
        new = max(0, int(c.max(initial=0)) + G - max(2, D))
        u[i] = sorted([min(e, most) for e in [*(e + G for e in exact), *[new] * i]], reverse=True) + [0] * limit

    def total(N, i, j):
        if not sharp:
            return min(N, 4) * sum(exact[:j] if i == 0 else [(top + i) * (D + i)] * j)
        rest = max(N - 2, 0)
        share = max(1, 2 * (D + i - 1))
        return sum(min(N, 2) * e + min(2 * e, rest * e, rest * share) for e in u[i][:j])

    R = []
    for r in range(n):
        M = int(a[r].max())
        far = sorted((int(c[r, v]) for v in range(n) if v != r and not A[r, v]), reverse=True) + [0] * limit
        h = [max(2, D + t, 2 * (M + t)) for t in range(limit)]
        simple = [sum(max(1, (d[r] + t) * (D + t), 2 * (M + t)) for t in range(i)) for i in range(limit)]
        ordered = [sum(max(h[t], far[t]) + sum(h[:t]) for t in range(i)) for i in range(limit)]
        R.append([min(pair) for pair in zip(simple, ordered, strict=True)] if sharp else simple)
    return net_form(q, lambda r, i: R[r][i], total, None, limit)
