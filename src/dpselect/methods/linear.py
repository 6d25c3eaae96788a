"""Selecting at a scale: exponents proportional to the gaps (theory section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dpselect.exact.exponents import Exponents
from dpselect.methods.maximisers import excluding_all_but_maximisers
from dpselect.methods.method import Selection
from dpselect.methods.scale import Scales
from dpselect.question import Evaluation


@final
@dataclass(frozen=True)
class AtScale(Selection):
    """z_r = ε_s g(x, r) / (κ B), B the last released scale.

    On an edge with ω(x, x') ≤ B (κ = 2), or with span ≤ B (κ = 1), the two laws are within e^{±ε_s} (edge lemma).
    B = 0 names a maximiser: it is only drawn where the scores are constant on the component.
    """

    epsilon: Fraction
    kappa: int

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        if scales[-1] == 0:
            return excluding_all_but_maximisers(evaluation)
        return evaluation.scores.gaps().times(1 / self._temperature(scales))

    def temperature(self, scales: Scales) -> Fraction | None:
        return self._temperature(scales)

    def _temperature(self, scales: Scales) -> Fraction:
        return self.kappa * scales[-1] / self.epsilon

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g = z κ B / ε_s."""
        return nats * self._temperature(scales)
