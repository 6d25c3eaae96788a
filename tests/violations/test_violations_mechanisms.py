"""Mechanisms that looked private and were not. Each test: what went wrong somewhere, that it breaks, that ours holds.

A violation that is found in dpselect itself gets a test here, with the number of its advisory.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpselect as ds
from dpselect import failures
from dpselect.failures import Failure
from dpselect.guarantee import Kind


def fails_as_published_and_holds_as_ours(found: Failure) -> None:
    assert found.naive.holds is False
    assert found.ours is None or found.ours.holds is True


def test_local_sensitivity_as_a_scale() -> None:
    """The scale of the noise was the local sensitivity itself, which depends on the data like the answer does."""
    fails_as_published_and_holds_as_ours(failures.naive_local_scale(gaps=(2, 10)))


def test_smooth_sensitivity_as_a_temperature() -> None:
    """The exponential mechanism was run at a smooth bound, as if it were additive noise: no ε is enough."""
    fails_as_published_and_holds_as_ours(failures.naive_smooth_scale(gaps=(1, 100)))
    fails_as_published_and_holds_as_ours(failures.multiplicity(sizes=(10, 100)))


def test_a_ladder_of_constant_width() -> None:
    """A smooth bound was used as the width of every rung: the widths have to grow from rung to rung."""
    fails_as_published_and_holds_as_ours(failures.constant_widths(gaps=(1, 100)))


def test_local_sensitivity_over_edges_only() -> None:
    """Graph code took the largest change over the edges that are there; a new edge can change more."""
    fails_as_published_and_holds_as_ours(failures.edges_only(sizes=(50,)))
    # Six common neighbours of two vertices that are not adjacent, and nothing else.
    graph = ds.graph.Graph.from_edges([(side, 2 + i) for i in range(6) for side in (0, 1)])
    assert ds.diagnose(ds.graph.TopVertex("triangle"), graph).local_sensitivity == 6


def test_candidates_from_the_data() -> None:
    """The candidates were the values that occur: one that a single record brings along gives the record away."""
    fails_as_published_and_holds_as_ours(failures.data_dependent_candidates())
    release = ds.select(ds.graph.TopVertex("triangle"), ds.graph.Graph.from_edges([(0, 1), (1, 2)]), epsilon=1)
    assert any("declared public" in said for said in release.assumptions)


def test_a_difference_charged_for_one_term() -> None:
    """Wins minus losses move by 2, and were charged for 1."""
    fails_as_published_and_holds_as_ours(failures.difference_charged_for_one())


def test_monotone_by_assertion() -> None:
    """A flag halved the noise for 'monotone' scores, and nobody looked whether they were."""
    with pytest.raises(ds.InvalidParameter, match="monotone"):
        ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 1], [1, 0]], monotone=True)
    honest = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 1], [1, 0]])
    assert ds.verify(honest, epsilon=1, method="global-scale").holds
    # What the flag would have given: e^{q} at x and y, two apart in each odds.
    law = {"x": {"a": "0.2689", "b": "0.7311"}, "y": {"a": "0.7311", "b": "0.2689"}}
    assert ds.verify(honest, epsilon="99/100", method=lambda x: law[x]).holds is False


def test_permute_and_flip_priced_like_an_exponential_mechanism() -> None:
    """Every selection was given the ε²/8 of a bounded range; permute-and-flip has losses further apart than ε."""
    for sampler, kind in (("gibbs", Kind.RANGE_BOUNDED), ("permute-and-flip", Kind.PURE)):
        release = ds.select([0, 1], epsilon=1, sensitivity=1, sampler=sampler, method="global-scale")
        assert [part.kind for part in release.guarantee.parts] == [kind]
    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 0], [1, 0]], monotone=True)
    report = ds.verify(world, epsilon=1, method="global-scale", sampler="permute-and-flip")
    laws = [ds.law(world, x, epsilon=1, method="global-scale", sampler="permute-and-flip").candidates for x in "xy"]
    ratios = [laws[1][r] / laws[0][r] for r in "ab"]
    assert report.holds
    assert max(ratios) / min(ratios) > 2.718281829 * 1.6  # e^ε (2 − e^{-ε})


STEP, ODDS = Fraction(1, 100), Fraction(3)


def chain(x: str) -> dict[str, Fraction]:
    """Three datasets in a row; Pr[the telling outcome] = 0, δ, δ + 3δ: each step is (log 3, δ)-private, no better."""
    telling = {"x": Fraction(0), "y": STEP, "z": STEP + ODDS * STEP}[x]
    return {"telling": telling, "quiet": 1 - telling}


def test_group_privacy_with_delta_times_k() -> None:
    """For two records δ became 2δ. It is δ(1 + e^ε): the second step multiplies what the first one lost."""
    log3 = "1.0986122886681099"  # above log 3
    steps = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["telling", "quiet"], [[0, 0]] * 3)
    assert ds.verify(steps, epsilon=log3, delta=STEP, method=chain).holds
    two_apart = ds.World(["x", "y", "z"], [(0, 2)], ["telling", "quiet"], [[0, 0]] * 3)
    twice = "2.1972245773362198"
    assert ds.verify(two_apart, epsilon=twice, delta=2 * STEP, method=chain).holds is False
    assert ds.verify(two_apart, epsilon=twice, delta=STEP * (1 + ODDS), method=chain).holds


def test_failure_probabilities_left_out_of_delta() -> None:
    """A private upper bound fails to cover with probability η; the release was called ε-private all the same."""
    world = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [50, 0]])
    method = ds.PrivateBound(noise="laplace")
    with pytest.raises(ds.InvalidParameter, match="delta must be positive"):
        ds.select(world, "x", epsilon=1, method=method)
    assert ds.select(world, "x", epsilon=1, delta="1/100", method=method).delta == Fraction(1, 100)
    assert ds.verify(world, epsilon=1, delta="1/100", method=method).holds
