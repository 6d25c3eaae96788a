"""`supported-flips` on all small tables: the law by its definition, the claim, the utility, and what breaks it."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from brute import Tables, unit_of

import dpselect as ds
from dpselect.methods.choice import calibrate
from dpselect.methods.law import Law
from dpselect.methods.method import Budget, Method
from dpselect.problems.problem import pose
from dpselect.question import NEVER

KINDS = tuple((r, y) for r in range(3) for y in range(2))
SUPPORTS = (1, 2, 3, 50)


UNITS = [("add", 1), ("add", 2), ("replace", 1)]


def setting(unit, rows=1, most=4):
    tables = Tables(KINDS, most, unit, rows)
    person = "who" if rows > 1 else None
    return tables, ds.table.BestMean([0, 1, 2], "c", "v", unit=unit_of(tables), person=person)


def counts_of(tables, x):
    return [sum(1 for r, _ in tables.records(x) if r == s) for s in range(3)]


def supported(tables, problem, x, support, away=lambda h, n, c: math.ceil((h - n) / c)):
    """max(φ, ⌈(h − n)/c⌉), from counts that are counted here."""
    flips = problem.flip_distance(tables.cells(x)).tolist()
    return [max(f, away(support, n, tables.rows)) for f, n in zip(flips, counts_of(tables, x), strict=True)]


def loss(tables, laws):
    """The largest log ratio over all ordered edges."""
    return max(float(np.log(np.asarray(laws[i]) / np.asarray(laws[j])).max()) for i, j in tables.edges)


def weights(sampler, epsilon, steps):
    """Gibbs, or permute-and-flip over all orders of visiting."""
    w = [math.exp(-epsilon / 2 * (s - min(steps))) for s in steps]
    if sampler == "gibbs":
        return [a / sum(w) for a in w]
    found = [0.0] * len(w)
    orders = list(permutations(range(len(w))))
    for order in orders:
        passed = 1 / len(orders)
        for r in order:
            found[r] += passed * w[r]
            passed *= 1 - w[r]
    return found


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_the_law_by_its_definition_keeps_the_claim(unit, rows, sampler):
    tables, problem = setting(unit, rows)
    for support in SUPPORTS:
        method = ds.SupportedFlips(sampler=sampler, support=support)
        laws = []
        for x in tables.all:
            law = ds.law(problem, tables.cells(x), epsilon="3/2", method=method)
            ours = law.candidates.probabilities
            assert ours == pytest.approx(weights(sampler, 1.5, supported(tables, problem, x, support)), rel=1e-9)
            laws.append(ours)
        assert loss(tables, laws) <= 1.5 + 1e-9


@pytest.mark.parametrize(("unit", "rows"), UNITS)
def test_wrong_variants_are_caught(unit, rows):
    """Controls: two steps for each missing record; the support as a wall."""
    tables, problem = setting(unit, rows)
    wrong = {
        "two steps": lambda h, n, c: 2 * (h - n),
        "a wall": lambda h, n, c: 5 if n < h else 0,
    }
    for away in wrong.values():
        laws = [weights("gibbs", 1.5, supported(tables, problem, x, 3, away)) for x in tables.all]
        assert loss(tables, laws) > 1.5 + 1e-3


@dataclass(frozen=True)
class Steeper(Method):
    """`supported-flips` that spends more than it claims."""

    factor: Fraction
    name = "steeper"
    theorem = "none"

    def lacks(self, question):
        return ds.SupportedFlips().lacks(question)

    def plan(self, question, budget):
        planned = ds.SupportedFlips(support=3).plan(question, budget)
        return replace(planned, selection=replace(planned.selection, epsilon=budget.epsilon * self.factor))


@pytest.mark.parametrize("neighbours", ["add-or-remove", "replace"])
def test_verified(neighbours):
    privacy = {"add-or-remove": ds.AddOrRemove(), "replace": ds.ReplaceOne()}[neighbours]
    problem = ds.table.BestMean([0, 1], "c", "v", unit=privacy)

    def cells(records):
        return ds.table.Cells.of([r for r, _ in records], [y for _, y in records], [1] * len(records))

    world = ds.worlds.all_tables(problem, [(r, y) for r in range(2) for y in range(2)], 4, cells, neighbours=neighbours)
    for sampler in ("gibbs", "permute-and-flip"):
        method = ds.SupportedFlips(sampler=sampler, support=3)
        assert ds.verify(world, epsilon="3/2", method=method).holds is True
        assert ds.verify(world, epsilon="1/10", method=ds.SupportedFlips(sampler=sampler)).holds is True
    assert ds.verify(world, epsilon="3/2", method=Steeper(Fraction(11, 10))).holds is False


def test_flip_bound_holds():
    """Pr[φ(R) > bound] ≤ ρ on every small table, and where the best category is far below the support.

    Control: without the records of the support the bound would fail there.
    """
    tables, problem = setting("add")
    rho = Fraction(1, 10)
    small = ds.table.Cells.of([0, 1, 1, 2, 2], [1, 0, 1, 0, 1], [9, 40, 60, 50, 50])

    def beyond(cells, support, spared=0):
        law = ds.law(problem, cells, epsilon=2, method=ds.SupportedFlips(support=support))
        most = law.calibration.selection.flips.within(law.calibration.sampler.tail(3, rho).upper()) - spared
        return float(law.candidates.probabilities[problem.flip_distance(cells) > most].sum())

    for support in SUPPORTS:
        assert all(beyond(tables.cells(x), support) <= rho for x in tables.all)
        assert beyond(small, support) <= rho
    assert beyond(small, 50, spared=50) > 0.9
    plan = ds.SupportedFlips(support=5).plan(pose(problem, small).question, Budget(Fraction(2), Fraction(0)))
    release = ds.select(problem, small, epsilon=2, method=ds.SupportedFlips(support=5), seed=1)
    assert release.flip_bound(rho) == plan.selection.flips.within(plan.sampler.tail(3, rho).upper())
    assert (
        release.flip_bound(rho)
        == ds.select(problem, small, epsilon=2, method="inverse-sensitivity").flip_bound(rho) + 5
    )


def test_an_empty_category_is_an_unlikely_answer():
    """At the default support: ρ at most, where the best one has that many records. Flip distances alone: likely."""
    problem = ds.table.BestMean(list("abcdef"), "c", "v")
    for epsilon in ("1/10", "1", "3"):
        support = ds.SupportedFlips().plan(pose(problem, {}).question, Budget(Fraction(epsilon), Fraction(0)))
        h = support.selection.support
        x = ds.table.Cells.of([0, 0, 1, 1], [0, 1, 0, 1], [h, 2 * h, 2 * h, h])
        law = ds.law(problem, x, epsilon=epsilon)
        assert law.calibration.method == "supported-flips"
        assert sum(law.candidates[c] for c in "cdef") <= 0.01
        alone = ds.law(problem, x, epsilon=epsilon, method="inverse-sensitivity")
        assert sum(alone.candidates[c] for c in "cdef") > 0.1


def test_peels_look_at_what_is_left():
    """Top-2, the joint law by hand: flip distances and counts of the categories that are left, at ε/2 each."""
    tables, problem = setting("add", 1, 5)
    method = ds.SupportedFlips(support=2)
    for x in tables.all[::17]:
        posed = pose(problem, tables.cells(x))
        calibration = calibrate(method, posed.question, Budget(Fraction(2), Fraction(0), 2))
        law = Law(calibration, posed.evaluation, posed.names)
        counts = counts_of(tables, x)
        for first in range(3):
            left = [r for r in range(3) if r != first]
            rest = law.evaluation.without([first])
            z = calibration.selection.exponents(rest, ()).proposal
            among = problem.flip_distance_among(tables.cells(x), np.array(left)).tolist()
            steps = [max(f, 2 - counts[r]) for f, r in zip(among, left, strict=True)]
            assert z.tolist() == [(s - min(steps)) / 2 for s in steps]
        assert len(ds.select(problem, tables.cells(x), epsilon=2, top=3, method=method, seed=1).candidates) == 3


def test_extremes():
    problem = ds.table.BestMean(["a", "b"], "c", "v")
    x = ds.table.Cells.of([0, 0, 1], [0, 1, 1], [4, 4, 9])
    tiny = ds.law(problem, x, epsilon=1e-300)
    assert tiny.candidates.probabilities == pytest.approx([0.5, 0.5])
    huge = ds.law(problem, x, epsilon=1, method=ds.SupportedFlips(support=10**30))
    # Both are far from the support: the one that has more records is nearer to it.
    assert huge.candidates["b"] == pytest.approx(1 - math.exp(-1 / 2) / 2)
    assert ds.SupportedFlips(support=10**30).plan(pose(problem, x).question, Budget(Fraction(1), Fraction(0))).selection
    assert problem.flip_distance(x).max() < NEVER


def test_what_is_refused():
    problem = ds.table.BestMean(["a", "b"], "c", "v")
    x = ds.table.Cells.of([], [], [])
    for wrong, name in ((ds.SupportedFlips(support=0), "support"), (ds.SupportedFlips(rho=0), "rho")):
        with pytest.raises(ds.InvalidParameter, match=name):
            ds.law(problem, x, epsilon=1, method=wrong)
    with pytest.raises(ds.UnsupportedProblem, match="counts per candidate"):
        ds.select([1, 2], epsilon=1, sensitivity=1, method="supported-flips")
    many = ds.table.BestMean(["a", "b"], "c", "v", person="who", unit=ds.AddOrRemove(3))
    planned = [ds.law(p, x, epsilon=1).calibration for p in (problem, many)]
    assert [c.method for c in planned] == ["supported-flips"] * 2
    assert planned[1].selection.support == 3 * planned[0].selection.support
    assert planned[1].selection.flips == planned[0].selection.flips
    declared = ds.table.BestMean(["a", "b"], "c", "v", support=20)
    assert ds.law(declared, x, epsilon=1).calibration.method == "inverse-sensitivity"
