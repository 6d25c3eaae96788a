"""Profiles against their definitions: constructors, (P1) and (P2) by brute force, and everything derived from them."""

import math
import pickle
from fractions import Fraction
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect as ds
from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.reals import Real, less
from dpselect.profile import HORIZON, Profile
from oracle import worlds

STEPS = 12
SEEDS = range(60)


class Facts:
    """Everything about an explicit world, by the definitions: distances, changes, LS, hierarchies."""

    def __init__(self, seed):
        self.world = worlds.random_world(seed, datasets=(2, 8))
        world = self.world
        n = len(world.datasets)
        self.rows = [[int(v) * world.score_unit for v in row] for row in world.table]
        self.edges = [tuple(e) for e in world.edge_array.tolist()]
        self.distance = [[0 if i == j else math.inf for j in range(n)] for i in range(n)]
        for i, j in self.edges:
            self.distance[i][j] = self.distance[j][i] = 1
        for k in range(n):
            for i in range(n):
                for j in range(n):
                    self.distance[i][j] = min(self.distance[i][j], self.distance[i][k] + self.distance[k][j])
        self.n = n
        self.sensitivity = self.local(
            lambda i, j: max(abs(a - b) for a, b in zip(self.rows[i], self.rows[j], strict=True))
        )
        self.top = max(self.sensitivity)

    def local(self, change):
        return [
            max((change(i, j) for j in range(self.n) if self.distance[i][j] == 1), default=Fraction(0))
            for i in range(self.n)
        ]

    def exact(self, i, t, values=None):
        values = self.sensitivity if values is None else values
        return max(values[z] for z in range(self.n) if self.distance[i][z] <= t)

    def hierarchy(self, depth):
        levels = [self.sensitivity]
        for _ in range(depth):
            below = levels[-1]
            levels.append(self.local(lambda i, j, below=below: abs(below[i] - below[j])))
        return levels[:-1], max(levels[-1])


def flaws(facts, profiles, values=None, steps=STEPS):
    """Where (P1), (P2) or monotonicity fails."""
    values = facts.sensitivity if values is None else values
    found = [("P1", i) for i in range(facts.n) if profiles[i](0) < values[i]]
    for t in range(steps):
        found += [("monotone", i, t) for i in range(facts.n) if profiles[i](t + 1) < profiles[i](t)]
        for a, b in facts.edges:
            found += [("P2", i, j, t) for i, j in ((a, b), (b, a)) if profiles[i](t + 1) < profiles[j](t)]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_constructors_are_admissible_and_as_defined(seed):
    facts = Facts(seed)
    exact = [Profile.exact([facts.exact(i, t) for t in range(facts.n)]) for i in range(facts.n)]
    of_world = [facts.world.profile(x) for x in facts.world.datasets]
    for i in range(facts.n):
        for t in range(STEPS):
            assert exact[i](t) == facts.exact(i, t) == of_world[i](t)
    assert not flaws(facts, exact)

    constant = facts.hierarchy(1)[1]
    for cap in (facts.top, facts.top + 5):
        lipschitz = [Profile.lipschitz(h, constant, cap=cap) for h in facts.sensitivity]
        assert not flaws(facts, lipschitz)
        assert all(
            p(t) == min(h + constant * t, cap)
            for p, h in zip(lipschitz, facts.sensitivity, strict=True)
            for t in range(STEPS)
        )

    for depth in (1, 2, 3):
        levels, top = facts.hierarchy(depth)
        cap = facts.top + 1000
        newton = [Profile.newton([level[i] for level in levels], top, cap=cap) for i in range(facts.n)]
        caps = tuple(max(level) for level in levels[1:])
        capped = [Profile.newton([level[i] for level in levels], top, cap=facts.top, caps=caps) for i in range(facts.n)]
        assert not flaws(facts, newton)
        assert not flaws(facts, capped)
        for i in range(facts.n):
            for t in range(STEPS):
                series = sum(math.comb(t, j) * level[i] for j, level in enumerate(levels)) + math.comb(t, depth) * top
                assert newton[i](t) == min(series, cap)
                assert facts.exact(i, t) <= capped[i](t) <= newton[i](t)

    slope = facts.hierarchy(1)[0][0]
    changes = facts.local(lambda i, j: abs(slope[i] - slope[j]))
    slopes = [Profile.exact([facts.exact(i, t, changes) for t in range(facts.n)]) for i in range(facts.n)]
    integrated = [Profile.integration(h, a, cap=facts.top) for h, a in zip(slope, slopes, strict=True)]
    assert not flaws(facts, integrated)
    for i in range(facts.n):
        for t in range(STEPS):
            assert integrated[i](t) == min(slope[i] + sum(slopes[i](s) for s in range(t)), facts.top)


