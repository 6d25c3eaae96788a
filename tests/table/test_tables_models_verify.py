"""The laws drawn from, on all small validation tables and splits: `verify` computes δ(ε), sharing no formula."""

from itertools import product

import pytest
from models_brute import METRICS, problem_of, tallied
from test_tables_splits import problem_of as split_problem
from test_tables_splits import sides

import dpselect as ds

UNITS = {"add": ("add-or-remove", ds.AddOrRemove()), "replace": ("replace", ds.ReplaceOne())}
DOMAIN = [(y, a, b) for y in range(2) for a, b in product((0, 1), repeat=2)]
NAMES = ["accuracy", "precision", "f1", "f-beta, small", "balanced-accuracy", "auc", "matthews", "macro-f1"]


def models(name, unit, most=3):
    neighbours, privacy = UNITS[unit]
    return ds.worlds.all_tables(
        problem_of(name, 2, privacy), DOMAIN, most, lambda records: tallied(name, records, 2), neighbours=neighbours
    )


def splits(criterion, unit, most=3):
    neighbours, privacy = UNITS[unit]
    return ds.worlds.all_tables(
        split_problem(criterion, 2, 2, privacy, most), DOMAIN, most, lambda r: sides(r, 2, 2), neighbours=neighbours
    )


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_keeps_its_claim(name, unit):
    world = models(name, unit)
    problem = world.problem
    methods = ["global-scale", "ladder"]
    methods += ["inverse-sensitivity"] * (problem.flip_distance is not None)
    methods += ["supported-flips"] * (problem.support_constants is not None)
    methods += ["common-factor"] * (problem.common_factor_span is not None)
    assert "auto" in methods or problem.default_method in methods
    for method in methods:
        for sampler in ("gibbs", "permute-and-flip") if name in ("f1", "auc") else ("gibbs",):
            assert ds.verify(world, epsilon="3/2", method=method, sampler=sampler).holds is True, method


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("criterion", ["gini", "information-gain"])
def test_splits_keep_their_claim(criterion, unit):
    for method in ("global-scale", "ladder"):
        assert ds.verify(splits(criterion, unit, 2), epsilon="3/2", method=method, sampler="gibbs").holds is True


@pytest.mark.parametrize("name", [name for name in NAMES if name != "matthews"])
@pytest.mark.parametrize("unit", UNITS)
def test_promises(name, unit):
    assert ds.broken_promises(models(name, unit)) == ()


def test_splits_keep_their_promises():
    for unit in UNITS:
        assert ds.broken_promises(splits("gini", unit)) == ()


class Bolder:
    """Wrong: everything as honest, but scores, common factor and flip distances nine times as large."""

    def __init__(self, problem):
        self.problem, self.candidates, self.kappa = problem, problem.candidates, problem.kappa
        self.global_sensitivity, self.profile = problem.global_sensitivity, problem.profile
        self.common_factor_span = problem.common_factor_span

    def _stretched(self, scores):
        gaps = scores.gaps()
        return [-9 * gaps.exact(i) for i in range(gaps.size)]

    def scores(self, x):
        return self._stretched(self.problem.scores(x))

    def common_factor(self, x):
        return self._stretched(self.problem.common_factor(x))

    def flip_distance(self, x):
        return 9 * self.problem.flip_distance(x)


@pytest.mark.parametrize("name", ["f1", "balanced-accuracy", "auc"])
def test_bolder_laws_are_caught(name):
    world = models(name, "add")
    wrong = ds.worlds.all_tables(
        Bolder(world.problem), DOMAIN, 3, lambda records: tallied(name, records, 2), neighbours="add-or-remove"
    )
    for method in ("global-scale", "ladder", "inverse-sensitivity", "common-factor"):
        assert ds.verify(wrong, epsilon="3/2", method=method, sampler="gibbs").holds is False, method


def test_every_metric_has_a_default_that_it_can_use():
    for name in METRICS:
        for _, privacy in UNITS.values():
            problem = problem_of(name, 2, privacy)
            data = tallied(name, [(0, 0, 1), (1, 1, 0), (1, 1, 1)], 2)
            assert ds.select(problem, data, epsilon=1).method == problem.default_method
            assert len(ds.select(problem, data, epsilon=1, top=2).candidates) == 2
