"""Released counts: the outcome is (ĉ_1, …, ĉ_m, R), or "not released" where no category is kept.

    ĉ_r = max(0, ⌊c_r + (W_r − shift)/ε_t⌋) independently;  kept: ĉ_r ≥ m_0;  R given ĉ depends on the kept set
    and on the smallest kept bound only.

On an edge few counts change. For a category whose count is the same at both ends it only matters whether it is kept and
whether it is the smallest, so these are summed in closed form: for a set K of them and a smallest bound v the mass is
(Π_K Pr[ĉ ≥ v] − Π_K Pr[ĉ ≥ v + 1]) Π_{not K} Pr[ĉ < m_0]. What remains is a sum over (K, v) and over the bounds of the
changed categories. Bounds that only one end can have are balls (noise that is cut attains its δ there); the rest is
float64 with ends: every factor is rounded outwards, and the sums are enlarged by their worst error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import UnsupportedProblem
from dpselect.exact import reals
from dpselect.exact.noise import TruncatedLaplace
from dpselect.exact.reals import Real
from dpselect.methods.counts_kernel import CountsLaw
from dpselect.methods.law import Law
from dpselect.verification.answers import Ball, ToBall, Weighed
from dpselect.verification.levels import distribution
from dpselect.verification.outcomes import Edge, Outcomes, Worst

FloatArray = NDArray[np.float64]
Ends = tuple[FloatArray, FloatArray]

BITS: Final = 192
MOST_CATEGORIES: Final = 8
"""2^8 kept sets; beyond that a sum over sets is no small world."""

_REACH: Final = 75
"""Bounds more than this many noise scales above the centre have probability below 2^-100 and count as a whole."""

_SLACK: Final = 2.0**-46
"""Relative: covers the roundings of a product of a few floats, each with ends rounded outwards."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Place:
    """One dataset: its law and what was computed about it."""

    law: Law
    counts: tuple[int, ...]
    tables: dict[tuple[bool, ...], Ends] = field(default_factory=dict)

    @property
    def scale(self) -> CountsLaw:
        """The law of (ĉ, B)."""
        assert isinstance(self.law.scale, CountsLaw)
        return self.law.scale

    def answers(self, kept: tuple[bool, ...], most: int) -> Ends:
        """Ends of Pr[R = r | kept set, smallest kept bound b] for b = m_0 … most − 1: rows b, columns r."""
        least, table = self.scale.kernel.minimum, self.tables.get(kept)
        if table is None or len(table[0]) < most - least:
            with reals.balls(BITS) as ball:
                rows = [_ends(self._answer(kept, b).balls(ball)) for b in range(least, most)]
            table = np.array([low for low, _ in rows]), np.array([high for _, high in rows])
            self.tables[kept] = table
        return table[0][: most - least], table[1][: most - least]

    def _answer(self, kept: tuple[bool, ...], smallest: int) -> Weighed:
        bounds = [Fraction(smallest if k else 0) for k in kept]
        scales = (*bounds, self.scale.kernel.scale(Fraction(smallest)))
        exponents = self.law.calibration.selection.exponents(self.law.evaluation, scales)
        return Weighed([exponents.exact(i) for i in range(exponents.size)], self.law.calibration.sampler.name)


def place(law: Law) -> Place:
    """From the law at one dataset."""
    assert isinstance(law.scale, CountsLaw)
    return Place(law, tuple(law.scale.counts.tolist()))


