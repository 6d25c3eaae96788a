"""Order statistics of a histogram, and the profile of a quantile (theory section 8b)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.private import Private
from dpselect.problems.table.cells import Cells
from dpselect.profile import Profile

Integers = NDArray[np.int64]

HORIZON = 4096
"""Public number of steps for which the profile of a quantile is exact; beyond it a bound at most twice as large."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Sorted(Private):
    """x_1 ≤ … ≤ x_n as steps 0 … `highest` of a grid, with x_i = 0 for i < 1 and x_i = highest for i > n."""

    values: Integers
    counts: Integers
    highest: int

    @classmethod
    def of(cls, cells: Cells, highest: int) -> Sorted:
        """From the cells of one column."""
        return cls(cells.steps, cells.counts, highest)

    @property
    def size(self) -> int:
        return self.highest + 1

    @cached_property
    def ends(self) -> Integers:
        """ends[i] = #{x ≤ values[i]}."""
        return np.cumsum(self.counts)

    @property
    def n(self) -> int:
        """How many records there are."""
        return int(self.ends[-1]) if self.ends.size else 0

    def at(self, ranks: Integers) -> Integers:
        """x_(rank) for an array of ranks, any integers."""
        padded = np.concatenate([[0], self.values, [self.highest]])
        found = np.searchsorted(self.ends, ranks, side="left") + 1
        return np.asarray(padded[np.where(ranks < 1, 0, found)])

    @cached_property
    def upto(self) -> Integers:
        """#{x ≤ i} for every step i of the grid."""
        every = np.zeros(self.highest + 1, np.int64)
        every[self.values] = self.counts
        return np.cumsum(every)

    @cached_property
    def below(self) -> Integers:
        """#{x < i} for every step i of the grid."""
        return np.concatenate([[0], self.upto[:-1]])

    def profile(self, k: int, step: Fraction) -> Profile:
        """A(t) = max_{0≤j≤t+1} (x_{k+j} − x_{k+j−t−1}) for t < T, x_{k+t+1} − x_{k−t−1} from T = `HORIZON` on.

        Admissible for −|r − x_(k)|, under both units. On an edge every order statistic moves by at most one rank, all
        of them in the same direction: x'_{k'+i} lies in [x_{k+i}, x_{k+i+1}] for all i, or in [x_{k+i−1}, x_{k+i}]
        for all i. So |x'_(k') − x_(k)| ≤ A(0), and a window of t + 1 ranks around k' at x' lies in one of t + 2 ranks
        around k at x: A_x(t + 1) ≥ A_{x'}(t). The same holds for the wider windows [k − t − 1, k + t + 1], which
        contain the others; a change from the narrow to the wide ones at a public T keeps both conditions:
        wide_x(T) ≥ A_x(T) ≥ A_{x'}(T − 1).

        Arguments: `step` is the width of a step of the grid, in score units. Cost: O(T²) for the exact part,
        O(distinct values) for the rest.
        """
        around = np.arange(HORIZON + 2, dtype=np.int64)
        centre = int(self.at(np.array([k]))[0])
        up, down = self.at(k + around) - centre, centre - self.at(k - around)
        near = np.zeros(HORIZON, np.int64)
        for t in range(HORIZON):
            near[t] = (up[: t + 2] + down[t + 1 :: -1]).max()
            if near[t] == self.highest:
                near[t:] = self.highest
                break
        far = np.concatenate([self.ends - k, k - 1 - self.ends, [HORIZON, self.n - k, k - 1]])
        far = np.unique(far[far >= HORIZON])
        wide = self.at(k + far + 1) - self.at(k - far - 1)
        return Profile(np.concatenate([around[:HORIZON], far]), np.concatenate([near, wide]), step)
