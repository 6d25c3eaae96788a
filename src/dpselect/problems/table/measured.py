"""What `BestModel` and `BestThreshold` have in common: a metric put to a tally, under a unit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.problems.table.metrics.metric import Metric, Moves, is_replacing
from dpselect.problems.table.policies import TableUnit, rows_of
from dpselect.profile import Profile

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True)
class Measured:
    """A metric under a unit: one record added, removed or replaced, or up to c rows of a person.

    c rows are c edges in a row: spans add up, the profile becomes Σ_{i<c} A(ct + i), and ⌈φ/c⌉ is 1-Lipschitz with the
    zeros of φ. One record replaced is a removal and an addition: ⌈φ/2⌉.
    """

    metric: Metric
    unit: TableUnit

    @property
    def moves(self) -> Moves:
        """The public facts for one record."""
        return self.metric.moves(is_replacing(self.unit))

    @property
    def kappa(self) -> int:
        """1 if the profile bounds the span."""
        return self.moves.kappa

    @property
    def sensitivity(self) -> Fraction:
        """GS for the unit."""
        total = self.moves.sensitivity * rows_of(self.unit)
        return total if self.moves.width is None else min(total, self.moves.width)

    @property
    def span(self) -> Fraction | None:
        """σ for the unit; None without a common factor."""
        return None if self.moves.span is None else self.moves.span * rows_of(self.unit)

    @property
    def flips_are_exact(self) -> bool:
        """For one record added or removed."""
        return self.metric.flips_are_exact and not is_replacing(self.unit) and rows_of(self.unit) == 1

    def profile(self, tally: Any) -> Profile:
        """The profile for the unit."""
        one = self.metric.profile(tally, is_replacing(self.unit))
        return one.groups(rows_of(self.unit)).capped(self.sensitivity)

    def flips(self, tally: Any) -> Integers:
        """The certificate for the unit."""
        flips = self.metric.flips(tally)
        assert flips is not None  # `has_flips` was asked first
        steps = 2 if is_replacing(self.unit) else rows_of(self.unit)
        return np.asarray(-(-flips // steps))
