"""Explicit worlds: reading them, refusing what is none, and their exact facts."""

import json
from fractions import Fraction

import numpy as np
import pytest

import dpselect as ds
from dpselect.errors import DPSelectError, InvalidParameter
from dpselect.question import NEVER
from oracle import worlds

GOOD = {
    "datasets": ["x", "y", "z"],
    "edges": [[0, 1], [1, 2]],
    "candidates": ["a", "b"],
    "scores": [[0, 0], [1, 0], [1, 2]],
    "monotone": True,
}


def text(**changes):
    return json.dumps({**GOOD, **changes})


def test_round_trip_and_exact_numbers():
    world = ds.World.from_json(
        '{"datasets": ["x", "y"], "edges": [[0, 1]], "candidates": ["a", "b"], "scores": [[0.1, "1/3"], [2, 1e-3]]}'
    )
    rows = [[int(v) * world.score_unit for v in row] for row in world.table]
    assert rows == [[Fraction(1, 10), Fraction(1, 3)], [Fraction(2), Fraction(1, 1000)]]
    again = ds.World.from_dict(json.loads(json.dumps(world.to_dict())))
    assert np.array_equal(again.table, world.table)
    assert again.score_unit == world.score_unit
    assert ds.World.from_json(text()).monotone is True


def test_from_a_file(tmp_path):
    path = tmp_path / "world.json"
    path.write_text(text())
    assert ds.World.from_json(path).datasets == GOOD["datasets"]
    assert ds.World.from_json(str(path)).datasets == GOOD["datasets"]
    for bad in (tmp_path, tmp_path / "missing.json"):
        with pytest.raises(InvalidParameter):
            ds.World.from_json(bad)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(InvalidParameter):
        ds.World.from_json(tmp_path / "binary")


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "{}",
        "[]",
        text(scores=[[0, 0], [1], [1, 2]]),
        text(scores=[[0, 0], [1, 0]]),
        text(scores=[[0, 0], [1, 0], [1, 2, 3]]),
        text(scores=[0, 1, 2]),
        text(scores=[[0, 0], [1, "x"], [1, 2]]),
        text(scores=[[0, 0], [1, None], [1, 2]]),
        text(scores=[[0, 0], [1, True], [1, 2]]),
        text(scores=[[0, 0], [1, [2]], [1, 2]]),
        text(scores="none"),
        text(edges=[[0, 3]]),
        text(edges=[[0, -1]]),
        text(edges=[[0]]),
        text(edges=[[0, 1, 2]]),
        text(edges=[[0, "y"]]),
        text(edges=[[0, 1.0]]),
        text(edges=[[0, True]]),
        text(edges=[0, 1]),
        text(edges={"0": 1}),
        text(datasets=[]),
        text(datasets=["x", "x", "z"]),
        text(datasets="xyz"),
        text(datasets=[["x"], "y", "z"]),
        text(candidates=[]),
        text(candidates=["a", "a"]),
        text(candidates=[{}, "a"]),
        text(monotone="yes"),
        text(monotone=1),
        text(scores=[[0, 0], [1, -1], [1, 2]]),
        text(extra=1),
        json.dumps({k: v for k, v in GOOD.items() if k != "scores"}),
        text().replace("[1, 2]]", "[NaN, 2]]"),
        text().replace("[1, 2]]", "[Infinity, 2]]"),
        text().replace("[1, 2]]", "[-Infinity, 2]]"),
        text(scores=[[0, 0], [1, "NaN"], [1, 2]]),
        text(scores=[[0, 0], [1, "1/0"], [1, 2]]),
    ],
)
def test_what_is_no_world(bad):
    def read():
        # Numbers are read when they are first needed.
        return ds.World.from_json(bad).table

    with pytest.raises(DPSelectError):
        read()


def test_a_false_claim_of_monotone_scores_is_refused():
    with pytest.raises(InvalidParameter, match="monotone"):
        ds.World("xy", [(0, 1)], "ab", [[0, 0], [1, -1]], monotone=True)


def test_unknown_datasets():
    world = ds.World(**{"scores_table" if k == "scores" else k: v for k, v in GOOD.items()})
    assert world.position("y") == world.position(1) == 1
    for bad in ("w", 3, -1, None, 1.5, ["x"]):
        with pytest.raises(InvalidParameter):
            world.position(bad)


def test_disconnected_worlds_and_isolated_datasets_work():
    world = ds.World("xyzw", [(0, 1)], "ab", [[0, 0], [1, 0], [100, 0], [0, 100]])
    assert world.global_sensitivity == 1
    assert world.profile("z").is_zero
    assert world.flip_distance("z").tolist() == [0, NEVER]
    for method in ("ladder", "inverse-sensitivity", "private-smooth", "log-transform", "direct-smooth"):
        law = ds.law(world, "z", epsilon=1, delta="1e-6", method=method)
        assert law.candidates["a"] == pytest.approx(1.0)


def test_no_edges_at_all_is_free():
    world = ds.World("xy", [], "ab", [[0, 5], [5, 0]])
    for x, best in (("x", "b"), ("y", "a")):
        found = ds.select(world, x, epsilon=1, seed=0)
        assert (found.candidate, found.epsilon) == (best, 0)


def test_loops_and_repeated_edges_change_nothing():
    plain = ds.World("xy", [(0, 1)], "ab", [[0, 0], [1, 0]])
    odd = ds.World("xy", [(0, 1), (1, 0), (0, 0), (0, 1)], "ab", [[0, 0], [1, 0]])
    for x in "xy":
        assert [plain.profile(x)(t) for t in range(3)] == [odd.profile(x)(t) for t in range(3)]
        assert plain.levels(x) == odd.levels(x)


@pytest.mark.parametrize("seed", range(30))
def test_levels_and_flip_distances_by_definition(seed):
    world = worlds.random_world(seed, depth=3)
    n = len(world.datasets)
    rows = [[int(v) * world.score_unit for v in row] for row in world.table]
    edges = world.edge_array.tolist()

    def local(values):
        found = [Fraction(0)] * n
        for i, j in edges:
            change = max(abs(a - b) for a, b in zip(values[i], values[j], strict=True))
            found[i], found[j] = max(found[i], change), max(found[j], change)
        return found

    expected = [local(rows)]
    for _ in range(3):
        expected.append(local([[v] for v in expected[-1]]))
    for i, x in enumerate(world.datasets):
        assert world.levels(x) == tuple(level[i] for level in expected[:3])
        away = world.distances(i)
        for r in range(len(world.candidates)):
            flips = min((d for z, d in away.items() if rows[z][r] == max(rows[z])), default=NEVER)
            assert world.flip_distance(x)[r] == flips
    constants = world.level_constants
    assert constants.top == max(expected[3])
    assert constants.caps == tuple(max(level) for level in expected[:3])
    for i, j in edges:
        a, b = (world.flip_distance(world.datasets[k]).astype(object) for k in (i, j))
        assert all(abs(p - q) <= 1 for p, q in zip(a, b, strict=True))
