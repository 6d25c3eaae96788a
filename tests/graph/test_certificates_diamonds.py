"""diamond_flip_distance against the truth: small worlds, the plain formula, (A)-(D) on random flips, wrong variants."""

from __future__ import annotations

import certificate_oracle as oracle
import diamond_oracle as plain
import numpy as np
import pytest

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.problems.graph.certificates import diamond_flip_distance
from dpselect.problems.graph.certificates import diamonds as module
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.diamond_tables import diamond_raises
from dpselect.problems.graph.motifs import motif_named
from dpselect.problems.graph.top_vertex import TopVertex
from dpselect.problems.units import Edges


def graph_of(A: np.ndarray) -> Graph:
    u, v = np.nonzero(np.triu(A))
    return Graph(range(len(A)), u.astype(np.int32), v.astype(np.int32))


def certificate(A: np.ndarray, limit: int = 16) -> np.ndarray:
    return diamond_flip_distance(graph_of(A), plain.diamonds(A), limit)


def any_graph(n: int, rng: np.random.Generator) -> np.ndarray:
    """Sparse and dense graphs, books, stars, overlapping cliques, complete parts."""
    return oracle.clique_graph(n, rng) if n >= 7 and rng.random() < 0.5 else oracle.random_graph(n, rng)


@pytest.mark.parametrize(
    ("n", "mean", "true_mean"),
    [(5, 0.1074, 0.1133), (6, 0.3174, 0.3659), pytest.param(7, 0.5684, 0.7182, marks=pytest.mark.slow)],
)
def test_every_graph_up_to_isomorphism(n, mean, true_mean):
    """The means are over all labelled graphs."""
    world = oracle.world(n)
    counts = plain.all_diamonds(world)
    del world
    truth = oracle.flip_distances(counts)
    total = 0.0
    for A, labellings in oracle.classes(n):
        phi = certificate(A)
        q = plain.diamonds(A)
        assert (q == counts[oracle.code(A)]).all()
        assert ((phi == 0) == (q == q.max())).all()
        assert (phi <= truth[oracle.code(A)]).all()
        for u, v in oracle.pairs(n):
            assert np.abs(certificate(oracle.flipped(A, u, v)) - phi).max() <= 1
        total += labellings * phi.mean()
    assert [total / len(truth), truth.mean()] == pytest.approx([mean, true_mean], abs=5e-5)


def test_every_labelled_graph_on_five_vertices():
    found = np.array([certificate(A) for A in oracle.world(5)])
    for b in range(len(oracle.pairs(5))):
        assert np.abs(found - found[np.arange(len(found)) ^ (1 << b)]).max() == 1


