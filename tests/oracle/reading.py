"""What a law says about one dataset of a world, as plain numbers; whatever can be computed twice is compared.

Read from the law: the public constants of its levels, its atoms, its exponents where a method has no scale. Computed
here: noise, shifts, the two final laws, the exponents at a scale. They must agree with `cdf`, `atoms` and `given`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpselect.methods.certificate_search import BinarySearch, IndexSelection
from dpselect.methods.fixed_scale_test import TestedScale
from dpselect.methods.hierarchy import HierarchyLaw
from dpselect.methods.private_smooth import LogLaw
from dpselect.methods.scale import FiniteScaleLaw

from . import noise
from .samplers import SAMPLERS

AGREE = 1e-9
WITHHELD = "nothing released"


@dataclass(frozen=True)
class Finite:
    """Finitely many scales (None: no scale is released), each with its mass and the exponents given it."""

    atoms: dict
    sampler: str
    withheld: float = 0.0

    def outputs(self):
        """(scale, position) -> probability."""
        law = {
            (b, r): mass * p
            for b, (mass, z) in self.atoms.items()
            for r, p in enumerate(SAMPLERS[self.sampler](np.asarray(z)))
        }
        if self.withheld:
            law[WITHHELD] = self.withheld
        return law

    def with_exponents(self, change):
        """The same scales, other exponents."""
        return replace(self, atoms={b: (mass, change(np.asarray(z))) for b, (mass, z) in self.atoms.items()})


@dataclass(frozen=True)
class Level:
    """B = clamp(f(H + s (W + shift))), s = above / rate, |W| < reach; rate None: H itself, rounded up to the grid."""

    rate: float | None
    shift: float
    reach: float
    floor: float
    cap: float
    grid: float
    map: object = None

    def finish(self, b):
        b = np.maximum(b, 0.0) if self.map is not None else b
        if self.map is not None:
            b = np.array([float(self.map(Fraction(float(v)))) for v in np.ravel(b)]).reshape(np.shape(b))
        return np.minimum(np.maximum(b, self.floor), self.cap)

    def cdf(self, b, value, above):
        """Pr[B ≤ b] of an unmapped level."""
        if b >= self.cap:
            return 1.0
        if b < self.floor:
            return 0.0
        s = above / self.rate
        return float(noise.below((b - value) / s - self.shift, self.reach))


@dataclass(frozen=True)
class Scaled:
    """Levels from the inside out (levels[0] draws B_0), the values H_j(x), the constant above the last level.

    `logarithmic`: the only level draws log B, its value is log S, its cap log GS, and it has no floor.
    """

    levels: tuple
    values: tuple
    top: float
    theta: float
    gaps: np.ndarray
    sampler: str
    logarithmic: bool = False

    def given(self, b):
        """The law of the candidate at scales b (an array; of log b if logarithmic): exponents θ g / b."""
        inverse = np.exp(np.minimum(-np.asarray(b), 600.0)) if self.logarithmic else 1 / np.asarray(b)
        return SAMPLERS[self.sampler](self.theta * self.gaps * inverse[..., None])

    def with_level(self, j, **changes):
        levels = list(self.levels)
        levels[j] = replace(levels[j], **changes)
        return replace(self, levels=tuple(levels))


def exact_gaps(world, x):
    """max q − q_r as Fractions, from the world's own numbers."""
    row = [int(v) * world.score_unit for v in world.table[world.position(x)]]
    return [max(row) - q for q in row]


def read(law, world, x):
    """The plain numbers of `law`, the law of some method at dataset x of the world."""
    claim = law.calibration.guarantee
    assert claim.epsilon >= 0
    assert 0 <= claim.delta < 1
    if isinstance(law.scale, FiniteScaleLaw):
        model = _finite(law)
        _compare_search(law, model, world, x)
        return model
    if isinstance(law.scale, LogLaw):
        return _logarithmic(law, world, x)
    if isinstance(law.scale, HierarchyLaw):
        return _hierarchy(law, world, x)
    raise TypeError(f"the oracle cannot read a {type(law.scale).__name__}")


