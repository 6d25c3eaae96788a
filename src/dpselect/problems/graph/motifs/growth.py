"""Profiles and levels of a motif whose local sensitivity is known, and by how much one edge can change it.

Let H_0 = LS(G) (or a bound of it with LS(H_0) bounded too), and let S_t, C_t be admissible families (P2) with
S_0 ≥ LS(H_0) and C_0 ≥ H_0: "the slope within t edges" and "the ceiling within t edges".

    A(0) = H_0,   A(t) = min(A(t − 1) + S_{t−1}, C_t, GS)

is admissible. P2, A_x(t + 1) ≥ A_{x'}(t), by induction: A_{x'}(0) = H_0(x') is at most H_0(x) + S_0(x), at most C_0(x')
≤ C_1(x) and at most GS, hence at most A_x(1); and A_{x'}(t + 1) = min(A_{x'}(t) + S_{x',t}, C_{x',t+1}, GS)
≤ min(A_x(t + 1) + S_{x,t+1}, C_{x,t+2}, GS) = A_x(t + 2). It is the pointwise best of integration and the mapped
statistic, and better than their minimum. Source: theory section 2.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.exact.numbers import integer_array
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.known import known
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.profile import Profile
from dpselect.question import LevelConstants

Whole = npt.NDArray[Any]

SAFE = 1 << 61
HORIZON = 1 << 14
"""Public number of steps after which a profile is GS; theory section 2: cutting at a fixed T keeps P2."""


def horizon(n: int) -> int:
    """Steps worth listing: after 2n every co-degree can be n − 2."""
    return min(2 * n + 2, HORIZON)


def profile_of(values: Whole, cap: int) -> Profile:
    """A(t) = min(values[t], cap), and `cap` from the end of `values` on."""
    listed = integer_array([*(min(int(v), cap) for v in values), cap])
    return Profile(np.arange(len(listed)), listed)


def grown(first: int, slope: Whole, ceiling: Whole, cap: int) -> Profile:
    """The recursion above: A(t) = P(t) + min over s ≤ t of (C_s − P(s)), P the sums of the slopes, C_0 = H_0."""
    sums = np.concatenate(([0], np.cumsum(slope[:-1]))).astype(slope.dtype)
    room = ceiling - sums
    room[0] = first
    return profile_of(sums + np.minimum.accumulate(room), cap)


def wide(values: Whole, largest: int) -> Whole:
    """The same numbers as Python integers if something as large as `largest` will be made of them."""
    return values if largest < SAFE else values.astype(object)


@final
@dataclass(frozen=True)
class SlopeMap:
    """D̃ ↦ Σ_{i<k} Σ_{l<k} S(D̃ + i + l): what k edges can do to Σ_{i<k} W_i, see `Grown`."""

    slope: Any
    k: int

    def __call__(self, statistic: Fraction) -> Fraction:
        base = int(statistic)
        return Fraction(sum(self.slope(base + i + l) for i in range(self.k) for l in range(self.k)))


class Grown(Motif):
    """A motif with an exact local sensitivity H_0, whose own change an edge bounds by S(T), T a 1-Lipschitz statistic.

    Levels for up to k edges, W_i = H_0 + S(T) + … + S(T + i − 1):

        H_0^k = Σ_{i<k} W_i  (≥ Σ_{i<k} A(i), the span of k edges),   B_1 = Σ_{i,l<k} S(T̃ + i + l),  T̃ ≥ T,  C = k.

    One edge changes W_i by at most S(T + i), T at either end: if T' = T + 1 by S(T) + (S(T + i) − S(T)), telescoping;
    T' = T − 1 is that read backwards. Along a path of k edges T grows by 1 a step: Σ_l S(T + i + l). T is k-Lipschitz
    for k edges. Where S is a constant c there is one level only, with C = c k².
    """

    @abstractmethod
    def local_sensitivity(self, graph: Graph) -> int:
        """H_0(G), exact."""

    @abstractmethod
    def statistic(self, graph: Graph) -> int:
        """T(G): changes by at most 1 on every edge."""

    @abstractmethod
    def slope(self, statistic: int) -> int:
        """S(T) ≥ |H_0(G) − H_0(G')| at both ends of the edge, nondecreasing."""

    @property
    @abstractmethod
    def constant_slope(self) -> int | None:
        """S where it does not depend on T."""

    @abstractmethod
    def _through_a_pair(self, n: int) -> int:
        """GS for one edge."""

    @abstractmethod
    def _single_profile(self, graph: Graph) -> Profile:
        """The profile for one edge."""

    @final
    def exact(self, graph: Graph) -> int:
        """H_0(G), remembered."""
        return known(graph, (self.name, "LS"), lambda: self.local_sensitivity(graph))

    @final
    def global_sensitivity(self, n: int, k: int) -> Fraction:
        return Fraction(k * self._through_a_pair(n))

    @final
    def profile(self, graph: Graph, k: int) -> Profile:
        return known(graph, (self.name, "profile"), lambda: self._single_profile(graph)).groups(k)

    @final
    def level_constants(self, n: int, k: int) -> LevelConstants:
        first = self.global_sensitivity(n, k)
        if self.constant_slope is not None:
            return LevelConstants(1, Fraction(self.constant_slope * k * k), (first,))
        rate = SlopeMap(self.slope, k)
        return LevelConstants(2, Fraction(k), (first, rate(Fraction(n))), (None, rate))

    @final
    def levels(self, graph: Graph, k: int) -> tuple[Fraction, ...]:
        statistic = 0 if self.constant_slope is not None else self.statistic(graph)
        total, within = 0, self.exact(graph)
        for i in range(k):
            total += within
            within += self.slope(statistic + i)
        first = min(Fraction(total), self.global_sensitivity(graph.n, k))
        return (first,) if self.constant_slope is not None else (first, Fraction(statistic))
