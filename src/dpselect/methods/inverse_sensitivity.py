"""InverseSensitivity: weigh a candidate by how many records would have to change before it were the best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from dpselect.exact.exponents import Exponents
from dpselect.laws import Flips, sampler_named
from dpselect.methods.ladder import whole_step_exponents, whole_steps
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.scale import Scales
from dpselect.methods.within import largest_gap_within
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class InverseSensitivity(Method):
    """P(r) ∝ exp(−ε φ(x, r) / 2) for a flip-distance certificate φ.

    |φ(x, r) − φ(x', r)| ≤ 1 on every edge, and φ = 0 exactly at maximisers. φ is the problem's own certificate;
    where it has none, the whole-step ladder of its profile, which is one.

    Guarantee: ε-differential privacy: z = ε φ / 2 moves by at most ε/2 on an edge, and the normaliser by as much.
    Publishable utility, with no private number in it: with probability ≥ 1 − ρ, φ(R) ≤ (2/ε) K(m, ρ): "the answer
    would be a best one if at most that many records were different" (`release.flip_bound`).
    Cost: the certificate, then one pass over the candidates. Source: theory section 6b (not in the paper).

    >>> InverseSensitivity().name
    'inverse-sensitivity'
    """

    sampler: str = "permute-and-flip"

    name: ClassVar[str] = "inverse-sensitivity"
    theorem: ClassVar[str] = "theory 6b: certified flip distance"

    def lacks(self, question: Question) -> str | None:
        return None

    def plan(self, question: Question, budget: Budget) -> Calibration:
        selection = ByFlips(budget.epsilon / budget.peels, question.kappa)
        return pure_calibration(self, question, budget, sampler_named(self.sampler), selection)


@final
@dataclass(frozen=True)
class ByFlips(Selection):
    """z_r = ε φ_r / 2."""

    epsilon: Fraction
    kappa: int

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        own = evaluation.flip_distance
        if own is None:
            own = whole_steps(evaluation.profile.ladder(self.kappa), evaluation.scores)
        return whole_step_exponents(np.asarray(own), self.epsilon / 2)

    @property
    def flips(self) -> Flips:
        return Flips(2 / self.epsilon)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """The largest gap among the candidates with φ ≤ 2 z / ε."""
        return largest_gap_within(evaluation.scores.gaps(), self.exponents(evaluation, scales), nats)
