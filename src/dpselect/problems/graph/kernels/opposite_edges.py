"""A weight of every edge, summed at the third vertex of its triangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@kernel
def sum_opposite_edges(
    lo: int, hi: int, start: Int64, split: Int64, neighbour: Int32, count: Int32, place: Int64, out: Int64
) -> None:
    """out[x] += Σ of count over the edges opposite x in triangles whose last vertex is in [lo, hi).

    Args:
        count: int32[2m], at the places of both ends (`edge_codegrees`). place: int64[n], −1 and left so.

    Cost: O(m^(3/2)) over all blocks.
    """
    for u in range(lo, hi):
        for p in range(start[u], split[u]):
            place[neighbour[p]] = p
        for p in range(start[u], split[u]):
            v = neighbour[p]
            for q in range(start[v], split[v]):
                x = neighbour[q]
                at = place[x]
                if at >= 0:
                    out[x] += count[p]
                    out[v] += count[at]
                    out[u] += count[q]
        for p in range(start[u], split[u]):
            place[neighbour[p]] = -1
