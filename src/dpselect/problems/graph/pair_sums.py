"""How many diamonds and paws one pair closes at most: sums over its common neighbours (theory, section 8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.certificates.codegrees import edge_codegrees, threads_for
from dpselect.problems.graph.cliques import TOO_MANY
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_BLOCKS = 256


def largest_closed_diamonds(graph: Graph) -> int:
    """LS(G) = max over all pairs uv of binom(c, 2) − 2c [u ~ v] + Σ over common q of (e_uq + e_vq), diamonds in G + uv.

    c is the co-degree of u and v, e that of the ends of an edge. uv is the shared edge of binom(c, 2) diamonds; else
    u (or v) and a common neighbour q are, and the fourth vertex is any common neighbour of u and q but v.

    >>> largest_closed_diamonds(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]))
    5
    """
    near = graph.adjacency
    count = edge_codegrees(near).astype(np.int64)
    zero = np.zeros(graph.n, np.int64)
    return _largest(graph, count, count, zero, zero, (0, -2, 1), 0)


def largest_closed_paws(graph: Graph, triangles: Int64) -> int:
    """LS(G) = max over all pairs uv of t_u + t_v + c (d_u + d_v − 4 − 4 [u ~ v]) + Σ over common q of d_q.

    t are the `triangles` (by index) and d the degrees. Without the edge uv: t_u − c [u ~ v] and t_v − c [u ~ v]
    triangles get the tail uv; each common neighbour q makes a triangle uvq, with a tail at u, v or q that leads
    elsewhere.

    >>> largest_closed_paws(Graph.from_edges([(0, 1), (0, 2), (1, 2)], vertices=range(4)), np.array([1, 1, 1, 0]))
    1
    """
    near = graph.adjacency
    degrees, own = np.diff(near.start), triangles[near.order]
    best = _largest(
        graph, degrees[near.neighbour], np.zeros(len(near.neighbour), np.int64), own, degrees, (-4, -4, 0), 0
    )
    return max(best, _largest_apart(graph, own, best))


def _largest_apart(graph: Graph, own: Int64, best: int) -> int:
    """max(best, t_u + t_v over pairs without common neighbours). A pair with some is worth t_u + t_v − 2 at least:

    c (d_u + d_v − 8) + 2c ≥ 2c (c − 2) for adjacent ones. So only pairs within 2 of the best are looked at.
    """
    near, order = graph.adjacency, np.argsort(-own, kind="stable")
    for i, u in enumerate(order[:-1]):
        if own[u] + own[order[i + 1]] <= best:
            break
        mine = near.neighbour[near.start[u] : near.start[u + 1]]
        for v in order[i + 1 :]:
            if own[u] + own[v] <= best:
                break
            if not len(np.intersect1d(mine, near.neighbour[near.start[v] : near.start[v + 1]], assume_unique=True)):
                best = int(own[u] + own[v])
    return best


def _largest(
    graph: Graph, first: Int64, second: Int64, own: Int64, line: Int64, numbers: tuple[int, int, int], known: int
) -> int:
    from dpselect.problems.graph.kernels.pair_sums import largest_pair_sum

    near, n = graph.adjacency, graph.n
    degrees = np.diff(near.start)
    some = int(np.searchsorted(-degrees, 0))
    behind, ahead = np.zeros(n, np.int64), np.zeros(n, np.int64)
    if some:
        behind[:some] = np.maximum.reduceat(second, near.start[:some])
        ahead[:some] = np.add.reduceat(first + behind[near.neighbour], near.start[:some])
    each = np.maximum(line + line.max() + numbers[0], 0)
    pairs = degrees * (degrees - 1) // 2
    most = own + own.max() + degrees * each + numbers[2] * pairs + ahead
    if float(2 * own.max()) + float(degrees[0]) * float(each.max()) + float(pairs.max()) + float(ahead.max()) > 2.0**60:
        raise UnsupportedProblem(TOO_MANY)
    hint = np.array([known], np.int64)

    def start() -> tuple[Int32, Int64, Int32, Bool, Int64]:
        return (
            np.zeros(n, np.int32),
            np.zeros(n, np.int64),
            np.empty(n, np.int32),
            np.zeros(n, np.bool_),
            np.zeros(1, np.int64),
        )

    fixed = np.array(numbers, np.int64)

    def work(state: tuple[Int32, Int64, Int32, Bool, Int64], lo: int, hi: int) -> None:
        largest_pair_sum(lo, hi, near.start, near.neighbour, first, second, own, line, fixed, most, *state, hint)

    weights = degrees * degrees
    states = run_blocks(even_blocks(weights, _BLOCKS), start, work, threads_for(int(weights.sum())))
    return max(known, *(int(best[0]) for *_, best in states))
