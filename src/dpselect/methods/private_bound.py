"""PrivateBound: select at a private upper bound of the local sensitivity (theory section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import positive
from dpselect.exact.reals import Real
from dpselect.laws import sampler_named
from dpselect.methods.hierarchy import HierarchyKernel, LevelPlan
from dpselect.methods.linear import AtScale
from dpselect.methods.method import Budget, Calibration, Method, kernel_calibration
from dpselect.methods.noise import UpperNoise
from dpselect.methods.options import ACCOUNTING, Accounting, Number, Releases, one_of
from dpselect.question import LevelConstants, Question


@final
@dataclass(frozen=True)
class PrivateBound(Method):
    """B_{k+1} = C, B_j = max(b_j, H_j(x) + (B_{j+1}/ε_j)(Z_j + shift_j)), j = k … 0, then a selection at scale B_0.

    Arguments (all public; sequences run over the levels j = 0 … k, a single value holds for every level):
        sampler: "permute-and-flip" (default) or "gibbs".
        split: the shares of ε for the levels; the rest selects. Default: one level 1/5; k + 1 levels share
            (k + 1)/(k + 5) equally.
        noise: "laplace", "truncated" or "auto" (the smaller shift, default).
        floors: b_j > 0 in score units (of the level). Default: C.
        grids: the released bounds are multiples of these. Default: the power of two at most b_j / 16 (1 for a
            mapped level, whose statistic is an integer).
        releases: "scale and candidate" (default), or "candidate": the bounds are kept back, at the same cost.
        accounting: "source" composes as the paper does, where a failure of a level is multiplied by the e^{ε_i} of
            the others: for the same δ every η_j is smaller (Laplace noise only).

    Guarantee: (Σ ε_j + ε_s, δ), δ split equally over the levels: coverage fails with probability at most Σ η_j, and
    that adds to δ unmultiplied. Proof for one level: on {B ≥ LS(x)} replace A_x^B(O) by
    φ(B) = min(1, e^{ε_s} A_{x'}^B(O)) ∈ [0, 1]; the rest has mass ≤ η; apply the (ε_t, δ_t)-privacy of B to the test
    1{B ≥ LS(x)} φ(B): Pr_x ≤ η + δ_t + e^{ε_t + ε_s} Pr_{x'}. Iterate over the levels.
    Publishable regret: with probability ≥ 1 − ρ the gap is at most (κ B_0 / ε_s) K(m, ρ), B_0 as released.
    Errors: `UnsupportedProblem` if the problem offers no levels; `InvalidParameter` for δ = 0.
    Cost: the levels, then one pass over the candidates. Source: Theorem 5.4 (one level: Corollary 5.3), eqs. 6–15.

    >>> PrivateBound(noise="laplace", sampler="gibbs").name
    'private-bound'
    """

    sampler: str = "permute-and-flip"
    split: Number | tuple[Number, ...] | None = None
    noise: str | tuple[str, ...] = "auto"
    floors: Number | tuple[Number, ...] | None = None
    grids: Number | tuple[Number, ...] | None = None
    releases: Releases = "scale and candidate"
    accounting: Accounting = "sharper"

    name: ClassVar[str] = "private-bound"
    theorem: ClassVar[str] = "theory 4: private upper bound of the local sensitivity"

    def lacks(self, question: Question) -> str | None:
        return (
            None
            if question.levels is not None
            else "levels (bounds of the local sensitivity with a Lipschitz constant)"
        )

    def plan(self, question: Question, budget: Budget) -> Calibration:
        constants = question.levels
        assert constants is not None  # `lacks` was asked first
        sampler = sampler_named(self.sampler)
        count = constants.count
        noisy = noisy_levels(constants)
        shares = _per_level("split", self.split, count, Fraction(1, count + 4))
        floors = _per_level("floors", self.floors, count, constants.top or _small(constants))
        kinds = _kinds(self.noise, count)
        if one_of(self.accounting, ACCOUNTING, "accounting") == "source":
            if "truncated" in kinds:
                raise InvalidParameter("accounting='source' knows Laplace noise only")
            kinds = ("laplace",) * count
        if sum(shares) >= 1:
            raise InvalidParameter("split must leave a positive share of epsilon to the selection: sum it to below 1")
        spent = [share * budget.epsilon for share in shares[:noisy]]
        selecting = budget.epsilon - sum(spent)
        failure = Fraction(0)
        if noisy:
            failure = budget.require_delta(self.name) / noisy
            if self.accounting == "source":
                failure = budget.delta / source_factor(spent, selecting)
        levels = []
        for j in range(count):
            mapping = constants.map_of(j)
            default_grid = Fraction(1) if mapping is not None else power_of_two_below(floors[j] / 16)
            grid = _per_level("grids", self.grids, count, default_grid)[j]
            if mapping is not None and grid.denominator != 1:
                raise InvalidParameter(f"grids of a mapped level must be an integer, got {grid}")
            chosen = UpperNoise.choose(kinds[j], spent[j], failure) if j < noisy else None
            levels.append(LevelPlan(chosen, floors[j], grid, constants.caps[j], mapping))
        return kernel_calibration(
            self,
            question,
            HierarchyKernel(tuple(levels), constants.top),
            lambda each: AtScale(each, question.kappa),
            sampler,
            budget=budget,
            spent=[level.noise.part for level in levels if level.noise is not None],
            failure=budget.delta if noisy else Fraction(0),
            releases=self.releases,
        )


def source_factor(spent: Sequence[Fraction], selecting: Fraction) -> Fraction:
    """F, rounded up, with δ = F η when every level fails with probability η (source Theorem 5.4, eqs. 8–13).

    ε̄_j = Σ_{i≥j} ε_i, δ̄_k = 0, δ̄_j = min(η + e^{ε_j} δ̄_{j+1}, δ̄_{j+1} + e^{ε̄_{j+1}} η), and finally
    δ = min(η + e^{ε_s} δ̄_0, δ̄_0 + e^{ε̄_0} η): every step is positively homogeneous in η.

    >>> source_factor([Fraction(1, 4)], Fraction(3, 4))
    Fraction(1, 1)
    >>> round(float(source_factor([Fraction(1, 4), Fraction(1, 4)], Fraction(1, 2))), 4)
    2.6487
    """

    def grown(epsilon: Fraction) -> Fraction:
        return Real.of(epsilon).exp().upper()

    bar = Fraction(0)
    for j in reversed(range(len(spent) - 1)):
        bar = min(1 + grown(spent[j]) * bar, bar + grown(sum(spent[j + 1 :], Fraction(0))))
    return min(1 + grown(selecting) * bar, bar + grown(sum(spent, Fraction(0))))


def noisy_levels(constants: LevelConstants) -> int:
    """How many levels need noise: with C = 0 the last one cannot change within a component."""
    return constants.count - (constants.top == 0)


def power_of_two_below(x: Fraction) -> Fraction:
    """The largest power of two at most x > 0: the public grids are dyadic.

    >>> str(power_of_two_below(Fraction(3, 10)))
    '1/4'
    """
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= x else power / 2


def _small(constants: LevelConstants) -> Fraction:
    """A floor for levels that get no noise: small against the cap."""
    cap = constants.caps[0]
    return cap / 2**20 if cap else Fraction(1)


def _per_level(name: str, given: object, count: int, default: Fraction) -> tuple[Fraction, ...]:
    if given is None:
        return (default,) * count
    entries = given if isinstance(given, tuple | list) else (given,) * count
    if len(entries) != count:
        raise InvalidParameter(f"{name} must have one entry per level ({count}), got {len(entries)}")
    return tuple(positive(entry, name) for entry in entries)


def _kinds(given: str | tuple[str, ...], count: int) -> tuple[str, ...]:
    kinds = (given,) * count if isinstance(given, str) else tuple(given)
    if len(kinds) != count:
        raise InvalidParameter(f"noise must have one entry per level ({count}), got {len(kinds)}")
    return kinds
