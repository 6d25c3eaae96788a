"""Top-k: δ(ε) of (scales, k candidates in order) against peeling by its definition, and mechanisms that are wrong."""

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from dressed_worlds import DRESSED, SAMPLERS, VARIANTS, dressed
from test_verification_controls import Altered, claiming

import dpselect as ds
from dpselect import worlds
from dpselect.guarantee import Guarantee
from dpselect.methods.ladder import whole_step_exponents
from dpselect.methods.law import Law
from dpselect.methods.method import Selection
from dpselect.question import NEVER
from dpselect.verification.peels import MOST_ORDERS, MOST_ORDERS_OF_CONTINUOUS_SCALES
from dpselect.verification.report import TOLERANCE
from oracle import hockey, reading
from oracle.peeling import Peeled, excess, peels, top_law
from test_claims_top import METHODS

FINITE = [v for v in VARIANTS if not v.continuous]


def both_ways(world):
    return [pair for u, v in world.edges if u != v for pair in ((u, v), (v, u))]


def some_world(seed, depth=1):
    return worlds.random_world(seed, datasets=2 + seed % 3, candidates=2 + seed % 3, depth=depth)


# ---------------------------------------------------------------- one candidate


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_one_candidate_is_top_1(variant):
    world, method = some_world(1, variant.depth), variant.make("permute-and-flip")
    detail = "full" if variant.depth == 1 else "verdict"
    plain, top = (
        ds.verify(world, epsilon=1, delta="1/20", method=method, detail=detail, **more) for more in ({}, {"top": 1})
    )
    assert plain == top
    assert plain.to_dict() == top.to_dict()


# ---------------------------------------------------------------- against peeling by its definition


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", METHODS)
def test_finitely_many_scales_against_peeling(name, sampler):
    make, delta = METHODS[name]
    for seed in range(6):
        world = some_world(seed)
        for k in (2, len(world.candidates)):
            report = ds.verify(world, epsilon="3/2", delta=delta, method=make(sampler), top=k)
            assert report.holds is True
            assert (report.top, report.candidates) == (k, len(world.candidates))
            laws = [peels(top_law(world, x, make(sampler), "3/2", delta, k), k) for x in world.datasets]
            for epsilon, shown in [(report.epsilon, report.delta_exact), *report.curve(["1/50", "1/2"])]:
                truth = max((excess(laws[i], laws[j], epsilon) for i, j in both_ways(world)), default=0.0)
                assert float(shown) == pytest.approx(truth, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("noise", ["laplace", "truncated"])
@pytest.mark.parametrize("method", [ds.PrivateBound, ds.PrivateSmooth])
def test_one_continuous_scale_against_quadrature(method, noise, sampler):
    world = worlds.path_world([[0, 0, 1], [1, -1, 0], [4, 0, 0]])
    made = method(noise=noise, sampler=sampler, split="1/3")
    for k in (2, 3):
        report = ds.verify(world, epsilon=1, delta="1/5", method=made, top=k)
        assert report.holds is True
        assert report.delta_upper - report.delta_lower <= max(TOLERANCE, report.delta_upper / 1000)
        laws = [top_law(world, x, made, "1", "1/5", k) for x in world.datasets]
        models = [Peeled.of(reading.read(law, world, x), k) for law, x in zip(laws, world.datasets, strict=True)]
        for epsilon, shown in [(report.epsilon, report.delta_exact), *report.curve(["1/2"])]:
            found = [d for i, j in world.edges for d in hockey.delta(models[i], models[j], epsilon)]
            assert max(d.low for d in found) <= float(shown) * (1 + 1e-8) + 1e-11
            assert max(d.high for d in found) >= float(shown) * (1 - 1e-3) - 1e-11


def test_two_noisy_levels_against_nested_quadrature():
    world = worlds.path_world([[0, 0, 0], [1, -1, 0], [4, 0, 0]], depth=2)
    made = ds.PrivateBound(noise="laplace", sampler="gibbs", floors=("1/4", "1/2"))
    report = ds.verify(world, epsilon=1, delta="1/5", method=made, top=2)
    laws = [top_law(world, x, made, "1", "1/5", 2) for x in world.datasets]
    models = [Peeled.of(reading.read(law, world, x), 2) for law, x in zip(laws, world.datasets, strict=True)]
    ((_, shown),) = report.curve(["1/10"])
    found = [d for i, j in world.edges for d in hockey.delta(models[i], models[j], Fraction(1, 10))]
    assert shown > 1e-4
    assert max(d.low for d in found) <= shown * 1.01
    assert max(d.high for d in found) >= shown * 0.99


def test_a_scale_that_is_not_released():
    """One outcome is k candidates, whatever the scale was."""
    world, made = some_world(5), ds.CertificateSearch(grid=("1/2", 2, 1000), releases="candidate")
    report = ds.verify(world, epsilon=1, delta="1/5", method=made, top=2)
    laws = []
    for x in world.datasets:
        law = {}
        for (_, *order), mass in peels(top_law(world, x, made, "1", "1/5", 2), 2).items():
            law[tuple(order)] = law.get(tuple(order), 0.0) + mass
        laws.append(law)
    for epsilon, shown in report.curve(["1/100", "1/4"]):
        truth = max(excess(laws[i], laws[j], epsilon) for i, j in both_ways(world))
        assert shown == pytest.approx(truth, rel=1e-9, abs=1e-13)
    assert report.holds is True


# ---------------------------------------------------------------- every method keeps its claim


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_random_worlds(variant):
    for seed in range({1: 3, 2: 2, 3: 1}[variant.depth] if variant.continuous else 10):
        world = some_world(seed, variant.depth)
        k = 2 + seed % (len(world.candidates) - 1)
        for sampler in SAMPLERS:
            report = ds.verify(world, epsilon="1", delta="1/20", method=variant.make(sampler), top=k, detail="verdict")
            assert report.holds is True, (variant.name, seed, report)


@pytest.mark.parametrize("variant", DRESSED, ids=lambda v: v.name)
def test_random_worlds_with_declared_sensitivities(variant):
    for seed in range(10):
        world = some_world(seed)
        if len(world.edge_array):
            for sampler in SAMPLERS:
                report = ds.verify(dressed(world), epsilon=1, method=variant.make(sampler), top=2)
                assert report.holds is True, (variant.name, seed, report)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.depth == 1], ids=lambda v: v.name)
