"""The admissible profile of a split (theory section 8c), one record added or removed.

    A(t) = max over splits, sides, classes and 0 ≤ i ≤ t of λ((a − i − 1)₊, b + t − i)

a records of the class and b of the others on a side. Within t steps i of the first are gone and t − i of the others are
new, at the worst; the next record is one of the a − i. That is the maximum of a local bound over a ball, so it is
admissible. For fixed t, λ is monotone in i as long as a − i ≥ 1 (its direction depends on whether a > b + t, which i
does not change), and past that it falls: the ends i = 0 and i = min(t, (a − 1)₊) suffice.
Of all pairs (a, b) only those matter that no other has fewer a and more b than.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.problems.table.impurity import Impurity
from dpselect.problems.table.steps import rising
from dpselect.profile import Profile

Integers = NDArray[np.int64]


def split_profile(impurity: Impurity, sides: Integers, cap: Fraction, end: int) -> Profile:
    """The profile, rounded up, at most `cap` ≥ GS, and `cap` from the public `end` on."""
    a, b = staircase(sides)

    def worst(t: int) -> Fraction:
        gone = np.minimum(t, np.maximum(a - 1, 0))
        fewer = np.concatenate([np.maximum(a - 1, 0), np.maximum(a - gone - 1, 0)])
        return impurity.largest(fewer, np.concatenate([b + t, b + t - gone]))

    return rising(worst, end, cap)


def staircase(sides: Integers) -> tuple[Integers, Integers]:
    """The pairs (a, b) that matter, a rising.

    >>> [x.tolist() for x in staircase(np.array([[[3, 1], [0, 2]]]))]
    [[0, 1], [2, 3]]
    """
    a = sides.reshape(-1)
    b = (sides.sum(axis=2, keepdims=True) - sides).reshape(-1)
    order = np.lexsort((-b, a))
    a, b = a[order], b[order]
    highest = np.maximum.accumulate(b)
    new = np.concatenate([[True], highest[1:] > highest[:-1]])
    return a[new], b[new]
