"""Lower bounds: what every private use of a smooth scale must pay (theory section 7; source section 8).

Two calculators for Gibbs laws ∝ exp(λ q / b_x):

- *Two points* (8.1). If a beats b by Δ_x at x and b beats a by Δ_y at a neighbour y, (ε, δ)-privacy needs

      λ (Δ_x/b_x + Δ_y/b_y) ≤ 2ε + log(p/(p − δ)) + log(p'/(p' − δ)),   p = P_x(a), p' = P_y(b), both > δ.

  Proof: P_x(a) − δ ≤ e^ε P_y(a) and P_y(b) − δ ≤ e^ε P_x(b) multiply to
  (p − δ)(p' − δ) ≤ e^{2ε} P_y(a) P_x(b), and the odds are p/P_x(b) = e^{λ Δ_x/b_x}, p'/P_y(a) = e^{λ Δ_y/b_y}.
  Sharper than the source's 2ε + 2 log(p_min/(p_min − δ)).

- *Multiplicity* (8.2). One top candidate and m − 1 others at one gap; a neighbour has the same scores and a scale e^β
  times larger. With z the exponent of the others the odds of "another" are (m − 1) e^{−z} and (m − 1) e^{−z e^{−β}}.
  β is possible only if all four hockey-stick divergences stay ≤ δ for every z ≥ 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative, positive, probability, whole
from dpselect.laws import GIBBS
from dpselect.methods.direct_smooth import largest_smoothness, source_smoothness

FloatArray = NDArray[np.float64]

EXAMPLES: Final = ((10, "1", "1e-6"), (1000, "1", "1e-6"), (10**6, "3", "1e-6"))
"""(m, ε, δ) of the theory page."""


@final
@dataclass(frozen=True)
class TwoPoints:
    """Bound 8.1 at one λ: `needed` = λ (Δ_x/b_x + Δ_y/b_y), `allowed` = the right side; private only if ≤."""

    needed: float
    allowed: float

    @property
    def possible(self) -> bool:
        """Whether the necessary condition is met."""
        return self.needed <= self.allowed


def two_points(
    inverse_temperature: Any, gap_x: Any, scale_x: Any, gap_y: Any, scale_y: Any, *, epsilon: Any, delta: Any = 0
) -> TwoPoints:
    """Bound 8.1 for two candidates: P_x(a) = 1/(1 + e^{−λΔ_x/b_x}), P_y(b) = 1/(1 + e^{−λΔ_y/b_y}).

    Arguments: λ, the two gaps and scales, all > 0 (a gap per scale is a pure number); the claim (ε, δ).
    Errors: `InvalidParameter` if one of the probabilities is at most δ (then nothing is necessary).

    >>> two_points(1, 10, 1, 10, 1, epsilon=1).possible, two_points("1/10", 10, 1, 10, 1, epsilon=1).possible
    (False, True)
    """
    rate = positive(inverse_temperature, "inverse_temperature")
    first = float(rate * positive(gap_x, "gap_x") / positive(scale_x, "scale_x"))
    second = float(rate * positive(gap_y, "gap_y") / positive(scale_y, "scale_y"))
    eps, loss = float(positive(epsilon, "epsilon")), float(nonnegative(delta, "delta"))
    p, p_other = 1 / (1 + math.exp(-first)), 1 / (1 + math.exp(-second))
    if min(p, p_other) <= loss:
        raise InvalidParameter("delta must be below both probabilities: otherwise nothing is necessary")
    allowed = 2 * eps - math.log1p(-loss / p) - math.log1p(-loss / p_other)
    return TwoPoints(first + second, allowed)


def divergences(m: int, z: FloatArray, smoothness: float, epsilon: float) -> FloatArray:
    """The four hockey-sticks of bound 8.2 at exponents z: top and others, from x to x' and back; 4 × len(z)."""
    cold, hot = (np.log(m - 1.0) - z * factor for factor in (1.0, math.exp(-smoothness)))
    with np.errstate(over="ignore"):
        top = [1 / (1 + np.exp(log_odds)) for log_odds in (cold, hot)]
        # 1 − top without cancellation.
        others = [1 / (1 + np.exp(-log_odds)) for log_odds in (cold, hot)]
    factor = math.exp(epsilon)
    return np.array(
        [
            top[0] - factor * top[1],
            others[0] - factor * others[1],
            top[1] - factor * top[0],
            others[1] - factor * others[0],
        ]
    )


