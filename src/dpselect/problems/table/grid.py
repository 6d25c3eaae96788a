"""A public grid of values lo, lo + step, …, hi: what a column of numbers is rounded to, record by record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final, overload

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import rational

LARGEST = 2**53
"""Bounds and the number of steps lie below this: a float64 holds such integers exactly."""


def decimal(value: object, name: str) -> Fraction:
    """A public number of a grid or a share, where a float means its shortest decimal: 0.1 is one tenth.

    Nothing here decides privacy, and a grid with the step 3602879701896397/2^55 is never meant.

    >>> decimal(0.1, "step"), decimal("1/3", "step")
    (Fraction(1, 10), Fraction(1, 3))
    """
    exact = rational(value, name)
    return rational(repr(float(value)), name) if isinstance(value, float | np.floating) else exact


@final
@dataclass(frozen=True)
class Grid:
    """low + i · step for i = 0 … steps.

    A value v is rounded to i = ⌊(v − low)/step + 1/2⌋ in float64: a function of one record, so it costs no privacy,
    and after it every sum is a sum of integers.

    >>> list(Grid.of((0, 1), 0.25).names)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    low: Fraction
    high: Fraction
    step: Fraction

    @classmethod
    def of(cls, bounds: object, step: object) -> Grid:
        """From (lo, hi) with lo ≤ hi and a step that divides hi − lo. Raises `InvalidParameter`."""
        if not isinstance(bounds, Sequence) or isinstance(bounds, str) or len(bounds) != 2:
            raise InvalidParameter("bounds must be a pair (lowest, highest)")
        low, high = (decimal(b, "bounds") for b in bounds)
        width = decimal(step, "step")
        if low > high:
            raise InvalidParameter(f"bounds must not decrease, got {bounds[0]!r} and {bounds[1]!r}")
        if width <= 0:
            raise InvalidParameter(f"step must be above 0, got {step!r}")
        if (high - low) % width:
            raise InvalidParameter(f"step must divide the width of bounds into whole steps, got {step!r}")
        if max(abs(low), abs(high), (high - low) / width) >= LARGEST:
            raise InvalidParameter("bounds must be below 2^53 in size, and fewer than 2^53 steps apart")
        return cls(low, high, width)

    @property
    def steps(self) -> int:
        """The index of the highest value."""
        return int((self.high - self.low) / self.step)

    def index(self, value: Fraction) -> Fraction:
        """Where a value lies, in steps from the lowest."""
        return (value - self.low) / self.step

    @cached_property
    def names(self) -> Sequence[Any]:
        """The values as people write them: integers if all are, else the nearest floats."""
        if self.low.denominator == 1 and self.step.denominator == 1:
            return range(int(self.low), int(self.high) + 1, int(self.step))
        return GridValues(self)


@final
class GridValues(Sequence[float]):
    """The values of a grid, made when asked for."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def __len__(self) -> int:
        return self._grid.steps + 1

    @overload
    def __getitem__(self, i: int) -> float: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[float]: ...
    def __getitem__(self, i: int | slice) -> float | Sequence[float]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        position = range(len(self))[i]
        return float(self._grid.low + position * self._grid.step)