def test_all_graphs_on_four_vertices(variant):
    world = worlds.all_graphs(ds.graph.TopVertex("triangle"), 4)
    report = ds.verify(world, epsilon=1, delta="1e-6", method=variant.make("gibbs"), top=2, detail="verdict")
    assert report.holds is True, report


def means(unit, most):
    """All tables of at most so many records (replace: of exactly so many) in three categories of flags."""

    def build(records):
        return ds.table.Cells.of([r for r, _ in records], [y for _, y in records], [1] * len(records))

    problem = ds.table.BestMean(
        [0, 1, 2], "c", "v", unit={"add-or-remove": ds.AddOrRemove(), "replace": ds.ReplaceOne()}[unit]
    )
    return worlds.all_tables(problem, list(itertools.product(range(3), range(2))), most, build, neighbours=unit)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("unit", ["add-or-remove", "replace"])
@pytest.mark.parametrize("method", [ds.InverseSensitivity, lambda sampler: ds.SupportedFlips(sampler, support=2)])
def test_all_tables_of_flags(method, unit, sampler):
    world = means(unit, 3)
    report = ds.verify(world, epsilon=1, method=method(sampler=sampler), top=2)
    assert report.holds is True, report
    assert 0 < report.pure_epsilon <= 1
    # By peeling, on every edge.
    laws = [peels(top_law(world.problem, x, method(sampler=sampler), "1", "0", 2), 2) for x in world.data]
    truth = max(abs(np.log(p / laws[j][o])) for i, j in both_ways(world) for o, p in laws[i].items())
    assert report.pure_epsilon == pytest.approx(truth, rel=1e-9)


# ---------------------------------------------------------------- controls


def whole_epsilon(calibration):
    """Every peel at the ε of all of them."""
    return replace(
        calibration, selection=replace(calibration.selection, epsilon=calibration.peels * calibration.selection.epsilon)
    )


BEHIND = ds.World(
    ["x", "x'"], [(0, 1)], ["a", "b", *(f"other{i}" for i in range(8))], [[0, 0] + [1] * 8, [1, 1] + [0] * 8]
)
"""Two candidates are behind eight others by 1, then ahead by 1."""


@pytest.mark.parametrize(
    "method",
    [
        ds.GlobalScale(sampler="gibbs"),
        ds.GlobalScale(),
        ds.InverseSensitivity(sampler="gibbs"),
        ds.FixedScaleTest(1, split="1/100"),
        ds.CertificateSearch(grid=[1, 5], split="1/100", sampler="gibbs"),
        ds.PrivateBound(split="1/100", noise="truncated"),
        ds.PrivateBound(split="1/100", noise="laplace", sampler="gibbs"),
    ],
    ids=str,
)
def test_peels_at_the_whole_epsilon_are_caught(method):
    assert ds.verify(BEHIND, epsilon=1, delta="1e-3", method=method, top=2).holds is True
    report = ds.verify(BEHIND, epsilon=1, delta="1e-3", method=Altered(method, whole_epsilon), top=2)
    assert report.holds is False
    assert report.delta_lower > report.delta_claimed
    assert report.witness
    # A single candidate is not affected.
    assert ds.verify(BEHIND, epsilon=1, delta="1e-3", method=Altered(method, whole_epsilon)).holds is True


