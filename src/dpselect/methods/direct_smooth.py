"""DirectSmooth: select at a smooth bound of the local sensitivity, without privatising it (theory section 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from dpselect.errors import InvalidParameter
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import nonnegative
from dpselect.exact.reals import Real, less
from dpselect.guarantee import Guarantee, Kind, Part
from dpselect.laws import GIBBS, Sampler, sampler_named
from dpselect.methods.maximisers import excluding_all_but_maximisers
from dpselect.methods.method import Budget, Calibration, Method, Selection
from dpselect.methods.options import ACCOUNTING, Accounting, Number, one_of, share
from dpselect.methods.scale import NoScale, Scales
from dpselect.methods.transform import linear_exponents
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class DirectSmooth(Method):
    """P(r) ∝ exp(λ q(x, r) / S_β(x)), λ = ε_a / κ, and only R is released.

    ε = ε_a + ε_b. The temperature S_β(x) is private; it moves by at most e^{±β} on an edge. β is the largest number
    with

        (m − 1) a (1 + a)^{−(1 + 1/a)} e^{−ε_b/a} ≤ δ,  a = e^β − 1,      and      β log m ≤ ε_b

    ((m − 1)/2 in place of m − 1 for permute-and-flip), rounded down to a dyadic rational and checked in exact
    arithmetic (`largest_smoothness`).

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        split: ε_b / ε. Default 1/4: a larger share makes S_β smaller, a smaller one lowers the temperature ε_a.
        smoothness: β, if it is to be smaller than the largest admissible one; a larger one is refused.
        accounting: "source" takes the paper's β = log(1 + ε/(4 log(m (1 + e^{ε/2})/δ))) at ε_a = ε/2 (eq. 40).

    Guarantee: (ε, δ). Move the temperature first, at fixed scores, then the scores at the fixed temperature S(x').
    The second step is pure ε_a (edge lemma: S_β(x') ≥ LS(x')). First step, θ → θ e^{β'}, 0 ≤ β' ≤ β: the loss at r
    is at most (e^β − 1) z_r with z = θ g, and Pr[r] ≤ e^{−z_r} (e^{−z_r}/2 for permute-and-flip), so the
    hockey-stick divergence at ε_b is at most Σ over m − 1 candidates of max_z e^{−z}(1 − e^{ε_b − a z})_+, which is
    the formula; θ → θ e^{−β'}: loss ≤ log(Z'/Z) ≤ β log m ≤ ε_b.
    Regret: (S_β / λ) K(m, ρ), with a private S_β: the curator's.
    Errors: `UnsupportedProblem` without a finite global sensitivity; `InvalidParameter` for δ = 0.
    Cost: the profile, then one pass. With top=k every peel costs (ε/k, δ/k). Source: section 7.3, sharper.

    >>> DirectSmooth().name
    'direct-smooth'
    """

    sampler: str = "permute-and-flip"
    split: Number | None = None
    smoothness: Number | None = None
    accounting: Accounting = "sharper"

    name: ClassVar[str] = "direct-smooth"
    theorem: ClassVar[str] = "theory 7: direct smooth scale"

    def lacks(self, question: Question) -> str | None:
        return None if question.global_sensitivity is not None else "a finite global sensitivity"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        sampler = sampler_named(self.sampler)
        one_of(self.accounting, ACCOUNTING, "accounting")
        epsilon, delta = budget.epsilon / budget.peels, budget.require_delta(self.name) / budget.peels
        if self.accounting == "source":
            if self.split is not None or self.smoothness is not None:
                raise InvalidParameter("accounting='source' fixes split and smoothness itself: leave them out")
            kept, largest = epsilon / 2, source_smoothness(question.size, epsilon, delta)
        else:
            kept = epsilon * (1 - share(Fraction(1, 4) if self.split is None else self.split, "split"))
            largest = largest_smoothness(question.size, epsilon - kept, delta, sampler)
        beta = largest
        if self.smoothness is not None:
            beta = at_most_admissible(self.smoothness, largest)
        return Calibration(
            method=self.name,
            theorem=self.theorem,
            question=question,
            guarantee=Guarantee.of([Part(Kind.PURE, epsilon)] * budget.peels, delta=delta * budget.peels),
            kernel=NoScale(),
            selection=AtSmoothBound(kept / question.kappa, beta),
            sampler=sampler,
            epsilon_selection=kept,
            peels=budget.peels,
        )


@final
@dataclass(frozen=True)
class AtSmoothBound(Selection):
    """z_r = λ g(x, r) / S_β(x); a maximiser for certain where S_β = 0, i.e. where the scores are constant."""

    rate: Fraction
    smoothness: Fraction

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        if evaluation.profile.is_zero:
            return excluding_all_but_maximisers(evaluation)
        bound = evaluation.profile.smooth_bound(self.smoothness)
        return linear_exponents(evaluation.scores.gaps(), self.rate / bound)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g = z S_β / λ."""
        return (evaluation.profile.smooth_bound(self.smoothness) * (nats / self.rate)).upper()


def hotter_loss(size: int, smoothness: Fraction, epsilon: Fraction, sampler: Sampler) -> Real:
    """N a (1 + a)^{−(1 + 1/a)} e^{−ε_b/a}, a = e^β − 1: the hockey-stick divergence at ε_b of a temperature move by β.

    N = m − 1, halved for permute-and-flip. It increases with β: d log/da = (log(1 + a) + ε_b)/a².
    """
    others = Fraction(size - 1) if sampler is GIBBS else Fraction(size - 1, 2)
    a = Real.of(smoothness).expm1()
    return a * others * (-(smoothness * (1 + 1 / a)) - epsilon / a).exp()


def largest_smoothness(size: int, epsilon: Fraction, delta: Fraction, sampler: Sampler) -> Fraction:
    """A dyadic β, within 2^-30 relative of the largest, with `hotter_loss` ≤ δ and β log m ≤ ε_b, both proved.

    Floating point only proposes. m ≥ 2.

    >>> from dpselect.laws import GIBBS
    >>> round(float(largest_smoothness(10, Fraction(1, 2), Fraction(1, 10**6), GIBBS)), 5)
    0.0414
    """
    if size < 2:
        return Fraction(1)
    others = math.log(size - 1) - (0.0 if sampler is GIBBS else math.log(2))
    target, e = _log(delta), float(epsilon)
    low, high = 0.0, e / math.log(size)
    for _ in range(200):
        middle = (low + high) / 2
        # Beyond 600 a is e^β to all digits, and the loss is its limit N.
        a = math.expm1(min(middle, 600.0))
        loss = -math.inf if a == 0 else others + math.log(a) - min(middle, 600.0) * (1 + 1 / a) - e / a
        low, high = (middle, high) if loss <= target else (low, middle)
    beta = Fraction(low)
    log_size = Real.of(size).log()
    while True:
        beta *= 1 - Fraction(1, 2**31)
        beta = Fraction(float(beta)) if float(beta) > 0 else beta
        if beta <= 0:
            raise InvalidParameter("epsilon is too small for a direct smooth scale")
        if less(hotter_loss(size, beta, epsilon, sampler), delta) and less(log_size * beta, epsilon):
            return beta


def source_smoothness(size: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """β = log(1 + ε/(4 log(m (1 + e^{ε/2})/δ))), rounded down (source eq. 40)."""
    spread = (size * (1 + Real.of(epsilon / 2).exp()) / delta).log()
    return (1 + epsilon / (4 * spread)).log().lower()


def at_most_admissible(smoothness: object, largest: Fraction) -> Fraction:
    """A β of the caller's own, at most the largest admissible one."""
    beta = nonnegative(smoothness, "smoothness")
    if beta > largest:
        raise InvalidParameter(
            f"smoothness must be at most {float(largest):.6g} at this epsilon, delta and number of candidates"
        )
    return beta


def _log(x: Fraction) -> float:
    """log of a positive rational, also of one below the range of floats."""
    return math.log(x.numerator) - math.log(x.denominator)
