"""Best mean on all tables with up to 5 records: score, profile, certificate, and wrong variants that are caught."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from brute import (
    Tables,
    breaks_certificate,
    breaks_gs,
    breaks_p1,
    breaks_p2,
    differs_from_truth,
    exact_scores,
    exceeds_truth,
    unit_of,
)

import dpselect as ds
from dpselect.profile import Profile

TWO_VALUED = tuple((r, y) for r in range(3) for y in range(2))
FLAGS = tuple((r, y) for r in range(2) for y in range(2))
THREE_VALUED = tuple((r, y) for r in range(2) for y in range(3))

# kinds, steps of the grid, options of the problem
SCORES = {
    "rates": (TWO_VALUED, 1, {}),
    "two rates": (FLAGS, 1, {}),
    "means": (THREE_VALUED, 2, {}),
    "empty in the middle": (THREE_VALUED, 2, {"empty": 1}),
    "empty at the top": (TWO_VALUED, 1, {"empty": 1}),
    "prior": (THREE_VALUED, 2, {"prior_weight": "3/2", "prior_mean": "1/2"}),
    "strong prior": (TWO_VALUED, 1, {"prior_weight": 20, "prior_mean": "1/2"}),
    "prior at the end": (TWO_VALUED, 1, {"prior_weight": 1, "prior_mean": 1}),
    "support 2": (THREE_VALUED, 2, {"support": 2}),
    "support 3, empty in the middle": (TWO_VALUED, 1, {"support": 3, "empty": "1/2"}),
    "support and prior": (TWO_VALUED, 1, {"support": 2, "prior_weight": 1, "prior_mean": "1/3"}),
}
UNITS = [("add", 1), ("add", 2), ("replace", 1)]


def true_score(records, r, steps, options):
    """The definition, record by record, in steps of the grid."""
    mine = [y for s, y in records if s == r]
    weight, prior = Fraction(options.get("prior_weight", 0)), Fraction(options.get("prior_mean", 0))
    support = options.get("support", 0 if weight else 1)
    if len(mine) < support:
        return Fraction(options.get("empty", 0))
    return (sum(mine) + weight * prior) / (len(mine) + weight)


@cache
def setting(name, unit, rows, most=None):
    kinds, steps, options = SCORES[name]
    most = most or (7 if kinds is FLAGS else 5)
    tables = Tables(kinds, most, unit, rows)
    categories = sorted({r for r, _ in kinds})
    problem = ds.table.BestMean(
        categories, "c", "v", (0, steps), 1, unit=unit_of(tables), person="who" if rows > 1 else None, **options
    )
    cells = [tables.cells(x) for x in tables.all]
    scores = [[true_score(tables.records(x), r, steps, options) for r in categories] for x in tables.all]
    return tables, problem, cells, scores


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_scores_and_profile(name, unit, rows):
    tables, problem, cells, scores = setting(name, unit, rows)
    for x, row in zip(cells, scores, strict=True):
        assert exact_scores(problem, x) == [q - max(row) for q in row]
    profiles = [problem.profile(x) for x in cells]
    assert problem.kappa == 1
    assert not breaks_p1(tables, scores, profiles, 1)
    assert not breaks_p2(tables, profiles, 8)
    assert not breaks_gs(tables, scores, profiles, problem.global_sensitivity, 1)


@pytest.mark.parametrize("name", SCORES)
def test_flip_distance_is_the_true_one(name):
    tables, problem, cells, scores = setting(name, "add", 1)
    flips = [problem.flip_distance(x).tolist() for x in cells]
    assert problem.flip_distance_is_exact
    assert not breaks_certificate(tables, scores, flips)
    assert not differs_from_truth(tables, scores, flips)


@pytest.mark.parametrize("name", ["rates", "means", "prior", "support 2", "empty in the middle"])
@pytest.mark.parametrize(("unit", "rows"), [("add", 2), ("replace", 1)])
def test_flip_distance_of_other_units_is_a_certificate(name, unit, rows):
    tables, problem, cells, scores = setting(name, unit, rows, 4)
    flips = [problem.flip_distance(x).tolist() for x in cells]
    assert not problem.flip_distance_is_exact
    assert not breaks_certificate(tables, scores, flips)
    assert not exceeds_truth(tables, scores, flips)


def test_among_fewer_categories():
    tables, problem, cells, scores = setting("rates", "add", 1)
    kept = np.array([0, 2])
    flips = [problem.flip_distance_among(x, kept).tolist() for x in cells]
    among = [[row[0], row[2]] for row in scores]
    assert not breaks_certificate(tables, among, flips)
    assert not differs_from_truth(tables, among, flips)


# ---------------------------------------------------------------- wrong variants


def slow_flips(records, m, steps, *, removals=True):
    """The formula of the theory, by enumeration; `removals=False` is wrong: a category cannot lose its own records."""

    def extreme(values, k, sign, added):
        found = []
        for j in range(min(k, len(values)) + 1 if removals else 1):
            left = sorted(values, key=lambda y: sign * y)[j:]
            for i in range(k - j + 1):
                total = left + [added] * i
                found.append(Fraction(sum(total), len(total)) if total else Fraction(0))
        return max(found) if sign > 0 else min(found)

    groups = [[y for s, y in records if s == r] for r in range(m)]
    result = []
    for r in range(m):
        best = None
        for k in range(8):
            level = extreme(groups[r], k, 1, steps)
            cost = k
            for s in range(m):
                j = 0
                while s != r and extreme(groups[s], j, -1, 0) > level and j < 12:
                    j += 1
                cost += j
            best = cost if best is None else min(best, cost)
        result.append(best)
    return result


def test_wrong_certificates_are_caught():
    tables, problem, cells, scores = setting("rates", "add", 1, 4)
    mine = [problem.flip_distance(x).tolist() for x in cells]
    assert mine == [slow_flips(tables.records(x), 3, 1) for x in tables.all]
    wrong = [slow_flips(tables.records(x), 3, 1, removals=False) for x in tables.all]
    assert differs_from_truth(tables, scores, wrong)
    assert exceeds_truth(tables, scores, wrong)
    # The add-or-remove certificate where a record is replaced: a replacement moves it by 2.
    replacing, _, cells, scores = setting("rates", "replace", 1, 4)
    undivided = [problem.flip_distance(x).tolist() for x in cells]
    assert breaks_certificate(replacing, scores, undivided)
    # One row a person where two are allowed.
    pairs, _, cells, scores = setting("rates", "add", 2, 4)
    assert breaks_certificate(pairs, scores, [problem.flip_distance(x).tolist() for x in cells])


def test_wrong_profiles_are_caught():
    tables, problem, cells, scores = setting("rates", "add", 1)
    counts = [problem.category_counts(x) for x in cells]

    def one_over(value):
        return Fraction(1, max(1, value))

    def listed(of_counts):
        return [Profile.exact([one_over(of_counts(c) - t) for t in range(9)]) for c in counts]

    assert not breaks_p1(tables, scores, listed(min), 1)
    assert not breaks_p2(tables, listed(min), 7)
    # c + 1 for c, the largest for the smallest count, a profile that does not grow, a slightly smaller one.
    assert breaks_p1(tables, scores, listed(lambda c: min(c) + 1), 1)
    assert breaks_p1(tables, scores, listed(max), 1)
    pair, means, these, _ = setting("means", "add", 1)
    constant = [Profile.constant(one_over(min(means.category_counts(x)))) for x in these]
    assert breaks_p2(pair, constant, 7)
    smaller = [problem.profile(x).times(Fraction(98, 100)) for x in cells]
    assert breaks_p1(tables, scores, smaller, 1)
    # The profile of add-or-remove as a bound of the span (κ = 1) where a record is replaced.
    replacing, theirs, cells, scores = setting("rates", "replace", 1)
    adding = [problem.profile(x) for x in cells]
    assert breaks_p1(replacing, scores, adding, 1)
    assert not breaks_p1(replacing, scores, [theirs.profile(x) for x in cells], 1)
    # Without the jump at the support.
    tables, problem, cells, scores = setting("support 2", "add", 1)
    plain = ds.table.BestMean([0, 1], "c", "v", (0, 2), 1)
    assert breaks_p1(tables, scores, [plain.profile(x) for x in cells], 1)


def test_the_profile_knows_the_mean():
    """Half as large where the mean is in the middle, never above the plain one, and wrong with min(U, V) for H."""
    halves = ds.table.Cells.of([0, 0, 1, 1], [0, 1, 0, 1], [50, 50, 500, 500])
    problem = ds.table.BestMean([0, 1], "c", "v")
    profile = problem.profile(halves)
    assert Fraction(50, 100 * 99) <= profile(0) <= Fraction(50, 100 * 99) * Fraction(257, 256)
    assert profile(60) <= Fraction(1, 40) * Fraction(257, 256)
    assert all(profile(t) <= Fraction(1, 100 - t) * Fraction(257, 256) for t in range(100))
    tables, problem, cells, scores = setting("two rates", "add", 1)

    def local(x, side):
        """The mean-aware bound at t = 0, with the larger (right) or the smaller side (wrong) of a category."""
        found = []
        for r in range(2):
            steps, counts = x.steps[x.positions == r], x.counts[x.positions == r]
            n, ones = int(counts.sum()), int((steps * counts).sum())
            found.append(Fraction(side(ones, n - ones), n * (n - 1)) if n > 2 else Fraction(1, max(1, n)))
        return Profile.constant(max(found))

    assert not breaks_p1(tables, scores, [local(x, max) for x in cells], 1)
    assert breaks_p1(tables, scores, [local(x, min) for x in cells], 1)


# ---------------------------------------------------------------- beyond the enumeration


def formula(groups, steps, r):
    """The theory's formula with all i and j, for one category of a larger table (plain means, support 1)."""
    reach = sum(map(len, groups))

    def extreme(values, k, up):
        ordered = sorted(values, reverse=not up)
        found = []
        for j in range(min(k, len(values)) + 1):
            rest, i = sum(ordered[j:]), k - j
            size = len(values) - j + i
            found.append(Fraction(rest + (steps if up else 0) * i, size) if size else Fraction(0))
        # Fewer than one record: the score 0.
        return max(found) if up else min([*found, *([Fraction(0)] if k >= len(values) else [])])

    best = reach
    downs = [[extreme(g, j, False) for j in range(len(g) + 1)] for g in groups]
    for k in range(reach + 1):
        if k >= best:
            break
        level = extreme(groups[r], k, True)
        cost = k + sum(sum(w > level for w in d) for s, d in enumerate(downs) if s != r)
        best = min(best, cost)
    return best


