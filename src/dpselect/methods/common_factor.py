"""CommonFactor: weigh c(x) · q(x, r) where one factor tames all candidates (pure ε, tables)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from dpselect.exact.exponents import Exponents
from dpselect.laws import sampler_named
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.scale import Scales
from dpselect.methods.within import largest_gap_within
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class CommonFactor(Method):
    """P(r) ∝ exp(ε c(x) q(x, r) / σ), or permute-and-flip with exp(−ε c(x) g(x, r) / σ).

    c(x) ≥ 0 is the same for all candidates, and c · q has span at most σ on every edge (`question.common_factor`).
    Where c > 0 the maximisers of c · q are those of q; where c = 0 the law is uniform.

    Guarantee: ε-differential privacy: the edge lemma with κ = 1 for the score c · q, whose span is at most σ.
    Regret: g ≤ (σ/(ε c(x))) K(m, ρ), with a private c: the curator's.
    Errors: `UnsupportedProblem` for problems without a common factor.
    Cost: one pass over the candidates. Source: tables, "common factor" (not in the paper).

    >>> CommonFactor(sampler="gibbs").name
    'common-factor'
    """

    sampler: str = "permute-and-flip"

    name: ClassVar[str] = "common-factor"
    theorem: ClassVar[str] = "tables: common factor"

    def lacks(self, question: Question) -> str | None:
        return None if question.common_factor is not None else "a common factor (c(x) · q of bounded span)"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        assert question.common_factor is not None  # `lacks` was asked first
        selection = ByCommonFactor(budget.epsilon / budget.peels, question.common_factor)
        return pure_calibration(self, question, budget, sampler_named(self.sampler), selection)


@final
@dataclass(frozen=True)
class ByCommonFactor(Selection):
    """z_r = ε (max c q − c q_r) / σ."""

    epsilon: Fraction
    span: Fraction

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        return evaluation.common.gaps().times(self.epsilon / self.span)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """The largest gap of q among the candidates with this z or less."""
        return largest_gap_within(evaluation.scores.gaps(), self.exponents(evaluation, scales), nats)
