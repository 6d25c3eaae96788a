"""Metrics that are sums over records: accuracy, recall, log-loss.

    q(x, r) = Σ over records of v_r(record),   0 ≤ v ≤ K,   up to what is the same for all models

Accuracy is (correct predictions)/n and recall (true positives)/P: the denominators are common to all models, so the
counts themselves name the same best model, and every model's count moves by a bounded amount. Counts cannot be beaten:
their local sensitivity is their global one.

One record added or removed: all scores move in one direction, by at most K: κ = 1, GS = K. One replaced: by at most K,
in both directions: κ = 2.
Flip distance, exact: one record closes the gap of r to s by at most K, and as many records that r gets right and
everybody else wrong close all of them: ⌈gap/K⌉ to the best.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.scores import IntegerScores, Scores
from dpselect.problems.table.metrics.metric import Integers, Metric, Moves, Reads, no_factor
from dpselect.problems.table.tallies import Confusions, Losses, LossGrid
from dpselect.profile import Profile


class Total(Metric):
    """q = sums · unit."""

    has_flips: ClassVar[bool] = True
    flips_are_exact: ClassVar[bool] = True

    @abstractmethod
    def sums(self, tally: Any) -> NDArray[Any]:
        """Σ v_r, in steps."""

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """One step, in score units."""

    @property
    @abstractmethod
    def highest(self) -> int:
        """K, in steps."""

    @final
    def moves(self, replacing: bool) -> Moves:
        return Moves(2 if replacing else 1, self.highest * self.step, None, None, "global-scale")

    @final
    def scores(self, tally: Any) -> Scores:
        return IntegerScores(self.sums(tally), self.step)

    @final
    def profile(self, tally: Any, replacing: bool) -> Profile:
        return Profile.constant(self.highest * self.step)

    @final
    def flips(self, tally: Any) -> Integers | None:
        sums = self.sums(tally)
        return np.asarray(-(-(sums.max() - sums) // self.highest), dtype=np.int64)

    @final
    def common(self, tally: Any) -> Scores:
        raise no_factor(self.name)


@final
@dataclass(frozen=True)
class Accuracy(Total):
    """q = correct predictions, for any number of classes.

    >>> Accuracy().moves(False).kappa
    1
    """

    reads: ClassVar[Reads] = "classes"
    name = "accuracy"
    step, highest = Fraction(1), 1

    def sums(self, tally: Confusions) -> NDArray[Any]:
        """Σ_k N[r, k, k]."""
        return np.asarray(tally.right.sum(axis=1))


@final
@dataclass(frozen=True)
class Recall(Total):
    """q = true positives; class 1 is the positive one."""

    reads: ClassVar[Reads] = "classes"
    name = "recall"
    step, highest = Fraction(1), 1

    def sums(self, tally: Confusions) -> NDArray[Any]:
        """TP_r."""
        return tally.right[:, 1]


@final
@dataclass(frozen=True)
class LogLoss(Total):
    """q = −Σ min(bound, −log p(label)), each loss rounded to `grid`."""

    grid: LossGrid
    reads: ClassVar[Reads] = "losses"
    name = "log-loss"

    @property
    def step(self) -> Fraction:
        return self.grid.bound / self.grid.highest

    @property
    def highest(self) -> int:
        return self.grid.highest

    def sums(self, tally: Losses) -> NDArray[Any]:
        """−S_r."""
        return -tally.sums
