"""Reading laws: whatever describes a mechanism at a dataset becomes slices of outcomes, or levels of a scale.

Three kinds of laws are read: `Law` objects of the library, finite laws, and a user's own dictionary from a candidate
to its probability.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import exact
from dpselect.methods.law import FiniteLaw, Law
from dpselect.methods.scale import FiniteScaleLaw
from dpselect.verification.answers import Answer, Certain, Exponent, Listed, Weighed, refuse_no_best
from dpselect.verification.finite import Mixture
from dpselect.verification.outcomes import Interval
from dpselect.verification.peels import Peeling, orders
from dpselect.verification.searches import NOT_RELEASED, finite_scales

FLOAT_ERROR = Fraction(1, 2**40)
"""A probability given as a float is taken to be within this relative error of what was meant."""

_SUM_ERROR = Fraction(1, 10**9)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Readings:
    """The laws at every dataset, on one common list of candidates; an answer is `peels` of them in order."""

    laws: Sequence[Any]
    names: Sequence[Hashable]
    peels: int

    @cached_property
    def _orders(self) -> list[tuple[int, ...]]:
        return orders(len(self.names), self.peels)

    def answered(self, position: int) -> Any:
        """An answer: the name of a candidate, or with top-k a tuple of names."""
        if self.peels == 1:
            return self.names[position]
        return tuple(self.names[r] for r in self._orders[position])

    def described(self, position: int) -> dict[str, Any]:
        """The same as an entry beside a scale."""
        answer = self.answered(position)
        return {"candidate": answer} if self.peels == 1 else {"candidates": list(answer)}

    def mixture(self, position: int) -> Mixture:
        """The law at one dataset, which must have finitely many outcomes."""
        law = self.laws[position]
        if isinstance(law, Mapping):
            return Mixture([()], Certain(), [_listed(law, self.names)])
        if isinstance(law, FiniteLaw):
            return Mixture([()], Certain(), [self.answer(law)])
        scale = law.scale
        assert isinstance(scale, FiniteScaleLaw)
        labels, chances = finite_scales(scale)
        peeling = self.peeling(law)
        answers = [None if s == NOT_RELEASED else peeling.given(s) for s in labels]
        return Mixture(labels, chances, answers, hidden=law.calibration.releases == "candidate")

    def peeling(self, law: Law) -> Peeling:
        """The peels of the draw: its exponents, and its sampler."""
        return Peeling(law, [self._places[hashable(name)] for name in law.names], len(self.names))

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {name: i for i, name in enumerate(self.names)}

    def answer(self, law: FiniteLaw) -> Answer:
        """A finite law on the common list of candidates, exact where its exponents are known."""
        if law.exponents is not None and law.sampler is not None:
            weights: list[Exponent] = [None] * len(self.names)
            for i, name in enumerate(law.names):
                weights[self._places[hashable(name)]] = law.exponents.exact(i)
            refuse_no_best(weights, law.sampler.name)
            return Weighed(weights, law.sampler.name)
        own = [hashable(name) for name in law.names]
        given = dict(zip(own, law.probabilities.tolist(), strict=True))
        return _listed(given, self.names)


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
    peels = {law.calibration.peels if isinstance(law, Law) else 1 for law in laws}
    if len(peels) > 1:
        raise UnsupportedProblem("the laws name different numbers of candidates at different datasets")
    return Readings(laws, list(names), *peels)


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
