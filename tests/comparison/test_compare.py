"""`compare` says what `law`, `expected_regret`, `diagnose` and the releases themselves say, and only on a reference."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as ds
from dpselect.comparison import RULE, median_scales

TRIANGLE = ds.graph.TopVertex("triangle")
GRAPH = ds.graph.GnpGraph(60, 0.3, seed=1).graph(60)


@pytest.fixture(scope="module")
def found():
    return ds.compare(TRIANGLE, GRAPH, epsilon=2, delta="1e-6")


def test_the_numbers_are_those_of_the_laws(found):
    for row in found.rows:
        law = ds.law(TRIANGLE, GRAPH, epsilon=2, delta="1e-6", method=row.method)
        assert row.expected_regret == pytest.approx(ds.expected_regret(law), rel=1e-9)
        facts = ds.diagnose(TRIANGLE, GRAPH)
        bound = facts.regret(row.method, epsilon=2, delta="1e-6")
        assert row.curator_bound == (None if bound is None else float(bound))


def test_global_scale_by_hand():
    """The exponential mechanism on three scores, Δ = 1, κ = 2: weights e^{ε q / 2}."""
    found = ds.compare(reference=[5, 3, 0], epsilon=1, sensitivity=1, methods=["global-scale"], sampler="gibbs")
    weights = [math.exp(-gap / 2) for gap in (0, 2, 5)]
    regret = sum(w * gap for w, gap in zip(weights, (0, 2, 5), strict=True)) / sum(weights)
    (row,) = found.rows
    assert row.expected_regret == pytest.approx(regret, rel=1e-12)
    assert row.share == pytest.approx(regret / 5, rel=1e-12)
    assert row.best_probability == pytest.approx(1 / sum(weights), rel=1e-12)
    assert row.published_bound == pytest.approx(2 * math.log(2 * 0.95 / 0.05), rel=1e-9)
    assert row.published_bound == pytest.approx(row.curator_bound)


def test_no_release_counts_as_the_largest_gap():
    """A scale far below the local sensitivity practically never passes."""
    found = ds.compare(TRIANGLE, GRAPH, epsilon=1, delta="1e-6", methods=[ds.FixedScaleTest("1/2")])
    (row,) = found.rows
    assert row.release_probability < 1e-5
    assert row.share == pytest.approx(1, abs=1e-5)
    assert row.curator_bound is None


@pytest.mark.parametrize("method", ["private-bound", "private-smooth", "certificate-search", "global-scale"])
def test_the_published_bound_is_that_of_a_median_release(method):
    """Half of the released bounds are at most the median's, up to the grid; 400 draws, false alarm below 1e-9."""
    (row,) = ds.compare(TRIANGLE, GRAPH, epsilon=2, delta="1e-6", methods=[method]).rows
    bounds = [
        float(ds.select(TRIANGLE, GRAPH, epsilon=2, delta="1e-6", method=method, seed=s).regret_bound())
        for s in range(400)
    ]

    def plausible(bound):
        # Hoeffding: a share off by 0.165 has probability below 2 e^{-2 · 400 · 0.165²} = 7e-10. The grid of B is at
        # most 1/16 of its floor: released numbers are up to 2 % larger.
        return np.mean(np.array(bounds) < bound * 0.999) < 0.665 and np.mean(np.array(bounds) <= bound * 1.02) > 0.335

    assert plausible(row.published_bound)
    assert not plausible(row.published_bound * 0.5)
    assert not plausible(row.published_bound * 2)


def test_rows_are_in_order_and_the_best_is_the_first(found):
    assert [r.share for r in found.rows] == sorted(r.share for r in found.rows)
    assert found.best is found.rows[0]
    assert found[found.best.method.name] is found.best
    with pytest.raises(ds.InvalidParameter, match="no row for 'nothing'"):
        _ = found["nothing"]


def test_every_method_is_there_or_left_out_for_a_reason(found):
    from dpselect.methods import METHODS

    named = [row.method.name for row in found.rows] + [name for name, _ in found.left_out]
    assert sorted(named) == sorted(METHODS)
    assert all(why for _, why in found.left_out)


def test_a_range_of_sizes_is_averaged():
    sizes = ds.graph.GnpGraph((30, 120), 0.3)
    found = ds.compare(TRIANGLE, sizes, epsilon=1, methods=["ladder"])
    single = [ds.compare(TRIANGLE, g, epsilon=1, methods=["ladder"]).rows[0] for _, g in sizes.described()]
    assert found.sizes == (30, 60, 120)
    assert found.rows[0].regrets == tuple(r.expected_regret for r in single)
    assert found.rows[0].expected_regret == pytest.approx(np.mean([r.expected_regret for r in single]))
    assert found.rows[0].share == pytest.approx(np.mean([r.share for r in single]))
    assert found.rows[0].curator_bound == max(r.curator_bound for r in single)


def test_the_rule_is_said_everywhere(found):
    assert found.rule == RULE == found.to_dict()["rule"]
    assert RULE in str(found)
    assert "Never" in RULE
    assert "private data" in RULE


