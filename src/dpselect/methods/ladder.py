"""Ladder: count how many widening steps a candidate is behind (pure ε, theory section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import positive
from dpselect.exact.reals import Real
from dpselect.exact.scores import LARGEST, Gaps, RealScores, Scores
from dpselect.laws import sampler_named
from dpselect.methods.log_transform import default_smoothness
from dpselect.methods.maximisers import excluding_all_but_maximisers
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.options import ACCOUNTING, Accounting, Number, one_of
from dpselect.methods.scale import Scales
from dpselect.methods.transform import Exact, concave_exponents, nearby
from dpselect.profile import Ladder as Steps
from dpselect.question import NEVER, Evaluation, Question

SMALLEST = 2.0**-900
"""Proposals of gaps below this may have lost digits."""


@final
@dataclass(frozen=True)
class Ladder(Method):
    """h(x, r) = −C_x⁻¹(g(x, r)), C_x(k) = κ Σ_{t<k} A_x(t) linear in between; P(r) ∝ exp(ε h / 2).

    Arguments (public):
        sampler: "permute-and-flip" (default) or "gibbs".
        steps: "linear" (default), or "whole": h = −min{k ∈ ℕ : C_x(k) ≥ g}, few distinct weights; its expected
            regret is sometimes better and sometimes worse.
        accounting: "source" takes the paper's ladder of a smooth bound, C_x(k) = κ S_β (e^{βk} − 1)/(e^β − 1), whose
            steps are never narrower: A_x(t) ≤ e^{βt} S_β(x).
        smoothness: β > 0 of that ladder. Default as for `LogTransform`.

    Guarantee: ε-differential privacy. |h(x, ·) − h(x', ·)| ≤ 1, because
    C_{x'}(t + 1) ≥ κ A_{x'}(0) + C_x(t) ≥ g(x, r) + κ ω ≥ g(x', r); so z = −ε h / 2 moves by at most ε/2.
    Maximisers keep h = 0. The regret bound g ≤ C_x((2/ε) K) needs C_x: it is the curator's (`diagnose`).
    Cost: the profile, then one pass over the candidates. Source: Theorem 7.2 and eq. 33, sharper.

    >>> Ladder(steps="whole").name
    'ladder'
    """

    sampler: str = "permute-and-flip"
    steps: Literal["linear", "whole"] = "linear"
    accounting: Accounting = "sharper"
    smoothness: Number | None = None

    name: ClassVar[str] = "ladder"
    theorem: ClassVar[str] = "theory 6: ladder of an admissible profile"

    def lacks(self, question: Question) -> str | None:
        if self.accounting == "source" and question.global_sensitivity is None:
            return "a finite global sensitivity"
        return None

    def plan(self, question: Question, budget: Budget) -> Calibration:
        one_of(self.steps, ("linear", "whole"), "steps")
        sampler = sampler_named(self.sampler)
        each = budget.epsilon / budget.peels
        if one_of(self.accounting, ACCOUNTING, "accounting") == "source":
            if self.steps == "whole":
                raise InvalidParameter("steps='whole' goes with the ladder of the profile, not with the paper's")
            if self.smoothness is None:
                beta = default_smoothness(each, question.size)
            else:
                beta = positive(self.smoothness, "smoothness")
            return pure_calibration(self, question, budget, sampler, ByGeometricLadder(each, question.kappa, beta))
        if self.smoothness is not None:
            raise InvalidParameter("smoothness belongs to accounting='source': the profile's own ladder has none")
        selection = ByLadder(each, question.kappa, whole=self.steps == "whole")
        return pure_calibration(self, question, budget, sampler, selection)


@final
@dataclass(frozen=True)
class ByLadder(Selection):
    """z_r = (ε/2) C⁻¹(g_r), rounded up to whole steps first if `whole`."""

    epsilon: Fraction
    kappa: int
    whole: bool

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        ladder = evaluation.profile.ladder(self.kappa)
        rate = self.epsilon / 2
        if self.whole:
            return whole_step_exponents(whole_steps(ladder, evaluation.scores), rate)
        gaps = evaluation.scores.gaps()

        def exact(gap: Exact) -> Exact | None:
            t = ladder.inverse(gap)
            return None if t is None else t * rate

        steepest = 0.0
        if gaps.error:
            # C⁻¹ is concave: its slope is largest at 0. A(0) = 0 is a jump there, and every proposal is made exactly.
            width = self.kappa * evaluation.profile.local_bound
            steepest = float(rate / width) if width else math.inf
        return concave_exponents(gaps, proposed_steps(ladder, gaps) * float(rate), exact, steepest)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g ≤ C(2 z / ε); whole steps are counted down first."""
        steps = nats * 2 / self.epsilon
        return evaluation.profile.ladder(self.kappa).height(Fraction(steps // 1) if self.whole else steps)


@final
@dataclass(frozen=True)
class ByGeometricLadder(Selection):
    """z_r = (ε/2) C⁻¹(g_r), C(k) = κ S_β (e^{βk} − 1)/(e^β − 1) at whole k, linear in between (Theorem 7.2)."""

    epsilon: Fraction
    kappa: int
    smoothness: Fraction

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        if evaluation.profile.is_zero:
            return excluding_all_but_maximisers(evaluation)
        gaps, beta = evaluation.scores.gaps(), Real.of(self.smoothness)
        # In units of κ S: height(k) = (e^{βk} − 1)/(e^β − 1), step k is e^{βk} wide.
        unit = 1 / (evaluation.profile.smooth_bound(self.smoothness) * self.kappa)
        rate, growth = self.epsilon / 2, beta.expm1()

        def line(k: int, y: Real) -> Real:
            return k + (y - (beta * k).expm1() / growth) / (beta * k).exp()

        def exact(gap: Exact) -> Exact:
            if isinstance(gap, Fraction) and gap == 0:
                return gap
            y = Real.of(gap) * unit
            near = int(float((y * growth).log1p() / beta))
            # C is convex, so C⁻¹ is the least of its lines; the one wanted is among these three.
            lowest = Real.minimum([line(k, y) for k in range(max(near - 1, 0), near + 2)])
            return Real.maximum([lowest, 0]) * rate

        y = gaps.times(nearby(unit)).proposal
        step, factor = float(self.smoothness), math.expm1(float(self.smoothness))
        # Near a kink the neighbouring line gives the same value. Errors are relative to y, or to the height (the
        # expm1 of at most log y): below 2^-46 of t.
        k = np.floor(np.log1p(y * factor) / step)
        proposal = float(rate) * np.maximum(k + (y - np.expm1(step * k) / factor) / np.exp(step * k), 0.0)
        for i in np.flatnonzero(~(y < 2.0**900)).tolist():
            proposal[i] = float(Real.of(exact(gaps.exact(i))))
        return concave_exponents(gaps, proposal, exact, float(rate * nearby(unit)) if gaps.error else 0.0)

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g ≤ κ S (e^{β⌈K⌉} − 1)/(e^β − 1), K = 2 z / ε (eq. 33)."""
        if evaluation.profile.is_zero:
            return Fraction(0)
        beta, steps = Real.of(self.smoothness), math.ceil(2 * nats / self.epsilon)
        bound = evaluation.profile.smooth_bound(self.smoothness) * self.kappa
        return (bound * (beta * steps).expm1() / beta.expm1()).upper()


def whole_step_exponents(steps: NDArray[np.int64], rate: Fraction) -> Exponents:
    """z_r = rate · steps_r; `NEVER` is an excluded candidate."""
    never = steps == NEVER

    def exact(i: int) -> Fraction | None:
        return None if never[i] else rate * int(steps[i])

    return Exponents(proposal=np.where(never, np.inf, steps * float(rate)), exact=exact)


def whole_steps(ladder: Steps, scores: Scores) -> NDArray[np.int64]:
    """min{k ∈ ℕ : C(k) ≥ g_r}, exactly; the scores must be rational, or a tie with a step could not be decided."""
    if isinstance(scores, RealScores):
        raise UnsupportedProblem("whole steps need rational scores: use the linear ladder for computed real scores")
    gaps = scores.gaps()
    near = proposed_steps(ladder, gaps)
    # Large proposals are whole, hence doubtful below; only an infinite one stays `NEVER`.
    result = np.minimum(np.ceil(near), float(NEVER)).astype(np.int64)
    # A proposal within its error of a whole number may have been rounded to the wrong side: decide those exactly.
    with np.errstate(invalid="ignore"):  # inf − inf: excluded candidates raise no warning, it would depend on the data
        off = np.abs(near - np.rint(near))
    doubtful = np.flatnonzero(off <= 2.0**-44 * np.maximum(near, 1.0))
    if len(doubtful):
        distinct, place = _distinct(gaps, doubtful)
        exact = np.array([_whole(ladder, gaps.exact(int(i))) for i in distinct], dtype=np.int64)
        result[doubtful] = exact[place]
    return result


def proposed_steps(ladder: Steps, gaps: Gaps) -> NDArray[np.float64]:
    """C⁻¹ in float64: in one pass, or one exact gap at a time where numbers are near the ends of the floats' range."""
    proposal = gaps.proposal
    behind = proposal[proposal > 0]
    if ladder.fits_floats and proposal.max() < LARGEST and (len(behind) == 0 or behind.min() > SMALLEST):
        return ladder.proposals(proposal)
    return np.array([_float(ladder.inverse(gaps.exact(i))) for i in range(gaps.size)])


def _float(t: Exact | None) -> float:
    if t is None:
        return math.inf
    if isinstance(t, Real):
        t = max(t.enclosure(64)[1], Fraction(0))
    return float(min(t, Fraction(2) ** 900))


def _distinct(gaps: Gaps, indices: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One index for every distinct gap among `indices`, and where each of them went."""
    keys: NDArray[Any] = gaps.integers[indices] if gaps.integers is not None else gaps.proposal[indices]
    if gaps.integers is None:
        return indices, np.arange(len(indices))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return indices[first], place.ravel()


def _whole(ladder: Steps, gap: Fraction | Real) -> int:
    """Steps beyond 2^61 count as 2^61 − 1: the minimum of a certificate and a constant is a certificate."""
    assert isinstance(gap, Fraction)
    t = ladder.inverse(gap)
    assert not isinstance(t, Real)  # a rational gap has a rational inverse
    return NEVER if t is None else min(math.ceil(t), NEVER - 1)