@final
@dataclass(frozen=True, eq=False, repr=False)
class CountsOutcomes(Outcomes):
    """Released counts at every dataset."""

    places: Mapping[int, Place]
    edges: NDArray[np.int64]
    step: Callable[[], None] = lambda: None

    @cached_property
    def _ordered(self) -> list[Edge]:
        pairs = [(int(i), int(j)) for i, j in self.edges]
        return [*pairs, *((j, i) for i, j in pairs)]

    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        found = []
        for edge in self._ordered:
            found.append((*self._edge(edge, epsilon), edge))
            self.step()
        low, _, edge = max(found, key=lambda entry: entry[:2])
        return Worst(low, max(high for _, high, _ in found), edge)

    def pure_epsilon(self) -> None:
        return None

    def renyi(self) -> None:
        return None

    def has(self, edge: Edge) -> bool:
        return edge in self._ordered

    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        return []

    def _edge(self, edge: Edge, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        mine, other = (self.places[i] for i in edge)
        size = len(mine.counts)
        if size > MOST_CATEGORIES:
            raise UnsupportedProblem(f"released counts are verified for at most {MOST_CATEGORIES} categories")
        if mine.scale.kernel != other.scale.kernel:
            raise UnsupportedProblem("the public constants of the released counts differ between two neighbours")
        moved = [r for r in range(size) if mine.counts[r] != other.counts[r]]
        if len(moved) > 2:
            raise UnsupportedProblem("more than two counts change on an edge")
        return _Sum(mine, other, moved, epsilon).ends()


class _Sum:
    """The hockey-stick of one ordered edge."""

    def __init__(self, mine: Place, other: Place, moved: list[int], epsilon: Fraction) -> None:
        self._mine, self._other, self._moved, self._epsilon = mine, other, moved, epsilon
        kernel = mine.scale.kernel
        self._minimum = kernel.minimum
        rate = float(kernel.noise.epsilon)
        top = max(max(p.counts) for p in (mine, other))
        self._most = max(self._minimum, math.ceil(top + (_REACH - kernel.noise.shift_float) / rate)) + 1
        self._still = [r for r in range(len(mine.counts)) if r not in moved]

    def ends(self) -> tuple[Fraction, Fraction]:
        with reals.balls(BITS) as ball:
            self._factor = reals.float_ends(ball(self._epsilon).exp())
            laws = [[self._bounds(p, r, ball) for r in self._moved] for p in (self._mine, self._other)]
            exact = self._certain(laws, ball)
            nothing = self._nothing(laws, ball)
            # What is beyond the last bound counts as a whole.
            beyond = sum((self._beyond(p, r, ball) for p in (self._mine,) for r in range(len(p.counts))), ball(0))
            floats = [[_ends(law) for law in side] for side in laws]
            exact_low, exact_high = reals.ends(exact + nothing)
            exact_high += reals.ends(beyond)[1]
            weights = {kept: self._still_weights(kept, ball) for kept in self._sets()}
        low, high, terms = 0.0, 0.0, 1
        for kept, (values, weight) in weights.items():
            for rest in itertools.product(*(range(self._most) for _ in self._moved[1:])):
                part = self._part(kept, values, weight, floats, rest)
                low, high, terms = low + part[0], high + part[1], terms + self._most * self._most
        error = 1 + (terms + 64) * 2.0**-52
        return (
            max(Fraction(0), exact_low + Fraction(low / error)),
            min(Fraction(1), exact_high + Fraction(high * error)),
        )

    # ---------------------------------------------------------------- laws of single bounds

    def _bounds(self, where: Place, r: int, ball: ToBall) -> list[Ball]:
        """Pr[ĉ_r = u], u = 0 … most − 1."""
        upto = [self._below(where, r, u, ball) for u in range(1, self._most + 1)]
        return [upto[0], *(b - a for a, b in itertools.pairwise(upto))]

    def _below(self, where: Place, r: int, u: int, ball: ToBall) -> Ball:
        """Pr[ĉ_r < u] = Pr[W < ε (u − c) + shift], u ≥ 1."""
        noise = where.scale.kernel.noise
        w = ball(noise.epsilon) * (u - where.counts[r]) + ball(noise.shift)
        return distribution(self._bound(where, ball), w)

    def _bound(self, where: Place, ball: ToBall) -> Ball | None:
        law = where.scale.kernel.noise.law(Fraction(1))
        return ball(Real.of(law.bound)) if isinstance(law, TruncatedLaplace) else None

    def _beyond(self, where: Place, r: int, ball: ToBall) -> Ball:
        return 1 - self._below(where, r, self._most, ball)

    def _sets(self) -> list[tuple[int, ...]]:
        """All sets of unmoved categories that may be kept."""
        return [k for n in range(len(self._still) + 1) for k in itertools.combinations(self._still, n)]

    def _still_weights(self, kept: tuple[int, ...], ball: ToBall) -> tuple[list[int], Ends]:
        """(smallest bound v, mass) of the unmoved categories of which exactly `kept` are kept; v = most for none."""
        dropped = ball(1)
        for s in self._still:
            if s not in kept:
                dropped *= self._below(self._mine, s, self._minimum, ball)
        if not kept:
            return [self._most], _ends([dropped])
        at_least = []
        for v in range(self._minimum, self._most + 1):
            product = dropped
            for s in kept:
                product = product * (1 - self._below(self._mine, s, v, ball))
            at_least.append(product)
        return list(range(self._minimum, self._most)), _ends([a - b for a, b in itertools.pairwise(at_least)])

    # ---------------------------------------------------------------- parts of the sum

    def _certain(self, laws: list[list[list[Ball]]], ball: ToBall) -> Ball:
        """What bounds add that the other end cannot have, or hardly, where something is released.

        A bound u with Pr'[u] < 2^-60 Pr[u] adds between Pr[u] − e^ε Pr'[u] and Pr[u], whatever the others are. It is
        taken out of the laws, so that it does not count again.
        """
        total, factor = ball(0), ball(self._epsilon).exp()
        for k in range(len(self._moved)):
            here, there = laws[0][k], laws[1][k]
            for u in range(self._most):
                if not (here[u] > 0 and there[u].upper() * 2**60 < here[u].lower()):
                    continue
                most = here[u].upper()
                least = (here[u] - factor * there[u].max(ball(0))).lower().max(ball(0))
                total += reals.span(least, most) * self._released(laws, k, u, ball)
                here[u] = ball(0)
        return total

    def _released(self, laws: list[list[list[Ball]]], k: int, u: int, ball: ToBall) -> Ball:
        """Pr[something is kept], given the bound u of the k-th moved category; of those before it what is left."""
        everything, dropped = ball(1), ball(1)
        for before in laws[0][:k]:
            everything *= sum(before, ball(0))
            dropped *= sum(before[: self._minimum], ball(0))
        for s in range(len(self._mine.counts)):
            if s not in self._moved[: k + 1]:
                dropped *= self._below(self._mine, s, self._minimum, ball)
        return everything if u >= self._minimum else everything - dropped

    def _nothing(self, laws: list[list[list[Ball]]], ball: ToBall) -> Ball:
        """(Pr_x[nothing kept] − e^ε Pr_{x'}[nothing kept])_+."""
        chances = []
        for where in (self._mine, self._other):
            chance = ball(1)
            for r in range(len(where.counts)):
                chance *= self._below(where, r, self._minimum, ball)
            chances.append(chance)
        excess = chances[0] - ball(self._epsilon).exp() * chances[1]
        return reals.span(excess.lower().max(ball(0)), excess.upper().max(ball(0)))

    def _part(
        self, kept: tuple[int, ...], values: list[int], weight: Ends, floats: list[list[Ends]], rest: tuple[int, ...]
    ) -> tuple[float, float]:
        """Σ over v and over the bound u of the first moved category, at fixed bounds `rest` of the others."""
        chances = [self._chances(side, rest) for side in floats]
        if not chances[0][1].any():
            return 0.0, 0.0
        seen = dict(zip(self._moved[1:], rest, strict=True))
        cap = min([u for u in seen.values() if u >= self._minimum], default=self._most)
        base = [seen[r] >= self._minimum if r in seen else r in kept for r in range(len(self._mine.counts))]
        # The mass of every smallest bound among all but the first moved category; index most − m_0: none is kept.
        size = self._most - self._minimum + 1
        index = np.minimum(np.array(values), cap) - self._minimum
        masses = [np.bincount(index, w, size).astype(np.float64) for w in weight]
        first = self._moved[0] if self._moved else None
        low = high = 0.0
        if any(base):
            # u is dropped, or there is no moved category.
            some = slice(0, 1 if first is None else self._minimum)
            spread: list[FloatArray] = [np.broadcast_to(m[:-1], (some.stop, size - 1)) for m in masses]
            low, high = self._hockey(tuple(base), chances, some, (spread[0], spread[1]))
        if first is not None:
            base[first] = True
            # b = min(u, v): the mass of v at b < u, and of all v ≥ u at b = u.
            above: list[FloatArray] = [np.cumsum(m[::-1])[::-1][:-1] for m in masses]
            spread = [
                np.tril(np.broadcast_to(m[:-1], (size - 1, size - 1)), -1) + np.diag(t)
                for m, t in zip(masses, above, strict=True)
            ]
            part = self._hockey(tuple(base), chances, slice(self._minimum, self._most), (spread[0], spread[1]))
            low, high = low + part[0], high + part[1]
        return low, high

    def _chances(self, side: list[Ends], rest: tuple[int, ...]) -> Ends:
        """Pr of every bound u of the first moved category, times that of the bounds `rest` of the others."""
        if not side:
            return np.ones(1), np.ones(1)
        low, high = side[0]
        for k, u in enumerate(rest, start=1):
            low, high = low * side[k][0][u], high * side[k][1][u]
        return low, high

    def _hockey(self, kept: tuple[bool, ...], chances: list[Ends], some: slice, masses: Ends) -> tuple[float, float]:
        """Σ_u Σ_b mass(u, b) Σ_r (p_u P_r(b) − e^ε p'_u P'_r(b))_+."""
        (p_low, p_high), (q_low, q_high) = (where.answers(kept, self._most) for where in (self._mine, self._other))
        u_low, u_high = (c[some, None, None] for c in chances[0])
        v_low, v_high = (c[some, None, None] for c in chances[1])
        over = u_high * p_high * (1 + _SLACK) - self._factor[0] * (v_low * q_low) * (1 - _SLACK)
        under = u_low * p_low * (1 - _SLACK) - self._factor[1] * (v_high * q_high) * (1 + _SLACK)
        high = (masses[1] * np.maximum(over, 0.0).sum(axis=2)).sum()
        low = (masses[0] * np.maximum(under, 0.0).sum(axis=2)).sum()
        return float(low), float(high)


def _ends(balls: Sequence[Ball]) -> Ends:
    """Outward floats of nonnegative numbers; a certain 0 stays 0."""
    low, high = np.zeros(len(balls)), np.zeros(len(balls))
    for i, p in enumerate(balls):
        if p.upper() > 0:
            a, b = reals.float_ends(p)
            low[i], high[i] = max(a, 0.0), b
    return low, high