def _given(law, sampler, *scale):
    found = law.given(*scale)
    z = np.array(found.exponents.proposal)
    p = SAMPLERS[found.sampler.name](z)
    assert np.allclose(p, found.probabilities, rtol=AGREE, atol=1e-14)
    assert abs(p.sum() - 1) < 1e-12
    assert found.sampler.name == sampler
    return z


def _finite(law):
    name = law.calibration.sampler.name
    if law.scale.support == ((),):
        atoms = {None: (1.0, _given(law, name))}
    else:
        atoms = {b: (p, _given(law, name, b)) for b, p in law.scale.atoms if p > 0}
    total = sum(mass for mass, _ in atoms.values())
    assert abs(law.no_release - (1 - total)) < 1e-12
    return Finite(atoms, name, max(0.0, 1 - total))


def _hierarchy(law, world, x):
    calibration = law.calibration
    levels = tuple(_level(plan) for plan in law.scale.kernel.levels)
    gaps = exact_gaps(world, x)
    theta = calibration.epsilon_selection / calibration.question.kappa
    model = Scaled(
        levels,
        tuple(map(float, law.scale.values)),
        float(law.scale.kernel.top),
        float(theta),
        np.array([float(g) for g in gaps]),
        calibration.sampler.name,
    )
    _compare(law, model, gaps, theta)
    return model


def _level(plan):
    cap = np.inf if plan.cap is None else float(plan.cap)
    if plan.noise is None:
        return Level(None, 0.0, np.inf, float(plan.floor), cap, float(plan.grid), plan.map)
    epsilon, failure = float(plan.noise.epsilon), float(plan.noise.failure)
    if plan.noise.kind == "laplace":
        shift, reach = noise.laplace_shift(failure), np.inf
    else:
        shift = reach = noise.truncated_reach(epsilon, failure)
    return Level(epsilon, shift, reach, float(plan.floor), cap, float(plan.grid), plan.map)


def local_sensitivity(world):
    """LS of every dataset as Fractions, from the world's own numbers."""
    rows = [[int(v) * world.score_unit for v in row] for row in world.table]
    found = [Fraction(0)] * len(rows)
    for i, j in world.edge_array.tolist():
        change = max(abs(a - b) for a, b in zip(rows[i], rows[j], strict=True))
        found[i], found[j] = max(found[i], change), max(found[j], change)
    return found


def certificates(world, x, grid):
    """min{d(x, z) : LS(z) > b} for every b, inf for none: the largest certificates there are."""
    sensitivity = local_sensitivity(world)
    away = [(d, sensitivity[z]) for z, d in world.distances(world.position(x)).items()]
    return [min((d for d, s in away if s > b), default=np.inf) for b in grid]


def _compare_search(law, model, world, x):
    """The law of a tested or searched scale by other code: one pass over the indices, one over the leaves."""
    kernel = law.calibration.kernel
    if isinstance(kernel, TestedScale):
        (phi,) = certificates(world, x, [kernel.scale])
        expected = {kernel.scale: passes(phi, *_noise_of(kernel.noise))}
        if kernel.fallback is not None:
            expected[kernel.fallback] = 1 - expected[kernel.scale]
    elif isinstance(kernel, BinarySearch):
        phis = certificates(world, x, kernel.grid)
        rate, shift, reach = _noise_of(kernel.noise)
        assert kernel.tests == int(np.ceil(np.log2(len(kernel.grid))))
        expected = dict(zip(kernel.grid, search(phis, rate, shift, reach), strict=True))
    elif isinstance(kernel, IndexSelection):
        phis = certificates(world, x, kernel.grid)
        z = index_exponents(phis, float(kernel.epsilon), float(kernel.threshold))
        expected = dict(zip(kernel.grid, SAMPLERS[kernel.sampler.name](z), strict=True))
    else:
        return
    for b, p in expected.items():
        assert abs(model.atoms.get(b, (0.0, None))[0] - p) < 1e-12


