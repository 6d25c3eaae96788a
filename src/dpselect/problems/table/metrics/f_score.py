"""F-scores, with precision as the one for β = 0 and F1 as the one for β = 1.

    F_r = (1 + b) TP_r / N_r,   N_r = b P + Ŷ_r,   b = β²,   F_r = 0 where N_r = 0

P positives, Ŷ_r predicted positives. b = p/q is rational; below N̂ = q N = p P + q Ŷ, so F = (p + q) TP / N̂.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.numbers import integer_array
from dpselect.exact.rational_scores import RationalScores
from dpselect.exact.scores import Scores
from dpselect.problems.table.metrics.metric import (
    Integers,
    Metric,
    Moves,
    Reads,
    at_least_one,
    hyperbola,
    no_factor,
    whole_flips,
)
from dpselect.problems.table.tallies import Confusions
from dpselect.profile import Profile

PATIENCE: Final = Fraction(1, 2)
"""ρ of the support that precision is planned with.

On the tables of the documentation a smaller one (a larger support) passes over models with ten predicted positives that
are the best of a small table; a larger one names models that predict none.
"""


@final
@dataclass(frozen=True)
class FScore(Metric):
    """F_β on class 1.

    Profile, both units: A(t) = (1 + b)/max(1 + b, N_min − (1 + b) t), κ = 2, GS = 1. *Proof.* From a table w with
    T = (1 + b) TP, one more record makes F one of (T + 1 + b)/(N + 1 + b) (true positive), T/(N + b), T/(N + 1), T/N
    (or 0 where that is 0/0). Two of the five numbers differ by at most (1 + b)/(N + 1 + b) = (1 + b)/N', where N' is
    the largest N any of the tables can have, in particular at least that of x. One record moves N by at most 1 + b
    under both units.

    Flip distance (certificate), records added or removed. For a pair r, s and a level L let M_r = (1 + b) TP_r − L N_r,
    so that F_r ≥ L iff M_r ≥ 0 (where N_r > 0). Ψ_L = (−M_r)₊ + (M_s)₊ moves by at most c(L) = max(1 + b − L, L) with
    one record: 1 + b − L if it is positive and one of the two finds it, L if it is negative and one of them errs.
    Hence min_L Ψ_L/c(L) is 1-Lipschitz, and it is 0 iff some level separates the two, F_r ≥ L ≥ F_s. Beyond
    [F_s, F_r] the ratio grows, inside it is monotone between the kinks of c, so the ends and L = (1 + b)/2, if between,
    suffice. With X = TP_s N̂_r − TP_r N̂_s they give X/max(N̂_r − q TP_r, q TP_r), the same with s, and
    (N̂_r − N̂_s)/q + 2 (TP_s − TP_r). φ is the maximum over s. Where N_r = 0 no level says that F_r = 0 is less than
    F_s: hence 1 at least.

    Common factor, b > 0: P F has span at most (1 + b)/b where a record is added or removed, twice that where it is
    replaced. *Proof.* P F is homogeneous of degree 1 in (P, TP, Ŷ); integrating its derivative along the change, a
    positive record raises it by 0 to (1 + b)/b (with x = TP/P, y = Ŷ/P the slopes are (1 + b)(xy + b + y − x)/(b + y)²
    and (1 + b) x y/(b + y)²), a negative one lowers it by at most (1 + b) x/(b + y)² ≤ max((1 + b)/4b, 1/(1 + b)).

    >>> FScore(Fraction(1)).moves(False).span
    Fraction(2, 1)
    """

    weight: Fraction
    """b = β²."""
    reads: ClassVar[Reads] = "classes"
    has_flips: ClassVar[bool] = True

    @property
    def name(self) -> str:
        if self.weight == 1:
            return "f1"
        return "f-beta" if self.weight else "precision"

    def moves(self, replacing: bool) -> Moves:
        b = self.weight
        span = (1 + b) / b * (2 if replacing else 1) if b else None
        # On the tables of the documentation, the factor is the better one from about β = 1.4 on, and F1 is below it.
        # Precision rests on the predicted positives, of which a model may have none.
        default = "common-factor" if b >= 2 else "inverse-sensitivity" if b else "supported-flips"
        return Moves(2, Fraction(1), span, Fraction(1), default)

    def _parts(self, tally: Confusions) -> tuple[NDArray[Any], NDArray[Any]]:
        """TP_r and N̂_r, as integers whose products fit."""
        p, q = self.weight.as_integer_ratio()
        right, predicted = tally.right[:, 1], tally.predicted[:, 1]
        positives = tally.class_sizes[1]
        if (p + q) * int(tally.counts[0].sum()) >= 2**30:
            right, predicted = right.astype(object), predicted.astype(object)
        return right, p * positives + q * predicted

    def scores(self, tally: Confusions) -> Scores:
        right, below = self._parts(tally)
        return self._ratio(right.astype(object), below)

    def common(self, tally: Confusions) -> Scores:
        if not self.weight:
            raise no_factor(self.name)
        right, below = self._parts(tally)
        return self._ratio(right.astype(object) * tally.class_sizes[1], below)

    def _ratio(self, above: NDArray[Any], below: NDArray[Any]) -> Scores:
        p, q = self.weight.as_integer_ratio()
        return RationalScores(integer_array(above * (p + q)), integer_array(np.where(below == 0, 1, below)))

    def profile(self, tally: Confusions, replacing: bool) -> Profile:
        p, q = self.weight.as_integer_ratio()
        _, below = self._parts(tally)
        return hyperbola(p + q, p + q, int(below.min()), p + q)

    @property
    def small_support(self) -> Fraction | None:
        return None if self.weight else PATIENCE

    def rests_on(self, tally: Confusions) -> Integers:
        """Ŷ_r."""
        return np.asarray(tally.predicted[:, 1])

    def flips(self, tally: Confusions) -> Integers | None:
        right, below = self._parts(tally)
        pairs = [self._behind(int(right[r]), int(below[r]), right, below) for r in range(len(right))]
        return at_least_one(
            np.array([flips for flips, _ in pairs], dtype=object), np.array([best for _, best in pairs])
        )

    def _behind(self, mine: int, level: int, right: NDArray[Any], below: NDArray[Any]) -> tuple[int, bool]:
        """max over s of the certificate of a pair, and whether no s is ahead."""
        p, q = self.weight.as_integer_ratio()
        ratio = right * max(level, 1) - mine * below  # F_s > F_r iff > 0
        ahead = ratio > 0
        if not ahead.any():
            return 0, True
        tp, n = right[ahead], below[ahead]
        x = tp * level - mine * n
        ends = [
            whole_flips(x, max(level - q * mine, q * mine, 1) + 0 * x),
            whole_flips(x, np.maximum(np.maximum(n - q * tp, q * tp), 1)),
        ]
        if p < q:
            # The kink L = (p + q)/2q lies strictly between F_r and F_s iff 2q TP_r < N̂_r and 2q TP_s > N̂_s.
            inside = (2 * q * mine < level) & (2 * q * tp > n)
            kink = whole_flips(level - n + 2 * q * (tp - mine), q + 0 * x)
            ends.append(np.where(inside, kink, ends[0]))
        return int(np.minimum.reduce(ends).max()), False