def check_flips(draws: int, sizes: tuple[int, int], flips: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        n = int(rng.integers(*sizes))
        A = any_graph(n, rng)
        phi = certificate(A, 30)
        q = plain.diamonds(A)
        assert ((phi == 0) == (q == q.max())).all()
        for b in rng.permutation(len(oracle.pairs(n)))[:flips]:
            u, v = oracle.pairs(n)[b]
            assert np.abs(certificate(oracle.flipped(A, u, v), 30) - phi).max() <= 1, (oracle.edge_list(A), u, v)


def test_random_flips():
    check_flips(200, (7, 17), 5, seed=1)


@pytest.mark.slow
def test_many_random_flips():
    check_flips(1500, (7, 20), 15, seed=2)


def test_equals_the_plain_formula():
    rng = np.random.default_rng(3)
    for _ in range(150):
        A = any_graph(int(rng.integers(2, 14)), rng)
        for limit in (12, 3):
            assert (certificate(A, limit) == plain.diamond_form(A, limit)).all()


def broken(wrong: str, draws: int, seed: int) -> set[str]:
    rng = np.random.default_rng(seed)
    found: set[str] = set()
    for _ in range(draws):
        A = any_graph(int(rng.integers(7, 13)), rng)
        u, v = oracle.pairs(len(A))[int(rng.integers(len(oracle.pairs(len(A)))))]
        few, many = sorted((A, oracle.flipped(A, u, v)), key=lambda B: B[u, v])
        found |= plain.broken_rules(few, many, 6, wrong)
    return found


def test_rules_on_random_flips():
    """(A)-(D) themselves, for every candidate, every size of sets and all i, j ≤ 5."""
    assert broken("", 250, seed=4) == set()


@pytest.mark.parametrize(("wrong", "rules"), plain.WRONG.items())
def test_wrong_variants_break_their_rules(wrong, rules):
    """Negative controls."""
    assert set(rules) <= broken(wrong, 120, seed=5)


def test_codegrees_of_edges_only_are_wrong():
    """Negative control: fourteen pages, whose spine has more copies than any edge there is, and two cliques."""
    A = np.zeros((25, 25), dtype=bool)
    A[:2, 2:16] = A[16:21, 16:21] = A[21:, 21:] = True
    A |= A.T
    np.fill_diagonal(A, False)
    B = oracle.flipped(A, 0, 1)
    wrong = [plain.diamond_form(x, 8, "D, M and C over edges only") for x in (A, B)]
    right = [certificate(x, 8) for x in (A, B)]
    assert np.abs(wrong[0] - wrong[1]).max() >= 2
    assert np.abs(right[0] - right[1]).max() == 1
    assert plain.broken_rules(A, B, 6, "D, M and C over edges only") == {"A", "LC", "WC"}


def test_threads_and_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(6)
    A = np.triu(rng.random((300, 300)) < 0.08, 1)
    A[:, 280:] |= np.triu(rng.random((300, 300)) < 0.5, 1)[:, 280:]
    graph = graph_of(A)
    lists = graph.adjacency
    closed = plain.closed_diamonds((A | A.T)[:60, :60])
    small = graph_of(A[:60, :60])
    at = module._at_edges(small.adjacency, module.edge_codegrees(small.adjacency))
    near = small.adjacency
    tails = np.repeat(np.arange(60), np.diff(near.start))
    assert (at == closed[near.order[tails], near.order[near.neighbour]]).all()
    q = np.zeros(300, dtype=np.int64)
    count = module.edge_codegrees(lists)
    alone = module._at_edges(lists, count), diamond_flip_distance(graph, q + np.arange(300) * 50, 20)
    monkeypatch.setattr(module, "threads_for", lambda work: 3)
    again = module._at_edges(lists, count), diamond_flip_distance(graph, q + np.arange(300) * 50, 20)
    assert all((one == two).all() for one, two in zip(alone, again, strict=True))


def test_raises_are_cut_off_at_two_to_the_sixty():
    """Against Python's whole numbers, at the largest co-degrees that a graph can have."""
    M = D = (1 << 31) - 3
    three = 1 << 30
    counts = np.array([[1 << 60, 1 << 59, 7, 0, 0, 0]])
    ours = diamond_raises(counts, np.array([M]), D, three)[0]
    simple = ordered = grown = 0
    for t in range(5):
        s = 2 * (M + t) + D + t - 1 + 2 * (min(M, three, D - 1) + t)
        simple += max(s, (M + t) * (M + t - 1) // 2 + (M + t) * (M + D + 2 * t))
        ordered += max(s, int(counts[0, t])) + grown
        grown += 2 * (M + t) + D + t + min(M, three) + t
        assert ours[t + 1] == min(simple, ordered, 1 << 60)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_edges(n):
    assert certificate(np.zeros((n, n), dtype=bool)).tolist() == [0] * n


def test_errors(monkeypatch):
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(InvalidParameter, match="limit"):
        diamond_flip_distance(graph, np.zeros(3, dtype=np.int64), 0)
    for scores in (np.zeros(2, dtype=np.int64), np.array([0, 0, (1 << 60) + 1]), np.array([0, -1, 0]), [1 << 70] * 3):
        with pytest.raises(InvalidParameter, match="scores"):
            diamond_flip_distance(graph, np.array(scores))
    from dpselect.problems.graph import pair_sums

    def refused(graph: Graph) -> int:
        raise UnsupportedProblem(pair_sums.TOO_MANY)

    monkeypatch.setattr(pair_sums, "largest_closed_diamonds", refused)
    with pytest.raises(UnsupportedProblem, match="2\\^60"):
        diamond_flip_distance(graph, np.zeros(3, dtype=np.int64))


def test_top_vertices_use_it():
    """With the whole steps of the ladder, where these are larger, and in groups of k edges; named by public facts."""
    rng = np.random.default_rng(7)
    graph = graph_of(any_graph(12, rng))
    problem = TopVertex("diamond")
    assert problem.default_method is None
    phi = problem.flip_distance(graph)
    own = diamond_flip_distance(graph, motif_named("diamond").counts(graph))
    assert (phi >= own).all()
    assert (phi > 0).any()
    assert (problem.under(Edges(2)).flip_distance(graph) == -(-phi // 2)).all()