@pytest.mark.parametrize("seed", SEEDS)
def test_mapped_geometric_and_algebra_are_admissible(seed):
    facts = Facts(seed)
    unit = facts.world.score_unit
    exact = [Profile.exact([facts.exact(i, t) for t in range(facts.n)]) for i in range(facts.n)]
    # D(x) = max over z of (LS(z)/unit − d(x, z)) is 1-Lipschitz and at least LS/unit.
    statistic = [
        max(
            int(facts.sensitivity[z] / unit) - facts.distance[i][z]
            for z in range(facts.n)
            if facts.distance[i][z] < math.inf
        )
        for i in range(facts.n)
    ]
    for f in (lambda d: d * unit, lambda d: max(1, d * d) * unit, lambda d: (d + d // 3) * unit):
        cap = max(f(max(statistic)), facts.top)
        mapped = [Profile.mapped(d, f, cap=cap) for d in statistic]
        assert not flaws(facts, mapped)
        assert all(p(t) == min(f(d + t), cap) for p, d in zip(mapped, statistic, strict=True) for t in range(STEPS))

    for beta in (Fraction(0), Fraction(1, 3), Fraction(2)):
        smooth = [p.smooth_bound(beta) for p in exact]
        grid = unit / 8
        geometric = [Profile.geometric(s, beta, cap=facts.top, unit=grid) for s in smooth]
        assert not flaws(facts, geometric)
        for i in range(facts.n):
            for t in range(STEPS):
                assert exact[i](t) <= geometric[i](t) <= facts.top
                assert float(geometric[i](t)) <= math.exp(float(beta) * t) * float(smooth[i]) + float(grid) + 1e-9

    constant = facts.hierarchy(1)[1]
    lipschitz = [Profile.lipschitz(h, constant, cap=facts.top) for h in facts.sensitivity]
    for i in range(facts.n):
        least, shifted = lipschitz[i].minimum(exact[i]), exact[i].plus(Fraction(1, 3))
        scaled, squared, capped = (
            exact[i].times(Fraction(2, 7)),
            exact[i].map(lambda v: v * v),
            exact[i].capped(facts.top / 2),
        )
        for t in range(STEPS):
            assert least(t) == min(lipschitz[i](t), exact[i](t))
            assert shifted(t) == exact[i](t) + Fraction(1, 3)
            assert scaled(t) == exact[i](t) * Fraction(2, 7)
            assert squared(t) == exact[i](t) ** 2
            assert capped(t) == min(exact[i](t), facts.top / 2)
    assert not flaws(facts, [p.minimum(q) for p, q in zip(lipschitz, exact, strict=True)])


@pytest.mark.parametrize("seed", SEEDS)
def test_groups_bound_the_span_over_k_steps(seed):
    facts = Facts(seed)
    exact = [Profile.exact([facts.exact(i, t) for t in range(facts.n)]) for i in range(facts.n)]
    kappa = 1 if facts.world.monotone else 2
    for k in (1, 2, 3, 5):
        grouped = [p.groups(k) for p in exact]
        for i in range(facts.n):
            assert all(grouped[i](t) == sum(exact[i](k * t + s) for s in range(k)) for t in range(STEPS))
        for i, j in combinations(range(facts.n), 2):
            if facts.distance[i][j] <= k:
                change = [a - b for a, b in zip(facts.rows[i], facts.rows[j], strict=True)]
                span = max(change) - min(change)
                for p, q in ((i, j), (j, i)):
                    # Spans add along a path, so a monotone world keeps κ = 1 for mixed steps.
                    assert kappa * grouped[p](0) >= span
                    assert all(grouped[p](t + 1) >= grouped[q](t) for t in range(STEPS))


def test_controls_an_inadmissible_profile_is_caught():
    """Too small at 0; cut with the last value instead of the cap; a constant from a smooth bound."""
    facts = next(f for f in map(Facts, SEEDS) if f.exact(0, 1) > f.sensitivity[0] > 0)
    exact = [Profile.exact([facts.exact(i, t) for t in range(facts.n)]) for i in range(facts.n)]
    assert flaws(facts, [p.times(Fraction(2, 3)) for p in exact])
    cut = [Profile.exact([facts.exact(i, 0)]) for i in range(facts.n)]
    assert flaws(facts, cut)
    smooth = [Profile.constant(p.smooth_bound(Fraction(1)).lower()) for p in exact]
    assert flaws(facts, smooth)


# -------------------------------------------------------------------------------------------- derived objects


def random_profile(rng, *, big=False, zero=False, unbounded=False):
    """Breakpoints, values and the function they mean."""
    size = int(rng.integers(1, 7))
    starts = np.cumsum(np.concatenate([[0], rng.integers(1, 9, size - 1)]))
    values = np.cumsum(rng.integers(0, 6, size)).astype(object) * (10**30 if big else 1)
    if zero:
        values = values - values[0]
    unit = Fraction(int(rng.integers(1, 5)), int(rng.integers(1, 8)))
    end = int(starts[-1] + rng.integers(0, 5)) if unbounded else None
    profile = Profile(starts, values, unit, end)

    def naive(t):
        if end is not None and t >= end:
            return math.inf
        return max(int(v) for s, v in zip(starts, values, strict=True) if s <= t) * unit

    return profile, naive


KINDS = [
    {},
    {"big": True},
    {"zero": True},
    {"unbounded": True},
    {"zero": True, "unbounded": True},
    {"big": True, "zero": True},
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_derived_objects_against_naive_summation(kind):
    rng = np.random.default_rng(5)
    for _ in range(60):
        profile, naive = random_profile(rng, **kind)
        finite = [t for t in range(60) if naive(t) < math.inf]
        assert all(profile(t) == naive(t) for t in finite)
        for t in set(range(60)) - set(finite):
            with pytest.raises(UnsupportedProblem):
                profile(t)
        for b in {naive(t) for t in finite} | {naive(t) + Fraction(1, 9) for t in finite} | {Fraction(0)}:
            assert profile.certificate(b) == next((t for t in range(100) if naive(t) > b), None)
        for kappa in (1, 2):
            _check_ladder(profile.ladder(kappa), naive, kappa, rng)
        if finite and len(finite) == 60:
            for beta in (Fraction(0), Fraction(1, 5), Fraction(3)):
                S = profile.smooth_bound(beta)
                brute = (
                    max(float(naive(t)) * math.exp(-float(beta) * t) for t in range(60)) if beta else float(naive(59))
                )
                assert float(S) == pytest.approx(brute, rel=1e-12)
        if finite:
            for k in (2, 3):
                _check_groups(profile.groups(k), naive, k)


def _check_groups(grouped, naive, k):
    for t in range(12):
        total = sum(naive(k * t + i) for i in range(k))
        if total < math.inf:
            assert grouped(t) == total
        else:
            with pytest.raises(UnsupportedProblem):
                grouped(t)


def _check_ladder(ladder, naive, kappa, rng):
    heights = [Fraction(0)]
    while len(heights) < 60 and naive(len(heights) - 1) < math.inf:
        heights.append(heights[-1] + kappa * naive(len(heights) - 1))
    last = len(heights) - 1
    for t in range(last):
        part = Fraction(int(rng.integers(0, 8)), 8)
        assert ladder.height(t + part) == heights[t] + part * (heights[t + 1] - heights[t])
    gaps = {Fraction(0), *heights, *(h + Fraction(1, 97) for h in heights)}
    gaps = sorted(g for g in gaps if g <= heights[-1] or last < 59)
    expected = [_left_inverse(heights, g, last if last < 59 else None) for g in gaps]
    for g, t in zip(gaps, expected, strict=True):
        found = ladder.inverse(g)
        assert found == t
        if g > 0 and t is not None:
            # A real gap: √(g²) is the same number, known only by enclosures.
            lo, hi = ladder.inverse(Real.of(g * g).sqrt()).enclosure(60) if g else (t, t)
            assert lo <= t <= hi
    proposals = ladder.proposals(np.array([float(g) for g in gaps]))
    for p, t in zip(proposals, expected, strict=True):
        assert (math.isinf(p) and t is None) or abs(p - float(t)) <= 2.0**-44 * max(1.0, float(t))


def _left_inverse(heights, gap, end):
    """min{t : C(t) ≥ gap} by walking up; None for never, `end` where the ladder becomes infinitely steep."""
    if gap == 0:
        return Fraction(0)
    for t in range(len(heights) - 1):
        if heights[t + 1] >= gap:
            return t + (gap - heights[t]) / (heights[t + 1] - heights[t])
    return None if end is None else Fraction(end)


def test_a_zero_profile_excludes_everything_behind():
    ladder = Profile.constant(0).ladder(2)
    assert Profile.constant(0).is_zero
    assert ladder.inverse(Fraction(1)) is None
    assert ladder.inverse(Fraction(0)) == 0
    assert ladder.proposals(np.array([0.0, 1.0])).tolist() == [0.0, math.inf]
    assert Profile.constant(0).smooth_bound(Fraction(1, 2)).rational == 0
    assert Profile.constant(0).certificate(0) is None


def test_integration_stops_where_the_slope_is_unbounded():
    """Σ_{s<t} A'(s) is infinite once A' is: only the cap may follow."""
    slope = Profile(np.array([0]), np.array([1]), unbounded_from=2)
    capped = Profile.integration(5, slope, cap=100)
    assert [capped(t) for t in range(5)] == [5, 6, 7, 100, 100]
    open_ended = Profile.integration(5, slope, cap=None)
    assert [open_ended(t) for t in range(3)] == [5, 6, 7]
    with pytest.raises(UnsupportedProblem):
        open_ended(3)


def test_minimum_of_small_and_huge_values_does_not_wrap():
    small = Profile(np.array([0]), np.array([3]), unbounded_from=4)
    huge = Profile(np.array([0, 6]), np.array([2, 10**40], dtype=object))
    least = small.minimum(huge)
    assert [least(t) for t in (0, 3, 4, 5, 6, 9)] == [2, 2, 2, 2, 10**40, 10**40]
    assert huge.minimum(small)(7) == 10**40
    tiny = Profile.exact([Fraction(1, 10**40), 1])
    assert [Profile.constant(0).minimum(tiny)(t) for t in (0, 5)] == [0, 0]
    assert [Profile.constant(3).minimum(tiny)(t) for t in (0, 5)] == [Fraction(1, 10**40), 1]


def test_without_a_cap_the_tail_is_unbounded_and_with_one_it_is_the_cap():
    line = Profile.lipschitz(0, 1, cap=None)
    assert line(HORIZON - 1) == HORIZON - 1
    with pytest.raises(UnsupportedProblem):
        line(HORIZON)
    capped = Profile.lipschitz(0, 1, cap=2**40)
    assert capped(HORIZON - 1) == HORIZON - 1
    assert capped(HORIZON) == capped(10**15) == 2**40
    assert line.certificate(2**40) == HORIZON
    with pytest.raises(UnsupportedProblem):
        line.smooth_bound(Fraction(1, 2))
    with pytest.raises(UnsupportedProblem):
        line.map(lambda v: v)
    assert line.capped(2**40)(HORIZON) == 2**40


def recursion(levels, top, cap, caps, steps, *, in_place=False):
    """A(0), …, A(steps − 1), step by step; `in_place` is wrong: a level sees the one above after its step."""
    state, bounds = [*levels, top], [cap, *caps, *[None] * len(levels)]
    found = []
    for _ in range(steps):
        state = [v if b is None else min(v, b) for v, b in zip(state, bounds, strict=False)]
        found.append(state[0])
        if in_place:
            state = [sum(state[j:]) for j in range(len(state))]
        else:
            state = [v + above for v, above in zip(state, [*state[1:], 0], strict=True)]
    return found


@st.composite
def hierarchies(draw):
    """Levels, a constant, a cap and caps of the levels: small, beyond int64, with fractions."""
    size = st.integers(0, draw(st.sampled_from([3, 10**5, 2**61, 2**80])))
    number = st.builds(Fraction, size, st.just(draw(st.sampled_from([1, 7]))))
    levels = draw(st.lists(number, min_size=1, max_size=4))
    caps = draw(st.lists(st.none() | number, max_size=len(levels)))
    return levels, draw(number), draw(st.none() | number), caps


@given(hierarchies())
def test_newton_follows_its_recursion(given_levels):
    levels, top, cap, caps = given_levels
    with patch("dpselect.profile.HORIZON", 1000):
        profile = Profile.newton(levels, top, cap=cap, caps=caps)
    expected = recursion(levels, top, cap, caps, 1000)
    found = profile._at(np.arange(1000), profile.unit) * profile.unit
    assert found.tolist() == expected
    bounds = [*caps, *[None] * len(levels)]
    still = not any(v if b is None else min(v, b) for v, b in zip([*levels[1:], top], bounds, strict=False))
    if still or cap is not None:
        assert profile(1000) == (expected[0] if still else cap)
    else:
        assert profile.unbounded_from == 1000


def test_newton_up_to_the_horizon():
    levels, top = (Fraction(7, 2), 3, 2), 1
    line, late = Profile.newton(levels, top, cap=None), Profile.newton(levels, top, cap=2**60)
    for t in (0, 1, 127, 128, 5000, HORIZON - 2, HORIZON - 1):
        series = sum(math.comb(t, j) * level for j, level in enumerate((*levels, top)))
        assert line(t) == series
        assert late(t) == min(series, 2**60)
    with pytest.raises(UnsupportedProblem):
        line(HORIZON)
    assert late(HORIZON) == 2**60
    # A level that is capped at 0 never moves; the tail is cut all the same.
    still = Profile.newton((5, 1), 1, cap=9, caps=(0,))
    assert [still(t) for t in (0, HORIZON - 1, HORIZON)] == [5, 5, 9]


def test_control_a_wrong_recursion_differs():
    levels, top, caps = (1, 2, 3), 1, (10, 4)
    profile = Profile.newton(levels, top, cap=1000, caps=caps)
    found = [profile(t) for t in range(200)]
    assert found == recursion(levels, top, 1000, caps, 200)
    assert found != recursion(levels, top, 1000, (), 200)
    assert found != recursion(levels, top, 1000, caps, 200, in_place=True)


def test_a_late_cap_is_never_looped_over():
    profile = Profile(np.array([0, 10**15]), np.array([1, 10**25], dtype=object))
    ladder = profile.ladder(1)
    assert ladder.height(Fraction(10**15 + 2)) == 10**15 + 2 * 10**25
    assert ladder.inverse(Fraction(10**15 + 10**26)) == 10**15 + 10
    assert less(profile.smooth_bound(Fraction(1, 10**13)), 10**25)


@pytest.mark.parametrize(
    ("starts", "values", "unit"),
    [
        ([], [], 1),
        ([1], [1], 1),
        ([0, 0], [1, 2], 1),
        ([0, 2, 1], [1, 2, 3], 1),
        ([0, 1], [2, 1], 1),
        ([0], [-1], 1),
        ([0], [1], 0),
        ([0], [1], -1),
        ([0, 1], [1], 1),
    ],
)
def test_what_is_no_profile_is_refused(starts, values, unit):
    with pytest.raises(InvalidParameter):
        Profile(np.array(starts, dtype=np.int64), np.array(values, dtype=np.int64), Fraction(unit))


def test_bad_arguments():
    profile = Profile.lipschitz(1, 1, cap=4)
    for refused in (
        lambda: profile(-1),
        lambda: profile.groups(0),
        lambda: profile.smooth_bound(Fraction(-1)),
        lambda: Profile.exact([1, -2]),
        lambda: Profile.lipschitz(-1, 1, cap=3),
        lambda: Profile.lipschitz(1, -1, cap=3),
        lambda: Profile.lipschitz(float("nan"), 1, cap=3),
        lambda: Profile.lipschitz(1, float("inf"), cap=3),
        lambda: Profile.lipschitz(1, 1, cap=float("nan")),
        lambda: Profile.integration(float("nan"), profile, cap=3),
        lambda: Profile.mapped(0, lambda d: float("nan"), cap=3),
        lambda: Profile.constant(True),
        lambda: Profile.exact([]),
        lambda: profile.times(0),
        lambda: profile.times(-1),
        lambda: profile.plus(-5),
        lambda: profile.map(lambda v: -v),
        lambda: ds.LevelConstants(1, -1, (None,)),
        lambda: ds.LevelConstants(1, float("nan"), (None,)),
        lambda: ds.LevelConstants(1, True, (None,)),
        lambda: ds.LevelConstants(1.5, 1, (None,)),
        lambda: ds.LevelConstants(0, 1, ()),
        lambda: ds.LevelConstants(1, 1, (float("inf"),)),
        lambda: ds.LevelConstants(1, 1, (-1,)),
        lambda: ds.LevelConstants(2, 1, (None,)),
        lambda: ds.LevelConstants(2, 1, (None, None), (None,)),
    ):
        with pytest.raises(InvalidParameter):
            refused()


def test_nothing_is_shown_and_nothing_is_pickled():
    profile = Profile.exact([12345, 67890])
    for private in (profile, profile.ladder(2)):
        assert not any(c.isdigit() for c in repr(private))
        assert not any(c.isdigit() for c in str(private))
        with pytest.raises(TypeError, match="private"):
            pickle.dumps(private)
    world = ds.World(["x"], [], ["a"], [[987]])
    assert "987" not in repr(world)


@pytest.mark.parametrize("steps", ["linear", "whole"])
def test_ladders_beyond_the_range_of_floats(steps):
    """Scaling scores by any power, also beyond 1e±308, changes no law."""
    base = [[0, 3, Fraction(7, 2), 1], [0, 4, Fraction(7, 2), 2], [3, 3, Fraction(1, 2), 1]]
    expected = None
    for factor in (Fraction(1), Fraction(2) ** 1020, Fraction(2) ** -1065, Fraction(10) ** 400, Fraction(10) ** -400):
        world = ds.World("xyz", [(0, 1), (1, 2)], "abcd", [[q * factor for q in row] for row in base])
        found = ds.law(world, "x", epsilon=2, method=ds.Ladder(steps=steps)).candidates.probabilities
        expected = found if expected is None else expected
        assert np.allclose(found, expected, rtol=1e-12)
