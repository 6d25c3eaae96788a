"""The law of released scales, as verification reads it: a chain of noisy levels (B_k, …, B_0), outermost first.

    B = clamp(H + s (W + shift)),  s = rate · (the scale above),  W ~ Laplace(1) or Laplace(1) cut to ±bound

with atoms at floor and cap. A *logarithmic* level has log B in place of B; a *mapped* level rounds H + s (W + shift)
up to its grid first, so B takes countably many values. A level without noise is a constant.

What is read are the very objects that the exact draw uses (the noise, its shift, floor and cap); distribution function
and density are written down here again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from dpselect.errors import UnsupportedProblem
from dpselect.exact import reals
from dpselect.exact.noise import TruncatedLaplace
from dpselect.exact.reals import Real
from dpselect.methods.hierarchy import HierarchyLaw
from dpselect.methods.noise import UpperNoise
from dpselect.methods.private_smooth import LogLaw
from dpselect.methods.scale import ScaleLaw
from dpselect.verification.answers import Ball


@final
@dataclass(frozen=True)
class Noise:
    """What is random in a level: s W with W ~ Laplace(1), cut to ±bound unless bound is None."""

    rate: Fraction
    shift: Real
    bound: Real | None

    def agrees(self, other: Noise) -> bool:
        """Equal rates, and shifts and bounds that cannot be told apart at 128 bits."""
        if self.rate != other.rate or (self.bound is None) != (other.bound is None):
            return False
        return _close(self.shift, other.shift) and (
            self.bound is None or other.bound is None or _close(self.bound, other.bound)
        )


def _close(a: Real, b: Real) -> bool:
    if a is b:
        return True
    (low, high), (other_low, other_high) = a.enclosure(128), b.enclosure(128)
    return low <= other_high and other_low <= high


@final
@dataclass(frozen=True)
class Plain:
    """B is the sum, clamped."""


@final
@dataclass(frozen=True)
class Logarithmic:
    """log B is the sum; B is clamped."""


@final
@dataclass(frozen=True)
class Mapped:
    """B = finish(sum rounded up to the grid), nondecreasing; clamping included."""

    grid: Fraction
    finish: Callable[[Fraction], Fraction]


Shape: TypeAlias = Plain | Logarithmic | Mapped
"""How the noisy sum becomes B."""


@final
@dataclass(frozen=True)
class Level:
    """One level at one dataset. `sure` is the value of a level without noise, else None; no floor is None too."""

    location: Fraction | Real
    noise: Noise | None
    sure: Fraction | None
    floor: Fraction | None
    cap: Fraction | None
    shape: Shape


def levels_of(scale: ScaleLaw) -> tuple[Level, ...]:
    """The chain of levels behind a law of scales, outermost first."""
    if isinstance(scale, HierarchyLaw):
        return _hierarchy(scale)
    if isinstance(scale, LogLaw):
        noise = _noise(scale.noise, scale.kernel.smoothness / scale.noise.epsilon)
        return (Level(scale.bound.log(), noise, None, None, scale.kernel.cap, Logarithmic()),)
    raise UnsupportedProblem(f"verification cannot read a scale law of type {type(scale).__name__}")


def _noise(drawn: UpperNoise, rate: Fraction) -> Noise:
    """The noise of a level, from the object that draws it."""
    law = drawn.law(Fraction(1))
    return Noise(rate, drawn.shift, Real.of(law.bound) if isinstance(law, TruncatedLaplace) else None)


def _hierarchy(scale: HierarchyLaw) -> tuple[Level, ...]:
    levels: list[Level] = []
    above_is_zero = scale.kernel.top == 0
    for j in reversed(range(len(scale.values))):
        plan, location = scale.kernel.levels[j], scale.values[j]
        noise, sure = None, None
        if plan.noise is None or above_is_zero:
            sure = plan.finish(-(-location // plan.grid) * plan.grid)
        else:
            noise = _noise(plan.noise, (scale.kernel.top if not levels else 1) / plan.noise.epsilon)
        shape: Shape = Plain() if plan.map is None else Mapped(plan.grid, plan.finish)
        # "A cap below the floor wins."
        floor = plan.floor if plan.cap is None else min(plan.floor, plan.cap)
        levels.append(Level(location, noise, sure, floor, plan.cap, shape))
        # Floors are above 0: only a constant or a cap can make a scale 0.
        above_is_zero = sure == 0 or plan.cap == 0
    return tuple(levels)


def distribution(noise_bound: Ball | None, w: Ball) -> Ball:
    """Pr[W ≤ w] for every w in the ball, w may be wide."""
    low, high = _at_point(noise_bound, w.lower()), _at_point(noise_bound, w.upper())
    return reals.span(low, high)


def _at_point(bound: Ball | None, w: Ball) -> Ball:
    """The distribution function at an exact point."""
    if bound is None:
        tail = (w if w <= 0 else -w).exp() / 2
        return tail if w <= 0 else 1 - tail
    if (w + bound).upper() <= 0:
        return w * 0
    if (w - bound).lower() >= 0:
        return w * 0 + 1
    floor = (-bound).exp()
    tail = ((w if w <= 0 else -w).exp() - floor) / (2 * (1 - floor))
    return tail if w <= 0 else 1 - tail


def loss(w_low: Ball, w_high: Ball, move: Ball) -> tuple[Ball, Ball]:
    """Ends of |w + Δ| − |w| = log of the ratio of densities at w and w + Δ, for w between the points, Δ in the ball.

    For Δ ≥ 0 it is 2w + Δ clamped to ±Δ: nondecreasing in w; the case Δ ≤ 0 is its mirror image.
    """
    low, high = move.lower(), move.upper()
    if low < 0 < high:
        most = -low if -low > high else high
        return -most, most
    if high <= 0:
        low, high, w_low, w_high = -high, -low, -w_high, -w_low
    most = high if w_high >= 0 else _larger(2 * w_high + high, -low)
    least = low if w_low >= 0 else _larger(2 * w_low + low, -high)
    return least.lower(), most.upper()


def _larger(a: Ball, b: Ball) -> Ball:
    return a.max(b)


__all__ = ["Level", "Logarithmic", "Mapped", "Noise", "Plain", "distribution", "levels_of", "loss"]
