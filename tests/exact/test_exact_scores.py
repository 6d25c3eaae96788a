"""Scores, gaps and exponents: exact whatever the dtype, private whatever happens."""

import array
import copy
import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.exact.exponents import Exponents
from dpselect.exact.reals import Real
from dpselect.exact.scores import FloatScores, Gaps, IntegerScores, RealScores, Scores

MAX = 1.7976931348623157e308


def gaps_by_definition(numbers: list[Fraction]) -> list[Fraction]:
    return [max(numbers) - x for x in numbers]


def check(values: object, numbers: list[Fraction]) -> Scores:
    """The gaps are exact, their proposals are within 2^-50, and the maximisers are the maximisers."""
    scores = Scores.of(values)
    gaps, expected = scores.gaps(), gaps_by_definition(numbers)
    assert scores.size == gaps.size == len(numbers)
    assert [gaps.exact(i) for i in range(gaps.size)] == expected
    for proposal, g in zip(gaps.proposal.tolist(), expected, strict=True):
        if g > Fraction(MAX):
            assert proposal == MAX
        elif g == 0 or g > Fraction(1, 10**290):
            assert abs(Fraction(proposal) - g) <= g / 2**50
    assert scores.maximisers().tolist() == [g == 0 for g in expected]
    if gaps.integers is not None and gaps.unit is not None:
        assert [int(x) * gaps.unit for x in gaps.integers] == expected
    return scores


def check_exponents(exponents: Exponents, exact: list[Fraction]) -> None:
    """|proposal − z| ≤ error · max(1, z) up to z = 2^10; larger proposals only beyond 2^9; never inf or NaN."""
    assert np.all(np.isfinite(exponents.proposal))
    for i, z in enumerate(exact):
        p = Fraction(float(exponents.proposal[i]))
        if z <= 2**10:
            assert abs(p - z) <= Fraction(exponents.error) * max(1, z)
        else:
            assert p > 2**9
        assert (p == 0) == (z == 0) or 0 < z < Fraction(1, 2**1000)


DTYPES = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", ">i4", "f2", "f4", "f8", ">f8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_widened_before_it_is_subtracted(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        array_ = np.array([False, True, False])
    elif kind == "f":
        info = np.finfo(dtype)
        array_ = np.array([info.min, info.max, 0, info.tiny, info.smallest_subnormal, 0.1], dtype=dtype)
    else:
        array_ = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1], dtype=dtype)
    check(array_, [Fraction(x.item()) for x in array_])
    check(array_[::-1], [Fraction(x.item()) for x in array_[::-1]])


def test_subtracting_in_the_callers_dtype_would_wrap():
    values = np.array([0, 255, 3], dtype=np.uint8)
    naive = values.min() - values
    assert naive.tolist() != [0, -255, -3]
    wrapped = np.array([-128, 127], dtype=np.int8)
    assert (wrapped.max() - wrapped).tolist() != [255, 0]


numbers = st.one_of(
    st.integers(-(2**90), 2**90),
    st.floats(allow_nan=False, allow_infinity=False),
    st.fractions(),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20),
)


@given(st.lists(numbers, min_size=1, max_size=8))
def test_lists_of_any_numbers_are_exact(values):
    check(values, [Fraction(x) for x in values])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_floats_are_the_dyadic_numbers_they_are(values):
    scores = check(values, [Fraction(x) for x in values])
    assert isinstance(scores, FloatScores)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=8))
def test_integers_of_any_size(values):
    scores = check(tuple(values), [Fraction(x) for x in values])
    assert isinstance(scores, IntegerScores)


def test_other_ways_to_write_scores():
    check(["1/3", " 0.1 ", 1, 2.5, Decimal("1e-3"), Fraction(2, 7)], [Fraction(1, 3), Fraction(1, 10), Fraction(1),
          Fraction(5, 2), Fraction(1, 1000), Fraction(2, 7)])  # fmt: skip
    check(range(4), [Fraction(x) for x in range(4)])
    check(array.array("B", [0, 255]), [Fraction(0), Fraction(255)])
    check(np.array(["1/3", "2"]), [Fraction(1, 3), Fraction(2)])
    check(np.array([1, Fraction(1, 2), 2**100], dtype=object), [Fraction(1), Fraction(1, 2), Fraction(2**100)])
    check(np.array([1, 3], dtype=np.longdouble) / 4, [Fraction(1, 4), Fraction(3, 4)])
    check([np.int8(-128), np.uint64(2**64 - 1)], [Fraction(-128), Fraction(2**64 - 1)])
    check([np.float32(0.1), np.float64(0.1)], [Fraction(float(np.float32(0.1))), Fraction(0.1)])
    check(memoryview(bytes([1, 255])), [Fraction(1), Fraction(255)])
    scores = Scores.of([1, 2])
    assert Scores.of(scores) is scores


