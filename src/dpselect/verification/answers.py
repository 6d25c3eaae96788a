"""Exact laws of an answer, as balls: the two laws of the theory, and laws that somebody wrote down.

    Gibbs             P(r) = w_r / Σ_s w_s,                          w_r = e^{-z_r}
    permute-and-flip  P(r) = w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du

The integrand is a polynomial of degree m − 1 with factors that are positive inside (0, 1), so Gauss–Legendre with
⌈m/2⌉ nodes is exact and adds positive numbers only: no cancellation, whatever m. Written from the definitions, with
nothing taken from `dpselect.laws`: this package is the oracle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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


def refuse_no_best(exponents: Sequence[Exponent], sampler: str) -> None:
    """A law needs a candidate that is not excluded; permute-and-flip one whose exponent is 0, or it need not end."""
    named = [z for z in exponents if z is not None]
    if not named:
        raise UnsupportedProblem("all candidates are excluded: that is no law")
    if sampler == "permute-and-flip" and not any(_may_be_zero(z) for z in named):
        raise UnsupportedProblem("the least exponent of permute-and-flip must be 0")


def _may_be_zero(z: Fraction | Real) -> bool:
    return z.enclosure(128)[0] <= 0 if isinstance(z, Real) else z == 0


def shares_of(sampler: str, weights: Sequence[Ball], ball: ToBall, counts: Sequence[int] | None = None) -> list[Ball]:
    """P(r) / w_r for every candidate; with `counts`, weights[i] is the weight of counts[i] candidates.

    It falls in every weight, its own included (Gibbs) or not (permute-and-flip).
    """
    many = [1] * len(weights) if counts is None else counts
    if sampler == "gibbs":
        total = ball(0)
        for w, count in zip(weights, many, strict=True):
            total += w if count == 1 else w * count
        return [1 / total] * len(weights)
    if sampler == "permute-and-flip":
        return _flip_shares(weights, ball, many)
    raise UnsupportedProblem(f"verification knows the laws 'gibbs' and 'permute-and-flip', not {sampler!r}")


def _flip_shares(weights: Sequence[Ball], ball: ToBall, many: Sequence[int]) -> list[Ball]:
    """∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du; weights that are the same object are one factor."""
    places = list(map(id, weights))
    counts: dict[int, int] = {}
    for key, count in zip(places, many, strict=True):
        counts[key] = counts.get(key, 0) + count
    factors = [(key, w, counts[key]) for key, w in dict(zip(places, weights, strict=True)).items()]
    parts = dict.fromkeys(counts, ball(0))
    for node, measure in reals.legendre_rule((sum(many) + 1) // 2):
        left, product, terms = 1 - node, measure, []
        for key, w, count in factors:
            term = 1 - w * left
            terms.append((key, term))
            product = product * (term if count == 1 else term**count)
        for key, term in terms:
            parts[key] += product / term
    return [parts[key] for key in places]
