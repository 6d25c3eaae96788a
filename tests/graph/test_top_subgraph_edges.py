"""Top k-vertex subgraph: restrictions, limits, refusals, checkpoints, sizes, and privacy of what is shown."""

import json
import math
import os
import pickle
import random
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import dpselect as ds
from dpselect.exact.bits import SeededBits
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.subsets import census, checkpoint
from dpselect.problems.graph.subsets.census import Census
from dpselect.problems.graph.subsets.classes import classes, components
from dpselect.problems.graph.subsets.unconnected import all_counts
from dpselect.problems.graph.top_subgraph import TopSubgraph

DATA = Path(os.environ.get("DPSELECT_DATA", Path(__file__).parents[3] / "shared" / "data"))


def random_graph(n, p, seed=0):
    rng = random.Random(seed)
    return Graph.from_edges([e for e in combinations(range(n), 2) if rng.random() < p], vertices=range(n))


def triangles(graph, members):
    edges = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    return sum(all(pair in edges for pair in combinations(s, 2)) for s in combinations(sorted(members), 3))


def histogram(problem, graph):
    groups = problem.groups(graph)
    found = Counter()
    for q, c in zip(groups.values, groups.counts, strict=True):
        found[q] += c
    return +found


def listed(graph, subsets):
    return Counter(triangles(graph, s) for s in subsets)


GRAPH = random_graph(11, 0.5)


def connected(edges, s):
    reached, waiting = set(), [s[0]]
    while waiting:
        v = waiting.pop()
        if v not in reached:
            reached.add(v)
            waiting += [w for w in s if (min(v, w), max(v, w)) in edges]
    return len(reached) == len(s)


def test_within_looks_at_some_vertices_only():
    chosen = [9, 0, 4, 7, 2, 5]
    problem = TopSubgraph(4, within=chosen)
    subsets = list(combinations(sorted(chosen), 4))
    assert histogram(problem, GRAPH) == listed(GRAPH, subsets)
    assert problem.candidates(GRAPH).size == 15
    assert set(ds.select(problem, GRAPH, epsilon=1).candidate) <= set(chosen)
    assert "vertices to choose among are public" in " ".join(ds.select(problem, GRAPH, epsilon=1).assumptions)
    # Edges elsewhere change nothing, not even what the calibration sees.
    far = GRAPH.toggle(1, 3)
    assert histogram(problem, far) == histogram(problem, GRAPH)
    assert [problem.profile(far)(t) for t in range(9)] == [problem.profile(GRAPH)(t) for t in range(9)]


def test_a_family_is_taken_as_it_is():
    family = [[4, 3, 2, 1], (0, 1, 2, 3), (7, 8, 9, 10)]
    problem = TopSubgraph(4, family=family)
    assert histogram(problem, GRAPH) == listed(GRAPH, family)
    assert problem.candidates(GRAPH).size == 3
    assert ds.select(problem, GRAPH, epsilon=1).candidate in [[1, 2, 3, 4], [0, 1, 2, 3], [7, 8, 9, 10]]
    everybody = ds.select(problem, GRAPH, epsilon=1, top=3).candidates
    assert sorted(everybody) == [[0, 1, 2, 3], [1, 2, 3, 4], [7, 8, 9, 10]]


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_subsets_that_are_connected_in_a_public_graph(k):
    """The public graph has a vertex more, another order of labels, and edges that the private one has not."""
    public = Graph.from_edges(
        [(i, (i * 3 + 1) % 12) for i in range(12)] + [(0, 11), (2, 5)], vertices=range(11, -1, -1)
    )
    names = [public.vertices[i] for i in range(12)]
    edges = {
        (min(names[a], names[b]), max(names[a], names[b]))
        for a, b in zip(public.tails.tolist(), public.heads.tolist(), strict=True)
    }
    subsets = [s for s in combinations(range(11), k) if connected(edges, s)]
    problem = TopSubgraph(k, "triangle" if k > 2 else "edge", connected_in=public)
    assert problem.candidates(GRAPH).size == len(subsets)
    groups = problem.groups(GRAPH)
    assert sum(groups.counts) == len(subsets)
    if k > 2:
        assert histogram(problem, GRAPH) == listed(GRAPH, subsets)
    source, seen = SeededBits(0), set()
    for g, count in enumerate(groups.counts):
        for _ in range(30 * count if len(subsets) < 60 else 5):
            seen.add(tuple(groups.pick(g, source)))
    assert seen <= set(subsets)
    if len(subsets) < 60:
        assert seen == set(subsets)


