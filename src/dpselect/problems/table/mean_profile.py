"""Admissible profiles of the best mean (tables.md section 1), from the counts of the categories alone.

Write L(t) for the largest of a local bound over all tables within t steps: L is admissible by construction, because
a ball of radius t around x' lies in one of radius t + 1 around x. Everything below is such a maximum, or larger by a
public nondecreasing map.

A category at distance c_r = n_r − h (n_r ≥ h) or h − 1 − n_r (n_r < h) from its support can cross it from c_r steps
on, and then its score jumps: from reach = min c_r on the profile is GS. Before that, categories below their support
stay there and do not move at all, and the smallest of the others decides.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.problems.table.mean_score import MeanScore
from dpselect.problems.table.steps import rising
from dpselect.profile import Profile

Integers = NDArray[np.int64]


def profile_adding(score: MeanScore, counts: Integers, step: Fraction) -> Profile:
    """A(t) = δ(N − t − 1) for t < reach, GS after; δ(n) = `score.addition(n)`, N the smallest supported count.

    One record moves one score, so A bounds the span: κ = 1. An edge of a table z within t steps of x joins n and
    n + 1 records of one category with n ≥ N − t − 1 ≥ h, and moves its score by δ(n) at most; δ falls with n.
    Without a support (h = 0, w > 0) nobody ever crosses, and A stays δ(0) from t = N − 1 on.
    """
    supported = counts[counts >= score.support]
    cap = score.worst_addition * step
    if supported.size == 0:
        return rising(lambda t: Fraction(0), _reach(score, counts), cap)
    smallest = int(supported.min())
    end = _reach(score, counts) if score.support else smallest
    return rising(lambda t: score.addition(smallest - t - 1) * step, end, cap)


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
