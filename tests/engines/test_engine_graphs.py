"""Edge tables on engines: the same counts, profiles and laws as by brute force and in memory."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from engine_worlds import cliques_at, random_graph, stairs, table

import dpselect as ds
from dpselect.engines import EdgeTable, opened
from dpselect.engines.codegrees import codegree_stairs, triangle_profile
from dpselect.engines.top_vertex import TopVertexOnEngine
from dpselect.exact.bits import SeededBits
from dpselect.methods.ladder import whole_steps
from dpselect.problems.graph.certificates import flip_distance_by_degree


def histogram(problem, edges):
    groups = problem.groups(problem.read(edges))
    return dict(zip(zip(groups.values, groups.degrees.tolist(), strict=True), groups.counts, strict=True))


def degrees_of(pairs, n):
    counted = Counter(v for pair in pairs for v in pair)
    return [counted[v] for v in range(n)]


def test_histograms_are_those_of_brute_force(engine):
    """Several questions to edges that are opened once; vertices without edges, and with edges but without copies."""
    n, pairs = 32, [*random_graph(28, 0.3, 1, hubs=2), (28, 29)]
    degrees = degrees_of(pairs, n)
    with opened(ds.graph.TopVertex(), EdgeTable(table(pairs), vertices=n), engine) as (_, edges):
        for motif, size in (("triangle", 3), ("edge", 2), ("5-clique", 5), ("4-clique", 4)):
            problem = TopVertexOnEngine.of(ds.graph.TopVertex(motif))
            assert histogram(problem, edges) == Counter(zip(cliques_at(pairs, n, size), degrees, strict=True))


def test_the_staircase_is_that_of_brute_force(engine, monkeypatch):
    """Hubs, so that pairs are left out; small stages, so that there are several."""
    monkeypatch.setattr("dpselect.engines.codegrees._FIRST", 4)
    monkeypatch.setattr("dpselect.engines.codegrees._GROWTH", 2)
    pairs = random_graph(40, 0.08, 2, hubs=3)
    with opened(ds.graph.TopVertex(), table(pairs), engine) as (_, edges):
        a, sigma = codegree_stairs(edges)
    assert list(zip(a.tolist(), sigma.tolist(), strict=True)) == stairs(pairs, 40)


def test_top_vertices_are_named_by_their_own_ids(engine):
    """Three tied vertices and two without copies, by name, in order of the draw, never twice."""
    edges = {"a": ["x", "y", "z", "lone"], "b": ["y", "z", "x", "x"], "since": [1, 2, 3, 4]}
    problem = ds.graph.TopVertex("triangle")
    data = EdgeTable(edges, vertices=["x", "y", "z", "lone", "island"])
    release = ds.select(problem, data, epsilon=200, top=5, seed=1, method="global-scale", engine=engine)
    assert set(release.candidates[:3]) == {"x", "y", "z"}
    assert set(release.candidates[3:]) == {"lone", "island"}
    assert release.m == 5


@pytest.mark.parametrize("unknown", ["refuse", "drop"])
def test_undeclared_vertices(engine, unknown):
    data = EdgeTable({"a": [1, 1, 2], "b": [2, 9, 3]}, vertices=[1, 2, 3], unknown=unknown)
    problem = ds.graph.TopVertex("edge")
    if unknown == "refuse":
        with pytest.raises(ds.InvalidData, match="not declared"):
            ds.select(problem, data, epsilon=1, seed=1, engine=engine)
    else:
        assert ds.select(problem, data, epsilon=100, seed=1, engine=engine).candidate == 2


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"a": [1, None], "b": [2, 3]}, ds.InvalidData),
        ({"a": [1, 2], "b": ["x", "y"]}, ds.InvalidParameter),
        ({"a": [1.0], "b": [2.0]}, ds.InvalidParameter),
        ({"a": [1]}, ds.InvalidParameter),
    ],
)
def test_ids_that_are_none_are_refused(engine, data, error):
    with pytest.raises(error):
        ds.select(ds.graph.TopVertex(), data, epsilon=1, seed=1, engine=engine)


# ---------------------------------------------------------------- in memory: no engine is asked


def all_graphs_with_five_vertices():
    pairs = list(combinations(range(5), 2))
    return [tuple(p for p, there in zip(pairs, bits, strict=True) if there) for bits in product((0, 1), repeat=10)]


def profile_of(pairs, n):
    points = stairs(pairs, n)
    a, sigma = (np.array([p[i] for p in points], np.int64) for i in (0, 1))
    profile = triangle_profile((a, sigma), n)
    return [int(profile(t)) for t in range(n + 2)]


def broken(profiles, worlds):
    """Edges of the dataset graph on which A(t + 1) ≥ A'(t) fails."""
    flips = [(x, tuple(sorted(set(x) ^ {pair}))) for x in worlds for pair in combinations(range(5), 2)]
    return [(x, y) for x, y in flips if any(a < b for a, b in zip(profiles[x][1:], profiles[y], strict=False))]


