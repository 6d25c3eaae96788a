"""What `BestModel` and `BestThreshold` share: everything about them follows from a metric and the tallies it reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.scores import Scores
from dpselect.problems.table.measured import Measured
from dpselect.problems.table.policies import TableUnit, rows_of, unit_assumptions
from dpselect.problems.table.training import TRAINING_ASSUMPTIONS
from dpselect.profile import Profile
from dpselect.question import SupportConstants

Integers = NDArray[np.int64]


class Judged(ABC):
    """A problem whose scores are a metric of tallies: sensitivity, profile and certificate are the metric's own."""

    unit: TableUnit
    person: str | None

    @property
    @abstractmethod
    def measured(self) -> Measured:
        """The metric under the unit."""

    @abstractmethod
    def read(self, x: Any) -> Any:
        """The tallies that everything private is computed from."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is declared, in sentences."""
        return (*TRAINING_ASSUMPTIONS, *unit_assumptions(self.unit, self.person))

    @property
    def default_method(self) -> str:
        """What was best for this metric and unit on public tables."""
        return self.measured.moves.default

    @property
    def kappa(self) -> int:
        """1 for the sums under add-or-remove, else 2."""
        return self.measured.kappa

    @property
    def monotone(self) -> bool:
        """For the sums under add-or-remove."""
        return self.kappa == 1

    @property
    def global_sensitivity(self) -> Fraction:
        """GS of the metric under the unit."""
        return self.measured.sensitivity

    @property
    def common_factor_span(self) -> Fraction | None:
        """σ, where the metric has a common factor."""
        return self.measured.span

    def scores(self, x: Any) -> Scores:
        """q(x, ·)."""
        return self.measured.metric.scores(self.read(x))

    def common_factor(self, x: Any) -> Scores:
        """c(x) · q(x, ·)."""
        return self.measured.metric.common(self.read(x))

    def profile(self, x: Any) -> Profile:
        """The profile of the metric under the unit."""
        return self.measured.profile(self.read(x))

    @property
    def flip_distance(self) -> Callable[[Any], Integers] | None:
        """φ(x, ·), as a method; None for a metric without a certificate of its own."""
        return self._flips if self.measured.metric.has_flips else None

    @property
    def flip_distance_among(self) -> Callable[[Any, Integers], Integers] | None:
        """The same among fewer candidates."""
        return self._flips_among if self.measured.metric.has_flips else None

    @property
    def support_constants(self) -> SupportConstants | None:
        """What `SupportedFlips` needs to know; None where no score rests on few records."""
        rho = self.measured.metric.small_support
        return None if rho is None else SupportConstants(rows_of(self.unit), rho=rho)

    def category_counts(self, x: Any) -> Integers:
        """The records that every score rests on, for a metric with `support_constants`."""
        return self.measured.metric.rests_on(self.read(x))

    def _flips(self, x: Any) -> Integers:
        return self.measured.flips(self.read(x))

    def _flips_among(self, x: Any, kept: Integers) -> Integers:
        return self.measured.flips(self.read(x).among(kept))
