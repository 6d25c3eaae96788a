"""The admissible profile: one object behind every calibration.

    A_x : {0, 1, 2, …} → [0, GS], nondecreasing, with
    (P1)  A_x(0) ≥ LS(x)      and      (P2)  A_x(t + 1) ≥ A_{x'}(t) for all neighbours x ~ x'.

Everything a mechanism needs is read off it (theory section 2): the local bound A_x(0), the smooth bound
sup_t e^{-βt} A_x(t), the certificate of a scale b, min{t : A_x(t) > b}, the ladder with widths κ A_x(0), κ A_x(1), ….

A profile is private. Its representation shows no number and it cannot be pickled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import RANGE, exact, integer_array
from dpselect.exact.reals import Real

HORIZON = 1 << 20
"""Public number of steps after which a profile that is still growing is replaced by its cap.

Cutting at a fixed T keeps (P2): A_x(t + 1) ≥ A_{x'}(t) below T, and both sides are the cap from T on.
"""


_FAR, _TINY = 2.0**900, 2.0**-900
"""Proposals of steps saturate at the first; numbers between the two are far from overflow and underflow."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Profile:
    """A(t) = unit · values[i] for starts[i] ≤ t < starts[i + 1]; the last value holds for ever.

    Arguments:
        starts: int64, strictly increasing, starts[0] = 0.
        values: integers (int64, or Python integers in an object array), nondecreasing, ≥ 0.
        unit: positive rational; score units per integer.
        unbounded_from: the t from which A is infinite (a problem without a finite global sensitivity), or None.

    The constructors below state why their result is admissible. The pointwise minimum of admissible profiles,
    a cap at GS, and a nondecreasing map f with f(A(0)) ≥ LS of the score concerned are admissible too.

    >>> A = Profile.lipschitz(3, 1, cap=5)
    >>> [int(A(t)) for t in range(4)], A.certificate(4)
    ([3, 4, 5, 5], 2)
    """

    starts: NDArray[np.int64]
    values: NDArray[Any]
    unit: Fraction = Fraction(1)
    unbounded_from: int | None = None

    def __post_init__(self) -> None:
        starts = np.asarray(self.starts, dtype=np.int64)
        values = integer_array(self.values)
        if starts.ndim != 1 or starts.size == 0 or starts.shape != values.shape or starts[0] != 0:
            raise InvalidParameter("profile: starts and values must be equally long, and starts must begin with 0")
        if np.any(starts[1:] <= starts[:-1]):
            raise InvalidParameter("profile: starts must increase strictly")
        if values[0] < 0 or np.any(values[1:] < values[:-1]):
            raise InvalidParameter("profile: values must be nonnegative and nondecreasing")
        if self.unit <= 0:
            raise InvalidParameter("profile: unit must be positive")
        keep = np.ones(len(starts), dtype=bool)
        keep[1:] = values[1:] != values[:-1]
        if self.unbounded_from is not None:
            keep &= starts < max(1, self.unbounded_from)
        object.__setattr__(self, "starts", starts[keep])
        object.__setattr__(self, "values", values[keep])

    def __repr__(self) -> str:
        return "Profile(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a profile is private and cannot be pickled")

    # ---------------------------------------------------------------- constructors

    @classmethod
    def exact(cls, values: Iterable[Fraction | int], *, cap: Fraction | int | None = None) -> Profile:
        """A(t) = values[t], the last for ever: the exact profile max{LS(z) : d(x, z) ≤ t}, or any admissible list."""
        listed = [_number(v) for v in values]
        if not listed:
            raise InvalidParameter("profile: at least one value is needed")
        if cap is not None:
            listed = [min(v, _number(cap)) for v in listed]
        numbers, unit = _over_common_unit(listed)
        return cls(np.arange(len(numbers)), numbers, unit)

    @classmethod
    def constant(cls, value: Fraction | int) -> Profile:
        """A(t) = value: admissible for value ≥ GS (calibration to the worst case)."""
        return cls.exact([_number(value)])

    @classmethod
    def lipschitz(cls, local_bound: Fraction | int, constant: Fraction | int, *, cap: Fraction | int | None) -> Profile:
        """A(t) = min(H_0 + C t, GS), admissible when H_0 ≥ LS and GS(H_0) ≤ C: the Newton series with one level."""
        return cls.newton([local_bound], constant, cap=cap)

    @classmethod
    def newton(
        cls,
        levels: Sequence[Fraction | int],
        top: Fraction | int,
        *,
        cap: Fraction | int | None,
        caps: Sequence[Fraction | int | None] = (),
    ) -> Profile:
        """U_j^0 = H_j, U_j^{t+1} = min(cap_j, U_j^t + U_{j+1}^t), U_{k+1} = C, A(t) = U_0^t.

        Admissible when H_0 ≥ LS, H_{j+1} ≥ LS(H_j) and C ≥ GS(H_k). Without caps this is A(t) = Σ_j binom(t, j) H_j.
        `cap` bounds A (public, ≥ GS), `caps[j]` bounds the level j + 1 (public, ≥ every value of H_{j+1}).
        """
        numbers, unit = _over_common_unit(
            [*map(_number, levels), _number(top), *(_number(c) for c in (cap, *caps) if c is not None)]
        )
        bounds: list[int | None] = [None if c is None else int(_number(c) / unit) for c in (cap, *caps)]
        bounds += [None] * (len(levels) + 1 - len(bounds))
        state = [_least(int(v), b) for v, b in zip(numbers[: len(levels) + 1], bounds, strict=False)]
        if not any(state[1:]):
            return cls(np.array([0]), integer_array(state[:1]), unit)
        blocks: list[NDArray[Any]] = []
        t, length = 0, 64
        while t < HORIZON and (not blocks or bounds[0] is None or int(blocks[-1][-1]) < bounds[0]):
            length = min(2 * length, HORIZON - t)
            block, state = _newton_block(state, bounds, length)
            blocks.append(block)
            t += length
        values = np.concatenate(blocks)
        if int(values[-1]) == bounds[0]:
            return cls(np.arange(t), values, unit)
        return cls._cut(np.arange(t), values, unit, bounds[0], HORIZON)

    @classmethod
    def integration(cls, local_bound: Fraction | int, slope: Profile, *, cap: Fraction | int | None) -> Profile:
        """A(t) = H_0 + Σ_{s<t} A'(s), admissible when H_0 ≥ LS and A' is an admissible profile of the scalar H_0.

        A_{x'}(t) ≤ H_0(x) + A'_x(0) + Σ_{s<t} A'_x(s + 1) = A_x(t + 1).
        """
        ceiling = None if cap is None else _number(cap)
        starts, values, t, value = [0], [_number(local_bound)], 0, _number(local_bound)
        last = HORIZON + 1 if slope.unbounded_from is None else min(slope.unbounded_from, HORIZON + 1)
        for begin, end, step in slope._pieces():
            stop = last if end is None else min(end, last)
            if step == 0:
                if end is None and slope.unbounded_from is None:
                    return cls._of_steps(starts, values, ceiling)
                t = stop
                continue
            t = begin
            while t < stop and (ceiling is None or value < ceiling):
                value, t = value + step, t + 1
                starts.append(t)
                values.append(value)
            if ceiling is not None and value >= ceiling:
                return cls._of_steps(starts, values, ceiling)
        # The sum over s < t is infinite from t = last + 1 on, where the slope ends.
        listed, unit = _over_common_unit([*values, *([] if ceiling is None else [ceiling])])
        whole = None if ceiling is None else int(listed[-1])
        return cls._cut(starts, [int(v) for v in listed[: len(values)]], unit, whole, min(last + 1, HORIZON))

    @classmethod
    def mapped(
        cls, statistic: int, function: Callable[[int], Fraction | int], *, cap: Fraction | int | None
    ) -> Profile:
        """A(t) = min(f(D + t), cap): admissible for a 1-Lipschitz integer D and nondecreasing f with f(D) ≥ LS."""
        ceiling = None if cap is None else _number(cap)
        starts, values = [], []
        for t in range(HORIZON):
            value = _number(function(statistic + t))
            starts.append(t)
            values.append(value)
            if ceiling is not None and value >= ceiling:
                return cls._of_steps(starts, values, ceiling)
        listed, unit = _over_common_unit([*values, *([] if ceiling is None else [ceiling])])
        return cls._cut(
            starts,
            [int(v) for v in listed[: len(values)]],
            unit,
            None if ceiling is None else int(listed[-1]),
        )

    @classmethod
    def geometric(
        cls, smooth_bound: Fraction | Real, smoothness: Fraction, *, cap: Fraction | int, unit: Fraction
    ) -> Profile:
        """A(t) = min(e^{βt} S, GS), rounded up to the public unit: admissible for every β-smooth S ≥ LS.

        Rounding up to a fixed grid is a nondecreasing map with f(v) ≥ v, so it keeps (P1) and (P2).
        """
        ceiling, beta = _number(cap), Real.of(smoothness)
        bound = Real.of(smooth_bound)
        if bound.rational == 0:
            # S = 0 only where A ≡ 0 on the component.
            return cls.constant(0)
        starts, values = [], []
        for t in range(HORIZON):
            value = -(-((beta * t).exp() * bound).upper() // unit) * unit
            starts.append(t)
            values.append(value)
            if value >= ceiling or smoothness == 0:
                return cls._of_steps(starts, values, ceiling)
        return cls._of_steps([*starts, HORIZON], [*values, ceiling], ceiling)

    @classmethod
    def _of_steps(cls, starts: Sequence[int], values: Sequence[Fraction], cap: Fraction | None) -> Profile:
        numbers, unit = _over_common_unit(values if cap is None else [min(v, cap) for v in values])
        return cls(np.array(starts), numbers, unit)

    @classmethod
    def _cut(
        cls,
        starts: Sequence[int] | NDArray[np.int64],
        values: Sequence[int] | NDArray[Any],
        unit: Fraction,
        cap: int | None,
        end: int = HORIZON,
    ) -> Profile:
        """The steps listed, the cap from `end` on (infinite where there is none)."""
        begins, numbers = np.asarray(starts, dtype=np.int64), integer_array(values)
        if cap is None:
            return cls(begins, numbers, unit, unbounded_from=end)
        kept = begins < end
        numbers = np.concatenate([numbers[kept], integer_array([cap])])
        return cls(np.append(begins[kept], end), np.minimum(numbers, numbers[-1]), unit)

    # ---------------------------------------------------------------- algebra

    def __call__(self, t: int) -> Fraction:
        """A(t) in score units."""
        if t < 0:
            raise InvalidParameter(f"t must be at least 0, got {t}")
        if self.unbounded_from is not None and t >= self.unbounded_from:
            raise UnsupportedProblem("this profile has no finite bound at that distance: declare a global sensitivity")
        return int(self.values[int(np.searchsorted(self.starts, t, side="right")) - 1]) * self.unit

    @property
    def is_zero(self) -> bool:
        """A ≡ 0: the scores are constant on the component of x."""
        return self.unbounded_from is None and int(self.values[-1]) == 0

    def minimum(self, other: Profile) -> Profile:
        """t ↦ min(A(t), A'(t)), admissible when both are."""
        unit = _common_unit([self.unit, other.unit])
        infinity = math.inf
        first, last = sorted((self, other), key=lambda p: infinity if p.unbounded_from is None else p.unbounded_from)
        starts = np.union1d(first.starts, last.starts)
        if first.unbounded_from is not None:
            starts = np.union1d(starts, [first.unbounded_from])
        other_values = last._at(starts, unit)
        values = np.minimum(first._at(starts, unit), other_values)
        if first.unbounded_from is not None:
            # Beyond the end of the first only the other one speaks.
            values = np.where(starts >= first.unbounded_from, other_values, values)
        return Profile(starts, values, unit, last.unbounded_from)

    def capped(self, cap: Fraction | int) -> Profile:
        """t ↦ min(A(t), cap), admissible for cap ≥ GS."""
        return self.minimum(Profile.constant(cap))

    def map(self, function: Callable[[Fraction], Fraction | int]) -> Profile:
        """t ↦ f(A(t)) for nondecreasing f, admissible for every score with LS ≤ f(A(0))."""
        if self.unbounded_from is not None:
            raise UnsupportedProblem("a profile without a finite bound cannot be mapped: declare a global sensitivity")
        return Profile._of_steps(
            [int(s) for s in self.starts], [_number(function(int(v) * self.unit)) for v in self.values], None
        )

    def plus(self, constant: Fraction | int) -> Profile:
        """t ↦ A(t) + c: room for scores that were themselves computed with an error (theory section 10)."""
        extra = _number(constant)
        return self.map(lambda value: value + extra) if extra else self

    def times(self, factor: Fraction | int) -> Profile:
        """t ↦ c · A(t), c > 0: the profile of c · q."""
        return Profile(self.starts, self.values, self.unit * _number(factor), self.unbounded_from)

    def groups(self, k: int) -> Profile:
        """A_k(t) = Σ_{i<k} A(k t + i) bounds the span over neighbours that differ in up to k elementary steps.

        Spans add along a path x = x_0 ~ … ~ x_k, and A_{x_i}(0) ≤ A_x(i) by (P2); (P2) of A_k likewise. So a κ = 1
        problem stays κ = 1 under mixed additions and removals.
        """
        if k < 1:
            raise InvalidParameter(f"k must be at least 1, got {k}")
        if k == 1:
            return self
        # A_k changes only where some k t + i crosses a breakpoint s: t = s // k (partly) or t = s // k + 1 (wholly).
        points = np.unique(np.concatenate([self.starts // k, self.starts // k + 1]))
        exact = self.values.astype(object)
        total = np.zeros(len(points), dtype=object)
        for i in range(k):
            total = total + exact[np.searchsorted(self.starts, points * k + i, side="right") - 1]
        end = None if self.unbounded_from is None else max(0, (self.unbounded_from - k) // k + 1)
        return Profile(points, total, self.unit, end)

    def _at(self, points: NDArray[np.int64], unit: Fraction) -> NDArray[Any]:
        """The values at `points` as integers times `unit` (a divisor of this profile's unit)."""
        factor = (self.unit / unit).numerator
        index = np.searchsorted(self.starts, points, side="right") - 1
        # The last value is the largest.
        wide = max(int(self.values[-1]), 1) * factor >= RANGE
        return integer_array((self.values.astype(object) if wide else self.values)[index] * factor)

    def _pieces(self) -> list[tuple[int, int | None, Fraction]]:
        ends: list[int | None] = [*(int(s) for s in self.starts[1:]), None]
        return [(int(s), e, int(v) * self.unit) for s, e, v in zip(self.starts, ends, self.values, strict=True)]

    # ---------------------------------------------------------------- derived objects

    @property
    def local_bound(self) -> Fraction:
        """H_0 = A(0) ≥ LS (P1)."""
        return self(0)

    def smooth_bound(self, smoothness: Fraction) -> Real:
        """S_β = sup_t e^{-βt} A(t), in score units: S_β ≥ LS and S_β(x) ≤ e^β S_β(x').

        A is a step function, so the supremum is a maximum over the starts of its pieces. Float64 finds which pieces
        can attain it (within 2^-30 relative), and their exact maximum is returned. O(number of breakpoints).
        """
        if self.unbounded_from is not None:
            raise UnsupportedProblem("no finite smooth bound: declare a finite global sensitivity for this problem")
        if smoothness < 0:
            raise InvalidParameter(f"smoothness must be at least 0, got {smoothness}")
        if self.is_zero or smoothness == 0:
            return Real.of(int(self.values[-1]) * self.unit)
        positive = np.flatnonzero(self.values > 0)
        values = self.values[positive]
        if values.dtype == object:
            logs = np.array([math.log(int(v)) for v in values])
        else:
            logs = np.log(values.astype(np.float64))
        height = logs - float(smoothness) * self.starts[positive]
        # Relative rounding of each term, plus the conversion of β, stays far below this slack.
        slack = 2.0**-30 + 2.0**-48 * np.abs(height)
        near = positive[height + slack >= np.max(height - slack)]
        terms = [(Real.of(-smoothness * int(self.starts[i]))).exp() * (int(self.values[i]) * self.unit) for i in near]
        return Real.maximum(terms)

    def certificate(self, b: Fraction | int) -> int | None:
        """φ_b = min{t : A(t) > b}, None for never: 1-Lipschitz by (P2), at most the distance to {LS > b}."""
        whole = _number(b) // self.unit
        if whole >= int(self.values[-1]):
            return self.unbounded_from
        if whole < int(self.values[0]):
            return 0
        return int(self.starts[int(np.searchsorted(self.values, whole, side="right"))])

    def ladder(self, kappa: int) -> Ladder:
        """The ladder C(k) = Σ_{t<k} κ A(t), linear between integers (theory section 6)."""
        return Ladder(self, kappa)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ladder:
    """C(k) = κ Σ_{t<k} A(t), linear between integers; C⁻¹(g) = min{t : C(t) ≥ g}.

    A is nondecreasing, so C is convex and C⁻¹ is concave: on g > 0 it is the minimum over the pieces of the lines
    s_i + (g − C(s_i)) / (κ A(s_i)) with A(s_i) > 0. That makes it a lazily refined real whenever g is one.
    """

    profile: Profile
    kappa: int

    def __repr__(self) -> str:
        return "Ladder(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ladder is private and cannot be pickled")

    @property
    def _unit(self) -> Fraction:
        return self.profile.unit * self.kappa

    @cached_property
    def _heights(self) -> list[int]:
        """C at the starts of the pieces, in units of κ · profile.unit."""
        starts, values = self.profile.starts.tolist(), self.profile.values.tolist()
        steps = (value * (end - begin) for begin, end, value in zip(starts, starts[1:], values, strict=False))
        return list(accumulate(steps, initial=0))

    def height(self, t: Fraction) -> Fraction:
        """C(t), t ≥ 0 rational: the regret bound of t steps, in score units."""
        index = int(np.searchsorted(self.profile.starts, int(t // 1), side="right")) - 1
        start, value = int(self.profile.starts[index]), int(self.profile.values[index])
        end = self.profile.unbounded_from
        if end is not None and t > end:
            raise UnsupportedProblem("this ladder has no finite height there: declare a global sensitivity")
        return (self._heights[index] + value * (t - start)) * self._unit

    def inverse(self, gap: Fraction | Real) -> Fraction | Real | None:
        """C⁻¹(g), exact; None where no finite t reaches g. For a rational g > 0 a rational."""
        starts, values, heights = self.profile.starts, self.profile.values, self._heights
        end = self.profile.unbounded_from
        if isinstance(gap, Fraction):
            if gap <= 0:
                return Fraction(0)
            scaled = gap / self._unit
            index = _last_below(heights, scaled)
            if values[index] == 0:
                return None if end is None else Fraction(end)
            t = int(starts[index]) + (scaled - heights[index]) / int(values[index])
            return t if end is None else min(t, Fraction(end))
        low, high = (edge / self._unit for edge in gap.enclosure(100))
        first, last = (max(_last_below(heights, edge), 0) for edge in (low, high))
        lines = [
            Real.of(int(starts[i])) + (gap / self._unit - heights[i]) / int(values[i])
            for i in range(first, last + 1)
            if values[i] > 0
        ]
        if end is not None:
            lines.append(Real.of(end))
        # C⁻¹ ≥ 0; a gap that may be zero must not fall below.
        return Real.maximum([-Real.maximum([-line for line in lines]), Real.of(0)]) if lines else None

    @cached_property
    def fits_floats(self) -> bool:
        """Whether widths and heights are far from the ends of the range of float64, so that `proposals` holds."""
        widths = [int(v) * self._unit for v in (self.profile.values[0], self.profile.values[-1]) if v]
        return all(_TINY < x < _FAR for x in (*widths, self._unit, self._heights[-1] * self._unit + 1))

    def proposals(self, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
        """C⁻¹ in float64 for an array of gaps with relative error ≤ 2^-50; inf where no finite t reaches the gap.

        Only for ladders that fit floats.

        Error ≤ 2^-46 max(1, t): C(s_i) ≤ κ A(s_i) s_i since A is nondecreasing, so the subtraction g − C(s_i) costs
        at most 2^-50 g / (κ A(s_i)) ≤ 2^-49 t, and choosing the neighbouring piece near a kink no more than that.
        """
        # A quotient of whole numbers is rounded once, as that of a Fraction is; a profile may have 10^6 pieces.
        up, down = self._unit.numerator, self._unit.denominator
        heights = np.array([h * up / down for h in self._heights])
        widths = np.array([v * up / down for v in self.profile.values.tolist()])
        index = np.maximum(np.searchsorted(heights, gaps, side="left") - 1, 0)
        # A piece of width 0 can only be the first one, where C stays 0: a positive gap lies beyond it.
        if widths[0] == 0.0 and len(widths) > 1:
            index = np.maximum(index, 1)
        width = widths[index]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            t = self.profile.starts[index] + (gaps - heights[index]) / width
        # A finite t stays finite, because inf means excluded.
        t = np.where(width == 0.0, np.inf, np.clip(t, 0.0, _FAR))
        if self.profile.unbounded_from is not None:
            t = np.minimum(t, float(self.profile.unbounded_from))
        return np.where(gaps == 0.0, 0.0, t)


def _least(value: int, bound: int | None) -> int:
    """min(value, bound); None bounds nothing."""
    return value if bound is None else min(value, bound)


def _newton_block(state: list[int], bounds: list[int | None], length: int) -> tuple[NDArray[Any], list[int]]:
    """U_0^t, …, U_0^{t + length − 1} and all U_j^{t + length}, from all U_j^t.

    What is added is never negative, so the recursion is U_j^{t + s} = min(cap_j, U_j^t + Σ_{i<s} U_{j+1}^{t + i}): one
    cumulative sum for each level. In int64 where the largest of the sums is certain to fit, else in Python integers.
    """
    most, fits = state[-1], state[-1] < RANGE
    for value, bound in zip(state[-2::-1], bounds[len(state) - 2 :: -1], strict=True):
        most = value + length * most
        fits = fits and most < RANGE
        most = _least(most, bound)
    dtype = np.dtype(np.int64 if fits else object)
    series = np.full(length + 1, state[-1], dtype=dtype)
    following = [state[-1]]
    for value, bound in zip(state[-2::-1], bounds[len(state) - 2 :: -1], strict=True):
        series[1:] = np.cumsum(series[:-1])
        series[0] = 0
        series = series + value
        if bound is not None and int(series[-1]) > bound:
            series = np.minimum(series, bound)
        following.append(int(series[-1]))
    return series[:-1], following[::-1]


def _last_below(heights: list[int], target: Fraction) -> int:
    """The largest i with heights[i] < target (0 if none): the piece (C(s_i), C(s_{i+1})] that holds the target."""
    low, high = 0, len(heights)
    while low < high:
        middle = (low + high) // 2
        if heights[middle] < target:
            low = middle + 1
        else:
            high = middle
    return max(low - 1, 0)


def _number(value: Fraction | int) -> Fraction:
    """The rational number that a caller's value is; the error shows none, as it may be private."""
    number = exact(value)
    if number is None:
        raise InvalidParameter("profile: values must be finite numbers")
    return number


def _common_unit(values: Sequence[Fraction]) -> Fraction:
    """The largest rational of which every value is an integer multiple; 1 if all are zero."""
    denominator = math.lcm(*(v.denominator for v in values))
    numerator = math.gcd(*(v.numerator * (denominator // v.denominator) for v in values))
    return Fraction(numerator, denominator) if numerator else Fraction(1)


def _over_common_unit(values: Sequence[Fraction]) -> tuple[NDArray[Any], Fraction]:
    """Rationals as integers times one unit."""
    if any(v < 0 for v in values):
        raise InvalidParameter("profile: values must be nonnegative")
    unit = _common_unit(values)
    return integer_array([int(v / unit) for v in values]), unit
