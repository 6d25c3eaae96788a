"""The numbers of the theory, to the digits given there."""

import math
from fractions import Fraction

import pytest
from every_method import SAMPLERS
from scipy.optimize import brentq

import dpselect as ds
from dpselect.exact.reals import Real, less
from dpselect.laws import GIBBS, PERMUTE_AND_FLIP
from dpselect.methods.certificate_search import finder_named
from dpselect.methods.direct_smooth import hotter_loss, largest_smoothness, source_smoothness
from dpselect.methods.private_bound import source_factor

MILLIONTH = Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("size", "epsilon", "source", "half", "whole"),
    [
        (10, 1, ".01452", ".04140", ".07725"),
        (1000, 1, ".01146", ".03035", ".05759"),
        (10**6, 3, ".02525", ".06103", ".11563"),
    ],
)
def test_smoothness_table(size, epsilon, source, half, whole):
    """Section 7: source eq. 40, ours at ε_b = ε/2, ours at ε_b = ε, to five decimals."""
    epsilon = Fraction(epsilon)
    assert float(source_smoothness(size, epsilon, MILLIONTH)) == pytest.approx(float(source), abs=5e-6)
    for share, printed in ((Fraction(1, 2), half), (Fraction(1), whole)):
        found = largest_smoothness(size, epsilon * share, MILLIONTH, GIBBS)
        assert float(found) == pytest.approx(float(printed), abs=5e-6)


@pytest.mark.parametrize("sampler", [GIBBS, PERMUTE_AND_FLIP])
@pytest.mark.parametrize("size", [2, 3, 10, 10**6])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 2), Fraction(7), Fraction(3000)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**12), MILLIONTH, Fraction(1, 3)])
def test_smoothness_is_largest(sampler, size, epsilon, delta):
    """Dyadic, admissible, and one part in 10^8 more is not."""
    beta = largest_smoothness(size, epsilon, delta, sampler)
    assert beta.denominator & (beta.denominator - 1) == 0
    more = beta * (1 + Fraction(1, 10**8))
    size_bound = Real.of(size).log()
    assert less(hotter_loss(size, beta, epsilon, sampler), delta)
    assert less(beta * size_bound, epsilon)
    assert less(delta, hotter_loss(size, more, epsilon, sampler)) or less(epsilon, more * size_bound)


def test_loss_is_the_maximum_it_stands_for():
    """The closed form against max_z e^{-z} (1 − e^{ε_b − a z}) by root finding."""
    for beta, epsilon in ((Fraction(1, 20), Fraction(1, 2)), (Fraction(2), Fraction(1))):
        a, e = math.expm1(float(beta)), float(epsilon)
        z = brentq(lambda t, a=a, e=e: (1 + a) * math.exp(e - a * t) - 1, 0, 1e4)
        expected = math.exp(-z) * (1 - math.exp(e - a * z))
        assert float(hotter_loss(2, beta, epsilon, GIBBS)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("count", "binary", "gibbs", "flip"),
    [(4, 135, 152, 141), (8, 212, 165, 154), (16, 291, 177, 167), (1024, 801, 245, 234)],
)
def test_needed_distances(count, binary, gibbs, flip):
    """Section 5, ε_t = 1/4, η = 1e-6, ζ = .05. The theory prints whole numbers, some rounded up, some to nearest."""
    grid = tuple(Fraction(i + 1) for i in range(count))
    searches = {"binary-laplace": binary, "index-gibbs": gibbs, "index-permute-and-flip": flip}
    for search, printed in searches.items():
        finder = finder_named(search, grid, Fraction(1, 4), MILLIONTH)
        assert abs(float(finder.needed_distance(Fraction(1, 20))) - printed) < 0.6
    tests = (count - 1).bit_length()
    exact = 4 * tests * (math.log(tests / 2e-6) + math.log(tests / 0.1))
    binary_search = finder_named("binary-laplace", grid, Fraction(1, 4), MILLIONTH)
    assert float(binary_search.needed_distance(Fraction(1, 20))) == pytest.approx(exact, rel=1e-12)
    exact = 8 * (math.log((count - 1) * (1 - 1e-6) / 1e-6) + math.log((count - 1) * 19))
    selection = finder_named("index-gibbs", grid, Fraction(1, 4), MILLIONTH)
    assert float(selection.needed_distance(Fraction(1, 20))) == pytest.approx(exact, rel=1e-12)


def test_truncated_search_wins_at_four_and_is_the_default_there():
    grid = tuple(Fraction(i + 1) for i in range(4))
    distances = {
        search: finder_named(search, grid, Fraction(1, 4), MILLIONTH).needed_distance(Fraction(1, 20))
        for search in ("auto", "binary-laplace", "binary-truncated", "index-gibbs", "index-permute-and-flip")
    }
    # τ = 8 log(1 + (e^{1/8} − 1)·10^6), u = 8 log 20 up to the cut.
    expected = 8 * math.log1p(math.expm1(1 / 8) * 1e6) + 8 * math.log(20)
    assert float(distances["binary-truncated"]) == pytest.approx(expected, abs=1e-2)
    assert min(distances, key=distances.get) == "auto"
    assert distances["auto"] == distances["binary-truncated"]


