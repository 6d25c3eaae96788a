"""Balanced accuracy: the mean of the recalls of K ≥ 2 classes (macro recall).

q(x, r) = (1/K) Σ_k TP_{r,k}/n_k,   ½ for a class without records
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.numbers import integer_array
from dpselect.exact.scores import IntegerScores, Scores
from dpselect.problems.table.metrics.metric import Integers, Metric, Moves, Reads, at_least_one, hyperbola
from dpselect.problems.table.steps import rising
from dpselect.problems.table.tallies import Confusions
from dpselect.profile import Profile


@final
@dataclass(frozen=True)
class BalancedAccuracy(Metric):
    """(1/K) Σ_k TP_k/n_k.

    Profile. One record of class k added or removed moves TP_k/n_k by at most 1/max(2, n_k), the ½ of an empty class
    included: A(t) = 1/(K max(2, n_min − t)), GS = 1/2K. Replaced within a class: 1/max(1, n_k); replaced by one of
    another class j: 1/max(2, n_k) + 1/max(2, n_j + 1). A(t) is the maximum of these over all class sizes within t
    replacements (`_replacing`), GS = 1/K. κ = 2: a record that one model gets right and another wrong moves them apart.

    Common factor c = 1/Σ_k 1/n_k (PQ/n for two classes; 0 with an empty one): c q has span below 1 under both units.
    *Proof.* Let d_k be the difference of two models' recalls, R = Σ_{k>1} 1/n_k. Adding a record of class 1, with
    z = R n_1: c' − c = 1/((1 + z)(1 + z + R)), and the difference c Σ d_k moves by at most
    (K − 1)(c' − c) + z/((1 + z)(1 + z + R)) + 1/(1 + z + R) = (K + 2z)/((1 + z)(1 + z + R)) < K. Replacing a record of
    class 1 (α others) by one of class 2 (β others): by at most (K − 2)|c' − c| + 2c/(α + 1) + 2c'/(β + 1), where the
    last two add up to at most 2 (α + β)/(α + β + 1) and |c' − c| ≤ |α − β|/(α + β + 1): below K again. Within class 1:
    2c/n_1 < 2 ≤ K.

    Flip distance (certificate), two classes, records added or removed: for a pair u = TP_s − TP_r, v = TN_s − TN_r,
    min{i + j : G(u, P, i) + G(v, Q, j) ≤ 0}, G(u, c, i) = (u − i)/(c + i) if u > i, else (u − i)/max(1, c − i); φ is
    the maximum over s. *Proof.* One record of a class changes its u by at most 1 and its size by 1, and
    G(u', c', i + 1) ≤ G(u, c, i) then: the numerator is not larger, and the denominator is not smaller where it is
    positive, not larger where it is negative. So what is feasible at x is feasible at x' with one step more; i = j = 0
    is feasible iff s is not ahead. More classes: ⌈c gap⌉, from the common factor.

    >>> str(BalancedAccuracy(2).moves(False).sensitivity)
    '1/4'
    """

    classes: int
    reads: ClassVar[Reads] = "classes"
    has_flips: ClassVar[bool] = True
    name = "balanced-accuracy"

    def moves(self, replacing: bool) -> Moves:
        sensitivity = Fraction(1, self.classes if replacing else 2 * self.classes)
        # Halving the certificate costs more than the factor, whose span does not double.
        default = "inverse-sensitivity" if self.classes == 2 and not replacing else "common-factor"
        return Moves(2, sensitivity, Fraction(1), Fraction(1), default)

    def scores(self, tally: Confusions) -> Scores:
        sizes = tally.class_sizes
        common = 2 * math.prod(n for n in sizes if n)
        right = tally.right.astype(object)
        total = sum(right[:, k] * (common // n) for k, n in enumerate(sizes) if n)
        halves = sum(common // 2 for n in sizes if not n)
        values = np.array([halves] * tally.size, dtype=object) + total
        return IntegerScores(integer_array(values), Fraction(1, self.classes * common))

    def common(self, tally: Confusions) -> Scores:
        values, unit = self._factored(tally)
        return IntegerScores(integer_array(values), unit)

    def _factored(self, tally: Confusions) -> tuple[NDArray[Any], Fraction]:
        """c q as integers times a unit: Σ_k TP_k Π_{j≠k} n_j over K Σ_k Π_{j≠k} n_j."""
        sizes = tally.class_sizes
        if 0 in sizes:
            return np.zeros(tally.size, dtype=object), Fraction(1)
        whole = math.prod(sizes)
        right = tally.right.astype(object)
        values = sum(right[:, k] * (whole // n) for k, n in enumerate(sizes))
        return np.asarray(values), Fraction(1, self.classes * sum(whole // n for n in sizes))

    def profile(self, tally: Confusions, replacing: bool) -> Profile:
        sizes = sorted(tally.class_sizes)
        if not replacing:
            return hyperbola(1, 2 * self.classes, self.classes * sizes[0], self.classes)
        between = _between_two(*sizes) if len(sizes) == 2 else _between_many(sizes)
        end = max(sizes[0] - 1, 0)
        return rising(
            lambda t: max(Fraction(1, max(1, sizes[0] - t)), between(t)) / self.classes, end, Fraction(1, self.classes)
        )

    def flips(self, tally: Confusions) -> Integers | None:
        if self.classes > 2:
            values, unit = self._factored(tally)
            gaps = max(values) - values
            whole = np.array([-(-(int(g) * unit) // 1) for g in gaps], dtype=object)
            best = self.scores(tally).maximisers()
            return at_least_one(whole, best)
        negatives, positives = tally.class_sizes
        right = tally.right if negatives + positives < 2**30 else tally.right.astype(object)
        found = []
        for r in range(tally.size):
            v, u = (right - right[r]).T
            ahead = u * negatives + v * positives > 0
            if 0 in (negatives, positives):  # an empty class contributes the same to everybody
                ahead = u + v > 0
            steps = pair_steps(u[ahead], v[ahead], positives, negatives)
            found.append(int(steps.max()) if ahead.any() else 0)
        return np.array(found, dtype=np.int64)


def _between_two(p: int, q: int) -> Any:
    """max of 1/max(2, p') + 1/max(2, n − p' + 1) over p − t ≤ p' ≤ p + t + 1, 1 ≤ p' ≤ n.

    The record leaves a class of p' records for the other one, of n − p'; or the other way round. Convex between the
    caps, so the ends and the two kinks suffice.
    """
    n = p + q

    def worst(t: int) -> Fraction:
        low, high = max(1, p - t), min(n, p + t + 1)
        places = {min(max(x, low), high) for x in (low, 2, n - 1, high)} if low <= high else {1}
        return max(Fraction(1, max(2, x)) + Fraction(1, max(2, n - x + 1)) for x in places)

    return worst


def _between_many(sizes: list[int]) -> Any:
    """max of 1/max(2, a − i) + 1/max(2, b + 1 − (t − i)) over two classes and 0 ≤ i ≤ t.

    t replacements take at most t records from the two together; the two smallest classes are the worst pair. Convex in
    i between the caps, so the ends and the two kinks suffice.
    """

    def worst(t: int) -> Fraction:
        found = Fraction(0)
        for a, b in (sizes[:2], sizes[1::-1]):
            for i in {min(max(i, 0), t) for i in (0, t, a - 2, t - b + 1)}:
                found = max(found, Fraction(1, max(2, a - i)) + Fraction(1, max(2, b + 1 - (t - i))))
        return found

    return worst


def pair_steps(u: NDArray[Any], v: NDArray[Any], c: int, d: int) -> NDArray[Any]:
    """min{i + j : G(u, c, i) + G(v, d, j) ≤ 0} for every pair.

    G falls from convex (before u) to concave (after). Both convex: infeasible. Both concave: from (u₊, v₊) on, which is
    feasible. Else one class, say the first, is past u and the other not past v, and the condition is linear:
    1 − (c − u)/(c − i) + (v + d)/(d + j) − 1 ≤ 0 iff (v + d)(c − i) ≤ (c − u)(d + j). The fewest steps on a line go
    to the larger coefficient first. Past c − 1 one class alone is enough: c steps, c + 1 if u = c.
    """
    first, second = np.maximum(u, 0), np.maximum(v, 0)
    found = first + second
    for a, b, size, other in ((u, v, c, d), (v, u, d, c)):
        alone = size + (a == size)
        start = np.maximum(a, 0)
        room = size - 1 - start
        steps = start + _fewest(
            (b + other) * (size - start) - (size - a) * other, b + other, room, size - a, np.maximum(b, 0)
        )
        found = np.minimum(found, np.minimum(alone, np.where((room >= 0) & (b >= 0), steps, alone)))
    return np.asarray(found)


def _fewest(need: NDArray[Any], x: NDArray[Any], most_x: NDArray[Any], y: NDArray[Any], most_y: NDArray[Any]) -> Any:
    """The fewest i + j with x i + y j ≥ need, 0 ≤ i ≤ most_x, 0 ≤ j ≤ most_y; a huge number if there are none."""
    swap = y > x
    big, small = np.where(swap, y, x), np.where(swap, x, y)
    most_big, most_small = np.where(swap, most_y, most_x), np.where(swap, most_x, most_y)
    first = np.minimum(-(-np.maximum(need, 0) // np.maximum(big, 1)), most_big)
    rest = np.maximum(need - big * first, 0)
    second = -(-rest // np.maximum(small, 1))
    impossible = (rest > 0) & ((small <= 0) | (second > most_small))
    return np.asarray(np.where(impossible, 2**60, first + second))
