"""LogTransform: weigh the logarithm of the gap in units of a smooth bound (pure ε, theory section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import positive
from dpselect.exact.reals import Real
from dpselect.laws import sampler_named
from dpselect.methods.maximisers import excluding_all_but_maximisers
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.options import ACCOUNTING, Accounting, Number, one_of, rounded_down
from dpselect.methods.scale import Scales
from dpselect.methods.transform import Exact, concave_exponents, nearby
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class LogTransform(Method):
    """h(x, r) = −log(1 + g(x, r)/(c S_β(x))) / Λ, Λ = max(β, log(1 + κ/c)); P(r) ∝ exp(ε h / 2).

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        smoothness: β > 0. Default: a quarter over the number of steps (2/ε) K(m, 0.05) of the regret bound.
        c: positive; default c* = κ/(e^β − 1), the best one for the regret bound, where Λ = β.
        accounting: "source" takes the paper's Λ = β + κ/c.

    Guarantee: ε-differential privacy, |h(x, ·) − h(x', ·)| ≤ 1: with y = g/S, S'/S ∈ [e^{−β}, e^β] and ω ≤ S(x') give
    g'/S' ≤ e^β y + κ, and (c + κ + e^β y)/(c + y) is monotone in y between 1 + κ/c and e^β. Maximisers keep h = 0.
    S = 0: the scores are constant on the component and a maximiser is named.
    Regret: g ≤ c S_β (e^{Λ (2/ε) K} − 1) with probability ≥ 1 − ρ, the curator's: S_β is private.
    Errors: `UnsupportedProblem` without a finite global sensitivity.
    Cost: the profile, then one pass over the candidates. Source: section 7.2, eq. 36, sharper.

    >>> LogTransform().name
    'log-transform'
    """

    sampler: str = "permute-and-flip"
    smoothness: Number | None = None
    c: Number | None = None
    accounting: Accounting = "sharper"

    name: ClassVar[str] = "log-transform"
    theorem: ClassVar[str] = "theory 6: logarithmic transform of a smooth bound"

    def lacks(self, question: Question) -> str | None:
        return None if question.global_sensitivity is not None else "a finite global sensitivity"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        one_of(self.accounting, ACCOUNTING, "accounting")
        sampler = sampler_named(self.sampler)
        each = budget.epsilon / budget.peels
        if self.smoothness is None:
            beta = default_smoothness(each, question.size)
        else:
            beta = positive(self.smoothness, "smoothness")
        c = None if self.c is None else positive(self.c, "c")
        selection = ByLogarithm(each, question.kappa, beta, c, self.accounting)
        return pure_calibration(self, question, budget, sampler, selection)


def default_smoothness(epsilon: Fraction, size: int) -> Fraction:
    """β = ε / (8 K), K = log(19 (m − 1)) (at least 1): a factor e^{1/4} over the (2/ε) K steps of the regret bound.

    >>> default_smoothness(Fraction(1), 1001)
    Fraction(212861, 16777216)
    """
    return rounded_down(float(epsilon) / (8 * max(1.0, float(np.log(max(19.0 * (size - 1), 1.0))))))


@final
@dataclass(frozen=True)
class ByLogarithm(Selection):
    """z_r = (ε/(2Λ)) log(1 + g_r/(c S_β)); c None stands for c* = κ/(e^β − 1)."""

    epsilon: Fraction
    kappa: int
    smoothness: Fraction
    c: Fraction | None
    accounting: Accounting

    @property
    def offset(self) -> Real:
        """c."""
        return self.kappa / Real.of(self.smoothness).expm1() if self.c is None else Real.of(self.c)

    @property
    def sensitivity(self) -> Real:
        """Λ, a bound on the change of log(1 + g/(c S)) on an edge."""
        if self.accounting == "source":
            return self.smoothness + self.kappa / self.offset
        if self.c is None:
            return Real.of(self.smoothness)
        return Real.maximum([Real.of(self.smoothness), Real.of(self.kappa / self.c).log1p()])

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        if evaluation.profile.is_zero:
            return excluding_all_but_maximisers(evaluation)
        gaps = evaluation.scores.gaps()
        factor = 1 / (self.offset * evaluation.profile.smooth_bound(self.smoothness))
        rate = self.epsilon / (2 * self.sensitivity)

        def exact(gap: Exact) -> Exact:
            if isinstance(gap, Fraction) and gap == 0:
                return gap
            return (Real.of(gap) * factor).log1p() * rate

        # Relative errors: 2^-48 for g/(c S), as log(1 + y(1 + e)) is off by at most e log(1 + y); rate and log1p less.
        # Beyond 2^999 proposals of y saturate, and z is made from the exact gap.
        near, slope = nearby(factor), float(nearby(rate))
        y = gaps.times(near).proposal
        proposal = np.log1p(y) * slope
        for i in np.flatnonzero(y >= 2.0**999).tolist():
            proposal[i] = float(Real.of(exact(gaps.exact(i))))
        return concave_exponents(gaps, proposal, exact, slope * float(near) if gaps.error else 0.0)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g = c S (e^{2 Λ z / ε} − 1)."""
        if evaluation.profile.is_zero:
            return Fraction(0)
        bound = self.offset * evaluation.profile.smooth_bound(self.smoothness)
        return (bound * (self.sensitivity * (2 * nats / self.epsilon)).expm1()).upper()
