"""Top k-vertex subgraph: laws against the list of all subsets, sensitivities and certificates on all small graphs."""

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
import subset_worlds as worlds
from scipy.stats import binom

import dpselect as ds
from dpselect.exact.bits import SeededBits
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.subsets.classes import inside
from dpselect.problems.graph.subsets.groups import flip_distances, scores_left
from dpselect.problems.graph.top_subgraph import TopSubgraph, pattern_of

FALSE_ALARM = 1e-9
MOTIFS = {2: ["edge"], 3: ["edge", "triangle", "2-star"], 4: ["triangle", "4-clique", "4-cycle", "3-path", "diamond"]}
MOTIFS[5] = ["triangle", "paw", "3-star"]
EVERY = [(k, motif) for k, motifs in MOTIFS.items() for motif in motifs]


def laws_agree(n, k, motif, mask, epsilon, seen=None):
    """The groups against the list; two methods of which the exponents are written down here, both samplers.

    The law of the score depends on the scores and distances of all candidates alone: with `seen` it is compared once
    for every such list.
    """
    graph, q = worlds.graph_of(n, mask), worlds.table(motif, n, k)[mask]
    problem, most = TopSubgraph(k, motif), gs(motif, k)
    phi, gap = definition(n, k, motif, mask), q.max() - q
    chosen = problem.read(graph)
    groups = problem.groups(chosen)
    assert sum(groups.counts) == len(q)
    here = zip(groups.values, problem.flip_distance(chosen, groups).tolist(), groups.counts, strict=True)
    found = Counter()
    for score, flips, count in here:
        found[score, flips] += count
    assert found == Counter(zip(q.tolist(), phi.tolist(), strict=True))
    key = tuple(sorted(found.items()))
    if seen is not None:
        if key in seen:
            return
        seen.add(key)
    for sampler, exact in worlds.LAWS.items():
        for method, z in (
            (ds.GlobalScale(sampler=sampler), gap * epsilon / most),
            (ds.InverseSensitivity(sampler=sampler), phi * epsilon / 2),
        ):
            expected, p = Counter(), exact(z)
            for score, each in zip(q.tolist(), p.tolist(), strict=True):
                expected[score] += each
            law = ds.law(problem, graph, epsilon=Fraction(epsilon), method=method)
            if len(q) > 1:
                assert dict(law.candidates) == pytest.approx(dict(expected), rel=1e-8), (k, motif, mask, method.name)
                assert ds.expected_regret(law) == pytest.approx(float(np.dot(p, gap)), rel=1e-8, abs=1e-12)


@cache
def gs(motif, k):
    """Copies in K_k through one edge, counted."""
    e = k * (k - 1) // 2
    full = worlds.scores(motif, k, k, 2**e - 1)[0]
    return full - worlds.scores(motif, k, k, 2**e - 2)[0]