def test_restrictions_combine():
    public = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], vertices=range(11))
    problem = TopSubgraph(3, within=[0, 1, 2, 4, 5], connected_in=public)
    assert problem.candidates(GRAPH).size == 1  # {0, 1, 2}: 3 is not there
    with pytest.raises(ds.InvalidParameter, match="no 3 of the vertices"):
        ds.select(TopSubgraph(3, within=[0, 1, 3, 4], connected_in=public), GRAPH, epsilon=1)


def test_k_equal_to_n_is_free():
    release = ds.select(TopSubgraph(5), random_graph(5, 0.6), epsilon=1)
    assert release.candidate == [0, 1, 2, 3, 4]
    assert release.epsilon == 0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: TopSubgraph(2), "k must be at least 3 for motif 'triangle'"),
        (lambda: TopSubgraph(3, "4-clique"), "k must be at least 4"),
        (lambda: TopSubgraph(1, "edge"), "k"),
        (lambda: TopSubgraph(7), "k must be at most 6"),
        (lambda: TopSubgraph(True), "k"),
        (lambda: TopSubgraph(3.5), "k"),
        (lambda: TopSubgraph("3"), "k"),
        (lambda: TopSubgraph(4, "no such motif"), "motif"),
        (lambda: TopSubgraph(4, most=0), "most"),
        (lambda: TopSubgraph(4, connected_in=[(0, 1)]), "connected_in"),
        (lambda: TopSubgraph(3, within=[1, 1, 2]), "listed twice"),
        (lambda: TopSubgraph(3, within="abc"), "within"),
        (lambda: TopSubgraph(3, family=[[1, 2]]), "k = 3"),
        (lambda: TopSubgraph(3, family=[]), "at least one"),
        (lambda: TopSubgraph(3, family=[[1, 2, 2]]), "listed twice"),
        (lambda: TopSubgraph(3, family=[[1, 2, 3]], within=[1, 2, 3]), "excludes"),
        (lambda: TopSubgraph(3, family=[[1, 2, 3]], checkpoint="x"), "checkpoint"),
    ],
)
def test_parameters_are_refused_by_name(build, message):
    with pytest.raises(ds.InvalidParameter, match=message):
        build()


def test_other_refusals():
    with pytest.raises(ds.UnsupportedProblem, match="unit"):
        TopSubgraph(3, unit=ds.AddOrRemove())
    with pytest.raises(ds.UnsupportedProblem, match="6"):
        TopSubgraph(6, "6-star")
    with pytest.raises(ds.InvalidParameter, match="number of vertices"):
        ds.select(TopSubgraph(6), random_graph(5, 0.5), epsilon=1)
    with pytest.raises(ds.InvalidParameter, match="not among those of the graph"):
        ds.select(TopSubgraph(3, within=[0, 1, 99]), GRAPH, epsilon=1)
    with pytest.raises(ds.InvalidParameter, match="listed twice"):
        ds.select(TopSubgraph(3, family=[[0, 1, 2], [2, 1, 0]]), GRAPH, epsilon=1)
    with pytest.raises(ds.InvalidParameter, match="Graph"):
        ds.select(TopSubgraph(3), [(0, 1)], epsilon=1)
    with pytest.raises(ds.UnsupportedProblem, match="not listed"):
        ds.verify(ds.worlds.all_graphs(TopSubgraph(3), 3), epsilon=1, method="global-scale")


def test_a_public_limit_that_can_be_raised(tmp_path):
    graph = random_graph(60, 0.5)
    with pytest.raises(ds.InvalidParameter, match="raise `most`") as refused:
        ds.select(TopSubgraph(4, most=1000), graph, epsilon=1)
    assert not any(c.isdigit() and c not in "1000^84" for c in str(refused.value))
    assert ds.select(TopSubgraph(4, most=math.comb(60, 4)), graph, epsilon=1).m == math.comb(60, 4)
    # Few edges: far fewer connected subsets than subsets, and the limit is about the former.
    assert ds.select(TopSubgraph(4, most=100_000), random_graph(60, 0.05), epsilon=1).m == math.comb(60, 4)
    public = random_graph(60, 0.5, 3)
    with pytest.raises(ds.InvalidParameter, match="connected in the public graph"):
        ds.select(TopSubgraph(4, most=1000, connected_in=public), graph, epsilon=1)
    ledger = ds.Ledger(f"sqlite:///{tmp_path}/b.db")
    account = ledger.create("x", epsilon=5)
    with pytest.raises(ds.InvalidParameter):
        ds.select(TopSubgraph(4, most=1000), graph, epsilon=1, ledger=account)
    assert account.spent[0] == 0
    ds.select(TopSubgraph(4), graph, epsilon=1, ledger=account)
    assert account.spent[0] == 1


