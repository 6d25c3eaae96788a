"""Scale kernels: how the scale B of the selecting step is drawn, and the law of what they draw.

A kernel holds public constants; asked about an evaluation it gives the law of the released scales (B_k, …, B_0).
The law of one level is continuous with atoms at its floor and cap. Rounding up to the public grid happens in the
draw only: it is post-processing, and the laws describe the continuous version.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact.bits import BitSource
from dpselect.question import Evaluation

Scales = tuple[Fraction, ...]
"""Released scales, outermost level first; the last entry is B. Empty where nothing is released."""

FloatArray = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class ScaleRule:
    """A quadrature rule for the law of the last scale: E[f(B)] ≈ Σ weights · f(nodes), plus the mass of "not released".

    Without nodes: no scale is drawn, and the candidate's law stands alone.
    """

    nodes: FloatArray
    weights: FloatArray
    no_release: float = 0.0


class ScaleLaw(ABC):
    """The law of the released scales at one dataset. Curator only."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("the law of a scale is private and cannot be pickled")

    @abstractmethod
    def draw(self, source: BitSource) -> Scales | None:
        """One exact draw; None means "not released"."""

    @abstractmethod
    def cdf(self, b: float) -> float:
        """Pr[B ≤ b, released], of the last scale, before rounding up to the grid."""

    @property
    @abstractmethod
    def atoms(self) -> tuple[tuple[Fraction, float], ...]:
        """The points of positive probability of the last scale, with their probabilities."""

    @property
    @abstractmethod
    def error(self) -> float:
        """A bound on the absolute error of `cdf` and of the atoms' probabilities."""

    @abstractmethod
    def rule(self, points: int) -> ScaleRule:
        """A quadrature rule for smooth f; `points` per panel (more is finer)."""


class ScaleKernel(ABC):
    """The public side: which law of scales belongs to a dataset."""

    @abstractmethod
    def law(self, evaluation: Evaluation) -> ScaleLaw:
        """The law of (B_k, …, B_0) at this dataset."""

    @abstractmethod
    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        """(b↑(ξ),): something is released and B ≤ b↑(ξ), with probability ≥ 1 − ξ. Curator only.

        Empty for kernels without a scale; None where no such number exists.
        """


@final
@dataclass(frozen=True, eq=False, repr=False)
class FiniteScaleLaw(ScaleLaw):
    """A scale with finitely many values: probabilities[i] of support[i], `no_release` of "not released"."""

    support: tuple[Scales, ...]
    probabilities: tuple[float, ...]
    sampler: FiniteScaleSampler
    no_release: float = 0.0

    def draw(self, source: BitSource) -> Scales | None:
        return self.sampler.draw(source)

    def cdf(self, b: float) -> float:
        return float(sum(p for s, p in zip(self.support, self.probabilities, strict=True) if s and float(s[-1]) <= b))

    @property
    def atoms(self) -> tuple[tuple[Fraction, float], ...]:
        return tuple((s[-1], p) for s, p in zip(self.support, self.probabilities, strict=True) if s)

    @property
    def error(self) -> float:
        return 1e-12

    def rule(self, points: int) -> ScaleRule:
        positive = [(float(b), p) for b, p in self.atoms if p > 0]
        nodes, weights = np.array([b for b, _ in positive]), np.array([p for _, p in positive])
        return ScaleRule(nodes, weights, self.no_release)


class FiniteScaleSampler(ABC):
    """The exact draw behind a `FiniteScaleLaw`."""

    @abstractmethod
    def draw(self, source: BitSource) -> Scales | None:
        """One exact draw."""


@final
@dataclass(frozen=True)
class Constant(FiniteScaleSampler):
    """Always the same scales: no randomness is consumed."""

    scales: Scales

    def draw(self, source: BitSource) -> Scales | None:
        return self.scales


@final
@dataclass(frozen=True)
class NoScale(ScaleKernel):
    """No scale is drawn: score transforms."""

    def law(self, evaluation: Evaluation) -> ScaleLaw:
        return FiniteScaleLaw(((),), (1.0,), Constant(()))

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        return ()


@final
@dataclass(frozen=True)
class FixedScale(ScaleKernel):
    """B = b, public."""

    scale: Fraction

    def law(self, evaluation: Evaluation) -> ScaleLaw:
        return FiniteScaleLaw(((self.scale,),), (1.0,), Constant((self.scale,)))

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        return (self.scale,)
