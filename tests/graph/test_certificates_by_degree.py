"""flip_distance_by_degree against the truth, the plain formula, and forms that leave out what it needs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import certificate_oracle as oracle
import numpy as np
import pytest

from dpselect.problems.graph.certificates import by_degree
from dpselect.problems.graph.certificates.by_degree import flip_distance_by_degree


def unchanged(degrees, scores):
    return degrees


def over_all_pairs(A, c):
    return c.max(initial=0)


def certificate(A, clique=3, limit=16, *, degrees=unchanged, codegree=over_all_pairs, kept=None):
    """φ of every vertex (or of those kept), computed from groups; `degrees` and `codegree` tamper with the input."""
    scores, c = oracle.cliques(A, clique), oracle.codegrees(A)
    np.fill_diagonal(c, 0)
    own = list(zip(scores.tolist(), degrees(A.sum(axis=1), scores).tolist(), strict=True))
    own = own if kept is None else [own[v] for v in kept]
    groups = sorted(Counter(own).items())
    q, d, many = np.array([(score, degree, count) for (score, degree), count in groups]).T
    found = flip_distance_by_degree(q, d, many, codegree=int(codegree(A, c)), clique=clique, n=len(A), limit=limit)
    place = {group: phi for (group, _), phi in zip(groups, found.tolist(), strict=True)}
    return np.array([place[group] for group in own])


def plain(A: np.ndarray, clique: int, limit: int) -> np.ndarray:
    """The formula of the module, one vertex and one set at a time."""

    def binom(c, k):
        return comb(c, k) if k >= 0 else 0

    n, d = len(A), A.sum(axis=1)
    c = oracle.codegrees(A)
    np.fill_diagonal(c, 0)
    D, top = int(c.max(initial=0)), max(n - 2, 0)

    def raises(r, i):
        m = [min(min(int(d[r]), D) + k, top) for k in range(i)]
        return sum(max(binom(v, clique - 2), binom(v, clique - 3)) for v in m)

    def total(N, i, j):
        most = min(D + i, top)
        one, third = binom(most, clique - 2), max(1, binom(max(most - 1, 0), clique - 3))
        rest = max(N - 2, 0)
        return j * (min(N, 2) * one + min((clique - 2) * one, rest * one, rest * third))

    return oracle.net_form(oracle.cliques(A, clique), raises, total, None, limit)


def all_cliques(n: int, clique: int) -> np.ndarray:
    """int64[2^binom(n, 2), n]: the cliques at every vertex of every graph of the world."""
    A = oracle.world(n)
    q = np.zeros(A.shape[:2], dtype=np.int64)
    for members in combinations(range(n), clique):
        q[:, members] += np.all([A[:, u, v] for u, v in combinations(members, 2)], axis=0)[:, None]
    return q


def largest_change(A, form=certificate):
    phi = form(A)
    return max(int(np.abs(form(oracle.flipped(A, u, v)) - phi).max()) for u, v in oracle.pairs(len(A)))


@pytest.mark.parametrize("clique", [2, 3, 4])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_every_graph_up_to_isomorphism(n, clique):
    """Every edge of the world looks like one at the representative of a class, so these are all of them."""
    q = all_cliques(n, clique)
    truth = oracle.flip_distances(q)
    for A, _ in oracle.classes(n):
        phi, scores = certificate(A, clique), q[oracle.code(A)]
        assert ((phi == 0) == (scores == scores.max())).all()
        assert (phi <= truth[oracle.code(A)]).all()
        assert largest_change(A, lambda B: certificate(B, clique)) <= 1


def test_how_much_is_given_away():
    """Mean φ on six vertices: by degree, with the co-degrees of each vertex, the sharpest form, the truth 0.637."""
    mean = np.zeros(2)
    for A, labellings in oracle.classes(6):
        sharper = oracle.simplest_triangle_form(A, 16)
        phi = certificate(A)
        assert (phi <= sharper).all()
        mean += labellings / 2**15 * np.array([phi.mean(), sharper.mean()])
    assert mean == pytest.approx([0.6001, 0.6010], abs=5e-5)


@pytest.mark.parametrize("clique", [3, 4, 5, 6])
def test_random_flips_and_the_plain_formula(clique):
    rng = np.random.default_rng(clique)
    for _ in range(40):
        A = oracle.random_graph(int(rng.integers(7, 20)), rng)
        phi = certificate(A, clique, 30)
        if len(A) < 14:
            assert phi.tolist() == plain(A, clique, 30).tolist()
        for u, v in rng.permutation(oracle.pairs(len(A)))[:12]:
            assert np.abs(certificate(oracle.flipped(A, u, v), clique, 30) - phi).max() <= 1


def test_fewer_candidates():
    """Without the first three vertices, as for the second answer of several: the same guarantee among the rest."""

    def form(A):
        return certificate(A, kept=[3, 4])

    for A, _ in oracle.classes(5):
        q, phi = oracle.triangles(A)[3:], form(A)
        assert ((phi == 0) == (q == q.max())).all()
        assert largest_change(A, form) <= 1


def test_blocks_change_nothing_and_small_sets_are_a_certificate(monkeypatch):
    rng = np.random.default_rng(7)
    graphs = [oracle.random_graph(12, rng) for _ in range(12)]
    whole = [certificate(A) for A in graphs]
    monkeypatch.setattr(by_degree, "_BLOCK", 2)
    assert all((certificate(A) == phi).all() for A, phi in zip(graphs, whole, strict=True))
    monkeypatch.setattr(by_degree, "LARGEST_SET", 3)
    for A, phi in zip(graphs, whole, strict=True):
        fewer, q = certificate(A), oracle.triangles(A)
        assert (fewer <= phi).all()
        assert ((fewer == 0) == (q == q.max())).all()
        assert largest_change(A) <= 1


def test_scores_beyond_int64():
    """10^30 copies: the same answers as for small numbers where nothing but the order of magnitude differs."""
    q = np.array([0, 10**30, 10**30 + 40], dtype=object)
    degrees, counts = np.array([3, 50, 60]), np.array([90, 5, 5])
    phi = flip_distance_by_degree(q, degrees, counts, codegree=30, clique=3, n=100, limit=8)
    assert phi.tolist() == [8, 2, 0]


# ---------------------------------------------------------------- what cannot be left out


def broken(form, graphs):
    """Whether a form changes by more than 1 somewhere."""
    return any(largest_change(A, form) > 1 for A in graphs)


BOOKS = [oracle.book(n, pages, size) for n, pages, size in ((16, 5, 6), (18, 9, 5), (20, 4, 8), (20, 9, 8))]


def test_degrees_in_steps_are_wrong():
    """Negative control: degrees rounded up to powers of two, which would make fewer groups, jump by more than 1."""

    def rounded(degrees, scores):
        return 2 ** np.ceil(np.log2(np.maximum(degrees, 1))).astype(np.int64)

    assert not broken(certificate, BOOKS)
    assert broken(lambda A: certificate(A, degrees=rounded), BOOKS)


def test_a_single_group_without_copies_is_wrong():
    """Negative control: vertices without copies as one group of degree 0, or of the largest degree."""
    for one in (0, 100):
        assert broken(lambda A, one=one: certificate(A, degrees=lambda d, q: np.where(q == 0, one, d)), BOOKS)


def test_codegrees_over_edges_only_are_wrong():
    """Negative control: the new edge may join the two non-adjacent vertices with most common neighbours."""
    book = oracle.book(18, 10, 5)
    assert not broken(certificate, [book])
    assert broken(lambda A: certificate(A, codegree=lambda B, c: c[B].max(initial=0)), [book])
