"""Numbers at the border: what is accepted is exact, what is not a number is refused by name."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpselect.errors import InvalidParameter
from dpselect.exact import numbers


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, Fraction(3)),
        (-(10**40), Fraction(-(10**40))),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        ("1e-6", Fraction(1, 10**6)),
        (" +1.50 ", Fraction(3, 2)),
        ("-.5E1", Fraction(-5)),
        ("1/3", Fraction(1, 3)),
        ("-6 / 4", Fraction(-3, 2)),
        (0.1, Fraction(3602879701896397, 2**55)),
        (5e-324, Fraction(1, 2**1074)),
        (np.float32(0.1), Fraction(13421773, 2**27)),
        (np.float16(0.5), Fraction(1, 2)),
        (np.longdouble(1) / 4, Fraction(1, 4)),
        (np.uint8(255), Fraction(255)),
        (np.int64(-7), Fraction(-7)),
    ],
)
def test_a_number_is_kept_exactly(value, number):
    assert numbers.rational(value, "x") == number


@pytest.mark.parametrize(
    "value",
    [
        True,
        np.True_,
        float("nan"),
        float("inf"),
        -np.inf,
        Decimal("NaN"),
        Decimal("Infinity"),
        "nan",
        "inf",
        "",
        "one",
        "1/0",
        "1e",
        "0x10",
        "1_000",
        "١",
        "1/2/3",
        "1e99999",
        Decimal("1e999999999"),
        "9" * 20000,
        None,
        [1],
        1j,
        b"1",
    ],
)
def test_what_is_not_a_number_is_refused_by_name(value):
    with pytest.raises(InvalidParameter, match="epsilon") as caught:
        numbers.rational(value, "epsilon")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (numbers.positive, ["1e-9", 1], [0, -1, "-0.0"]),
        (numbers.nonnegative, [0, 2], [-1, "-1/10"]),
        (numbers.probability, ["1/2", 1e-300], [0, 1, 2, -1]),
        (numbers.whole, [0, np.int8(3)], [-1, 1.0, True, "1", Fraction(1)]),
    ],
)
def test_ranges(check, good, bad):
    for value in good:
        assert check(value, "x") == numbers.rational(value, "x")
    for value in bad:
        with pytest.raises(InvalidParameter, match="x must"):
            check(value, "x")


def test_whole_has_a_least_value():
    assert numbers.whole(2, "k", least=2) == 2
    with pytest.raises(InvalidParameter, match="at least 2"):
        numbers.whole(1, "k", least=2)


def test_an_enormous_argument_is_not_printed():
    with pytest.raises(InvalidParameter) as caught:
        numbers.probability(10**5000, "p")
    assert len(str(caught.value)) < 200


@given(st.lists(st.integers(-(2**80), 2**80), min_size=1))
def test_integer_arrays_keep_every_integer(values):
    array = numbers.integer_array(values)
    assert [int(x) for x in array] == values
    assert (array.dtype == np.int64) == all(abs(x) < 2**62 for x in values)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"])
def test_integer_arrays_widen_every_dtype(dtype):
    ends = [False, True] if dtype == "?" else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    array = numbers.integer_array(np.array(ends, dtype=dtype))
    assert [int(x) for x in array] == [int(x) for x in ends]
    # A difference does not wrap.
    assert int(array.max() - array.min()) == int(ends[1]) - int(ends[0])


@pytest.mark.parametrize("values", [[1.5], [True, 2], ["1"], np.array([0.5]), np.array([1, None])])
def test_integer_arrays_refuse_what_is_not_an_integer(values):
    with pytest.raises(InvalidParameter):
        numbers.integer_array(values)


def test_a_good_int64_array_is_not_copied():
    values = np.arange(5)
    assert np.shares_memory(numbers.integer_array(values), values)


@pytest.mark.parametrize("make", [list, lambda values: np.array(values, dtype=np.int64)], ids=["list", "array"])
def test_the_border_between_int64_and_python_integers(make):
    """Differences of what is kept as int64 stay below 2^63."""
    inside = numbers.integer_array(make([2**62 - 1, 1 - 2**62]))
    assert inside.dtype == np.int64
    assert int(inside.max() - inside.min()) == 2**63 - 2
    for edge in (2**62, -(2**62), 2**63 - 1, -(2**63)):
        outside = numbers.integer_array(make([edge, 0]))
        assert outside.dtype == object
        assert max(outside) - min(outside) == abs(edge)
