"""Top-k by its definition: k peels one after the other, each among the candidates that are left.

    Pr[r_1, …, r_k | scales] = Π_j P(r_j | scales, without r_1, …, r_{j−1})

The law of a peel is asked for at the dataset without the candidates that are gone: flip distances are found anew,
counts are those of the candidates left. It depends on which ones are gone, not on their order, so there is one for
every set. A single candidate is the case k = 1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, final

from dpselect.errors import UnsupportedProblem
from dpselect.exact.reals import Real
from dpselect.methods.law import Law
from dpselect.methods.scale import Scales
from dpselect.question import Evaluation
from dpselect.verification.answers import Answer, Ball, Exponent, ToBall, Weighed, refuse_no_best

MOST_ORDERS: Final = 20_000
"""Ordered answers of one dataset: so many probabilities per released scale."""

MOST_ORDERS_OF_CONTINUOUS_SCALES: Final = 1_000
"""The same where the scale is continuous: they are enclosed on thousands of cells of an edge."""

Gone: TypeAlias = frozenset[int]
"""Positions of candidates that were answered before."""


def orders(size: int, peels: int) -> list[tuple[int, ...]]:
    """All answers: `peels` of `size` positions in order, lexicographically."""
    return list(itertools.permutations(range(size), peels))


def refuse_too_many(size: int, peels: int, *, continuous: bool) -> None:
    """Nothing is computed where there are too many answers to go through. A single candidate is always possible."""
    most = MOST_ORDERS_OF_CONTINUOUS_SCALES if continuous else MOST_ORDERS
    count = math.perm(size, peels)
    if peels > 1 and count > most:
        where = " for a method with a continuous scale" if continuous else ""
        raise UnsupportedProblem(
            f"top={peels} of {size} candidates has {count:,} answers at every dataset; verify goes through at most "
            f"{most:,}{where}: take fewer candidates, or a smaller top"
        )


@final
@dataclass(frozen=True, eq=False, repr=False)
class Peels(Answer):
    """The law of the answers in the order of `orders`, given the scales.

    Arguments:
        size: the candidates on the common list.
        peels: k.
        exponents: for every set of fewer than k candidates that are gone, z_r of all; None for those gone.
        sampler: its law.
    """

    size: int
    peels: int
    exponents: Mapping[Gone, Sequence[Exponent]]
    sampler: str

    def balls(self, ball: ToBall) -> list[Ball]:
        laws = {gone: Weighed(z, self.sampler).balls(ball) for gone, z in self.exponents.items()}
        found: list[tuple[tuple[int, ...], Ball]] = [((r,), p) for r, p in enumerate(laws[frozenset()])]
        for _ in range(1, self.peels):
            found = [
                ((*order, r), mass * p)
                for order, mass in found
                for r, p in enumerate(laws[frozenset(order)])
                if r not in order
            ]
        return [mass for _, mass in found]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Peeling:
    """The peels of a law at its dataset; `places[i]` is where its i-th candidate is on the common list of `size`."""

    law: Law
    places: Sequence[int]
    size: int

    @cached_property
    def _evaluations(self) -> dict[Gone, Evaluation]:
        """The dataset without the candidates gone, by their own positions."""
        found = {frozenset[int](): self.law.evaluation}
        for number in range(1, self.law.calibration.peels):
            for gone in itertools.combinations(range(len(self.places)), number):
                # All others that are gone come before the last one.
                found[frozenset(gone)] = found[frozenset(gone[:-1])].without([gone[-1] - number + 1])
        return found

    def given(self, scales: Scales) -> Peels:
        """The law of the answers given the released scales."""
        calibration, own = self.law.calibration, {}
        for gone, evaluation in self._evaluations.items():
            exponents = calibration.selection.exponents(evaluation, scales)
            left = [i for i in range(len(self.places)) if i not in gone]
            row: list[Exponent] = [None] * self.size
            for position, i in enumerate(left):
                row[self.places[i]] = exponents.exact(position)
            refuse_no_best(row, calibration.sampler.name)
            own[frozenset(self.places[i] for i in gone)] = row
        among = frozenset(self.places)
        # A candidate that this dataset does not have is never answered here: without it everything is as before.
        every = {
            frozenset(gone): own[among.intersection(gone)]
            for number in range(calibration.peels)
            for gone in itertools.combinations(range(self.size), number)
        }
        return Peels(self.size, calibration.peels, every, calibration.sampler.name)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stage:
    """The candidates left before a peel at both ends of an edge: those with the same two exponents are one.

    Arguments:
        exponents: at the first dataset, and at the second.
        counts: how many candidates have them.
    """

    exponents: tuple[tuple[Exponent, ...], tuple[Exponent, ...]]
    counts: tuple[int, ...]


Layer: TypeAlias = tuple[tuple[int, int, int], ...]
"""Of every beginning of an answer: the one it prolongs, and the stage and group of its last candidate."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """The answers at both ends of an edge; those that have the same probabilities by symmetry are one.

    Arguments:
        stages: the different sets of candidates left.
        layers: one for each peel; the entries of the last one are the answers.
        members: the positions of the answers that are one.
        kind: equal for edges whose laws differ in names only.
    """

    stages: Sequence[Stage]
    layers: Sequence[Layer]
    members: Sequence[Sequence[int]]
    kind: Hashable

    def products(self, chances: Sequence[Sequence[Ball]]) -> list[Ball]:
        """For every answer the product of the chances, stage by stage, of its candidates."""
        first, *further = self.layers
        found = [chances[stage][group] for _, stage, group in first]
        for layer in further:
            found = [found[before] * chances[stage][group] for before, stage, group in layer]
        return found


def joint(mine: Peels, other: Peels) -> Joint:
    """The laws at the two ends of an edge side by side."""
    stages: dict[Hashable, tuple[int, dict[Hashable, int], Stage]] = {}
    stage_of: dict[Gone, tuple[int, dict[Hashable, int], list[Hashable]]] = {}
    for gone in mine.exponents:
        sides = zip(mine.exponents[gone], other.exponents[gone], strict=True)
        pairs: list[Hashable] = [(key_of(a), key_of(b)) for a, b in sides]
        groups: dict[Hashable, list[int]] = {}
        for r, pair in enumerate(pairs):
            if r not in gone:
                groups.setdefault(pair, []).append(r)
        key = frozenset((pair, len(group)) for pair, group in groups.items())
        if key not in stages:
            exponents = tuple(tuple(side.exponents[gone][g[0]] for g in groups.values()) for side in (mine, other))
            stage = Stage((exponents[0], exponents[1]), tuple(map(len, groups.values())))
            stages[key] = len(stages), {pair: i for i, pair in enumerate(groups)}, stage
        index, places, _ = stages[key]
        stage_of[gone] = index, places, pairs
    layers: list[Layer] = []
    found: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for _ in range(mine.peels):
        entries: dict[tuple[int, int, int], int] = {}
        following = []
        for order, before in found:
            index, places, sides_of = stage_of[frozenset(order)]
            for r in range(mine.size):
                if r not in order:
                    entry = (before, index, places[sides_of[r]])
                    following.append(((*order, r), entries.setdefault(entry, len(entries))))
        found = following
        layers.append(tuple(entries))
    members: list[list[int]] = [[] for _ in layers[-1]]
    for position, (_, answer) in enumerate(found):
        members[answer].append(position)
    return Joint([stage for _, _, stage in stages.values()], layers, members, _kind(stages, layers, members))


def _kind(
    stages: Mapping[Hashable, tuple[int, dict[Hashable, int], Stage]],
    layers: Sequence[Layer],
    members: Sequence[Sequence[int]],
) -> Hashable:
    """Which answers there are, each by the exponents that it depends on, and how many of each."""
    names = [(key, list(places)) for key, (_, places, _) in stages.items()]
    found: list[tuple[Hashable, ...]] = [()]
    for layer in layers:
        found = [(*found[before], names[stage][0], names[stage][1][group]) for before, stage, group in layer]
    return frozenset((answer, len(some)) for answer, some in zip(found, members, strict=True))


def key_of(value: Exponent) -> Hashable:
    """Equal keys, equal numbers."""
    return ("real", id(value)) if isinstance(value, Real) else value


__all__ = ["Joint", "Peeling", "Peels", "Stage", "joint", "key_of", "orders", "refuse_too_many"]
