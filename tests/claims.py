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
    worlds: int = 100
    candidates: tuple = (1, 2, 3, 4)
    datasets: tuple = (2, 6)
    monotone: object = None


def registered(method, name, **options):
    """A case by the name of a class that may not exist yet (None then)."""
    if name not in ds.__all__:
        return None
    cls = getattr(ds, name)
    return lambda sampler: cls(sampler=sampler, **options)


CASES = [
    Case("global-scale", lambda s: ds.GlobalScale(sampler=s)),
    Case("ladder", lambda s: ds.Ladder(sampler=s)),
    Case("ladder whole", lambda s: ds.Ladder(sampler=s, steps="whole")),
    Case("inverse-sensitivity", lambda s: ds.InverseSensitivity(sampler=s)),
]
for _noise in ("laplace", "truncated"):
    for _label, _dress in (("", plain), (" uncapped", worlds.uncapped)):
        for _depth, _worlds in ((1, 60), (2, 16), (3, 8), (4, 2)):
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
