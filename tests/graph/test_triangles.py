import json
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import small_worlds as worlds

from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks
from dpselect.problems.graph.triangles import (
    local_sensitivity_triangles,
    triangle_profile_values,
    triangle_staircase,
    triangles_per_vertex,
)

DATA = Path(os.environ.get("DPSELECT_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "MANIFEST.json").exists(), reason="the real graphs are not here")


def graph_of(n, mask):
    return Graph.from_edges(worlds.edges(n, mask), vertices=range(n))


def some_masks(n, count):
    total = 2 ** len(worlds.pairs(n))
    if total <= count:
        return range(total)
    rng = np.random.default_rng(n)
    dense = rng.integers(0, total, count // 2)
    sparse = rng.integers(0, total, count // 2) & rng.integers(0, total, count // 2)
    return [0, total - 1, *dense.tolist(), *sparse.tolist()]


def at(steps, times):
    starts, values = steps
    return values[np.searchsorted(starts, times, side="right") - 1]


def profile_table(n, stairs_of, steps=None):
    """A[t, mask] for every graph on n vertices, from a rule that gives its stairs."""
    times = np.arange(2 * n + 2 if steps is None else steps)
    columns = [at(triangle_profile_values(*stairs_of(graph_of(n, mask)), n), times) for mask in every(n)]
    return np.array(columns).T


def every(n):
    return range(2 ** len(worlds.pairs(n)))


def all_pairs(graph):
    """(a, σ) of every pair, by sets."""
    near = {v: set() for v in range(graph.n)}
    for u, v in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True):
        near[u].add(v)
        near[v].add(u)
    return [
        (len(near[u] & near[v]), len(near[u]) + len(near[v]) - 2 * (v in near[u]))
        for u, v in combinations(range(graph.n), 2)
    ]


def pareto(points):
    front = [p for p in set(points) if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in points)]
    front.sort()
    return np.array([a for a, _ in front], np.int64), np.array([s for _, s in front], np.int64)


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 8), (4, 64), (5, 1024), (6, 600), (7, 300)])
def test_counts_and_local_sensitivity_against_brute_force(n, count):
    for mask in some_masks(n, count):
        graph = graph_of(n, mask)
        assert triangles_per_vertex(graph).tolist() == worlds.scores(n)[mask].tolist()
        assert local_sensitivity_triangles(graph) == worlds.local_sensitivity(n)[mask]


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 8), (4, 64), (5, 1024), (6, 600), (7, 300)])
def test_profile_is_the_largest_local_sensitivity_in_every_ball(n, count):
    exact = worlds.exact_profile(n)
    times = np.arange(len(exact))
    for mask in some_masks(n, count):
        steps = triangle_profile_values(*triangle_staircase(graph_of(n, mask)), n)
        assert at(steps, times).tolist() == exact[:, mask].tolist()
        assert steps[0][0] == 0
        assert steps[1][-1] == max(n - 2, 0)
        assert (np.diff(steps[0]) > 0).all()
        assert (np.diff(steps[1]) > 0).all()


def test_profile_satisfies_p1_and_p2_on_five_vertices():
    table = profile_table(5, triangle_staircase)
    assert (table[0] >= worlds.local_sensitivity(5)).all()
    assert not worlds.breaks_p2(table, 5)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_group_profile_bounds_the_span_of_k_edge_changes(k):
    n, e = 5, 10
    table = profile_table(n, triangle_staircase, steps=k * 12)
    grouped = table.reshape(12, k, -1).sum(axis=1)  # A_k(t) = Σ_{i<k} A(kt + i)
    masks, q = np.arange(2**e), worlds.scores(n).astype(int)
    flips = [sum(1 << i for i in chosen) for size in range(k + 1) for chosen in combinations(range(e), size)]
    attained = False
    for flip in flips:
        change = q - q[masks ^ flip]
        span = change.max(axis=1) - change.min(axis=1)
        assert (grouped[0] >= span).all()
        assert (grouped[1:] >= grouped[:-1][:, masks ^ flip]).all()
        attained = attained or (grouped[0] == span).any()
    assert attained


def test_safe_and_cheap_form_without_zero_pairs_is_admissible():
    n = 5
    times = np.arange(12)
    table = profile_table(n, nonzero_pairs)
    table = np.maximum(table, np.minimum(times, n - 2)[:, None])
    assert (table >= profile_table(n, triangle_staircase)).all()
    assert not worlds.breaks_p2(table, n)


def nonzero_pairs(graph):
    return pareto([p for p in all_pairs(graph) if p[0] >= 1])


def test_wrong_edges_only_maximum_is_below_the_local_sensitivity():
    n = 4
    graph = Graph.from_edges([(0, 2), (0, 3), (1, 2), (1, 3)])  # 0 and 1 share two neighbours, not an edge
    mask = sum(1 << i for i, p in enumerate(worlds.pairs(n)) if p in {(0, 2), (0, 3), (1, 2), (1, 3)})
    assert edges_only(graph) == 0
    assert worlds.local_sensitivity(n)[mask] == 2 == local_sensitivity_triangles(graph)


