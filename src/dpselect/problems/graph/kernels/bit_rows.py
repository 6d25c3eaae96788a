"""Cliques among a few vertices, whose adjacency is kept in rows of bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import MOST, binomial, plus, times

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
def last_before(bits: UInt64, end: int) -> int:
    """The largest i < end whose bit is set, −1 if there is none."""
    word = (end - 1) >> 6
    if end <= 0:
        return -1
    x = bits[word]
    used = end & 63
    if used:
        x &= (np.uint64(1) << np.uint64(used)) - np.uint64(1)
    while x == 0:
        word -= 1
        if word < 0:
            return -1
        x = bits[word]
    top = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if x >> np.uint64(shift):
            x >>= np.uint64(shift)
            top += shift
    return (word << 6) + top


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
    """The cliques of `size` ≥ 0 vertices among those whose bits are set; 2^60 if there are more."""
    members, words = rows.shape
    if size == 0:
        return 1
    total = 0
    if size == 1:
        for w in range(words):
            total += ones(bits[w])
        return total
    if size == 2:
        return edges_among(rows, bits, members)
    common = np.zeros((size - 1, words), np.uint64)
    following = np.zeros(size - 1, np.int64)
    common[0] = bits
    following[0] = members
    level = 0
    while level >= 0:
        b = last_before(common[level], following[level])
        if b < 0:
            level -= 1
            continue
        following[level] = b
        for w in range((b >> 6) + 1):
            common[level + 1, w] = common[level, w] & rows[b, w]
        if level < size - 3:
            following[level + 1] = b
            level += 1
            continue
        total += edges_among(rows, common[level + 1], b)
        if total > MOST:
            return MOST
    return total


@kernel
def all_cliques(rows: UInt64, size: int) -> int:
    """The cliques of `size` ≥ 1 vertices in the graph of the (symmetric) bit rows; 2^60 if there are more.

    From four on, the u vertices that are adjacent to all others are left out first: Σ_k binom(u, size − k) ·
    (k-cliques among the rest). Cost: the (size − 1)-cliques among the rest, a row each.
    """
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
    rest = np.zeros(words, np.uint64)
    everywhere = 0
    for a in range(members):
        degree = 0
        for w in range(words):
            degree += ones(rows[a, w])
        if degree == members - 1:
            everywhere += 1
        else:
            rest[a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    for k in range(max(0, size - everywhere), size + 1):
        total = plus(total, times(binomial(everywhere, size - k), cliques_among(rows, rest, k)))
    return total
