"""Cliques at every vertex, by bit rows inside the upper neighbourhoods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.bit_rows import last_before, ones, rows_among
from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import MOST

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


@kernel
def cliques_in_rows(rows: UInt64, depth: int, counts: Int64) -> bool:
    """counts[a] += depth · (the (depth + 1)-cliques through a) for the graph of the bit rows, depth ≥ 2.

    Every clique of `depth` members a > b > … is met once, and the number x of members adjacent to all of them is added
    to each: a clique of depth + 1 through a is counted once for each of its sub-cliques that hold a, of which there
    are `depth`. Only these sub-cliques are listed, and their last members are never looked at one by one.

    Returns False, with nothing added, where a sum could pass 2^60.
    """
    size, words = rows.shape
    common = np.zeros((depth, words), np.uint64)
    chosen = np.zeros(depth, np.int64)
    following = np.zeros(depth + 1, np.int64)
    gathered = np.zeros(depth + 1, np.int64)  # what the cliques below a chosen member have added so far
    added = np.zeros(size, np.int64)
    for a in range(size):
        common[0] = rows[a]
        chosen[0] = a
        following[1] = a
        gathered[0] = 0
        gathered[1] = 0
        level = 1
        while level > 0:
            b = last_before(common[level - 1], following[level])
            if b < 0:
                level -= 1
                added[chosen[level]] += gathered[level + 1]
                gathered[level] += gathered[level + 1]
                continue
            following[level] = b
            if level == depth - 1:
                x = 0
                for w in range(words):
                    x += ones(common[level - 1, w] & rows[b, w])
                added[b] += x
                gathered[level] += x
                if gathered[level] > MOST or added[b] > MOST:
                    return False
            else:
                for w in range(words):
                    common[level, w] = common[level - 1, w] & rows[b, w]
                chosen[level] = b
                following[level + 1] = b
                gathered[level + 1] = 0
                level += 1
        if added[a] > MOST:
            return False
    for a in range(size):
        counts[a] += added[a]
    return True


@kernel
def count_cliques(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, size: int, place: Int32, counts: Int64
) -> bool:
    """counts[x] += the cliques of `size` ≥ 4 vertices through x whose last vertex u (highest rank) is in [lo, hi).

    The other members of such a clique are upper neighbours of u, at most √(2m) of them, and form a clique of one vertex
    less there (`cliques_in_rows`). Returns False where a count could pass 2^60. Cost: O(m^(3/2)) for the rows, then
    the cliques of size − 2 vertices within upper neighbourhoods, √(2m)/64 words each at most.
    """
    for u in range(lo, hi):
        members = neighbour[start[u] : split[u]]
        if members.shape[0] < size - 1:
            continue
        rows = rows_among(start, split, neighbour, members, place)
        local = np.zeros(members.shape[0], np.int64)
        if not cliques_in_rows(rows, size - 2, local):
            return False
        total = 0
        for a in range(members.shape[0]):
            through = local[a] // (size - 2)
            total += through
            counts[members[a]] += through
            if total > MOST or counts[members[a]] > MOST:
                return False
        counts[u] += total // (size - 1)
        if counts[u] > MOST:
            return False
    return True
