"""The law of a release at one dataset, and one exact draw from it. Curator only.

    Pr[(B, R) ∈ db × {r}] = K_x(db) · P(r | B),   P(· | b) the sampler's law on the exponents of the selecting step.

Draw and probabilities go through the same kernel and the same exponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import nonnegative
from dpselect.laws import Sampler
from dpselect.methods.counts_kernel import CountsLaw
from dpselect.methods.linear import AtScale
from dpselect.methods.method import Calibration
from dpselect.methods.released_counts import AmongKept
from dpselect.methods.scale import FiniteScaleLaw, ScaleLaw, ScaleRule, Scales
from dpselect.question import Evaluation, Groups, Unlisted, listed

FloatArray = NDArray[np.float64]

POINTS = 12
"""Quadrature points per panel in the marginal law of the candidate."""

_CHUNK = 1 << 18
"""Exponents handled at once."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class FiniteLaw:
    """A law on finitely many candidates. `probabilities` is float64 with relative error about 1e-12.

    `exponents` and `sampler` (None for a mixture over scales) allow the same law to be enclosed exactly.
    """

    names: Sequence[object]
    probabilities: FloatArray
    exponents: Exponents | None = None
    sampler: Sampler | None = None

    def __repr__(self) -> str:
        return "FiniteLaw(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a law is private and cannot be pickled")

    @cached_property
    def _positions(self) -> dict[object, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, candidate: object) -> float:
        """The probability of a candidate, by name."""
        if candidate not in self._positions:
            raise InvalidParameter(f"unknown candidate {candidate!r}")
        return float(self.probabilities[self._positions[candidate]])

    def __iter__(self) -> Iterator[object]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def keys(self) -> Sequence[object]:
        """The candidates: with this, `dict(law)` works."""
        return self.names

    def items(self) -> Iterator[tuple[object, float]]:
        """Pairs of candidate and probability."""
        return zip(self.names, self.probabilities.tolist(), strict=True)

    def as_dict(self) -> dict[object, float]:
        """Candidate -> probability."""
        return dict(self.items())


