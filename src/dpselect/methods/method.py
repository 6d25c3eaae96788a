"""A method: public facts and a budget in, a calibration out.

Planning sees a `Question` and never data. What comes out is a `Calibration`: the guarantee, the kernel that draws the
scale (if there is one), the selecting step that turns scores into exponents, and the sampler of the final answer.
The exact draw and the curator's law are both read off the calibration, so what is verified is what is drawn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from dpselect.errors import InvalidParameter
from dpselect.exact.exponents import Exponents
from dpselect.guarantee import Guarantee, Part
from dpselect.laws import Sampler
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

    @abstractmethod
    def temperature(self, scales: Scales) -> Fraction | None:
        """T with z = gap / T when that is a public number, else None (no publishable regret bound)."""

    @property
    @abstractmethod
    def flips_per_nat(self) -> Fraction | None:
        """φ / z for a law on flip distances, else None."""


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
