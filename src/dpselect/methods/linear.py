"""Selecting at a scale: exponents proportional to the gaps (theory section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dpselect.exact.exponents import Exponents
from dpselect.methods.method import Selection
from dpselect.methods.scale import Scales
from dpselect.question import Evaluation


@final
@dataclass(frozen=True)
class AtScale(Selection):
    """z_r = ε_s g(x, r) / (κ B), B the last released scale.

    On an edge with ω(x, x') ≤ B (κ = 2), or with span ≤ B (κ = 1), the two laws are within e^{±ε_s} (edge lemma).
    """

    epsilon: Fraction
    kappa: int

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        return evaluation.scores.gaps().times(self.epsilon / (self.kappa * scales[-1]))

    def temperature(self, scales: Scales) -> Fraction | None:
        return self.kappa * scales[-1] / self.epsilon

    @property
    def flips_per_nat(self) -> Fraction | None:
        return None
