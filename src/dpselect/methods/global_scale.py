"""GlobalScale: the classical exponential mechanism, calibrated to the worst case over all datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from dpselect.guarantee import Guarantee, Part
from dpselect.laws import sampler_named
from dpselect.methods.linear import AtScale
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.scale import FixedScale
from dpselect.question import Question


@final
@dataclass(frozen=True)
class GlobalScale(Method):
    """P(r) ∝ exp(ε q(x, r) / (κ GS)), or permute-and-flip with exp(−ε g(x, r) / (κ GS)).

    Guarantee: ε-differential privacy (edge lemma with b = GS, theory section 1).
    Publishable regret: with probability ≥ 1 − ρ the gap is at most (κ GS / ε) K(m, ρ).
    Errors: `UnsupportedProblem` where no finite global sensitivity is known.
    Cost: one pass over the candidates. Source: eq. 1 and 2.

    >>> GlobalScale(sampler="gibbs").name
    'global-scale'
    """

    sampler: str = "permute-and-flip"

    name: ClassVar[str] = "global-scale"
    theorem: ClassVar[str] = "theory 1: edge lemma at the global sensitivity"

    def lacks(self, question: Question) -> str | None:
        return None if question.global_sensitivity is not None else "a finite global sensitivity"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        sampler = sampler_named(self.sampler)
        assert question.global_sensitivity is not None  # `lacks` was asked first
        each = budget.epsilon / budget.peels
        return Calibration(
            method=self.name,
            theorem=self.theorem,
            question=question,
            guarantee=Guarantee.of([Part(sampler.kind, each)] * budget.peels),
            kernel=FixedScale(question.global_sensitivity),
            selection=AtScale(each, question.kappa),
            sampler=sampler,
            epsilon_selection=each,
            peels=budget.peels,
        )
