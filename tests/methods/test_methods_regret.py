"""Expected regret against sums by hand; the curator's bounds hold for every method; published bounds hold too."""

from fractions import Fraction

import numpy as np
import pytest
from every_method import SAMPLERS, methods

import dpselect as ds

WORLD = ds.World(
    ["x", "y", "z"],
    [(0, 1), (1, 2)],
    list("abcdefgh"),
    [[0, 2, 7, 7, 1, 3, 20, 24], [1, 2, 7, 7, 1, 3, 20, 25], [1, 3, 9, 7, 1, 3, 21, 27]],
)
GAPS = {"x": [24, 22, 17, 17, 23, 21, 4, 0], "y": [24, 23, 18, 18, 24, 22, 5, 0]}


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("x", ["x", "y"])
def test_curator_bound_holds_and_regret_is_the_sum(sampler, x):
    rho, xi = Fraction(1, 10), Fraction(1, 10)
    for epsilon in (1, 8):
        for method in methods(sampler):
            law = ds.law(WORLD, x, epsilon=epsilon, delta="1/100", method=method)
            p = law.candidates.probabilities
            by_hand = float(p @ np.array(GAPS[x])) + law.no_release * 24
            assert ds.expected_regret(law) == pytest.approx(by_hand, rel=1e-12, abs=1e-15)
            bound = ds.diagnose(WORLD, x).regret(method, epsilon=epsilon, delta="1/100", rho=rho, xi=xi)
            if bound is None:
                assert method.name == "fixed-scale-test"
                assert law.no_release > xi
                continue
            beyond = sum(q for q, g in zip(p, GAPS[x], strict=True) if g > bound) + law.no_release
            assert beyond <= rho + xi + 1e-9, method


def test_released_upper_quantiles_hold():
    """b↑(ξ): Pr[B > b↑(ξ)] ≤ ξ."""
    for method in methods("gibbs"):
        law = ds.law(WORLD, "y", epsilon=2, delta="1/100", method=method)
        for xi in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)):
            upper = law.calibration.kernel.upper(law.evaluation, xi)
            if upper:
                released = 1 - law.no_release
                assert law.scale.cdf(float(upper[0])) >= released - float(xi) - 1e-12 - law.no_release


def test_not_released_is_counted_as_asked():
    law = ds.law(WORLD, "x", epsilon=1, delta="1/100", method=ds.FixedScaleTest("3/2", noise="laplace"))
    withheld = law.no_release
    assert 0.5 < withheld < 1
    left_out = ds.expected_regret(law, not_released="left out")
    assert ds.expected_regret(law) == pytest.approx(left_out * (1 - withheld) + withheld * 24)
    with pytest.raises(ds.InvalidParameter, match="not_released"):
        ds.expected_regret(law, not_released="zero")


def test_permute_and_flip_is_never_worse_at_a_scale():
    for flip, gibbs in zip(methods("permute-and-flip"), methods("gibbs"), strict=True):
        if flip.name in ("global-scale", "private-bound", "ladder", "log-transform", "private-smooth"):
            worse, better = (
                ds.expected_regret(ds.law(WORLD, "y", epsilon=2, delta="1/100", method=m)) for m in (gibbs, flip)
            )
            assert better <= worse + 1e-12
