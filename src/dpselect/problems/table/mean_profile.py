"""Admissible profiles of the best mean (theory section 8b), from the counts and sums of the categories.

Write L(t) for the largest of a local bound over all tables within t steps: L is admissible by construction, because
a ball of radius t around x' lies in one of radius t + 1 around x. Everything below is such a maximum, or larger by a
public nondecreasing map.

A category at distance c_r = n_r − h (n_r ≥ h) or h − 1 − n_r (n_r < h) from its support can cross it from c_r steps
on, and then its score jumps: from reach = min c_r on the profile is GS. Before that, categories below their support
stay there and do not move at all, and the smallest of the others decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.private import Private
from dpselect.problems.table.mean_score import MeanScore
from dpselect.problems.table.steps import rising
from dpselect.profile import Profile

Integers = NDArray[np.int64]


def profile_adding(score: MeanScore, counts: Integers, sums: NDArray[Any], step: Fraction) -> Profile:
    """A(t) = max_r min(δ(n_r − t − 1), H_r/(N (N − 1))) for t < reach, GS after.

    δ(n) = `score.addition(n)`; H = max(U, V) with U = S + w μ_0, V = K (n + w) − U; N = n + w − t. The second term
    counts while n − t ≥ 2, and saves up to half where a mean is far from 0 and from K.

    One record moves one score, so A bounds the span: κ = 1. An edge of a table z within t steps of x joins n and
    n + 1 records of one category with n ≥ n_r − t − 1 ≥ h, and moves its score by δ(n) at most; δ falls with n.
    Second term: taking y from N records (prior included) with sum U moves the mean by |U/N − y|/(N − 1), at most
    H/(N (N − 1)); adding one moves it less. Within t steps N falls by t at most, and H/(N (N − 1)) is largest if all t
    come from the smaller of U and V, so that H stays: where that has t of them, this is the maximum over a ball of
    pairs (U, V), hence admissible, and so is its minimum with the first term, and the maximum over r. For larger t,
    H = K (n + w) − min(U, V) > K (N − 1), so the second term is above K/N ≥ δ(n − t − 1) and changes nothing.
    Without a support (h = 0, w > 0) nobody ever crosses, and A stays δ(0) from t = n_min − 1 on.
    """
    supported = np.flatnonzero(counts >= score.support)
    cap = score.worst_addition * step
    if supported.size == 0:
        return rising(lambda t: Fraction(0), _reach(score, counts), cap)
    order = supported[np.argsort(counts[supported], kind="stable")]
    leading = _leading([_Category.of(score, int(counts[r]), int(sums[r])) for r in order])

    def worst(t: int) -> Fraction:
        top, bottom = 0, 1
        for category in leading:  # by rising count, so by falling δ
            up, down = score.addition_ratio(category.count - t - 1)
            if up * bottom <= top * down:
                break
            if category.count - t >= 2:
                aware, over = category.aware(t)
                if aware * down < up * over:
                    up, down = aware, over
            if up * bottom > top * down:
                top, bottom = up, down
        return Fraction(top, bottom) * step

    end = _reach(score, counts) if score.support else leading[0].count
    return rising(worst, end, cap)


@final
@dataclass(frozen=True, eq=False, repr=False)
class _Category(Private):
    """What the mean-aware term needs of one category: n, D N and D H, integers with D = `score.scale`."""

    count: int
    total: int
    larger: int
    scale: int

    @classmethod
    def of(cls, score: MeanScore, count: int, records: int) -> _Category:
        """From n and S."""
        total = score.scale * count + score.added_weight
        up = score.scale * records + score.added_sum
        return cls(count, total, max(up, score.highest * total - up), score.scale)

    @property
    def size(self) -> int:
        return 1

    def aware(self, t: int) -> tuple[int, int]:
        """H/(N (N − 1)), as numerator and denominator."""
        left = self.total - self.scale * t
        return self.scale * self.larger, left * (left - self.scale)

    def covers(self, other: _Category) -> bool:
        """Whether this one, of no higher count, bounds at least as much as the other at every t.

        It does if its second term is no lower at t = 0. Where that counts here, it counts for the other too, and is
        no lower for any t, as (a − t)(a − 1 − t)/((b − t)(b − 1 − t)) rises with t for a ≥ b. Where it does not count
        here, δ alone speaks, which falls with n.
        """
        mine, over = self.aware(0)
        theirs, under = other.aware(0)
        return mine * under >= theirs * over


def _leading(categories: list[_Category]) -> list[_Category]:
    """Of categories by rising count, those that no earlier one covers: the maximum over r is attained at one of them.

    Usually a handful: with means alike, the smallest category covers all the others.
    """
    found: list[_Category] = []
    for category in categories:
        if not any(earlier.covers(category) for earlier in found):
            found.append(category)
    return found


def span_profile_replacing(score: MeanScore, counts: Integers, step: Fraction) -> Profile:
    """A(t) = K/(N − t + w) + K/(N' + 1 + w) for t < reach, 2 GS after; N ≤ N' the two smallest supported counts.

    It bounds the span, so κ = 1 with it. Replacing a record moves one score (by K/(n + w) at most), or takes a record
    from r and gives one to s ≠ r: the span is at most K/(n_r + w) + K/(n_s + 1 + w), as δ(n) ≤ K/(n + 1 + w). Within t
    steps n_r and n_s have lost t records together at most; the sum is convex in how many r lost, and of the two ends
    the one where the smallest category has lost all t is the larger, because 1/u − 1/(u + 1) falls with u. A category
    that is not supported does not move before `reach`.
    """
    supported = np.sort(counts[counts >= score.support])
    cap = 2 * score.worst_replacement * step
    if supported.size == 0:
        return rising(lambda t: Fraction(0), _reach(score, counts), cap)
    smallest = int(supported[0])
    other = score.highest / (int(supported[1]) + 1 + score.weight) if supported.size > 1 else Fraction(0)
    end = _reach(score, counts) if score.support else smallest
    return rising(lambda t: (score.replacement(smallest - t) + other) * step, end, cap)


def _reach(score: MeanScore, counts: Integers) -> int:
    """min c_r: how many steps no category can cross its support in."""
    away = np.where(counts >= score.support, counts - score.support, score.support - 1 - counts)
    return int(away.min())