def _noise_of(plan):
    """(rate, shift, reach) of noise given by its kind, ε and failure probability."""
    epsilon, failure = float(plan.epsilon), float(plan.failure)
    if plan.kind == "laplace":
        return epsilon, noise.laplace_shift(failure), np.inf
    reach = noise.truncated_reach(epsilon, failure)
    return epsilon, reach, reach


def passes(phi, rate, shift, reach):
    """Pr[φ + W/rate > shift/rate]."""
    return 1.0 if phi == np.inf else float(noise.above(shift - rate * phi, reach))


def search(phis, rate, shift, reach):
    """The law of the index found by binary search: every leaf by its own path. The last index needs no test."""
    size = len(phis)
    law = []
    for leaf in range(1, size + 1):
        low, high, mass = 1, size, 1.0
        while low < high:
            middle = (low + high) // 2
            chance = passes(phis[middle - 1], rate, shift, reach)
            if leaf <= middle:
                high, mass = middle, mass * chance
            else:
                # The complement by symmetry, which keeps its digits.
                failing = (
                    0.0 if phis[middle - 1] == np.inf else float(noise.above(rate * phis[middle - 1] - shift, reach))
                )
                low, mass = middle + 1, mass * failing
        law.append(mass)
    return np.array(law)


def index_exponents(phis, epsilon, tau):
    """−ε u / 2 of the selection of an index."""
    z = []
    for below, own in zip([0, *phis[:-1]], phis, strict=True):
        z.append(np.inf if below == np.inf else epsilon / 2 * max(0.0, tau - own, below - tau))
    return np.array(z)


def _logarithmic(law, world, x):
    """B = min(GS, S exp((β/ε_t)(W + shift))), S = max over t of e^(−βt) A_x(t) by the definition."""
    kernel = law.calibration.kernel
    rate, shift, reach = _noise_of(kernel.noise)
    beta = float(kernel.smoothness)
    sensitivity = local_sensitivity(world)
    away = world.distances(world.position(x))
    smooth = max(float(sensitivity[z]) * np.exp(-beta * d) for z, d in away.items())
    level = Level(rate, shift, reach, -np.inf, float(np.log(float(kernel.cap))), float(kernel.grid))
    gaps = exact_gaps(world, x)
    theta = law.calibration.epsilon_selection / law.calibration.question.kappa
    model = Scaled(
        (level,),
        (float(np.log(smooth)),),
        beta,
        float(theta),
        np.array([float(g) for g in gaps]),
        law.calibration.sampler.name,
        logarithmic=True,
    )
    for b in (smooth / 2, smooth * 1.1, smooth * 3, float(kernel.cap) * 0.999, float(kernel.cap)):
        assert abs(law.scale.cdf(b) - level.cdf(np.log(b), model.values[0], beta)) < 1e-11
    _compare_given(law, model, gaps, theta)
    return model


def _compare(law, model, gaps, theta):
    """The library's distribution functions and conditional laws at a few points against this module's."""
    for j, level in enumerate(model.levels):
        if level.rate is None or level.map is not None:
            continue
        for above in (Fraction(1, 3), Fraction(2)) if j + 1 < len(model.levels) else (law.scale.kernel.top,):
            for b in (level.floor, level.floor * 1.5, model.values[j] + float(above), level.floor + 5 * float(above)):
                theirs, ours = law.scale.level(j, above).cdf(b), level.cdf(b, model.values[j], float(above))
                assert abs(theirs - ours) < 1e-12, (j, above, b)
    _compare_given(law, model, gaps, theta)


def _compare_given(law, model, gaps, theta):
    for b in (Fraction(1, 7), Fraction(1), Fraction(40)):
        found = law.given(b)
        z = np.array([float(theta * g / b) for g in gaps])
        assert np.allclose(found.exponents.proposal, z, rtol=1e-12, atol=0)
        assert np.allclose(
            found.probabilities,
            replace(model, logarithmic=False).given(np.array([float(b)]))[0],
            rtol=AGREE,
            atol=1e-14,
        )
