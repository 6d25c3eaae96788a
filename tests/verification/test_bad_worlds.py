"""Worlds that are none get an error that says why; odd ones get the right answer."""

import json

import pytest

import dpselect as ds
from dpselect import worlds

GOOD = {"datasets": ["x", "y"], "edges": [[0, 1]], "candidates": ["a", "b"], "scores": [[0, 1], [1, 1]]}

BAD = {
    "ragged": {**GOOD, "scores": [[0, 1], [1]]},
    "a row too few": {**GOOD, "scores": [[0, 1]]},
    "an edge to a missing dataset": {**GOOD, "edges": [[0, 2]]},
    "an edge to a negative dataset": {**GOOD, "edges": [[0, -1]]},
    "an edge of three": {**GOOD, "edges": [[0, 1, 1]]},
    "an edge by name": {**GOOD, "edges": [["x", "y"]]},
    "no datasets": {**GOOD, "datasets": [], "scores": [], "edges": []},
    "no candidates": {**GOOD, "candidates": [], "scores": [[], []]},
    "a name twice": {**GOOD, "datasets": ["x", "x"]},
    "scores that are words": {**GOOD, "scores": [[0, "high"], [1, 1]]},
    "a boolean score": {**GOOD, "scores": [[0, True], [1, 1]]},
    "a missing key": {k: v for k, v in GOOD.items() if k != "edges"},
    "an unknown key": {**GOOD, "weights": []},
    "monotone as a word": {**GOOD, "monotone": "yes"},
    "a false monotone flag": {**GOOD, "scores": [[0, 1], [1, 0]], "monotone": True},
    "scores that are no list": {**GOOD, "scores": 3},
}


@pytest.mark.parametrize("name", BAD)
def test_bad_worlds_are_refused(name, tmp_path):
    path = tmp_path / "world.json"
    path.write_text(json.dumps(BAD[name]))
    with pytest.raises((ds.InvalidParameter, ds.InvalidData)):
        ds.verify(ds.World.from_json(path), epsilon=1)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_literals_that_are_no_numbers(literal):
    with pytest.raises(ds.InvalidParameter, match="finite"):
        ds.World.from_json(json.dumps(GOOD).replace("[1, 1]", f"[1, {literal}]"))


@pytest.mark.parametrize("text", ["{", "", "[]", "{}", "null"])
def test_files_that_are_no_world(text, tmp_path):
    path = tmp_path / "world.json"
    path.write_text(text)
    with pytest.raises(ds.InvalidParameter):
        ds.World.from_json(path)


@pytest.mark.parametrize("epsilon", [0, -1, "nan", "inf", float("nan"), float("inf"), None, True])
def test_a_budget_that_is_none(epsilon):
    with pytest.raises(ds.InvalidParameter, match="epsilon"):
        ds.verify(ds.World.from_dict(GOOD), epsilon=epsilon)


@pytest.mark.parametrize("delta", [1, -1, "nan", 2])
def test_a_delta_that_is_none(delta):
    with pytest.raises(ds.InvalidParameter, match="delta"):
        ds.verify(ds.World.from_dict(GOOD), epsilon=1, delta=delta)


def test_what_is_no_world():
    for thing in (None, 3, "world.json", GOOD, ds.GlobalScale()):
        with pytest.raises(ds.InvalidParameter, match="lacks"):
            ds.verify(thing, epsilon=1)


def test_an_unknown_method_or_detail():
    world = ds.World.from_dict(GOOD)
    with pytest.raises(ds.InvalidParameter, match="did you mean 'ladder'"):
        ds.verify(world, epsilon=1, method="lader")
    with pytest.raises(ds.InvalidParameter, match="detail"):
        ds.verify(world, epsilon=1, detail="brief")
    with pytest.raises(ds.InvalidParameter, match="sampler"):
        ds.verify(world, epsilon=1, method=lambda x: {"a": 1}, sampler="gibbs")


