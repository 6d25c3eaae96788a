"""Laws with a continuous scale on a dataset graph: every kind of edge once, the worst one as exactly as it goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import UnsupportedProblem
from dpselect.methods.law import Law
from dpselect.verification.analytic import polished
from dpselect.verification.boxes import Boxes, Chain
from dpselect.verification.levels import levels_of
from dpselect.verification.outcomes import Edge, Outcomes, Worst
from dpselect.verification.peels import joint, key_of
from dpselect.verification.reading import Readings

_DECIDING = 4000
"""Boxes per edge after which a claim stays undecided."""

_NARROWING = 1500
"""Boxes per edge spent on a narrow enclosure once the claim is decided."""

_SHOWING = 300
"""Boxes looked at for a witness."""

_NARROW = Fraction(1, 10**3)
"""Relative width at which the enclosure of δ is called narrow for several levels."""

_NEARLY = Fraction(1, 20)
"""The same for one level, before it is made exact."""

_ROUNDS = 60
"""Edges that are looked at more closely, at most."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class KernelOutcomes(Outcomes):
    """Laws with a continuous scale.

    Arguments:
        chains: the law of every dataset that has an edge.
        edges: (k, 2) undirected edges.
        names: how to describe an answer, by position.
    """

    chains: Mapping[int, Chain]
    edges: NDArray[np.int64]
    names: Callable[[int], dict[str, Any]]
    step: Callable[[], None] = lambda: None

    @cached_property
    def _ordered(self) -> list[Edge]:
        pairs = [(int(i), int(j)) for i, j in self.edges]
        return [*pairs, *((j, i) for i, j in pairs)]

    @cached_property
    def _kinds(self) -> dict[Hashable, Edge]:
        """One edge for every kind: δ depends on levels and on the exponents side by side, not on names."""
        kinds: dict[Hashable, Edge] = {}
        for i, j in self._ordered:
            mine, other = self.chains[i], self.chains[j]
            places = tuple(
                (key_of(a.location), key_of(b.location)) for a, b in zip(mine.levels, other.levels, strict=True)
            )
            kinds.setdefault((joint(mine.answers, other.answers).kind, places), (i, j))
        return kinds

    def delta(self, epsilon: Fraction, claim: Fraction, *, thorough: bool) -> Worst:
        found: list[tuple[Fraction, Fraction, Edge]] = []
        for edge in self._kinds.values():
            low, high = self._boxes(edge, epsilon).refine(claim, _DECIDING)
            found.append((low, high, edge))
            self.step()
        if thorough:
            self._narrow(found, epsilon, claim)
        low, _, edge = max(found, key=lambda entry: (entry[0], entry[1]))
        return Worst(low, max(high for _, high, _ in found), edge)

    def _narrow(self, found: list[tuple[Fraction, Fraction, Edge]], epsilon: Fraction, claim: Fraction) -> None:
        """Make the enclosure of the maximum narrow: always the edge with the largest upper end first."""
        refined: set[Edge] = set()
        seen: set[Edge] = set()
        for _ in range(_ROUNDS):
            k = max(range(len(found)), key=lambda i: found[i][1])
            low, high, edge = found[k]
            if edge in seen or high == 0:
                return
            boxes, single = self._boxes(edge, epsilon), len(self.chains[edge[0]].levels) == 1
            width = _NEARLY if single else _NARROW
            if high - low > width * high and edge not in refined:
                refined.add(edge)
                best = max(low for low, _, _ in found)
                new_low, new_high = boxes.refine(claim, _NARROWING, narrow=width, beaten=best)
            elif single:
                seen.add(edge)
                new_low, new_high = polished(boxes)
            else:
                return
            found[k] = max(low, new_low), min(high, new_high), edge

    def _boxes(self, edge: Edge, epsilon: Fraction) -> Boxes:
        return Boxes(self.chains[edge[0]], self.chains[edge[1]], epsilon)

    def pure_epsilon(self) -> tuple[float, Edge | None]:
        """inf also where a tail of Laplace noise is not cut by floor and cap: its ratio is not bounded here."""
        best, where = Fraction(0), None
        for edge in self._kinds.values():
            found = self._boxes(edge, Fraction(0)).largest_loss(_NARROWING, best)
            if found is None:
                return math.inf, edge
            if where is None or found[1] > best:
                best, where = found[1], edge
        return math.nextafter(float(best), math.inf), where

    def renyi(self) -> None:
        return None

    def has(self, edge: Edge) -> bool:
        return edge in self._ordered

    def witness(self, edge: Edge, epsilon: Fraction) -> Sequence[Any]:
        enclosure = self._boxes(edge, epsilon)
        # An unreachable claim: the boxes are halved until their number is reached.
        enclosure.refine(Fraction(0), _SHOWING, narrow=Fraction(0))
        return enclosure.witness(self.names)


def chain(law: Law, readings: Readings) -> Chain:
    """The law at one dataset as levels and constants. Errors: `UnsupportedProblem` if it is not of that form."""
    peeling = readings.peeling(law)
    answers, doubled = (peeling.given((Fraction(b),)) for b in (1, 2))
    for gone, constants in answers.exponents.items():
        for one, two in zip(constants, doubled.exponents[gone], strict=True):
            if (one is None) != (two is None) or (
                isinstance(one, Fraction) and isinstance(two, Fraction) and one != 2 * two
            ):
                raise UnsupportedProblem("verification needs exponents inversely proportional to the scale")
    return Chain(levels_of(law.scale), answers)
