"""Binomial coefficients of whole arrays, without overflow."""

from __future__ import annotations

from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[Any]


def binomials(values: Whole, k: int) -> Whole:
    """binom(v, k) for every v ≥ 0 of an array; zeros if k < 0. int64 where that is safe, else Python ints.

    The product v (v − 1) … (v − k + 1) is taken first and divided once, so it has to fit as well. Cost: O(k) a value.

    >>> binomials(np.array([0, 2, 5]), 2), binomials(np.array([70]), 35)[0] == comb(70, 35)
    (array([ 0,  1, 10]), True)
    """
    if k < 0:
        return np.zeros_like(values)
    top = int(values.max(initial=0))
    if values.dtype != object and comb(top, k) * factorial(k) < 1 << 62:
        out = np.ones_like(values)
        for t in range(k):
            out = out * np.maximum(values - t, 0)
        return out // factorial(k)
    flat = [comb(int(v), k) for v in values.ravel()]
    whole = np.empty(len(flat), dtype=object)
    whole[:] = flat
    return whole.reshape(values.shape)
