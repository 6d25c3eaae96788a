"""CertificateSearch: the smallest scale of a public grid from which the dataset is certified (theory section 5)."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import positive
from dpselect.guarantee import Part
from dpselect.laws import GIBBS, PERMUTE_AND_FLIP, Sampler, sampler_named
from dpselect.methods.fixed_scale_test import CertificateTest, needed_distance
from dpselect.methods.linear import AtScale
from dpselect.methods.method import Budget, Calibration, Method, kernel_calibration
from dpselect.methods.noise import UpperNoise
from dpselect.methods.options import Number, Releases, below_half, one_of, share
from dpselect.methods.scale import FiniteScaleLaw, FiniteScaleSampler, FixedScale, ScaleKernel, ScaleLaw, Scales
from dpselect.question import Evaluation, Question

Search = Literal["auto", "binary-laplace", "binary-truncated", "index-gibbs", "index-permute-and-flip"]
SEARCHES = ("auto", "binary-laplace", "binary-truncated", "index-gibbs", "index-permute-and-flip")
ZETA = Fraction(1, 20)
"""Failure probability at which "auto" compares the needed distances."""


@final
@dataclass(frozen=True)
class CertificateSearch(Method):
    """B = b_i for a privately found i on a public grid b_1 < … < b_J, b_J ≥ GS, then a selection at scale B.

    φ_i(x) = min{t : A_x(t) > b_i} certifies that LS ≤ b_i within distance φ_i; φ_i = 0 is unsafe.

    Arguments (public):
        sampler: of the answer, "permute-and-flip" (default) or "gibbs".
        split: ε_t / ε. Default 1/4.
        search: how i is found.
            "binary-laplace", the paper's: L = ⌈log2 J⌉ tests φ_i + W > τ, each at ε_t/L and failure η/L;
            "binary-truncated": the same with cut noise, which never passes an unsafe index;
            "index-gibbs", "index-permute-and-flip": the index itself is selected (`IndexSelection`);
            "auto" (default): the one whose `needed_distance` at ζ = 0.05 is smallest, a public comparison.
        grid: the b_i. Default: four per octave, from `floor` to GS.
        floor: where the default grid begins. Default GS / 1024.
        releases: "scale and candidate" (default), or "candidate".

    Guarantee: (ε_t + ε_s, δ): B is ε_t-private and below LS with probability at most δ (or (ε_t, δ)-private and
    never below); composition as for `PrivateBound`. J = 1: B = b_1 and all of ε selects.
    Publishable regret: with probability ≥ 1 − ρ the gap is at most (κ B / ε_s) K(m, ρ).
    Errors: `UnsupportedProblem` without a finite global sensitivity; `InvalidParameter` for δ = 0, or a grid that
    does not increase to GS. Cost: the profile, then one pass. Source: section 6 and appendix B, eq. 21.

    >>> CertificateSearch(search="index-gibbs").name
    'certificate-search'
    """

    sampler: str = "permute-and-flip"
    split: Number = Fraction(1, 4)
    search: Search = "auto"
    grid: Sequence[Number] | None = None
    floor: Number | None = None
    releases: Releases = "scale and candidate"

    name: ClassVar[str] = "certificate-search"
    theorem: ClassVar[str] = "theory 5: certificate search"

    def lacks(self, question: Question) -> str | None:
        return None if question.global_sensitivity is not None else "a finite global sensitivity"

    def plan(self, question: Question, budget: Budget) -> Calibration:
        bound = question.global_sensitivity
        assert bound is not None  # `lacks` was asked first
        one_of(self.search, SEARCHES, "search")
        spent = share(self.split, "split") * budget.epsilon
        grid = self._grid(bound) if bound else (Fraction(1),)
        kernel: ScaleKernel = FixedScale(grid[0])
        parts: tuple[Part, ...] = ()
        failure = Fraction(0)
        if len(grid) > 1:
            failure = below_half(budget.require_delta(self.name), self.name)
            finder = finder_named(self.search, grid, spent, failure)
            kernel, parts = finder, finder.parts
        return kernel_calibration(
            self,
            question,
            kernel,
            lambda each: AtScale(each, question.kappa),
            sampler_named(self.sampler),
            budget=budget,
            spent=parts,
            failure=failure,
            releases=self.releases,
        )

    def _grid(self, bound: Fraction) -> tuple[Fraction, ...]:
        if self.grid is None:
            return default_grid(bound / 1024 if self.floor is None else positive(self.floor, "floor"), bound)
        if self.floor is not None:
            raise InvalidParameter("floor belongs to the default grid: leave it out where grid is given")
        grid = tuple(positive(b, "grid") for b in self.grid)
        if not grid or any(b >= c for b, c in itertools.pairwise(grid)):
            raise InvalidParameter("grid must be a strictly increasing sequence of scales")
        if grid[-1] < bound:
            raise InvalidParameter(f"grid must end at the global sensitivity ({bound}) or above, got {grid[-1]}")
        return grid


def default_grid(floor: Fraction, bound: Fraction) -> tuple[Fraction, ...]:
    """GS · 2^{-k} · {1, 7/8, 6/8, 5/8} down to the floor: nearly geometric, and rational.

    >>> [str(b) for b in default_grid(Fraction(3), Fraction(8))]
    ['3', '7/2', '4', '5', '6', '7', '8']
    """
    found, octave = [], bound
    while octave > floor:
        found += [b for b in (octave, octave * 7 / 8, octave * 6 / 8, octave * 5 / 8) if b >= floor]
        octave /= 2
    return tuple(sorted({*found, *([octave] if octave >= floor else []), bound}))


class Finder(ScaleKernel):
    """A private search of the grid for the first certified scale."""

    grid: tuple[Fraction, ...]

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """What the search costs."""

    @abstractmethod
    def needed_distance(self, zeta: Fraction) -> Fraction:
        """d such that B ≤ b_i with probability ≥ 1 − ζ wherever φ_i ≥ d: the smaller, the better the search."""

    @abstractmethod
    def _law(self, certificates: list[int | None]) -> ScaleLaw:
        """The law of B for φ_1 ≤ … ≤ φ_J = ∞ (None)."""

    @final
    def law(self, evaluation: Evaluation) -> ScaleLaw:
        return self._law([*map(evaluation.profile.certificate, self.grid[:-1]), None])

    @final
    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        """The first b_i with φ_i at the needed distance."""
        needed = self.needed_distance(xi)
        for b in self.grid[:-1]:
            found = evaluation.profile.certificate(b)
            if found is None or found >= needed:
                return (b,)
        return (self.grid[-1],)


def finder_named(search: str, grid: tuple[Fraction, ...], epsilon: Fraction, failure: Fraction) -> Finder:
    """The search of that name at a cost of ε and failure probability η; "auto": the smallest needed distance.

    >>> finder_named("auto", default_grid(Fraction(1), Fraction(8)), Fraction(1, 4), Fraction(1, 10**6)).parts[0].kind
    <Kind.PURE: 'pure'>
    """
    tests = (len(grid) - 1).bit_length()

    def build(name: str) -> Finder:
        if name.startswith("binary-"):
            kind = name.removeprefix("binary-")
            return BinarySearch(grid, UpperNoise.choose(kind, epsilon / tests, failure / tests))
        return IndexSelection(grid, epsilon, failure, GIBBS if name == "index-gibbs" else PERMUTE_AND_FLIP)

    if search != "auto":
        return build(search)
    return min(map(build, SEARCHES[1:]), key=lambda finder: finder.needed_distance(ZETA))


@final
@dataclass(frozen=True)
class BinarySearch(Finder):
    """ℓ = 1, h = J; i = ⌊(ℓ + h)/2⌋; φ_i + W > τ → h = i, else ℓ = i + 1; B = b_ℓ when ℓ = h.

    W at scale L/ε_t, fresh for every test; τ = (L/ε_t) log(L/(2η)), or (L/ε_t) log(1 + (e^{ε_t/L} − 1) L/(2η)) with
    noise cut at ±τ. At most L tests, each ε_t/L-private, composed adaptively. B < LS needs a test with φ_i = 0 to
    pass: probability at most L · ½ e^{−τ ε_t/L} = η (Laplace), or 0 at the price of δ = η (truncated).
    """

    grid: tuple[Fraction, ...]
    noise: UpperNoise

    @property
    def tests(self) -> int:
        """L = ⌈log2 J⌉."""
        return (len(self.grid) - 1).bit_length()

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.noise.part,) * self.tests

    def needed_distance(self, zeta: Fraction) -> Fraction:
        """τ + u(ζ/L): no test at or above i fails, by a union bound."""
        return needed_distance(self.noise, zeta / self.tests)

    def _law(self, certificates: list[int | None]) -> ScaleLaw:
        tests = [CertificateTest(found, self.noise) for found in certificates]
        probabilities = [0.0] * len(tests)

        def descend(low: int, high: int, mass: float) -> None:
            if low == high:
                probabilities[low] = mass
                return
            middle = _middle(low, high)
            passed, failed = tests[middle].probabilities
            descend(low, middle, mass * passed)
            descend(middle + 1, high, mass * failed)

        descend(0, len(tests) - 1, 1.0)
        return FiniteScaleLaw(tuple((b,) for b in self.grid), tuple(probabilities), Bisect(self.grid, tests))


def _middle(low: int, high: int) -> int:
    """⌊(ℓ + h)/2⌋ for indices that begin with 1, as an index that begins with 0."""
    return (low + high + 2) // 2 - 1


@final
@dataclass(frozen=True, eq=False, repr=False)
class Bisect(FiniteScaleSampler):
    """The binary search, drawn."""

    grid: tuple[Fraction, ...]
    tests: list[CertificateTest]

    def draw(self, source: BitSource) -> Scales | None:
        low, high = 0, len(self.tests) - 1
        while low < high:
            middle = _middle(low, high)
            low, high = (low, middle) if self.tests[middle].draw(source) else (middle + 1, high)
        return (self.grid[low],)


@final
@dataclass(frozen=True)
class IndexSelection(Finder):
    """Pr[i] ∝ exp(ε_t u_i / 2), u_i = −max((τ − φ_i)_+, (φ_{i−1} − τ)_+), φ_0 = 0, φ_J = ∞; or permute-and-flip.

    u moves by at most 1 on an edge, so i is ε_t-private. u = 0 at the first i with φ_i ≥ τ, and u ≤ −τ at every
    unsafe i (φ_i = 0), so an unsafe i has probability at most η by the tail of the sampler, if τ ≥ (2/ε_t) K(J, η):
    for Gibbs (2/ε_t) log((J − 1)(1 − η)/η). Any public τ that large will do; it is rounded up to a rational number,
    which makes every exponent rational. An i with φ_{i−1} = ∞ is never needed and is excluded.
    Source: theory section 5 (not in the paper).
    """

    grid: tuple[Fraction, ...]
    epsilon: Fraction
    failure: Fraction
    sampler: Sampler

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part(self.sampler.kind, self.epsilon),)

    @property
    def threshold(self) -> Fraction:
        """τ."""
        return self._steps(self.failure)

    def needed_distance(self, zeta: Fraction) -> Fraction:
        """τ + (2/ε_t) K(J, ζ)."""
        return self.threshold + self._steps(zeta)

    def _steps(self, probability: Fraction) -> Fraction:
        return 2 / self.epsilon * self.sampler.tail(len(self.grid), probability).upper()

    def exponents(self, certificates: list[int | None]) -> Exponents:
        """z_i = −ε_t u_i / 2."""
        tau, rate = self.threshold, self.epsilon / 2

        def exponent(below: int | None, own: int | None) -> Fraction | None:
            if below is None:
                return None
            short = 0 if own is None else tau - own
            return rate * max(Fraction(0), short, below - tau)

        exact = [exponent(b, own) for b, own in zip([0, *certificates], certificates, strict=False)]
        return Exponents(np.array([np.inf if z is None else float(z) for z in exact]), exact.__getitem__)

    def _law(self, certificates: list[int | None]) -> ScaleLaw:
        exponents = self.exponents(certificates)
        probabilities = self.sampler.probabilities(exponents.proposal)
        draw = SelectIndex(self.grid, exponents, self.sampler)
        return FiniteScaleLaw(tuple((b,) for b in self.grid), tuple(probabilities.tolist()), draw)


@final
@dataclass(frozen=True, eq=False, repr=False)
class SelectIndex(FiniteScaleSampler):
    """The selection of the index, drawn."""

    grid: tuple[Fraction, ...]
    exponents: Exponents
    sampler: Sampler

    def draw(self, source: BitSource) -> Scales | None:
        return (self.grid[self.sampler.draw(self.exponents, source)],)
