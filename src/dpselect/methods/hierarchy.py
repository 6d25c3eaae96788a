"""The hierarchy of private upper bounds (theory section 4): from the Lipschitz constant down to the scale.

    B_{k+1} = C,   B_j = max(b_j, H_j(x) + (B_{j+1}/ε_j)(Z_j + shift_j)),  j = k … 0;   B = B_0.

Given B_{j+1} ≥ GS of what level j can change by, level j is ε_j-private and covers with probability ≥ 1 − η_j, so
(B_k, …, B_0) covers the local sensitivity except with probability Σ η_j, and costs Σ ε_j. One level is k = 0.

A mapped level releases D̃_j ≥ D_j(x), an integer, and uses B_j = f_j(D̃_j).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.bits import BitSource
from dpselect.methods.noise import UpperNoise
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

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Fraction | None:
        """U_{k+1} = C, U_j = finish(H_j + (U_{j+1}/ε_j)(w_j(ξ/(k+1)) + shift_j) + grid): a union bound."""
        above, share = self.top, xi / len(self.levels)
        for plan, level in zip(reversed(self.levels), reversed(evaluation.levels), strict=True):
            total = level
            if plan.noise is not None and above:
                scale = above / plan.noise.epsilon
                total += scale * (plan.noise.upper(share) + plan.noise.shift).upper() + plan.grid
            above = plan.finish(-(-total // plan.grid) * plan.grid)
        return above


@final
@dataclass(frozen=True, eq=False, repr=False)
class LevelLaw:
    """The law of one level given the one above: B = finish(H + s (W + shift)), before rounding to the grid."""

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
            return plan.finish(-(-self.level // plan.grid) * plan.grid)
        scale = self.above / noise.epsilon
        steps = noise.law(scale).draw_ceiling(self.level + noise.shift * scale, plan.grid, source)
        return plan.finish(steps * plan.grid)

    def _standard(self, b: float) -> float:
        """w with H + s (w + shift) = b."""
        assert self._noise is not None
        scale = float(self.above / self._noise.epsilon)
        return (b - float(self.level)) / scale - self._noise.shift_float

    def statistic_cdf(self, t: float) -> float:
        """Pr[H + s (W + shift) ≤ t]."""
        if self._noise is None:
            return float(float(self.level) <= t)
        return float(self._noise.cdf(self._standard(t)))

    def cdf(self, b: float) -> float:
        """Pr[B ≤ b] of the finished level."""
        plan = self.plan
        if plan.cap is not None and b >= float(plan.cap):
            return 1.0
        if b < float(plan.floor):
            return 0.0
        if plan.map is None:
            return self.statistic_cdf(b)
        return sum(w for value, w in self.rule(8) if float(value) <= b)

    @property
    def ends(self) -> tuple[float, float]:
        """Floor and cap of an unmapped level as floats (no cap: inf); equal if the cap is below the floor."""
        cap = np.inf if self.plan.cap is None else float(self.plan.cap)
        return min(float(self.plan.floor), cap), cap

    def rule(self, points: int) -> Iterator[tuple[Fraction, float]]:
        """(B, weight) pairs: atoms at floor and cap, Gauss–Legendre panels between, cells for a mapped level."""
        plan, noise = self.plan, self._noise
        if noise is None:
            # Nothing random: the sum is only rounded.
            yield plan.finish(-(-self.level // plan.grid) * plan.grid), 1.0
            return
        scale = float(self.above / noise.epsilon)
        centre = float(self.level) + scale * noise.shift_float
        if plan.map is not None:
            yield from self._cells(centre, scale, noise.support)
            return
        low, high = self.ends
        if low >= high:
            yield plan.finish(plan.floor), 1.0
            return
        left, right = max((low - centre) / scale, -noise.support), min((high - centre) / scale, noise.support)
        below, above = (
            float(noise.cdf((low - centre) / scale)),
            1.0 - float(noise.cdf((high - centre) / scale)),
        )
        if below > 0:
            yield plan.floor, below
        if above > 0 and plan.cap is not None:
            yield plan.cap, above
        for w, weight in _panels(left, right, points):
            mass = weight * float(noise.density(np.asarray(w)))
            yield Fraction(centre + scale * w), mass

    def _cells(self, centre: float, scale: float, support: float) -> Iterator[tuple[Fraction, float]]:
        grid = float(self.plan.grid)
        first, last = (
            int(np.floor((centre - scale * support) / grid)),
            int(np.ceil((centre + scale * support) / grid)),
        )
        first = max(first, 0) - 1
        edges = [self.statistic_cdf(k * grid) for k in range(first, last + 1)]
        merged: dict[Fraction, float] = {}
        for k, below, upto in zip(range(first + 1, last + 1), [0.0, *edges[1:]], edges[1:], strict=False):
            value = self.plan.finish(k * self.plan.grid)
            merged[value] = merged.get(value, 0.0) + upto - below
        yield from merged.items()


def _panels(left: float, right: float, points: int) -> Iterator[tuple[float, float]]:
    """Nodes and weights on [left, right], split at the kink of the density at 0."""
    x, weight = np.polynomial.legendre.leggauss(points)
    for a, b in ((left, min(right, 0.0)), (max(left, 0.0), right)):
        if b <= a:
            continue
        pieces = max(1, int(np.ceil((b - a) / 4)))
        edges = np.linspace(a, b, pieces + 1)
        for start, end in itertools.pairwise(edges):
            half = (end - start) / 2
            for node, w in zip(x, weight, strict=True):
                yield float(start + half * (node + 1)), float(half * w)


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

    def _outer(self, points: int) -> Iterator[tuple[Scales, float]]:
        """The rule of all levels but the last."""
        partial: list[tuple[Scales, float]] = [((), 1.0)]
        for j in range(len(self.values) - 1, 0, -1):
            partial = [
                ((*scales, b), mass * weight)
                for scales, mass in partial
                for b, weight in self.level(j, scales[-1] if scales else self.kernel.top).rule(points)
            ]
        yield from partial

    def cdf(self, b: float) -> float:
        total = 0.0
        for scales, mass in self._outer(16):
            total += mass * self.level(0, scales[-1] if scales else self.kernel.top).cdf(b)
        return total

    @property
    def atoms(self) -> tuple[tuple[Fraction, float], ...]:
        found: dict[Fraction, float] = {}
        plan = self.kernel.levels[0]
        for scales, mass in self._outer(16):
            law = self.level(0, scales[-1] if scales else self.kernel.top)
            if plan.map is not None or law._noise is None:
                for value, weight in law.rule(8):
                    found[value] = found.get(value, 0.0) + mass * weight
                continue
            low, high = law.ends
            if low >= high:
                found[plan.finish(plan.floor)] = found.get(plan.finish(plan.floor), 0.0) + mass
                continue
            found[plan.floor] = found.get(plan.floor, 0.0) + mass * law.statistic_cdf(low)
            if plan.cap is not None:
                found[plan.cap] = found.get(plan.cap, 0.0) + mass * (1.0 - law.statistic_cdf(high))
        return tuple(sorted((b, p) for b, p in found.items() if p > 0))

    @property
    def error(self) -> float:
        # One level is a closed form; further levels are integrated by quadrature.
        return 1e-14 if len(self.values) == 1 else 1e-7

    def rule(self, points: int) -> ScaleRule:
        nodes: list[Scales] = []
        weights: list[float] = []
        for scales, mass in self._outer(points):
            for b, weight in self.level(0, scales[-1] if scales else self.kernel.top).rule(points):
                nodes.append((*scales, b))
                weights.append(mass * weight)
        return ScaleRule(nodes, np.array(weights))
