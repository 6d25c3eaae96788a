"""A bound on gaps read off the candidates themselves, for selections without a formula for it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpselect.exact.exponents import Exponents
from dpselect.exact.reals import Real
from dpselect.exact.scores import Gaps


def largest_gap_within(gaps: Gaps, exponents: Exponents, nats: Fraction) -> Fraction:
    """An upper bound of max{g_r : z_r ≤ nats}: a candidate too close to call counts. One pass over the candidates."""
    limit = float(nats)
    slack = 2 * exponents.error * max(1.0, limit)
    within = np.flatnonzero(exponents.proposal <= limit + slack)
    worst = int(within[np.argmax(gaps.proposal[within])])
    gap = gaps.exact(worst)
    exact = gap.upper() if isinstance(gap, Real) else gap
    # Proposals of gaps carry an error: another candidate may be larger by that much.
    return exact + 2 * gaps.error + exact / 2**48
