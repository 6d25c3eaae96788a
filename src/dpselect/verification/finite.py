"""Finite laws on a dataset graph: float64 with proven ends decides almost every edge, balls decide the rest.

    δ(ε) = max over ordered edges x → x' of Σ_o (P_x(o) − e^ε P_{x'}(o))_+

Every probability is computed as a ball. Its ends are rounded outwards to floats lo ≤ P ≤ hi, and for a term
hi_x (1 + 2^-50) − lo(e^ε) lo_{x'} (1 − 2^-50), computed in float64, is at least the real difference: three
roundings of 2^-53 each are covered, and the sign of a float subtraction is exact. So a term that comes out negative is
exactly 0 in the sum, and an edge whose upper end stays below another one's lower end need not be looked at again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.exact import reals
from dpselect.verification.answers import Answer, Ball, ToBall
from dpselect.verification.outcomes import Edge, Interval, Outcomes, Worst

FloatArray = NDArray[np.float64]

BITS = 192
"""Working precision: sums of up to 2^60 terms stay 2^-120 wide."""

_SLACK = 2.0**-50
_CHUNK = 1 << 22
"""Entries per block of edges: 32 MB of floats at a time."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Mixture:
    """The outcomes of one dataset: a label (a released scale, "not released") by `law`, then a candidate.

    Arguments:
        labels: distinct, comparable between datasets.
        law: their probabilities.
        answers: the law of the candidate given each label; None for a label that is an outcome by itself.
        hidden: the label is not released with the candidate: one outcome is a candidate, or a label without one.
    """

    labels: Sequence[Hashable]
    law: Answer
    answers: Sequence[Answer | None]
    hidden: bool = False

    def rows(self, ball: ToBall) -> dict[Hashable, list[Ball]]:
        """Label -> probability of (label, candidate) for every candidate."""
        found: dict[Hashable, list[Ball]] = {}
        for label, mass, answer in zip(self.labels, self.law.balls(ball), self.answers, strict=True):
            if answer is None:
                found[label] = [mass]
                continue
            entries = [mass * p for p in answer.balls(ball)]
            key = () if self.hidden else label
            found[key] = [p + q for p, q in zip(found[key], entries, strict=True)] if key in found else entries
        return found


