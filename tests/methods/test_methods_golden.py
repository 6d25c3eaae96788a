"""Golden properties: score units, a constant added and the order of candidates change no law."""

from fractions import Fraction

import numpy as np
import pytest
from every_method import SAMPLERS, law, methods, world, world_parts
from hypothesis import given, settings
from hypothesis import strategies as st


def same(first, second, order=None):
    (p, withheld), (q, also_withheld) = first, second
    expected = p if order is None else p[order]
    return np.allclose(q, expected, rtol=1e-8, atol=1e-12) and abs(withheld - also_withheld) < 1e-12


@pytest.mark.parametrize("sampler", SAMPLERS)
@settings(max_examples=8, deadline=None)
@given(parts=world_parts(), power=st.integers(-40, 40), depth=st.sampled_from([1, 2]))
def test_unit_of_scores_changes_no_law(sampler, parts, power, depth):
    factor = Fraction(2) ** power
    plain, scaled = world(parts, depth=depth), world(parts, lambda q: q * factor, depth)
    for before, after in zip(methods(sampler), methods(sampler, factor), strict=True):
        assert same(law(plain, "x0", before), law(scaled, "x0", after)), before


@pytest.mark.parametrize("sampler", SAMPLERS)
@settings(max_examples=8, deadline=None)
@given(parts=world_parts(), constant=st.fractions(max_denominator=7, min_value=-(10**6), max_value=10**6))
def test_a_constant_changes_no_law(sampler, parts, constant):
    plain, moved = world(parts), world(parts, lambda q: q + constant)
    for method in methods(sampler):
        assert same(law(plain, "x1", method), law(moved, "x1", method)), method


@pytest.mark.parametrize("sampler", SAMPLERS)
@settings(max_examples=8, deadline=None)
@given(parts=world_parts(), data=st.data())
def test_order_of_candidates_permutes_the_law(sampler, parts, data):
    datasets, edges, candidates, scores = parts
    order = data.draw(st.permutations(range(len(candidates))))
    mixed = datasets, edges, [candidates[r] for r in order], [[row[r] for r in order] for row in scores]
    for method in methods(sampler):
        assert same(law(world(parts), "x0", method), law(world(mixed), "x0", method), list(order)), method


def test_the_comparison_rejects_another_unit():
    """Negative control: a public scale left in the old unit changes the law."""
    parts = ["x", "y"], [(0, 1)], ["a", "b"], [[0, 1], [2, 1]]
    plain, scaled = world(parts), world(parts, lambda q: q * 4)
    rejected = [
        not same(law(plain, "x", method, delta="1/3"), law(scaled, "x", method, delta="1/3"))
        for method in methods("gibbs")
        if method.name == "fixed-scale-test"
    ]
    assert any(rejected)
