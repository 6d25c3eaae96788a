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
from dpselect.exact.reals import Real
from dpselect.exact.scores import Gaps
from dpselect.laws import sampler_named
from dpselect.methods.method import Budget, Calibration, Method, Selection, pure_calibration
from dpselect.methods.scale import Scales
from dpselect.profile import Ladder as Steps
from dpselect.question import NEVER, Evaluation, Question


@final
@dataclass(frozen=True)
class Ladder(Method):
    """h(x, r) = −C_x⁻¹(g(x, r)), C_x(k) = κ Σ_{t<k} A_x(t) linear in between; P(r) ∝ exp(ε h / 2).

    Arguments:
        sampler: "permute-and-flip" (default) or "gibbs".
        steps: "linear" (default), or "whole": h = −min{k ∈ ℕ : C_x(k) ≥ g}, few distinct weights; its expected
            regret is sometimes better and sometimes worse.

    Guarantee: ε-differential privacy. |h(x, ·) − h(x', ·)| ≤ 1, because
    C_{x'}(t + 1) ≥ κ A_{x'}(0) + C_x(t) ≥ g(x, r) + κ ω ≥ g(x', r); so z = −ε h / 2 moves by at most ε/2.
    Maximisers keep h = 0. The regret bound g ≤ C_x((2/ε) K) needs C_x: it is the curator's (`diagnose`).
    Cost: the profile, then one pass over the candidates. Source: Theorem 7.2 and eq. 33, sharper.

    >>> Ladder(steps="whole").name
    'ladder'
    """

    sampler: str = "permute-and-flip"
    steps: Literal["linear", "whole"] = "linear"

    name: ClassVar[str] = "ladder"
    theorem: ClassVar[str] = "theory 6: ladder of an admissible profile"

    def lacks(self, question: Question) -> str | None:
        return None

    def plan(self, question: Question, budget: Budget) -> Calibration:
        if self.steps not in ("linear", "whole"):
            raise InvalidParameter(f"steps must be 'linear' or 'whole', got {self.steps!r}")
        each = budget.epsilon / budget.peels
        selection = ByLadder(each, question.kappa, whole=self.steps == "whole")
        return pure_calibration(self, question, budget, sampler_named(self.sampler), selection)


@final
@dataclass(frozen=True)
class ByLadder(Selection):
    """z_r = (ε/2) C⁻¹(g_r), rounded up to whole steps first if `whole`."""

    epsilon: Fraction
    kappa: int
    whole: bool

    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        ladder = evaluation.profile.ladder(self.kappa)
        gaps = evaluation.scores.gaps()
        rate = self.epsilon / 2
        if self.whole:
            return whole_step_exponents(whole_steps(ladder, gaps), rate)

        def exact(i: int) -> Fraction | Real | None:
            t = ladder.inverse(gaps.exact(i))
            return None if t is None else t * rate

        return Exponents(proposal=ladder.proposals(gaps.proposal) * float(rate), exact=exact)

    def temperature(self, scales: Scales) -> Fraction | None:
        return None

    @property
    def flips_per_nat(self) -> Fraction | None:
        return None

    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """g ≤ C(2 z / ε); whole steps are counted down first."""
        steps = nats * 2 / self.epsilon
        return evaluation.profile.ladder(self.kappa).height(Fraction(steps // 1) if self.whole else steps)


def whole_step_exponents(steps: NDArray[np.int64], rate: Fraction) -> Exponents:
    """z_r = rate · steps_r; `NEVER` is an excluded candidate."""
    never = steps == NEVER

    def exact(i: int) -> Fraction | None:
        return None if never[i] else rate * int(steps[i])

    return Exponents(proposal=np.where(never, np.inf, steps * float(rate)), exact=exact)


def whole_steps(ladder: Steps, gaps: Gaps) -> NDArray[np.int64]:
    """min{k ∈ ℕ : C(k) ≥ g_r}, exactly, for rational gaps."""
    near = ladder.proposals(gaps.proposal)
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


def _distinct(gaps: Gaps, indices: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One index for every distinct gap among `indices`, and where each of them went."""
    keys: NDArray[Any] = gaps.integers[indices] if gaps.integers is not None else gaps.proposal[indices]
    if gaps.integers is None:
        return indices, np.arange(len(indices))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return indices[first], place.ravel()


def _whole(ladder: Steps, gap: Fraction | Real) -> int:
    if not isinstance(gap, Fraction):
        raise UnsupportedProblem("whole steps need rational scores: use steps='linear' for computed real scores")
    t = ladder.inverse(gap)
    assert not isinstance(t, Real)  # a rational gap has a rational inverse
    return NEVER if t is None else math.ceil(t)