def worst_divergence(m: int, smoothness: float, epsilon: float) -> float:
    """max over z ≥ 0 of the four hockey-sticks of bound 8.2, by a grid and golden sections: relative error 1e-9."""
    # Beyond z e^{−β} = log(m − 1) + 60 all differences are below e^{−60}.
    end = (math.log(m) + 60) * math.exp(smoothness)
    grid = np.linspace(0.0, end, 4001)
    values = divergences(m, grid, smoothness, epsilon)
    best = 0.0
    for row in range(4):
        k = int(np.argmax(values[row]))
        low, high = grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]
        for _ in range(6):
            fine = np.linspace(low, high, 101)
            inner = divergences(m, fine, smoothness, epsilon)[row]
            j = int(np.argmax(inner))
            low, high = fine[max(j - 1, 0)], fine[min(j + 1, 100)]
            best = max(best, float(inner[j]))
    return best


def necessary_smoothness(m: Any, epsilon: Any, delta: Any) -> float:
    """The largest β of bound 8.2, rounded up by 1e-9 relative; inf if every β is possible.

    Arguments: m ≥ 2 candidates, ε > 0, 0 < δ < 1. Cost: about a hundred passes over a grid.

    >>> round(necessary_smoothness(10, 1, "1e-6"), 5)
    0.07725
    """
    size, eps, loss = whole(m, "m", least=2), float(positive(epsilon, "epsilon")), float(probability(delta, "delta"))
    low, high = 0.0, 1.0
    while worst_divergence(size, high, eps) <= loss:
        low, high = high, 2 * high
        if high > 64:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        if worst_divergence(size, middle, eps) <= loss:
            low = middle
        else:
            high = middle
    return high * (1 + 1e-9)


def closed_smoothness(m: Any, epsilon: Any, delta: Any) -> float:
    """The necessary bound in closed form, looser: β ≤ −log(1 − log((1+e^ε)/(1 − (1+e^ε)δ)) / log((m−1)/δ)).

    It is ∞ where (1 + e^ε) δ ≥ 1 or the outer logarithm's argument is at most 0.

    >>> round(closed_smoothness(10, 1, "1e-6"), 5)
    0.08557
    """
    size, eps, loss = whole(m, "m", least=2), float(positive(epsilon, "epsilon")), float(probability(delta, "delta"))
    both = 1 + math.exp(eps)
    if both * loss >= 1:
        return math.inf
    inner = 1 - (math.log(both) - math.log1p(-both * loss)) / math.log((size - 1) / loss)
    return -math.log(inner) if inner > 0 else math.inf


@final
@dataclass(frozen=True)
class SmoothnessRow:
    """β for one (m, ε, δ): the source's, ours at two splits, and what is necessary."""

    m: int
    epsilon: Fraction
    delta: Fraction
    source: float
    ours_half: float
    ours_all: float
    necessary: float
    closed_form: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        closed = None if math.isinf(self.closed_form) else self.closed_form
        return {
            "m": self.m,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "source_eq40": self.source,
            "ours_half": self.ours_half,
            "ours_all": self.ours_all,
            "necessary": None if math.isinf(self.necessary) else self.necessary,
            "necessary_closed_form": closed,
        }


def smoothness_row(m: Any, epsilon: Any, delta: Any) -> SmoothnessRow:
    """Source eq. 40, ours at ε_b = ε/2, ours as ε_b → ε, necessary (Gibbs law).

    >>> row = smoothness_row(10, 1, "1e-6")
    >>> [round(b, 5) for b in (row.source, row.ours_half, row.ours_all, row.necessary)]
    [0.01452, 0.0414, 0.07725, 0.07725]
    """
    size, eps, loss = whole(m, "m", least=2), positive(epsilon, "epsilon"), probability(delta, "delta")
    return SmoothnessRow(
        size,
        eps,
        loss,
        float(source_smoothness(size, eps, loss)),
        float(largest_smoothness(size, eps / 2, loss, GIBBS)),
        float(largest_smoothness(size, eps, loss, GIBBS)),
        necessary_smoothness(size, eps, loss),
        closed_smoothness(size, eps, loss),
    )
