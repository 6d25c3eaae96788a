"""clique_flip_distance against the truth: small worlds, the plain formula, random flips, a wrong variant."""

from __future__ import annotations

import certificate_oracle as oracle
import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.problems.graph.certificates import clique_flip_distance
from dpselect.problems.graph.certificates import cliques as module
from dpselect.problems.graph.graph import Graph


def graph_of(A: np.ndarray) -> Graph:
    u, v = np.nonzero(np.triu(A))
    return Graph(range(len(A)), u.astype(np.int32), v.astype(np.int32))


def certificate(A: np.ndarray, size: int, limit: int = 16) -> np.ndarray:
    return clique_flip_distance(graph_of(A), oracle.cliques(A, size), size, limit)


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
        (6, 6, None, None),
        pytest.param(7, 4, 0.1526, 0.1533, marks=pytest.mark.slow),
        pytest.param(7, 5, None, None, marks=pytest.mark.slow),
        pytest.param(7, 6, None, None, marks=pytest.mark.slow),
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


DRAWS = {4: oracle.random_graph, 5: oracle.random_graph, 6: oracle.clique_graph}


def check_flips(size: int, draws: int, sizes: tuple[int, int], flips: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        n = int(rng.integers(*sizes))
        A = DRAWS[size](n, rng)
        phi = certificate(A, size, 30)
        q = oracle.cliques(A, size)
        assert ((phi == 0) == (q == q.max())).all()
        for b in rng.permutation(len(oracle.pairs(n)))[:flips]:
            u, v = oracle.pairs(n)[b]
            other = certificate(oracle.flipped(A, u, v), size, 30)
            assert np.abs(other - phi).max() <= 1, (oracle.edge_list(A), u, v)


@pytest.mark.parametrize("size", [4, 5, 6])
def test_random_flips(size):
    check_flips(size, 150, (7, 15), 5, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("size", [4, 5, 6])
def test_many_random_flips(size):
    check_flips(size, 600, (7, 17), 15, seed=2)


@pytest.mark.parametrize(("size", "draws", "sizes"), [(4, 60, (2, 13)), (5, 60, (2, 13)), (6, 40, (7, 12))])
def test_equals_the_plain_formula(size, draws, sizes):
    rng = np.random.default_rng(3)
    for _ in range(draws):
        A = DRAWS[size](int(rng.integers(*sizes)), rng)
        for limit in (12, 3):
            ours = certificate(A, size, limit)
            assert (ours == oracle.clique_form(A, size, limit)).all()
            assert (ours >= oracle.clique_form(A, size, limit, sharp=False)).all()


@pytest.mark.parametrize("size", [4, 5, 6])
def test_larger_sets_bound_what_additions_make(size):
    """E_t and F_t against the graph after t additions, and theirs there against the next ones here."""
    rng = np.random.default_rng(4)
    for _ in range(25):
        A = oracle.clique_graph(int(rng.integers(7, 11)), rng)
        here = np.array(module._larger_sets(graph_of(A), size, 8))
        assert (here[:, 0] == [oracle.largest_common(A, 3, size - 3), oracle.largest_common(A, 4, size - 4)]).all()
        absent = [(u, v) for u, v in oracle.pairs(len(A)) if not A[u, v]]
        for t, b in enumerate(rng.permutation(len(absent))[:5]):
            A = oracle.flipped(A, *absent[b])
            assert oracle.largest_common(A, 3, size - 3) <= here[0, t + 1]
            assert oracle.largest_common(A, 4, size - 4) <= here[1, t + 1]
            if t == 0:
                there = np.array(module._larger_sets(graph_of(A), size, 8))
                assert (there[:, :-1] <= here[:, 1:]).all()


def test_errors():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(InvalidParameter, match="size"):
        clique_flip_distance(graph, np.zeros(3, dtype=np.int64), 7)
    for scores in (np.zeros(2, dtype=np.int64), np.array([0, 0, (1 << 60) + 1]), np.array([0, -1, 0]), [1 << 70] * 3):
        with pytest.raises(InvalidParameter, match="scores"):
            clique_flip_distance(graph, np.array(scores), 4)


@pytest.mark.parametrize(("size", "pages", "clique"), [(4, 10, 8), (6, 10, 10)])
def test_codegrees_for_counts_in_the_sorted_raise_are_wrong(size, pages, clique):
    """Negative control: r and v adjacent, ten common neighbours without an edge between them, and a clique.

    Removing rv costs r nothing, and then rv would seem to be worth binom(10, ℓ − 2).
    """
    apart = oracle.book(2 + pages + clique, pages, clique)
    together = oracle.flipped(apart, 0, 1)
    wrong = [oracle.clique_form(A, size, 8, only_c=True) for A in (apart, together)]
    right = [oracle.clique_form(A, size, 8) for A in (apart, together)]
    assert np.abs(wrong[0] - wrong[1]).max() >= 2
    assert np.abs(right[0] - right[1]).max() <= 1


def test_growth_that_stands_still_is_wrong(monkeypatch):
    """Negative control, ℓ = 6: E and F stay what they are at first.

    40 cliques share a vertex. Elsewhere three vertices have a, b and 40 more in common, which a and b are joined to:
    the edge ab makes 40 triangles common to the three at once. A vertex with these 40 as neighbours would seem to gain
    at most six cliques by an edge without ab, and 40 with it.
    """
    n = 1 + 5 * 40 + 5 + 40 + 1
    apart = np.zeros((n, n), dtype=bool)
    for first in range(1, 201, 5):
        members = [0, *range(first, first + 5)]
        apart[np.ix_(members, members)] = True
    ends, common, far = list(range(201, 206)), list(range(206, 246)), 246
    apart[np.ix_(ends[:3], ends[3:])] = True
    apart[np.ix_([*ends, far], common)] = True
    apart |= apart.T
    np.fill_diagonal(apart, False)
    together = oracle.flipped(apart, *ends[3:])

    right = [certificate(A, 6) for A in (apart, together)]
    assert np.abs(right[0] - right[1]).max() <= 1
    growing = module._larger_sets
    monkeypatch.setattr(
        module, "_larger_sets", lambda *given: tuple(np.full_like(bound, bound[0]) for bound in growing(*given))
    )
    wrong = [certificate(A, 6) for A in (apart, together)]
    assert np.abs(wrong[0] - wrong[1]).max() >= 2
