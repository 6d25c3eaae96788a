"""Real numbers that are never rounded: expressions, evaluated in ball arithmetic as finely as needed.

    x = Real.of(Fraction(-1, 3)).exp()        lo ≤ e^(-1/3) ≤ hi,  (lo, hi) = x.enclosure(80)

This is the only module that imports flint. flint's working precision is one global of the process; here it is
set, used and put back under one lock, which a forked child re-makes (the thread that held it may not exist
there). Every ball encloses its number at whatever precision it was computed, so a program that changes
flint's precision behind our back can make us slow, never wrong.

Overlapping balls are not comparable: there is no `<` and no `==` here. `less` refines until they separate,
and `Real.maximum` is the ball from the largest lower end to the largest upper end.

Source: theory section 10.
"""

import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Final, NoReturn, TypeAlias, final

from flint import acb, arb, arf, ctx, fmpq

from dpselect.errors import InvalidParameter
from dpselect.exact import forks as forks  # before anything is drawn, so that it is there when a process forks

Ball: TypeAlias = Any
Exact: TypeAlias = Fraction | int

_FINEST: Final = 2**20
"""No decision needs more bits of precision than this, unless two numbers are equal or one is undefined."""

_DEFINED: Final = 2**14
"""A number whose ball is not finite at this precision is taken to be undefined."""

_lock = threading.RLock()


def _remake_lock() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_remake_lock)


