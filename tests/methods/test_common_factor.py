"""CommonFactor on a world where q = U / c: pure ε in U, uniform where c = 0, and a control with half the span."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from every_method import SAMPLERS

import dpselect as ds

# c(x) = x; U(x, ·) moves by a span of at most 1 between x and x + 1.
FACTORED = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0], [2, 1, 1], [3, 1, 1]]


@dataclass
class Ratios:
    """q(x, r) = U(x, r) / c(x), with 1/2 for all where c = 0."""

    common_factor_span: Fraction = Fraction(1)

    candidates = ("a", "b", "c")
    global_sensitivity = 1
    name = "ratios"

    def scores(self, x):
        return [Fraction(u, x) for u in FACTORED[x]] if x else [Fraction(1, 2)] * 3

    def profile(self, x):
        return ds.Profile.constant(1)

    def common_factor(self, x):
        return FACTORED[x]


def largest_loss(problem, sampler, epsilon):
    laws = [
        ds.law(problem, x, epsilon=epsilon, method=ds.CommonFactor(sampler=sampler)).candidates.probabilities
        for x in range(len(FACTORED))
    ]
    return max(float(np.abs(np.log(p / q)).max()) for p, q in itertools.pairwise(laws))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_pure_with_the_true_span_and_not_with_half_of_it(sampler, epsilon):
    assert largest_loss(Ratios(), sampler, epsilon) <= float(epsilon) * (1 + 1e-12)
    assert largest_loss(Ratios(Fraction(1, 2)), sampler, epsilon) > float(epsilon)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_law_and_regret(sampler):
    method = ds.CommonFactor(sampler=sampler)
    uniform = ds.law(Ratios(), 0, epsilon=1, method=method).candidates.probabilities
    assert np.allclose(uniform, 1 / 3)
    law = ds.law(Ratios(), 5, epsilon=1, method=method)
    assert law.given().exponents.proposal.tolist() == [0, 2, 2]
    if sampler == "gibbs":
        assert law.candidates["a"] == pytest.approx(1 / (1 + 2 * math.exp(-2)))
    bound = ds.diagnose(Ratios(), 5).regret(method, epsilon=1, rho="1/4")
    assert bound in (0, pytest.approx(Fraction(2, 5)))
    released = ds.select(Ratios(), 5, epsilon=1, method=method, top=2)
    assert len(set(released.candidates)) == 2
    assert released.regret_bound() is None
    assert released.guarantee.epsilon == 1
