"""Top-k: the exact joint law of a scale and k candidates in order, peel by peel, against the claim."""

from fractions import Fraction

import pytest

import dpselect as ds
from oracle import hockey, worlds
from oracle.peeling import excess, peels, top_law

METHODS = {
    "global-scale": (lambda s: ds.GlobalScale(sampler=s), "0"),
    "ladder": (lambda s: ds.Ladder(sampler=s), "0"),
    "inverse-sensitivity": (lambda s: ds.InverseSensitivity(sampler=s), "0"),
    "log-transform": (lambda s: ds.LogTransform(sampler=s, smoothness="1/2"), "0"),
    "direct-smooth": (lambda s: ds.DirectSmooth(sampler=s), "1/10"),
    "fixed-scale-test": (lambda s: ds.FixedScaleTest("1/2", sampler=s), "1/10"),
    "certificate-search": (lambda s: ds.CertificateSearch(sampler=s, grid=("1/2", 2, 1000)), "1/5"),
}


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
@pytest.mark.parametrize("name", METHODS)
def test_peels_keep_the_claim(name, sampler):
    make, delta = METHODS[name]
    for seed in range(12):
        world = worlds.random_world(seed, candidates=(2, 3, 4), datasets=(2, 5))
        for k in (2, len(world.candidates)):
            laws = {x: top_law(world, x, make(sampler), "3/2", delta, k) for x in world.datasets}
            joint = {x: peels(law, k) for x, law in laws.items()}
            claim = laws[world.datasets[0]].calibration.guarantee
            assert claim.epsilon <= Fraction(3, 2)
            for x, y in worlds.both_ways(world):
                for a, b in ((x, y), (y, x)):
                    assert excess(joint[a], joint[b], claim.epsilon) <= float(claim.delta) + hockey.ROUNDING


def test_peels_at_the_whole_epsilon_break_it():
    """Negative control: k peels, each at ε instead of ε/k."""
    world = ds.World(
        ["x", "x'"], [(0, 1)], ["a", "b", *(f"other{i}" for i in range(8))], [[0, 0] + [1] * 8, [1, 1] + [0] * 8]
    )
    laws = {x: top_law(world, x, ds.GlobalScale(), "1", "0", 2) for x in world.datasets}
    epsilon = laws["x"].calibration.guarantee.epsilon
    assert epsilon == 1
    for stretch, broken in ((1.0, False), (2.0, True)):
        p, q = (peels(laws[x], 2, stretch) for x in ("x'", "x"))
        assert (max(excess(p, q, epsilon), excess(q, p, epsilon)) > 1e-6) == broken
