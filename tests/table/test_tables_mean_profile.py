"""The profile of the best mean equals its formula, written out in rationals for every category and every step."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect.problems.table.mean_profile as module
from dpselect.problems.table.mean_profile import profile_adding
from dpselect.problems.table.mean_score import MeanScore
from dpselect.problems.table.steps import rounded_up


@st.composite
def tables(draw):
    """A score, and the counts and sums of a few categories, often alike."""
    highest = draw(st.integers(0, 12))
    weight = draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(5, 2), Fraction(30)]))
    inside = st.fractions(0, highest, max_denominator=6)
    support = draw(st.integers(0 if weight else 1, 4))
    score = MeanScore(weight, draw(inside) if weight else Fraction(0), support, draw(inside), highest)
    base = draw(st.integers(0, 40))
    counts = draw(st.lists(st.integers(base, base + draw(st.sampled_from([0, 4, 30]))), min_size=1, max_size=6))
    sums = [draw(st.integers(0, highest * n)) for n in counts]
    return score, np.array(counts), np.array(sums), draw(st.sampled_from([Fraction(1), Fraction(1, 3)]))


def addition(score, n):
    """δ(n), as theory section 8b states it."""
    if score.highest == 0:
        return Fraction(0)
    far = Fraction(max(score.prior, score.highest - score.prior)) / score.highest
    u = n + score.weight
    return score.highest * (n + score.weight * far) / (u * (u + 1))


def formula(score, counts, sums, step, t):
    """A(t) before any step is skipped."""
    cap = score.worst_addition * step
    away = [n - score.support if n >= score.support else score.support - 1 - n for n in counts]
    supported = [(n, s) for n, s in zip(counts, sums, strict=True) if n >= score.support]
    if t >= (min(n for n, _ in supported) if supported and not score.support else min(away)):
        return cap
    worst = Fraction(0)
    for n, s in supported:
        bound, total, up = addition(score, n - t - 1), n + score.weight, s + score.weight * score.prior
        down = score.highest * total - up
        if t * max(score.highest, 1) <= min(up, down) and n - t >= 2:
            bound = min(bound, max(up, down) / ((total - t) * (total - t - 1)))
        worst = max(worst, bound)
    return min(cap, rounded_up(worst * step))


def differs(table):
    score, counts, sums, step = table
    profile = profile_adding(*table)
    each = zip(counts.tolist(), sums.tolist(), strict=True)
    n, s = zip(*each, strict=True)
    return any(profile(t) != formula(score, n, s, step, t) for t in range(max(n) + 3))


@given(tables())
def test_the_profile_equals_its_formula(table):
    assert not differs(table)


TEN = MeanScore(Fraction(0), Fraction(0), 1, Fraction(0), 10)


def counted(counts, sums):
    return TEN, np.array(counts), np.array(sums), Fraction(1)


def leaders(table):
    score, counts, sums, _ = table
    return module._leading(
        [module._Category.of(score, n, s) for n, s in zip(counts.tolist(), sums.tolist(), strict=True)]
    )


def test_several_categories_lead(monkeypatch):
    """Larger categories with means nearer to an end decide as well; without them the profile is too small."""
    table = counted([100, 102, 104, 300], [500, 140, 20, 1500])
    assert [category.count for category in leaders(table)] == [100, 102, 104]
    assert not differs(table)
    leading = module._leading
    monkeypatch.setattr(module, "_leading", lambda categories: leading(categories)[:1])
    assert differs(table)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda one, other: True,
        lambda one, other: one.larger * other.total**2 * 2 >= other.larger * one.total**2,
    ],
)
def test_no_more_may_be_skipped(monkeypatch, wrong):
    table = counted([100, 102], [500, 20])
    assert not differs(table)
    monkeypatch.setattr(module._Category, "covers", wrong)
    assert differs(table)