def test_the_safe_profile_is_admissible_on_all_graphs_with_five_vertices():
    worlds = [tuple(sorted(g)) for g in all_graphs_with_five_vertices()]
    profiles = {x: profile_of(x, 5) for x in worlds}
    for x in worlds:
        assert profiles[x][0] == max((a for a, _ in stairs(x, 5)), default=0)
        exact = ds.diagnose(ds.graph.TopVertex(), ds.graph.as_graph(list(x), vertices=range(5))).profile if x else None
        assert exact is None or all(int(exact(t)) <= profiles[x][t] for t in range(7))
    assert not broken(profiles, worlds)


def test_without_the_second_term_it_is_not():
    """Negative control: pairs without common neighbours cannot be left out."""
    worlds = [tuple(sorted(g)) for g in all_graphs_with_five_vertices()]

    def bare(x):
        points = stairs(x, 5)
        return [max((min(a + t, (s + t) // 2, 3) for a, s in points), default=0) for t in range(7)]

    assert broken({x: bare(x) for x in worlds}, worlds)


def test_laws_are_those_in_memory():
    """Ladder, private bound and global scale on the same scores; the profile may be larger at t ≥ 1, never smaller."""
    pairs = random_graph(25, 0.3, 5)
    graph = ds.graph.as_graph(pairs, vertices=range(25))
    problem = ds.graph.TopVertex("triangle")
    scores = Counter()
    for name, p in ds.law(problem, graph, epsilon=1, method="global-scale").candidates.items():
        scores[cliques_at(pairs, 25, 3)[name]] += p
    with opened(problem, EdgeTable(table(pairs), vertices=25), "duckdb") as (there, edges):
        law = ds.law(there, edges, epsilon=1, method="global-scale").candidates
        assert dict(law.items()) == pytest.approx(dict(scores), rel=1e-9)
        mine, theirs = ds.diagnose(there, edges), ds.diagnose(problem, graph)
        assert mine.local_sensitivity == theirs.local_sensitivity
        assert mine.levels == theirs.levels


@pytest.mark.parametrize(("motif", "size"), [("edge", 2), ("triangle", 3), ("4-clique", 4)])
def test_flip_distances_are_those_from_all_pairs(engine, motif, size):
    """φ of every group, from the co-degrees of all pairs by brute force, for one edge and for three."""
    n, pairs = 32, [*random_graph(28, 0.15, 6, hubs=2), (28, 29)]
    scores, degrees, largest = cliques_at(pairs, n, size), degrees_of(pairs, n), max(a for a, _ in stairs(pairs, n))
    q, d, many = np.array([(*alike, k) for alike, k in sorted(Counter(zip(scores, degrees, strict=True)).items())]).T
    with opened(ds.graph.TopVertex(motif), EdgeTable(table(pairs), vertices=n), engine) as (problem, edges):
        read = problem.read(edges)
        steps = whole_steps(problem.profile(read).ladder(1), problem.scores(read))
        for k in (1, 3):
            own = flip_distance_by_degree(q, d, many, codegree=largest, clique=size, n=n, limit=160 * k)
            found = problem.under(ds.Edges(k)).flip_distance(read, problem.groups(read))
            assert found.tolist() == (-(-np.maximum(own, steps) // k)).tolist()
            assert ((found == 0) == (q == q.max())).all()


def test_the_law_is_that_of_flip_distances_by_degree():
    """Inverse sensitivity by name, and what "auto" takes: with a δ the smooth bound for triangles."""
    n, pairs = 25, random_graph(25, 0.3, 5)
    data = EdgeTable(table(pairs), vertices=n)
    with opened(ds.graph.TopVertex("triangle"), data, "duckdb") as (problem, edges):
        read = problem.read(edges)
        groups, phi = problem.groups(read), problem.flip_distance(read, problem.groups(read))
        weights = np.array(groups.counts) * np.exp(-phi / 2)
        expected = Counter()
        for score, weight in zip(groups.values, weights / weights.sum(), strict=True):
            expected[score] += weight
        law = ds.law(problem, edges, epsilon=1, method="inverse-sensitivity", sampler="gibbs").candidates
        assert dict(law.items()) == pytest.approx(dict(expected), rel=1e-9)
    for motif, delta, method in [
        ("triangle", 0, "inverse-sensitivity"),
        ("triangle", "1e-6", "direct-smooth"),
        ("4-clique", "1e-6", "inverse-sensitivity"),
        ("edge", "1e-6", "global-scale"),
    ]:
        assert ds.select(ds.graph.TopVertex(motif), data, epsilon=1, delta=delta, engine="duckdb").method == method


def test_every_member_of_a_group_is_picked_alike():
    """False alarm ≤ 1e-9 (Hoeffding, 4 members, 4,000 draws: 0.055); a member picked twice as often is seen.

    Two triangles and an edge with a vertex between them, and vertices without an edge.
    """
    pairs = {"a": [0, 1, 2, 3, 4, 5, 6, 7], "b": [1, 2, 0, 4, 5, 3, 7, 8]}
    with opened(ds.graph.TopVertex("triangle"), EdgeTable(pairs, vertices=12), "duckdb") as (problem, edges):
        groups, source = problem.groups(problem.read(edges)), SeededBits(7)
        assert list(zip(groups.values, groups.degrees, groups.counts, strict=True)) == [
            (0, 0, 3),
            (0, 1, 2),
            (0, 2, 1),
            (1, 2, 6),
        ]
        for group, members in enumerate(([9, 10, 11], [6, 8], [7], [0, 1, 2, 3, 4, 5])):
            draws = 4000 if group == 3 else 400
            picked = Counter(groups.pick(group, source) for _ in range(draws))
            assert sorted(picked) == members
            assert draws < 4000 or all(abs(picked[v] / draws - 1 / len(members)) < 0.055 for v in members)
        fewer = groups.without(1, 8).without(0, 10)
        assert {fewer.pick(1, source) for _ in range(20)} == {6}
        assert {fewer.pick(0, source) for _ in range(40)} == {9, 11}


def test_nothing_private_is_shown_or_pickled():
    import pickle

    data = EdgeTable({"a": [111], "b": [222]})
    with opened(ds.graph.TopVertex("edge"), data, "duckdb") as (problem, edges):
        read = problem.read(edges)
        for thing in (data, edges, edges.source, edges.degrees, read.groups):
            assert "111" not in repr(thing)
            assert "2" not in repr(thing)
            with pytest.raises(TypeError):
                pickle.dumps(thing)


def test_other_motifs_and_other_problems_are_refused():
    with pytest.raises(ds.UnsupportedProblem, match="not counted on engines"):
        ds.select(ds.graph.TopVertex("4-cycle"), {"a": [1], "b": [2]}, epsilon=1, engine="duckdb")
    with pytest.raises(ds.InvalidParameter, match="scores in hand"):
        ds.select([1, 2], epsilon=1, sensitivity=1, engine="duckdb")
    with pytest.raises(ds.InvalidParameter, match="engine must be"):
        ds.select(ds.graph.TopVertex(), {"a": [1], "b": [2]}, epsilon=1, engine="abacus")
    with pytest.raises(ds.InvalidParameter, match="engine must be"):
        ds.select(ds.graph.TopVertex(), {"a": [1], "b": [2]}, epsilon=1, engine=["duckdb"])
