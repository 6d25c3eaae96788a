"""The exponents z_r ≥ 0 of the weights e^(-z_r) that a draw is made from.

    w_r = e^(-z_r),   |proposal_r − z_r| ≤ error · max(1, z_r)   where z_r ≤ 2^10

The proposals are one float64 array for a vectorised pass; the exact exponent of one candidate is computed
only when a coin needs it.

Source: theory section 10.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.private import Private
from dpselect.exact.reals import Real

FINEST_ERROR: Final = 2.0**-44
"""What proposals made from exact numbers keep; no draw is faster for a smaller error."""

COARSEST_ERROR: Final = 2.0**-16
"""Proposals off by more than this must be made again from the exact exponents."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Exponents(Private):
    """Exponents z of weights e^(-z), unitless; adding one constant to all of them changes no Gibbs law.

    Arguments:
        proposal: float64, at least 0. |proposal_r − z_r| ≤ error · max(1, z_r) wherever z_r ≤ 2^10; a
            larger z_r may have any proposal above 2^9. `inf` excludes a candidate (weight exactly 0).
        exact: z_r of one candidate; `None` exactly where the proposal is `inf`.
        error: a power of two from 2^-44 to 2^-16. It costs only rejected proposals, 2^7 · error of them.

    Contract: the least z_r is at most 2^-30 for `draw.gibbs`, exactly 0 for `draw.permute_and_flip`.
    Raises `InvalidParameter` for proposals that are NaN or negative. Cost: one pass.

    >>> Exponents(np.array([0.0, 2.5]), lambda i: Fraction(5 * i, 2))
    Exponents(<private>)
    """

    proposal: NDArray[np.float64]
    exact: Callable[[int], Fraction | Real | None]
    error: float = field(default=FINEST_ERROR)

    def __post_init__(self) -> None:
        proposal = self.proposal
        if proposal.dtype != np.float64 or proposal.ndim != 1 or proposal.size == 0:
            raise InvalidParameter("proposals must be a non-empty one-dimensional float64 array")
        # A NaN would become a wrapped integer weight. The minimum of an array with a NaN is NaN.
        if not proposal.min() >= 0:
            raise InvalidParameter("proposals must be at least 0")
        if not FINEST_ERROR <= self.error <= COARSEST_ERROR or np.frexp(self.error)[0] != 0.5:
            raise InvalidParameter("error must be a power of two from 2^-44 to 2^-16")

    @property
    def size(self) -> int:
        return self.proposal.size
