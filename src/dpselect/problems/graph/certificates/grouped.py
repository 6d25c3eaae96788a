"""A flip-distance certificate for neighbours that differ in up to k elementary steps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.exact.numbers import whole


def grouped(distance: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """φ_k(x, r) = ⌈φ(x, r) / k⌉, the certificate when neighbouring graphs differ in at most k edges.

    Args:
        distance: int64[m], φ(x, ·) ≥ 0, a certificate for one edge at a time.
        k: whole number ≥ 1, the edges in which neighbours may differ.

    Returns:
        int64[m].

    Guarantee. If x and x' differ in at most k edges, changing these one at a time is a path of at most k
    elementary steps inside the world of all graphs, so φ(x') ≤ φ(x) + k and
    ⌈φ(x')/k⌉ ≤ ⌈(φ(x) + k)/k⌉ = ⌈φ(x)/k⌉ + 1; by symmetry the change is at most 1. ⌈φ/k⌉ = 0 exactly when φ
    = 0, so maximisers, and nobody else, are at zero. Nothing is lost beyond φ itself: the k-edge distance
    of two graphs is ⌈d/k⌉, so the true flip distance for groups is the same function of the true flip
    distance. A φ truncated at a public K gives one truncated at ⌈K/k⌉.

    Raises:
        InvalidParameter: k is not a whole number ≥ 1.

    Cost: O(m). Source: docs: theory 2 (groups) and 6b.

    >>> grouped(np.array([0, 1, 2, 3, 4, 5]), 2)
    array([0, 1, 1, 2, 2, 3])
    """
    step = whole(k, "k", least=1)
    return -(-distance // step)
