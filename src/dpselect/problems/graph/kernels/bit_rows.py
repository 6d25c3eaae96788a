"""Cliques among a few vertices, whose adjacency is kept in rows of bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import MOST, binomial, plus

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


@kernel
def ones(x: np.uint64) -> int:
    """The number of one bits, by adding neighbours in fields of 2, 4 and 8 bits."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def rows_among(start: Int64, split: Int64, neighbour: Int32, members: Int32, place: Int32) -> UInt64:
    """Bit b of row a: members[a] and members[b] are adjacent. `place` is −1 everywhere and left so."""
    size = members.shape[0]
    rows = np.zeros((size, (size + 63) >> 6), np.uint64)
    for a in range(size):
        place[members[a]] = a
    for a in range(size):
        v = members[a]
        for p in range(start[v], split[v]):
            b = place[neighbour[p]]
            if b >= 0:
                rows[a, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
                rows[b, a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    for a in range(size):
        place[members[a]] = -1
    return rows


@kernel
def edges_among(rows: UInt64, bits: UInt64, end: int) -> int:
    """The adjacent pairs among the first `end` vertices whose bits are set."""
    total = 0
    for word in range((end + 63) >> 6):
        left = bits[word]
        if word == end >> 6:
            left &= (np.uint64(1) << np.uint64(end & 63)) - np.uint64(1)
        while left:
            below = (left - np.uint64(1)) & ~left  # the bits before the lowest one that is left
            b = (word << 6) + ones(below)
            left &= left - np.uint64(1)
            for w in range(word):
                total += ones(bits[w] & rows[b, w])
            total += ones(bits[word] & rows[b, word] & below)
    return total


@kernel
def cliques_among(rows: UInt64, bits: UInt64, size: int) -> int:
    """The cliques of 0 ≤ `size` ≤ 4 vertices among those whose bits are set; 2^60 if there are more.

    From three on, vertices are taken away by rising degree, each with the cliques that it is in, until all that are
    left are adjacent: near-cliques are counted by binomials.
    """
    members, words = rows.shape
    if size == 0:
        return 1
    if size == 2:
        return edges_among(rows, bits, members)
    chosen = np.empty(members, np.int64)
    count = 0
    for word in range(words):
        left = bits[word]
        while left:
            chosen[count] = (word << 6) + ones((left - np.uint64(1)) & ~left)
            left &= left - np.uint64(1)
            count += 1
    if size == 1:
        return count
    total = 0
    rest = bits.copy()
    near = np.empty(words, np.uint64)
    degrees = np.zeros(count, np.int64)
    for a in range(count):
        for w in range(words):
            degrees[a] += ones(bits[w] & rows[chosen[a], w])
    edges = degrees.sum() // 2
    for at in np.argsort(degrees):
        if edges == count * (count - 1) // 2:
            break
        a = chosen[at]
        rest[a >> 6] ^= np.uint64(1) << np.uint64(a & 63)
        count -= 1
        for w in range(words):
            near[w] = rest[w] & rows[a, w]
            edges -= ones(near[w])
        total = plus(total, cliques_among(rows, near, size - 1))
    return plus(total, binomial(count, size))


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