@final
class Real:
    """x ∈ ℝ as an immutable expression over the rationals: + − · / exp log sqrt expm1 log1p max.

    Build it from `Real.of(Fraction | int)`; floats are refused (say which rational you mean). Arithmetic
    between rationals stays rational. An undefined expression (log of a negative number) raises
    `InvalidParameter` when it is first enclosed. The `repr` shows no number: a Real may hold a private one.

    Cost: a few µs for exp(−Fraction) at 128 bits. The last ball is kept, so a shared part is evaluated once.

    >>> lo, hi = (Real.of(2).sqrt() * Real.of(2).sqrt()).enclosure(80)
    >>> lo <= 2 <= hi, hi - lo < Fraction(1, 2**70)
    (True, True)
    """

    __slots__ = ("_ball", "_evaluate", "_precision", "rational")

    rational: Fraction | None
    """The number itself where it is known to be rational."""

    def __init__(self, evaluate: Callable[[], Ball], rational: Fraction | None = None) -> None:
        """For this module: `evaluate()` gives an enclosing ball at flint's current precision."""
        self._evaluate = evaluate
        self.rational = rational
        self._precision = 0
        self._ball: Ball = None

    @staticmethod
    def of(value: "Exact | Real") -> "Real":
        """The number itself; a Real is returned as it is."""
        if isinstance(value, Real):
            return value
        if type(value) is not Fraction:
            if isinstance(value, bool) or not isinstance(value, Fraction | int):
                raise TypeError(f"a Real is built from an int, a Fraction or a Real, not {type(value).__name__}")
            value = Fraction(value)
        number = value
        return Real(lambda: arb(fmpq(number.numerator, number.denominator)), number)

    @staticmethod
    def interval(position: int, length: int) -> "Real":
        """Any one number of [u, u + 2^-length], u = position · 2^-length: what is known of a lazy uniform.

        What is computed from it encloses the result for every number there; ask it for `ends`, as no
        precision makes the enclosure narrow.
        """
        middle, radius = arf((2 * position + 1, -length - 1)), arf((1, -length - 1))
        return Real(lambda: arb(middle, radius))

    @staticmethod
    def maximum(items: "Iterable[Exact | Real]") -> "Real":
        """max of the items: the ball from the largest of the lower ends to the largest of the upper ends."""
        reals = list({id(x): x for x in map(Real.of, items)}.values())
        if not reals:
            raise InvalidParameter("the maximum of no numbers is undefined")
        if len(reals) == 1:
            return reals[0]
        rationals = [x.rational for x in reals if x.rational is not None]
        if len(rationals) == len(reals):
            return Real.of(max(rationals))

        def evaluate() -> Ball:
            balls = [x._at_current() for x in reals]
            if not all(ball.is_finite() for ball in balls):
                return arb.nan()
            # The ends are exact, so comparing them is decided.
            return _largest([ball.lower() for ball in balls]).union(_largest([ball.upper() for ball in balls]))

        return Real(evaluate)

    @staticmethod
    def minimum(items: "Iterable[Exact | Real]") -> "Real":
        """min of the items, as −max of their negatives."""
        return -Real.maximum([-Real.of(x) for x in items])

    @staticmethod
    def total(items: "Iterable[Exact | Real]") -> "Real":
        """The sum of any number of items, without a deep tree.

        >>> Real.total([Fraction(1, 2)] * 3).rational
        Fraction(3, 2)
        """
        reals = [Real.of(x) for x in items]
        known = sum((x.rational for x in reals if x.rational is not None), Fraction(0))
        unknown = [x for x in reals if x.rational is None]
        if not unknown:
            return Real.of(known)
        unknown.append(Real.of(known))

        def evaluate() -> Ball:
            ball = arb(0)
            for x in unknown:
                ball += x._at_current()
            return ball

        return Real(evaluate)

    def __add__(self, other: "Exact | Real") -> "Real":
        a, b = self, Real.of(other)
        if a.rational is not None and b.rational is not None:
            return Real.of(a.rational + b.rational)
        return Real(lambda: a._at_current() + b._at_current())

    def __sub__(self, other: "Exact | Real") -> "Real":
        a, b = self, Real.of(other)
        if a.rational is not None and b.rational is not None:
            return Real.of(a.rational - b.rational)
        return Real(lambda: a._at_current() - b._at_current())

    def __mul__(self, other: "Exact | Real") -> "Real":
        a, b = self, Real.of(other)
        if a.rational is not None and b.rational is not None:
            return Real.of(a.rational * b.rational)
        return Real(lambda: a._at_current() * b._at_current())

    def __truediv__(self, other: "Exact | Real") -> "Real":
        a, b = self, Real.of(other)
        if b.rational == 0:
            raise InvalidParameter("division of a real number by zero")
        if a.rational is not None and b.rational is not None:
            return Real.of(a.rational / b.rational)
        return Real(lambda: a._at_current() / b._at_current())

    def __radd__(self, other: Exact) -> "Real":
        return Real.of(other) + self

    def __rsub__(self, other: Exact) -> "Real":
        return Real.of(other) - self

    def __rmul__(self, other: Exact) -> "Real":
        return Real.of(other) * self

    def __rtruediv__(self, other: Exact) -> "Real":
        return Real.of(other) / self

    def __neg__(self) -> "Real":
        if self.rational is not None:
            return Real.of(-self.rational)
        return Real(lambda: -self._at_current())

    def exp(self) -> "Real":
        """e^x."""
        return Real.of(1) if self.rational == 0 else Real(lambda: self._at_current().exp())

    def log(self) -> "Real":
        """The natural logarithm; undefined unless x > 0."""
        return Real.of(0) if self.rational == 1 else Real(lambda: self._at_current().log())

    def sqrt(self) -> "Real":
        """√x; undefined unless x ≥ 0."""
        return self if self.rational in (0, 1) else Real(lambda: self._at_current().sqrt())

    def expm1(self) -> "Real":
        """e^x − 1 without cancellation."""
        return self if self.rational == 0 else Real(lambda: self._at_current().expm1())

    def log1p(self) -> "Real":
        """log(1 + x) without cancellation; undefined unless x > −1."""
        return self if self.rational == 0 else Real(lambda: self._at_current().log1p())

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Dyadic (lo, hi) with lo ≤ x ≤ hi and hi − lo ≤ 2^-bits · max(1, |x|).

        Beyond e^±700,000 an end is moved outwards to 0 or ±2^(-2^20) rather than written out.
        Raises `InvalidParameter` if x is undefined, or larger than 2^(2^20).
        """
        precision = bits + 16
        while True:
            if ends := self.ends(precision):
                lo, hi = ends
                if (hi - lo) * 2**bits <= max(1, abs(lo), abs(hi)):
                    return lo, hi
            precision = _finer(precision)

    def upper(self, bits: int = 80) -> Fraction:
        """A dyadic number ≥ x."""
        return self.enclosure(bits)[1]

    def lower(self, bits: int = 80) -> Fraction:
        """A dyadic number ≤ x."""
        return self.enclosure(bits)[0]

    def ends(self, precision: int) -> tuple[Fraction, Fraction] | None:
        """Dyadic lo ≤ x ≤ hi from one evaluation at this precision; None if the ball is not finite."""
        ends = self._ends(precision)
        return ends and (_dyadic(ends[0], -1), _dyadic(ends[1], 1))

    def against(self, position: int, length: int, precision: int) -> int:
        """On which side of [u, u + 2^-length], u = position · 2^-length, x lies, at this precision.

        1 if certainly x ≥ u + 2^-length, −1 if certainly x ≤ u, 0 if that is not clear yet.
        No number is written out, so a weight such as e^(-10^30) costs no more than another.
        """
        ends = self._ends(precision)
        if ends is None:
            if precision > _DEFINED:
                raise InvalidParameter("a real number is undefined or too large")
            return 0
        if ends[0] >= arb(arf((position + 1, -length))):
            return 1
        return -1 if ends[1] <= arb(arf((position, -length))) else 0

    def __float__(self) -> float:
        """x to within one unit in the last place; 0.0 if |x| < 2^-4000 cannot be told from 0."""
        if self.rational is not None:
            return float(self.rational)
        precision = 80
        while True:
            if ends := self.ends(precision):
                lo, hi = ends
                if (hi - lo) * 2**60 <= abs(lo) or max(abs(lo), abs(hi)) * 2**1080 <= 1:
                    return float(hi)
            precision = _finer(precision)

    def __repr__(self) -> str:
        return "Real(<private>)"

    def __bool__(self) -> NoReturn:
        raise TypeError("a Real is neither true nor false; use dpselect.exact.reals.less")

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("equality of real numbers is not decidable; use dpselect.exact.reals.less")

    __hash__ = object.__hash__

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Real may hold private numbers and is not serialised")

    def _at_current(self) -> Ball:
        """The ball at flint's current precision; the caller holds the lock."""
        precision = ctx.prec
        if self._precision != precision:
            self._ball = self._evaluate()
            self._precision = precision
        return self._ball

    def _ends(self, precision: int) -> tuple[Ball, Ball] | None:
        """The ends of the ball at the given precision as exact points; None if it is not finite.

        The global precision is put back, whatever happens.
        """
        with _lock:
            before = ctx.prec
            ctx.prec = precision
            try:
                ball = self._at_current()
                return (ball.lower(), ball.upper()) if ball.is_finite() else None
            finally:
                ctx.prec = before


