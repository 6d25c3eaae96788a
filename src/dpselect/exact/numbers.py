"""Numbers at the border: whatever a caller writes becomes the rational number that it is, or is refused.

    1, Fraction(1, 3), Decimal("0.1"), "1e-6", "1/3", 0.1, numpy.float32(0.1)  ->  fractions.Fraction

A float is the dyadic rational it is: `0.1` is 3602879701896397/2^55. Write `"0.1"` for one tenth.

Source: theory section 10.
"""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter

RANGE: Final = 2**62
"""Integers below this in absolute value are kept as int64: a difference of two of them cannot wrap."""

# Exact arithmetic on a number such as 1e999999999 would need gigabytes.
_LARGEST_EXPONENT: Final = 5000
_DECIMAL: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e([+-]?\d{1,4}))?", re.IGNORECASE | re.ASCII)
_RATIO: Final = re.compile(r"([+-]?\d{1,4000})\s*/\s*(\d{1,4000})", re.ASCII)


def exact(value: object) -> Fraction | None:
    """The rational number that `value` is, or `None` (no error, hence no text that shows it).

    >>> exact(0.5), exact("1/3"), exact(True), exact(float("nan"))
    (Fraction(1, 2), Fraction(1, 3), None, None)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer):
        return Fraction(int(value))
    if isinstance(value, float | np.floating):
        return Fraction(*value.as_integer_ratio()) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() and abs(value.adjusted()) < _LARGEST_EXPONENT else None
    if isinstance(value, str):
        return _parsed(value.strip())
    return None


def _parsed(text: str) -> Fraction | None:
    """The number written in `text` as a decimal or as a ratio of integers."""
    if len(text) > 2 * _LARGEST_EXPONENT:
        return None
    if ratio := _RATIO.fullmatch(text):
        denominator = int(ratio[2])
        return Fraction(int(ratio[1]), denominator) if denominator else None
    if _DECIMAL.fullmatch(text):
        return exact(Decimal(text))
    return None


def rational(value: object, name: str) -> Fraction:
    """The rational number that the public argument `name` is.

    Accepts int, Fraction, Decimal, str (`"1e-6"`, `"1/3"`), float and NumPy scalars.
    Raises `InvalidParameter` for bool, NaN, infinities, other strings and other types.

    >>> rational("1e-6", "delta")
    Fraction(1, 1000000)
    >>> rational(0.1, "epsilon") == Fraction(1, 10)
    False
    """
    number = exact(value)
    if number is None:
        raise InvalidParameter(f'{name} must be a finite number (1, 0.5, "1e-6", "1/3"), not {_shown(value)}')
    return number


def positive(value: object, name: str) -> Fraction:
    """`rational`, and above 0.

    >>> positive("1/2", "epsilon")
    Fraction(1, 2)
    """
    number = rational(value, name)
    if number <= 0:
        raise InvalidParameter(f"{name} must be above 0, not {_shown(value)}")
    return number


def nonnegative(value: object, name: str) -> Fraction:
    """`rational`, and at least 0.

    >>> nonnegative(0, "delta")
    Fraction(0, 1)
    """
    number = rational(value, name)
    if number < 0:
        raise InvalidParameter(f"{name} must be at least 0, not {_shown(value)}")
    return number


def probability(value: object, name: str) -> Fraction:
    """`rational`, and strictly between 0 and 1.

    >>> probability("0.05", "rho")
    Fraction(1, 20)
    """
    number = rational(value, name)
    if not 0 < number < 1:
        raise InvalidParameter(f"{name} must be strictly between 0 and 1, not {_shown(value)}")
    return number


def whole(value: object, name: str, least: int = 0) -> int:
    """The integer that the public argument `name` is, at least `least`; a float is refused.

    >>> whole(3, "top", least=1)
    3
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InvalidParameter(f"{name} must be an integer, not {_shown(value)}")
    if value < least:
        raise InvalidParameter(f"{name} must be at least {least}, not {_shown(value)}")
    return int(value)


def integer_array(values: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
    """The integers as int64 if every absolute value is below 2^62, else as an array of Python integers.

    Booleans and integers of any width are widened first, so no later difference can wrap. An int64 array
    in range is not copied. Raises `InvalidParameter` if an entry is not an integer; the text shows no entry.
    Cost: two passes over an int64 array.

    >>> integer_array(np.array([0, 255], dtype=np.uint8)).dtype
    dtype('int64')
    >>> integer_array([2**70, 1]).dtype
    dtype('O')
    """
    array = values if isinstance(values, np.ndarray) else _object_array(values)
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    if array.dtype.kind in "iu":
        if array.size == 0 or (int(array.max()) < RANGE and int(array.min()) > -RANGE):
            return array.astype(np.int64, copy=False)
        return array.astype(object)
    if array.dtype.kind != "O":
        raise InvalidParameter("an array of integers is needed")
    entries = array.tolist()
    if not set(map(type, entries)) <= {int}:
        if any(isinstance(x, bool | np.bool_) or not isinstance(x, int | np.integer) for x in entries):
            raise InvalidParameter("an array of integers is needed")
        array = _object_array([int(x) for x in entries])
    if array.size == 0 or (max(entries) < RANGE and min(entries) > -RANGE):
        return array.astype(np.int64)
    return array


def _object_array(values: Sequence[Any]) -> NDArray[Any]:
    """One entry for each value, left alone: NumPy would look inside nested values or change their type."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _shown(value: object) -> str:
    """A public argument in an error text, shortened."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return "an integer of more than 200 bits"
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > 200:
        return "a fraction of more than 200 bits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
