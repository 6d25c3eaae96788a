"""Laws with a continuous scale: the hockey-stick integral over (B_k, …, B_0), enclosed box by box.

    δ(ε) = Σ over boxes of ∫ k(b) Σ_r (P_r(b) − e^ε P'_r(b) / ρ(b))_+ db,     ρ = k / k' the ratio of the densities

In the standardised noise w of dataset x the density is that of W whatever is above, so a box has an exact mass M. On a
box P_r, P'_r and ρ are enclosed by intervals, which gives

    M_lo Σ_r (p_lo − e^ε p'_hi / ρ_lo)_+  ≤  its part of δ  ≤  M_hi min(1, Σ_r (p_hi − e^ε p'_lo / ρ_hi)_+),

the upper end with ρ_hi = ∞ where k' may vanish, and exactly M where it certainly does. Atoms at floor and cap are boxes
with the masses of the events; a box that reaches over an edge of the floor, of the cap or of the support counts
with its upper end only. The box with the widest enclosure is halved until the claim is decided or the work is too
much. Where the laws touch e^ε at a point, halves near it shrink like the square of their width: such a claim is
decided to 2^-100 as well.

Contract on the law: given the last scale b the exponents are c_r / b (checked at two scales), so weights rise with b,
and P_r = w_r · share_r with a share that falls in the weights (Gibbs, permute-and-flip). With top-k, r is an answer of
k candidates in order, and P_r is the product of k such laws, each with its own enclosure.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, final

from dpselect.errors import UnsupportedProblem
from dpselect.exact import reals
from dpselect.verification.answers import Ball, ToBall, shares_of
from dpselect.verification.levels import Level, Logarithmic, Mapped, distribution, loss
from dpselect.verification.outcomes import Interval
from dpselect.verification.peels import Peels, joint

BITS = 224
GRID = 160
"""Ends of cells are integers times 2^-160: halving 100 times stays exact."""

_FAR = 80 << GRID
"""Beyond |w| = 80 Laplace noise has mass below 2^-115: a piece by itself."""

_WIDEST = 4 << GRID

Piece: TypeAlias = tuple[Any, ...]
"""Of one level: ("sure",), ("floor",), ("cap",), ("far",), ("near",), ("cell", k1, k2), ("steps", k1, k2, b)."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """The law at one dataset: its levels, and its answers at b = 1: their exponents are c_r in z_r = c_r / b."""

    levels: tuple[Level, ...]
    answers: Peels


Box: TypeAlias = tuple[Piece, ...]
Range: TypeAlias = tuple[Ball, Ball]


@final
@dataclass(frozen=True)
class State:
    """A box, read from the outside in: what is above, its mass, e^ε / ρ, and what is not certain about it.

    What is above is kept as two points: a ball around a wide interval might reach 0, by which nothing can be divided.
    """

    above: Range
    mass: Ball
    factor: Ball
    gone: bool = False
    vanishing: bool = False
    partial: bool = False


class Boxes:
    """The hockey-stick of one ordered edge: boxes with their enclosures, the widest first."""

    def __init__(self, mine: Chain, other: Chain, epsilon: Fraction) -> None:
        if not all(_same(a, b) for a, b in itertools.zip_longest(mine.levels, other.levels)):
            raise UnsupportedProblem("the public constants of the scale's law differ between two neighbours")
        self.mine, self.other, self.epsilon = mine, other, epsilon
        self._count = itertools.count()
        self.samplers = (mine.answers.sampler, other.answers.sampler)
        self.joint = joint(mine.answers, other.answers)
        self.counts = [len(some) for some in self.joint.members]
        self.heap: list[tuple[float, int, Box, Ball, Ball]] = []

    def refine(
        self, claim: Fraction, boxes: int, *, narrow: Fraction | None = None, beaten: Fraction | None = None
    ) -> Interval:
        """Halve boxes until the claim is decided and the relative width is `narrow`, or this many were looked at.

        A decided divergence that is at most `beaten` is of no interest any more.
        """
        with reals.balls(BITS) as ball:
            self.prepare(ball)
            limit, low, high = ball(claim), ball(0), ball(0)
            tolerance = ball(Fraction(1, 2**100))
            if not self.heap:
                for box in self.boxes((), State(self.one, ball(1), self.factor)):
                    self._push(box)
            low, high = self._totals(ball)
            looked = 0
            while looked < boxes and self.heap:
                decided = high.upper() <= limit + tolerance or low.lower() > limit
                if decided and (narrow is None or (high - low).upper() <= ball(narrow) * high.lower()):
                    break
                if decided and beaten is not None and high.upper() < ball(beaten):
                    break
                if (high - low).upper() <= tolerance / 16:
                    break
                width, _, box, box_low, box_high = heapq.heappop(self.heap)
                halves = self.halves(box)
                if not halves or width == 0:
                    heapq.heappush(self.heap, (0.0, next(self._count), box, box_low, box_high))
                    if width == 0:
                        break
                    continue
                low, high = low - box_low, high - box_high
                for half in halves:
                    half_low, half_high = self._push(half)
                    low, high = low + half_low, high + half_high
                    looked += 1
            return max(Fraction(0), reals.ends(low)[0]), min(Fraction(1), max(Fraction(0), reals.ends(high)[1]))

    def largest_loss(self, boxes: int, beaten: Fraction) -> tuple[Fraction, Fraction] | None:
        """Ends of sup log(k P_r / (k' P'_r)), with epsilon = 0; None if it is infinite.

        The box with the largest upper end is halved until that is near the largest lower end, or below `beaten`. A box
        with a lower end of 0 (nothing certain in it) still counts with its upper end.
        """
        with reals.balls(BITS) as ball:
            self.prepare(ball)
            limit, low = ball(beaten).exp(), ball(0)
            near = 1 + ball(Fraction(1, 10**10))
            heap: list[tuple[float, int, Box, Ball]] = []
            pending = self.boxes((), State(self.one, ball(1), self.factor))
            while True:
                for box in pending:
                    ends = self._ratio(box)
                    if ends is None:
                        continue
                    if ends[1] is None:
                        return None
                    low = low.max(ends[0])
                    heapq.heappush(heap, (-float(ends[1]), next(self._count), box, ends[1]))
                if not heap:
                    return Fraction(0), Fraction(0)
                _, _, box, high = heap[0]
                pending = self.halves(box)
                boxes -= 1
                if not pending or boxes < 0 or high < limit or high < near * low:
                    return reals.ends(low.log())[0] if low > 0 else Fraction(0), reals.ends(high.log())[1]
                heapq.heappop(heap)

    def _ratio(self, box: Box) -> tuple[Ball, Ball | None] | None:
        """Points below and above the largest ratio in a box, the upper one None for infinity; None if it is empty."""
        state: State | None = State(self.one, self.ball(1), self.factor)
        for depth, piece in enumerate(box):
            assert state is not None
            state = self.extend(state, depth, piece)
            if state is None:
                return None
        assert state is not None
        zero = self.ball(0)
        if state.gone:
            # A support that changes; a tail is a box of its own whose ratio nobody bounded.
            return zero, None
        low = high = zero
        mine, other = (self.answers(side, state.above, box[-1]) for side in (0, 1))
        for (p_low, p_high), (q_low, q_high) in zip(mine, other, strict=True):
            if p_high <= 0:
                continue
            if not q_low > 0:
                return zero, None
            # Where k' may vanish the neighbouring box, on which it does, makes the ratio infinite.
            high = high.max(p_high / (q_low * state.factor.lower())).upper()
            if not (state.partial or state.vanishing):
                low = low.max(p_low / (q_high * state.factor.upper())).lower()
        return low.lower(), high.upper()

    def _totals(self, ball: ToBall) -> tuple[Ball, Ball]:
        low, high = ball(0), ball(0)
        for _, _, _, box_low, box_high in self.heap:
            low, high = low + box_low, high + box_high
        return low, high

    def _push(self, box: Box) -> tuple[Ball, Ball]:
        low, high = self.enclose(box)
        heapq.heappush(self.heap, (-float(high - low), next(self._count), box, low, high))
        return low, high

    # ---------------------------------------------------------------- constants as balls

    def prepare(self, ball: ToBall) -> None:
        self.ball = ball
        self.factor = ball(self.epsilon).exp()
        self.one: Range = (ball(1), ball(1))
        self.levels = [
            (_constants(a, ball), None if a.noise is None else (ball(a.location) - ball(b.location)), a, b)
            for a, b in zip(self.mine.levels, self.other.levels, strict=True)
        ]
        self.constants = [
            [[None if c is None else -ball(c) for c in stage.exponents[side]] for stage in self.joint.stages]
            for side in (0, 1)
        ]
        self._known: dict[tuple[int, Hashable], list[Ball]] = {}

    # ---------------------------------------------------------------- which boxes there are

    def boxes(self, prefix: Box, state: State) -> list[Box]:
        """All boxes that begin with the prefix."""
        if len(prefix) == len(self.levels):
            return [prefix]
        found = []
        for piece in self._pieces(len(prefix), state.above):
            inner = self.extend(state, len(prefix), piece)
            if inner is not None:
                found += self.boxes((*prefix, piece), inner)
        return found

    def _pieces(self, depth: int, above: Range) -> list[Piece]:
        constants, _, level, _ = self.levels[depth]
        if level.noise is None:
            return [("sure",)]
        if isinstance(level.shape, Mapped):
            return self._steps(depth, above)
        if _collapsed(level):
            return [("floor",)]
        left, right, cuts = self._frame(depth, above)
        pieces: list[Piece] = [] if level.floor is None else [("floor",)]
        start, stop = max(_down(left), -_FAR), min(_up(right), _FAR)
        if constants.bound is not None:
            start, stop = max(start, _down(-constants.bound)), min(stop, _up(constants.bound))
        elif _down(left) < -_FAR:
            pieces.append(("near",))
        if level.cap is not None:
            pieces.append(("cap",))
        if constants.bound is None and _up(right) > _FAR:
            pieces.append(("far",))
        marks = {start, stop}
        for cut in cuts:
            marks |= {m for m in (_down(cut), _up(cut)) if start < m < stop}
        ordered = sorted(marks) if start < stop else []
        for a, b in itertools.pairwise(ordered):
            count = max(1, -(-(b - a) // _WIDEST))
            inner = [a + (b - a) * i // count for i in range(count + 1)]
            pieces += [("cell", u, v) for u, v in itertools.pairwise(inner)]
        return pieces

    def _frame(self, depth: int, above: Range) -> tuple[Ball, Ball, list[Ball]]:
        """w at floor and at cap, and where the densities have edges and kinks."""
        constants, difference, _, _ = self.levels[depth]
        left, right = self.ball(-81), self.ball(81)
        if constants.least is not None:
            left = self._over(constants.least - constants.location, depth, above) - constants.shift
        if constants.most is not None:
            right = self._over(constants.most - constants.location, depth, above) - constants.shift
        move = self._over(difference, depth, above)
        cuts = [left, right, self.ball(0), -move]
        if constants.bound is not None:
            cuts += [-constants.bound - move, constants.bound - move]
        return left, right, cuts

    def _over(self, distance: Ball, depth: int, above: Range) -> Ball:
        """A distance in units of the scale of a level."""
        rate = self.levels[depth][0].rate
        return reals.span(distance / (rate * above[0]), distance / (rate * above[1]))

    def _steps(self, depth: int, above: Range) -> list[Piece]:
        """Ranges of steps on which a mapped level has one value: (k1, k2] in units of the grid, None for ±∞."""
        constants, _, level, other = self.levels[depth]
        assert isinstance(level.shape, Mapped)
        scale, reach = constants.rate * above[1], constants.bound if constants.bound is not None else self.ball(80)
        grid = self.ball(level.shape.grid)
        most = max(
            int(reals.ends((self.ball(x.location) + scale * (constants.shift + reach)) / grid)[1]) + 1
            for x in (level, other)
        )
        pieces: list[Piece] = []
        begun, value = None, level.shape.finish(Fraction(0))
        for k in range(1, max(most, 1) + 1):
            following = level.shape.finish(k * level.shape.grid)
            if following != value:
                pieces.append(("steps", begun, k - 1, value))
                begun, value = k - 1, following
            if level.cap is not None and following >= level.cap:
                break
        pieces.append(("steps", begun, None, value))
        return pieces

    # ---------------------------------------------------------------- what a box is worth

    def extend(self, state: State, depth: int, piece: Piece) -> State | None:
        """The box one level further in; None if it is certainly empty."""
        _, difference, level, other = self.levels[depth]
        kind = piece[0]
        if kind == "sure":
            assert level.sure is not None
            return replace(state, above=_points(self.ball(level.sure)), gone=state.gone or level.sure != other.sure)
        move = self._over(difference, depth, state.above)
        if kind == "steps":
            return self._step_event(state, depth, piece, move)
        left, right, _ = self._frame(depth, state.above)
        if kind in ("floor", "cap"):
            return self._atom(state, depth, kind, left if kind == "floor" else right, move)
        if kind in ("far", "near"):
            mass = reals.span(self.ball(0), (-self.ball(80)).exp())
            # It counts with its whole mass at most, whatever the scale is there.
            return replace(state, above=self.one, mass=state.mass * mass, gone=True, partial=True)
        return self._cell(state, depth, piece, move, left, right)

    def _atom(self, state: State, depth: int, kind: str, at: Ball, move: Ball) -> State | None:
        """The event that the sum is at or below the floor, or at or above the cap."""
        constants, _, level, _ = self.levels[depth]
        if _collapsed(level):
            return replace(state, above=_points(constants.floor))
        sign = 1 if kind == "floor" else -1
        here = distribution(constants.bound, sign * at)
        there = distribution(constants.bound, sign * (at + move))
        value = constants.floor if kind == "floor" else constants.cap
        return self._event(state, value, here, there)

    def _event(self, state: State, value: Ball, here: Ball, there: Ball) -> State | None:
        if here.upper() <= 0:
            return None
        state = replace(state, above=_points(value))
        if there.upper() <= 0:
            return replace(state, mass=state.mass * here, gone=True)
        if not here.lower() > 0:
            return replace(state, mass=state.mass * here, vanishing=True, partial=True)
        return replace(state, mass=state.mass * here, factor=state.factor * there / here)

    def _step_event(self, state: State, depth: int, piece: Piece, move: Ball) -> State | None:
        """The event that a mapped level has one of its values."""
        constants, _, level, _ = self.levels[depth]
        assert isinstance(level.shape, Mapped)
        _, first, last, value = piece
        masses = []
        for shifted in (self.ball(0), move):
            ends = []
            for k, default in ((first, 0), (last, 1)):
                if k is None:
                    ends.append(self.ball(default))
                else:
                    distance = k * self.ball(level.shape.grid) - constants.location
                    w = self._over(distance, depth, state.above) - constants.shift
                    ends.append(distribution(constants.bound, w + shifted))
            masses.append(ends[1] - ends[0])
        here, there = masses
        return self._event(state, self.ball(value), here, there)

    def _cell(self, state: State, depth: int, piece: Piece, move: Ball, left: Ball, right: Ball) -> State | None:
        """w between two points, between floor and cap."""
        constants, _, level, _ = self.levels[depth]
        w_low, w_high = reals.dyadic_ball(piece[1], -GRID), reals.dyadic_ball(piece[2], -GRID)
        if (w_high - left).upper() <= 0 or (level.cap is not None and (w_low - right).lower() >= 0):
            return None
        mass = distribution(constants.bound, w_high) - distribution(constants.bound, w_low)
        if mass.upper() <= 0:
            return None
        inside = (w_low - left).lower() >= 0 and (level.cap is None or (w_high - right).upper() <= 0)
        value = self._values(depth, state.above, w_low, w_high)
        gone, vanishing = state.gone, state.vanishing
        if constants.bound is not None:
            theirs_low, theirs_high = w_low + move, w_high + move
            if (theirs_high + constants.bound).upper() <= 0 or (theirs_low - constants.bound).lower() >= 0:
                gone = True
            elif (theirs_low + constants.bound).lower() < 0 or (theirs_high - constants.bound).upper() > 0:
                vanishing = True
        least, most = loss(w_low, w_high, move)
        ratio = reals.span((-most).exp(), (-least).exp())
        return replace(
            state,
            above=value,
            mass=state.mass * mass.max(self.ball(0)),
            factor=state.factor * ratio,
            gone=gone,
            vanishing=vanishing,
            partial=state.partial or not inside,
        )

    def _values(self, depth: int, above: Range, w_low: Ball, w_high: Ball) -> Range:
        """Ends of B = H + s (w + shift), or of its exponential, between floor and cap."""
        constants, _, level, _ = self.levels[depth]
        lows, highs = ([constants.rate * a * (w + constants.shift) for a in above] for w in (w_low, w_high))
        low = (constants.location + lows[0].min(lows[1])).lower()
        high = (constants.location + highs[0].max(highs[1])).upper()
        if isinstance(level.shape, Logarithmic):
            low, high = low.exp().lower(), high.exp().upper()
        if constants.floor is not None:
            low, high = low.max(constants.floor).lower(), high.max(constants.floor).upper()
        if constants.cap is not None:
            low, high = low.min(constants.cap).lower(), high.min(constants.cap).upper()
        return low, high

    def enclose(self, box: Box) -> tuple[Ball, Ball]:
        """Exact ends of what the box adds to δ."""
        zero = self.ball(0)
        state: State | None = State(self.one, self.ball(1), self.factor)
        for depth, piece in enumerate(box):
            assert state is not None
            state = self.extend(state, depth, piece)
            if state is None:
                return zero, zero
        assert state is not None
        high = state.mass.upper()
        if state.gone:
            return (zero if state.partial else state.mass.lower()), high
        mine = self.answers(0, state.above, box[-1])
        other = self.answers(1, state.above, box[-1])
        least, most = zero, zero
        factor_low = zero if state.vanishing else state.factor.lower()
        factor_high = state.factor.upper()
        for count, (p_low, p_high), (q_low, q_high) in zip(self.counts, mine, other, strict=True):
            if (excess := (p_high - factor_low * q_low).upper()) > 0:
                most += excess * count
            if not state.partial and (excess := (p_low - factor_high * q_high).lower()) > 0:
                least += excess * count
        if most >= 1:
            most = self.ball(1)
        return (state.mass.lower() * least).lower(), (high * most).upper()

    def answers(self, side: int, scale: Range, piece: Piece) -> list[tuple[Ball, Ball]]:
        """Ends of Pr[R = r | b] for every answer, b between the points of `scale`."""
        fixed = piece if piece[0] in ("floor", "cap") else None
        if fixed is not None and (side, fixed) in self._known:
            return self._known[side, fixed]
        found = self.answer_ends(side, scale)
        if fixed is not None:
            self._known[side, fixed] = found
        return found

    def answer_ends(self, side: int, scale: Range) -> list[tuple[Ball, Ball]]:
        zero, stages = self.ball(0), range(len(self.joint.stages))
        ends = [self._stage_ends(side, stage, scale) for stage in stages]
        lows, highs = (self.joint.products([[p[end].max(zero) for p in ends[s]] for s in stages]) for end in (0, 1))
        return [(low.lower(), high.upper()) for low, high in zip(lows, highs, strict=True)]

    def _stage_ends(self, side: int, stage: int, scale: Range) -> list[tuple[Ball, Ball]]:
        """Ends of the law of one peel."""
        sampler, zero, (low, high) = self.samplers[side], self.ball(0), scale
        constants, counts = self.constants[side][stage], self.joint.stages[stage].counts
        light = [zero if c is None else (c / low).exp() for c in constants]
        if low == high:
            shares = shares_of(sampler, light, self.ball, counts)
            points = [w * s for w, s in zip(light, shares, strict=True)]
            return [(p.lower(), p.upper()) for p in points]
        heavy = [zero if c is None else (c / high).exp() for c in constants]
        if sampler == "gibbs":
            least, most = (sum((w * count for w, count in zip(ws, counts, strict=True)), zero) for ws in (light, heavy))
            return [
                ((a / (most - b + a)).lower(), (b / (least - a + b)).upper()) for a, b in zip(light, heavy, strict=True)
            ]
        upper_shares, lower_shares = (shares_of(sampler, w, self.ball, counts) for w in (light, heavy))
        return [
            ((a * s).lower(), (b * t).upper())
            for a, b, s, t in zip(light, heavy, lower_shares, upper_shares, strict=True)
        ]

    def halves(self, box: Box) -> list[Box]:
        """The box cut in two along the level that moves the scale most; nothing for a box of atoms."""
        best, best_effect = None, -1.0
        state: State | None = State(self.one, self.ball(1), self.factor)
        for depth, piece in enumerate(box):
            if state is None:
                return []
            constants, _, level, _ = self.levels[depth]
            scale = float(constants.rate * state.above[1])
            state = self.extend(state, depth, piece)
            if piece[0] == "cell" and piece[2] - piece[1] > 1 and state is not None:
                width = (piece[2] - piece[1]) / (1 << GRID)
                relative = 1.0 if isinstance(level.shape, Logarithmic) else scale / max(float(state.above[1]), 1e-300)
                effect = width * max(relative, 0.25)
                if effect > best_effect:
                    best, best_effect = depth, effect
        if best is None:
            return []
        _, first, last = box[best]
        middle = (first + last) // 2
        return [(*box[:best], ("cell", a, b), *box[best + 1 :]) for a, b in ((first, middle), (middle, last))]

    def witness(self, names: Callable[[int], dict[str, Any]]) -> list[Any]:
        """The scales and answers that are certainly too likely.

        One level: for every answer the intervals of B, boxes side by side joined. More levels: the ten boxes that
        weigh most, with an interval for every level, outermost first.
        """
        with reals.balls(BITS):
            found = [hit for box in self.heap for hit in self._hits(box[2], box[3])]
        if len(self.levels) == 1:
            return _joined([(r, ranges[0]) for r, ranges, _ in found], names)
        found.sort(key=lambda hit: -hit[2])
        return [
            {"scales": [[float(low), float(high)] for low, high in ranges], **names(r)}
            for r, ranges, _ in found[:_SHOWN]
        ]

    def _hits(self, box: Box, worth: Ball) -> list[tuple[int, list[Interval], float]]:
        """(answer, ranges of the scales, weight) for what is certainly too likely in a box."""
        if not worth > 0:
            return []
        ranges, state = [], State(self.one, self.ball(1), self.factor)
        for depth, piece in enumerate(box):
            following = self.extend(state, depth, piece)
            assert following is not None  # an empty box is worth nothing
            state = following
            ranges.append((reals.ends(state.above[0])[0], reals.ends(state.above[1])[1]))
        if state.gone:
            return [(r, ranges, float(worth)) for r in range(sum(self.counts))]
        mine, other = (self.answers(side, state.above, box[-1]) for side in (0, 1))
        factor = state.factor.upper()
        return [
            (r, ranges, float(worth))
            for group, (p, _), (_, q) in zip(self.joint.members, mine, other, strict=True)
            if (p - factor * q).lower() > 0
            for r in group
        ]


_SHOWN = 10


def _joined(hits: list[tuple[int, Interval]], names: Callable[[int], dict[str, Any]]) -> list[Any]:
    """Intervals that touch are one; the ends are rounded to floats."""
    found: list[Any] = []
    for r in sorted({r for r, _ in hits}):
        joined: list[list[float]] = []
        for low, high in sorted((float(a), float(b)) for s, (a, b) in hits if s == r):
            if joined and low <= joined[-1][1] * (1 + 2.0**-40):
                joined[-1][1] = max(joined[-1][1], high)
            else:
                joined.append([low, high])
        found += [{"scale": ends, **names(r)} for ends in joined]
    return found


@final
@dataclass(frozen=True)
class Constants:
    """A level in balls; `least` and `most` are the sums at which floor and cap begin."""

    rate: Ball
    shift: Ball
    bound: Ball | None
    location: Ball
    floor: Ball | None
    cap: Ball | None
    least: Ball | None
    most: Ball | None


def _constants(level: Level, ball: ToBall) -> Constants:
    noise, (floor, cap) = level.noise, (None if b is None else ball(b) for b in (level.floor, level.cap))
    least, most = floor, cap
    if isinstance(level.shape, Logarithmic):
        least, most = (None if b is None else b.log() for b in (floor, cap))
    if noise is None:
        return Constants(ball(0), ball(0), None, ball(0), floor, cap, least, most)
    bound = None if noise.bound is None else ball(noise.bound)
    return Constants(ball(noise.rate), ball(noise.shift), bound, ball(level.location), floor, cap, least, most)


def _same(a: Level | None, b: Level | None) -> bool:
    """Whether two levels are the same but for where they are."""
    if a is None or b is None:
        return False
    if (a.floor, a.cap, type(a.shape), a.noise is None) != (b.floor, b.cap, type(b.shape), b.noise is None):
        return False
    return a.noise is None or b.noise is None or a.noise.agrees(b.noise)


def _collapsed(level: Level) -> bool:
    """The cap is not above the floor: there is one value."""
    return level.cap is not None and level.floor is not None and level.cap <= level.floor


def _points(value: Ball) -> Range:
    return value.lower(), value.upper()


def _down(point: Ball) -> int:
    """⌊lower end · 2^160⌋."""
    value = reals.ends(point)[0] * (1 << GRID)
    return value.numerator // value.denominator


def _up(point: Ball) -> int:
    value = reals.ends(point)[1] * (1 << GRID)
    return -(-value.numerator // value.denominator)