def test_extreme_floats():
    check([1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0, MAX, -MAX], [Fraction(x) for x in
          (1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0, MAX, -MAX)])  # fmt: skip


BAD = [
    [1.0, float("nan")],
    [1.0, float("inf")],
    [1, True],
    [0.5, -np.inf],
    np.array([1.0, np.nan], dtype=np.float16),
    np.array([-np.inf, 1.0]),
    np.array([1, None], dtype=object),
    [1, None],
    ["a secret 7321"],
    [1, "nan"],
    [7321, 1j],
    [[7321, 2], [3, 4]],
    [np.True_, 1],
    np.array([7321, True], dtype=object),
]


@pytest.mark.parametrize("values", BAD, ids=range(len(BAD)))
def test_bad_data_is_refused_without_a_value_or_a_count(values):
    with pytest.raises(InvalidData) as caught:
        Scores.of(values, "errors")
    text = str(caught.value)
    assert text.startswith("errors must be")
    assert not any(c.isdigit() for c in text)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "values", [[], np.array([]), 3, "123", b"123", {1, 2}, {"a": 1}, np.ones((2, 2)), None, np.array([1j]),
               np.array(["2020-01-01"], dtype="M8[D]"), np.ma.array([1, 2], mask=[0, 1])],
    ids=range(12),
)  # fmt: skip
def test_what_is_not_a_list_of_scores_is_refused(values):
    with pytest.raises(InvalidParameter, match="errors must"):
        Scores.of(values, "errors")


rates = st.builds(lambda m, e: Fraction(m) * Fraction(2) ** e, st.integers(1, 2**70), st.integers(-2300, 2300))


@given(st.lists(numbers, min_size=1, max_size=6), rates)
def test_exponents_are_within_their_error(values, rate):
    exact = [g * rate for g in gaps_by_definition([Fraction(x) for x in values])]
    exponents = Scores.of(values).gaps().times(rate)
    assert [exponents.exact(i) for i in range(exponents.size)] == exact
    check_exponents(exponents, exact)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=6),
    st.integers(1, 2**70),
    st.integers(-8, 8),
)
def test_float_exponents_are_within_their_error_where_it_matters(values, mantissa, shift):
    """Rates that bring the largest gap near 2^9, whatever its size."""
    gaps = gaps_by_definition([Fraction(x) for x in values])
    if max(gaps) == 0:
        return
    rate = Fraction(2**9 * mantissa, 2**35) * Fraction(2) ** shift / max(gaps)
    check_exponents(Scores.of(values).gaps().times(rate), [g * rate for g in gaps])


@pytest.mark.parametrize("top", [2**4, 2**9, 2**11])
def test_gaps_beyond_the_largest_float_still_have_their_exponents(top):
    values = [MAX, -MAX, 0.0, MAX / 2]
    exact = [g * top / (2 * Fraction(MAX)) for g in gaps_by_definition([Fraction(x) for x in values])]
    exponents = Scores.of(values).gaps().times(top / (2 * Fraction(MAX)))
    check_exponents(exponents, exact)


@pytest.mark.parametrize("rate", [Fraction(2) ** 2000, Fraction(2) ** 5000, Fraction(10) ** 400])
@pytest.mark.parametrize("values", [[1, 0, 1], [1.0, 0.0, 1.0], [2**80, 0, 2**80]])
def test_an_infinite_looking_rate_keeps_ties(values, rate):
    exponents = Scores.of(values).gaps().times(rate)
    assert exponents.proposal.tolist() == [0.0, 2.0**1000, 0.0]
    assert exponents.exact(0) == 0


def test_rates_and_units_are_checked():
    for make in (
        lambda: Scores.of([1]).gaps().times(Fraction(0)),
        lambda: Scores.of([1]).gaps().times(Fraction(-1)),
        lambda: IntegerScores(np.array([1]), Fraction(0)),
        lambda: IntegerScores(np.array([], dtype=np.int64), Fraction(1)),
        lambda: FloatScores(np.array([1], dtype=np.int64)),
        lambda: RealScores(np.array([1.0]), Fraction(-1), lambda i: Real.of(1)),
        lambda: RealScores(np.array([], dtype=np.float64), Fraction(1), lambda i: Real.of(1)),
    ):
        with pytest.raises(InvalidParameter):
            make()
    with pytest.raises(InvalidData):
        RealScores(np.array([np.nan]), Fraction(1), lambda i: Real.of(1))


@pytest.mark.parametrize(
    ("proposal", "error"),
    [
        (np.array([0.0, np.nan]), 2.0**-44),
        (np.array([-1e-300]), 2.0**-44),
        (np.array([[0.0]]), 2.0**-44),
        (np.array([]), 2.0**-44),
        (np.array([0]), 2.0**-44),
        (np.array([0.0]), 2.0**-45),
        (np.array([0.0]), 2.0**-15),
        (np.array([0.0]), 3 * 2.0**-44),
    ],
)
def test_exponents_are_checked(proposal, error):
    with pytest.raises(InvalidParameter):
        Exponents(proposal, lambda i: Fraction(0), error)


