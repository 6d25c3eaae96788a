"""Guarantees: parts, composition, zCDP; what cannot be a guarantee is refused."""

from fractions import Fraction

import pytest

from dpselect.errors import InvalidParameter
from dpselect.guarantee import Guarantee, Kind, Part


def test_basic_composition_adds_up_exactly():
    a = Guarantee.of([Part(Kind.LAPLACE, Fraction(1, 3)), Part(Kind.RANGE_BOUNDED, Fraction(1, 6))], delta="1e-6")
    b = Guarantee.pure("0.1")
    both = a + b
    assert both.epsilon == Fraction(1, 2) + Fraction(1, 10)
    assert both.delta == Fraction(1, 10**6)
    assert (b + a).epsilon == both.epsilon
    assert both.covers(a)
    assert both.covers(b)
    assert not a.covers(both)
    assert not b.covers(a)


def test_only_a_range_bounded_part_gets_the_smaller_zcdp():
    """ε²/8 needs the log-ratio to vary by at most ε over the outcomes; permute-and-flip's varies by up to 2ε."""
    e = Fraction(2)
    assert Guarantee.of([Part(Kind.RANGE_BOUNDED, e)]).zcdp == Fraction(1, 2)
    for kind in (Kind.PURE, Kind.LAPLACE):
        assert Guarantee.of([Part(kind, e)]).zcdp == 2
    assert (Guarantee.of([Part(Kind.RANGE_BOUNDED, e)]) + Guarantee.pure(1)).zcdp == 1


def test_free_costs_nothing_and_zero_parts_vanish():
    assert Guarantee.free().epsilon == Guarantee.free().delta == Guarantee.free().zcdp == 0
    assert Guarantee.of([Part(Kind.PURE, Fraction(0))]) == Guarantee.free()
    assert Guarantee.free() + Guarantee.pure(1) == Guarantee.pure(1)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1, "x", True, None, [1]])
def test_bad_numbers_are_refused(bad):
    with pytest.raises(InvalidParameter):
        Guarantee.pure(bad)
    with pytest.raises(InvalidParameter):
        Guarantee.approximate(1, bad)
    with pytest.raises(InvalidParameter):
        Guarantee((Part(Kind.PURE, bad),))


@pytest.mark.parametrize("delta", [1, 2, "1.0"])
def test_a_delta_of_one_says_nothing(delta):
    with pytest.raises(InvalidParameter):
        Guarantee.approximate(1, delta)


def test_deltas_that_add_up_to_one_are_refused():
    half = Guarantee.approximate(1, "1/2")
    with pytest.raises(InvalidParameter):
        half + half


def test_the_sampler_decides_the_kind():
    import dpselect as ds

    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 1], [1, 0]])
    for sampler, kind in (("gibbs", Kind.RANGE_BOUNDED), ("permute-and-flip", Kind.PURE)):
        law = ds.law(world, "x", epsilon=1, method=ds.GlobalScale(sampler=sampler))
        assert [part.kind for part in law.calibration.guarantee.parts] == [kind]


def test_release_and_law_claim_the_same():
    import dpselect as ds

    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 1], [1, 0]])
    for method in ("global-scale", "ladder", "private-bound", "private-smooth", "certificate-search", "direct-smooth"):
        release = ds.select(world, "x", epsilon="1/3", delta="1e-6", method=method, seed=1)
        guarantee = ds.law(world, "x", epsilon="1/3", delta="1e-6", method=method).calibration.guarantee
        assert (release.epsilon, release.delta) == (guarantee.epsilon, guarantee.delta)
        assert release.epsilon <= Fraction(1, 3)
