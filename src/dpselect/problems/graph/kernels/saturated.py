"""Whole numbers from 0 to 2^60, cut off there: sums, products and binomials that never overflow.

min(·, 2^60) commutes with max, min, sums and products of whole numbers ≥ 0: an expression built from these and cut off
at every step is the exact value cut off once. So each comparison of it with a number ≤ 2^60 has the exact outcome if
that number is on the left (a ≤ min(x, 2^60) iff a ≤ x). Differences do not commute; none is taken here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int64 = npt.NDArray[np.int64]

MOST = 1 << 60
"""Counts beyond this are refused, so no score is larger."""

# the last x with binom(x, k) ≤ 2^60
_LAST_2, _LAST_3, _LAST_4, _LAST_5 = 1_518_500_250, 1_905_390, 72_529, 10_672


@kernel
def plus(a: int, b: int) -> int:
    """min(a + b, 2^60) for 0 ≤ a, b ≤ 2^60."""
    return min(a + b, MOST)


@kernel
def times(a: int, b: int) -> int:
    """min(a·b, 2^60) for 0 ≤ a, b ≤ 2^60."""
    if a != 0 and b > MOST // a:
        return MOST
    return a * b


@kernel
def binomial(x: int, k: int) -> int:
    """min(binom(x, k), 2^60) for k ≤ 5, 0 for k < 0 or x < k.

    Up to the last x with binom(x, k) ≤ 2^60 the product before the last division is k·binom(x, k) < 2^63: it fits.
    """
    if k < 0 or x < k:
        return 0
    if k == 0:
        return 1
    if k == 1:
        return min(int(x), MOST)
    if k == 2:
        return x * (x - 1) // 2 if x <= _LAST_2 else MOST
    if k == 3:
        return x * (x - 1) // 2 * (x - 2) // 3 if x <= _LAST_3 else MOST
    if k == 4:
        return x * (x - 1) // 2 * (x - 2) // 3 * (x - 3) // 4 if x <= _LAST_4 else MOST
    return x * (x - 1) // 2 * (x - 2) // 3 * (x - 3) // 4 * (x - 4) // 5 if x <= _LAST_5 else MOST


@kernel
def cut_binomials(values: Int64, k: int) -> Int64:
    """min(binom(v, k), 2^60) for every v of an array, k ≤ 5."""
    flat = values.ravel()
    out = np.empty(flat.shape[0], np.int64)
    for p in range(flat.shape[0]):
        out[p] = binomial(flat[p], k)
    return out.reshape(values.shape)
