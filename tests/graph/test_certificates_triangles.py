"""triangle_flip_distance against the truth: small worlds, the plain formula, shapes that break wrong forms."""

from __future__ import annotations

import certificate_oracle as oracle
import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.problems.graph.certificates import grouped, triangle_flip_distance
from dpselect.problems.graph.graph import Graph


def certificate(A: np.ndarray, limit: int = 16) -> np.ndarray:
    u, v = np.nonzero(np.triu(A))
    graph = Graph(range(len(A)), u.astype(np.int32), v.astype(np.int32))
    return triangle_flip_distance(graph, oracle.triangles(A), limit)


def all_triangles(A: np.ndarray) -> np.ndarray:
    a = A.astype(np.int32)
    return np.einsum("gij,gjk,gki->gi", a, a, a, optimize=True) // 2


def changes(phi: np.ndarray) -> int:
    """The largest change across any edge of a whole world int[2^b, m]."""
    size = len(phi)
    worst = 0
    for b in range(size.bit_length() - 1):
        view = phi.reshape(size >> (b + 1), 2, 1 << b, -1)
        worst = max(worst, int(np.abs(view[:, 0] - view[:, 1]).max()))
    return worst


@pytest.mark.parametrize(
    ("n", "mean", "true_mean"),
    [(5, 0.3320, 0.3320), pytest.param(6, 0.6074, 0.6372, marks=pytest.mark.slow)],
)
def test_every_graph_of_a_small_world(n, mean, true_mean):
    A = oracle.world(n)
    q = all_triangles(A)
    truth = oracle.flip_distances(q)
    phi = np.array([certificate(B) for B in A])
    assert changes(phi) <= 1
    assert ((phi == 0) == (q == q.max(axis=1, keepdims=True))).all()
    assert (phi <= truth).all()
    assert phi.mean() == pytest.approx(mean, abs=5e-5)
    assert truth.mean() == pytest.approx(true_mean, abs=5e-5)


@pytest.mark.parametrize(
    ("n", "mean", "true_mean"),
    [(6, 0.6074, 0.6372), pytest.param(7, 0.8799, 0.9927, marks=pytest.mark.slow)],
)
def test_every_graph_up_to_isomorphism(n, mean, true_mean):
    """Every edge of the world looks like one at the representative of a class, so these are all of them."""
    world = oracle.world(n)
    truth = oracle.flip_distances(all_triangles(world))
    del world
    total = weight = 0
    for A, labellings in oracle.classes(n):
        phi = certificate(A, 24)
        q = oracle.triangles(A)
        assert ((phi == 0) == (q == q.max())).all()
        assert (phi <= truth[oracle.code(A)]).all()
        for u, v in oracle.pairs(n):
            assert np.abs(certificate(oracle.flipped(A, u, v), 24) - phi).max() <= 1
        total += labellings * phi.mean()
        weight += labellings
    assert weight == 2 ** len(oracle.pairs(n))
    assert total / weight == pytest.approx(mean, abs=5e-5)
    assert truth.mean() == pytest.approx(true_mean, abs=5e-5)


def test_simplest_form_is_smaller():
    """Theory 6b on six vertices: 0.597 with N = 1, 2 and all, 0.601 with every N, against 0.607."""
    mean = np.zeros(3)
    for A, labellings in oracle.classes(6):
        simple = oracle.simplest_triangle_form(A, 16, every_size=False)
        every = oracle.simplest_triangle_form(A, 16)
        assert (simple <= every).all()
        mean += labellings / 2**15 * np.array([simple.mean(), every.mean(), certificate(A).mean()])
    assert mean == pytest.approx([0.5970, 0.6010, 0.6074], abs=5e-5)


