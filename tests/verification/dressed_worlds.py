"""Every method and variant, and the worlds they are verified on."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import dpselect as ds
from dpselect import worlds

EPSILONS = ("1/4", "1", "3")
DELTAS = ("1e-6", "1/20", "3/10")
SAMPLERS = ("gibbs", "permute-and-flip")


@dataclass(frozen=True)
class Variant:
    """make(sampler) -> method; depth: levels of the world's hierarchy; continuous: verified over the scale."""

    name: str
    make: object
    depth: int = 1
    continuous: bool = False


VARIANTS = [
    Variant("global-scale", lambda s: ds.GlobalScale(sampler=s)),
    Variant("ladder", lambda s: ds.Ladder(sampler=s)),
    Variant("ladder whole", lambda s: ds.Ladder(sampler=s, steps="whole")),
    Variant("ladder source", lambda s: ds.Ladder(sampler=s, accounting="source")),
    Variant("log-transform", lambda s: ds.LogTransform(sampler=s)),
    Variant("log-transform source", lambda s: ds.LogTransform(sampler=s, accounting="source")),
    Variant("inverse-sensitivity", lambda s: ds.InverseSensitivity(sampler=s)),
    Variant("direct-smooth", lambda s: ds.DirectSmooth(sampler=s)),
    Variant("direct-smooth, most for the temperature", lambda s: ds.DirectSmooth(sampler=s, split="9/10")),
    Variant("direct-smooth source", lambda s: ds.DirectSmooth(sampler=s, accounting="source")),
    Variant("fixed-scale-test", lambda s: ds.FixedScaleTest(2, sampler=s, noise="laplace")),
    Variant("fixed-scale-test truncated", lambda s: ds.FixedScaleTest("1/2", sampler=s, noise="truncated")),
    Variant("fixed-scale-test fallback", lambda s: ds.FixedScaleTest(1, sampler=s, otherwise="global-scale")),
    *(
        Variant(f"certificate-search {k}", lambda s, k=k: ds.CertificateSearch(sampler=s, search=k, floor="1/4"))
        for k in ("binary-laplace", "binary-truncated", "index-gibbs", "index-permute-and-flip")
    ),
    Variant("certificate-search hidden", lambda s: ds.CertificateSearch(sampler=s, releases="candidate")),
    *(
        Variant(f"private-bound {k} {d}", lambda s, k=k: ds.PrivateBound(sampler=s, noise=k), d, True)
        for k in ("laplace", "truncated")
        for d in (1, 2, 3)
    ),
    Variant("private-bound small floor", lambda s: ds.PrivateBound(sampler=s, floors="1/50", split="2/3"), 1, True),
    Variant("private-bound hidden", lambda s: ds.PrivateBound(sampler=s, releases="candidate"), 1, True),
    Variant(
        "private-bound source", lambda s: ds.PrivateBound(sampler=s, noise="laplace", accounting="source"), 1, True
    ),
    Variant("private-smooth laplace", lambda s: ds.PrivateSmooth(sampler=s, noise="laplace"), 1, True),
    Variant("private-smooth truncated", lambda s: ds.PrivateSmooth(sampler=s, noise="truncated"), 1, True),
    Variant("private-smooth rough", lambda s: ds.PrivateSmooth(sampler=s, smoothness=1), 1, True),
]


class Dressed:
    """A world as a problem of somebody's own: with per-candidate sensitivities and a common factor."""

    def __init__(self, world):
        self.world = world
        self.candidates = world.candidates
        self.global_sensitivity = world.global_sensitivity
        unit = world.score_unit
        i, j = world.edge_array.T
        change = world.table[i] - world.table[j]
        self.sensitivities = [Fraction(int(s)) * unit for s in np.abs(change).max(axis=0)]
        factor = np.array([1 + k % 2 for k in range(len(world.datasets))])
        self.factored = world.table * factor[:, None]
        moved = self.factored[i] - self.factored[j]
        self.common_factor_span = max(1, int((moved.max(axis=1) - moved.min(axis=1)).max())) * unit

    def scores(self, x):
        return self.world.scores(x)

    def profile(self, x):
        return self.world.profile(x)

    def common_factor(self, x):
        return [Fraction(int(v)) * self.world.score_unit for v in self.factored[x]]


def dressed(world):
    """The dressed world as a dataset graph."""
    return worlds.ProblemWorld(Dressed(world), world.datasets, list(range(len(world.datasets))), world.edges)


DRESSED = [
    Variant("generalized-exponential", lambda s: ds.GeneralizedExponential(sampler=s)),
    Variant("common-factor", lambda s: ds.CommonFactor(sampler=s)),
]
