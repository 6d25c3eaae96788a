"""GnpGraph: the random graph G(n, p), public and reproducible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import rational, whole
from dpselect.methods.options import Number
from dpselect.problems.description import Description, sizes
from dpselect.problems.graph.graph import Graph


@final
@dataclass(frozen=True)
class GnpGraph(Description):
    """G(n, p): each of the binom(n, 2) pairs of n vertices is an edge with probability p, independently.

    Arguments:
        n: the number of vertices, at least 2, or a range (smallest, largest): both ends and the size between them.
        p: the probability of an edge, 0 ≤ p ≤ 1.
        seed: which random graph.

    G(n, p) has no hubs: real networks have vertices that stand out, and regrets on them are smaller. Cost: O(p n²).

    >>> bool(GnpGraph(100, 0.1).graph(100).degrees.sum() > 500)
    True
    """

    n: int | tuple[int, int]
    p: Number
    seed: int = 0

    def __post_init__(self) -> None:
        sizes(self.n, "n", least=2)
        if not 0 <= rational(self.p, "p") <= 1:
            raise InvalidParameter(f"p must be between 0 and 1, got {self.p}")
        whole(self.seed, "seed")

    def described(self) -> Sequence[tuple[str, Graph]]:
        """One graph for each size."""
        return [
            (f"G({n}, {float(rational(self.p, 'p')):g}), seed {self.seed}", self.graph(n))
            for n in sizes(self.n, "n", least=2)
        ]

    def graph(self, n: int) -> Graph:
        """The graph with n vertices, named 0 … n − 1."""
        rng = np.random.default_rng((self.seed, n))
        pairs = n * (n - 1) // 2
        count = int(rng.binomial(pairs, float(rational(self.p, "p"))))
        # Distinct positions among all pairs u < v, in order of (u, v). Where most pairs are edges, draw the others.
        absent = 2 * count > pairs
        wanted = pairs - count if absent else count
        chosen = np.unique(rng.integers(0, pairs, size=wanted))
        while len(chosen) < wanted:
            chosen = np.union1d(chosen, rng.integers(0, pairs, size=wanted - len(chosen)))
        if absent:
            chosen = np.delete(np.arange(pairs), chosen)
        starts = np.concatenate([[0], np.cumsum(np.arange(n - 1, 0, -1))])
        tails = np.searchsorted(starts, chosen, side="right") - 1
        heads = chosen - starts[tails] + tails + 1
        return Graph(tuple(range(n)), tails.astype(np.int32), heads.astype(np.int32))