def test_json(found):
    content = json.loads(found.to_json())
    assert content["best"] == found.best.method.name
    assert [row["method"] for row in content["methods"]] == [row.method.name for row in found.rows]
    assert all(0 <= row["release_probability"] <= 1 for row in content["methods"])


def test_options_are_shown():
    (row,) = ds.compare(TRIANGLE, GRAPH, epsilon=1, delta="1e-6", methods=[ds.PrivateBound(split="1/3")]).rows
    assert row.options == {"split": "1/3"}
    assert row.split == Fraction(2, 3)


def test_a_method_that_publishes_no_scale_has_no_published_bound():
    (row,) = ds.compare(TRIANGLE, GRAPH, epsilon=1, delta="1e-6", methods=[ds.PrivateBound(releases="candidate")]).rows
    assert row.published_bound is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"problem": TRIANGLE}, "reference is missing"),
        ({"problem": TRIANGLE, "reference": GRAPH, "sensitivity": 1}, "go with scores"),
        ({"reference": [1, 2]}, "sensitivity is missing"),
        ({"reference": [1, 2], "sensitivity": 1, "methods": []}, "at least one"),
        ({"reference": [1, 2], "sensitivity": 1, "methods": "ladder"}, "must be a list"),
        ({"reference": [1, 2], "sensitivity": 1, "methods": ["auto"]}, "'auto' is not a method"),
        ({"reference": [1, 2], "sensitivity": 1, "methods": ["lader"]}, "did you mean 'ladder'"),
        ({"reference": [1, 2], "sensitivity": 1, "epsilon": 0}, "epsilon"),
        ({"reference": [1, 2], "sensitivity": 1, "delta": 1}, "delta must be below 1"),
        ({"reference": [1, 2], "sensitivity": 1, "rho": 0}, "rho"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ds.InvalidParameter, match=words):
        ds.compare(**{"epsilon": 1, **arguments})


def test_what_a_named_method_lacks_is_an_error():
    with pytest.raises(ds.UnsupportedProblem, match="needs levels"):
        ds.compare(reference=[1, 2], sensitivity=1, epsilon=1, methods=["private-bound"])


# ---------------------------------------------------------------- descriptions


@pytest.mark.parametrize("p", [0, 0.03, 0.4, 0.9, 1])
def test_random_graphs(p):
    """Edges are distinct, reproducible, and as many as they should be (20 graphs; 6 standard errors)."""
    pairs = 50 * 49 // 2
    counts = []
    for seed in range(20):
        graph = ds.graph.GnpGraph(50, p, seed).graph(50)
        again = ds.graph.GnpGraph(50, p, seed).graph(50)
        assert np.array_equal(graph.tails, again.tails)
        assert (graph.tails < graph.heads).all()
        assert len(set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))) == len(graph.tails)
        counts.append(len(graph.tails))
    assert abs(np.sum(counts) - 20 * pairs * p) <= 6 * math.sqrt(20 * pairs * p * (1 - p))


def test_histograms_are_rounded_to_whole_records():
    described = ds.table.Histogram({"c": ["a", "b", "c"], "v": [0, 1, 2]}, [1, 1, 1], records=(5, 500)).described()
    assert [len(table["c"]) for _, table in described] == [5, 50, 500]
    assert [table["v"].tolist().count(0) for _, table in described] == [2, 17, 167]
    mode = ds.table.Mode(["a", "b", "c"], category="c")
    assert ds.compare(mode, ds.table.Histogram({"c": ["a", "b"]}, [9, 1], 100), epsilon=1).largest_gaps == (90,)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: ds.graph.GnpGraph(1, 0.5),
        lambda: ds.graph.GnpGraph((10, 5), 0.5),
        lambda: ds.graph.GnpGraph((1, 2, 3), 0.5),
        lambda: ds.graph.GnpGraph(10, 1.5),
        lambda: ds.table.Histogram(["a"], [1, 2], 10),
        lambda: ds.table.Histogram(["a"], [0], 10),
        lambda: ds.table.Histogram(["a"], [1], 0),
        lambda: ds.table.Histogram({}, [], 10),
    ],
)
def test_bad_descriptions(bad):
    with pytest.raises(ds.InvalidParameter):
        bad()


def test_median_of_a_mixture():
    """A scale with an atom above 1/2 at its cap has the cap as its median."""
    law = ds.law(TRIANGLE, GRAPH, epsilon="1/100", delta="1e-6", method="private-bound")
    assert median_scales(law) == (58,)


def test_what_is_wrong_with_the_reference_is_said_of_it():
    problem = ds.table.BestMean(["a", "b"], "c", "v")
    for reference, words in (
        ("none.csv", "reference: no such file: 'none.csv'"),
        ({"c": ["a"]}, "reference: column: the data has no column 'v'"),
    ):
        with pytest.raises(ds.InvalidParameter) as caught:
            ds.compare(problem, reference, epsilon=1)
        assert str(caught.value) == words
