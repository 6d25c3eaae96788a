"""Cliques per vertex: brute force, closed forms of large near-cliques, refusal at 2^60."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.cliques import cliques_per_vertex
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels import cliques
from dpselect.problems.graph.kernels.near_cliques import add_cliques
from dpselect.problems.graph.kernels.saturated import MOST

SIZES = pytest.mark.parametrize("size", [4, 5, 6])
Edges = set[tuple[int, int]]


def complete(vertices) -> Edges:
    return set(combinations(vertices, 2))


def counted(n: int, edges: Edges, size: int) -> list[int]:
    """The counts, of a graph whose vertices come in another order: ranks follow it among equal degrees."""
    new = np.random.default_rng(n).permutation(n)
    pairs = np.sort(new[np.array(list(edges), dtype=np.int64).reshape(-1, 2)], axis=1)
    u, v = pairs[np.lexsort(pairs.T[::-1])].astype(np.int32).T
    return cliques_per_vertex(Graph(range(n), u, v), size, 1)[new].tolist()


@SIZES
@settings(deadline=None, max_examples=60)
@given(n=st.integers(6, 11), missing=st.sets(st.tuples(st.integers(0, 10), st.integers(0, 10)), max_size=40))
def test_listed_one_by_one(size, n, missing):
    """From near-cliques, for which binomials stand in, to sparse graphs."""
    edges = complete(range(n)) - missing
    expected = [0] * n
    for members in combinations(range(n), size):
        if all(pair in edges for pair in combinations(members, 2)):
            for a in members:
                expected[a] += 1
    assert counted(n, edges, size) == expected


@SIZES
@pytest.mark.parametrize("n", [3, 6, 7, 64, 65, 239])
def test_complete_graphs_with_and_without_one_edge(size, n):
    assert counted(n, complete(range(n)), size) == [comb(n - 1, size - 1)] * n
    ends, others = comb(n - 2, size - 1), comb(n - 1, size - 1) - comb(n - 3, size - 3)
    found = counted(n, complete(range(n)) - {(0, 1)}, size)
    assert found == [ends] * 2 + [others] * (n - 2)
    assert n < size or found != [comb(n - 1, size - 1)] * n  # control: the edge matters


@SIZES
@pytest.mark.parametrize(("left", "both", "right"), [(60, 40, 70), (3, 100, 1), (90, 1, 90), (90, 2, 5), (5, 3, 4)])
def test_two_cliques_that_overlap(size, left, both, right):
    n = left + both + right
    edges = complete(range(left + both)) | complete(range(left, n))
    a, b = comb(left + both - 1, size - 1), comb(both + right - 1, size - 1)
    shared = a + b - comb(both - 1, size - 1)
    assert counted(n, edges, size) == [a] * left + [shared] * both + [b] * right
    assert both < size or shared != a + b  # control: what lies in both is counted once


@SIZES
@pytest.mark.parametrize(("parts", "width"), [(25, 2), (12, 3), (7, 9), (3, 30)])
def test_complete_multipartite_graphs(size, parts, width):
    """No vertex is adjacent to all others: the worst case."""
    n = parts * width
    edges = {(a, b) for a, b in complete(range(n)) if a // width != b // width}
    assert counted(n, edges, size) == [comb(parts - 1, size - 1) * width ** (size - 1)] * n


@SIZES
@pytest.mark.parametrize(("n", "outside"), [(130, 200), (66, 5), (20, 300)])
def test_a_clique_amid_noise(size, n, outside):
    """Vertices outside, not adjacent to each other: each makes a clique with its neighbours in the planted one."""
    rng = np.random.default_rng(n)
    edges = complete(range(n))
    expected = [comb(n - 1, size - 1)] * n + [0] * outside
    for u in range(n, n + outside):
        degree = int(rng.integers(0, n))
        expected[u] = comb(degree, size - 1)
        for a in rng.permutation(n)[:degree].tolist():
            edges.add((a, u))
            expected[a] += comb(degree - 1, size - 2)
    assert counted(n + outside, edges, size) == expected


@SIZES
@pytest.mark.parametrize("missing", [set(), {(0, 1)}, {(a, a + 1) for a in range(0, 20, 2)}])
def test_counts_that_reach_two_to_the_sixty_are_refused(size, missing):
    edges = complete(range(20)) - missing
    graph = Graph.from_edges(edges)
    near, expected = graph.adjacency, cliques_per_vertex(graph, size, 1)[graph.adjacency.order]
    for x in range(20):
        for room, fits in ((1, True), (0, False)):
            counts = np.zeros(20, dtype=np.int64)
            counts[x] = MOST - expected[x] - room
            place = np.full(20, -1, dtype=np.int32)
            assert fits == cliques.count_cliques(0, 20, near.start, near.split, near.neighbour, size, place, counts)
            assert counts[x] == MOST - room


@pytest.mark.parametrize(("n", "fits"), [(10_671, True), (10_672, True), (10_673, False), (10_700, False)])
def test_five_cliques_of_ten_thousand_vertices(n, fits):
    """K_n, and K_n without an edge, whose cliques are just below or above 2^60: cut off, not wrapped."""
    whole = np.full((n + 63) // 64, ~np.uint64(0))
    whole[-1] = np.uint64((1 << (n % 64 or 64)) - 1)
    rows = np.tile(whole, (n, 1))
    for a in range(n):
        rows[a, a // 64] ^= np.uint64(1) << np.uint64(a % 64)
    counts, total = added(rows, whole)
    assert total == min(comb(n, 5), MOST)
    assert (total < MOST) == fits
    assert (counts == comb(n - 1, 4)).all()
    rows[0, 0] ^= np.uint64(2)
    rows[1, 0] ^= np.uint64(1)
    counts, total = added(rows, whole)
    assert total == min(comb(n, 5) - comb(n - 2, 3), MOST)
    assert counts.tolist() == [comb(n - 2, 4)] * 2 + [comb(n - 1, 4) - comb(n - 3, 2)] * (n - 2)


def added(rows: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, int]:
    n, words = rows.shape
    sets = np.zeros((6, words), dtype=np.uint64)
    sets[5] = members
    counts = np.zeros(n, dtype=np.int64)
    order, spare = np.empty((6, n), dtype=np.int64), np.empty((3, n), dtype=np.int64)
    return counts, add_cliques(rows, sets, 5, order, spare, counts)


def test_a_refusal_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(cliques, "count_cliques", lambda *_: False)
    with pytest.raises(UnsupportedProblem, match=r"2\^60"):
        cliques_per_vertex(Graph.from_edges(complete(range(6))), 4)
