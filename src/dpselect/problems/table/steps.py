"""Profiles that fall like a hyperbola, as step functions with few steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpselect.profile import Profile

BITS = 9
"""Values are rounded up to so many significant bits: at most 2^-8 above the exact profile."""


def rounded_up(value: Fraction) -> Fraction:
    """The least k · 2^e ≥ value with an integer 2^(BITS-1) ≤ k ≤ 2^BITS; 0 stays 0.

    >>> str(rounded_up(Fraction(1, 3)))
    '171/512'
    """
    if value == 0:
        return value
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - BITS
    unit = Fraction(2) ** exponent
    steps = -(-value // unit)
    while steps > 2**BITS:
        unit, steps = unit * 2, -(-value // (unit * 2))
    return steps * unit


def rising(function: Callable[[int], Fraction], end: int, cap: Fraction) -> Profile:
    """A(t) = min(cap, f(t) rounded up) for t < end, cap from `end` on.

    Rounding up is one public nondecreasing map with f(v) ≥ v for every dataset, and so is the minimum with the
    cap ≥ GS: both keep (P1) and (P2). Arguments: `function` nondecreasing on 0 … end − 1. Cost: O(log end) evaluations
    of it per octave and step of the result.
    """

    def at(t: int) -> Fraction:
        return cap if t >= end else min(cap, rounded_up(function(t)))

    starts, values = [0], [at(0)]
    while values[-1] < cap:
        low, stride = starts[-1], 1  # at(low) is the value of this step
        while low + stride < end and at(low + stride) == values[-1]:
            low, stride = low + stride, 2 * stride
        high = min(low + stride, end)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if at(middle) == values[-1] else (low, middle)
        starts.append(high)
        values.append(at(high))
        if high == end:
            break
    exact = Profile.exact(values)
    # `exact` merged nothing unless two values are equal, which only the cap can be.
    return Profile(np.array(starts), np.array([int(v / exact.unit) for v in values], dtype=object), exact.unit)