def test_larger_random_tables_against_the_formula():
    random = np.random.default_rng(11)
    for trial in range(30):
        m, steps = int(random.integers(2, 5)), int(random.choice([1, 3, 10]))
        groups = [random.integers(0, steps + 1, int(random.integers(0, 25))).tolist() for _ in range(m)]
        where = [r for r, g in enumerate(groups) for _ in g]
        values = [y for g in groups for y in g]
        cells = ds.table.Cells.of(where, values, [1] * len(values))
        problem = ds.table.BestMean(list(range(m)), "c", "v", (0, steps), 1)
        want = [formula(groups, steps, r) for r in range(m)]
        assert problem.flip_distance(cells).tolist() == want, trial


def test_python_integers_give_the_same_certificate():
    """With a fine grid the products leave int64."""
    random = np.random.default_rng(3)
    groups = [random.integers(0, 5, 30).tolist() for _ in range(3)]
    where = [r for r, g in enumerate(groups) for _ in g]
    values = np.array([y for g in groups for y in g])
    coarse = ds.table.BestMean([0, 1, 2], "c", "v", (0, 4), 1)
    fine = ds.table.BestMean([0, 1, 2], "c", "v", (0, 4), "1/100000000000")
    ones = np.ones(len(values), int)
    narrow = coarse.flip_distance(ds.table.Cells.of(where, values, ones))
    wide = fine.flip_distance(ds.table.Cells.of(where, values * 10**11, ones))
    assert narrow.tolist() == wide.tolist()