def test_a_claim_for_one_peel_is_caught():
    method = Altered(ds.GlobalScale(), claiming("1/2"))
    assert ds.verify(BEHIND, epsilon=1, method=method, top=2).holds is False


@dataclass(frozen=True)
class AfterPeels(Selection):
    """Flip distances that are not those among the candidates left."""

    epsilon: Fraction
    distances: object

    def exponents(self, evaluation, scales):
        return whole_step_exponents(np.asarray(self.distances(evaluation)), self.epsilon / 2)

    def temperature(self, scales):
        return None

    def regret(self, evaluation, scales, nats):
        raise NotImplementedError


def kept_of(evaluation):
    return list(range(evaluation.scores.size)) if evaluation.kept is None else list(evaluation.kept)


def stale(evaluation):
    """Those among all candidates."""
    return evaluation.flips(None)[kept_of(evaluation)]


def stale_less_their_least(evaluation):
    found = stale(evaluation)
    return np.where((found == NEVER) & (found.min() != NEVER), NEVER, found - found.min())


def without_the_best(evaluation):
    """After a peel: those among all but a best candidate, as if the best one had been the answer."""
    kept = kept_of(evaluation)
    every = evaluation.flips(None)
    if len(kept) == len(every):
        return every
    best = int(np.flatnonzero(every == 0)[0])
    rest = np.delete(np.arange(len(every)), best)
    found = np.full(len(every), 0)
    found[rest] = evaluation.flips(rest)
    return found[kept] - found[kept].min()


def with_distances(distances, sampler):
    return Altered(
        ds.InverseSensitivity(sampler),
        lambda c: replace(c, selection=AfterPeels(c.selection.epsilon, distances)),
    )


FALLING = worlds.path_world([[10, 9, 5], *[[0, 9, 5]] * 20, [0, 5, 9]])
"""The best candidate falls to the end in one step; the third is far from the second."""


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_flip_distances_of_another_set_are_caught(sampler):
    """Distances among a set that depends on the data move by more than 1."""
    assert ds.verify(FALLING, epsilon=1, method=ds.InverseSensitivity(sampler), top=2).holds is True
    report = ds.verify(FALLING, epsilon=1, method=with_distances(without_the_best, sampler), top=2)
    assert report.holds is False
    assert ds.verify(FALLING, epsilon=1, method=with_distances(without_the_best, sampler)).holds is True


def test_old_flip_distances_are_certificates_too():
    """Distances among all candidates move by 1 at most as well: the claim holds, for answers that are worse."""
    for seed in range(8):
        world = some_world(seed)
        for sampler in SAMPLERS:
            method = with_distances(stale_less_their_least, sampler)
            assert ds.verify(world, epsilon=1, method=method, top=2).holds is True


def test_exponents_that_are_no_law_are_refused():
    """Permute-and-flip without an exponent of 0 need not end; where all candidates are excluded nothing is drawn."""
    with pytest.raises(ds.UnsupportedProblem, match="least exponent"):
        ds.verify(FALLING, epsilon=1, method=with_distances(stale, "permute-and-flip"), top=2)
    for sampler in SAMPLERS:
        with pytest.raises(ds.UnsupportedProblem, match="all candidates are excluded"):
            ds.verify(
                worlds.path_world([[9, 1, 0], [9, 0, 1]]), epsilon=1, method=with_distances(stale, sampler), top=2
            )


# ---------------------------------------------------------------- reading laws


def test_candidates_are_compared_by_name():
    """The same mechanism with the candidates listed in another order at one dataset."""
    rows, turned = [[3, 1, 0], [2, 2, 0], [0, 4, 1]], [2, 0, 1]
    world = worlds.path_world(rows)
    method = ds.GlobalScale(sampler="gibbs")
    expected = ds.verify(world, epsilon=1, method=method, top=2)
    other = ds.World(
        world.datasets, world.edges, [world.candidates[r] for r in turned], [[row[r] for r in turned] for row in rows]
    )

    def laws(x):
        return top_law(other if x == "x1" else world, x, method, "1", "0", 2)

    report = ds.verify(world, epsilon=1, method=laws)
    assert report.top == 2
    for ours, theirs in zip(report.curve(["1/50", "1/20"]), expected.curve(["1/50", "1/20"]), strict=True):
        assert ours[1] == pytest.approx(theirs[1], rel=1e-12)
        assert ours[1] > 0


