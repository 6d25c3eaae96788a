"""Lower bounds of all counts at once, and the scale of the smallest one that is large enough (theory section 8b).

    ĉ_r = max(0, ⌊c_r + (W_r − shift)/ε_t⌋),   T = {r : ĉ_r ≥ m_0},   B = width/(min_{r ∈ T} ĉ_r + w)

Nothing is released where T is empty. Rounding down is post-processing; the law below is that of the sums.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import UnsupportedProblem
from dpselect.exact.bits import BitSource
from dpselect.exact.numbers import integer_array
from dpselect.exact.scores import Scores
from dpselect.laws import Sampler
from dpselect.methods.noise import UpperNoise
from dpselect.methods.quadrature import panels
from dpselect.methods.scale import ScaleKernel, ScaleLaw, ScaleRule, Scales
from dpselect.question import CountConstants, Evaluation

FloatArray = NDArray[np.float64]

UNDECIDED: Final = 14
"""The exact law goes through the subsets of the categories that may or may not be kept: so many at most."""

_NEGLIGIBLE: Final = 1e-13


@final
@dataclass(frozen=True)
class CountsKernel(ScaleKernel):
    """Public: the noise, m_0 ≥ 1, and how far a score moves."""

    noise: UpperNoise
    minimum: int
    constants: CountConstants

    def law(self, evaluation: Evaluation) -> CountsLaw:
        return CountsLaw(self, integer_array(evaluation.counts))

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        """None: the best category may be among those that are dropped, so no bound of its gap is known."""
        return None

    def scale(self, smallest: Fraction) -> Fraction:
        """B for the smallest count that is kept."""
        return self.constants.width / (smallest + self.constants.weight)

    def kept(self, scales: Scales) -> NDArray[np.bool_]:
        """Which categories are kept, from the released bounds."""
        return np.array([c >= self.minimum for c in scales[:-1]], dtype=bool)


@final
@dataclass(frozen=True, eq=False, repr=False)
class CountsLaw(ScaleLaw):
    """The law of (ĉ_1, …, ĉ_m, B) at one dataset."""

    kernel: CountsKernel
    counts: NDArray[np.int64]

    def draw(self, source: BitSource) -> Scales | None:
        kernel, noise = self.kernel, self.kernel.noise
        scale = 1 / noise.epsilon
        # The noise is symmetric: −⌈−c + shift + W⌉ is ⌊c − shift + W'⌋.
        bounds = [
            max(0, -noise.law(scale).draw_ceiling(noise.shift * scale - c, Fraction(1), source))
            for c in self.counts.tolist()
        ]
        kept = [c for c in bounds if c >= kernel.minimum]
        if not kept:
            return None
        return (*map(Fraction, bounds), kernel.scale(Fraction(min(kept))))

    # ---------------------------------------------------------------- probabilities

    @property
    def _epsilon(self) -> float:
        return float(self.kernel.noise.epsilon)

    @cached_property
    def _centres(self) -> FloatArray:
        """c_r − shift/ε_t."""
        return self.counts.astype(np.float64) - self.kernel.noise.shift_float / self._epsilon

    def _least(self, b: FloatArray | float) -> FloatArray:
        """Pr[ĉ_r ≥ b], one row for every b: by symmetry Pr[W ≤ ε_t (c − b) − shift]."""
        return np.asarray(self.kernel.noise.cdf(self._epsilon * (self._centres - np.atleast_1d(b)[:, None])))

    def _density(self, b: FloatArray) -> FloatArray:
        """Densities of ĉ_r at b."""
        w = self._epsilon * (self._centres - b[:, None])
        inside = np.abs(w) <= self.kernel.noise.support
        return np.asarray(np.where(inside, self.kernel.noise.density(w), 0.0) * self._epsilon, dtype=np.float64)

    @cached_property
    def _dropped(self) -> FloatArray:
        """Pr[ĉ_r < m_0]."""
        return np.asarray(self.kernel.noise.cdf(self._epsilon * (self.kernel.minimum - self._centres)))

    def cdf(self, b: float) -> float:
        """B ≤ b iff every category is dropped or has ĉ_r ≥ width/b − w, and not all are dropped."""
        if b <= 0:
            return 0.0
        constants = self.kernel.constants
        least = max(float(constants.width) / b - float(constants.weight), float(self.kernel.minimum))
        return float(np.prod(self._dropped + self._least(least)[0]) - np.prod(self._dropped))

    @property
    def atoms(self) -> tuple[tuple[Fraction, float], ...]:
        return ()

    @property
    def error(self) -> float:
        return 1e-12

    def rule(self, points: int) -> ScaleRule:
        every = np.arange(len(self.counts))
        b, weights = self._panels(every, float(self._centres.max()), points)
        either = self._dropped + self._least(b)
        ratio = np.divide(self._density(b), either, out=np.zeros_like(either), where=either > 0)
        mass = weights * either.prod(axis=1) * ratio.sum(axis=1)
        constants = self.kernel.constants
        scales = float(constants.width) / (b + float(constants.weight))
        return ScaleRule(scales, mass, float(np.prod(self._dropped)))

    def _panels(self, some: NDArray[np.intp], last: float, points: int) -> tuple[FloatArray, FloatArray]:
        """Nodes and weights from m_0 or the lowest bound of `some` to the highest around the centre `last`."""
        width, centres = 1 / self._epsilon, self._centres[some]
        reach = self.kernel.noise.support * width
        left = max(float(self.kernel.minimum), float(centres.min()) - reach)
        ends = [*centres, *(centres - reach), *(centres + reach)]
        nodes, weights = panels(left / width, (last + reach) / width, [e / width for e in ends], points)
        return nodes * width, weights * width

    def candidates(self, scores: Scores, share: float, sampler: Sampler, points: int) -> FloatArray:
        """Pr[R = r, released]: the sum over the sets T that may be kept, integrated over the smallest bound in T.

        `share` is ε_s/κ. Cost: 2^u laws for u categories that may or may not be kept, times some hundred nodes.
        """
        sure = np.flatnonzero(self._dropped < _NEGLIGIBLE)
        open_ = np.flatnonzero((self._dropped >= _NEGLIGIBLE) & (self._dropped < 1 - _NEGLIGIBLE))
        if len(open_) > UNDECIDED:
            raise UnsupportedProblem(
                f"the exact law of released counts goes through subsets: at most {UNDECIDED} categories may be "
                "near the minimum (drawing is not limited)"
            )
        total, constants = np.zeros(len(self.counts)), self.kernel.constants
        for some in itertools.chain.from_iterable(itertools.combinations(open_, k) for k in range(len(open_) + 1)):
            kept = np.sort(np.concatenate([sure, np.array(some, dtype=np.intp)]))
            gone = np.setdiff1d(np.arange(len(self.counts)), kept)
            chance = float(np.prod(self._dropped[gone]))
            if len(kept) == 0 or chance * float(np.prod(1 - self._dropped[kept])) < _NEGLIGIBLE:
                continue
            b, weights = self._panels(kept, float(self._centres[kept].min()), points)
            least, density = self._least(b)[:, kept], self._density(b)[:, kept]
            ratio = np.divide(density, least, out=np.zeros_like(least), where=least > 0)
            mass = chance * weights * least.prod(axis=1) * ratio.sum(axis=1)
            gaps = scores.without(gone).gaps().proposal
            for smallest, weight in zip(b, mass, strict=True):
                if weight > _NEGLIGIBLE**2:
                    rate = share * (smallest + float(constants.weight)) / float(constants.width)
                    total[kept] += weight * sampler.probabilities(gaps * rate)
        return total
