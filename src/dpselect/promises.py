"""`broken_promises`: does a problem keep what it claims, on every edge of a small world?

    span or largest change of the scores on x ~ x'  ≤  A_x(0)                   (P1)
    A_{x'}(t)  ≤  A_x(t + 1)                                                    (P2)
    A_x(t)  ≤  global_sensitivity
    |φ(x, r) − φ(x', r)|  ≤  1,   φ(x, r) = 0  iff  r is a maximiser at x       flip distances
    |n_r(x) − n_r(x')|  ≤  rows                                                 counts with `support_constants`
    H_0  ≥  LS,   H_{j+1}  ≥  LS(H_j),   C  ≥  GS(H_k)                          levels
    all scores move in one direction, if the problem says so

A release is private if these hold on *all* edges; a small world with all of its datasets finds most mistakes. This is
the test to write first for a problem of your own. Source: theory sections 2, 4 and 6b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np

from dpselect.exact.numbers import whole
from dpselect.question import NEVER, Question
from dpselect.verification.datasets import DatasetGraph, PosedProblem, checked
from dpselect.worlds import rational_values


def broken_promises(world: object, *, steps: int = 16) -> tuple[str, ...]:
    """One sentence for every kind of promise that some edge breaks, with that edge; empty if all are kept.

    Arguments:
        world: from `ds.worlds.all_tables`, `all_graphs`, or a `ProblemWorld` of your own. Its datasets are named in the
            sentences: they are toys, not private data.
        steps: (P2) is checked for t below this.

    Cost: O(edges · (candidates + steps)) in exact arithmetic. Errors: scores must be rational.

    >>> import dpselect as ds
    >>> class Wrong:
    ...     candidates, global_sensitivity = ("a", "b"), 1
    ...     def scores(self, rows): return [2 * rows.count(c) for c in self.candidates]
    ...     def profile(self, rows): return ds.Profile.constant(1)
    >>> broken_promises(ds.worlds.all_tables(Wrong(), "ab", 2, list, neighbours="add-or-remove"))
    ("P1: a score changes by 2 between 'empty' and 'a', but the profile starts at 1",)
    """
    promises = _Promises(checked(world), whole(steps, "steps", least=1))
    checks: tuple[Callable[[], Iterator[str]], ...] = (
        promises.of_direction,
        promises.of_p1,
        promises.of_p2,
        promises.of_global_sensitivity,
        promises.of_flips,
        promises.of_counts,
        promises.of_levels,
    )
    found = (next(check(), None) for check in checks)
    return tuple(sentence for sentence in found if sentence is not None)


@final
@dataclass(frozen=True, eq=False)
class _Promises:
    """One generator a kind of promise; each is read up to its first sentence."""

    world: DatasetGraph
    steps: int

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Ordered."""
        pairs = [(int(i), int(j)) for i, j in self.world.edges if i != j]
        return [*pairs, *((j, i) for i, j in pairs)]

    @cached_property
    def posed(self) -> list[PosedProblem]:
        return [self.world.posed(i) for i in range(len(self.world.datasets))]

    @property
    def question(self) -> Question:
        return self.posed[0].question

    @cached_property
    def scores(self) -> list[list[Fraction]]:
        return [rational_values(p.evaluation.scores) for p in self.posed]

    def _between(self, i: int, j: int) -> str:
        return f"between {self.world.datasets[i]!r} and {self.world.datasets[j]!r}"

    def _changes(self, i: int, j: int) -> list[Fraction]:
        """q(x_i, r) − q(x_j, r)."""
        return [a - b for a, b in zip(self.scores[i], self.scores[j], strict=True)]

    def of_direction(self) -> Iterator[str]:
        if getattr(self.world, "monotone", False):
            for i, j in self.edges:
                changes = self._changes(i, j)
                if min(changes) < 0 < max(changes):
                    yield f"monotone: one score rises and another falls {self._between(i, j)}"

    def of_p1(self) -> Iterator[str]:
        spans = self.question.kappa == 1
        for i, j in self.edges:
            changes = self._changes(i, j)
            size = max(changes) - min(changes) if spans else max(map(abs, changes))
            bound = self.posed[i].evaluation.profile.local_bound
            if size > bound:
                what = "the changes of the scores span" if spans else "a score changes by"
                yield f"P1: {what} {size} {self._between(i, j)}, but the profile starts at {bound}"

    def of_p2(self) -> Iterator[str]:
        values = [[p.evaluation.profile(t) for t in range(self.steps + 1)] for p in self.posed]
        for i, j in self.edges:
            for t in range(self.steps):
                if values[i][t + 1] < values[j][t]:
                    yield (
                        f"P2: A({t + 1}) = {values[i][t + 1]} at {self.world.datasets[i]!r}, "
                        f"but A({t}) = {values[j][t]} at its neighbour {self.world.datasets[j]!r}"
                    )

    def of_global_sensitivity(self) -> Iterator[str]:
        bound = self.question.global_sensitivity
        for name, posed in zip(self.world.datasets, self.posed, strict=True):
            profile = posed.evaluation.profile
            if bound is not None and profile.unbounded_from is None:
                last = profile(int(profile.starts[-1]))
                if last > bound:
                    yield f"global sensitivity: {bound} is declared, but the profile of {name!r} reaches {last}"

    def of_flips(self) -> Iterator[str]:
        if not self.question.has_flip_distance:
            return
        flips = [np.asarray(p.evaluation.flip_distance) for p in self.posed]
        for name, each, row in zip(self.world.datasets, flips, self.scores, strict=True):
            top = max(row)
            wrong = [r for r, (f, q) in enumerate(zip(each, row, strict=True)) if (f == 0) != (q == top)]
            if wrong:
                yield f"flip distance: at {name!r} it is 0 elsewhere than at the maximisers (candidate {wrong[0]})"
        for i, j in self.edges:
            finite = (flips[i] < NEVER) & (flips[j] < NEVER)
            steep = np.abs(flips[i] - flips[j]) > 1
            if bool((steep & finite).any()) or bool(((flips[i] < NEVER) != (flips[j] < NEVER)).any()):
                yield f"flip distance: it changes by more than 1 {self._between(i, j)}"

    def of_counts(self) -> Iterator[str]:
        if self.question.support is None:
            return
        rows = self.question.support.rows
        counts = [p.evaluation.counts for p in self.posed]
        for i, j in self.edges:
            moved = int(np.abs(counts[i] - counts[j]).max())
            if moved > rows:
                yield f"counts: one changes by {moved} {self._between(i, j)}, but only {rows} are declared"

    def of_levels(self) -> Iterator[str]:
        constants = self.question.levels
        if constants is None or any(constants.map_of(k) is not None for k in range(constants.count)):
            return
        levels = [p.evaluation.levels for p in self.posed]
        for i, j in self.edges:
            size = max(map(abs, self._changes(i, j)))
            if size > levels[i][0]:
                yield f"levels: a score changes by {size} {self._between(i, j)}, but H_0 = {levels[i][0]}"
            for k in range(constants.count):
                moved = abs(levels[i][k] - levels[j][k])
                bound = levels[i][k + 1] if k + 1 < constants.count else constants.top
                if moved > bound:
                    yield f"levels: H_{k} changes by {moved} {self._between(i, j)}, but the next level is {bound}"
