"""What a verification asks of a mechanism on a whole dataset graph, however its laws are represented."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

Edge: TypeAlias = tuple[int, int]
"""An ordered edge: the first dataset is the one whose outcomes are too likely."""

Interval: TypeAlias = tuple[Fraction, Fraction]


@final
@dataclass(frozen=True)
class Worst:
    """A quantity at its worst ordered edge: an enclosure of the maximum over all edges, and where it is attained."""

    lower: Fraction
    upper: Fraction
    edge: Edge | None


class Outcomes(ABC):
    """The output laws of a mechanism at every dataset of a graph."""

    @abstractmethod
    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        """max over ordered edges of sup_O (P_x(O) − e^ε P_{x'}(O)).

        Refined until it is decided against the claim, and, if thorough, until the enclosure is narrow; or until the
        work is excessive.
        """

    @abstractmethod
    def pure_epsilon(self) -> tuple[float, Edge | None] | None:
        """max log(P_x(o)/P_{x'}(o)) rounded up (inf where a support changes), and its edge; None if not computed."""

    @abstractmethod
    def renyi(self) -> tuple[float, Edge | None] | None:
        """max over ordered edges of log Σ P_x² / P_{x'}, rounded up; None if not computed."""

    @abstractmethod
    def has(self, edge: Edge) -> bool:
        """Whether the ordered edge is one of these."""

    @abstractmethod
    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        """The outcomes with P_x(o) > e^ε P_{x'}(o), as JSON can hold them."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class NoEdges(Outcomes):
    """A graph without edges: there is nothing that could be told apart."""

    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        return Worst(Fraction(0), Fraction(0), None)

    def pure_epsilon(self) -> tuple[float, Edge | None]:
        return 0.0, None

    def renyi(self) -> tuple[float, Edge | None]:
        return 0.0, None

    def has(self, edge: Edge) -> bool:
        return False

    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        return []


@final
@dataclass(frozen=True, eq=False, repr=False)
class Parts(Outcomes):
    """Edges of several kinds, every kind with a representation of its own."""

    parts: Sequence[Outcomes]

    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        found = [part.delta(epsilon, claim, thorough=thorough) for part in self.parts]
        worst = max(found, key=lambda w: (w.lower, w.upper))
        return Worst(worst.lower, max(w.upper for w in found), worst.edge)

    def pure_epsilon(self) -> tuple[float, Edge | None] | None:
        return _largest([part.pure_epsilon() for part in self.parts])

    def renyi(self) -> tuple[float, Edge | None] | None:
        return _largest([part.renyi() for part in self.parts])

    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        return next(part for part in self.parts if part.has(edge)).witness(edge, epsilon)

    def has(self, edge: Edge) -> bool:
        return any(part.has(edge) for part in self.parts)


def _largest(found: Sequence[tuple[float, Edge | None] | None]) -> tuple[float, Edge | None] | None:
    known = [value for value in found if value is not None]
    return max(known, key=lambda value: value[0]) if len(known) == len(found) else None
