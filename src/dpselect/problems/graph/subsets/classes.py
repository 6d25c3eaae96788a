"""Graphs on k ≤ 6 vertices as bit masks, their isomorphism classes, and what a few edges can do to a motif in them.

Bit b(b − 1)/2 + a of a mask is the pair a < b, so that a vertex more adds its bits on top: the mask of a subset grows
as its vertices are listed. A class is named by its least mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations
from math import comb
from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.motifs.pattern import Pattern

Int64 = npt.NDArray[np.int64]
Class: TypeAlias = tuple[int, int]
"""(number of vertices, least mask)."""

MOST_VERTICES = 6
"""2^15 masks; 7 vertices would be two millions."""


def bit(a: int, b: int) -> int:
    """The mask of one pair.

    >>> bit(0, 1), bit(0, 2), bit(1, 2), bit(3, 0)
    (1, 2, 4, 8)
    """
    low, high = min(a, b), max(a, b)
    return 1 << (high * (high - 1) // 2 + low)


@cache
def least_masks(size: int) -> Int64:
    """int64[2^binom(size, 2)]: the least mask of the class of every mask.

    Masks are joined by exchanges of two neighbouring vertices, which generate all permutations.
    """
    least = np.arange(1 << comb(size, 2), dtype=np.int64)
    exchanges = [_exchanged(size, v) for v in range(size - 1)]
    while True:
        before = least.copy()
        for image in exchanges:
            np.minimum(least, least[image], out=least)
        if np.array_equal(least, before):
            least.flags.writeable = False
            return least


def _exchanged(size: int, v: int) -> Int64:
    """Every mask with the vertices v and v + 1 exchanged."""
    swap = {v: v + 1, v + 1: v}
    masks = np.arange(1 << comb(size, 2), dtype=np.int64)
    out = np.zeros_like(masks)
    for a, b in combinations(range(size), 2):
        out |= ((masks & bit(a, b)) != 0) * np.int64(bit(swap.get(a, a), swap.get(b, b)))
    return out


@cache
def classes(size: int) -> tuple[int, ...]:
    """The least masks, ascending.

    >>> [len(classes(size)) for size in range(1, 7)]
    [1, 2, 4, 11, 34, 156]
    """
    return tuple(np.unique(least_masks(size)).tolist())


def induced(mask: int, members: tuple[int, ...]) -> int:
    """The mask of the subgraph on some vertices, in the order given."""
    return sum(bit(i, j) for (i, a), (j, b) in combinations(enumerate(members), 2) if mask & bit(a, b))


@cache
def components(size: int, mask: int) -> tuple[Class, ...]:
    """The classes of the components, ascending.

    >>> components(4, bit(0, 1))
    ((1, 0), (1, 0), (2, 1))
    """
    left, found = set(range(size)), []
    while left:
        reached, waiting = set(), [min(left)]
        while waiting:
            v = waiting.pop()
            if v not in reached:
                reached.add(v)
                waiting += [w for w in left - reached if mask & bit(v, w)]
        left -= reached
        members = tuple(sorted(reached))
        found.append((len(members), int(least_masks(len(members))[induced(mask, members)])))
    return tuple(sorted(found))


@final
@dataclass(frozen=True)
class Inside:
    """A motif H in the graphs F on k ≥ |H| vertices: its copies, and what edges inside can change.

        up_i(F)   = the most copies after at most i additions
        down_j(F) = the fewest copies after at most j removals

    Arguments: pattern of H; size = k. All tables are indexed by mask; built once, by dynamic programming over masks.
    """

    pattern: Pattern
    size: int

    @cached_property
    def copies(self) -> Int64:
        """int64[2^binom(k, 2)]: copies of H, induced or not."""
        masks = np.arange(1 << comb(self.size, 2), dtype=np.int64)
        images = {
            sum(bit(image[u], image[v]) for u, v in self.pattern.edges)
            for image in permutations(range(self.size), self.pattern.size)
        }
        found = np.zeros_like(masks)
        for image in images:
            found += (masks & image) == image
        return found

    @property
    def steps(self) -> int:
        """binom(k, 2): no more edges can be added or removed."""
        return comb(self.size, 2)

    @cached_property
    def up(self) -> Int64:
        """int64[binom(k, 2) + 1, masks]: up_i."""
        rows = [self.copies]
        for _ in range(self.steps):
            row = rows[-1].copy()
            for pair in range(self.steps):
                np.maximum(row, rows[-1][_masks(self.steps) | (1 << pair)], out=row)
            rows.append(row)
        return np.array(rows)

    @cached_property
    def down(self) -> Int64:
        """int64[binom(k, 2) + 1, masks]: down_j."""
        rows = [self.copies]
        for _ in range(self.steps):
            row = rows[-1].copy()
            for pair in range(self.steps):
                np.minimum(row, rows[-1][_masks(self.steps) & ~(1 << pair)], out=row)
            rows.append(row)
        return np.array(rows)


def _masks(pairs: int) -> Int64:
    return np.arange(1 << pairs, dtype=np.int64)


@cache
def inside(pattern: Pattern, size: int) -> Inside:
    """The tables of one motif, made once."""
    return Inside(pattern, size)