def edges_only(graph):
    near = {v: set() for v in range(graph.n)}
    pairs = list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    for u, v in pairs:
        near[u].add(v)
        near[v].add(u)
    return max((len(near[u] & near[v]) for u, v in pairs), default=0)


def test_wrong_dropping_pairs_without_common_neighbours_breaks_p2():
    assert worlds.breaks_p2(profile_table(5, nonzero_pairs), 5)


def test_wrong_made_up_pair_of_the_two_largest_degrees_breaks_p2():
    def made_up(graph):
        two = np.sort(graph.degrees)[-2:]
        return pareto([*[p for p in all_pairs(graph) if p[0] >= 1], (0, int(two.sum()))])

    assert worlds.breaks_p2(profile_table(5, made_up), 5)


@pytest.mark.parametrize("seed", range(6))
def test_staircase_is_the_pareto_front_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    n = 60
    weight = (np.arange(n) + 1.0) ** -rng.uniform(0, 1.2)
    ends = rng.choice(n, (rng.integers(20, 600), 2), p=weight / weight.sum())
    graph = Graph.from_edges(ends, vertices=range(n))
    expected = pareto(all_pairs(graph))
    for threads in (1, 3):
        a, sigma = triangle_staircase(graph, threads)
        assert a.tolist() == expected[0].tolist()
        assert sigma.tolist() == expected[1].tolist()


def test_profile_values_against_the_formula():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(3, 40))
        points = [(int(a), int(2 * a + b)) for a, b in rng.integers(0, 12, (rng.integers(1, 8), 2))]
        a, sigma = pareto(points)
        times = np.arange(2 * n + 30)
        direct = np.max([np.minimum(np.minimum(x + times, (s + times) // 2), n - 2) for x, s in points], axis=0)
        assert at(triangle_profile_values(a, sigma, n), times).tolist() == direct.tolist()


def test_threads_change_nothing(monkeypatch):
    from dpselect.problems.graph.kernels import blocks

    monkeypatch.setattr(blocks, "SMALLEST_SHARE", 100)
    rng = np.random.default_rng(3)
    ends = (rng.random((40_000, 2)) ** 3 * 2_000).astype(np.int64)
    graph = Graph.from_edges(ends, vertices=range(2_000))
    alone, shared = (triangles_per_vertex(graph, threads) for threads in (1, 4))
    assert alone.tolist() == shared.tolist()
    assert [x.tolist() for x in triangle_staircase(graph, 1)] == [x.tolist() for x in triangle_staircase(graph, 4)]


def test_blocks_cover_everything_once():
    weights = np.array([0, 5, 0, 0, 900, 1, 1, 0], np.int64)
    for most in (1, 2, 3, 50):
        ends = even_blocks(weights, most)
        assert ends[0] == 0
        assert ends[-1] == weights.size
        assert (np.diff(ends) > 0).all()
        parts = run_blocks(ends, list, lambda state, lo, hi: state.extend(range(lo, hi)), 3)
        assert sorted(i for part in parts for i in part) == list(range(weights.size))


def test_an_error_in_a_block_reaches_the_caller():
    def fail(state, lo, hi):
        raise RuntimeError("in a thread")

    with pytest.raises(RuntimeError, match="in a thread"):
        run_blocks(np.array([0, 1, 2]), list, fail, 2)


def manifest():
    return json.loads((DATA / "MANIFEST.json").read_text()) if (DATA / "MANIFEST.json").exists() else []


@needs_data
@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["name"])
def test_triangle_totals_of_real_graphs(entry):
    graph = real(entry["name"])
    counts = triangles_per_vertex(graph)
    assert graph.n == entry["n_noniso"]
    assert graph.tails.size == entry["m"]
    assert graph.degrees.max() == entry["dmax"]
    assert (graph.degrees**2).sum() == entry["sum_deg2"]
    assert counts.sum() == 3 * entry["tri"]


def real(name):
    from dpselect.problems.graph.edge_list import read_edges

    return read_edges(DATA / f"{name}.txt")


@needs_data
def test_facebook_known_values():
    graph = real("facebook_combined")
    assert triangles_per_vertex(graph).max() == 30_025
    assert local_sensitivity_triangles(graph) == 293
    starts, values = triangle_profile_values(*triangle_staircase(graph), graph.n)
    assert values[0] == 293
    assert values[-1] == 4_037
    assert starts.size == 4_037 - 293 + 1


@needs_data
def test_wrong_edges_only_maximum_on_gnutella():
    graph = real("p2p-Gnutella25")
    assert edges_only(graph) == 6
    assert local_sensitivity_triangles(graph) == 11


@needs_data
@pytest.mark.parametrize("name", ["karate", "celegansneural", "email-Eu-core"])
def test_staircase_of_real_graphs_by_brute_force(name):
    graph = real(name)
    expected = pareto_fast(all_pairs(graph))
    assert [x.tolist() for x in triangle_staircase(graph)] == expected


def pareto_fast(points):
    front, best = [], -1
    for a, sigma in sorted(points, reverse=True):
        if sigma > best:
            front.append((a, sigma))
            best = sigma
    front.reverse()
    return [[a for a, _ in front], [s for _, s in front]]
