"""What a release costs: (ε, δ), the parts it is made of, and composition.

    Pr_x[M ∈ O] ≤ e^ε Pr_{x'}[M ∈ O] + δ   for all neighbours x ~ x' and all sets O.

A guarantee keeps its parts apart, because an accountant can price some of them more tightly: an ε-range-bounded
part (the log-ratio of the two laws varies by at most ε over the outcomes, as for every Gibbs selection) costs
ε²/8 of zero-concentrated privacy, a merely pure part ε²/2. Permute-and-flip is pure but not range-bounded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import final

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative


@final
class Kind(Enum):
    """How a part of a guarantee bounds the privacy loss."""

    RANGE_BOUNDED = "range-bounded"
    LAPLACE = "laplace"
    PURE = "pure"


@final
@dataclass(frozen=True)
class Part:
    """One adaptively composed part: what kind of loss, its ε."""

    kind: Kind
    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", nonnegative(self.epsilon, "epsilon"))


@final
@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy: ε = Σ of the parts' ε, δ = the probability mass outside them.

    >>> both = Guarantee.pure("1/2") + Guarantee.of([Part(Kind.RANGE_BOUNDED, Fraction(1, 4))], delta="1e-6")
    >>> str(both.epsilon), str(both.delta)
    ('3/4', '1/1000000')
    """

    parts: tuple[Part, ...]
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidParameter(f"delta must be at least 0 and below 1, got {self.delta}")

    @classmethod
    def of(cls, parts: Iterable[Part], *, delta: object = 0) -> Guarantee:
        """From parts; those that cost nothing are left out."""
        return cls(tuple(p for p in parts if p.epsilon), nonnegative(delta, "delta"))

    @classmethod
    def pure(cls, epsilon: object) -> Guarantee:
        """ε-differential privacy, nothing more known about the loss."""
        return cls.of([Part(Kind.PURE, nonnegative(epsilon, "epsilon"))])

    @classmethod
    def approximate(cls, epsilon: object, delta: object) -> Guarantee:
        """(ε, δ)-differential privacy, nothing more known about the loss."""
        return cls.of([Part(Kind.PURE, nonnegative(epsilon, "epsilon"))], delta=delta)

    @classmethod
    def free(cls) -> Guarantee:
        """What an answer costs that does not depend on the data within a component of the dataset graph."""
        return cls(())

    @property
    def epsilon(self) -> Fraction:
        """The total ε of basic composition, exact."""
        return sum((p.epsilon for p in self.parts), Fraction(0))

    @property
    def zcdp(self) -> Fraction:
        """ρ with which all parts together are ρ-zCDP (δ-approximately, if δ > 0): Σ ε²/8 or ε²/2."""
        return sum((p.epsilon**2 / (8 if p.kind is Kind.RANGE_BOUNDED else 2) for p in self.parts), Fraction(0))

    def __add__(self, other: Guarantee) -> Guarantee:
        """Adaptive composition: ε and δ add up."""
        if self.delta + other.delta >= 1:
            raise InvalidParameter("the deltas add up to 1 or more: nothing would be guaranteed")
        return Guarantee(self.parts + other.parts, self.delta + other.delta)

    def covers(self, other: Guarantee) -> bool:
        """Whether this guarantee promises at most what the other one costs."""
        return other.epsilon <= self.epsilon and other.delta <= self.delta
