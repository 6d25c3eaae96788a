"""The two laws a final answer is drawn from, their probabilities and their tails (theory section 1).

Both take exponents z_r ≥ 0 (z = θ · gap, or ε h / 2 for a transformed score), with z = 0 at every maximiser.

- Gibbs ("exponential mechanism"):  P(r) = e^{-z_r} / Σ_s e^{-z_s}.
- Permute-and-flip:  P(r) = w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du,  w = e^{-z}: visit the candidates in random
  order and accept r with probability w_r. Its privacy loss is that of Gibbs at the same exponents, its gap is
  stochastically no larger.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource
from dpselect.exact.draw import gibbs, permute_and_flip
from dpselect.exact.exponents import Exponents
from dpselect.exact.histogram import gibbs_group, permute_and_flip_group
from dpselect.exact.reals import Real, less
from dpselect.guarantee import Kind

FloatArray = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Flips:
    """φ ≤ ⌊rate · z⌋ + ahead: how a law on flip distances bounds the φ of a candidate of exponent z, publicly."""

    rate: Fraction
    ahead: int = 0

    def within(self, nats: Fraction) -> int:
        """The bound at z = nats. φ is an integer, so it may be rounded down."""
        return int(self.rate * nats // 1) + self.ahead


class Sampler(ABC):
    """A law over candidates given by exponents: one exact draw, its probabilities, and its tail."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name used in arguments and releases."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """How the ε of a selection by this law may be accounted."""

    @abstractmethod
    def draw(self, exponents: Exponents, source: BitSource) -> int:
        """One exact draw: the index of a candidate."""

    @abstractmethod
    def draw_group(self, exponents: Exponents, counts: Sequence[int], source: BitSource) -> int:
        """The group of one exact draw, where counts[g] ≥ 1 candidates have the exponent g each."""

    @abstractmethod
    def grouped(self, exponents: FloatArray, counts: FloatArray) -> FloatArray:
        """The probability of each single candidate where counts[j] of them have exponents[…, j], along the last axis:
        float64, relative error about 1e-12, inf for excluded candidates. Curator only."""

    @final
    def probabilities(self, exponents: FloatArray) -> FloatArray:
        """The law in float64 (relative error about 1e-12), inf for excluded candidates. Curator only."""
        distinct, group, counts = np.unique(exponents, return_inverse=True, return_counts=True)
        return np.asarray(self.grouped(distinct, counts.astype(np.float64))[group.ravel()])

    @abstractmethod
    def tail(self, size: int, rho: Fraction) -> Real:
        """K with Pr[z_R > K] ≤ ρ for every exponent vector of this size: attained, up to rounding up."""


@final
@dataclass(frozen=True)
class Gibbs(Sampler):
    """P(r) ∝ e^{-z_r}."""

    @property
    def name(self) -> str:
        return "gibbs"

    @property
    def kind(self) -> Kind:
        return Kind.RANGE_BOUNDED

    def draw(self, exponents: Exponents, source: BitSource) -> int:
        return gibbs(exponents, source)

    def draw_group(self, exponents: Exponents, counts: Sequence[int], source: BitSource) -> int:
        return gibbs_group(exponents, counts, source)

    def grouped(self, exponents: FloatArray, counts: FloatArray) -> FloatArray:
        weights = np.exp(-np.asarray(exponents, dtype=np.float64))
        return np.asarray(weights / (weights @ counts)[..., None])

    def tail(self, size: int, rho: Fraction) -> Real:
        """K = max(0, log((m − 1)(1 − ρ)/ρ)); sup Pr[z ≥ K] = o/(1 + o) with o = (m − 1) e^{-K}."""
        odds = (size - 1) * (1 - rho) / rho
        return Real.of(odds).log() if odds > 1 else Real.of(0)


