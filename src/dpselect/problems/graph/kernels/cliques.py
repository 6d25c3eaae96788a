"""Cliques at every vertex, by bit rows inside the upper neighbourhoods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.bit_rows import ones, rows_among
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import MOST, binomial, plus

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


@kernel
def add_edges(rows: UInt64, sets: UInt64, counts: Int64) -> int:
    """counts[a] += the neighbours of a in the set, for every a in sets[2]; returns the edges."""
    words = rows.shape[1]
    total = 0
    for word in range(words):
        left = sets[2, word]
        while left:
            a = (word << 6) + ones((left - np.uint64(1)) & ~left)  # the bits before the lowest one that is left
            left &= left - np.uint64(1)
            x = 0
            for w in range(words):
                x += ones(sets[2, w] & rows[a, w])
            counts[a] = plus(counts[a], x)
            total += x
    return total // 2


@kernel
def by_falling_degree(rows: UInt64, sets: UInt64, size: int, order: Int64, spare: Int64) -> tuple[int, int]:
    """Returns the members of sets[size] and the edges among them.

    If there are edges enough for a clique of `size`, order[size] has the members by their neighbours there, most first.
    """
    words = rows.shape[1]
    count = 0
    edges = 0
    for word in range(words):
        left = sets[size, word]
        while left:
            order[size, count] = (word << 6) + ones((left - np.uint64(1)) & ~left)
            left &= left - np.uint64(1)
            count += 1
    for d in range(count):
        spare[0, d] = 0  # the members of a higher degree than d
    for at in range(count):
        a = order[size, at]
        x = 0
        for w in range(words):
            x += ones(sets[size, w] & rows[a, w])
        if x:
            spare[0, x - 1] += 1
        spare[1, at] = a
        spare[2, at] = x
        edges += x
    if edges < size * (size - 1):
        return count, edges // 2
    for d in range(count - 2, -1, -1):
        spare[0, d] += spare[0, d + 1]
    for at in range(count):
        x = spare[2, at]
        order[size, spare[0, x]] = spare[1, at]
        spare[0, x] += 1
    return count, edges // 2


@kernel
def add_cliques(rows: UInt64, sets: UInt64, size: int, order: Int64, spare: Int64, counts: Int64) -> int:
    """counts[a] += the cliques of 3 ≤ `size` ≤ 5 vertices of sets[size] through a; returns the cliques.

    Members are taken away by rising degree, each with the cliques of one vertex less among its neighbours that are
    left. When all that are left, c of them, are adjacent, these have binom(c, size) cliques, binom(c − 1, size − 1)
    through each: near-cliques are counted by binomials. Everything is cut off at 2^60.

    sets, order: one row for each size up to this one. Only the rows from `size` down are written, sets[size] too.
    """
    words = rows.shape[1]
    count, edges = by_falling_degree(rows, sets, size, order, spare)
    if edges < size * (size - 1) // 2:
        return 0
    total = 0
    while count >= size and edges < count * (count - 1) // 2:
        count -= 1
        a = order[size, count]
        sets[size, a >> 6] ^= np.uint64(1) << np.uint64(a & 63)
        x = 0
        for w in range(words):
            sets[size - 1, w] = sets[size, w] & rows[a, w]
            x += ones(sets[size - 1, w])
        edges -= x
        if x >= size - 1:
            if size == 3:
                found = add_edges(rows, sets, counts)
            else:
                found = add_cliques(rows, sets, size - 1, order, spare, counts)
            counts[a] = plus(counts[a], found)
            total = plus(total, found)
    if count < size:
        return total
    through = binomial(count - 1, size - 1)
    for at in range(count):
        a = order[size, at]
        counts[a] = plus(counts[a], through)
    return plus(total, binomial(count, size))


@kernel
def count_cliques(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, size: int, place: Int32, counts: Int64
) -> bool:
    """counts[x] += the cliques of 4 ≤ `size` ≤ 6 vertices through x whose last vertex u (highest rank) is in [lo, hi).

    The other members of such a clique are upper neighbours of u, at most √(2m) of them, and form a clique of one vertex
    less there (`add_cliques`). Returns False where a count could be 2^60 or more. Cost: O(m^(3/2)) for the rows, then
    at most the cliques of size − 2 vertices within upper neighbourhoods, √(2m)/64 words each at most; those within a
    near-clique are not listed.
    """
    most = 0
    for u in range(lo, hi):
        most = max(most, split[u] - start[u])
    sets = np.zeros((size, (most + 63) >> 6), np.uint64)
    order = np.empty((size, most), np.int64)
    spare = np.empty((3, most), np.int64)
    local = np.zeros(most, np.int64)
    for u in range(lo, hi):
        members = neighbour[start[u] : split[u]]
        if members.shape[0] < size - 1:
            continue
        rows = rows_among(start, split, neighbour, members, place)
        for w in range(rows.shape[1]):
            sets[size - 1, w] = 0
        for a in range(members.shape[0]):
            sets[size - 1, a >> 6] |= np.uint64(1) << np.uint64(a & 63)
            local[a] = 0
        counts[u] = plus(counts[u], add_cliques(rows, sets, size - 1, order, spare, local))
        fits = counts[u] < MOST
        for a in range(members.shape[0]):
            v = members[a]
            counts[v] = plus(counts[v], local[a])
            fits &= counts[v] < MOST
        if not fits:
            return False
    return True
