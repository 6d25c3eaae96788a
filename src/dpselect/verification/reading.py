"""Reading laws: whatever describes a mechanism at a dataset becomes slices of outcomes, or levels of a scale.

Three kinds of laws are read: `Law` objects of the library, finite laws, and a user's own dictionary from a candidate
to its probability.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import exact
from dpselect.exact.reals import Real
from dpselect.methods.law import FiniteLaw, Law
from dpselect.methods.scale import FiniteScaleLaw
from dpselect.verification.answers import Answer, Listed, Weighed
from dpselect.verification.finite import Slice
from dpselect.verification.outcomes import Interval

FLOAT_ERROR = Fraction(1, 2**40)
"""A probability given as a float is taken to be within this relative error of what was meant."""

_SUM_ERROR = Fraction(1, 10**9)

NOT_RELEASED = "not released"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Readings:
    """The laws at every dataset, on one common list of candidates."""

    laws: Sequence[Any]
    names: Sequence[Hashable]

    def slices(self) -> list[list[Slice]]:
        """All laws as finite outcomes."""
        return [self._slices(law) for law in self.laws]

    def _slices(self, law: Any) -> list[Slice]:
        if isinstance(law, Mapping):
            return [Slice((), Fraction(1), _listed(law, self.names))]
        if isinstance(law, FiniteLaw):
            return [Slice((), Fraction(1), self.answer(law))]
        scale = law.scale
        assert isinstance(scale, FiniteScaleLaw)
        sure = len(scale.support) == 1 and scale.probabilities[0] == 1.0
        masses: Sequence[Fraction | Real | Interval] = [Fraction(1)] if sure else _masses(scale)
        slices = [
            Slice(scales, mass, self.answer(law.given(scales[-1] if scales else None)))
            for scales, mass in zip(scale.support, masses, strict=False)
        ]
        if len(masses) > len(scale.support):
            slices.append(Slice(NOT_RELEASED, masses[-1], None))
        return slices

    def answer(self, law: FiniteLaw) -> Answer:
        """A finite law on the common list of candidates, exact where its exponents are known."""
        own = [hashable(name) for name in law.names]
        if law.exponents is not None and law.sampler is not None:
            weights = [law.exponents.exact(i) for i in range(law.exponents.size)]
            if own != self.names:
                place = dict(zip(own, weights, strict=True))
                weights = [place.get(name) for name in self.names]
            return Weighed(weights, law.sampler.name)
        given = dict(zip(own, law.probabilities.tolist(), strict=True))
        return _listed(given, self.names)


def _masses(scale: FiniteScaleLaw) -> Sequence[Fraction | Real | Interval]:
    """The probabilities of a finite scale law, one for every support point and, if any is left, of no release."""
    error = Fraction(scale.error)
    ends = [(max(Fraction(0), Fraction(p) - error), Fraction(p) + error) for p in scale.probabilities]
    rest = 1 - sum((Fraction(p) for p in scale.probabilities), Fraction(0))
    if rest > len(ends) * error:
        ends.append((max(Fraction(0), rest - len(ends) * error), rest + len(ends) * error))
    return ends


def read(laws: Sequence[Any], datasets: Sequence[Any]) -> Readings:
    """Check what a mechanism gave for every dataset and put it on one list of candidates."""
    names: dict[Hashable, None] = {}
    for name, law in zip(datasets, laws, strict=True):
        if isinstance(law, Mapping):
            _check(law, name)
            names.update(dict.fromkeys(hashable(c) for c in law))
        elif isinstance(law, FiniteLaw | Law):
            names.update(dict.fromkeys(hashable(c) for c in law.names))
        else:
            raise InvalidParameter(
                f"method must give a law for every dataset: a mapping from a candidate to its probability, or what "
                f"ds.law(…) gives; for {name!r} it gave {type(law).__name__}"
            )
    return Readings(laws, list(names))


def _check(law: Mapping[Any, Any], dataset: Any) -> None:
    values = [exact(p) for p in law.values()]
    if not values or any(p is None or p < 0 for p in values):
        raise InvalidParameter(
            f"the law at dataset {dataset!r} must map candidates to probabilities (finite, at least 0)"
        )
    total = sum((p for p in values if p is not None), Fraction(0))
    if abs(total - 1) > _SUM_ERROR:
        raise InvalidParameter(f"the probabilities at dataset {dataset!r} must sum to 1, not {float(total):.6g}")


def _listed(law: Mapping[Any, Any], names: Sequence[Hashable]) -> Listed:
    given = {hashable(c): p for c, p in law.items()}
    return Listed([_interval(given.get(name, 0)) for name in names])


def _interval(value: Any) -> Interval:
    number = exact(value)
    assert number is not None  # checked when it was read
    if isinstance(value, float) or hasattr(value, "dtype"):
        return number * (1 - FLOAT_ERROR), number * (1 + FLOAT_ERROR)
    return number, number


def hashable(name: Any) -> Hashable:
    """A candidate as a key: a subset, which is a list, becomes a tuple."""
    return tuple(name) if isinstance(name, list) else name
