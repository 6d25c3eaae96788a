"""Private scores q_r of m candidates, their gaps g_r = max q − q_r ≥ 0, and the exponents z_r = rate · g_r.

    IntegerScores   q_r = values_r · unit          integers (of any size) times one rational
    FloatScores     q_r = values_r                 each float is the dyadic rational it is
    RealScores      |approximation_r − q_r| ≤ e    numbers that were computed, refined when a coin needs it

Gaps are subtracted in exact arithmetic, never in the caller's dtype, so nothing wraps, overflows or is
rounded away.

Source: theory section 10.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.exact.exponents import COARSEST_ERROR, FINEST_ERROR, Exponents
from dpselect.exact.numbers import exact as exact_number
from dpselect.exact.numbers import integer_array
from dpselect.exact.private import Private
from dpselect.exact.reals import Real

LARGEST: Final = float(np.finfo(np.float64).max)
"""Proposals of gaps saturate here."""

_FAR: Final = 2.0**1000
"""Proposals of exponents saturate here: finite, because inf means excluded."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Gaps(Private):
    """g_r = max q − q_r ≥ 0, in score units.

    Arguments:
        given: the proposals, float64 with |proposal_r − g_r| ≤ 2^-50 g_r + error, or how to make them when they
            are first asked for. A gap above 1.8e308 has that as its proposal; gaps that are integers times a
            unit below 1e-290 lose digits here (not in `times`, which goes from the integers).
        exact: the gap of one candidate.
        integers, unit: where given, g_r = integers_r · unit (int64 or Python integers).
        error: an absolute error of the proposals, in score units; 0 for exact scores.

    >>> Scores.of([3, 5]).gaps()
    Gaps(<private>)
    """

    given: NDArray[np.float64] | Callable[[], NDArray[np.float64]]
    exact: Callable[[int], Fraction | Real]
    integers: NDArray[Any] | None = None
    unit: Fraction | None = None
    error: Fraction = field(default=Fraction(0))

    @property
    def size(self) -> int:
        return self.proposal.size if self.integers is None else self.integers.size

    @cached_property
    def proposal(self) -> NDArray[np.float64]:
        """The gaps as float64."""
        return self.given() if callable(self.given) else self.given

    @staticmethod
    def of_integers(integers: NDArray[Any], unit: Fraction) -> "Gaps":
        """g = integers · unit; integers ≥ 0, int64 or Python integers; unit > 0."""

        def proposal() -> NDArray[np.float64]:
            if integers.dtype == object:
                return np.array([_saturated(int(x) * unit, LARGEST) for x in integers], dtype=np.float64)
            return integers.astype(np.float64) if unit == 1 else _product(integers, unit, LARGEST)

        return Gaps(proposal, lambda i: int(integers[i]) * unit, integers, unit)

    def times(self, rate: Fraction) -> Exponents:
        """z_r = rate · g_r, formed as a rational: no product of floats decides anything.

        Arguments: rate > 0, per score unit; it may lie outside the range of floats. A gap of 0 gives z = 0
        whatever the rate, and no proposal is infinite. Errors: `InvalidParameter` unless rate > 0.

        Proof of the proposals' error. Float gaps: 2^-50 for the gap, 2^-53 for the rate, 2^-53 for the
        product, so less than 2^-49 z ≤ 2^-44 max(1, z). Integers: 2^-53 each for integer, rate · unit and
        product. Underflow costs 2^-51 absolute at most (a subnormal rate times the largest gap). Real
        scores add rate · error, which makes `Exponents.error` coarser; beyond 2^-16 the proposals are made
        again from the exact gaps.

        Cost: one pass; about 2 µs a candidate for Python integers, 20 µs where real gaps must be refined.

        >>> Scores.of([3, 5]).gaps().times(Fraction(1, 3)).exact(0)
        Fraction(2, 3)
        """
        if rate <= 0:
            raise InvalidParameter("the rate must be above 0")
        source = self.exact

        def exact(i: int) -> Fraction | Real:
            return source(i) * rate

        if self.integers is not None and self.unit is not None:
            return Exponents(_times_integers(self.integers, rate * self.unit), exact)
        added = rate * self.error
        if added > Fraction(COARSEST_ERROR) / 2:
            return Exponents(np.array([_saturated(exact(i), _FAR) for i in range(self.size)]), exact)
        proposal = _product(self.proposal, rate, _FAR)
        if rate * Fraction(LARGEST) < 2**10:
            for i in np.flatnonzero(self.proposal == LARGEST).tolist():
                proposal[i] = _saturated(exact(i), _FAR)
        return Exponents(proposal, exact, _power_of_two_above(added) if added else FINEST_ERROR)


