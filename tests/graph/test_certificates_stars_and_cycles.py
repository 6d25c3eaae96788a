"""Certificates of k-stars and 4-cycles against the truth: small worlds, the plain formula, random flips."""

from __future__ import annotations

import certificate_oracle as oracle
import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.problems.graph.certificates import four_cycle_flip_distance, star_flip_distance
from dpselect.problems.graph.graph import Graph

MOTIFS = ["2-star", "3-star", "4-star", "4-cycle"]


def scores(A: np.ndarray, motif: str) -> np.ndarray:
    return oracle.four_cycles(A) if motif == "4-cycle" else oracle.stars(A, int(motif[0]))


def form(A: np.ndarray, motif: str, limit: int, sharp: bool = True) -> np.ndarray:
    if motif == "4-cycle":
        return oracle.four_cycle_form(A, limit, sharp)
    return oracle.star_form(A, int(motif[0]), limit, sharp)


def certificate(A: np.ndarray, motif: str, limit: int = 16) -> np.ndarray:
    u, v = np.nonzero(np.triu(A))
    graph = Graph(range(len(A)), u.astype(np.int32), v.astype(np.int32))
    if motif == "4-cycle":
        return four_cycle_flip_distance(graph, scores(A, motif), limit)
    return star_flip_distance(graph, scores(A, motif), int(motif[0]), limit)


def whole_world(A: np.ndarray, motif: str) -> np.ndarray:
    return np.array([scores(B, motif) for B in A])


@pytest.mark.parametrize(
    ("motif", "spec", "ours", "true"),
    [
        ("2-star", 1.0298, 1.0360, 1.3079),
        ("3-star", 0.6536, 0.6568, 0.9038),
        ("4-star", None, None, None),
        ("4-cycle", 0.4070, 0.4124, 0.4724),
    ],
)
def test_every_graph_on_six_vertices(motif, spec, ours, true):
    """`spec`: the form of the specification without caps; ours is never below it."""
    truth = oracle.flip_distances(whole_world(oracle.world(6), motif))
    mean = np.zeros(2)
    for A, labellings in oracle.classes(6):
        phi = certificate(A, motif)
        plain = form(A, motif, 16, sharp=False)
        q = scores(A, motif)
        assert ((phi == 0) == (q == q.max())).all()
        assert (phi <= truth[oracle.code(A)]).all()
        assert (plain <= phi).all()
        for u, v in oracle.pairs(6):
            assert np.abs(certificate(oracle.flipped(A, u, v), motif) - phi).max() <= 1
        mean += labellings / 2**15 * np.array([plain.mean(), phi.mean()])
    if spec is not None:
        assert [*mean, truth.mean()] == pytest.approx([spec, ours, true], abs=5e-5)


def check_flips(motif: str, draws: int, sizes: tuple[int, int], flips: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        n = int(rng.integers(*sizes))
        A = oracle.random_graph(n, rng)
        phi = certificate(A, motif, 30)
        q = scores(A, motif)
        assert ((phi == 0) == (q == q.max())).all()
        for b in rng.permutation(len(oracle.pairs(n)))[:flips]:
            u, v = oracle.pairs(n)[b]
            other = certificate(oracle.flipped(A, u, v), motif, 30)
            assert np.abs(other - phi).max() <= 1, (oracle.edge_list(A), u, v)


@pytest.mark.parametrize("motif", MOTIFS)
def test_random_flips(motif):
    check_flips(motif, 150, (7, 15), 5, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("motif", MOTIFS)
def test_many_random_flips(motif):
    check_flips(motif, 600, (7, 20), 15, seed=2)


@pytest.mark.parametrize("motif", MOTIFS)
def test_equals_the_plain_formula(motif):
    rng = np.random.default_rng(3)
    for _ in range(40):
        A = oracle.random_graph(int(rng.integers(2, 13)), rng)
        for limit in (12, 3):
            assert (certificate(A, motif, limit) == form(A, motif, limit)).all()


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("motif", MOTIFS)
def test_no_edges(motif, n):
    assert certificate(np.zeros((n, n), dtype=bool), motif).tolist() == [0] * n


def test_counts_beyond_int64():
    """A star with 3,000 leaves has more 8-stars than int64 can hold; Python integers take over."""
    pairs = [(0, v) for v in range(1, 3001)] + [(3001, v) for v in range(3002, 3010)]
    graph = Graph.from_edges(pairs, vertices=range(3010))
    degrees = graph.degrees.tolist()
    from math import comb

    q = np.array([comb(d, 8) for d in degrees], dtype=object)
    for u, v in pairs:
        q[u] += comb(degrees[v] - 1, 7)
        q[v] += comb(degrees[u] - 1, 7)
    assert max(q) > 2**63
    phi = star_flip_distance(graph, q, 8, 12)
    assert phi[0] == 0
    assert (phi[1:] > 0).all()
    assert phi.max() == 12


def test_errors():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    q = np.array([1, 1, 1])
    with pytest.raises(InvalidParameter, match="k"):
        star_flip_distance(graph, q, 1)
    with pytest.raises(InvalidParameter, match="limit"):
        four_cycle_flip_distance(graph, q, 0)
    with pytest.raises(InvalidParameter, match="scores"):
        four_cycle_flip_distance(graph, q.astype(np.int32))