@pytest.mark.parametrize(("n", "p", "k"), [(30, 0.3, 3), (30, 0.3, 5), (100, 0.05, 4)])
def test_the_estimate_is_near(n, p, k):
    counted = Census(random_graph(n, p), random_graph(n, p), k)
    true = sum(int(counted.count()[:, i].sum()) for (v, m), i in counted.columns.items() if v == k)
    assert counted.estimate() == pytest.approx(true, rel=0.15)


def test_more_edges_can_be_protected():
    problem = TopSubgraph(4).under(ds.Edges(3))
    one = TopSubgraph(4)
    assert problem.global_sensitivity(GRAPH) == 3 * one.global_sensitivity(GRAPH)
    assert problem.profile(GRAPH)(1) == sum(one.profile(GRAPH)(t) for t in (3, 4, 5))
    assert problem.flip_distance(GRAPH).tolist() == (-(-one.flip_distance(GRAPH) // 3)).tolist()
    assert ds.select(problem, GRAPH, epsilon=1).unit == "up to 3 edges added or removed"
    with pytest.raises(ds.InvalidParameter, match="unit"):
        problem.under(2)


@pytest.mark.parametrize("method", ["auto", "global-scale", "private-bound", "ladder", "certificate-search"])
def test_every_method_answers(method):
    for motif in ("triangle", "4-cycle", "edge", "4-clique", "diamond"):
        release = ds.select(TopSubgraph(4, motif), GRAPH, epsilon=100, delta="1e-6", method=method, top=2)
        assert len(release.candidates) == 2
        assert all(len(set(c)) == 4 and c == sorted(c) for c in release.candidates)
        assert release.m == 330


def test_the_default_method_is_a_public_choice():
    def method(k, motif):
        return ds.select(TopSubgraph(k, motif), GRAPH, epsilon=1).method

    assert [method(3, "triangle"), method(4, "4-cycle")] == ["inverse-sensitivity"] * 2
    assert [method(5, "triangle"), method(4, "2-star"), method(2, "edge")] == ["global-scale"] * 3


def test_top_names_different_subsets():
    graph = Graph.from_edges([*combinations(range(4), 2), *combinations(range(5, 9), 2)], vertices=range(12))
    for seed in range(30):
        found = ds.select(TopSubgraph(4), graph, epsilon=400, top=2, seed=seed).candidates
        assert sorted(found) == [[0, 1, 2, 3], [5, 6, 7, 8]]


def test_nothing_private_is_shown():
    problem = TopSubgraph(4)
    groups = problem.groups(GRAPH)
    for thing in (groups, groups.range, problem.read(GRAPH), groups.range.census):
        assert not any(c.isdigit() for c in repr(thing)), repr(thing)
    for thing in (groups, groups.range, problem.read(GRAPH), groups.range.census):
        with pytest.raises(TypeError, match="private"):
            pickle.dumps(thing)


# ------------------------------------------------------------------ checkpoints


def test_a_checkpoint_is_private_and_complete(tmp_path):
    file = tmp_path / "run.npz"
    problem = TopSubgraph(4, checkpoint=file)
    found = histogram(problem, GRAPH)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]
    assert histogram(problem, GRAPH) == found == histogram(TopSubgraph(4), GRAPH)


def test_what_a_checkpoint_knows_is_not_counted_again(tmp_path, monkeypatch):
    file, graph = tmp_path / "run.npz", random_graph(60, 0.4)
    found = histogram(TopSubgraph(4, checkpoint=file), graph)
    with np.load(file) as stored:
        rows, fingerprint = stored["rows"].copy(), stored["fingerprint"]
    rows[::2] = -1
    np.savez(file, rows=rows, fingerprint=fingerprint)
    counted = []
    block = Census._block
    monkeypatch.setattr(Census, "_block", lambda self, scratch, i: counted.append(i) or block(self, scratch, i))
    problem = TopSubgraph(4, checkpoint=file)
    assert len(rows) > 20
    assert histogram(problem, graph) == found
    assert sorted(counted) == list(range(0, len(rows), 2))
    # The answers are the same ones, rank by rank.
    one, other = problem.groups(graph), TopSubgraph(4).groups(graph)
    for g in range(len(one.counts)):
        assert one.pick(g, SeededBits(g)) == other.pick(g, SeededBits(g))


@pytest.mark.parametrize("change", ["graph", "k", "garbage", "folder", "shape"])
def test_a_wrong_checkpoint_is_refused(tmp_path, change):
    file = tmp_path / "run.npz"
    histogram(TopSubgraph(4, checkpoint=file), GRAPH)
    graph, k = GRAPH, 4
    if change == "graph":
        graph = GRAPH.toggle(0, 1)
    elif change == "k":
        k = 5
    elif change == "garbage":
        file.write_bytes(b"not a checkpoint")
    elif change == "shape":
        with np.load(file) as stored:
            np.savez(file, rows=stored["rows"][1:], fingerprint=stored["fingerprint"])
    else:
        file.unlink()
        file = tmp_path / "no such folder" / "run.npz"
    with pytest.raises((ds.InvalidData, ds.InvalidParameter), match="checkpoint"):
        histogram(TopSubgraph(k, checkpoint=file), graph)


PROGRAM = """
import sys, time
from dpselect.problems.graph.subsets import census, checkpoint
from dpselect.problems.graph.top_subgraph import TopSubgraph
sys.path.insert(0, sys.argv[2])
from test_top_subgraph_edges import random_graph
checkpoint.EVERY = 0.0
block = census.Census._block
def slow(self, scratch, i):
    time.sleep(0.02)
    return block(self, scratch, i)
census.Census._block = slow
print("counting", flush=True)
TopSubgraph(4, checkpoint=sys.argv[1]).groups(random_graph(60, 0.4)).counts
"""


def test_killed_and_resumed_gives_the_same_law(tmp_path):
    """The process is killed with SIGKILL while it counts; a new one goes on from what it wrote."""
    file, graph = tmp_path / "run.npz", random_graph(60, 0.4)
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(file), str(Path(__file__).parent)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert started.stdout.readline() == "counting\n"
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
    finally:
        started.send_signal(signal.SIGKILL)
        started.wait()
        started.stdout.close()
    with np.load(file) as stored:
        known = int((stored["rows"][:, 0] >= 0).sum())
        assert 0 < known < len(stored["rows"])
    for sampler in ("gibbs", "permute-and-flip"):
        resumed, whole = (
            ds.law(problem, graph, epsilon=3, sampler=sampler)
            for problem in (TopSubgraph(4, checkpoint=file), TopSubgraph(4))
        )
        assert resumed.candidates.as_dict() == whole.candidates.as_dict()


# ------------------------------------------------------------------ sizes


def test_the_classes_are_all_graphs_up_to_isomorphism():
    assert [len(classes(size)) for size in range(1, 7)] == [1, 2, 4, 11, 34, 156]
    assert [sum(len(components(size, m)) == 1 for m in classes(size)) for size in range(1, 7)] == [1, 1, 2, 6, 21, 112]


def test_counts_that_do_not_fit_together_are_noticed():
    """Negative control of the identities: three edges, two vertices."""
    with pytest.raises(RuntimeError, match="fit"):
        all_counts({(1, 0): 2, (2, 1): 3}, 2)


FOUR_OF_TWO_HUNDRED = """
import json, random
from itertools import combinations
import dpselect as ds

rng = random.Random(1)
graph = ds.graph.Graph.from_edges([e for e in combinations(range(200), 2) if rng.random() < 0.5], vertices=range(200))
release = ds.select(ds.graph.TopSubgraph(4, "triangle"), graph, epsilon=60)
(peak,) = (line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([release.m, release.candidate, int(peak.split()[1]) // 1024]))
"""
# VmHWM begins anew with the program; what `getrusage` says of a child holds the parent's peak at the fork.


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_four_of_two_hundred_vertices():
    """64.7 million candidates, most of them connected, in a process of less than 500 MB (libraries included)."""
    ran = subprocess.run([sys.executable, "-c", FOUR_OF_TWO_HUNDRED], capture_output=True, text=True, check=True)
    size, candidate, megabytes = json.loads(ran.stdout)
    assert size == 64_684_950
    assert triangles(random_graph(200, 0.5, 1), candidate) == 4
    assert megabytes < 500


@pytest.mark.skipif(not (DATA / "ca-GrQc.txt").exists(), reason="the public graphs are not there")
def test_three_of_a_collaboration_graph():
    """24 thousand million candidates, nearly all of score 0."""
    graph = ds.graph.read_edges(DATA / "ca-GrQc.txt")
    release = ds.select(TopSubgraph(3, "triangle"), graph, epsilon=60)
    assert release.m == math.comb(graph.n, 3) == 23_979_636_460
    counts = histogram(TopSubgraph(3), graph)
    assert counts == {0: release.m - 48_260, 1: 48_260}


def test_memory_does_not_grow_with_the_candidates():
    assert census.BLOCKS <= 256
    assert checkpoint.EVERY >= 1
    groups = TopSubgraph(4).groups(random_graph(200, 0.3, 1))
    assert len(groups.counts) == 11
    assert sum(groups.counts) == 64_684_950
