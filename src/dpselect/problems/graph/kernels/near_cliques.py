"""Cliques among a few vertices given by rows of bits: near-cliques are counted by binomials, not listed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.bit_rows import edges_among, ones
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import MOST, binomial, plus

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
def cliques_among(rows: UInt64, bits: UInt64, size: int) -> int:
    """The cliques of 0 ≤ `size` ≤ 5 vertices among those whose bits are set; 2^60 if there are more."""
    members, words = rows.shape
    if size == 0:
        return 1
    if size == 1:
        total = 0
        for w in range(words):
            total += ones(bits[w])
        return total
    if size == 2:
        return edges_among(rows, bits, members)
    sets = np.empty((size + 1, words), np.uint64)
    for w in range(words):
        sets[size, w] = bits[w]
    order = np.empty((size + 1, members), np.int64)
    return add_cliques(rows, sets, size, order, np.empty((3, members), np.int64), np.zeros(members, np.int64))


@kernel
def all_cliques(rows: UInt64, size: int) -> int:
    """The cliques of 1 ≤ `size` ≤ 4 vertices in the graph of the (symmetric) bit rows; 2^60 if there are more."""
    members, words = rows.shape
    total = 0
    if size == 1:
        return int(members)
    if size == 2:
        for a in range(members):
            for w in range(words):
                total += ones(rows[a, w])
        return total // 2
    if size == 3:
        for a in range(members):
            total += edges_among(rows, rows[a], a)
        return min(total, MOST)
    bits = np.zeros(words, np.uint64)
    for a in range(members):
        bits[a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    return cliques_among(rows, bits, size)
