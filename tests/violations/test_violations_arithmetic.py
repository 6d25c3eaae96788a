"""Numbers that were not the numbers of the proof: rounding, overflow, NaN, underflow, drift."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpselect as ds
from dpselect.exact.bits import SystemBits
from dpselect.exact.draw import acceptance
from dpselect.exact.exponents import Exponents
from dpselect.exact.noise import Laplace
from dpselect.exact.reals import less


def test_rounding_the_noise_alone() -> None:
    """The noise was rounded to a grid and then added: value mod grid is printed with every answer.

    Ours rounds the sum. Two values a third of a step apart give the same outcomes, with odds within e^{1/3}.
    """
    value, neighbour, step = Fraction(1, 3), Fraction(2, 3), Fraction(1)
    noise = Laplace(Fraction(1))
    rounded_alone = {
        x: {x + noise.draw_ceiling(Fraction(0), step, SystemBits()) for _ in range(50)} for x in (value, neighbour)
    }
    assert not rounded_alone[value] & rounded_alone[neighbour]
    for k in range(-20, 21):
        # Pr[ceil(x + W) = k] = F(k − x) − F(k − 1 − x).
        odds = [noise.cdf(float(k - x)) - noise.cdf(float(k - 1 - x)) for x in (value, neighbour)]
        assert abs(math.log(odds[0] / odds[1])) <= 1 / 3 + 1e-6
    drawn = {noise.draw_ceiling(value, step, SystemBits()) for _ in range(50)}
    assert all(isinstance(k, int) for k in drawn)


def test_released_scales_lie_on_one_public_grid() -> None:
    """The same, seen from outside: what is released does not show the last digits of the private bound."""
    scores = [[0, 0], ["1/3", 0], ["1", 0]]
    world = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], scores)
    for x in world.datasets:
        for _ in range(20):
            scale = ds.select(world, x, epsilon=1, delta="1/10", method=ds.PrivateBound(noise="laplace")).scale
            denominator = scale.denominator
            # A floor or cap is public; everything else is dyadic, whatever thirds the scores are made of.
            assert denominator & (denominator - 1) == 0 or scale in {Fraction(1, 3), Fraction(2, 3), Fraction(1)}


NOT_A_BUDGET = [float("nan"), "nan", float("inf"), -1, 0, True, None, "1e", np.float64("nan"), 1j]


@pytest.mark.parametrize("epsilon", NOT_A_BUDGET, ids=repr)
def test_epsilon_that_is_no_number(epsilon: Any) -> None:
    """`if epsilon <= 0: raise` lets NaN pass, and NaN noise is no noise; ∞ switches it off, True is 1."""
    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 0], [1, 0]])
    for refused in (
        lambda: ds.select([1, 2], epsilon=epsilon, sensitivity=1),
        lambda: ds.law([1, 2], epsilon=epsilon, sensitivity=1),
        lambda: ds.select(world, "x", epsilon=epsilon),
        lambda: ds.verify(world, epsilon=epsilon, method="global-scale"),
        lambda: ds.select_each([world], "x", epsilon=epsilon),
    ):
        with pytest.raises(ds.InvalidParameter, match="epsilon"):
            refused()
    if epsilon != 0:
        with pytest.raises(ds.InvalidParameter, match="epsilon"):
            ds.Guarantee.pure(epsilon)


@pytest.mark.parametrize("delta", [float("nan"), -1e-9, 1, 2, True, "x"], ids=repr)
def test_delta_that_is_no_probability(delta: Any) -> None:
    """δ ≥ 1 promises nothing, and a negative δ made a threshold pass always."""
    with pytest.raises(ds.InvalidParameter, match="delta"):
        ds.select([1, 2], epsilon=1, delta=delta, sensitivity=1)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint64, np.int64, np.uint16])
def test_gaps_that_wrap_around(dtype: Any) -> None:
    """`scores − scores.max()` in the caller's dtype: 0 − 200 is 56 in eight bits, and the worst became likely."""
    top = min(200, np.iinfo(dtype).max)
    scores = np.array([0, top, top - 1], dtype=dtype)
    law = ds.law(scores, epsilon="1/10", sensitivity=1, method="global-scale").candidates
    exact = ds.law([0, top, top - 1], epsilon="1/10", sensitivity=1, method="global-scale").candidates
    assert [law[i] for i in range(3)] == [exact[i] for i in range(3)]
    assert law[0] < law[2] < law[1]
    far = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    assert ds.law(far, epsilon=1, sensitivity=1, method="global-scale").candidates[1] == 1.0


def test_weights_that_underflow_to_zero() -> None:
    """exp(−800) is 0 in double precision: a candidate that is impossible here and possible next door breaks every ε.

    Ours gives every candidate that is not excluded an integer weight of at least 1, and an exact coin decides.
    """
    z = Fraction(800)
    assert math.exp(-float(z)) == 0
    exponents = Exponents(np.array([0.0, float(z)]), [Fraction(0), z].__getitem__)
    # Proposed with weight 1, kept with probability 2^40 e^{-800}: rare, not impossible.
    kept = acceptance(exponents, 1, 1, 40)
    assert less(0, kept)
    assert less(kept, Fraction(1, 10**300))


def test_sums_of_epsilon_that_drift(tmp_path: Any) -> None:
    """Ten times 0.1 is 0.9999999999999999 in doubles: a budget of 1 had room for an eleventh release."""
    pytest.importorskip("sqlalchemy", reason="comes with the extra `ledger`")
    assert sum([0.1] * 10) < 1
    account = ds.Ledger(f"sqlite:///{tmp_path / 'budget.db'}").create("ages", epsilon=1)
    for _ in range(10):
        ds.select([3, 5], epsilon="0.1", sensitivity=1, ledger=account)
    assert account.left == (0, 0)
    with pytest.raises(ds.BudgetExceeded):
        ds.select([3, 5], epsilon="1e-30", sensitivity=1, ledger=account)


def test_budgets_printed_to_the_nearest() -> None:
    """ε = 1/3 was printed as 0.333333333333, less than was spent."""
    release = ds.select([3, 5], epsilon="1/3", sensitivity=1).to_dict()
    assert Fraction(str(release["epsilon"])) > Fraction(1, 3)
    assert release["epsilon_exact"] == "1/3"


def test_floats_that_were_computed() -> None:
    """0.1 + 0.2 and 0.3 are different numbers: a float is the rational number it is, without a tolerance."""
    law = ds.law([0.1 + 0.2, 0.3], epsilon=1, sensitivity="1e-17", method="global-scale").candidates
    assert law[0] > 0.9
