"""Cliques per vertex: a certified flip distance from degrees and one co-degree, where neighbours are out of reach.

An engine that counts cliques knows how many vertices have each score and degree, and D, the largest co-degree over all
pairs; the co-degrees of single vertices would take a join over all pairs. What is known goes into the net form (`net`).
Copies are cliques of ℓ ≥ 2 vertices; binom(c, k) = 0 for k < 0. Let

    m_r = min(d_r, D).

No co-degree of r is above m_r, and m_r and D grow by at most 1 with an edge and do not grow without one.

**Raise.** R_r(i) = Σ_{k<i} t(m_r + k), t(m) = max(binom(m, ℓ − 2), binom(m, ℓ − 3)), arguments capped at n − 2.
Adding rv makes (ℓ − 2)-cliques common to r and v into copies: binom(m_r, ℓ − 2) at most. Adding uv between two
neighbours of r: the (ℓ − 3)-cliques common to r, u and v, among at most m_r vertices. Any other edge: none. So the
raise is at most t(m_r), term k of the graph after an addition is at most term k + 1 before it: (A). After a removal no
term is larger, and the drop of r is not used: (B).

**Total drop.** W^N(i, j) = j c_N(binom(D + i, ℓ − 2)), D + i capped at n − 2,

    c_1(c) = c,   c_N(c) = 2c + min((ℓ − 2) c, (N − 2) c, (N − 2) max(1, binom(D + i − 1, ℓ − 3))).

Removing uv with c copies through it takes c from its ends, and (ℓ − 2) c from all others together: from each other
vertex s the (ℓ − 3)-cliques common to u, v and s, among the common neighbours of u and v without s. (C) D(x + e) + i ≤
D + i + 1. (D) c ≤ binom(D, ℓ − 2), and D(x − e) ≤ D.

Sets of more than `LARGEST_SET` vertices are left out: the family is fixed by a public number, as it has to be.

With D for m_r the score alone would do, but then a vertex of degree 3 could gain as fast as a hub: on graphs of
collaborations the answers are far worse, and hardly better than with the ladder (docs: decisions, engines). The degree
cannot be left out for some: a vertex without copies that gets its first one would jump.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.certificates.binomials import binomials
from dpselect.problems.graph.certificates.net import Drops, Whole, flips, levels

Int64 = npt.NDArray[np.int64]

LARGEST_SET = 1 << 16
"""Only so many of the highest scores are looked at together."""

_BLOCK = 1 << 12


def flip_distance_by_degree(
    scores: Whole, degrees: Int64, counts: Int64, *, codegree: int, clique: int, n: int, limit: int
) -> Int64:
    """φ(x, r) = min{i + j < K : q_r + R_r(i) ≥ Λ(i, j)}, K if there is none, for each group of vertices alike.

    Args:
        scores, degrees, counts: whole[g], int64[g], int64[g]: `counts` vertices have this score and this degree.
        codegree: D over **all pairs**, adjacent or not; not needed for ℓ = 2.
        clique: ℓ ≥ 2, the vertices of the clique that is counted.
        n: the vertices, public.
        limit: K ≥ 1, public.

    Returns:
        int64[g], 0 … K.

    Guarantee: for every vertex |φ(x, r) − φ(x', r)| ≤ 1 for graphs that differ in one edge, 0 exactly at maximisers,
    at most the fewest edges to add or remove until r is a maximiser. Proof: above.

    Cost: O(g K + K² D) and a table of K numbers for 4,096 groups at a time.
    Source: theory 6b, graph certificates 2 and 3 (cheap forms), with min(d_r, D) for the largest co-degree of r.

    A triangle beside a path of two edges, whose vertices have degrees 1, 2, 1:

    >>> flip_distance_by_degree(
    ...     np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([2, 1, 3]), codegree=1, clique=3, n=6, limit=9
    ... )
    array([1, 1, 0])
    """
    steps = np.arange(limit, dtype=np.int64)
    cap, most = max(n - 2, 0), int(scores.max())
    scores = scores.astype(np.int64 if most * limit < 1 << 62 else object)
    through = np.minimum(codegree + steps, cap)
    drops = Drops(
        np.repeat(binomials(through, clique - 2)[:, None], limit, axis=1),
        clique - 2,
        np.maximum(1, binomials(np.maximum(through - 1, 0), clique - 3)),
    )
    table = levels(_highest(scores, counts), drops)
    room = np.minimum(degrees, codegree)
    out = np.empty(len(scores), dtype=np.int64)
    for at in range(0, len(scores), _BLOCK):
        block = slice(at, at + _BLOCK)
        grown = np.minimum(room[block, None] + steps[:-1], cap)
        terms = np.maximum(binomials(grown, clique - 2), binomials(grown, clique - 3))
        if object in (terms.dtype, scores.dtype):
            terms = terms.astype(object)
        raises = np.zeros((len(terms), limit), dtype=scores.dtype)
        # No level is above the highest score, so no term has to be; the sums fit.
        raises[:, 1:] = np.cumsum(np.minimum(terms, most), axis=1)
        out[block] = flips(scores[block], raises, table)
    return out


def _highest(scores: Whole, counts: Int64) -> Whole:
    """The scores of all vertices, falling, no more than `LARGEST_SET` of them."""
    order = np.argsort(-scores, kind="stable")
    before = np.cumsum(counts[order]) - counts[order]
    return np.repeat(scores[order], np.clip(LARGEST_SET - before, 0, counts[order]))