def less(a: Exact | Real, b: Exact | Real) -> bool:
    """a < b, decided by refining both until their balls separate.

    Raises `InvalidParameter` if they are not separate at 2^20 bits (equal, or undefined). Two numbers known
    to be rational are compared exactly.

    >>> less(Real.of(2).sqrt(), Fraction(3, 2)), less(1, 1)
    (True, False)
    """
    x, y = Real.of(a), Real.of(b)
    if x.rational is not None and y.rational is not None:
        return x.rational < y.rational
    precision = 80
    while True:
        p, q = x._ends(precision), y._ends(precision)
        if p and q:
            if p[1] < q[0]:
                return True
            if q[1] < p[0]:
                return False
        precision = _finer(precision)


def _finer(precision: int) -> int:
    """The next working precision, or the refusal to go on for ever."""
    if precision > _FINEST:
        raise InvalidParameter("a real number is undefined, too large, or equal to what it is compared with")
    return 2 * precision


def _largest(ends: list[Ball]) -> Ball:
    """The largest of exact balls (points): here comparing is decided."""
    largest = ends[0]
    for end in ends[1:]:
        if end > largest:
            largest = end
    return largest


def _dyadic(end: Ball, outwards: int) -> Fraction:
    """The exact point as a fraction; a tiny one is moved outwards, a huge one is refused."""
    man, exp = end.man_exp()
    mantissa, exponent = int(man), int(exp)
    if mantissa.bit_length() + exponent > _FINEST:
        raise InvalidParameter("a real number is too large to be written out")
    if mantissa.bit_length() + exponent < -_FINEST:
        if mantissa * outwards <= 0:
            return Fraction(0)
        return Fraction(outwards, 2**_FINEST)
    return Fraction(mantissa * 2**exponent if exponent >= 0 else Fraction(mantissa, 2**-exponent))


