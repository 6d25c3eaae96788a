"""Where a certificate may be cut off: a number made of public numbers only."""

from __future__ import annotations

from math import ceil

from dpselect.exact.numbers import positive, probability, whole
from dpselect.exact.reals import Real

DEFAULT_LIMIT = 160
"""K for every graph certificate: n candidates at K weigh less than e^{−18} together if ε ≥ 0.4 and n ≤ 10^6."""


def enough_flips(n: int, epsilon: object, lost: object = "1e-6") -> int:
    """The least whole K, up to rounding upwards, with n·e^{−εK/2} ≤ lost.

    min(φ, K) is a certificate for every public K (see `net`). It is smaller than φ only for candidates with φ > K, and
    their weights e^{−εK/2} sum to at most `lost`, where a maximiser weighs 1: so Gibbs picks one of them with
    probability at most `lost`, and permute-and-flip does too, as it favours small φ more.

    Args:
        n: the candidates, public.  epsilon: of the selection.  lost: between 0 and 1.

    Raises:
        InvalidParameter: n < 1, epsilon ≤ 0, or lost outside (0, 1).

    >>> enough_flips(10**6, 1), enough_flips(10**6, "0.1")
    (56, 553)
    """
    rate = positive(epsilon, "epsilon")
    odds = whole(n, "n", least=1) / probability(lost, "lost")
    return ceil((Real.of(odds).log() * Real.of(2 / rate)).upper())
