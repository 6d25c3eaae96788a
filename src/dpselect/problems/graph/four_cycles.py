"""4-cycles per vertex, and how many of them one pair closes at most (theory, section 8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.certificates.codegrees import threads_for
from dpselect.problems.graph.cliques import TOO_MANY
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.kernels.blocks import even_blocks, run_blocks

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_BLOCKS = 256


def four_cycles_per_vertex(graph: Graph, threads: int | None = None) -> Int64:
    """q(G, v) = the 4-cycles (induced or not) through v, int64[n] by vertex index.

    Raises `UnsupportedProblem` where a count could pass 2^60. Cost: O(m · arboricity).

    >>> four_cycles_per_vertex(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])).tolist()
    [1, 1, 1, 1]
    """
    from dpselect.problems.graph.kernels.four_cycles import count_four_cycles

    near, n = graph.adjacency, graph.n
    degrees = np.diff(near.start)
    weights = degrees * (near.start[1:] - near.split)

    def start() -> tuple[Int32, Int32, Int64, list[bool]]:
        return np.zeros(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int64), []

    def work(state: tuple[Int32, Int32, Int64, list[bool]], lo: int, hi: int) -> None:
        met, touched, counts, fits = state
        fits.append(count_four_cycles(lo, hi, near.start, near.split, near.neighbour, met, touched, counts))

    count = threads_for(int(weights.sum())) if threads is None else threads
    states = run_blocks(even_blocks(weights, _BLOCKS if count > 1 else 1), start, work, count)
    total = np.zeros(n, np.int64)
    for _, _, counts, fits in states:
        total += counts
        if not all(fits) or total.max(initial=0) > 1 << 60:
            raise UnsupportedProblem(TOO_MANY)
    return np.asarray(total[near.rank])


def largest_closed_four_cycles(graph: Graph, codegree: int) -> int:
    """LS(G) = max over all pairs uv, adjacent or not, of the 4-cycles through uv in G + uv; `codegree` is D(G).

    These are the paths u–x–y–v. Cost: see the kernel.

    >>> largest_closed_four_cycles(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), 1)
    1
    """
    from dpselect.problems.graph.kernels.four_cycles import largest_closed_cycles

    near, n = graph.adjacency, graph.n
    degrees = np.diff(near.start)
    hint = np.zeros(1, np.int64)
    weights = degrees * degrees

    def start() -> tuple[Int32, Int32, Int64, Int32, npt.NDArray[np.bool_], Int64]:
        return (
            np.zeros(n, np.int32),
            np.empty(n, np.int32),
            np.zeros(n, np.int64),
            np.empty(n, np.int32),
            np.zeros(n, np.bool_),
            np.zeros(1, np.int64),
        )

    def work(state: tuple[Int32, Int32, Int64, Int32, npt.NDArray[np.bool_], Int64], lo: int, hi: int) -> None:
        largest_closed_cycles(lo, hi, near.start, near.split, near.neighbour, codegree, *state, hint)

    states = run_blocks(even_blocks(weights, _BLOCKS), start, work, threads_for(int(weights.sum())))
    return max(0, *(int(best[0]) for *_, best in states))
