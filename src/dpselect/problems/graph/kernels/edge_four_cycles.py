"""4-cycles through every edge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def edge_four_cycles(
    lo: int,
    hi: int,
    start: Int64,
    split: Int64,
    neighbour: Int32,
    codegree: int,
    known: Int64,
    met: Int32,
    out: Int64,
) -> None:
    """out[p] = the paths u–a–b–v of the edge at place p of the list of v, u < v, lo ≤ v < hi.

    Args:
        codegree: D, the largest of all pairs. known: int64[1], a number that enough edges reach: edges that cannot
            pass it are left out.
        met: int32[n], zero everywhere and left so. out: int64[*], indexed from start[lo].

    Σ over the neighbours a ≠ v of u of |N(a) ∩ N(v)| − 1: u itself is such a common neighbour and no inner vertex.
    That is at most (d_v − 1)(D − 1), with d_v the lower degree, so the scan ends where this is at most `known`.
    Cost: O(Σ d²) over the vertices before that end.
    """
    base = start[lo]
    for v in range(lo, hi):
        if (start[v + 1] - start[v] - 1) * (codegree - 1) <= known[0]:
            break
        if split[v] == start[v]:
            continue
        for p in range(start[v], start[v + 1]):
            w = neighbour[p]
            for q in range(start[w], start[w + 1]):
                met[neighbour[q]] += 1
        for p in range(start[v], split[v]):
            u = neighbour[p]
            total = np.int64(0)
            for q in range(start[u], start[u + 1]):
                total += met[neighbour[q]]
            out[p - base] = total - met[v] - (start[u + 1] - start[u] - 1)
        for p in range(start[v], start[v + 1]):
            w = neighbour[p]
            for q in range(start[w], start[w + 1]):
                met[neighbour[q]] = 0
