"""Ratios of counts as scores: gaps against fractions, numbers beyond floats, what is refused."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.exact.rational_scores import RationalScores


def made(pairs, unit=Fraction(1)):
    top, bottom = (np.array(side, dtype=object) for side in zip(*pairs, strict=True))
    return RationalScores(top, bottom, unit)


@pytest.mark.parametrize("unit", [Fraction(1), Fraction(3, 7), Fraction(10) ** 30])
def test_gaps_are_those_of_the_fractions(unit):
    random = np.random.default_rng(1)
    for size in (1, 2, 40):
        pairs = [
            (int(a), int(b)) for a, b in zip(random.integers(-50, 50, size), random.integers(1, 60, size), strict=True)
        ]
        scores, true = made(pairs, unit), [Fraction(a, b) * unit for a, b in pairs]
        gaps = scores.gaps()
        for i, q in enumerate(true):
            gap = max(true) - q
            assert gaps.exact(i) == gap
            assert abs(Fraction(float(gaps.proposal[i])) - gap) <= gap / 2**50
            assert scores.exact(i) == q
        assert scores.maximisers().tolist() == [q == max(true) for q in true]


def test_equal_ratios_tie_exactly():
    scores = made([(1, 3), (2, 6), (10**40, 3 * 10**40), (1, 4)])
    assert scores.maximisers().tolist() == [True, True, True, False]
    assert scores.gaps().proposal[:3].tolist() == [0, 0, 0]


def test_numbers_beyond_floats():
    far = made([(0, 1), (10**400, 1)]).gaps()
    assert far.exact(0) == 10**400
    assert far.proposal[0] == np.finfo(float).max
    close = made([(10**400, 10**400 + 1), (1, 1)]).gaps()
    assert close.exact(0) == Fraction(1, 10**400 + 1)


def test_without():
    left = made([(1, 2), (1, 3), (1, 4)]).without([0])
    assert left.size == 2
    assert left.gaps().exact(1) == Fraction(1, 12)


def test_what_is_refused_and_what_is_hidden():
    for pairs in ([(1, 0)], [(1, -2)]):
        with pytest.raises(InvalidParameter):
            made(pairs)
    with pytest.raises(InvalidParameter):
        made([(1, 2)], Fraction(0))
    with pytest.raises(InvalidParameter):
        RationalScores(np.array([1, 2]), np.array([1]))
    assert repr(made([(1, 2)])) == "RationalScores(<private>)"
    with pytest.raises(TypeError):
        pickle.dumps(made([(1, 2)]))