class Scores(Private):
    """One score per candidate."""

    @staticmethod
    def of(values: Any, name: str = "scores") -> "Scores":
        """The scores in an array or a sequence, kept exactly.

        Accepts NumPy arrays of integers, booleans and floats of any width (widened first), sequences of
        int, float, Fraction, Decimal, strings such as "1/3" and mixtures of them (brought to a common
        denominator), anything that NumPy reads as a one-dimensional array, and Scores. Errors:
        `InvalidParameter` for another type, shape or no score at all; `InvalidData`, which shows no score
        and no position, for NaN, infinities, booleans in a list and what is not a number. Cost: two passes
        over an array; about 2 µs a score for mixed lists.

        >>> Scores.of(np.array([0, 255], dtype=np.uint8)), Scores.of([0.5, 1.0]), Scores.of([1, "1/3"])
        (IntegerScores(<private>), FloatScores(<private>), IntegerScores(<private>))
        """
        if isinstance(values, Scores):
            return values
        if isinstance(values, np.ma.MaskedArray):
            raise InvalidParameter(f"{name} must not be a masked array")
        if isinstance(values, str | bytes | dict | set | frozenset):
            raise InvalidParameter(f"{name} must be an array or a sequence of numbers, not {type(values).__name__}")
        if not isinstance(values, Sequence):
            values = np.asarray(values)
            if values.ndim != 1:
                raise InvalidParameter(f"{name} must be one-dimensional")
            if values.dtype.kind not in "biufOU":
                raise InvalidParameter(f"{name} must be numbers, not an array of dtype {values.dtype}")
        if len(values) == 0:
            raise InvalidParameter(f"{name} must hold at least one score")
        if isinstance(values, np.ndarray):
            if values.dtype.kind in "biu":
                return IntegerScores(integer_array(values), Fraction(1))
            if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
                return FloatScores(values.astype(np.float64, copy=False), name)
            # Long doubles do not fit into float64; each is a rational like the entries of any list.
            values = list(values)
        types = set(map(type, values))
        if types == {int}:
            return IntegerScores(integer_array(values), Fraction(1))
        if types <= {float, np.float64}:
            return FloatScores(np.array(values, dtype=np.float64), name)
        numbers = [exact_number(x) for x in values]
        rationals = [x for x in numbers if x is not None]
        if len(rationals) < len(numbers):
            raise InvalidData(f"{name} must be finite numbers")
        denominator = math.lcm(*(x.denominator for x in rationals))
        integers = integer_array([x.numerator * (denominator // x.denominator) for x in rationals])
        return IntegerScores(integers, Fraction(1, denominator))

    @abstractmethod
    def without(self, indices: Sequence[int] | NDArray[np.int64]) -> "Scores":
        """The scores of the other candidates, in the same order."""

    @abstractmethod
    def gaps(self) -> Gaps:
        """g_r = max q − q_r."""

    @abstractmethod
    def maximisers(self) -> NDArray[np.bool_]:
        """Which candidates have the largest score. Curator only."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class IntegerScores(Scores):
    """q_r = values_r · unit, unit > 0.

    Integers of any width, and Python integers, are taken; below 2^62 they are kept as int64, so a
    difference of two stays below 2^63. The array must not be changed afterwards.

    >>> IntegerScores(np.array([1, 4]), Fraction(1, 2)).gaps().exact(0)
    Fraction(3, 2)
    """

    values: NDArray[Any]
    unit: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.unit <= 0:
            raise InvalidParameter("the unit of integer scores must be above 0")
        if len(self.values) == 0:
            raise InvalidParameter("at least one score is needed")
        object.__setattr__(self, "values", integer_array(self.values))

    @property
    def size(self) -> int:
        return self.values.size

    def without(self, indices: Sequence[int] | NDArray[np.int64]) -> "IntegerScores":
        return IntegerScores(np.delete(self.values, indices), self.unit)

    def gaps(self) -> Gaps:
        return Gaps.of_integers(self.values.max() - self.values, self.unit)

    def maximisers(self) -> NDArray[np.bool_]:
        return np.asarray(self.values == self.values.max(), dtype=np.bool_)


@final
@dataclass(frozen=True, eq=False, repr=False)
class FloatScores(Scores):
    """q_r = values_r, the dyadic rational that the float64 is; subnormals and 1e308 included.

    Errors: `InvalidData` for NaN and infinities. The array must not be changed afterwards.

    >>> FloatScores(np.array([-1e308, 1e308])).gaps().exact(0) == 2 * Fraction(1e308)
    True
    """

    values: NDArray[np.float64]
    name: str = "scores"

    def __post_init__(self) -> None:
        if self.values.dtype != np.float64 or self.values.ndim != 1 or self.values.size == 0:
            raise InvalidParameter(f"{self.name} must be a non-empty one-dimensional float64 array")
        if not (math.isfinite(self.values.max()) and math.isfinite(self.values.min())):
            raise InvalidData(f"{self.name} must be finite numbers")

    @property
    def size(self) -> int:
        return self.values.size

    def without(self, indices: Sequence[int] | NDArray[np.int64]) -> "FloatScores":
        return FloatScores(np.delete(self.values, indices), self.name)

    def gaps(self) -> Gaps:
        """A difference of floats is correctly rounded, and exact where it is subnormal: error 2^-53 g."""
        values = self.values
        top = float(values.max())
        with np.errstate(over="ignore"):
            proposal = top - values
        np.minimum(proposal, LARGEST, out=proposal)
        return Gaps(proposal, lambda i: Fraction(top) - Fraction(float(values[i])))

    def maximisers(self) -> NDArray[np.bool_]:
        return np.asarray(self.values == self.values.max())


@final
@dataclass(frozen=True, eq=False, repr=False)
class RealScores(Scores):
    """Scores that were computed: q_r = exact(r), a real number, and |approximations_r − q_r| ≤ error.

    Two equal scores are only seen to be equal if `exact` returns the same Real for both, or rational ones;
    else their difference is refined as far as a coin needs, which ends with probability 1.

    >>> RealScores(np.array([0.69, 0.0]), Fraction(1, 100), lambda i: Real.of(2 - i).log()).maximisers()
    array([ True, False])
    """

    approximations: NDArray[np.float64]
    error: Fraction
    exact: Callable[[int], Real]

    def __post_init__(self) -> None:
        approximations = self.approximations
        if approximations.dtype != np.float64 or approximations.ndim != 1 or approximations.size == 0:
            raise InvalidParameter("approximations must be a non-empty one-dimensional float64 array")
        if self.error < 0:
            raise InvalidParameter("the error of approximations must be at least 0")
        if not max(abs(float(approximations.max())), abs(float(approximations.min()))) < 2.0**1000:
            raise InvalidData("scores must be finite numbers")

    @property
    def size(self) -> int:
        return self.approximations.size

    def without(self, indices: Sequence[int] | NDArray[np.int64]) -> "RealScores":
        kept = np.delete(np.arange(self.size), indices)
        exact = self.exact
        return RealScores(self.approximations[kept], self.error, lambda i: exact(int(kept[i])))

    @cached_property
    def _contenders(self) -> dict[int, Real]:
        """The candidates whose approximation leaves it possible that they are maximal."""
        top = Fraction(float(self.approximations.max())) - 2 * self.error
        # Rounded down, so nobody is lost.
        least = np.nextafter(_saturated(abs(top), LARGEST) * (1 if top > 0 else -1), -np.inf)
        return {i: self.exact(i) for i in np.flatnonzero(self.approximations >= least).tolist()}

    @cached_property
    def _top(self) -> Real:
        return Real.maximum(self._contenders.values())

    def gaps(self) -> Gaps:
        """The maximum is taken over the possible maximisers only, and not before a gap is asked for."""
        approximations = self.approximations

        def exact(i: int) -> Fraction | Real:
            contender = self._contenders.get(i)
            if contender is self._top:
                return Fraction(0)
            gap = self._top - (self.exact(i) if contender is None else contender)
            return gap if gap.rational is None else gap.rational

        proposal = approximations.max() - approximations
        return Gaps(proposal, exact, error=2 * self.error)

    def maximisers(self) -> NDArray[np.bool_]:
        """Those whose enclosure (128 bits) reaches the largest lower end: all that may be maximal."""
        mask = np.zeros(self.size, dtype=np.bool_)
        ends = {i: x.enclosure(128) for i, x in self._contenders.items()}
        top = max(lo for lo, _ in ends.values())
        mask[[i for i, (_, hi) in ends.items() if hi >= top]] = True
        return mask


def _saturated(x: Fraction | Real, largest: float) -> float:
    """x ≥ 0 as a float, at most `largest`."""
    if isinstance(x, Real):
        x = max(x.enclosure(64)[1], Fraction(0))
    return largest if x >= largest else float(x)


def _product(array: NDArray[Any], factor: Fraction, largest: float) -> NDArray[np.float64]:
    """array · factor in float64, at most `largest`; a zero stays zero however large the factor is."""
    proposal: NDArray[np.float64] = array
    with np.errstate(over="ignore", under="ignore"):
        steps = 0
        while factor >= 2**1000 and steps < 3:
            proposal = np.minimum(proposal * 2.0**1000, largest)
            factor, steps = factor / 2**1000, steps + 1
        proposal = proposal * _saturated(factor, 2.0**1000)
    return np.minimum(proposal, largest, out=proposal)


def _times_integers(integers: NDArray[Any], factor: Fraction) -> NDArray[np.float64]:
    """integers · factor as proposals of exponents."""
    if integers.dtype == object:
        return np.array([_saturated(int(x) * factor, _FAR) for x in integers], dtype=np.float64)
    if factor < 2**900:
        with np.errstate(under="ignore"):
            return np.asarray(integers * float(factor))
    return np.where(integers > 0, _FAR, 0.0)


def _power_of_two_above(added: Fraction) -> float:
    """A power of two of at least 2^-44 + added, for added ≤ 2^-17."""
    total = added + Fraction(FINEST_ERROR)
    power = Fraction(FINEST_ERROR)
    while power < total:
        power *= 2
    return float(power)