def definition(n, k, motif, mask):
    """φ by its definition, over the list: certificate and whole steps of the ladder."""
    graph, problem = worlds.graph_of(n, mask), TopSubgraph(k, motif)
    own = problem._motif.profile(graph, 1)
    h = pattern_of(problem._motif).size
    through, holding = [int(own(i)) for i in range(k * (k - 1) // 2 + 1)], math.comb(n - h, k - h)
    q = worlds.table(motif, n, k)[mask]
    steps = worlds.ladder(lambda t: min(own(t), gs(motif, k)), q.max() - q)
    return np.maximum(worlds.certificate(motif, n, k, mask, through, gs(motif, k), holding), steps)


@pytest.mark.parametrize(("k", "motif"), EVERY)
def test_the_law_is_that_of_the_list(k, motif):
    """A sample of the graphs on six vertices, the extreme ones included."""
    rng = random.Random(k)
    for mask in (0, 2**15 - 1, *rng.sample(range(2**15), 6)):
        laws_agree(6, k, motif, mask, 3)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_law_is_that_of_the_list_on_all_graphs(k):
    seen = set()
    for mask in range(2**15):
        laws_agree(6, k, "triangle" if k > 2 else "edge", mask, 3, seen)
    assert len(seen) > 10


def test_a_law_at_another_scale_is_not_that_of_the_list():
    """The negative control: exponents 10 % off."""
    graph, q = worlds.graph_of(6, 0b111111), np.array(worlds.scores("triangle", 6, 4, 0b111111))
    wrong = worlds.gibbs((q.max() - q) * 3.3 / gs("triangle", 4))
    law = ds.law(TopSubgraph(4), graph, epsilon=3, method=ds.GlobalScale(sampler="gibbs"))
    total = float(wrong[q == q.max()].sum())
    assert law.candidates[int(q.max())] != pytest.approx(total, rel=1e-2)


def random_graph(n, p, seed):
    rng = random.Random(seed)
    return Graph.from_edges([e for e in combinations(range(n), 2) if rng.random() < p], vertices=range(n))


@pytest.mark.parametrize(("n", "p", "k"), [(7, 0.4, 3), (7, 0.5, 4), (6, 0.9, 3), (7, 0.25, 5)])
@pytest.mark.parametrize("family", [False, True])
def test_every_member_of_a_class_is_as_likely(n, p, k, family):
    """Draws from each class: all of its members, each within an exact binomial test at 1e-9 in total."""
    graph = random_graph(n, p, 5)
    problem = TopSubgraph(k, "edge", family=combinations(range(n), k) if family else None)
    groups, source = problem.groups(graph), SeededBits(1)
    found = {}
    for g, count in enumerate(groups.counts):
        draws = 40 * count
        seen = Counter(tuple(groups.pick(g, source)) for _ in range(draws))
        assert len(seen) == count
        level = FALSE_ALARM / (2 * len(groups.counts) * count)
        assert all(
            min(binom.cdf(c, draws, 1 / count), binom.sf(c - 1, draws, 1 / count)) > level for c in seen.values()
        )
        found[groups.values[g], g] = set(seen)
    members = [s for each in found.values() for s in each]
    assert sorted(members) == list(combinations(range(n), k))
    edges = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    for (value, _), each in found.items():
        assert all(sum(pair in edges for pair in combinations(s, 2)) == value for s in each)


def test_rare_subsets_are_found_by_going_through_all():
    """A complete graph but for a triangle of missing edges: one set of three vertices without an edge among 9,880."""
    pairs = [e for e in combinations(range(40), 2) if e not in ((3, 17), (3, 30), (17, 30))]
    problem = TopSubgraph(3, "edge")
    groups = problem.groups(Graph.from_edges(pairs))
    assert groups.counts[groups.values.index(0)] == 1
    assert groups.pick(groups.values.index(0), SeededBits(0)) == [3, 17, 30]


@pytest.mark.parametrize(("k", "motif"), EVERY)
def test_sensitivities_on_all_graphs_with_five_vertices(k, motif):
    """Span ≤ A(0) (equal for triangles), P2, GS attained, levels cover and chain, profile per vertex monotone."""
    n, e = 5, 10
    q, problem = worlds.table(motif, n, k), TopSubgraph(k, motif)
    graphs = [worlds.graph_of(n, mask) for mask in range(2**e)]
    profiles = np.array([[int(problem.profile(g)(t)) for t in range(12)] for g in graphs])
    vertex = np.array([[int(problem._motif.profile(g, 1)(t)) for t in range(12)] for g in graphs])
    spans = np.zeros(2**e, np.int64)
    for pair in range(e):
        other = np.arange(2**e) ^ (1 << pair)
        change = q - q[other]
        spans = np.maximum(spans, change.max(axis=1) - change.min(axis=1))
        assert (profiles[:, 1:] >= profiles[other, :-1]).all()
        more = np.arange(2**e) | (1 << pair)
        assert (vertex[more] >= vertex).all()
    size_of_change = np.max([np.abs(q - q[np.arange(2**e) ^ (1 << p)]).max(axis=1) for p in range(e)], axis=0)
    assert (profiles[:, 0] >= spans).all()
    assert profiles.max() <= gs(motif, k)
    assert size_of_change.max() == gs(motif, k)
    if motif == "triangle":
        # κ = 1 counts the span; LS is the largest change.
        assert (profiles[:, 0] == size_of_change).all()
    constants = problem.level_constants(graphs[0])
    levels = np.array([[float(h) for h in problem.levels(g)] for g in graphs])
    if constants.map_of(0) is None:
        assert (levels[:, 0] >= size_of_change).all()
    for pair in range(e):
        other = np.arange(2**e) ^ (1 << pair)
        if constants.count == 1:
            assert np.abs(levels - levels[other]).max() <= float(constants.top)


@cache
def _flips(motif, k, masks, counts, through, holding):
    table = inside(pattern_of(TopSubgraph(k, motif)._motif), k)
    return flip_distances(table, masks, counts, through, holding)


def all_flips(motif, n, k):
    """φ[mask, subset] of the library, on every graph."""
    problem, e = TopSubgraph(k, motif), n * (n - 1) // 2
    pattern = pattern_of(problem._motif)
    steps, holding = k * (k - 1) // 2, math.comb(n - pattern.size, k - pattern.size)
    out = np.zeros((2**e, math.comb(n, k)), np.int64)
    for mask in range(2**e):
        classes = _classes(n, k, mask)
        own = problem._motif.profile(worlds.graph_of(n, mask), 1)
        masks, place, counts = np.unique(classes, return_inverse=True, return_counts=True)
        through = tuple(int(own(i)) for i in range(steps + 1))
        phi = _flips(motif, k, tuple(masks.tolist()), tuple(counts.tolist()), through, holding)
        out[mask] = phi[place.ravel()]
    return out


def _classes(n, k, mask):
    """The class of every subset, by the permutations."""
    bit = worlds.bits(n)
    own = []
    for s in worlds.subsets(n, k):
        own.append(
            _least(k, sum(1 << i for i, pair in enumerate(_order(k)) if mask >> bit[s[pair[0]], s[pair[1]]] & 1))
        )
    return own


def _order(k):
    return [(a, b) for b in range(k) for a in range(b)]


@cache
def _least(k, mask):
    from itertools import permutations

    order = _order(k)
    place = {pair: i for i, pair in enumerate(order)}
    edges = [order[i] for i in range(len(order)) if mask >> i & 1]
    return min(sum(1 << place[tuple(sorted((p[a], p[b])))] for a, b in edges) for p in permutations(range(k)))


def check_certificate(motif, n, k):
    """Changes by at most 1 on every edge, 0 exactly at the maximisers, at most the true flip distance."""
    phi, q, true = all_flips(motif, n, k), worlds.table(motif, n, k), worlds.true_flips(motif, n, k)
    assert ((phi == 0) == (q == q.max(axis=1, keepdims=True))).all()
    assert (phi <= true).all()
    for pair in range(n * (n - 1) // 2):
        assert np.abs(phi - phi[np.arange(len(phi)) ^ (1 << pair)]).max() <= 1
    return phi.mean(), true.mean()


@pytest.mark.parametrize(("k", "motif"), EVERY)
def test_certificate_on_all_graphs_with_five_vertices(k, motif):
    own, true = check_certificate(motif, 5, k)
    assert own >= 0.5 * true


@pytest.mark.slow
@pytest.mark.parametrize(("k", "motif"), [*EVERY, (5, "5-clique")])
def test_certificate_on_all_graphs_with_six_vertices(k, motif):
    check_certificate(motif, 6, k)


def test_the_certificate_is_its_definition():
    """`flip_distance` of the problem, against the list of candidates and every N."""
    rng = random.Random(0)
    for k, motif in EVERY:
        for mask in rng.sample(range(2**10), 12):
            graph, problem = worlds.graph_of(5, mask), TopSubgraph(k, motif)
            found = Counter()
            for phi, c in zip(problem.flip_distance(graph), problem.groups(graph).counts, strict=True):
                found[int(phi)] += c
            assert found == Counter(definition(5, k, motif, mask).tolist())


@pytest.mark.parametrize(
    "wrong",
    [lambda q, each, together: scores_left(q, each, together // 3), lambda q, each, together: scores_left(q, 0, 0)],
    ids=["a copy lies in fewer candidates", "removals lower nothing"],
)
def test_a_certificate_with_too_small_a_drop_breaks_the_bound(monkeypatch, wrong):
    """Negative control: it moves by 2 somewhere, or exceeds the true flip distance."""
    from dpselect.problems.graph.subsets import groups

    monkeypatch.setattr(groups, "scores_left", wrong)
    _flips.cache_clear()
    with pytest.raises(AssertionError):
        check_certificate("triangle", 5, 4)
    _flips.cache_clear()


def test_the_maximum_over_sizes_is_found():
    rng = random.Random(1)
    for _ in range(500):
        largest = sorted(((rng.randint(0, 9), rng.randint(1, 6)) for _ in range(rng.randint(1, 5))), reverse=True)
        each = rng.randint(0, 6)
        together = each * rng.randint(1, 9) + rng.randint(0, max(each, 1))
        listed = [q for q, c in largest for _ in range(c)]
        truth = max(
            math.ceil(Fraction(sum(listed[:n]) - min(n * each, together), n)) for n in range(1, len(listed) + 1)
        )
        assert scores_left(largest, each, together) == truth


class Listed:
    """The same problem with its candidates one by one: for verification on explicit worlds."""

    kappa, monotone, unit = 1, True, "1 edge added or removed"

    def __init__(self, problem, n):
        self.problem, self.n = problem, n
        self.candidates = list(combinations(range(n), problem.k))

    def _each(self, graph, values):
        """A number of each group, at every candidate."""
        pairs = list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
        bit = worlds.bits(self.n)
        classes = _classes(self.n, self.problem.k, sum(1 << bit[pair] for pair in pairs))
        of_class = dict(zip(self.problem.groups(graph).masks, values, strict=True))
        return [of_class[c] for c in classes]

    def read(self, graph):
        return graph

    def scores(self, graph):
        return self._each(graph, self.problem.groups(graph).values)

    def flip_distance(self, graph):
        return np.array(self._each(graph, self.problem.flip_distance(graph).tolist()))

    def __getattr__(self, name):
        return getattr(self.problem, name)


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
@pytest.mark.parametrize(("k", "motif"), [(3, "triangle"), (3, "2-star"), (2, "edge")])
def test_claims_hold_on_all_graphs_with_four_vertices(k, motif, sampler):
    """Exact δ(ε) of every edge of the world, by the oracle."""
    world = ds.worlds.all_graphs(Listed(TopSubgraph(k, motif), 4), 4)
    assert ds.broken_promises(world) == ()
    for method in ("inverse-sensitivity", "global-scale", "ladder"):
        assert ds.verify(world, epsilon=1, method=method, sampler=sampler).holds


def test_promises_hold_on_all_graphs_with_five_vertices():
    assert ds.broken_promises(ds.worlds.all_graphs(Listed(TopSubgraph(4), 5), 5), steps=8) == ()


def test_a_profile_without_the_second_vertex_is_caught():
    """Negative control: half the global sensitivity as a cap breaks P1 and the claim."""

    class Half(Listed):
        def profile(self, graph):
            return self.problem.profile(graph).capped(Fraction(1, 2))

        def global_sensitivity(self, graph):
            return Fraction(1, 2)

        level_constants = None

    world = ds.worlds.all_graphs(Half(TopSubgraph(3), 4), 4)
    assert any("P1" in sentence for sentence in ds.broken_promises(world))
    assert not ds.verify(world, epsilon=1, method="global-scale", sampler="permute-and-flip").holds
