"""clique_flip_distance against the truth: small worlds, the plain formula, random flips, a wrong variant."""

from __future__ import annotations

import certificate_oracle as oracle
import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.problems.graph.certificates import clique_flip_distance
from dpselect.problems.graph.graph import Graph


def certificate(A: np.ndarray, size: int, limit: int = 16) -> np.ndarray:
    u, v = np.nonzero(np.triu(A))
    graph = Graph(range(len(A)), u.astype(np.int32), v.astype(np.int32))
    return clique_flip_distance(graph, oracle.cliques(A, size), size, limit)


def all_cliques(A: np.ndarray, size: int) -> np.ndarray:
    """int[2^b, n] for a whole world, subset by subset."""
    from itertools import combinations

    n = A.shape[1]
    out = np.zeros(A.shape[:2], dtype=np.int16)
    for members in combinations(range(n), size):
        inside = np.ones(len(A), dtype=bool)
        for u, v in combinations(members, 2):
            inside &= A[:, u, v]
        out[:, members] += inside[:, None]
    return out


@pytest.mark.parametrize(
    ("n", "size", "mean", "true_mean"),
    [
        (5, 4, None, None),
        (5, 5, None, None),
        (6, 4, 0.0616, 0.0616),
        (6, 5, None, None),
        pytest.param(7, 4, 0.1526, 0.1533, marks=pytest.mark.slow),
        pytest.param(7, 5, None, None, marks=pytest.mark.slow),
    ],
)
def test_every_graph_up_to_isomorphism(n, size, mean, true_mean):
    world = oracle.world(n)
    truth = oracle.flip_distances(all_cliques(world, size))
    del world
    total = weight = 0
    for A, labellings in oracle.classes(n):
        phi = certificate(A, size, 24)
        q = oracle.cliques(A, size)
        assert ((phi == 0) == (q == q.max())).all()
        assert (phi <= truth[oracle.code(A)]).all()
        for u, v in oracle.pairs(n):
            assert np.abs(certificate(oracle.flipped(A, u, v), size, 24) - phi).max() <= 1
        total += labellings * phi.mean()
        weight += labellings
    assert weight == 2 ** len(oracle.pairs(n))
    if mean is not None:
        assert total / weight == pytest.approx(mean, abs=5e-5)
        assert truth.mean() == pytest.approx(true_mean, abs=5e-5)


def check_flips(size: int, draws: int, sizes: tuple[int, int], flips: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        n = int(rng.integers(*sizes))
        A = oracle.random_graph(n, rng)
        phi = certificate(A, size, 30)
        q = oracle.cliques(A, size)
        assert ((phi == 0) == (q == q.max())).all()
        for b in rng.permutation(len(oracle.pairs(n)))[:flips]:
            u, v = oracle.pairs(n)[b]
            other = certificate(oracle.flipped(A, u, v), size, 30)
            assert np.abs(other - phi).max() <= 1, (oracle.edge_list(A), u, v)


@pytest.mark.parametrize("size", [4, 5])
def test_random_flips(size):
    check_flips(size, 150, (7, 15), 5, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("size", [4, 5])
def test_many_random_flips(size):
    check_flips(size, 600, (7, 17), 15, seed=2)


@pytest.mark.parametrize("size", [4, 5])
def test_equals_the_plain_formula(size):
    rng = np.random.default_rng(3)
    for _ in range(60):
        A = oracle.random_graph(int(rng.integers(2, 13)), rng)
        for limit in (12, 3):
            ours = certificate(A, size, limit)
            assert (ours == oracle.clique_form(A, size, limit)).all()
            assert (ours >= oracle.clique_form(A, size, limit, sharp=False)).all()


def test_errors():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(InvalidParameter, match="size"):
        clique_flip_distance(graph, np.zeros(3, dtype=np.int64), 6)
    with pytest.raises(InvalidParameter, match="scores"):
        clique_flip_distance(graph, np.zeros(2, dtype=np.int64), 4)


def test_codegrees_for_counts_in_the_sorted_raise_are_wrong():
    """Negative control: r and v adjacent, ten common neighbours without an edge between them, and an 8-clique.

    Removing rv costs r nothing, and then rv would seem to be worth binom(10, 2).
    """
    apart = oracle.book(20, 10, 8)
    together = oracle.flipped(apart, 0, 1)
    wrong = [oracle.clique_form(A, 4, 8, only_c=True) for A in (apart, together)]
    right = [oracle.clique_form(A, 4, 8) for A in (apart, together)]
    assert np.abs(wrong[0] - wrong[1]).max() >= 2
    assert np.abs(right[0] - right[1]).max() <= 1
