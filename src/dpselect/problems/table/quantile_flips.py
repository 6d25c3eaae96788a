"""How many records have to change before a candidate is the quantile (theory section 8b), exactly.

For a candidate r of the grid let a = #{x < r}, b = #{x ≤ r}: r is the quantile x_(k) iff a < k ≤ b.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.problems.table.order_statistics import Sorted
from dpselect.question import NEVER

Integers = NDArray[np.int64]


def flips_replacing(column: Sorted, k: int) -> Integers:
    """max(0, k − b, a + 1 − k): n and k are fixed.

    Replacing a record above r by r raises b by 1 and leaves a; replacing one below r by r lowers a by 1 and leaves b.
    One replacement moves each of a and b by at most 1, so no fewer will do; and k − b > 0 and a + 1 − k > 0 exclude
    each other. With no records there is nothing to replace: only the lower bound is ever the quantile.
    """
    if column.n == 0:
        return np.where(np.arange(column.size) == 0, 0, NEVER)
    return np.maximum(0, np.maximum(k - column.upto, column.below + 1 - k))


def flips_adding(column: Sorted, p: Fraction) -> Integers:
    """The fewest additions i and removals j after which a < ⌈p n⌉ ≤ b; the empty column has the lower bound.

    With q = 1 − p:
    r above the quantile (a ≥ k): add at r, remove below r; a' = a − j, n' = n + i − j, and
        ⌈p n'⌉ > a'  ⟺  p i + q j > a − p n,   0 ≤ j ≤ a;
    r below the quantile (b < k): add at r, remove above r;
        ⌈p n'⌉ ≤ b'  ⟺  q i + p j ≥ p n − b,   0 ≤ j ≤ n − b.
    In both, n' ≥ 1, and i ≥ 1 if no record is at r. Other edits help less: records on the other side of r, or more
    at r, only loosen the condition that does not bind. Where the fewest edits meet the one condition, the other
    holds too, because one edit moves ⌈p n'⌉ − a' and b' − ⌈p n'⌉ by at most 1 and the cell is not empty.
    Removing all n records makes the lower bound the quantile, which may be cheaper for r = lo.

    For a given total i + j the left side is largest when the kind with the larger weight is used as far as it goes,
    so the least total is found by bisection.
    """
    n, m = column.n, column.size
    whole, part = p.denominator, p.numerator  # weights: additions and removals in units of 1/whole
    below, upto = column.below, column.upto
    rank = -(-part * n // whole)
    result = np.zeros(m, np.int64)
    empty = (upto == below).astype(np.int64)
    above = np.flatnonzero(below >= rank) if n else np.arange(1, m)
    under = np.flatnonzero(upto < rank)
    result[above] = _fewest(part, whole - part, whole * below[above] - part * n + 1, below[above], empty[above], n)
    need = part * n - whole * upto[under]
    result[under] = _fewest(whole - part, part, need, n - upto[under], empty[under], n)
    result[0] = min(int(result[0]), n)
    return result


def _fewest(add: int, remove: int, need: Integers, removable: Integers, least: Integers, n: int) -> Integers:
    """min{i + j : add · i + remove · j ≥ need, least ≤ i, 0 ≤ j ≤ removable, n + i − j ≥ 1}; `NEVER` for none."""

    def reached(total: Integers) -> NDArray[np.bool_]:
        # n + i − j ≥ 1 with i = total − j means 2 j ≤ n + total − 1.
        most = np.minimum(np.minimum(removable, total - least), (n + total - 1) // 2)
        j = most if remove > add else np.zeros_like(total)
        ok = (most >= 0) & (n + total - j >= 1 + j) & (total - j >= least)
        return np.asarray(ok & (add * (total - j) + remove * j >= need))

    low, high = least.copy(), np.maximum(least, 1) + np.maximum(need, 0) // max(add, 1) + 1
    high = np.maximum(high, least + removable + 1) if add == 0 else high
    never = ~reached(high)
    low = low - 1
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        good = reached(middle)
        high, low = np.where(good, middle, high), np.where(good, low, middle)
    return np.where(never, NEVER, high)
