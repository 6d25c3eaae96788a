"""A continuous scale that is not released: the law of the answer alone, integrated over the scale.

    Pr[R = r] = ∫ P_r(b) K(db)

The integral is taken over the boxes of `boxes`, of the law beside itself. An atom of the scale adds its mass times P_r
there. A cell of the innermost level, with a known scale above it, is integrated by rigorous complex ball arithmetic:
with one noisy level the enclosure is narrower than 2^-100. Other boxes add between M P_lo and M P_hi, and the widest
are halved; with more levels the enclosure is as wide as that leaves it, some 10^-6.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

from dpselect.exact import reals
from dpselect.verification.analytic import chances, side_of
from dpselect.verification.answers import Ball
from dpselect.verification.boxes import BITS, GRID, Box, Boxes, Chain, Range, State
from dpselect.verification.finite import FiniteOutcomes
from dpselect.verification.kernels import KernelOutcomes
from dpselect.verification.levels import Logarithmic
from dpselect.verification.outcomes import Edge, Interval, Outcomes, Worst

_BOXES: Final = 1500
"""Boxes looked at for one dataset."""

_NARROW: Final = Fraction(1, 2**112)
"""Boxes whose part is narrower than this stay as they are."""

_TOLERANCE: Final = Fraction(1, 2**122)

_POINT: Final = Fraction(1, 2**190)
"""A scale known as well as this, relatively, is a point."""

_DECIDED: Final = Fraction(1, 2**100)


def marginal(chain: Chain) -> list[Interval]:
    """Ends of the probability of every answer."""
    boxes, number = Boxes(chain, chain, Fraction(0)), itertools.count()
    with reals.balls(BITS) as ball:
        boxes.prepare(ball)
        found: list[tuple[float, int, Box, list[Range]]] = []
        pending = boxes.boxes((), _start(boxes))
        for _ in range(_BOXES):
            for box in pending:
                parts = _parts(boxes, box)
                heapq.heappush(found, (-_width(boxes, parts), next(number), box, parts))
            width, _, box, parts = found[0]
            if -width < _NARROW:
                break
            pending = boxes.halves(box)
            heapq.heappop(found)
            if not pending:
                heapq.heappush(found, (0.0, next(number), box, parts))
        else:
            for box in pending:
                heapq.heappush(found, (0.0, next(number), box, _parts(boxes, box)))
        return _collected(boxes, [parts for _, _, _, parts in found])


def _collected(boxes: Boxes, parts: list[list[Range]]) -> list[Interval]:
    """The sums, for every answer by its position."""
    result: list[Interval] = [(Fraction(0), Fraction(1))] * sum(boxes.counts)
    for k, members in enumerate(boxes.joint.members):
        low, high = (sum((part[k][end] for part in parts), boxes.ball(0)) for end in (0, 1))
        ends = max(Fraction(0), reals.ends(low)[0]), min(Fraction(1), max(Fraction(0), reals.ends(high)[1]))
        for r in members:
            result[r] = ends
    return result


def _start(boxes: Boxes) -> State:
    return State(boxes.one, boxes.ball(1), boxes.factor)


def _width(boxes: Boxes, parts: list[Range]) -> float:
    return math.fsum(float(high - low) * count for (low, high), count in zip(parts, boxes.counts, strict=True))


def _parts(boxes: Boxes, box: Box) -> list[Range]:
    """What the box adds to the probability of every answer: between two points."""
    state = _start(boxes)
    for depth, piece in enumerate(box):
        above = state
        inner = boxes.extend(state, depth, piece)
        if inner is None:
            return [(boxes.ball(0), boxes.ball(0))] * len(boxes.counts)
        state = inner
    if state.gone:
        # A tail: nothing is known about the scale there.
        return [(boxes.ball(0), state.mass.upper())] * len(boxes.counts)
    exact = _integrals(boxes, box, above, state)
    if exact is not None:
        return exact
    least = boxes.ball(0) if state.partial else state.mass.lower().max(boxes.ball(0))
    most = state.mass.upper()
    ends = boxes.answers(0, state.above, box[-1])
    return [((least * low).lower(), (most * high).upper()) for low, high in ends]


def _integrals(boxes: Boxes, box: Box, above: State, state: State) -> list[Range] | None:
    """∫ φ(w) P_r(b(w)) dw times the mass of what is above, for the last level; None where it is not analytic."""
    piece, (constants, _, level, _) = box[-1], boxes.levels[-1]
    if piece[0] != "cell" or state.partial or not _is_point(boxes, above.above):
        return None
    low, high = (reals.dyadic_ball(k, -GRID) for k in piece[1:])
    side, bound = side_of(low, high), constants.bound
    if side is None or (bound is not None and not ((low + bound).lower() >= 0 and (high - bound).upper() <= 0)):
        return None
    norm = boxes.ball(2) if bound is None else 2 * (1 - (-bound).exp())
    scale = constants.rate * reals.span(*above.above)
    logarithmic, found = isinstance(level.shape, Logarithmic), []
    for r in range(len(boxes.counts)):

        def density(w: Ball, r: int = r) -> Ball:
            b = constants.location + scale * (w + constants.shift)
            return (side * w).exp() * chances(boxes, 0, b.exp() if logarithmic else b)[r] / norm

        part = reals.integral(density, low, high, _TOLERANCE)
        if not part.is_finite():
            return None
        part = part * above.mass
        found.append((part.lower().max(boxes.ball(0)), part.upper().max(boxes.ball(0))))
    return found


def _is_point(boxes: Boxes, scale: Range) -> bool:
    return bool((scale[1] - scale[0]).upper() <= (boxes.ball(_POINT) * scale[1]).lower())


@final
@dataclass(frozen=True, eq=False, repr=False)
class MarginalOutcomes(Outcomes):
    """Answers without their scale.

    Arguments:
        answers: the laws of the answers alone, as narrow as they are known.
        joint: the same with the scale. Its δ is an upper end, because the answer is post-processing of both.
    """

    answers: FiniteOutcomes
    joint: KernelOutcomes

    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        found = self.answers.delta(epsilon, claim, thorough=thorough)
        if found.upper - found.lower <= _DECIDED:
            return found
        joint = self.joint.delta(epsilon, claim, thorough=thorough)
        edge = found.edge if found.lower > 0 else joint.edge
        return Worst(found.lower, min(found.upper, joint.upper), edge)

    def pure_epsilon(self) -> tuple[float, Edge | None]:
        """The smaller one of two upper ends."""
        return min(self.answers.pure_epsilon(), self.joint.pure_epsilon(), key=lambda found: found[0])

    def renyi(self) -> None:
        return None

    def has(self, edge: Edge) -> bool:
        return self.answers.has(edge)

    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        return self.answers.witness(edge, epsilon)
