"""Expected regret of a law: what a curator compares methods by.

    E[g(x, R)] = Σ_r Pr[R = r] · (max q(x, ·) − q(x, r))

Curator only: the number is computed from private scores.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.methods.law import Law

NotReleased = Literal["largest gap", "left out"]


def expected_regret(law: Law, not_released: NotReleased = "largest gap") -> float:
    """E[g(x, R)] of the first candidate, in score units, in float64 (relative error about 1e-9).

    Arguments:
        law: from `dpselect.law`.
        not_released: what "nothing released" counts as: "largest gap", the worst answer there is (default), or
            "left out": the expectation over what is released (0 if nothing ever is).

    Cost: a law at a fixed scale takes one pass over the candidates; one integrated over scales works on the distinct
    gaps (PrivateBound on 36,692 vertices: below a second).

    >>> import dpselect as ds
    >>> round(expected_regret(ds.law([0, 1], epsilon=2, sensitivity=1, method="global-scale", sampler="gibbs")), 6)
    0.268941
    """
    if not_released not in ("largest gap", "left out"):
        raise InvalidParameter(f"not_released must be 'largest gap' or 'left out', got {not_released!r}")
    gaps = law.evaluation.scores.gaps().proposal
    released = float(np.dot(law.probabilities, gaps))
    if not law.no_release:
        return released
    if not_released == "largest gap":
        return released + law.no_release * float(gaps.max())
    return released / (1.0 - law.no_release) if law.no_release < 1.0 else 0.0