@final
@dataclass(frozen=True, eq=False, repr=False)
class FiniteOutcomes(Outcomes):
    """Laws with finitely many outcomes (label, candidate).

    Arguments:
        mixtures: one for every dataset that has an edge; candidates are compared by position.
        edges: (k, 2) undirected edges.
        names: what to call an outcome (label, position) in a witness.
        step: called once for every unit of work done, for a progress bar.
    """

    mixtures: Mapping[int, Mixture]
    edges: NDArray[np.int64]
    names: Callable[[Hashable, int | None], Any]
    step: Callable[[], None] = lambda: None

    @cached_property
    def _rows(self) -> dict[int, dict[Hashable, list[Ball]]]:
        rows = {}
        for i, mixture in self.mixtures.items():
            with reals.balls(BITS) as ball:
                rows[i] = mixture.rows(ball)
            self.step()
        return rows

    @cached_property
    def _alone(self) -> set[Hashable]:
        """Labels that come without a candidate."""
        return {
            k for x in self.mixtures.values() for k, answer in zip(x.labels, x.answers, strict=True) if answer is None
        }

    @cached_property
    def _columns(self) -> dict[Hashable, slice]:
        """Where the outcomes of a label are in the float arrays."""
        columns: dict[Hashable, slice] = {}
        total = 0
        for row in self._rows.values():
            for label, entries in row.items():
                if label not in columns:
                    columns[label] = slice(total, total + len(entries))
                    total += len(entries)
        return columns

    @cached_property
    def _floats(self) -> tuple[FloatArray, FloatArray]:
        """Outward ends of all probabilities, datasets × outcomes."""
        width = max(s.stop for s in self._columns.values())
        low, high = (np.zeros((int(self.edges.max()) + 1, width)) for _ in range(2))
        for i, row in self._rows.items():
            for label, entries in row.items():
                ends = [reals.float_ends(p) if p.rad() or p.mid() else (0.0, 0.0) for p in entries]
                low[i, self._columns[label]] = [max(lo, 0.0) for lo, _ in ends]
                high[i, self._columns[label]] = [hi for _, hi in ends]
        return low, high

    @cached_property
    def _ordered(self) -> NDArray[np.int64]:
        return np.concatenate([self.edges, self.edges[:, ::-1]])

    # ---------------------------------------------------------------- the hockey-stick

    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        with reals.balls(BITS) as ball:
            factor = ball(epsilon).exp() if not isinstance(epsilon, reals.Real) else ball(epsilon)
            ends = reals.float_ends(factor)
        lower, upper = self._float_deltas(*ends)
        contenders = np.flatnonzero((upper >= lower.max()) & (upper > 0))
        worst = Worst(Fraction(0), Fraction(0), None)
        # The largest first: most of the others then fall away.
        for k in contenders[np.argsort(-upper[contenders], kind="stable")].tolist():
            if upper[k] < worst.lower:
                break
            edge = (int(self._ordered[k, 0]), int(self._ordered[k, 1]))
            low, high = self._edge_delta(edge, epsilon)
            if low > worst.lower or (worst.edge is None and high > 0):
                worst = Worst(low, max(high, worst.upper), edge)
            else:
                worst = Worst(worst.lower, max(high, worst.upper), worst.edge)
        return worst

    def _float_deltas(self, factor_low: float, factor_high: float) -> tuple[FloatArray, FloatArray]:
        """Ends of the hockey-stick of every ordered edge."""
        low, high = self._floats
        rows = max(1, _CHUNK // low.shape[1])
        lowers, uppers = [], []
        # A sum of K positive floats has relative error at most K 2^-53.
        slack = 1.0 + low.shape[1] * 2.0**-52
        for start in range(0, len(self._ordered), rows):
            i, j = self._ordered[start : start + rows].T
            over = high[i] * (1 + _SLACK) - low[j] * (factor_low * (1 - _SLACK))
            under = low[i] * (1 - _SLACK) - high[j] * (factor_high * (1 + _SLACK))
            uppers.append(np.maximum(over, 0.0).sum(axis=1) * slack)
            lowers.append(np.maximum(under, 0.0).sum(axis=1) / slack)
        return np.concatenate(lowers), np.concatenate(uppers)

    def _edge_delta(self, edge: Edge, epsilon: Fraction) -> Interval:
        with reals.balls(BITS) as ball:
            factor = ball(epsilon).exp()
            low, high = ball(0), ball(0)
            for p, q in self._pairs(edge, ball):
                excess = p - factor * q
                # An excess that may be of either sign counts with its upper end only.
                if (bottom := excess.lower()) > 0:
                    low += bottom
                if (top := excess.upper()) > 0:
                    high += top
            return max(Fraction(0), reals.ends(low)[0]), reals.ends(high)[1]

    def _pairs(self, edge: Edge, ball: ToBall) -> list[tuple[Ball, Ball]]:
        """(P_x(o), P_{x'}(o)) over all outcomes of x."""
        mine, other = self._rows[edge[0]], self._rows[edge[1]]
        zero = ball(0)
        pairs: list[tuple[Ball, Ball]] = []
        for label, entries in mine.items():
            theirs = other.get(label) or [zero] * len(entries)
            pairs += zip(entries, theirs, strict=True)
        return pairs

    def has(self, edge: Edge) -> bool:
        return bool((self._ordered == edge).all(axis=1).any())

    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        with reals.balls(BITS) as ball:
            factor = ball(epsilon).exp()
            found = []
            for label, entries in self._rows[edge[0]].items():
                theirs = self._rows[edge[1]].get(label) or [ball(0)] * len(entries)
                alone = label in self._alone
                for r, (p, q) in enumerate(zip(entries, theirs, strict=True)):
                    if (p - factor * q).lower() > 0:
                        found.append(self.names(label, None if alone else r))
            return found

    # ---------------------------------------------------------------- other divergences

    def pure_epsilon(self) -> tuple[float, Edge | None]:
        return self._largest(self._float_ratios, _ball_ratio)

    def renyi(self) -> tuple[float, Edge | None]:
        return self._largest(self._float_renyi, _ball_renyi)

    def _largest(
        self,
        in_floats: Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[FloatArray, FloatArray]],
        in_balls: Callable[[list[tuple[Ball, Ball]]], Ball | None],
    ) -> tuple[float, Edge | None]:
        """The largest logarithm over ordered edges of a quantity, None meaning infinity; its first edge."""
        rows = max(1, _CHUNK // self._floats[0].shape[1])
        parts = [in_floats(*self._ordered[start : start + rows].T) for start in range(0, len(self._ordered), rows)]
        lower, upper = (np.concatenate([p[side] for p in parts]) for side in (0, 1))
        if np.isinf(lower).any():
            k = int(np.argmax(lower))
            return math.inf, (int(self._ordered[k, 0]), int(self._ordered[k, 1]))
        best, where = -math.inf, None
        contenders = np.flatnonzero(upper >= lower.max())
        for k in contenders[np.argsort(-upper[contenders], kind="stable")].tolist():
            if math.isfinite(upper[k]) and math.log(upper[k]) < best - 1e-9:
                break
            edge = (int(self._ordered[k, 0]), int(self._ordered[k, 1]))
            with reals.balls(BITS) as ball:
                value = in_balls(self._pairs(edge, ball))
                found = math.inf if value is None else reals.float_ends(value.log())[1]
            if found > best:
                best, where = found, edge
        return max(best, 0.0), where

    def _float_ratios(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        low, high = self._floats
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            over = np.where(high[i] > 0, high[i] / low[j], 0.0).max(axis=1) * (1 + _SLACK)
            under = np.where(low[i] > 0, low[i] / high[j], 0.0).max(axis=1) * (1 - _SLACK)
        return under, over

    def _float_renyi(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        low, high = self._floats
        slack = 1.0 + low.shape[1] * 2.0**-50
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            over = np.where(high[i] > 0, high[i] * (high[i] / low[j]), 0.0).sum(axis=1) * slack
            under = np.where(low[i] > 0, low[i] * (low[i] / high[j]), 0.0).sum(axis=1) / slack
        return under, over


def _ball_ratio(pairs: list[tuple[Ball, Ball]]) -> Ball | None:
    largest = None
    for p, q in pairs:
        if p.upper() <= 0:
            continue
        if not q.lower() > 0:
            return None
        ratio = p / q
        largest = ratio if largest is None else largest.max(ratio)
    return largest


def _ball_renyi(pairs: list[tuple[Ball, Ball]]) -> Ball | None:
    total = None
    for p, q in pairs:
        if p.upper() <= 0:
            continue
        if not q.lower() > 0:
            return None
        term = p * p / q
        total = term if total is None else total + term
    return total
