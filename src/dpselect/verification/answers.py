"""Exact laws of an answer, as balls: the two laws of the theory, and laws that somebody wrote down.

    Gibbs             P(r) = w_r / Σ_s w_s,                          w_r = e^{-z_r}
    permute-and-flip  P(r) = w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du

The integrand is a polynomial of degree m − 1 with factors that are positive inside (0, 1), so Gauss–Legendre with
⌈m/2⌉ nodes is exact and adds positive numbers only: no cancellation, whatever m. Written from the definitions, with
nothing taken from `dpselect.laws`: this package is the oracle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

from dpselect.errors import UnsupportedProblem
from dpselect.exact import reals
from dpselect.exact.reals import Real

Ball: TypeAlias = Any
ToBall: TypeAlias = Callable[[Fraction | int | Real], Ball]
Exponent: TypeAlias = Fraction | Real | None
"""z_r of a candidate; None if it is excluded (weight 0)."""


class Answer(ABC):
    """A law on finitely many things: candidates, or scales."""

    @abstractmethod
    def balls(self, ball: ToBall) -> list[Ball]:
        """The probabilities, at the precision in force."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Weighed(Answer):
    """The law of a sampler at exact exponents."""

    exponents: Sequence[Exponent]
    sampler: str

    def balls(self, ball: ToBall) -> list[Ball]:
        seen: dict[Any, Ball] = {}
        weights = []
        for z in self.exponents:
            # Equal rationals share one ball, which lets permute-and-flip treat them as one factor.
            key = id(z) if isinstance(z, Real) else z
            if key not in seen:
                seen[key] = ball(0) if z is None else (-ball(z)).exp()
            weights.append(seen[key])
        shares = shares_of(self.sampler, weights, ball)
        return [w * share for w, share in zip(weights, shares, strict=True)]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Listed(Answer):
    """Probabilities that are known to lie in intervals [lo, hi] (points, if they were given exactly)."""

    ends: Sequence[tuple[Fraction, Fraction]]

    def balls(self, ball: ToBall) -> list[Ball]:
        return [ball(lo) if lo == hi else reals.span(ball(lo), ball(hi)) for lo, hi in self.ends]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Certain(Answer):
    """One thing, for certain."""

    def balls(self, ball: ToBall) -> list[Ball]:
        return [ball(1)]


def shares_of(sampler: str, weights: Sequence[Ball], ball: ToBall) -> list[Ball]:
    """P(r) / w_r for every candidate. It falls in every weight, its own included (Gibbs) or not (permute-and-flip)."""
    if sampler == "gibbs":
        total = sum(weights[1:], weights[0])
        return [1 / total] * len(weights)
    if sampler == "permute-and-flip":
        return _flip_shares(weights, ball)
    raise UnsupportedProblem(f"verification knows the laws 'gibbs' and 'permute-and-flip', not {sampler!r}")


def _flip_shares(weights: Sequence[Ball], ball: ToBall) -> list[Ball]:
    """∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du; weights that are the same object are one factor."""
    keys = [id(w) for w in weights]
    counts = Counter(keys)
    distinct = dict(zip(keys, weights, strict=True))
    parts = {key: ball(0) for key in distinct}
    for node, measure in reals.legendre_rule((len(weights) + 1) // 2):
        factors = {key: 1 - w * (1 - node) for key, w in distinct.items()}
        product = measure
        for key, factor in factors.items():
            product = product * (factor if counts[key] == 1 else factor ** counts[key])
        for key, factor in factors.items():
            parts[key] += product / factor
    return [parts[key] for key in keys]
