"""Every method, variant, noise and sampler that a claim is made for: the registry behind `test_claims_*`."""

from dataclasses import dataclass
from fractions import Fraction

import dpselect as ds
from oracle import hockey, reading, worlds

SAMPLERS = ("gibbs", "permute-and-flip")
EPSILONS = ("1/3", "1", "5/2")


def plain(world):
    return world


@dataclass(frozen=True)
class Case:
    """One way to build a method. `make(sampler)` -> method; `dress(world)` -> what is asked about.

    `depth`: levels of the hierarchy; `candidates`: sizes of m; `worlds`: how many random worlds by default.
    """

    name: str
    make: object
    delta: str = "0"
    dress: object = plain
    depth: int = 1
    worlds: int = 60
    candidates: tuple = (1, 2, 3, 4)
    datasets: tuple = (2, 6)
    monotone: object = None


CASES = [
    Case("global-scale", lambda s: ds.GlobalScale(sampler=s)),
    Case("ladder", lambda s: ds.Ladder(sampler=s)),
    Case("ladder whole", lambda s: ds.Ladder(sampler=s, steps="whole")),
    Case("inverse-sensitivity", lambda s: ds.InverseSensitivity(sampler=s)),
]
for _noise in ("laplace", "truncated"):
    for _label, _dress in (("", plain), (" uncapped", worlds.uncapped)):
        for _depth, _worlds in ((1, 40), (2, 12), (3, 6), (4, 1)):
            CASES.append(
                Case(
                    f"private-bound {_noise}{_label} depth {_depth}",
                    lambda s, _noise=_noise: ds.PrivateBound(sampler=s, noise=_noise),
                    delta="1/10",
                    dress=_dress,
                    depth=_depth,
                    worlds=_worlds,
                )
            )
CASES += [
    Case("private-bound auto", lambda s: ds.PrivateBound(sampler=s), delta="1e-6", worlds=30),
    Case(
        "private-bound small floors",
        lambda s: ds.PrivateBound(sampler=s, noise="laplace", floors="1/64", split="3/4"),
        delta="1/5",
        dress=worlds.uncapped,
        worlds=40,
    ),
    Case("private-bound caps below floors", lambda s: ds.PrivateBound(sampler=s, floors=100), delta="1/10", worlds=30),
    Case(
        "private-bound mixed noise",
        lambda s: ds.PrivateBound(sampler=s, noise=("laplace", "truncated"), split=("1/8", "1/2")),
        delta="1/10",
        depth=2,
        dress=worlds.uncapped,
        worlds=10,
    ),
]

CASES += [
    Case(
        "private-bound source accounting",
        lambda s: ds.PrivateBound(sampler=s, noise="laplace", accounting="source"),
        delta="1/5",
        depth=2,
        dress=worlds.uncapped,
        worlds=10,
    ),
    Case(
        "private-bound candidate only",
        lambda s: ds.PrivateBound(sampler=s, releases="candidate"),
        delta="1/10",
        worlds=20,
    ),
    Case(
        "private-bound mapped laplace",
        lambda s: ds.PrivateBound(sampler=s, noise="laplace"),
        delta="1/10",
        dress=worlds.mapped,
        worlds=30,
    ),
    Case(
        "private-bound mapped truncated",
        lambda s: ds.PrivateBound(sampler=s, noise="truncated"),
        delta="1/10",
        dress=worlds.mapped,
        worlds=30,
    ),
    Case("ladder source", lambda s: ds.Ladder(sampler=s, accounting="source", smoothness="1/2")),
    Case("ladder source default", lambda s: ds.Ladder(sampler=s, accounting="source"), worlds=40),
    Case("log-transform", lambda s: ds.LogTransform(sampler=s)),
    Case("log-transform smooth", lambda s: ds.LogTransform(sampler=s, smoothness="2/3")),
    Case("log-transform small c", lambda s: ds.LogTransform(sampler=s, smoothness="1/2", c="1/4")),
    Case("log-transform large c", lambda s: ds.LogTransform(sampler=s, smoothness="1/9", c=50), worlds=40),
    Case(
        "log-transform source", lambda s: ds.LogTransform(sampler=s, smoothness="1/2", accounting="source"), worlds=40
    ),
    Case("generalized", lambda s: ds.GeneralizedExponential(sampler=s), dress=worlds.with_sensitivities),
    Case("generalized tau 0", lambda s: ds.GeneralizedExponential(sampler=s, tau=0), dress=worlds.with_sensitivities),
    Case(
        "generalized tau",
        lambda s: ds.GeneralizedExponential(sampler=s, tau="3/7"),
        dress=worlds.with_sensitivities,
        worlds=40,
    ),
    Case("common-factor", lambda s: ds.CommonFactor(sampler=s), dress=worlds.with_factor),
    Case("direct-smooth", lambda s: ds.DirectSmooth(sampler=s), delta="1/100", candidates=(1, 2, 3, 6)),
    Case(
        "direct-smooth small delta", lambda s: ds.DirectSmooth(sampler=s), delta="1e-6", candidates=(2, 3, 8), worlds=60
    ),
    Case("direct-smooth large delta", lambda s: ds.DirectSmooth(sampler=s, split="4/5"), delta="2/5", worlds=60),
    Case("direct-smooth source", lambda s: ds.DirectSmooth(sampler=s, accounting="source"), delta="1/10", worlds=40),
    Case("private-smooth auto", lambda s: ds.PrivateSmooth(sampler=s), delta="1/20", worlds=40),
    Case(
        "private-smooth candidate only",
        lambda s: ds.PrivateSmooth(sampler=s, releases="candidate"),
        delta="1/20",
        worlds=20,
    ),
    Case("private-smooth constant", lambda s: ds.PrivateSmooth(sampler=s, smoothness=0), delta="1/20", worlds=40),
]
for _noise in ("laplace", "truncated"):
    for _beta in ("1/2", 2):
        CASES.append(
            Case(
                f"private-smooth {_noise} {_beta}",
                lambda s, _noise=_noise, _beta=_beta: ds.PrivateSmooth(sampler=s, noise=_noise, smoothness=_beta),
                delta="1/10",
                worlds=40,
            )
        )
    for _otherwise in ("nothing", "global-scale"):
        for _b in ("1/2", "3"):
            CASES.append(
                Case(
                    f"fixed-scale-test {_b} {_noise} else {_otherwise}",
                    lambda s, _b=_b, _noise=_noise, _otherwise=_otherwise: ds.FixedScaleTest(
                        _b, sampler=s, noise=_noise, otherwise=_otherwise
                    ),
                    delta="1/10",
                    worlds=40,
                )
            )
