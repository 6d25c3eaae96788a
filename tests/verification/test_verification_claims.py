"""No method exceeds its claim: random worlds, and every graph on a few vertices."""

import random

import pytest
from dressed_worlds import DELTAS, DRESSED, EPSILONS, SAMPLERS, VARIANTS, dressed

import dpselect as ds
from dpselect import worlds
from dpselect.methods import METHODS


def check(world, variant, seed):
    rng = random.Random(seed)
    method = variant.make(rng.choice(SAMPLERS))
    report = ds.verify(world, epsilon=rng.choice(EPSILONS), delta=rng.choice(DELTAS), method=method, detail="verdict")
    assert report.holds is True, (variant.name, method, report)
    return report


def random_world(seed, depth):
    rng = random.Random(seed)
    return worlds.random_world(
        seed,
        datasets=rng.randint(2, 7),
        candidates=rng.randint(1, 4),
        largest=rng.choice((1, 3, 20)),
        monotone=rng.random() < 0.3,
        depth=depth,
    )


def test_every_method_is_here():
    """Methods that need counts have a problem and tests of their own."""
    named = {v.make("gibbs").name for v in (*VARIANTS, *DRESSED)}
    assert named == set(METHODS) - {"released-counts", "supported-flips"}


def few(variant):
    return 25 if not variant.continuous else {1: 6, 2: 3, 3: 2}[variant.depth]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_random_worlds(variant):
    for seed in range(few(variant)):
        check(random_world(seed, variant.depth), variant, f"{variant.name} {seed}")


@pytest.mark.parametrize("variant", DRESSED, ids=lambda v: v.name)
def test_random_worlds_with_declared_sensitivities(variant):
    for seed in range(25):
        world = random_world(seed, 1)
        if len(world.edge_array):
            check(dressed(world), variant, seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_a_thousand_random_worlds(block):
    """All finite laws on every world; the continuous ones in turn, three on every world."""
    continuous = [v for v in VARIANTS if v.continuous]
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        for variant in VARIANTS:
            if not variant.continuous:
                check(random_world(seed, 1), variant, f"{variant.name} {seed}")
        for variant in (continuous[(seed * 3 + k) % len(continuous)] for k in range(3)):
            check(random_world(seed, variant.depth), variant, f"{variant.name} {seed}")
        for variant in DRESSED:
            check(dressed(random_world(seed, 1)), variant, f"{variant.name} {seed}")


TRIANGLES = ds.graph.TopVertex("triangle")


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.depth == 1], ids=lambda v: v.name)
def test_all_graphs_on_four_vertices(variant):
    check(worlds.all_graphs(TRIANGLES, 4), variant, variant.name)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.depth == 1], ids=lambda v: v.name)
def test_all_1024_graphs_on_five_vertices(variant, sampler):
    world = worlds.all_graphs(TRIANGLES, 5)
    assert len(world.datasets) == 1024
    report = ds.verify(world, epsilon=1, delta="1e-6", method=variant.make(sampler), detail="verdict")
    assert report.holds is True, (variant.name, report)


@pytest.mark.slow
@pytest.mark.parametrize("motif", ["4-clique", "5-clique", "2-star", "4-cycle"])
@pytest.mark.parametrize("method", ["inverse-sensitivity", "ladder", "private-bound"])
def test_other_motifs_on_five_vertices(motif, method):
    world = worlds.all_graphs(ds.graph.TopVertex(motif), 5)
    try:
        report = ds.verify(world, epsilon=1, delta="1e-6", method=method, detail="verdict")
    except ds.UnsupportedProblem:
        pytest.skip("this motif does not offer it")
    assert report.holds is True, report


def test_two_edges_at_once():
    report = ds.verify(worlds.all_graphs(TRIANGLES, 4, unit=ds.Edges(2)), epsilon=1, method="inverse-sensitivity")
    assert report.holds
    assert report.edges == 64 * (6 + 15) // 2


class Mode:
    """The most frequent value; also with its own flip distance."""

    candidates = ("a", "b", "c")
    global_sensitivity = 1
    monotone = True

    def scores(self, rows):
        return [rows.count(c) for c in self.candidates]

    def profile(self, rows):
        return ds.Profile.constant(1)


@pytest.mark.parametrize("method", ["global-scale", "ladder", "direct-smooth"])
def test_all_tables_add_or_remove(method):
    world = worlds.all_tables(Mode(), Mode.candidates, 4, list, neighbours="add-or-remove")
    assert len(world.datasets) == 35
    assert ds.verify(world, epsilon=1, delta="1e-6", method=method).holds


def test_a_monotone_flag_that_is_false_for_replacement_is_refused():
    world = worlds.all_tables(Mode(), Mode.candidates, 3, list, neighbours="replace")
    with pytest.raises(ds.InvalidParameter, match="monotone is declared"):
        ds.verify(world, epsilon=1)