@final
@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """What a method does at one dataset: the law of the scale, of the candidate given it, and their marginals."""

    calibration: Calibration
    evaluation: Evaluation
    range: Sequence[Any] | Unlisted

    def __repr__(self) -> str:
        return "Law(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a law is private and cannot be pickled")

    @property
    def names(self) -> Sequence[Any]:
        """The candidates, where they are listed."""
        return listed(self.range)

    @cached_property
    def scale(self) -> ScaleLaw:
        """The law of the released scales: atoms, or a distribution function with an error bound."""
        return self.calibration.kernel.law(self.evaluation)

    def given(self, scale: object = None) -> FiniteLaw:
        """The law of the first candidate given the last released scale (no argument for a method without a scale).

        `ReleasedCounts` needs all that it releases: a tuple of the count bounds and the scale.
        """
        given = () if scale is None else scale if isinstance(scale, tuple) else (scale,)
        scales: Scales = tuple(nonnegative(s, "scale") for s in given)
        exponents = self.calibration.selection.exponents(self.evaluation, scales)
        sampler, groups = self.calibration.sampler, self.evaluation.groups
        if groups is not None:
            return _by_score(groups, _of_groups(sampler, exponents, groups))
        return FiniteLaw(self.names, sampler.probabilities(exponents.proposal), exponents, sampler)

    @cached_property
    def _rule(self) -> ScaleRule:
        return self.scale.rule(POINTS)

    @cached_property
    def _groups(self) -> tuple[FloatArray, NDArray[np.intp], FloatArray]:
        """The distinct gaps, which of them each candidate has, and how many candidates have each."""
        gaps, groups = self.evaluation.scores.gaps().proposal, self.evaluation.groups
        distinct, group, counts = np.unique(gaps, return_inverse=True, return_counts=True)
        if groups is not None:
            counts = np.bincount(group.ravel(), weights=[float(c) for c in groups.counts])
        return distinct, group.ravel(), counts.astype(np.float64)

    def _mixture(self) -> FloatArray:
        """Pr[one candidate of a group], integrated over the scale: equal gaps have equal weights at every scale."""
        distinct, _, counts = self._groups
        calibration, total = self.calibration, np.zeros(len(distinct))
        share = float(calibration.epsilon_selection) / calibration.question.kappa
        rows = max(1, _CHUNK // len(distinct))
        for start in range(0, len(self._rule.nodes), rows):
            b = self._rule.nodes[start : start + rows, None]
            # B = 0 is drawn only where the scores are constant: their gaps would stay 0, all others are excluded.
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                exponents = np.where(distinct == 0.0, 0.0, distinct * (share / b))
            total += self._rule.weights[start : start + rows] @ calibration.sampler.grouped(exponents, counts)
        return total

    @cached_property
    def candidates(self) -> FiniteLaw:
        """The marginal law of the first candidate: its probabilities sum to 1 − `no_release`.

        Where the candidates are not listed, it is the law of the score of the answer, in score units.
        """
        groups = self.evaluation.groups
        if groups is not None:
            return _by_score(groups, self.probabilities)
        if isinstance(self.calibration.selection, AmongKept) or self._mixed:
            return FiniteLaw(self.names, self.probabilities)
        return self.given(*self._certain_scale)

    @cached_property
    def probabilities(self) -> FloatArray:
        """The marginal law of the first candidate, aligned with `evaluation.scores`: one for each candidate, or the
        total of each group where candidates are not listed."""
        calibration, scale, groups = self.calibration, self.scale, self.evaluation.groups
        if isinstance(calibration.selection, AmongKept) and isinstance(scale, CountsLaw):
            share = float(calibration.selection.epsilon / calibration.selection.kappa)
            return scale.candidates(self.evaluation.scores, share, calibration.sampler, POINTS)
        if self._mixed:
            each = self._mixture()[self._groups[1]]
            return each if groups is None else each * np.array([float(c) for c in groups.counts])
        if groups is None:
            return self.given(*self._certain_scale).probabilities
        exponents = calibration.selection.exponents(self.evaluation, self._certain_scale)
        return _of_groups(calibration.sampler, exponents, groups)

    @property
    def _certain_scale(self) -> Scales:
        """The only scale there is; empty for a method without one."""
        scale = self.scale
        if isinstance(scale, FiniteScaleLaw) and isinstance(self.calibration.selection, AtScale):
            return scale.support[0][-1:]
        return ()

    @property
    def _mixed(self) -> bool:
        """Whether the law has to be integrated over scales."""
        scale = self.scale
        certain = isinstance(scale, FiniteScaleLaw) and scale.probabilities == (1.0,)
        return isinstance(self.calibration.selection, AtScale) and not certain

    @property
    def no_release(self) -> float:
        """The probability that nothing is released."""
        return self._rule.no_release

    def draw(self, source: BitSource) -> tuple[Scales, list[int]] | None:
        """One exact draw: the scales, and the positions of the candidates in order; None for "not released".

        For listed candidates; `answer` serves all.
        """
        listed(self.range)
        scales = self.scale.draw(source)
        if scales is None:
            return None
        evaluation, chosen, position = self.evaluation, [], 0
        left = np.arange(evaluation.scores.size)
        for peel in range(self.calibration.peels):
            if peel:
                evaluation = evaluation.without([position])
                left = np.delete(left, position)
            exponents = self.calibration.selection.exponents(evaluation, scales)
            position = self.calibration.sampler.draw(exponents, source)
            chosen.append(int(left[position]))
        return scales, chosen

    def answer(self, source: BitSource) -> tuple[Scales, tuple[Any, ...]] | None:
        """One exact draw: the scales, and the candidates themselves in order; None for "not released"."""
        if not isinstance(self.range, Unlisted):
            drawn = self.draw(source)
            return None if drawn is None else (drawn[0], tuple(self.range[i] for i in drawn[1]))
        scales = self.scale.draw(source)
        if scales is None:
            return None
        evaluation, chosen = self.evaluation, list[Any]()
        while True:
            groups = evaluation.groups
            assert groups is not None
            exponents = self.calibration.selection.exponents(evaluation, scales)
            group = self.calibration.sampler.draw_group(exponents, groups.counts, source)
            chosen.append(groups.pick(group, source))
            if len(chosen) == self.calibration.peels:
                return scales, tuple(chosen)
            evaluation = evaluation.without_member(group, chosen[-1])


def _of_groups(sampler: Sampler, exponents: Exponents, groups: Groups) -> FloatArray:
    """The probability of every group."""
    counts = np.array([float(c) for c in groups.counts])
    return np.asarray(sampler.grouped(exponents.proposal, counts) * counts)


def _by_score(groups: Groups, probabilities: FloatArray) -> FiniteLaw:
    """The law of the score: groups of the same score put together."""
    total: dict[object, float] = {}
    for value, p in zip(groups.values, probabilities.tolist(), strict=True):
        total[value] = total.get(value, 0.0) + p
    return FiniteLaw(tuple(total), np.array(list(total.values())))


__all__ = ["FiniteLaw", "Law"]