def check_flips(draws: int, sizes: tuple[int, int], flips: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        n = int(rng.integers(*sizes))
        A = oracle.random_graph(n, rng)
        phi = certificate(A, 40)
        q = oracle.triangles(A)
        assert ((phi == 0) == (q == q.max())).all()
        chosen = rng.permutation(len(oracle.pairs(n)))[:flips]
        for b in chosen:
            u, v = oracle.pairs(n)[b]
            other = certificate(oracle.flipped(A, u, v), 40)
            assert np.abs(other - phi).max() <= 1, (oracle.edge_list(A), u, v)


def test_random_flips():
    check_flips(400, (7, 23), 10, seed=1)


@pytest.mark.slow
def test_many_random_flips():
    check_flips(4000, (7, 23), 25, seed=2)


def test_equals_the_plain_formula():
    rng = np.random.default_rng(3)
    for _ in range(60):
        A = oracle.random_graph(int(rng.integers(2, 15)), rng)
        for limit in (14, 3):
            assert (certificate(A, limit) == oracle.triangle_form(A, limit)).all()


def test_labels_do_not_matter():
    rng = np.random.default_rng(4)
    for _ in range(50):
        A = oracle.random_graph(15, rng)
        p = rng.permutation(15)
        assert (certificate(A[p][:, p], 30) == certificate(A, 30)[p]).all()


BOOK = oracle.book(18, 10, 5)
"""Two non-adjacent vertices with 10 common neighbours, a 5-clique, an isolated vertex."""


def test_book_of_theory_6b():
    phi = certificate(BOOK, 40)
    for u, v in oracle.pairs(18):
        assert np.abs(certificate(oracle.flipped(BOOK, u, v), 40) - phi).max() <= 1


def test_simplest_form_with_edges_only_is_wrong():
    """Negative control: adding the edge between the two non-adjacent vertices changes φ by 2."""
    other = oracle.flipped(BOOK, 0, 1)
    form = oracle.simplest_triangle_form
    assert np.abs(form(BOOK, 12, "edges") - form(other, 12, "edges")).max() == 2
    assert np.abs(form(BOOK, 12) - form(other, 12)).max() <= 1


def test_sharp_form_with_edges_only_is_wrong():
    """The sharp form hides the same mistake on 18 vertices; 7 common neighbours and a 6-clique show it."""
    book = oracle.book(15, 7, 6)
    other = oracle.flipped(book, 0, 1)
    form = oracle.triangle_form
    assert np.abs(form(book, 12, "edges") - form(other, 12, "edges")).max() == 2
    assert np.abs(form(book, 12) - form(other, 12)).max() <= 1
    assert np.abs(certificate(book) - certificate(other)).max() <= 1


def test_sharp_form_with_non_edges_only_is_wrong():
    """Every co-degree here lives on edges: a vertex joined to all, its best partner's edge is removed."""
    pairs = [(0, v) for v in range(1, 9)] + [(1, v) for v in (2, 4, 5, 6, 7, 8)] + [(2, 4), (2, 7), (4, 6), (7, 8)]
    hub = oracle.matrix(9, pairs)
    other = oracle.flipped(hub, 0, 1)
    form = oracle.triangle_form
    assert np.abs(form(hub, 12, "non-edges") - form(other, 12, "non-edges")).max() == 2
    assert np.abs(form(hub, 12) - form(other, 12)).max() <= 1


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_no_edges(n):
    assert certificate(np.zeros((n, n), dtype=bool)).tolist() == [0] * n


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_truncation_at_a_public_limit(limit):
    rng = np.random.default_rng(5)
    for _ in range(20):
        A = oracle.random_graph(14, rng)
        assert (certificate(A, limit) == np.minimum(certificate(A, 40), limit)).all()


def test_groups_of_edges():
    """⌈φ/k⌉ changes by at most 1 when any k ≤ 3 edges change, and is at most the true distance in groups."""
    A = oracle.world(5)
    q = all_triangles(A)
    phi = np.array([certificate(B) for B in A])
    for k in (1, 2, 3):
        groups = grouped(phi, k)
        assert ((groups == 0) == (phi == 0)).all()
        assert (groups <= -(-oracle.flip_distances(q) // k)).all()
        for mask in range(1, 1 << 10):
            if mask.bit_count() <= k:
                assert np.abs(groups - groups[np.arange(1 << 10) ^ mask]).max() <= 1
    assert changes(phi) == 1


def test_errors_name_the_argument_and_no_score():
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    q = np.array([1, 1, 1])
    with pytest.raises(InvalidParameter, match="limit"):
        triangle_flip_distance(graph, q, 0)
    with pytest.raises(InvalidParameter, match="scores"):
        triangle_flip_distance(graph, q[:2])
    with pytest.raises(InvalidParameter, match="scores"):
        triangle_flip_distance(graph, q.astype(float))
    with pytest.raises(InvalidParameter, match="k"):
        grouped(q, 0)
