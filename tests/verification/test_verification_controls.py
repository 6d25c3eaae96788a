"""Named controls: mechanisms that are wrong in one known way are caught, on the right edge."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

import dpselect as ds
from dpselect import failures, worlds
from dpselect.guarantee import Guarantee
from dpselect.methods.law import Law
from dpselect.methods.method import Method


@dataclass(frozen=True)
class Altered(Method):
    """A method whose calibration was tampered with after planning."""

    method: Method
    change: object

    name = "altered"
    theorem = "none"

    def lacks(self, question):
        return self.method.lacks(question)

    def plan(self, question, budget):
        return self.change(self.method.plan(question, budget))


def claiming(share):
    """Claims only a share of the ε that is spent."""

    def change(calibration):
        own = calibration.guarantee
        return replace(calibration, guarantee=Guarantee.approximate(own.epsilon * Fraction(share), own.delta))

    return change


def changed_level(**fields):
    """The last level of the kernel with other fields."""

    def change(calibration):
        kernel = calibration.kernel
        level = replace(kernel.levels[0], **{k: v(kernel.levels[0]) for k, v in fields.items()})
        return replace(calibration, kernel=replace(kernel, levels=(level, *kernel.levels[1:])))

    return change


def cheaper_noise(level):
    """The noise of twice the ε that is charged."""
    return replace(level.noise, epsilon=2 * level.noise.epsilon)


def likelier_failure(level):
    """A bound that fails ten times as often as charged."""
    return replace(level.noise, failure=10 * level.noise.failure)


STEEP = worlds.path_world([[0, 0], [0, 0], [1, -1], [4, 0]])
ATTAINED = worlds.path_world([[0, 0], [1, -1]])


# ---------------------------------------------------------------- a user's own mechanism


def test_naive_local_scale_is_reported_with_the_right_edge():
    world = worlds.local_scale_world(50)
    report = ds.verify(world, epsilon=1, delta="1e-6", method=failures.at_local_scale(world))
    assert report.holds is False
    assert report.worst_edge == ("x'", "x")
    assert report.witness == ("b",)
    # Pr_{x'}[b] − e Pr_x[b] with LS(x') = 2500, LS(x) = 1, gap 50.
    truth = 1 / (1 + math.exp(50 / 5000)) - math.e / (1 + math.exp(25))
    assert float(report.delta_exact) == pytest.approx(truth, rel=1e-12)


def test_a_mapping_of_fractions_is_taken_exactly():
    world = worlds.path_world([[0, 0], [1, 0]])
    laws = {"x0": {"r0": "1/2", "r1": Fraction(1, 2)}, "x1": {"r0": "3/4", "r1": "0.25"}}
    report = ds.verify(world, epsilon="1/2", delta=0, method=laws.__getitem__)
    assert report.holds is False
    assert report.method == "__getitem__"
    assert report.sampler is None
    assert report.pure_epsilon == pytest.approx(math.log(2))
    truth = max(0.75 - math.exp(0.5) * 0.5, 0.5 - math.exp(0.5) * 0.25)
    assert float(report.delta_exact) == pytest.approx(truth, rel=1e-12)
    assert ds.verify(world, epsilon="7/10", delta=0, method=laws.__getitem__).holds is True


def test_a_candidate_that_is_missing_has_probability_zero():
    world = worlds.path_world([[0, 0], [1, 0]])
    laws = {"x0": {"a": 1}, "x1": {"a": "9/10", "b": "1/10"}}
    report = ds.verify(world, epsilon=5, delta="1/20", method=laws.__getitem__)
    assert report.holds is False
    assert report.worst_edge == ("x1", "x0")
    assert report.witness == ("b",)
    assert report.delta_exact == Fraction(1, 10) or abs(report.delta_exact - Fraction(1, 10)) < Fraction(1, 2**100)
    assert report.pure_epsilon == math.inf
    assert report.to_dict()["pure_epsilon"] is None


def test_floats_that_attain_their_claim_are_undecided_not_an_alarm():
    world = worlds.path_world([[0, 0], [1, -1]])
    p = 1 / (1 + math.e)
    laws = {"x0": {"a": 0.5, "b": 0.5}, "x1": {"a": 1 - p, "b": p}}
    report = ds.verify(world, epsilon=Fraction(math.log(0.5 / p)), delta=0, method=laws.__getitem__)
    assert report.holds is None
    assert report.verdict == "undecided"
    assert ds.verify(world, epsilon="0.7", delta=0, method=laws.__getitem__).holds is True


def test_laws_of_the_library_from_a_function():
    world = STEEP

    def spends_twice(x):
        return ds.law(world, x, epsilon=2, delta="1e-6", method="private-bound")

    assert ds.verify(world, epsilon=2, delta="1e-6", method=spends_twice).holds is True
    half = ds.verify(world, epsilon="1/2", delta="1e-6", method=spends_twice)
    assert half.holds is False
    assert half.witness


@pytest.mark.parametrize(
    "law",
    [{}, {"a": "1/2"}, {"a": math.nan}, {"a": -1, "b": 2}, {"a": True}, 3, [0.5, 0.5]],
    ids=str,
)
def test_what_is_no_law_is_refused(law):
    with pytest.raises(ds.InvalidParameter):
        ds.verify(ATTAINED, epsilon=1, method=lambda x: law)


# ---------------------------------------------------------------- tampered methods


TAMPERED = {
    "global scale claims 9/10 of its ε": (ATTAINED, Altered(ds.GlobalScale(), claiming("9/10"))),
    "kappa 1 without monotone scores": (
        ATTAINED,
        Altered(ds.GlobalScale(), lambda c: replace(c, selection=replace(c.selection, kappa=1))),
    ),
    "noise of twice the charged ε": (
        STEEP,
        Altered(ds.PrivateBound(noise="laplace", split="9/10"), changed_level(noise=cheaper_noise)),
    ),
    "a bound that fails too often, truncated": (
        STEEP,
        Altered(ds.PrivateBound(noise="truncated"), changed_level(noise=likelier_failure)),
    ),
    "a bound that fails too often, laplace": (
        STEEP,
        Altered(ds.PrivateBound(noise="laplace", floors="1/1000"), changed_level(noise=likelier_failure)),
    ),
    "a smooth bound that is not smooth": (
        STEEP,
        Altered(
            ds.PrivateSmooth(noise="truncated"),
            lambda c: replace(c, kernel=replace(c.kernel, noise=replace(c.kernel.noise, failure=Fraction(1, 3)))),
        ),
    ),
    "a test that passes too often": (
        STEEP,
        Altered(
            ds.FixedScaleTest(1, noise="truncated"),
            lambda c: replace(c, kernel=replace(c.kernel, noise=replace(c.kernel.noise, failure=Fraction(1, 3)))),
        ),
    ),
    "a search with half its threshold": (
        STEEP,
        Altered(
            ds.CertificateSearch(search="binary-laplace", grid=["1/100", 1, 4]),
            lambda c: replace(c, kernel=replace(c.kernel, noise=replace(c.kernel.noise, failure=Fraction(2, 5)))),
        ),
    ),
    "flip distances at twice the rate": (
        worlds.path_world([[6, 0], [5, 0], [4, 0], [3, 0], [2, 0], [1, 0], [0, 0], [0, 1], [0, 2]], monotone=False),
        Altered(
            ds.InverseSensitivity(sampler="gibbs"),
            lambda c: replace(c, selection=replace(c.selection, epsilon=3 * c.selection.epsilon)),
        ),
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_methods_are_caught(name):
    world, method = TAMPERED[name]
    report = ds.verify(world, epsilon=1, delta="1/50", method=method)
    assert report.holds is False, report
    assert report.delta_lower > report.delta_claimed
    # The untampered method is fine.
    assert ds.verify(world, epsilon=1, delta="1/50", method=method.method).holds is True


def test_direct_smooth_with_a_larger_smoothness_is_caught():
    """At ten times the β of theory 7 the multiplicity world exceeds δ; at β it does not."""
    method = ds.DirectSmooth(sampler="gibbs", split="1/2")

    def rougher(calibration):
        beta = calibration.selection.smoothness
        return replace(calibration, selection=replace(calibration.selection, smoothness=10 * beta))

    found = []
    for gap in range(10, 60, 4):
        world = worlds.multiplicity_world(10, gap, 1)
        assert ds.verify(world, epsilon=1, delta="1e-6", method=method).holds is True
        found.append(ds.verify(world, epsilon=1, delta="1e-6", method=Altered(method, rougher)).holds)
    assert False in found


def test_a_scale_in_use_that_was_not_released_with_its_law_is_refused():
    """Different public constants at two neighbours cannot be one mechanism."""
    first = ds.law(STEEP, "x0", epsilon=1, delta="1e-6", method=ds.PrivateBound(floors="1/2"))
    second = ds.law(STEEP, "x1", epsilon=1, delta="1e-6", method=ds.PrivateBound(floors="1/4"))
    world = worlds.path_world([[0, 0], [0, 0]])
    with pytest.raises(ds.UnsupportedProblem, match="public constants"):
        ds.verify(world, epsilon=1, delta="1e-6", method={"x0": first, "x1": second}.__getitem__)


def test_descriptions_of_noise_agree_with_the_distribution_functions():
    """What verification reads off the drawing objects is the law whose cdf the methods' tests pin to draws."""
    from dpselect.exact import reals
    from dpselect.verification.levels import distribution, levels_of

    for noise in ("laplace", "truncated"):
        law = ds.law(STEEP, "x2", epsilon=1, delta="1/50", method=ds.PrivateBound(noise=noise, floors="1/4"))
        (level,) = levels_of(law.scale)
        for b in (0.3, 0.7, 1.5, 2.9):
            with reals.balls(128) as ball:
                bound = None if level.noise.bound is None else ball(level.noise.bound)
                w = (ball(Fraction(b)) - ball(level.location)) / ball(level.noise.rate) - ball(level.noise.shift)
                low, high = reals.ends(distribution(bound, w))
            assert float(low) - 1e-13 <= law.scale.cdf(b) <= float(high) + 1e-13


def test_a_law_is_a_law():
    """The calibration given to `Law` is the one that draws: nothing else is read."""
    calibration = ds.law(STEEP, "x2", epsilon=1, method="ladder").calibration
    assert isinstance(Law(calibration, STEEP.posed(2).evaluation, STEEP.candidates), Law)
