"""What a law says about one dataset of a world, as plain numbers; whatever can be computed twice is compared.

Read from the law: the public constants of its levels, its atoms, its exponents where a method has no scale. Computed
here: noise, shifts, the two final laws, the exponents at a scale. They must agree with `cdf`, `atoms` and `given`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpselect.methods.hierarchy import HierarchyLaw
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
    """Levels from the inside out (levels[0] draws B_0), the values H_j(x), the constant above the last level."""

    levels: tuple
    values: tuple
    top: float
    theta: float
    gaps: np.ndarray
    sampler: str

    def given(self, b):
        """The law of the candidate at scales b (an array): exponents θ g / b."""
        return SAMPLERS[self.sampler](self.theta * self.gaps / np.asarray(b)[..., None])

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
        return _finite(law)
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


def _compare(law, model, gaps, theta):
    """The library's distribution functions and conditional laws at a few points against this module's."""
    for j, level in enumerate(model.levels):
        if level.rate is None or level.map is not None:
            continue
        for above in (Fraction(1, 3), Fraction(2)) if j + 1 < len(model.levels) else (law.scale.kernel.top,):
            for b in (level.floor, level.floor * 1.5, model.values[j] + float(above), level.floor + 5 * float(above)):
                theirs, ours = law.scale.level(j, above).cdf(b), level.cdf(b, model.values[j], float(above))
                assert abs(theirs - ours) < 1e-12, (j, above, b)
    for b in (Fraction(1, 7), Fraction(1), Fraction(40)):
        found = law.given(b)
        z = np.array([float(theta * g / b) for g in gaps])
        assert np.allclose(found.exponents.proposal, z, rtol=1e-12, atol=0)
        assert np.allclose(found.probabilities, model.given(np.array([float(b)]))[0], rtol=AGREE, atol=1e-14)
