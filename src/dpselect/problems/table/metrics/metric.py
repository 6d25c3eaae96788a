"""A metric of models on one private validation table: its exact scores, and everything that bounds how they move.

Proofs are for one record added or removed, or for one replaced. What a person with up to c rows can do follows:
c steps of the profile, c times the span, ⌈φ/c⌉.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import UnsupportedProblem
from dpselect.exact.scores import Scores
from dpselect.problems.table.policies import TableUnit
from dpselect.problems.table.steps import rising
from dpselect.problems.units import ReplaceOne
from dpselect.profile import Profile

Integers = NDArray[np.int64]
Reads = Literal["classes", "ranks", "losses"]


@final
@dataclass(frozen=True)
class Moves:
    """The public facts about a metric under one unit, for one record.

    Arguments:
        kappa: 1 if `sensitivity` and the profile bound the span of the changes, else 2.
        sensitivity: GS of the score.
        span: σ of the common factor; None without one.
        width: the largest difference of two scores; None where it grows with the number of records.
        default: the method "auto" takes.
    """

    kappa: int
    sensitivity: Fraction
    span: Fraction | None
    width: Fraction | None
    default: str


class Metric(ABC):
    """q(x, r) from the tallies of a table; larger is better."""

    reads: ClassVar[Reads]
    has_flips: ClassVar[bool]
    """Whether `flips` gives something."""
    flips_are_exact: ClassVar[bool] = False
    """Whether `flips` is the true flip distance for one record added or removed (any predictions are possible)."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As the caller spells it."""

    @abstractmethod
    def moves(self, replacing: bool) -> Moves:
        """What is public, where a record is replaced, or added or removed."""

    @abstractmethod
    def scores(self, tally: Any) -> Scores:
        """q(x, ·), exact."""

    @abstractmethod
    def profile(self, tally: Any, replacing: bool) -> Profile:
        """An admissible profile for one record."""

    @property
    def small_support(self) -> Fraction | None:
        """ρ of `SupportConstants`, where a score may rest on few records; None where it does not (no `rests_on`)."""
        return None

    def rests_on(self, tally: Any) -> Integers:
        """How many records every score rests on: one record moves it by at most 1."""
        raise UnsupportedProblem(f"{self.name} has no such records")

    @abstractmethod
    def flips(self, tally: Any) -> Integers | None:
        """A flip-distance certificate for records added and removed; None if the metric has none."""

    @abstractmethod
    def common(self, tally: Any) -> Scores:
        """c(x) · q(x, ·), where `moves` names its span."""


def is_replacing(unit: TableUnit) -> bool:
    """Whether one record is replaced."""
    return isinstance(unit, ReplaceOne)


def no_factor(name: str) -> UnsupportedProblem:
    """The error for a metric without a common factor."""
    return UnsupportedProblem(f"{name} has no common factor")


def hyperbola(top: int, least: int, count: int, pace: int, cap: Fraction | None = None) -> Profile:
    """A(t) = top / max(least, count − pace · t), rounded up as `rising` says, and at most `cap` (default top/least).

    Admissible where A(0) bounds the local sensitivity and one step lowers `count` by at most `pace`.
    """
    end = max(0, -(-(count - least) // pace))
    return rising(lambda t: Fraction(top, max(least, count - pace * t)), end, cap or Fraction(top, least))


def whole_flips(numerators: NDArray[Any], denominators: NDArray[Any]) -> NDArray[Any]:
    """⌈a/b⌉ for a ≥ 0, b > 0, in integers."""
    return np.asarray(-(-numerators // denominators))


def at_least_one(flips: NDArray[Any], best: NDArray[np.bool_]) -> Integers:
    """max(⌈φ⌉, 1 unless r is a maximiser): the maximum of two certificates' worth of 1-Lipschitz functions."""
    return np.where(best, 0, np.maximum(flips, 1)).astype(np.int64)
