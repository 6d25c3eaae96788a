"""Copies of a small connected graph, one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


@kernel
def has_neighbour(start: Int64, neighbour: Int32, u: int, v: int) -> bool:
    """Whether v is in the ascending list of u."""
    low = start[u]
    high = start[u + 1]
    while low < high:
        middle = (low + high) // 2
        if neighbour[middle] < v:
            low = middle + 1
        else:
            high = middle
    return bool(low < start[u + 1] and neighbour[low] == v)


@kernel
def count_embeddings(
    lo: int, hi: int, start: Int64, neighbour: Int32, back: Bool, above: Bool, least: Int64, counts: Int64
) -> None:
    """counts[x] += the copies of H through x whose first vertex is in [lo, hi).

    Args:
        back: bool[h, h]; back[t, s]: vertices t and s < t of H are adjacent; every row t ≥ 1 has one.
        above: bool[h, h]; above[t, s]: the image of t must have a higher rank than that of s < t.
        least: int64[h]; the degree of each vertex of H: no image has fewer neighbours.

    The conditions `above` leave exactly one embedding of each copy. The candidates for t are the shortest list among
    its placed neighbours. A copy adds 1 to its last vertex when it is found and to the others when they are given up,
    all at once. Cost: the partial copies, times the lists they are extended from.
    """
    h = back.shape[0]
    image = np.zeros(h, np.int64)
    cursor = np.zeros(h, np.int64)
    end = np.zeros(h, np.int64)
    found = np.zeros(h + 1, np.int64)  # copies below the image of t since it was chosen
    for root in range(lo, hi):
        if start[root + 1] - start[root] < least[0]:
            break  # degrees fall
        image[0] = root
        found[0] = 0
        found[1] = 0
        level = 1
        fresh = True
        while level > 0:
            if fresh:
                shortest = -1
                for s in range(level):
                    if back[level, s]:
                        x = image[s]
                        if shortest < 0 or start[x + 1] - start[x] < start[shortest + 1] - start[shortest]:
                            shortest = x
                bound = -1
                for s in range(level):
                    if above[level, s]:
                        bound = max(bound, image[s])
                low = start[shortest]
                high = start[shortest + 1]
                end[level] = high
                while low < high:  # the first candidate beyond the bound
                    middle = (low + high) // 2
                    if neighbour[middle] <= bound:
                        low = middle + 1
                    else:
                        high = middle
                cursor[level] = low
                fresh = False
            if cursor[level] >= end[level]:
                level -= 1
                counts[image[level]] += found[level + 1]
                found[level] += found[level + 1]
                continue
            w = neighbour[cursor[level]]
            cursor[level] += 1
            if start[w + 1] - start[w] < least[level]:
                continue
            fits = True
            for s in range(level):
                if image[s] == w or (back[level, s] and not has_neighbour(start, neighbour, image[s], w)):
                    fits = False
                    break
            if not fits:
                continue
            if level == h - 1:
                counts[w] += 1
                found[level] += 1
            else:
                image[level] = w
                level += 1
                found[level] = 0
                fresh = True