@pytest.mark.parametrize("size", [2, 3, 10, 4039])
@pytest.mark.parametrize("rho", [Fraction(1, 20), MILLIONTH])
def test_tails(size, rho):
    """Section 1: Gibbs log((m − 1)(1 − ρ)/ρ); permute-and-flip solves its own equation, about log 2 lower."""
    k = float(GIBBS.tail(size, rho))
    assert k == pytest.approx(math.log((size - 1) * (1 - rho) / rho), rel=1e-12)
    p = math.exp(-float(PERMUTE_AND_FLIP.tail(size, rho)))
    value = 1 + math.expm1(size * math.log1p(-p)) / (size * p) if size * p > 1e-3 else (size - 1) * p / 2
    assert value == pytest.approx(float(rho), rel=1e-3)
    assert 0.3 < k + math.log(p) < 0.75


def test_upper_quantile_of_the_private_smooth_scale():
    """Eq. 48: B ≤ S (1/(4 ξ η))^{β/ε_t} with probability ≥ 1 − ξ, here up to one step of the grid."""
    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 5], [3, 5]])
    method = ds.PrivateSmooth(noise="laplace", smoothness="1/50", grid="1/1024")
    found = ds.law(world, "x", epsilon=1, delta=MILLIONTH, method=method)
    kernel = found.calibration.kernel
    upper = kernel.upper(found.evaluation, Fraction(1, 20))
    assert upper is not None
    expected = min(3.0, 3 * (1 / (4 * 0.05 * 1e-6)) ** (0.02 / 0.25))
    assert float(upper[0]) == pytest.approx(expected, rel=2e-3)


def test_source_accounting_spends_the_same_delta_with_smaller_failures():
    """eqs. 8–13 by a plain float recursion, k = 2."""
    shares, selecting = [0.2, 0.3, 0.1], 0.4
    eta, bar = [1.0, 1.0, 1.0], 0.0
    for j in (1, 0):
        bar = min(eta[j + 1] + math.exp(shares[j]) * bar, bar + math.exp(sum(shares[j + 1 :])) * eta[j + 1])
    expected = min(eta[0] + math.exp(selecting) * bar, bar + math.exp(sum(shares)) * eta[0])
    found = source_factor([Fraction(2, 10), Fraction(3, 10), Fraction(1, 10)], Fraction(4, 10))
    assert float(found) == pytest.approx(expected, rel=1e-12)
    assert expected <= sum(math.exp(sum(shares[j:])) for j in range(3))
    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 5], [3, 5]], depth=3)
    failures = []
    for accounting in ("sharper", "source"):
        method = ds.PrivateBound(noise="laplace", accounting=accounting)
        calibration = ds.law(world, "x", epsilon=1, delta=MILLIONTH, method=method).calibration
        assert calibration.guarantee.delta == MILLIONTH
        failures.append([level.noise.failure for level in calibration.kernel.levels if level.noise])
    assert all(theirs < ours for ours, theirs in zip(*failures, strict=True))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_log_transform_lies_below_the_paper_ladder_and_meets_it_at_whole_steps(sampler):
    """Section 6: at c*, h ≤ −C⁻¹(g), with equality where g = C(k)."""
    beta, size = Fraction(1, 5), 40
    world = ds.World(["x", "y"], [(0, 1)], list(range(size)), [[-Fraction(i, 3) for i in range(size)], [0] * size])
    options = {"sampler": sampler, "smoothness": beta}
    log, ladder = (
        ds.law(world, "x", epsilon=1, method=method).given().exponents.proposal
        for method in (ds.LogTransform(**options), ds.Ladder(accounting="source", **options))
    )
    assert (log >= ladder - 1e-12).all()
    assert (log > ladder + 1e-6).any()
    # S = 13 at both datasets: C(1) = κ S = 26 lies beyond every gap, C(k) = 26 (e^{βk} − 1)/(e^β − 1).
    scores = [0, -26, -float(26 * math.expm1(2 * 0.2) / math.expm1(0.2))]
    pair = ds.World(["x", "y"], [(0, 1)], ["a", "b", "c"], [scores, [0, -13, scores[2]]])
    log, ladder = (
        ds.law(pair, "x", epsilon=1, method=method).given().exponents.proposal
        for method in (ds.LogTransform(**options), ds.Ladder(accounting="source", **options))
    )
    assert log == pytest.approx([0, 0.5, 1.0], rel=1e-12)
    assert ladder == pytest.approx([0, 0.5, 1.0], rel=1e-12)
