"""AUC: the share of pairs of a positive and a negative record that a model ranks right, ties counting half.

q(x, r) = U_r/(P Q),   ½ where P Q = 0
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from dpselect.exact.scores import IntegerScores, Scores
from dpselect.problems.table.metrics.metric import Integers, Metric, Moves, Reads, hyperbola
from dpselect.problems.table.tallies import Ranks
from dpselect.profile import Profile


@final
@dataclass(frozen=True)
class Auc(Metric):
    """U/(P Q).

    Profile. A positive record taken from P ≥ 2 moves the mean over positives by at most 1/P; from P = 1, to the ½ of
    no pairs, by at most ½: A(t) = 1/max(2, min(P, Q) − t), GS = ½. One record replaced within its class: 1/max(1, P);
    a positive by a negative: with the mean a over the common pairs, ((P − 1)a + v)/P becomes (Qa + u)/(Q + 1), which
    is at most (1 − a)/P + a/(Q + 1) away: A(t) = 1/max(1, min(P, Q) − t), GS = 1. κ = 2.

    Common factor PQ/n: U/n has span at most max(n² − P², n² − Q²)/(n (n + 1)) < 1 where a record is added or removed,
    2 max(P, Q)/n < 2 where it is replaced. *Proof.* A positive record adds 0 to Q to U: (U + e)/(n + 1) − U/n =
    (n e − U)/(n (n + 1)), and the difference of two models is at most (nQ + PQ)/(n (n + 1)) = (n² − P²)/(n (n + 1)).
    Replaced within a class, U moves by at most Q or P either way; to the other class, U = U_w + e before and U_w + f
    after, e ≤ Q, f ≤ P − 1, Q + P − 1 < n.

    Flip distance (certificate), records added or removed: with D = U_s − U_r for the best s, min{i + j : iQ + jP + ij ≥
    D}. *Proof.* A positive record moves D by at most Q. If (i, j) is feasible at x, then (i + 1, j) is with one
    positive more, (i + 1)Q + j(P + 1) + (i + 1)j ≥ D + Q, and with one less, (i + 1)Q + j(P − 1) + (i + 1)j = iQ + jP +
    ij + Q: the term ij is needed there. Only the largest D matters. (P + i)(Q + j) ≥ PQ + D: the smaller class first,
    then both alike.

    >>> Auc().moves(True).span
    Fraction(2, 1)
    """

    reads: ClassVar[Reads] = "ranks"
    has_flips: ClassVar[bool] = True
    name = "auc"

    def moves(self, replacing: bool) -> Moves:
        return Moves(
            kappa=2,
            sensitivity=Fraction(1, 1 if replacing else 2),
            span=Fraction(2 if replacing else 1),
            width=Fraction(1),
            default="common-factor",
        )

    def scores(self, tally: Ranks) -> Scores:
        pairs = tally.positives * tally.negatives
        if pairs == 0:
            return IntegerScores(np.ones(tally.size, np.int64), Fraction(1, 2))
        return IntegerScores(tally.doubled, Fraction(1, 2 * pairs))

    def common(self, tally: Ranks) -> Scores:
        return IntegerScores(tally.doubled, Fraction(1, 2 * max(1, tally.positives + tally.negatives)))

    def profile(self, tally: Ranks, replacing: bool) -> Profile:
        return hyperbola(1, 1 if replacing else 2, min(tally.positives, tally.negatives), 1)

    def flips(self, tally: Ranks) -> Integers | None:
        top = int(tally.doubled.max())
        return np.array([self._pairs(tally, top - int(twice)) for twice in tally.doubled], dtype=np.int64)

    @staticmethod
    def _pairs(tally: Ranks, behind: int) -> int:
        """min{i + j : 2 (P + i)(Q + j) ≥ 2PQ + 2D}, behind = 2D."""
        if behind == 0:
            return 0
        small, large = sorted((tally.positives, tally.negatives))
        need = -(-(2 * small * large + behind) // 2)
        one = -(-need // large) - small  # the smaller class alone
        if small + one <= large:
            return one
        side = math.isqrt(need - 1) + 1
        return 2 * side - (1 if side * (side - 1) >= need else 0) - small - large
