"""A continuous scale that is not released: the law of the answer alone."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from dressed_worlds import SAMPLERS
from test_verification_controls import STEEP, Altered, claiming

import dpselect as ds
from dpselect import worlds
from dpselect.guarantee import Guarantee
from dpselect.verification.report import TOLERANCE
from oracle import hockey, reading
from oracle.peeling import Peeled, top_law

HIDDEN = {
    "private-bound laplace": lambda s: ds.PrivateBound(sampler=s, noise="laplace", releases="candidate"),
    "private-bound truncated": lambda s: ds.PrivateBound(sampler=s, noise="truncated", releases="candidate"),
    "private-bound small floor": lambda s: ds.PrivateBound(sampler=s, floors="1/50", releases="candidate"),
    "private-smooth laplace": lambda s: ds.PrivateSmooth(sampler=s, noise="laplace", releases="candidate"),
    "private-smooth truncated": lambda s: ds.PrivateSmooth(sampler=s, noise="truncated", releases="candidate"),
}


def ends(report):
    """The enclosures of the law at every dataset."""
    return {i: mixture.answers[0].ends for i, mixture in report.outcomes.answers.mixtures.items()}


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", HIDDEN)
def test_one_level_against_quadrature(name, sampler):
    """The law of one answer by the quadrature of `ds.law`, to 1e-9; enclosed to 2^-100, and with it δ and ε."""
    world, method = worlds.path_world([[0, 0, 1], [1, -1, 0], [4, 0, 0]]), HIDDEN[name](sampler)
    report = ds.verify(world, epsilon=1, delta="1/20", method=method)
    laws = [ds.law(world, x, epsilon=1, delta="1/20", method=method).probabilities for x in world.datasets]
    for i, found in ends(report).items():
        assert max(high - low for low, high in found) <= TOLERANCE
        assert [float(low) for low, _ in found] == pytest.approx(laws[i].tolist(), abs=1e-9)
    pairs = [pair for u, v in world.edges for pair in ((u, v), (v, u))]
    for epsilon, shown in report.curve(["1/100", "1/10"]):
        truth = max(np.maximum(laws[i] - np.exp(float(epsilon)) * laws[j], 0).sum() for i, j in pairs)
        assert shown == pytest.approx(truth, abs=1e-8)
    truth = max(np.log(laws[i] / laws[j]).max() for i, j in pairs)
    assert report.pure_epsilon == pytest.approx(truth, abs=1e-7)
    assert report.holds is True


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("depth", [1, 2])
def test_levels_and_peels_against_nested_quadrature(depth, k):
    world = worlds.path_world([[0, 0, 0], [0, 0, 1], [1, -1, 0], [4, 0, 0]], depth=depth)
    method = ds.PrivateBound(noise="laplace", floors=("1/4", "1/2")[:depth], releases="candidate")
    report = ds.verify(world, epsilon=1, delta="1/20", method=method, top=k, detail="verdict")
    laws = [top_law(world, x, method, "1", "1/20", k) for x in world.datasets]
    models = [Peeled.of(reading.read(law, world, x), k) for law, x in zip(laws, world.datasets, strict=True)]
    for i, found in ends(report).items():
        b, mass, _ = hockey._nodes(models[i], models[i], 12)
        for (low, high), p in zip(found, mass @ models[i].given(b), strict=True):
            assert float(low) <= p + 1e-6
            assert p - 1e-6 <= float(high) <= float(low) + 1e-4
        assert sum(low for low, _ in found) <= 1 <= sum(high for _, high in found)
    assert report.holds is True


@pytest.mark.parametrize("name", HIDDEN)
def test_a_false_claim_fails_though_the_scale_is_hidden(name):
    """Not only undecided: the lower end is a proof for the answer alone."""
    method = HIDDEN[name]("gibbs")
    assert ds.verify(STEEP, epsilon=1, delta="1e-6", method=method).holds is True
    report = ds.verify(STEEP, epsilon=1, delta="1e-6", method=Altered(method, claiming("1/20")))
    assert report.holds is False
    assert report.delta_lower > report.delta_claimed
    assert set(report.witness) <= set(STEEP.candidates)
    assert report.witness


def test_two_levels_fail_too():
    world = worlds.path_world([[0, 0], [0, 0], [1, -1], [4, 0]], depth=2)
    method = ds.PrivateBound(floors=("1/4", "1/2"), releases="candidate")
    assert ds.verify(world, epsilon=1, delta="1e-6", method=method).holds is True
    assert ds.verify(world, epsilon=1, delta="1e-6", method=Altered(method, claiming("1/20"))).holds is False


def test_less_is_spent_where_the_scale_is_hidden():
    """Truncated noise attains its δ where the scale is released; the answer alone is pure on this world."""

    def pure(calibration):
        return replace(calibration, guarantee=Guarantee.approximate(calibration.guarantee.epsilon, 0))

    for hidden, holds in (("scale and candidate", False), ("candidate", True)):
        method = Altered(ds.PrivateBound(noise="truncated", releases=hidden), pure)
        report = ds.verify(STEEP, epsilon=1, delta="1/10", method=method)
        assert report.delta_claimed == Fraction(0)
        assert report.holds is holds


def test_a_scale_of_zero_where_nothing_changes():
    world = ds.World(list("abcd"), [(0, 1), (2, 3)], ["r", "s"], [[0, 0], [0, 0], [0, 0], [1, 0]])
    for method in HIDDEN.values():
        assert ds.verify(world, epsilon=1, delta="1e-3", method=method("gibbs")).holds is True
