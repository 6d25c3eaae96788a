"""Common neighbours of pairs of vertices, on an engine: the staircase that the local sensitivity of cliques needs.

For u ≠ x let a be their common neighbours and σ = d_u + d_x − 2·[u ~ x]. Wanted: the Pareto-optimal (a, σ) over all
pairs with a ≥ 1, adjacent or not. All wedges would be Σ_w d_w²; ranks fall in degree, so pairs are counted in stages,
hubs first, and a pair (u, x), u before x, is left out when it cannot matter:

    a ≤ d_x  and  σ ≤ d_u + d_x:  dominated as soon as a pair with a* ≥ d_x and σ* ≥ d_u + d_x is known.

So for x of degree d only u with d_u > σ*(d) − d count, σ*(d) the largest σ known with a ≥ d. Leaving pairs out changes
nothing in the result. Source: theory section 8, triangles.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpselect.engines.edge_table import OpenEdges
from dpselect.problems.graph.triangles import triangle_profile_values
from dpselect.profile import Profile

Integers = NDArray[np.int64]

_FIRST: Final = 256
_GROWTH: Final = 16
"""Ranks of the first stage, and how much further each stage goes."""


def codegree_stairs(edges: OpenEdges) -> tuple[Integers, Integers]:
    """a ascending, σ strictly falling: every pair with a ≥ 1 is at most one of these in both coordinates.

    Cost: the wedges between the pairs that count. The driver holds the staircase and the histogram of degrees.
    """
    degrees, source = edges.ranked, edges.source
    a, sigma = np.empty(0, np.int64), np.empty(0, np.int64)
    ranks = int(degrees.counts.sum())
    source.keep("near", _both_ways(edges))
    low, high = 0, min(_FIRST, ranks)
    while low < ranks:
        below = degrees.above(_known(a, sigma, degrees.values) - degrees.values)
        # u comes before x: at most `high` of them, and x in this stage.
        counts = (below > 0) & (degrees.before < high) & (degrees.before + degrees.counts > low)
        if counts.any():
            edges.step("Common neighbours of hubs" if low == 0 else "Common neighbours of further vertices")
            source.attach("reach", {"d": degrees.values[counts], "below": below[counts]})
            found = source.arrays(_stage(low, high, int(below[counts].max())))
            a, sigma = _pareto(
                np.concatenate((a, found["a"].astype(np.int64))),
                np.concatenate((sigma, found["sigma"].astype(np.int64))),
            )
        low, high = high, min(high * _GROWTH, ranks)
    source.drop("near")
    return a, sigma


def triangle_profile(stairs: tuple[Integers, Integers], n: int) -> Profile:
    """A(t) = max(max over pairs with a ≥ 1 of min(a + t, ⌊(σ + t)/2⌋, n − 2), min(t, n − 2)).

    Admissible, and A(0) is the local sensitivity of triangles: the second term stands for all pairs with a = 0, which
    gain at most one common neighbour with an edge. In the first, an edge elsewhere changes nothing; one at u or x
    changes σ by at most 1 and a by at most 1, and if a pair of a neighbour has a = 0, its term there is at most
    min(t, n − 2) itself. Source: theory section 8 ("safe and cheap").
    """
    a, sigma = stairs
    # A pair without common neighbours and with σ beyond any other has exactly the second term.
    far = 4 * n + int(sigma.max(initial=0))
    return Profile(*triangle_profile_values(np.concatenate(([0], a)), np.concatenate(([far], sigma)), n))


def _known(a: Integers, sigma: Integers, d: Integers) -> Integers:
    """σ*(d): the largest σ with a ≥ d; −1 where there is none, below every degree sum."""
    at = np.searchsorted(a, d, side="left")
    return np.append(sigma, -1)[np.minimum(at, len(sigma))]


def _pareto(a: Integers, sigma: Integers) -> tuple[Integers, Integers]:
    """The pairs that no other one is at least as large as in both coordinates."""
    order = np.lexsort((-sigma, -a))
    a, sigma = a[order], sigma[order]
    before = np.concatenate(([-1], np.maximum.accumulate(sigma)[:-1])) if len(sigma) else sigma
    kept = sigma > before
    return a[kept][::-1], sigma[kept][::-1]


def _both_ways(edges: OpenEdges) -> str:
    one = "SELECT edge.{0} AS w, edge.{1} AS r, ranked.d AS d FROM edge JOIN ranked ON ranked.r = edge.{1}"
    return f"{one.format('u', 'w')} UNION ALL {one.format('w', 'u')}"


def _stage(low: int, high: int, below: int) -> str:
    """(a, largest σ) over pairs u < x with x in [low, high) and u within the reach of the degree of x."""
    common = (
        "SELECT p.r AS u, q.r AS x, p.d + q.d AS ends, COUNT(*) AS a "
        f"FROM (SELECT w, r, d FROM near WHERE r < {below}) AS p JOIN "
        "(SELECT near.w, near.r, near.d, reach.below FROM near JOIN reach ON near.d = reach.d "
        f"WHERE near.r >= {low} AND near.r < {high}) AS q ON p.w = q.w AND p.r < q.r AND p.r < q.below "
        "GROUP BY p.r, q.r, p.d + q.d"
    )
    return (
        "SELECT a, MAX(ends - CASE WHEN edge.u IS NULL THEN 0 ELSE 2 END) AS sigma "
        f"FROM ({common}) AS pairs LEFT JOIN edge ON edge.u = pairs.u AND edge.w = pairs.x GROUP BY a"
    )
