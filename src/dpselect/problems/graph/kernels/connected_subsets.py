"""Connected vertex subsets of a graph, each once, with the masks that another graph induces on them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]


@kernel
def connected_subsets(
    lo: int,
    hi: int,
    start: Int64,
    neighbour: Int32,
    inner_start: Int64,
    inner_neighbour: Int32,
    size: int,
    near: UInt8,
    inner: UInt8,
    queue: Int32,
    counts: Int64,
    wanted: Bool,
    target: int,
    found: Int32,
) -> bool:
    """Lists the connected subsets of at most `size` vertices whose least vertex is in [lo, hi).

    Arguments:
        start, neighbour: the graph P in which subsets are connected, vertex lists in any order.
        inner_start, inner_neighbour: the graph G whose induced masks are wanted (P itself, or another one).
        size: k ≥ 2, at most 7.
        near, inner: uint8[n], all 0, and left so. Bit i of near[w]: w is adjacent in P to the i-th vertex of the
            subset; inner[w] the same in G.
        queue: int32[k · n + 1], scratch.
        counts: int64[k, masks]; counts[s − 1, mask] += subsets of s vertices that induce the mask in G, their vertices
            taken in the order of listing.
        wanted, target, found: bool[masks]; target ≥ 0: stop at the subset of k vertices number `target` (from 0) among
            those with a wanted mask, and write its vertices to `found`. −1: go through all.

    Returns whether the target was met.

    Order of listing: a subset grows from its least vertex by vertices of its neighbourhood; those that were passed over
    stay out, and a vertex enters the list of the possible next ones with its first neighbour in the subset. So every
    connected subset is met once, as are all its beginnings, which are connected too. (Wernicke 2006, ESU.)
    The last vertex is not taken up: one addition for each subset of k vertices. Cost: O(1) each, and the degrees of the
    vertices of each subset of k − 1.
    """
    chosen = np.zeros(size, np.int64)
    masks = np.zeros(size, np.int64)
    head = np.zeros(size, np.int64)  # the next of the queue to try at each level
    tail = np.zeros(size + 1, np.int64)
    for root in range(lo, hi):
        counts[0, 0] += 1
        # Level 0: the root is in; its larger neighbours are the possible next ones.
        chosen[0] = root
        masks[0] = 0
        level = 0
        end = 0
        near[root] |= 1
        for p in range(start[root], start[root + 1]):
            w = neighbour[p]
            if w > root:
                queue[end] = w
                end += 1
            near[w] |= 1
        for p in range(inner_start[root], inner_start[root + 1]):
            inner[inner_neighbour[p]] |= 1
        head[0] = 0
        tail[0] = end
        met = False
        while level >= 0 and not met:
            if level == size - 2:
                # Every vertex of the queue completes a subset of k.
                shift = (level + 1) * level // 2
                mask = masks[level]
                if target < 0:
                    for q in range(head[level], tail[level]):
                        counts[size - 1, mask | (np.int64(inner[queue[q]]) << shift)] += 1
                else:
                    for q in range(head[level], tail[level]):
                        full = mask | (np.int64(inner[queue[q]]) << shift)
                        if wanted[full]:
                            if target == 0:
                                for i in range(level + 1):
                                    found[i] = chosen[i]
                                found[size - 1] = queue[q]
                                met = True
                                break
                            target -= 1
                head[level] = tail[level]
            if not met and head[level] < tail[level]:
                # Take up the next vertex; those before it stay out.
                w = queue[head[level]]
                head[level] += 1
                above = level + 1
                shift = above * (above - 1) // 2
                masks[above] = masks[level] | (np.int64(inner[w]) << shift)
                chosen[above] = w
                counts[above, masks[above]] += 1
                own = np.uint8(1 << above)
                # The queue of the new level: what is left of this one, then new neighbours.
                begin = tail[level]
                end = begin
                for q in range(head[level], tail[level]):
                    queue[end] = queue[q]
                    end += 1
                for p in range(start[w], start[w + 1]):
                    x = neighbour[p]
                    if x > root and near[x] == 0:
                        queue[end] = x
                        end += 1
                    near[x] |= own
                for p in range(inner_start[w], inner_start[w + 1]):
                    inner[inner_neighbour[p]] |= own
                head[above] = begin
                tail[above] = end
                level = above
                continue
            # This level is done: its vertex leaves.
            keep = np.uint8(~(1 << level) & 255)
            v = chosen[level]
            for p in range(start[v], start[v + 1]):
                near[neighbour[p]] &= keep
            for p in range(inner_start[v], inner_start[v + 1]):
                inner[inner_neighbour[p]] &= keep
            if level == 0:
                near[v] &= keep
            level -= 1
        while level >= 0:
            # The target was met: leave the marks as they were.
            keep = np.uint8(~(1 << level) & 255)
            v = chosen[level]
            for p in range(start[v], start[v + 1]):
                near[neighbour[p]] &= keep
            for p in range(inner_start[v], inner_start[v + 1]):
                inner[inner_neighbour[p]] &= keep
            if level == 0:
                near[v] &= keep
            level -= 1
        if met:
            return True
    return False
