"""Matthews correlation: the cosine of the centred columns of labels and predictions.

ρ_r = (n TP − P Ŷ)/√(P Q Ŷ (n − Ŷ)),   0 where a margin is empty
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

import numpy as np

from dpselect.exact.reals import Real
from dpselect.exact.scores import RealScores, Scores
from dpselect.problems.table.metrics.metric import Integers, Metric, Moves, Reads, hyperbola
from dpselect.problems.table.tallies import Confusions
from dpselect.profile import Profile

ERROR: Final = Fraction(1, 2**48)
"""Of a float64 quotient of correctly rounded integers and a square root: five roundings of 2^-53 each."""


@final
@dataclass(frozen=True)
class Matthews(Metric):
    """ρ on class 1, in lazily refined reals.

    Local sensitivity, one record added to w or taken from x: 2/c for the smallest c of the margins P, Q, Ŷ, n − Ŷ (of
    any model) in the larger table. *Proof.* With a new record every centred column gets one orthogonal coordinate:
    lengths a² = PQ/n and b² = Ŷ(n − Ŷ)/n become a² + α² and b² + γ², the product gains αγ. With the angles sin ψ =
    α/√(a² + α²), sin χ = γ/√(b² + γ²): ρ' = ρ cos ψ cos χ + sin ψ sin χ, so |ρ' − ρ| ≤ 1 − cos ψ cos χ +
    |sin ψ sin χ| ≤ 1 − cos(|ψ| + |χ|), and sin²ψ = Q/(n (P + 1)) ≤ 1/(P + 1) for a positive record (the same for the
    others): with both at most 1/c this is at most 2/c. Where a margin was empty, ρ = 0 before, and the change is at
    most 1.
    Profile: min(GS, 2/max(1, c_min − t)), GS = 1; one record replaced is a removal and an addition, after which the
    touched margins are at least those of x less t: twice that, GS = 2. κ = 2.

    Common factor c = max(c_min, √(PQ/n)): c ρ has span at most 4 where a record is added or removed, 8 where it is
    replaced. The first is larger where all models say both classes often; the second does not depend on the models.
    *Proof.* It is shown below that either factor c_i has Δ(c_i (ρ + 1)) between −2 and 2 on an edge. As ρ + 1 ≥ 0, the
    maximum inherits that: with c_j largest at x', c'(ρ' + 1) − c (ρ + 1) ≤ c_j'(ρ' + 1) − c_j (ρ + 1) ≤ 2, and ≥ −2
    with the one that is largest at x. The 1 is the same for all models and cancels.
    c_min: c before the addition, c + δ after it, δ ∈ {0, 1}. All touched margins are at least c + 1 then, so
    cos ψ cos χ ≥ c/(c + 1) and |sin ψ sin χ| ≤ 1/(c + 1). (c + δ)ρ' − cρ = ρ ((c + δ) cos ψ cos χ − c) + (c + δ) sin ψ
    sin χ. δ = 1: its size is at most (c + 1) cos(|ψ| − |χ|) − c ≤ 1, and 1 more is between 0 and 2. δ = 0: at most
    c (1 − cos(|ψ| + |χ|)) < 2.
    √(PQ/n) = a: a ρ = h is the product of the centred labels with the direction of the centred predictions, and
    h' = h cos χ + α sin χ. Exchanging the classes of the labels, or of the predictions, only changes signs, so let the
    record be positive and predicted positive: α ≤ q = Q/n, sin²χ = (n − Ŷ)/(n (Ŷ + 1)), −p √(nŶ/(n − Ŷ)) ≤ h ≤
    q √(nŶ/(n − Ŷ)), p = P/n, so h (1 − cos χ), at most |h| sin²χ in size, is between −p/2 and q/2, and −q/2 ≤ Δh ≤
    q + p/2. Hence |Δh| ≤ 1, and 0 ≤ Δa ≤ 1.
    No flip distance of its own. Ties are seen: ρ is kept as sign and square, which are rational.
    """

    reads: ClassVar[Reads] = "classes"
    has_flips: ClassVar[bool] = False
    name = "matthews"

    def moves(self, replacing: bool) -> Moves:
        times = 2 if replacing else 1
        return Moves(2, Fraction(times), Fraction(4 * times), Fraction(2), "common-factor")

    def scores(self, tally: Confusions) -> Scores:
        return _scaled(tally, Fraction(1))

    def common(self, tally: Confusions) -> Scores:
        return _scaled(tally, _factor_squared(tally))

    def profile(self, tally: Confusions, replacing: bool) -> Profile:
        top = 4 if replacing else 2
        return hyperbola(top, 2, _smallest_margin(tally), 1)

    def flips(self, tally: Confusions) -> Integers | None:
        return None


def _smallest_margin(tally: Confusions) -> int:
    """c_min: the least of P, Q, Ŷ_r, n − Ŷ_r over all models."""
    return min(*tally.class_sizes, int(tally.predicted.min()))


def _factor_squared(tally: Confusions) -> Fraction:
    """max(c_min², PQ/n)."""
    negatives, positives = tally.class_sizes
    return max(Fraction(_smallest_margin(tally) ** 2), Fraction(positives * negatives, max(positives + negatives, 1)))


def _scaled(tally: Confusions, factor_squared: Fraction) -> Scores:
    """√factor_squared · ρ."""
    keys = [(sign, square * factor_squared) for sign, square in _squares(tally)]
    near = [math.copysign(math.sqrt(square), sign) for sign, square in keys]
    known: dict[tuple[int, Fraction], Real] = {}

    def exact(i: int) -> Real:
        if keys[i] not in known:
            known[keys[i]] = _root(*keys[i])
        return known[keys[i]]

    return RealScores(np.array(near, dtype=np.float64), (math.isqrt(int(factor_squared)) + 1) * ERROR, exact)


def _squares(tally: Confusions) -> list[tuple[int, Fraction]]:
    """The sign of ρ_r, and ρ_r²."""
    negatives, positives = tally.class_sizes
    n = negatives + positives
    found = []
    for right, predicted in zip(tally.right[:, 1].tolist(), tally.predicted[:, 1].tolist(), strict=True):
        below = positives * negatives * predicted * (n - predicted)
        above = n * right - positives * predicted
        found.append(((above > 0) - (above < 0), Fraction(above * above, below)) if below else (0, Fraction(0)))
    return found


def _root(sign: int, square: Fraction) -> Real:
    a, b = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if a * a == square.numerator and b * b == square.denominator:
        return Real.of(Fraction(sign * a, b))
    return Real.of(square).sqrt() * sign