@final
@dataclass(frozen=True)
class PermuteAndFlip(Sampler):
    """P(r) = w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du, w = e^{-z}."""

    @property
    def name(self) -> str:
        return "permute-and-flip"

    @property
    def kind(self) -> Kind:
        return Kind.PURE

    def draw(self, exponents: Exponents, source: BitSource) -> int:
        return permute_and_flip(exponents, source)

    def draw_group(self, exponents: Exponents, counts: Sequence[int], source: BitSource) -> int:
        return permute_and_flip_group(exponents, counts, source)

    def grouped(self, exponents: FloatArray, counts: FloatArray) -> FloatArray:
        """The integral ∫_0^1 E(v)/(1 − w v) dv, E(v) = Π_s (1 − w_s v), v = 1 − u, in two parts.

        - v ≤ 1/2: log E(v) = −Σ_k (v^k/k) Σ_s w_s^k and 1/(1 − w v) = Σ_k (w v)^k, so only power sums of the weights
          and moments of E are needed: 60 terms leave 2^-60. E is e^{-O(W v)}, W = Σ w: panels halve towards v = 0.
        - v > 1/2: by Gauss–Legendre, directly. There E < e^{-W/2}: left out where that is below e^{-60}.
        """
        shape = np.shape(exponents)
        w = np.exp(-np.asarray(exponents, dtype=np.float64)).reshape(-1, shape[-1])
        total = w @ counts
        sums, power = np.empty((len(w), _TERMS)), w * counts
        for k in range(_TERMS):
            sums[:, k] = power.sum(axis=1)
            power = power * w
        nodes, measure = _panels(float(total.min()), float(total.max()))
        powers = nodes[:, None] ** np.arange(1, _TERMS + 1)
        survive = measure * np.exp(-(sums / np.arange(1, _TERMS + 1)) @ powers.T)
        moments = np.concatenate([survive.sum(axis=1, keepdims=True), survive @ powers[:, :-1]], axis=1)
        # Horner in w.
        integral = np.repeat(moments[:, -1:], shape[-1], axis=1)
        for k in range(_TERMS - 2, -1, -1):
            integral = integral * w + moments[:, k : k + 1]
        late = total <= 120
        if late.any():
            some, extra = w[late], np.zeros((int(late.sum()), shape[-1]))
            for node, weight in zip(*_UPPER_HALF, strict=True):
                taken = some * node
                # Many candidates may share a weight far below 2^-53.
                extra += (weight * np.exp(np.log1p(-taken) @ counts))[:, None] / (1.0 - taken)
            integral[late] += extra
        return np.asarray((w * integral).reshape(shape))

    def tail(self, size: int, rho: Fraction) -> Real:
        """K = −log p at the p with 1 − (1 − (1 − p)^m)/(m p) = ρ, about log 2 below the Gibbs value."""
        if rho * size >= size - 1:
            return Real.of(0)
        return -Real.of(_attaining_weight(size, rho)).log()


def _attaining_weight(size: int, rho: Fraction) -> Fraction:
    """A dyadic p, within 1e-9 of the largest, with 1 − (1 − (1 − p)^m)/(m p) ≤ ρ."""
    low, high, target = 0.0, 1.0, float(rho)
    for _ in range(200):
        middle = (low + high) / 2 if low > 0 or high < 1e-3 else math.sqrt(max(low, 1e-300) * high)
        if _worst_tail(size, middle) <= target:
            low = middle
        else:
            high = middle
    p = Fraction(low)
    while True:
        # The float search only proposes; the inequality itself is decided in exact arithmetic.
        p *= 1 - Fraction(1, 10**9)
        survive = (Real.of(1 - p).log() * size).exp()
        if less(1 - (1 - survive) / (size * p), Real.of(rho)):
            return p


def _worst_tail(size: int, p: float) -> float:
    """1 − (1 − (1 − p)^m)/(m p), by its series where the difference cancels."""
    if p >= 1.0:
        return 1.0 - 1.0 / size
    if size * p < 1e-4:
        return (size - 1) * p / 2 - (size - 1) * (size - 2) * p * p / 6
    return 1.0 + math.expm1(size * math.log1p(-p)) / (size * p)


_TERMS = 60
"""Power sums of the weights used for v ≤ 1/2."""


@cache
def _legendre(points: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes and weights on [−1, 1]: making them costs more than the integrals they are used for."""
    x, weight = np.polynomial.legendre.leggauss(points)
    return x, weight


def _gauss(left: float, right: float, points: int) -> tuple[FloatArray, FloatArray]:
    x, weight = _legendre(points)
    half = (right - left) / 2
    return left + half * (x + 1), half * weight


_UPPER_HALF = _gauss(0.5, 1.0, 40)


def _panels(least: float, largest: float) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes and weights on (0, 1/2), on panels that halve down to 1/(64 W), for every W in a range."""
    edges = [0.5]
    while edges[-1] * max(largest, 1.0) > 1 / 64:
        edges.append(edges[-1] / 2)
    edges.append(0.0)
    # Far beyond the decay length everything is below e^{-200}.
    pieces = [_gauss(left, right, 24) for right, left in itertools.pairwise(edges) if left * least <= 400]
    return np.concatenate([nodes for nodes, _ in pieces]), np.concatenate([measure for _, measure in pieces])


GIBBS = Gibbs()
PERMUTE_AND_FLIP = PermuteAndFlip()
SAMPLERS: dict[str, Sampler] = {s.name: s for s in (GIBBS, PERMUTE_AND_FLIP)}


def sampler_named(name: object) -> Sampler:
    """The sampler of that name.

    >>> sampler_named("gibbs").name
    'gibbs'
    """
    if isinstance(name, Sampler):
        return name
    if not isinstance(name, str) or name not in SAMPLERS:
        raise InvalidParameter(f"sampler must be one of {', '.join(map(repr, SAMPLERS))}, got {name!r}")
    return SAMPLERS[name]
