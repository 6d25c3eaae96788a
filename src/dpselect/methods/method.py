"""A method: public facts and a budget in, a calibration out.

Planning sees a `Question` and never data. What comes out is a `Calibration`: the guarantee, the kernel that draws the
scale (if there is one), the selecting step that turns scores into exponents, and the sampler of the final answer.
The exact draw and the curator's law are both read off the calibration, so what is verified is what is drawn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from dpselect.errors import InvalidParameter
from dpselect.exact.exponents import Exponents
from dpselect.guarantee import Guarantee, Part
from dpselect.laws import Flips, Sampler
from dpselect.methods.options import RELEASES, Releases, one_of
from dpselect.methods.scale import NoScale, ScaleKernel, Scales
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class Budget:
    """What a selection may cost in total, and how many candidates it peels off (top-k)."""

    epsilon: Fraction
    delta: Fraction
    peels: int = 1

    def require_delta(self, method: str) -> Fraction:
        """δ > 0, or an error that says what to do."""
        if not self.delta > 0:
            raise InvalidParameter(
                f"delta must be positive for method {method!r}, got {self.delta}; "
                "for delta = 0 use a pure method: 'ladder', 'log-transform', 'inverse-sensitivity' or 'global-scale'"
            )
        return self.delta


class Selection(ABC):
    """The selecting step: exponents of the final law, given the released scales. Its constants are public."""

    @abstractmethod
    def exponents(self, evaluation: Evaluation, scales: Scales) -> Exponents:
        """z_r ≥ 0 for every candidate of the evaluation."""

    def temperature(self, scales: Scales) -> Fraction | None:
        """T with z = gap / T when that is a public number, else None (no publishable regret bound)."""
        return None

    @property
    def flips(self) -> Flips | None:
        """What z says about flip distances; None for a law that does not weigh them."""
        return None

    @abstractmethod
    def regret(self, evaluation: Evaluation, scales: Scales, nats: Fraction) -> Fraction:
        """A bound on every gap with z ≤ nats at these scales, in score units. Curator only."""


@final
@dataclass(frozen=True)
class Calibration:
    """A method with everything public fixed: from here, draws and laws follow without another choice."""

    method: str
    theorem: str
    question: Question
    guarantee: Guarantee
    kernel: ScaleKernel
    selection: Selection
    sampler: Sampler
    epsilon_selection: Fraction
    peels: int = 1
    notes: tuple[str, ...] = ()
    releases: Releases = "scale and candidate"

    def regret(self, evaluation: Evaluation, rho: Fraction, xi: Fraction) -> Fraction | None:
        """g with Pr[gap > g] ≤ ρ + ξ at this dataset: the tail K(m, ρ) at the scale b↑(ξ). Curator only.

        With top-k it holds for every peel by itself. None where that scale is not even released with probability
        1 − ξ (a fixed-scale test that may fail). Cost: at most one pass over the candidates. Source: Table 1.
        """
        scales = self.kernel.upper(evaluation, xi)
        if scales is None:
            return None
        return self.selection.regret(evaluation, scales, self.sampler.tail(self.question.size, rho).upper())


@dataclass(frozen=True)
class Method(ABC):
    """A calibration by name, with its public options as fields."""

    name: ClassVar[str]
    theorem: ClassVar[str]

    @abstractmethod
    def lacks(self, question: Question) -> str | None:
        """What this method needs and the problem does not offer; None if it can be used."""

    @abstractmethod
    def plan(self, question: Question, budget: Budget) -> Calibration:
        """Fix everything public. Raises `InvalidParameter` for options out of range; never sees data."""


def kernel_calibration(
    method: Method,
    question: Question,
    kernel: ScaleKernel,
    selecting: Callable[[Fraction], Selection],
    sampler: Sampler,
    *,
    budget: Budget,
    spent: Iterable[Part],
    failure: Fraction,
    releases: str,
    notes: tuple[str, ...] = (),
) -> Calibration:
    """Draw the scales once at the cost of `spent` and `failure`, then peel at an equal share of what ε is left.

    Arguments:
        selecting: from the ε of one peel to the selecting step.
        failure: what the kernel adds to δ: its own δ, plus the probability that it does not cover (theory section 4).
    """
    one_of(releases, RELEASES, "releases")
    parts = list(spent)
    each = (budget.epsilon - sum((p.epsilon for p in parts), Fraction(0))) / budget.peels
    return Calibration(
        method=method.name,
        theorem=method.theorem,
        question=question,
        guarantee=Guarantee.of([*parts, *[Part(sampler.kind, each)] * budget.peels], delta=failure),
        kernel=kernel,
        selection=selecting(each),
        sampler=sampler,
        epsilon_selection=each,
        peels=budget.peels,
        notes=notes,
        releases="candidate" if releases == "candidate" else "scale and candidate",
    )


def pure_calibration(
    method: Method, question: Question, budget: Budget, sampler: Sampler, selection: Selection
) -> Calibration:
    """A transform without a scale: every peel is a selection at ε/k on its own."""
    each = budget.epsilon / budget.peels
    return Calibration(
        method=method.name,
        theorem=method.theorem,
        question=question,
        guarantee=Guarantee.of([Part(sampler.kind, each)] * budget.peels),
        kernel=NoScale(),
        selection=selection,
        sampler=sampler,
        epsilon_selection=each,
        peels=budget.peels,
    )
