"""SupportedFlips: flip distances, and a public number of records below which a candidate is an unlikely answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import probability, whole
from dpselect.laws import Flips, sampler_named
from dpselect.methods.ladder import whole_step_exponents
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.options import Number
from dpselect.methods.scale import Scales
from dpselect.methods.within import largest_gap_within
from dpselect.question import NEVER, Evaluation, Question

MOST: Final = 1 << 60


@final
@dataclass(frozen=True)
class SupportedFlips(Method):
    """ψ(x, r) = max(φ(x, r), ⌈(h − n_r)/c⌉);  P(r) ∝ exp(−ε ψ(x, r) / 2), or permute-and-flip with ψ less its minimum.

    φ is the flip distance, n_r the records that the score of r rests on (those of a category, those that a model calls
    positive), c the rows a person may have. A category of three records is three flips away from any mean, so flip
    distances alone make it a likely answer, whatever its mean is; with h it is h − 3 away.

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        support: h ≥ 1. Default c ⌈(2/ε) K(m, ρ)⌉, with which an empty category is answered with probability ρ at most
            wherever another one has h records and the highest score.
        rho: ρ of the default h. Default: the problem's own, 0.01 for means and 0.5 for precision.

    Guarantee: ε-differential privacy. On every edge φ moves by at most 1, and each count n_r by at most c (a record
    that is replaced leaves one category and enters another), hence n_r/c, rounded, by at most 1. So does the maximum of
    the two: ε ψ / 2 moves by at most ε/2. What is subtracted from all of them changes neither law's guarantee. No δ is
    spent, and nothing is split.
    Publishable utility: a best category has φ = 0, so min ψ ≤ ⌈h/c⌉, and with probability ≥ 1 − ρ
    φ(R) ≤ ψ(R) ≤ (2/ε) K(m, ρ) + ⌈h/c⌉ (`release.flip_bound`).
    Errors: `UnsupportedProblem` for problems without such counts.
    Cost: the flip distances, then one pass. A best candidate of fewer than h records is an unlikely answer, too: where
    such a one would be wanted, take `InverseSensitivity`; a `support` in the problem says the same of the question
    itself. Source: theory sections 6b and 8b.

    >>> SupportedFlips(support=30).name
    'supported-flips'
    """

    sampler: str = "permute-and-flip"
    support: int | None = None
    rho: Number | None = None

    name: ClassVar[str] = "supported-flips"
    theorem: ClassVar[str] = "theory 6b: certified flip distance, at least what is missing to a public support"

    def lacks(self, question: Question) -> str | None:
        if question.support is None or not question.has_flip_distance:
            return "flip distances and counts per candidate"
        return None

    def plan(self, question: Question, budget: Budget) -> Calibration:
        assert question.support is not None  # `lacks` was asked first
        rows = question.support.rows
        sampler = sampler_named(self.sampler)
        each = budget.epsilon / budget.peels
        rho = question.support.rho if self.rho is None else probability(self.rho, "rho")
        if self.support is None:
            support = rows * max(1, math.ceil(2 / each * sampler.tail(question.size, rho).upper()))
        else:
            support = whole(self.support, "support", least=1)
        # More records than there can be say the same as this many, and leave room in 64 bits.
        support = min(support, MOST)
        return pure_calibration(self, question, budget, sampler, BySupportedFlips(each, support, rows))


@final
@dataclass(frozen=True)
class BySupportedFlips(Selection):
    """z_r = ε (ψ_r − min ψ) / 2, ψ = max(φ, ⌈(h − n)/c⌉)."""

    epsilon: Fraction
    support: int
    rows: int

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        steps = self._steps(evaluation)
        return whole_step_exponents(np.where(steps == NEVER, NEVER, steps - steps.min()), self.epsilon / 2)

    def _steps(self, evaluation: Evaluation) -> NDArray[Any]:
        own = evaluation.flip_distance
        assert own is not None  # `lacks` was asked first
        return np.maximum(np.asarray(own), -((evaluation.counts - self.support) // self.rows))

    @property
    def flips(self) -> Flips:
        return Flips(2 / self.epsilon, -(-self.support // self.rows))

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """The largest gap among the candidates with ψ − min ψ ≤ 2 z / ε."""
        return largest_gap_within(evaluation.scores.gaps(), self.exponents(evaluation, scales), nats)
