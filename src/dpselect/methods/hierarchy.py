"""The hierarchy of private upper bounds (theory section 4): from the Lipschitz constant down to the scale.

    B_{k+1} = C,   B_j = max(b_j, H_j(x) + (B_{j+1}/ε_j)(Z_j + shift_j)),  j = k … 0;   B = B_0.

Given B_{j+1} ≥ GS of what level j can change by, level j is ε_j-private and covers with probability ≥ 1 − η_j, so
(B_k, …, B_0) covers the local sensitivity except with probability Σ η_j, and costs Σ ε_j. One level is k = 0.

A mapped level releases D̃_j ≥ D_j(x), an integer, and uses B_j = f_j(D̃_j).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.bits import BitSource
from dpselect.methods.noise import UpperNoise
from dpselect.methods.quadrature import condensed, panels
from dpselect.methods.scale import ScaleKernel, ScaleLaw, ScaleRule, Scales
from dpselect.question import Evaluation, LevelMap

FloatArray = NDArray[np.float64]


@final
@dataclass(frozen=True)
class LevelPlan:
    """One level, public: its noise, floor, grid, cap and map.

    `noise` is None where nothing can change (the scale above is the constant 0). Order: sum, round the sum up to the
    grid, map, floor, cap. A cap below the floor wins: the cap alone bounds everything there is to cover.
    """

    noise: UpperNoise | None
    floor: Fraction
    grid: Fraction
    cap: Fraction | None
    map: LevelMap | None = None

    def finish(self, rounded: Fraction) -> Fraction:
        """From the rounded sum to B_j."""
        value = rounded if self.map is None else Fraction(self.map(max(rounded, Fraction(0))))
        value = max(value, self.floor)
        return value if self.cap is None else min(value, self.cap)


@final
@dataclass(frozen=True)
class HierarchyKernel(ScaleKernel):
    """levels[j] plans B_j; top is C = B_{k+1}."""

    levels: tuple[LevelPlan, ...]
    top: Fraction

    def law(self, evaluation: Evaluation) -> ScaleLaw:
        return HierarchyLaw(self, evaluation.levels)

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        """U_{k+1} = C, U_j = finish(H_j + (U_{j+1}/ε_j)(w_j(ξ/(k+1)) + shift_j) + grid): a union bound."""
        above, share = self.top, xi / len(self.levels)
        for plan, level in zip(reversed(self.levels), reversed(evaluation.levels), strict=True):
            total = level
            if plan.noise is not None and above:
                scale = above / plan.noise.epsilon
                total += scale * (plan.noise.upper(share) + plan.noise.shift).upper()
            above = plan.finish(-(-total // plan.grid) * plan.grid)
        return (above,)


@final
@dataclass(frozen=True, eq=False, repr=False)
class LevelLaw:
    """The law of one level given the one above: B = finish(H + s (W + shift)), before rounding to the grid.

    A mapped level is rounded first: its statistic is an integer.
    """

    plan: LevelPlan
    level: Fraction
    above: Fraction

    @property
    def _noise(self) -> UpperNoise | None:
        return self.plan.noise if self.above else None

    def draw(self, source: BitSource) -> Fraction:
        """One exact draw, rounded up to the grid, floored and capped."""
        plan, noise = self.plan, self._noise
        if noise is None:
            return self._certain
        scale = self.above / noise.epsilon
        steps = noise.law(scale).draw_ceiling(self.level + noise.shift * scale, plan.grid, source)
        return plan.finish(steps * plan.grid)

    @property
    def _certain(self) -> Fraction:
        """B where nothing is random: the level is only rounded."""
        return self.plan.finish(-(-self.level // self.plan.grid) * self.plan.grid)

    def _standard(self, noise: UpperNoise, b: float) -> float:
        """w with H + s (w + shift) = b."""
        return (b - float(self.level)) / float(self.above / noise.epsilon) - noise.shift_float

    def _statistic(self, noise: UpperNoise, w: FloatArray) -> FloatArray:
        """H + s (w + shift)."""
        return float(self.level) + float(self.above / noise.epsilon) * (w + noise.shift_float)

    def cdf(self, b: float) -> float:
        """Pr[B ≤ b] of the finished level."""
        plan, noise = self.plan, self._noise
        low, high = self._ends
        if noise is None:
            return float(float(self._certain) <= b)
        if b >= high:
            return 1.0
        if b < low:
            return 0.0
        if plan.map is None:
            return float(noise.cdf(self._standard(noise, b)))
        last = self._last_step(lambda value: value <= b)
        return 0.0 if last is None else float(noise.cdf(self._standard(noise, float(last * plan.grid))))

    @property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest value; equal if the cap is below the floor."""
        cap = math.inf if self.plan.cap is None else float(self.plan.cap)
        return min(float(self.plan.floor), cap), cap

    @property
    def atoms(self) -> dict[Fraction, float]:
        """The values of positive probability."""
        plan, noise = self.plan, self._noise
        if noise is None:
            return {self._certain: 1.0}
        if plan.map is not None:
            return self._cells(noise)
        low, high = self._ends
        if low >= high:
            return {plan.finish(plan.floor): 1.0}
        found = {plan.floor: float(noise.cdf(self._standard(noise, low)))}
        if plan.cap is not None:
            # The noise is symmetric: the upper tail keeps its digits this way.
            found[plan.cap] = float(noise.cdf(-self._standard(noise, high)))
        return {b: p for b, p in found.items() if p > 0}

    def rule(self, points: int, breaks: Sequence[float] = ()) -> tuple[FloatArray, FloatArray]:
        """Nodes and weights: the atoms, and between floor and cap Gauss–Legendre panels that end at `breaks` too."""
        plan, noise, atoms = self.plan, self._noise, self.atoms
        nodes = [np.array([float(b) for b in atoms])]
        weights = [np.array(list(atoms.values()))]
        low, high = self._ends
        if noise is not None and plan.map is None and low < high:
            left = max(self._standard(noise, low), -noise.support)
            right = min(self._standard(noise, high), noise.support) if math.isfinite(high) else noise.support
            inner = [0.0, *(self._standard(noise, b) for b in breaks)]
            w, measure = panels(left, right, inner, points)
            nodes.append(self._statistic(noise, w))
            weights.append(measure * noise.density(w))
        return np.concatenate(nodes), np.concatenate(weights)

    def _last_step(self, holds: Callable[[Fraction], bool]) -> int | None:
        """The largest k ≥ 0 with holds(finish(k · grid)), for a condition that once false stays false; None if none."""
        grid, finish = self.plan.grid, self.plan.finish
        if not holds(finish(Fraction(0))):
            return None
        step = 1
        while holds(finish(step * grid)):
            step *= 2
            if step > _FURTHEST:
                return step
        low, high = step // 2, step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(finish(middle * grid)) else (low, middle)
        return low

    def _cells(self, noise: UpperNoise) -> dict[Fraction, float]:
        """A mapped level: the steps k · grid between which f changes, up to the cap or the end of the support."""
        plan = self.plan
        grid = float(plan.grid)
        ends = self._statistic(noise, np.array([-noise.support, noise.support])) / grid
        first, last = max(math.floor(ends[0]), 0), max(math.ceil(ends[1]), 0)
        if plan.cap is not None:
            cap = plan.cap
            below_cap = self._last_step(lambda value: value < cap)
            last = min(last, 0 if below_cap is None else below_cap + 1)
            first = min(first, last)
        # A curator's law of very wide noise is coarsened upwards; the draw never is.
        stride = max(1, (last - first) // _MOST_CELLS)
        steps = np.append(np.arange(first, last, stride), last)
        upto = noise.cdf((steps * grid - float(self.level)) / float(self.above / noise.epsilon) - noise.shift_float)
        upto[-1] = 1.0
        found: dict[Fraction, float] = {}
        for k, mass in zip(steps.tolist(), np.diff(upto, prepend=0.0).tolist(), strict=True):
            if mass > 0:
                value = plan.finish(k * plan.grid)
                found[value] = found.get(value, 0.0) + mass
        return found


_MOST_CELLS = 1 << 15
_FURTHEST = 1 << 60


@final
@dataclass(frozen=True, eq=False, repr=False)
class HierarchyLaw(ScaleLaw):
    """The law of (B_k, …, B_0) at one dataset."""

    kernel: HierarchyKernel
    values: tuple[Fraction, ...]

    def level(self, j: int, above: Fraction) -> LevelLaw:
        """The law of B_j given B_{j+1}."""
        return LevelLaw(self.kernel.levels[j], self.values[j], above)

    def draw(self, source: BitSource) -> Scales | None:
        scales: list[Fraction] = []
        above = self.kernel.top
        for j in reversed(range(len(self.values))):
            above = self.level(j, above).draw(source)
            scales.append(above)
        return tuple(scales)

    def _kinks(self, j: int, targets: Sequence[float]) -> list[float]:
        """The B_j at which E[f(B_{j−1}) | B_j] is not smooth: an edge or the kink of the noise meets a target."""
        plan, value = self.kernel.levels[j - 1], float(self.values[j - 1])
        if plan.noise is None:
            return []
        shift = plan.noise.shift_float
        reach = () if plan.noise.kind == "laplace" else (2 * shift,)
        caps = () if plan.cap is None else (float(plan.cap),)
        return [
            (target - value) * float(plan.noise.epsilon) / meeting
            for target in (float(plan.floor), *caps, *targets)
            for meeting in (shift, *reach)
            if target > value and meeting > 0
        ]

    def _marginal(self, j: int, points: int, targets: Sequence[float] = ()) -> tuple[FloatArray, FloatArray]:
        """Nodes and weights for the law of B_j, for functions with kinks at `targets`."""
        if j + 1 == len(self.values):
            return self.level(j, self.kernel.top).rule(points, targets)
        outer = zip(*self._marginal(j + 1, points, self._kinks(j + 1, targets)), strict=True)
        parts = [
            (nodes, mass * weights)
            for b, mass in outer
            for nodes, weights in [self.level(j, Fraction(b)).rule(points, targets)]
        ]
        nodes, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        return condensed(nodes, weights, points, targets)

    def cdf(self, b: float) -> float:
        if len(self.values) == 1:
            return self.level(0, self.kernel.top).cdf(b)
        outer = self._marginal(1, 16, self._kinks(1, [b]))
        return float(sum(mass * self.level(0, Fraction(above)).cdf(b) for above, mass in zip(*outer, strict=True)))

    @property
    def atoms(self) -> tuple[tuple[Fraction, float], ...]:
        if len(self.values) == 1:
            return tuple(sorted(self.level(0, self.kernel.top).atoms.items()))
        found: dict[Fraction, float] = {}
        for above, mass in zip(*self._marginal(1, 16, self._kinks(1, [])), strict=True):
            for value, weight in self.level(0, Fraction(above)).atoms.items():
                found[value] = found.get(value, 0.0) + mass * weight
        return tuple(sorted(found.items()))

    @property
    def error(self) -> float:
        # One level is a closed form; two are integrated in panels that end at every kink; deeper ones are condensed.
        return {1: 1e-14, 2: 1e-7}.get(len(self.values), 1e-5)

    def rule(self, points: int) -> ScaleRule:
        nodes, weights = self._marginal(0, points)
        return ScaleRule(nodes, weights)
