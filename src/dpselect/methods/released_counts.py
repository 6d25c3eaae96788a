"""ReleasedCounts: publish lower bounds of all counts, drop small categories, select at the scale of the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import whole
from dpselect.laws import sampler_named
from dpselect.methods.counts_kernel import CountsKernel
from dpselect.methods.method import Budget, Calibration, Method, Selection, kernel_calibration
from dpselect.methods.noise import UpperNoise
from dpselect.methods.options import Number, share
from dpselect.methods.scale import Scales
from dpselect.question import CountConstants, Evaluation, Question


@final
@dataclass(frozen=True)
class ReleasedCounts(Method):
    """ĉ_r = ⌊c_r + (W_r − shift)/ε_t⌋ for all r; keep {ĉ_r ≥ m_0}; B = width/(min kept ĉ + w); select at B among those.

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        minimum: m_0 ≥ 1. Default: the count from which on a selection at ε_s is within a tenth of the range, except
            with probability 1/20; above the support of the score, if that is 2 or more.
        split: the share of ε for the counts. Default 1/4.
        noise: "laplace", "truncated" or "auto" (the smaller shift, default).

    Released: `scales` are the m count bounds, then B. Status "not-released" where no category is kept.
    Publishable regret: as for `PrivateBound`, against the categories kept.

    Guarantee: (ε_t + ε_s, δ) under add-or-remove. Proof. An edge touches one category r and moves its count by 1, so
    ĉ is (ε_t, 0 or δ)-private, although all m are released. Let c be the larger count of r on the edge, and T the event
    ĉ_r ≤ c: it has probability 1 − η or more at both ends (1 with truncated noise). What is kept depends on ĉ only.
    On T either r is dropped, and the two laws are equal; or r is kept, B ≥ width/(ĉ_r + w) ≥ width/(c + w), which
    bounds the change of q_r, and no other score moves: κ = 1. Then composition as in theory section 4, δ = η, not
    split over the categories. A jump at a support h ≥ 2 happens at c = h < m_0, where r is dropped on T.
    Where a record is replaced two categories are touched: (2 ε_t + ε_s, δ) with δ/2 for each, κ = 2.
    Errors: `InvalidParameter` for δ = 0 or top > 1. Cost: one noise draw a category, then one pass.
    Source: theory section 8b.

    >>> ReleasedCounts(minimum=50).name
    'released-counts'
    """

    sampler: str = "permute-and-flip"
    minimum: int | None = None
    split: Number = Fraction(1, 4)
    noise: str = "auto"

    name: ClassVar[str] = "released-counts"
    theorem: ClassVar[str] = "theory 4 with released counts: the kept set and the scale depend on ĉ alone"

    def lacks(self, question: Question) -> str | None:
        return None if question.counts is not None else "counts per candidate, with one row a person"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        constants = question.counts
        assert constants is not None  # `lacks` was asked first
        if budget.peels > 1:
            raise InvalidParameter("top must be 1 for method 'released-counts': too few categories may be kept")
        spent = share(self.split, "split") * budget.epsilon
        each_failure = budget.require_delta(self.name) / constants.touched
        noise = UpperNoise.choose(self.noise, spent / constants.touched, each_failure)
        kappa = 1 if constants.touched == 1 else 2
        minimum = self._minimum(constants, question.size, kappa, budget.epsilon - spent)
        kernel = CountsKernel(noise, minimum, constants)
        return kernel_calibration(
            self,
            question,
            kernel,
            lambda each: AmongKept(kernel, each, kappa),
            sampler_named(self.sampler),
            budget=budget,
            spent=[noise.part] * constants.touched,
            failure=budget.delta,
            releases="scale and candidate",
            notes=(
                f"categories with a released count bound below {minimum} are left out; "
                "the regret bound compares with those kept",
            ),
        )

    def _minimum(self, constants: CountConstants, size: int, kappa: int, epsilon: Fraction) -> int:
        needed = constants.support + 1 if constants.support >= 2 else 1
        if self.minimum is not None:
            return whole(self.minimum, "minimum", least=needed)
        # κ B log(19 (m − 1))/ε_s ≤ width/10 at B = width/(m_0 + w).
        enough = 10 * kappa * math.log(max(19 * (size - 1), 2)) / float(epsilon) - float(constants.weight)
        return max(needed, math.ceil(enough))


@final
@dataclass(frozen=True)
class AmongKept(Selection):
    """z_r = ε_s g(x, r)/(κ B) among the kept categories, whose best has gap 0; the others are excluded."""

    kernel: CountsKernel
    epsilon: Fraction
    kappa: int

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        kept = self.kernel.kept(scales)
        place = np.cumsum(kept) - 1
        among = evaluation.scores.without(np.flatnonzero(~kept)).gaps().times(1 / self._temperature(scales))
        proposal = np.full(len(kept), np.inf)
        proposal[kept] = among.proposal
        return Exponents(proposal, lambda i: among.exact(int(place[i])) if kept[i] else None, among.error)

    def temperature(self, scales: Scales) -> Fraction | None:
        return self._temperature(scales)

    def _temperature(self, scales: Scales) -> Fraction:
        return self.kappa * scales[-1] / self.epsilon

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g = z κ B / ε_s, against the best category kept."""
        return nats * self._temperature(scales)
