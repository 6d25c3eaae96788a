"""One level of noise: its δ(ε) to a hundred digits of a bit, because between sign changes everything is analytic.

    part of a cell = ∫ φ(w) Σ_{r ∈ T} P_r(b(w)) dw − e^ε ∫ φ(w + Δ) Σ_{r ∈ T} P'_r(b(w)) dw,

T the answers with φ P_r > e^ε φ' P'_r. Cells are halved until T is certain on them, or until they are too small to
matter; cut at the kinks of the two densities, both are exponentials there, and the integrand is meromorphic in w. It
is integrated by rigorous complex ball arithmetic.
"""

from __future__ import annotations

from fractions import Fraction

from dpselect.exact import reals
from dpselect.verification.answers import Ball, shares_of
from dpselect.verification.boxes import BITS, GRID, Box, Boxes, State
from dpselect.verification.levels import Logarithmic
from dpselect.verification.outcomes import Interval

_CELLS = 6000
_NEGLIGIBLE = Fraction(1, 2**116)
_TOLERANCE = Fraction(1, 2**120)


def polished(boxes: Boxes) -> Interval:
    """A narrow enclosure of the hockey-stick divergence of one edge with one level."""
    with reals.balls(BITS) as ball:
        boxes.prepare(ball)
        low, high = ball(0), ball(0)
        pending = boxes.boxes((), State(boxes.one, ball(1), boxes.factor))
        looked = 0
        while pending:
            box = pending.pop()
            looked += 1
            box_low, box_high = boxes.enclose(box)
            if box[0][0] == "cell" and (box_high - box_low).upper() > ball(_NEGLIGIBLE) and looked < _CELLS:
                exact = _exact(boxes, box)
                if exact is None:
                    pending += boxes.halves(box)
                    continue
                box_low, box_high = exact.lower(), exact.upper()
            low, high = low + box_low, high + box_high
        return max(Fraction(0), reals.ends(low)[0]), min(Fraction(1), max(Fraction(0), reals.ends(high)[1]))


def _exact(boxes: Boxes, box: Box) -> Ball | None:
    """The integral over a cell on which signs and kinks are certain; None if they are not."""
    state = boxes.extend(State(boxes.one, boxes.ball(1), boxes.factor), 0, box[0])
    if state is None:
        return boxes.ball(0)
    if state.partial or state.vanishing:
        return None
    if state.gone:
        return state.mass
    constants, difference, level, _ = boxes.levels[0]
    move = difference / constants.rate
    low, high = (reals.dyadic_ball(k, -GRID) for k in box[0][1:])
    signs = [side_of(low, high), side_of(low + move, high + move)]
    chosen = _certain_set(boxes, state)
    if chosen is None or None in signs:
        return None
    if not chosen:
        return boxes.ball(0)
    norm = boxes.ball(2) if constants.bound is None else 2 * (1 - (-constants.bound).exp())
    logarithmic = isinstance(level.shape, Logarithmic)

    def excess(w: Ball) -> Ball:
        b = constants.location + constants.rate * (w + constants.shift)
        if logarithmic:
            b = b.exp()
        mine, other = (_total(boxes, chances(boxes, side, b), chosen) for side in (0, 1))
        here = (signs[0] * w).exp()
        there = (signs[1] * (w + move)).exp()
        return (here * mine - boxes.factor * there * other) / norm

    total = reals.integral(excess, low, high, _TOLERANCE)
    return total if total.is_finite() else None


def side_of(low: Ball, high: Ball) -> int | None:
    """1 where |w| = −w, −1 where |w| = w: the sign in e^{−|w|}."""
    if high.upper() <= 0:
        return 1
    return -1 if low.lower() >= 0 else None


def _certain_set(boxes: Boxes, state: State) -> list[int] | None:
    """The answers with a positive excess, if every sign is certain."""
    mine, other = (boxes.answer_ends(side, state.above) for side in (0, 1))
    chosen = []
    for r, ((p_low, p_high), (q_low, q_high)) in enumerate(zip(mine, other, strict=True)):
        if (p_low - state.factor.upper() * q_high).lower() >= 0:
            chosen.append(r)
        elif (p_high - state.factor.lower() * q_low).upper() > 0:
            return None
    return chosen


def _total(boxes: Boxes, found: list[Ball], chosen: list[int]) -> Ball:
    """Pr[R ∈ chosen | b]."""
    return sum((found[r] * boxes.counts[r] for r in chosen), found[0] * 0)


def chances(boxes: Boxes, side: int, b: Ball) -> list[Ball]:
    """Pr[R = r | b] at a complex scale."""
    stages = []
    for constants, stage in zip(boxes.constants[side], boxes.joint.stages, strict=True):
        weights = [b * 0 if c is None else (c / b).exp() for c in constants]
        shares = shares_of(boxes.samplers[side], weights, boxes.ball, stage.counts)
        stages.append([w * share for w, share in zip(weights, shares, strict=True)])
    return boxes.joint.products(stages)
