"""The laws the library draws from, on all small tables: `verify` computes δ(ε) and shares no formula with methods."""

import pytest

import dpselect as ds


def cells(records):
    return ds.table.Cells.of([r for r, _ in records], [y for _, y in records], [1] * len(records))


VALUES = [(0, y) for y in range(4)]
FLAGS = [(r, y) for r in range(2) for y in range(2)]
NAMES = [(r, 0) for r in range(3)]

PROBLEMS = {
    "median": (lambda unit, who: ds.table.Quantile("1/2", (0, 3), unit=unit, person=who), VALUES),
    "first decile": (lambda unit, who: ds.table.Quantile("1/10", (0, 3), unit=unit, person=who), VALUES),
    "rank": (lambda unit, who: ds.table.QuantileByRank("3/4", (0, 3), unit=unit, person=who), VALUES),
    "rate": (lambda unit, who: ds.table.BestMean([0, 1], "c", "v", unit=unit, person=who), FLAGS),
    "supported rate": (lambda unit, who: ds.table.BestMean([0, 1], "c", "v", support=2, unit=unit, person=who), FLAGS),
    "shrunken rate": (
        lambda unit, who: ds.table.BestMean([0, 1], "c", "v", prior_weight=3, prior_mean="1/2", unit=unit, person=who),
        FLAGS,
    ),
    "mode": (lambda unit, who: ds.table.Mode(["a", "b", "c"], unit=unit, person=who), NAMES),
}
UNITS = {
    "add": ("add-or-remove", ds.AddOrRemove(), None),
    "add 2": ("add-or-remove", ds.AddOrRemove(2), "who"),
    "replace": ("replace", ds.ReplaceOne(), None),
}
METHODS = ["global-scale", "ladder", "inverse-sensitivity", "log-transform"]


def world(name, unit, most=4):
    make, domain = PROBLEMS[name]
    neighbours, privacy, person = UNITS[unit]
    return ds.worlds.all_tables(
        make(privacy, person), domain, most, cells, neighbours=neighbours, unit=privacy if person else None
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_method_keeps_its_claim(name, unit, method):
    for sampler in ("gibbs", "permute-and-flip"):
        found = ds.verify(world(name, unit), epsilon="3/2", method=method, sampler=sampler)
        assert found.holds is True


class Stretched:
    """Wrong: scores and flip distances nine times as large, with the calibration of the honest ones."""

    def __init__(self, problem):
        self.problem, self.candidates, self.kappa = problem, problem.candidates, problem.kappa
        self.global_sensitivity, self.profile = problem.global_sensitivity, problem.profile

    def scores(self, x):
        honest = self.problem.scores(x).gaps()
        return [-9 * honest.exact(i) for i in range(honest.size)]

    def flip_distance(self, x):
        return 9 * self.problem.flip_distance(x)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_perturbed_problem_is_caught(name):
    make, domain = PROBLEMS[name]
    wrong = Stretched(make(ds.AddOrRemove(), None))
    tables = ds.worlds.all_tables(wrong, domain, 4, cells, neighbours="add-or-remove")
    for method in ("global-scale", "ladder"):
        assert ds.verify(tables, epsilon="3/2", method=method, sampler="gibbs").holds is False
    if name != "rank":
        assert ds.verify(tables, epsilon="3/2", method="inverse-sensitivity", sampler="gibbs").holds is False
