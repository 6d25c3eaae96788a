"""What the choice of a model is computed from: integers counted over the records, and nothing else. Private.

Confusions   N[r, y, z] = records of class y that model r puts into class z
Ranks        P, Q and 2U_r = 2 #{(p, q) : s_r(p) > s_r(q)} + #{ties},  p positive, q negative
Losses       S_r = Σ over records of a loss in whole public steps
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData
from dpselect.exact.numbers import integer_array
from dpselect.exact.private import Private
from dpselect.problems.table.labelled import Column

Integers = NDArray[np.int64]

MOST_RECORDS = 2**53
"""Counts below this are added up in float64 without an error."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Confusions(Private):
    """N[r, y, z] for models r and classes y (true), z (predicted); the sums over z are the same for all models.

    >>> Confusions(np.array([[[3, 1], [0, 2]]]))
    Confusions(<private>)
    """

    counts: Integers

    def __post_init__(self) -> None:
        counts = self.counts
        if counts.ndim != 3 or counts.shape[1] != counts.shape[2] or len(counts) == 0:
            raise InvalidData("confusion counts must be an array of shape (models, classes, classes)")
        if counts.dtype.kind not in "iu" or counts.min() < 0 or float(counts[0].sum(dtype=np.float64)) >= MOST_RECORDS:
            raise InvalidData("counts of records must be nonnegative integers, and fewer than 2^53 in all")
        if bool((counts.sum(axis=2) != counts[0].sum(axis=1)).any()):
            raise InvalidData("every model must see the same records")

    @classmethod
    def count(cls, columns: Iterable[Column], classes: int) -> Confusions:
        """From a column of predicted classes for every model."""
        return cls(np.stack([table_of(c.labels, c.values, c.weights, classes, classes) for c in columns]))

    @property
    def size(self) -> int:
        return len(self.counts)

    @property
    def class_sizes(self) -> list[int]:
        """n_k."""
        return [int(n) for n in self.counts[0].sum(axis=1)]

    @property
    def predicted(self) -> Integers:
        """Ŷ_{r,z}, shape (models, classes)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def right(self) -> Integers:
        """TP_{r,k}, shape (models, classes)."""
        return np.asarray(np.diagonal(self.counts, axis1=1, axis2=2))

    def among(self, kept: Integers) -> Confusions:
        """The same for fewer models."""
        return Confusions(self.counts[kept])


def table_of(labels: NDArray[Any], values: NDArray[Any], weights: Integers | None, rows: int, wide: int) -> Integers:
    """Counts by (label, value), shape (rows, wide). The sums are exact below 2^53 records."""
    cells = labels.astype(np.intp) * wide + values
    if weights is not None and float(weights.sum(dtype=np.float64)) >= MOST_RECORDS:
        raise InvalidData("there must be fewer than 2^53 records")
    found = np.bincount(cells, weights, minlength=rows * wide)
    return found.astype(np.int64).reshape(rows, wide)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ranks(Private):
    """P, Q and 2U_r: every pair of a positive and a negative record counts 2 if ranked right, 1 if tied."""

    positives: int
    negatives: int
    doubled: NDArray[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "doubled", integer_array(self.doubled))
        pairs = 2 * self.positives * self.negatives
        if self.doubled.ndim != 1 or len(self.doubled) == 0 or min(self.positives, self.negatives) < 0:
            raise InvalidData("ranks must be one number for every model")
        if int(self.doubled.min()) < 0 or int(self.doubled.max()) > pairs:
            raise InvalidData("2U must lie between 0 and 2 P Q")

    @classmethod
    def count(cls, columns: Iterable[Column]) -> Ranks:
        """From a column of scores for every model; class 1 is the positive one.

        Cost per model: sorting both classes, and one binary search for every positive record.
        """
        sizes, doubled = (0, 0), []
        for column in columns:
            sizes, twice = _doubled_rank_sum(column)
            doubled.append(twice)
        return cls(*sizes, integer_array(doubled))

    @property
    def size(self) -> int:
        return len(self.doubled)

    def among(self, kept: Integers) -> Ranks:
        """The same for fewer models."""
        return Ranks(self.positives, self.negatives, self.doubled[kept])


def _doubled_rank_sum(column: Column) -> tuple[tuple[int, int], int]:
    """(P, Q), 2U, in integers."""
    positive = column.labels == 1
    high, low = column.values[positive], column.values[~positive]
    if column.weights is None:
        high, low = np.sort(high), np.sort(low)
        below = np.searchsorted(low, high, side="left")
        upto = np.searchsorted(low, high, side="right")
        # Each is at most n, and there are at most n of them: below 2^63 for n < 2^31.
        exact = int if len(column.labels) < 2**31 else object
        return (len(high), len(low)), int(below.sum(dtype=exact)) + int(upto.sum(dtype=exact))
    mine, theirs = column.weights[positive], column.weights[~positive]
    if float(column.weights.sum(dtype=np.float64)) >= MOST_RECORDS:
        raise InvalidData("there must be fewer than 2^53 records")
    order = np.argsort(low, kind="stable")
    low, heights = low[order], np.concatenate([[0], np.cumsum(theirs[order])])
    below = heights[np.searchsorted(low, high, side="left")]
    upto = heights[np.searchsorted(low, high, side="right")]
    twice = np.dot(mine.astype(object), below.astype(object) + upto.astype(object)) if len(high) else 0
    return (int(mine.sum()), int(theirs.sum())), int(twice)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Losses(Private):
    """S_r: the sum of the losses of model r in whole steps."""

    sums: NDArray[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sums", integer_array(self.sums))
        if self.sums.ndim != 1 or len(self.sums) == 0 or int(self.sums.min()) < 0:
            raise InvalidData("losses must be one nonnegative number for every model")

    @classmethod
    def count(cls, columns: Iterable[Column], grid: LossGrid) -> Losses:
        """From a column of probabilities of class 1 for every model."""
        sums = []
        for column in columns:
            steps = grid.steps_of(np.where(column.labels == 1, column.values, 1.0 - column.values))
            weights = np.ones(len(steps), np.int64) if column.weights is None else column.weights
            totals = np.bincount(steps, weights, minlength=grid.highest + 1).astype(np.int64)
            # Python integers: steps times records may leave int64.
            sums.append(sum(i * int(records) for i, records in enumerate(totals.tolist())))
        return cls(integer_array(sums))

    @property
    def size(self) -> int:
        return len(self.sums)

    def among(self, kept: Integers) -> Losses:
        """The same for fewer models."""
        return Losses(self.sums[kept])


@final
@dataclass(frozen=True)
class LossGrid:
    """−log p, clipped to [0, bound] and rounded to bound · i / highest, as a comparison with public numbers.

    The step of p is the number of public thresholds exp(−(i + ½) bound / highest) that p does not reach: comparisons of
    float64 only, so what a record counts depends on no other record, not even through the order of an array (vectorised
    logarithms may differ in the last digit between the middle and the end of one).

    >>> LossGrid(Fraction(4), 4).steps_of(np.array([1.0, 0.5, 0.3, 0.0])).tolist()
    [0, 1, 1, 4]
    """

    bound: Fraction
    highest: int

    def thresholds(self) -> Sequence[float]:
        """Falling."""
        width = float(self.bound / self.highest)
        return [float(np.exp(-(i + 0.5) * width)) for i in range(self.highest)]

    def steps_of(self, probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
        """The loss of every probability, in steps."""
        rising = np.array(self.thresholds()[::-1])
        return np.asarray(self.highest - np.searchsorted(rising, probabilities, side="right"))
