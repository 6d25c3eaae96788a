"""The adjacency of a few vertices, in rows of bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

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
