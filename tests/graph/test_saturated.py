"""Arithmetic that is cut off at 2^60, against Python's whole numbers; a graph whose binomials pass 64 bits."""

from __future__ import annotations

from itertools import combinations
from math import comb

import certificate_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.problems.graph.certificates import clique_flip_distance
from dpselect.problems.graph.certificates.cliques import _sums
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.clique_tables import clique_raises, growth
from dpselect.problems.graph.kernels.near_cliques import all_cliques, cliques_among
from dpselect.problems.graph.kernels.saturated import MOST, binomial, cut_binomials, plus, times
from dpselect.problems.graph.kernels.single_levels import portion

COUNTS = st.integers(0, MOST)
CODEGREES = st.one_of(st.integers(0, 300), st.integers(0, 1 << 31), st.integers(72_500, 72_600))


def cut(x: int) -> int:
    return min(x, 1 << 60)


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_sums_and_products(a, b):
    assert plus(a, b) == cut(a + b)
    assert times(a, b) == cut(a * b)
    assert times(a % 200, b) == cut(a % 200 * b)


@pytest.mark.parametrize("k", range(-1, 6))
def test_binomials_up_to_the_largest_codegrees(k):
    largest = [0, 1, 2, 3, 4, 5, 70, 32_768, 1 << 20, (1 << 31) - 1, 1 << 32, 1 << 62]
    last = [10_672, 72_529, 1_905_390, 1_518_500_250]
    values = [*largest, *(x + d for x in last for d in (-1, 0, 1))]
    expected = [cut(comb(x, k)) if k >= 0 else 0 for x in values]
    assert [binomial(x, k) for x in values] == expected
    table = np.array(values, dtype=np.int64).reshape(4, 6)
    assert cut_binomials(table, k).tolist() == np.array(expected).reshape(4, 6).tolist()
    narrow = np.array([x for x in values if x < 1 << 31], dtype=np.int32)
    assert [binomial(x, k) for x in narrow] == [cut(comb(int(x), k)) if k >= 0 else 0 for x in narrow]


def test_products_that_wrap_around_would_be_seen():
    """Negative control: the same expressions in int64 fail these comparisons."""
    x = np.array([72_530, 3_000_000, 1 << 31], dtype=np.int64)
    with np.errstate(over="ignore"):
        wrapped = x * (x - 1) * (x - 2) * (x - 3) // 24
    assert (wrapped != cut_binomials(x, 4)).all()
    assert np.cumsum(np.full(12, MOST)).min() < 0 <= _sums(np.full(12, MOST)).min()


@settings(deadline=None)
@given(COUNTS, st.integers(1, 1 << 31), st.data())
def test_portions(q, whole, data):
    part = data.draw(st.integers(0, 7 * whole))
    assert portion(q, part, whole) == q * part // whole


@settings(deadline=None)
@given(st.lists(COUNTS, min_size=1, max_size=30))
def test_running_sums(steps):
    assert _sums(np.array(steps, dtype=np.int64)).tolist() == [cut(sum(steps[:t])) for t in range(len(steps))]


@settings(deadline=None)
@given(st.sampled_from([4, 5, 6]), CODEGREES, st.lists(COUNTS, min_size=6, max_size=6), COUNTS, COUNTS)
def test_raises(size, codegree, counts, three, four):
    """R(i) is cut off, not wrapped, for any co-degree and any counts."""
    limit = 7
    E, F = ([cut(x + t * t * (x // 7 + 1)) for t in range(limit)] for x in (three, four))
    h = [max(1, min(E[t], comb(codegree + t, size - 3)), min(F[t], comb(codegree + t, size - 4))) for t in range(limit)]
    falling = sorted(counts, reverse=True)
    exact = [sum(max(h[k], falling[k]) + sum(h[:k]) for k in range(i)) for i in range(limit)]
    triples, quadruples = np.array(E), np.array(F)
    assert [growth(codegree, t, size, triples, quadruples) for t in range(limit)] == h
    rows = np.array([[*falling, 0]])
    assert clique_raises(rows, np.array([codegree]), size, triples, quadruples)[0].tolist() == [cut(x) for x in exact]


def rows_of(A: np.ndarray) -> np.ndarray:
    rows = np.zeros((len(A), (len(A) + 63) // 64), dtype=np.uint64)
    for a, b in np.argwhere(A):
        rows[a, b // 64] |= np.uint64(1) << np.uint64(b % 64)
    return rows


@pytest.mark.parametrize(("n", "everywhere"), [(1, 0), (7, 0), (9, 3), (66, 0), (70, 5), (20, 20), (66, 66)])
def test_cliques_of_bit_rows(n, everywhere):
    rng = np.random.default_rng(n)
    A = np.triu(rng.random((n, n)) < 0.5, 1)
    chosen = rng.permutation(n)[:everywhere]
    A[chosen] = A[:, chosen] = True
    A = np.triu(A, 1) | np.triu(A.T, 1) if everywhere else A
    A |= A.T
    np.fill_diagonal(A, False)
    some = rng.random(n) < 0.7
    bits = np.zeros((n + 63) // 64, dtype=np.uint64)
    for a in np.flatnonzero(some):
        bits[a // 64] |= np.uint64(1) << np.uint64(a % 64)
    for size in range(1, 5):
        total = comb(n, size) if everywhere == n else oracle.cliques_within(A, list(range(n)), size)
        assert all_cliques(rows_of(A), size) == total
    for size in range(5 if n < 66 else 4):
        among = oracle.cliques_within(A, np.flatnonzero(some).tolist(), size)
        assert cliques_among(rows_of(A), bits, size) == among


def hubs(pages: int) -> Graph:
    """Two vertices with so many common neighbours, and 14 vertices that are all adjacent."""
    clique = np.array(list(combinations(range(2, 16), 2)))
    u = np.concatenate((np.repeat([0, 1], pages), clique[:, 0]))
    v = np.concatenate((np.tile(np.arange(16, 16 + pages), 2), clique[:, 1]))
    return Graph(range(16 + pages), u.astype(np.int32), v.astype(np.int32))


@pytest.mark.parametrize("size", [4, 5, 6])
def test_codegrees_whose_binomials_pass_64_bits(size):
    """As with 40 pages: the co-degree of the two hubs is far above what decides in both."""
    found = []
    for pages in (40, 75_000):
        graph = hubs(pages)
        scores = np.zeros(graph.n, dtype=np.int64)
        scores[2:16] = comb(13, size - 1)
        found.append(clique_flip_distance(graph, scores, size, 5))
    assert (found[0][:17] == found[1][:17]).all()
    assert (found[1][16:] == 5).all()
    assert size < 6 or found[1][0] == 4