METHODS = ["global-scale", "ladder", "private-bound", "private-smooth", "direct-smooth", "log-transform",
           "inverse-sensitivity", "certificate-search", ds.FixedScaleTest(1)]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_odd_worlds(method):
    """One dataset; no edges; loops and repeated edges; one candidate; equal scores; components apart."""
    row = [[0, 1, 5]]
    abc = ["a", "b", "c"]
    odd = [
        ds.World(["x"], [], abc, row),
        ds.World(["x", "y"], [], abc, row * 2),
        ds.World(["x", "y"], [(0, 0), (0, 1), (1, 0), (0, 1)], abc, [[0, 1, 5], [0, 2, 5]]),
        ds.World(["x", "y"], [(0, 1)], ["a"], [[3], [900]]),
        ds.World(["x", "y"], [(0, 1)], abc, row * 2),
        ds.World(list("wxyz"), [(0, 1), (2, 3)], abc, [[0, 0, 0], [1, 0, 0], [9, 9, 9], [9, 5, 9]]),
    ]
    for world in odd:
        report = ds.verify(world, epsilon=1, delta="1/100", method=method)
        assert report.holds is True, (world, report)
        if not len(world.edge_array):
            assert report.worst_edge is None
            assert report.delta_exact == 0


def test_repeated_edges_count_once():
    world = ds.World(["x", "y"], [(0, 1), (1, 0), (0, 0)], ["a", "b"], [[0, 1], [1, 1]])
    assert ds.verify(world, epsilon=1).edges == 1


def test_a_false_monotone_flag_of_another_dataset_graph():
    class Liar:
        candidates = ("a", "b")
        global_sensitivity = 1
        monotone = True

        def scores(self, x):
            return [x, -x]

        def profile(self, x):
            return ds.Profile.constant(1)

    world = worlds.ProblemWorld(Liar(), ["x", "y"], [0, 1], [(0, 1)])
    with pytest.raises(ds.InvalidParameter, match="between 'x' and 'y' one score rises"):
        ds.verify(world, epsilon=1)

    class RealLiar(Liar):
        def scores(self, x):
            return [0.5 * x, -0.25 * x]

    with pytest.raises(ds.InvalidParameter, match="monotone"):
        ds.verify(worlds.ProblemWorld(RealLiar(), ["x", "y"], [0, 1], [(0, 1)]), epsilon=1)


def test_a_problem_world_and_its_table_agree():
    world = worlds.all_graphs(ds.graph.TopVertex("triangle"), 4)
    table = world.explicit(depth=1)
    assert table.monotone
    for method in ("global-scale", "inverse-sensitivity"):
        first = ds.verify(world, epsilon=1, method=method)
        second = ds.verify(table, epsilon=1, method=method)
        assert first.holds
        assert second.holds
    assert int(table.global_sensitivity) == 2


def test_builders_refuse_nonsense():
    for call in (
        lambda: worlds.all_graphs(ds.graph.TopVertex("triangle"), 7),
        lambda: worlds.all_graphs(ds.graph.TopVertex("triangle"), 0),
        lambda: worlds.all_tables(None, [], 2, list, neighbours="replace"),
        lambda: worlds.all_tables(None, "ab", 2, list, neighbours="swap"),
        lambda: worlds.all_tables(None, "ab", -1, list, neighbours="replace"),
        lambda: worlds.random_world(1, datasets=0),
        lambda: worlds.local_scale_world(0),
        lambda: worlds.multiplicity_world(1, 1, 1),
        lambda: worlds.constant_width_world(1, 1, 1),
        lambda: worlds.path_world([]),
        lambda: worlds.ProblemWorld(None, ["x"], [], []),
        lambda: worlds.ProblemWorld(None, ["x", "x"], [1, 2], []),
    ):
        with pytest.raises(ds.InvalidParameter):
            call()


def test_all_tables_are_all_there():
    replaced = worlds.all_tables(None, "abc", 3, list, neighbours="replace")
    assert len(replaced.datasets) == 10
    # Two multisets are neighbours when they share two records.
    for i, one in enumerate(replaced.data):
        for j, two in enumerate(replaced.data[:i]):
            shared = sum(min(one.count(c), two.count(c)) for c in "abc")
            assert ((j, i) in replaced.edges) == (shared == 2), (one, two)
    added = worlds.all_tables(None, "ab", 3, list, neighbours="add-or-remove")
    assert added.datasets[0] == "empty"
    assert sorted(map(len, added.data)) == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def test_random_worlds_repeat_and_differ():
    assert worlds.random_world(4).to_dict() == worlds.random_world(4).to_dict()
    assert worlds.random_world(4).to_dict() != worlds.random_world(5).to_dict()
    assert worlds.random_world(4, monotone=True).monotone
    round_trip = ds.World.from_dict(worlds.random_world(4).to_dict())
    assert round_trip.table.tolist() == worlds.random_world(4).table.tolist()