# ---------------------------------------------------------------- many balls at once


@contextmanager
def balls(bits: int) -> Iterator[Callable[[Exact | Real], Ball]]:
    """Ball arithmetic in bulk: the lock is held and the precision set once, not for every number.

    What is yielded turns a number into a ball. Balls have + − · /, `exp`, `log`, and `lower()`, `upper()` as exact
    points; only points may be compared. Keep the block short: other threads wait for it.

    >>> with balls(64) as ball:
    ...     narrow = ends((ball(Fraction(1, 3)) * 3).exp() - 1)
    >>> narrow[1] - narrow[0] < Fraction(1, 2**58)
    True
    """
    with _lock:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield _ball
        finally:
            ctx.prec = before


def _ball(value: Exact | Real) -> Ball:
    if isinstance(value, Real):
        return value._at_current()
    return arb(fmpq(value.numerator, value.denominator))


def dyadic_ball(mantissa: int, exponent: int) -> Ball:
    """The exact point mantissa · 2^exponent, at whatever precision."""
    return arb(arf((mantissa, exponent)))


def span(low: Ball, high: Ball) -> Ball:
    """A ball that contains both."""
    return low.union(high)


def ends(ball: Ball) -> tuple[Fraction, Fraction]:
    """Dyadic lo ≤ x ≤ hi of a finite ball."""
    return _dyadic(ball.lower(), -1), _dyadic(ball.upper(), 1)


def float_ends(ball: Ball) -> tuple[float, float]:
    """Floats lo ≤ x ≤ hi: the nearest floats of the ends, moved outwards by one unit in the last place."""
    return math.nextafter(float(ball.lower()), -math.inf), math.nextafter(float(ball.upper()), math.inf)


_rules: dict[tuple[int, int], list[tuple[Ball, Ball]]] = {}


def legendre_rule(points: int) -> list[tuple[Ball, Ball]]:
    """Nodes and weights on [0, 1], at flint's current precision: ∫ f = Σ weight · f(node) for deg f < 2 · points."""
    key = points, ctx.prec
    if key not in _rules:
        pairs = (arb.legendre_p_root(points, k, weight=True) for k in range(points))
        _rules[key] = [((1 + node) / 2, weight / 2) for node, weight in pairs]
    return _rules[key]


def integral(function: Callable[[Ball], Ball], low: Ball, high: Ball, tolerance: Fraction) -> Ball:
    """A ball around ∫ f over [low, high], low and high points; f must be meromorphic, in complex balls.

    Arguments: tolerance, absolute; the ball is wider only where the work would be excessive.
    """
    goal = arb(fmpq(tolerance.numerator, tolerance.denominator))
    return acb.integral(lambda z, _: function(z), low, high, abs_tol=goal, rel_tol=goal, eval_limit=20_000).real
