"""What j removals leave of one vertex's score: the levels of the sets T = {s} (see `certificates.net`).

Scores are at most 2^60, and so are the parts of a drop: a sum of two fits, and one of 2^60 leaves nothing of any score.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.kernels.jit import kernel
from dpselect.problems.graph.kernels.saturated import times

Int64 = npt.NDArray[np.int64]


@kernel
def portion(q: int, part: int, whole: int) -> int:
    """⌊q·part/whole⌋ for q ≤ 2^60 and part ≤ 7·whole; q = a·whole + b gives a·part + ⌊b·part/whole⌋, which fits."""
    return q // whole * part + q % whole * part // whole


@kernel
def may_raise(table: Int64, q: int, degree: int, edges: int, grown: Int64) -> bool:
    """Whether q − Σ_{k≤j} (c_(k) + G_i) could exceed table[i, j] for some i + j < K, j ≥ 1.

    The d = degree counts c sum to at least edges · q, a copy using so many edges at s: the j largest to their share.

    Args:
        grown: int64[K], G or a lower bound of it.
    """
    limit = table.shape[0]
    for i in range(limit):
        for j in range(1, limit - i):
            if table[i, j] + times(j, grown[i]) < q - portion(q, edges * min(j, degree), degree):
                return True
    return False


@kernel
def raise_levels(table: Int64, q: int, falling: Int64, grown: Int64, least: Int64) -> None:
    """table[i, j] = max(table[i, j], q − Σ_{k≤j} max(c_(k) + G_i, s_i)) for i + j < K, j ≥ 1.

    Args:
        falling: int64[d], c_(1) ≥ c_(2) ≥ …, 0 beyond. grown, least: int64[K], G and s. table: changed in place.
    """
    limit = table.shape[0]
    for i in range(limit):
        left = q
        for j in range(1, limit - i):
            drop = grown[i]
            if j <= falling.shape[0]:
                drop += falling[j - 1]
            left -= max(drop, least[i])
            if left <= 0:
                break
            if left > table[i, j]:
                table[i, j] = left