def all_scores() -> list[Scores]:
    logs = RealScores(np.log([2, 7321, 5]), Fraction(1, 10**9), lambda i: Real.of((2, 7321, 5)[i]).log())
    return [Scores.of([2, 7321, 5]), Scores.of([2.0, 7321.0, 5.0]), Scores.of([2, 7321, 2**80]), logs]


@pytest.mark.parametrize("scores", all_scores(), ids=["int64", "float", "object", "real"])
def test_private_numbers_are_not_shown_or_serialised(scores):
    for thing in (scores, scores.gaps(), scores.gaps().times(Fraction(1, 3))):
        for text in (repr(thing), str(thing), f"{thing}"):
            assert text == f"{type(thing).__name__}(<private>)"
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="private"):
                act(thing)


@pytest.mark.parametrize("scores", all_scores(), ids=["int64", "float", "object", "real"])
def test_without(scores):
    rest = scores.without([0])
    assert type(rest) is type(scores)
    assert rest.size == 2
    assert np.allclose(rest.gaps().proposal, scores.gaps().proposal[1:])
    for i in range(2):
        assert float(rest.gaps().exact(i)) == float(scores.gaps().exact(i + 1))
    last = rest.without(np.flatnonzero(~rest.maximisers()))
    assert last.size == 1
    assert last.gaps().exact(0) == 0


def logs(numbers: list[int], error: Fraction, noise: Callable[[int], float]) -> RealScores:
    approximations = np.array([math.log(x) + noise(i) for i, x in enumerate(numbers)])
    return RealScores(approximations, error + Fraction(1, 2**50), lambda i: Real.of(numbers[i]).log())


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=6),
    st.sampled_from([Fraction(0), Fraction(1, 2**40), Fraction(1, 1000)]),
    st.randoms(use_true_random=False),
    st.sampled_from([Fraction(1, 1000), Fraction(1), Fraction(300)]),
)
def test_real_scores(values, error, random, rate):
    scores = logs(values, error, lambda i: random.uniform(-1, 1) * float(error))
    gaps = scores.gaps()
    exponents = gaps.times(rate)
    assert exponents.error <= 2**-16
    for i, x in enumerate(values):
        expected = Real.of(max(values)).log() - Real.of(x).log()
        exact = gaps.exact(i)
        if x == max(values):
            assert abs(float(exact)) < 1e-300
        else:
            assert math.isclose(float(exact), float(expected), rel_tol=1e-14)
        g = float(expected)
        assert abs(gaps.proposal[i] - g) <= float(gaps.error) + g * 2.0**-48
        z = g * float(rate)
        assert abs(exponents.proposal[i] - z) <= exponents.error * max(1.0, z) + z * 2.0**-48
    assert scores.maximisers().tolist() == [x == max(values) for x in values]


def test_the_maximum_is_refined_only_over_those_that_may_be_maximal():
    asked = []

    def exact(i: int) -> Real:
        asked.append(i)
        return Real.of([1000, 999, 2, 3][i]).log()

    scores = RealScores(np.array([6.9, 6.91, 0.7, 1.1]), Fraction(1, 50), exact)
    gaps = scores.gaps()
    assert asked == []
    assert scores.maximisers().tolist() == [True, False, False, False]
    assert sorted(asked) == [0, 1]
    assert float(gaps.exact(0)) == 0.0
    assert math.isclose(float(gaps.exact(1)), math.log(1000 / 999), rel_tol=1e-12)
    assert sorted(asked) == [0, 1]
    gaps.exact(2)
    assert sorted(asked) == [0, 1, 2]


def test_equal_real_scores_given_as_one_real_have_gap_0():
    two = Real.of(2).log()
    scores = RealScores(np.array([0.7, 0.7, 0.0]), Fraction(1, 100), lambda i: two if i < 2 else Real.of(0))
    assert scores.gaps().exact(0) == scores.gaps().exact(1) == 0
    assert scores.maximisers().tolist() == [True, True, False]


def test_gaps_of_many_scores_are_fast_and_vectorised():
    rng = np.random.default_rng(0)
    for values in (rng.integers(0, 100, 10**6), rng.normal(size=10**6)):
        gaps = Scores.of(values).gaps()
        assert np.array_equal(gaps.proposal, values.max() - values)
        assert gaps.times(Fraction(1, 2)).proposal.size == 10**6


def test_the_constructor_of_gaps_takes_any_exact_gap():
    gaps = Gaps(np.array([0.0, 0.5]), lambda i: Fraction(i, 2))
    assert gaps.times(Fraction(3)).exact(1) == Fraction(3, 2)
    assert gaps.times(Fraction(3)).proposal.tolist() == [0.0, 1.5]