GRIDS = {
    1: (1000,),
    2: ("1/2", 1000),
    3: ("1/2", 3, 1000),
    5: ("1/3", 1, 2, 5, 1000),
    8: ("1/10", "1/3", 1, 2, 3, 5, 8, 1000),
    1024: (*(Fraction(i, 64) for i in range(1, 1024)), 1000),
}
for _search in ("binary-laplace", "binary-truncated", "index-gibbs", "index-permute-and-flip"):
    for _size, _grid in GRIDS.items():
        CASES.append(
            Case(
                f"certificate-search {_search} J={_size}",
                lambda s, _search=_search, _grid=_grid: ds.CertificateSearch(
                    sampler=s, search=_search, grid=_grid, split="1/2"
                ),
                delta="1/5",
                worlds=2 if _size == 1024 else 20,
                datasets=(2, 4) if _size == 1024 else (2, 9),
            )
        )
CASES += [
    Case("certificate-search auto", lambda s: ds.CertificateSearch(sampler=s), delta="1e-6", worlds=10),
    Case(
        "certificate-search auto large delta",
        lambda s: ds.CertificateSearch(sampler=s, split="4/5"),
        delta="1/4",
        worlds=10,
    ),
    Case(
        "certificate-search candidate only",
        lambda s: ds.CertificateSearch(sampler=s, releases="candidate"),
        delta="1/4",
        worlds=5,
    ),
]


def models(problem, method, epsilon, delta):
    """dataset -> model, and the claim, for every dataset of an explicit world."""
    found, claim = {}, None
    for x in problem.datasets:
        law = ds.law(problem, x, epsilon=epsilon, delta=delta, method=method)
        guarantee = law.calibration.guarantee
        assert claim in (None, guarantee), "the claim must not depend on the dataset"
        assert guarantee.epsilon <= Fraction(epsilon)
        assert guarantee.delta <= Fraction(delta)
        claim = guarantee
        found[x] = reading.read(law, problem, x)
    return found, claim


def violations(problem, method, epsilon, delta):
    """The ordered edges on which the claim does not hold up to the error of the integration; all deltas found."""
    found, claim = models(problem, method, epsilon, delta)
    bad, deltas = [], []
    for x, y in worlds.both_ways(problem):
        for (a, b), interval in zip(((x, y), (y, x)), hockey.delta(found[x], found[y], claim.epsilon), strict=True):
            deltas.append(interval)
            # Hierarchies are integrated to about one part in fifty.
            slack = 0.02 if isinstance(found[x], reading.Scaled) and len(found[x].levels) > 1 else 0.0
            if interval.exceeds(float(claim.delta) * (1 + slack)) or not interval.within(claim.delta, slack):
                bad.append((a, b, interval))
    return bad, deltas
