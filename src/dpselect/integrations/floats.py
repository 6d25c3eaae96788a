"""Exact numbers as the floats other libraries take, rounded in a chosen direction."""

from __future__ import annotations

import math
from fractions import Fraction


def float_up(value: Fraction) -> float:
    """The least float that is not below.

    >>> Fraction(float_up(Fraction(1, 3))) >= Fraction(1, 3), float_up(Fraction(1, 4))
    (True, 0.25)
    """
    near = float(value)
    return near if near >= value else math.nextafter(near, math.inf)


def float_down(value: Fraction) -> float:
    """The largest float that is not above."""
    return -float_up(-value)
