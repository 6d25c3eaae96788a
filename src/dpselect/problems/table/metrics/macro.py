"""Macro averages over K ≥ 2 classes of F1 and of precision, each class against the rest.

    q(x, r) = (1/K) Σ_k 2 TP_{r,k}/(n_k + Ŷ_{r,k})      q(x, r) = (1/K) Σ_k TP_{r,k}/Ŷ_{r,k}      0/0 = 0

Macro recall is balanced accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.numbers import integer_array
from dpselect.exact.rational_scores import RationalScores
from dpselect.exact.scores import Scores
from dpselect.problems.table.metrics.metric import Integers, Metric, Moves, Reads, hyperbola, no_factor
from dpselect.problems.table.tallies import Confusions
from dpselect.profile import Profile


@final
@dataclass(frozen=True)
class MacroF1(Metric):
    """(1/K) Σ_k F1_k.

    Profile, record added or removed: A(t) = (2/K)/max(2, N_min − 2t), N_min = min over models and classes of N_{r,k} =
    n_k + Ŷ_{r,k}; GS = 1/K. *Proof.* A record found right moves one F1 by at most 2/N (N in the larger table); one of
    class y put into z moves two, by at most F/N_y + F/N_z ≤ 2/N_min, where N ≥ 3 in the larger table unless F was 0
    anyway. One record moves N by at most 2.
    One record replaced: a removal and an addition, each as above; N_{r,k} of a class touched by the addition is at
    least N_min − 1 in the new table: (4/K)/max(2, N_min − 1 − 2t), GS = 2/K. κ = 2.
    No flip distance of its own and no common factor: the certificate of one F-score needs one level for two numbers,
    and a sum of K ratios has none.
    """

    classes: int
    reads: ClassVar[Reads] = "classes"
    has_flips: ClassVar[bool] = False
    name = "macro-f1"

    def moves(self, replacing: bool) -> Moves:
        return _moves(self.classes, replacing)

    def scores(self, tally: Confusions) -> Scores:
        return _mean_of_ratios(2 * tally.right.astype(object), self._below(tally))

    def _below(self, tally: Confusions) -> NDArray[np.int64]:
        """N_{r,k}."""
        return np.asarray(tally.predicted + tally.counts[0].sum(axis=1))

    def profile(self, tally: Confusions, replacing: bool) -> Profile:
        least = int(self._below(tally).min())
        if not replacing:
            return hyperbola(2, 2 * self.classes, self.classes * least, 2 * self.classes)
        return hyperbola(4, 2 * self.classes, self.classes * (least - 1), 2 * self.classes, Fraction(2, self.classes))

    def flips(self, tally: Confusions) -> Integers | None:
        return None

    def common(self, tally: Confusions) -> Scores:
        raise no_factor(self.name)


@final
@dataclass(frozen=True)
class MacroPrecision(Metric):
    """(1/K) Σ_k TP_k/Ŷ_k.

    Profile, record added or removed: A(t) = (1/K)/max(1, Ŷ_min − t), GS = 1/K: one record moves the precision of the
    one class it is put into by at most 1/Ŷ, Ŷ in the larger table. One record replaced: two classes, each at most that
    (their Ŷ in the larger of the two tables is at least Ŷ_min): twice as much. κ = 2. No flip distance of its own and
    no common factor, as for `MacroF1`.
    """

    classes: int
    reads: ClassVar[Reads] = "classes"
    has_flips: ClassVar[bool] = False
    name = "macro-precision"

    def moves(self, replacing: bool) -> Moves:
        return _moves(self.classes, replacing)

    def scores(self, tally: Confusions) -> Scores:
        return _mean_of_ratios(tally.right.astype(object), tally.predicted)

    def profile(self, tally: Confusions, replacing: bool) -> Profile:
        top = 2 if replacing else 1
        return hyperbola(top, self.classes, self.classes * int(tally.predicted.min()), self.classes)

    def flips(self, tally: Confusions) -> Integers | None:
        return None

    def common(self, tally: Confusions) -> Scores:
        raise no_factor(self.name)


def _moves(classes: int, replacing: bool) -> Moves:
    return Moves(2, Fraction(2 if replacing else 1, classes), None, Fraction(1), "ladder")


def _mean_of_ratios(above: NDArray[np.object_], below: NDArray[np.int64]) -> Scores:
    """(1/K) Σ_k a_{r,k}/b_{r,k}, 0 where b = 0 (a is 0 there)."""
    tops, bottoms = [], []
    for a, b in zip(above.tolist(), below.tolist(), strict=True):
        common = math.lcm(*(max(y, 1) for y in b))
        tops.append(sum(x * (common // max(y, 1)) for x, y in zip(a, b, strict=True)))
        bottoms.append(common * len(b))
    return RationalScores(integer_array(tops), integer_array(bottoms))
