"""How mixed the two sides of a split are: Gini and entropy in count form, and how far one record moves them.

    f(a_1, …, a_K) = n − Σ a_k²/n   (Gini)        f = n log n − Σ a_k log a_k   (entropy, in nats)

n = Σ a_k records of a side, a_k of them of class k. The score of a split is −Σ over both sides of f: the gain of a
decision tree, times the number of records, less a number that is the same for all splits.

One more record of class k on a side with a of that class and b of the others raises f by

    λ(a, b) = 2b²/((a + b)(a + b + 1))   at most (Gini; exactly for two classes)
    λ(a, b) = g(a + b) − g(a),   g(x) = (x + 1) log(x + 1) − x log x   (entropy)

*Proof for Gini.* f rises by (n (n − 2a) + S)/(n (n + 1)), S = Σ a_j² ≤ a² + b², which gives λ; and S ≥ a² gives
(n − a)²/(n (n + 1)) ≥ 0. Both λ fall with a and rise with b, and both f never fall: every record raises all impurities,
so one record added or removed moves all scores in one direction, and κ = 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.numbers import integer_array
from dpselect.exact.rational_scores import RationalScores
from dpselect.exact.reals import Real
from dpselect.exact.scores import RealScores, Scores
from dpselect.problems.table.steps import rounded_up

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_SLACK: Final = 2.0**-40
"""Relative error allowed to float64 values of λ: they have a few roundings of 2^-53, of numbers at most 2^6 λ + 2^6."""


class Impurity(ABC):
    """f and λ."""

    @abstractmethod
    def scores(self, sides: Integers) -> Scores:
        """−Σ f for every split; `sides` has the shape (splits, 2, classes)."""

    @abstractmethod
    def near(self, a: Floats, b: Floats) -> Floats:
        """λ in float64, within `_SLACK` · max(1, λ)."""

    @abstractmethod
    def rounded(self, a: int, b: int) -> Fraction:
        """λ(a, b) rounded up as `rising` does: a public nondecreasing map of the exact value."""

    @final
    def largest(self, a: Integers, b: Integers) -> Fraction:
        """max of λ over pairs, rounded up."""
        values = self.near(a.astype(np.float64), b.astype(np.float64))
        close = np.flatnonzero(values >= values.max() - 4 * _SLACK * max(1.0, float(values.max())))
        pairs = {(int(a[i]), int(b[i])) for i in close}
        return max(self.rounded(*pair) for pair in pairs)


@final
@dataclass(frozen=True)
class Gini(Impurity):
    """n − Σ a²/n, exact rationals.

    >>> str(Gini().rounded(0, 1))
    '1'
    """

    def scores(self, sides: Integers) -> Scores:
        tops, bottoms = [], []
        for left, right in sides.tolist():
            n, m = max(sum(left), 1), max(sum(right), 1)
            squares = sum(a * a for a in left) * m + sum(a * a for a in right) * n
            tops.append(squares - (sum(left) + sum(right)) * n * m)
            bottoms.append(n * m)
        return RationalScores(integer_array(tops), integer_array(bottoms))

    def near(self, a: Floats, b: Floats) -> Floats:
        n = np.maximum(a + b, 1)
        return np.asarray(2 * b * b / (n * (n + 1)))

    def rounded(self, a: int, b: int) -> Fraction:
        n = a + b
        return rounded_up(Fraction(2 * b * b, n * (n + 1))) if n else Fraction(0)


@final
@dataclass(frozen=True)
class Entropy(Impurity):
    """n log n − Σ a log a in lazily refined reals.

    A score is the logarithm of a rational Π a^a/Π n^n; it is kept as the net number of times each integer v ≥ 2 occurs,
    so splits with the same counts have the same Real and tie exactly.

    >>> Entropy().rounded(0, 0), round(float(Entropy().rounded(0, 1)), 2)
    (Fraction(0, 1), 1.39)
    """

    def scores(self, sides: Integers) -> Scores:
        keys = [_net(pair) for pair in sides.tolist()]
        near = np.array([sum(times * v * float(np.log(v)) for v, times in key) for key in keys], dtype=np.float64)
        n = int(sides[0].sum())
        # At most so many terms below n log n ≤ n · bits each, with four roundings a term, and as many sums.
        error = Fraction(2 * sides.shape[2] + 2, 2**49) * n * max(1, n.bit_length())
        known: dict[tuple[tuple[int, int], ...], Real] = {}

        def exact(i: int) -> Real:
            key = keys[i]
            if key not in known:
                known[key] = Real.total([Real.of(v).log() * (v * times) for v, times in key])
            return known[key]

        return RealScores(near, error, exact)

    def near(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(_growth(a + b) - _growth(a))

    def rounded(self, a: int, b: int) -> Fraction:
        if b == 0:
            return Fraction(0)
        near = float(self.near(np.array([float(a)]), np.array([float(b)]))[0])
        wide = _SLACK * max(1.0, near)
        low, high = Fraction(max(near - wide, 0.0)), Fraction(near + wide)
        bits = 64
        while rounded_up(low) != rounded_up(high):  # λ is the logarithm of a rational other than 1: irrational
            low, high = self.exact(a, b).enclosure(bits)
            low, bits = max(low, Fraction(0)), 2 * bits
        return rounded_up(high)

    @staticmethod
    def exact(a: int, b: int) -> Real:
        """λ(a, b)."""
        n = a + b
        terms = [(1, n + 1), (-1, n), (-1, a + 1), (1, a)]
        return Real.total([Real.of(v).log() * (sign * v) for sign, v in terms if v > 1])


def _growth(x: Floats) -> Floats:
    """g(x) = log(x + 1) + x log(1 + 1/x)."""
    return np.asarray(np.log1p(x) + x * np.log1p(1 / np.maximum(x, 1)) * (x > 0))


def _net(sides: Any) -> tuple[tuple[int, int], ...]:
    """How often v log v occurs in −Σ f, for every v ≥ 2."""
    found: Counter[int] = Counter()
    for side in sides:
        found.update(side)
        found[sum(side)] -= 1
    return tuple(sorted((v, times) for v, times in found.items() if v > 1 and times))
