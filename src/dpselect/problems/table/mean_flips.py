"""The flip distance of a separable score under add-or-remove, exactly (theory section 8b).

    flip(r) = min_k [ k + Σ_{s ≠ r} down_s(best_r(k)) ]

best_r(k) is the largest score of r after at most k edits of its own records, down_s(L) the fewest edits of the
records of s after which its score is at most L. Edits to different categories do not interact, and the level L may be
taken to be the score that r ends with: that is the whole proof.

Both are extremes of a ratio over "remove j records, add k − j": see `Ladders`. No flip distance exceeds n: without
records all scores are equal. Of the k up to n only some hundred are looked at: k + Σ down(best(k)) is at least
a + 1 + Σ down(best(b)) for a < k ≤ b.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.private import Private
from dpselect.problems.table.cells import Cells
from dpselect.problems.table.mean_score import MeanScore

Integers = NDArray[np.int64]
Levels = tuple[NDArray[Any], NDArray[Any]]
"""Scores as numerators and positive denominators."""

_PARTS: Final = 16


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ladders(Private):
    """How far every category can be pushed by a number of edits.

    Arguments: cells of the categories (position 0 … m − 1); the public score; m. All integers are exact: int64 where
    every product is below 2^62, Python integers else.
    """

    cells: Cells
    score: MeanScore
    categories: int

    @property
    def size(self) -> int:
        return self.categories

    @cached_property
    def n(self) -> int:
        """The number of records: the largest number of edits worth a thought."""
        return self.cells.records

    @cached_property
    def wide(self) -> Any:
        """The dtype in which products of a numerator and a denominator are safe."""
        score = self.score
        records = 2 * self.n + 2 + score.support
        denominator = score.scale * records + score.added_weight
        numerator = score.scale * score.highest * records + score.added_sum
        largest = 4 * (denominator + score.empty.denominator) * (numerator + score.empty.numerator + 1)
        return np.int64 if largest < 2**62 else object

    # ---------------------------------------------------------------- the records of a category, in order

    @cached_property
    def first(self) -> Integers:
        """Where the cells of every category begin; one more at the end."""
        return np.searchsorted(self.cells.positions, np.arange(self.categories + 1))

    @cached_property
    def records_before(self) -> Integers:
        """Records in the cells before each; one more at the end."""
        return np.concatenate([[0], np.cumsum(self.cells.counts)])

    @cached_property
    def sum_before(self) -> NDArray[Any]:
        """Sums of steps in the cells before each; one more at the end."""
        terms = self.cells.steps.astype(self.wide) * self.cells.counts.astype(self.wide)
        return np.concatenate([np.zeros(1, self.wide), np.cumsum(terms)])

    @cached_property
    def _steps(self) -> Integers:
        return np.concatenate([self.cells.steps, [0]])

    @cached_property
    def counts(self) -> Integers:
        """n_r."""
        return np.diff(self.records_before[self.first])

    @cached_property
    def sums(self) -> NDArray[Any]:
        """S_r."""
        return np.diff(self.sum_before[self.first])

    def _cell(self, r: Integers, j: Integers) -> tuple[Integers, Integers]:
        """The cell that holds the (j + 1)-th lowest record of r, and the place j has among all records."""
        place = self.records_before[self.first[r]] + j
        return np.minimum(np.searchsorted(self.records_before, place, side="right") - 1, self.cells.counts.size), place

    def lowest(self, r: Integers, j: Integers) -> NDArray[Any]:
        """The sum of the j lowest values of r, j ≤ n_r."""
        cell, place = self._cell(r, j)
        partly = (place - self.records_before[cell]).astype(self.wide) * self._steps[cell].astype(self.wide)
        return np.asarray(self.sum_before[cell] - self.sum_before[self.first[r]] + partly)

    # ---------------------------------------------------------------- up

    def _ratio(self, r: Integers, k: Integers, j: Integers) -> Levels:
        """Score after removing the j lowest records and adding k − j of the highest value (n + k − 2j ≥ h)."""
        score = self.score
        total = self.sums[r] - self.lowest(r, j) + (k - j).astype(self.wide) * score.highest
        numerator = total * score.scale + score.added_sum
        return numerator, (self.counts[r] + k - 2 * j).astype(self.wide) * score.scale + score.added_weight

    def best(self, r: Integers, k: Integers) -> Levels:
        """The largest score of r after at most k edits.

        Adding a highest value never lowers a mean, so all k edits are used. Turning one addition into a removal takes
        (y + K)/2 twice from the ratio, y the next lowest value: it helps iff y + K < 2 · ratio. Once it does not help
        it never will, because y rises and the ratio falls from there: bisection finds the best j. The ratio counts
        where n + k − 2j ≥ h; e_0 counts where fewer than h records can be left.
        """
        score, n = self.score, self.counts[r]
        low = np.zeros(len(r), np.int64)
        high = np.minimum(np.minimum(k, n), (n + k - score.support) // 2)
        possible = high >= 0
        high = np.maximum(high, 0)
        while bool((low < high).any()):
            j = (low + high) // 2
            up, down = self._ratio(r, k, j)
            cell, _ = self._cell(r, j)
            helps = (self._steps[cell].astype(self.wide) + score.highest) * down < 2 * up
            open_ = low < high
            low, high = np.where(open_ & helps, j + 1, low), np.where(open_ & ~helps, j, high)
        up, down = self._ratio(r, k, np.where(possible, low, 0))
        empty_up, empty_down = score.empty.as_integer_ratio()
        down = np.where(possible, down, 1)
        better = (n - k < score.support) & (empty_up * down > up * empty_down)
        take = better | ~possible
        return np.where(take, empty_up, up), np.where(take, empty_down, down)

    # ---------------------------------------------------------------- down

    def down(self, s: int, levels: Levels) -> Integers:
        """The fewest edits of s after which its score is at most each level; n + 1 for more than n.

        After k edits with n + k ≥ h records or more the lowest numerator S − L n is reached by removing the i highest
        records and adding k − i zeros: a removal beats an addition iff y ≥ 2L, so i is the number of such records, or
        as many as k, n and the support n + k − 2i ≥ h allow (the numerator is convex in i). It falls with k, so
        bisection finds the first k. Or fewer than h records are left, if e_0 is at most the level.
        """
        score, n = self.score, int(self.counts[s])
        top, bottom = levels
        own = np.full(len(top), s)
        # y ≥ 2 · top/bottom iff y ≥ the ceiling, for integers y.
        threshold = np.minimum(-(-2 * top // bottom), score.highest + 1).astype(np.int64)
        begin, end = int(self.first[s]), int(self.first[s + 1])
        cell = begin + np.searchsorted(self.cells.steps[begin:end], threshold)
        high_ones = n - (self.records_before[cell] - self.records_before[begin])

        def reached(k: Integers) -> NDArray[np.bool_]:
            i = np.minimum(np.minimum(high_ones, k), (n + k - score.support) // 2)
            fits = i >= 0
            i = np.maximum(i, 0)
            numerator = self.lowest(own, n - i) * score.scale + score.added_sum
            denominator = (n + k - 2 * i).astype(self.wide) * score.scale + score.added_weight
            return np.asarray(fits & (numerator * bottom <= top * denominator), dtype=bool)

        low, high = np.full(len(top), -1, np.int64), np.full(len(top), self.n + 1, np.int64)
        while bool((high - low > 1).any()):
            middle = (low + high) // 2
            good = reached(middle)
            open_ = high - low > 1
            high, low = np.where(open_ & good, middle, high), np.where(open_ & ~good, middle, low)
        if score.support:
            empty_up, empty_down = score.empty.as_integer_ratio()
            harmless = np.asarray(empty_up * bottom <= top * empty_down, dtype=bool)
            high = np.where(harmless, np.minimum(high, max(0, n - score.support + 1)), high)
        return high

    @cached_property
    def falling(self) -> list[tuple[Fraction, int]]:
        """The categories by falling score."""
        each = zip(self.counts.tolist(), self.sums.tolist(), strict=True)
        scores = [self.score(n, int(total)) for n, total in each]
        return sorted(((q, s) for s, q in enumerate(scores)), reverse=True)

    def lowering(self, levels: Levels, limit: Integers) -> Integers:
        """Σ_s down_s(L), or something between `limit` and it where it is not below `limit`.

        The category whose level it is needs no lowering: its score starts at or below the level.
        """
        total = np.zeros(len(limit), np.int64)
        active = np.flatnonzero(limit > 0)
        for q, s in self.falling:
            up, down = levels[0][active], levels[1][active]
            p, d = q.as_integer_ratio()
            above = np.asarray(up * int(d) < down * int(p), dtype=bool)
            active = active[above]
            if active.size == 0:
                break
            total[active] += self.down(s, (levels[0][active], levels[1][active]))
            active = active[total[active] < limit[active]]
        return total

    # ---------------------------------------------------------------- both

    def flips(self) -> Integers:
        """flip(r) for every category.

        Intervals (a, b] of k are split into parts until none of them can hold a smaller value than the best known:
        inside, k + Σ down is at least a + 1 + Σ down at b, because Σ down falls with k.
        """
        every = np.arange(self.categories)
        start = np.zeros(self.categories, np.int64)
        best = np.minimum(self.lowering(self.best(every, start), np.full(self.categories, self.n)), self.n)
        r, a, b, least = every, start, best.copy(), start.copy()
        while True:
            worth = (b - a >= 2) & (a + 1 + least < best[r])
            r, a, b, least = r[worth], a[worth], b[worth], least[worth]
            if r.size == 0:
                return best
            cuts = a[:, None] + (b - a)[:, None] * np.arange(_PARTS + 1) // _PARTS
            inner = np.zeros(cuts.shape, bool)
            inner[:, 1:-1] = (cuts[:, 1:-1] > cuts[:, :-2]) & (cuts[:, 1:-1] < b[:, None])
            owner, k = np.broadcast_to(r[:, None], cuts.shape)[inner], cuts[inner]
            sums = np.zeros(cuts.shape, np.int64)
            sums[inner] = self.lowering(self.best(owner, k), best[owner] - k)
            np.minimum.at(best, owner, k + sums[inner])
            # The parts between neighbouring cuts; a repeated cut leaves an empty part.
            sums[:, -1] = least
            fresh = inner.copy()
            fresh[:, -1] = True
            rows, columns = np.nonzero(fresh)
            left = cuts[rows, columns - 1]
            r, a, b, least = r[rows], left, cuts[rows, columns], sums[rows, columns]
