"""Zero sensitivity: the best candidates are the same at all datasets, so naming one of them costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dpselect.exact.exponents import Exponents
from dpselect.guarantee import Guarantee
from dpselect.laws import GIBBS
from dpselect.methods.method import Calibration, Selection
from dpselect.methods.scale import NoScale, Scales
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class MaximisersOnly(Selection):
    """z_r = 0 at the maximisers, everything else excluded: a uniform choice among the best."""

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        return excluding_all_but_maximisers(evaluation)

    def temperature(self, scales: Scales) -> Fraction | None:
        return Fraction(0)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """Only maximisers are named."""
        return Fraction(0)


def excluding_all_but_maximisers(evaluation: Evaluation) -> Exponents:
    """Exponents of the uniform law on the maximisers."""
    best = evaluation.scores.maximisers()
    return Exponents(proposal=np.where(best, 0.0, np.inf), exact=lambda i: Fraction(0) if best[i] else None)


def free_calibration(method: str, question: Question, peels: int) -> Calibration:
    """The calibration of a question whose answer cannot depend on one record (GS = 0), or has one candidate."""
    return Calibration(
        method=method,
        theorem="theory 1: zero sensitivity" if question.is_free else "one candidate",
        question=question,
        guarantee=Guarantee.free(),
        kernel=NoScale(),
        selection=MaximisersOnly(),
        sampler=GIBBS,
        epsilon_selection=Fraction(0),
        peels=peels,
    )