def test_a_candidate_that_one_dataset_lacks_is_never_named_there():
    two, three = worlds.path_world([[3, 1], [2, 2]]), worlds.path_world([[3, 1, 0], [2, 2, 0]])
    method = ds.GlobalScale(sampler="gibbs")

    def laws(x):
        return top_law(two if x == "x1" else three, x, method, "1", "0", 2)

    report = ds.verify(two, epsilon=1, method=laws)
    named = peels(top_law(three, "x0", method, "1", "0", 2), 2)
    certain = sum(p for (_, *order), p in named.items() if 2 in order)
    assert report.worst_edge == ("x0", "x1")
    assert float(report.delta_exact) >= certain
    assert report.pure_epsilon == float("inf")


def test_different_numbers_of_candidates_are_refused():
    world = worlds.path_world([[3, 1, 0], [2, 2, 0]])
    with pytest.raises(ds.UnsupportedProblem, match="different numbers of candidates"):
        ds.verify(world, epsilon=1, method=lambda x: top_law(world, x, ds.GlobalScale(), "1", "0", 1 + (x == "x1")))


def test_the_renyi_divergences_of_range_bounded_peels_add():
    world = worlds.path_world([[3, 1, 0], [2, 2, 0]])
    method = ds.GlobalScale(sampler="gibbs")
    report = ds.verify(world, epsilon=1, method=method, top=2)
    p, q = (peels(top_law(world, x, method, "1", "0", 2), 2) for x in world.datasets)
    truth = max(np.log(sum(a[o] ** 2 / b[o] for o in a)) for a, b in ((p, q), (q, p)))
    assert report.renyi2 == pytest.approx(truth, rel=1e-9)
    assert report.renyi2_claimed == 2 * Fraction(1, 2) ** 2 / 4
    assert report.renyi2 <= report.renyi2_claimed


def test_witnesses_name_the_candidates_in_order():
    plain = ds.verify(BEHIND, epsilon=1, method=Altered(ds.InverseSensitivity("gibbs"), whole_epsilon), top=2)
    assert plain.worst_edge == ("x'", "x")
    assert set(plain.witness) == {("a", "b"), ("b", "a")}
    fixed = ds.verify(BEHIND, epsilon=1, method=Altered(ds.GlobalScale(), whole_epsilon), top=2)
    assert fixed.witness == ({"scale": "1", "candidates": ["a", "b"]}, {"scale": "1", "candidates": ["b", "a"]})
    bounded = Altered(ds.PrivateBound(split="1/100"), whole_epsilon)
    scaled = ds.verify(BEHIND, epsilon=1, delta="1e-3", method=bounded, top=2)
    assert ["a", "b"] in [w["candidates"] for w in scaled.witness]
    assert '"top": 2' in scaled.to_json()


# ---------------------------------------------------------------- refusals


def test_what_cannot_be_gone_through_is_refused_before_it_is_computed():
    many = worlds.path_world([list(range(30)), list(range(30))])
    with pytest.raises(ds.UnsupportedProblem, match=rf"24,360 answers.*at most {MOST_ORDERS:,}"):
        ds.verify(many, epsilon=1, method="global-scale", top=3)
    few = worlds.path_world([[*range(12)], [*range(1, 13)]])
    with pytest.raises(ds.UnsupportedProblem, match=rf"at most {MOST_ORDERS_OF_CONTINUOUS_SCALES:,} .*continuous"):
        ds.verify(few, epsilon=1, delta="1e-6", method="private-bound", top=3)
    assert ds.verify(few, epsilon=1, method="global-scale", top=3).holds is True
    assert ds.verify(worlds.path_world([[0] * 2000, [1] * 2000]), epsilon=1, method="global-scale").holds is True


def test_top_is_checked():
    world = worlds.path_world([[3, 1], [2, 2]])
    for top in (0, -1, "x", 1.5, True):
        with pytest.raises(ds.InvalidParameter, match="top"):
            ds.verify(world, epsilon=1, method="global-scale", top=top)
    with pytest.raises(ds.InvalidParameter, match=r"top must be at most the number of candidates \(2\), got 3"):
        ds.verify(world, epsilon=1, method="global-scale", top=3)
    with pytest.raises(ds.InvalidParameter, match="top goes with a method"):
        ds.verify(world, epsilon=1, method=lambda x: {"a": 1}, top=2)


def test_released_counts_name_one_candidate():
    world = means("add-or-remove", 1)
    method = ds.ReleasedCounts(minimum=1)
    with pytest.raises(ds.InvalidParameter, match="top must be 1"):
        ds.verify(world, epsilon=4, delta="1/10", method=method, top=2)

    def twice(x):
        law = ds.law(world.problem, x, epsilon=4, delta="1/10", method=method)
        return Law(
            replace(law.calibration, peels=2, guarantee=Guarantee.approximate(8, "1/10")), law.evaluation, law.names
        )

    with pytest.raises(ds.UnsupportedProblem, match="one candidate"):
        ds.verify(world, epsilon=8, delta="1/10", method=twice)
