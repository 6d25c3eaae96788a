"""Which method, with which options? Chosen on a public reference by exact expected regret.

    argmin over methods and public options of mean_x (E[g(x, R)] / max g(x, ·)),  x over the datasets of the reference

First every method with its defaults; then the options of the most promising ones, one after the other, over public
grids. The number of laws is bounded (`MOST_LAWS`), not the time, so that the choice is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeVar, final

from dpselect.comparison import (
    changed_options,
    default_methods,
    percent,
    posed_reference,
    share_of_largest_gap,
)
from dpselect.errors import DPSelectError, InvalidParameter
from dpselect.methods.certificate_search import CertificateSearch
from dpselect.methods.direct_smooth import DirectSmooth
from dpselect.methods.generalized import ByNormalisedScore, GeneralizedExponential
from dpselect.methods.ladder import Ladder
from dpselect.methods.log_transform import LogTransform, default_smoothness
from dpselect.methods.method import Budget, Method, Selection
from dpselect.methods.private_bound import PrivateBound
from dpselect.methods.private_smooth import LogKernel, PrivateSmooth
from dpselect.methods.released_counts import AmongKept, ReleasedCounts
from dpselect.methods.supported_flips import BySupportedFlips, SupportedFlips
from dpselect.problems.problem import Posed
from dpselect.question import Question
from dpselect.verification.progress import progress

TUNED: Final = 3
"""So many methods have their options tuned."""

MOST_LAWS: Final = 60
"""Laws computed per dataset of the reference, at most."""

TIE: Final = 1e-3
"""Regrets that differ by less are ties: the earlier method is taken, pure ones first."""

NOTHING: Final = 1e-9
"""A share of the largest gap below which nothing is left to be tuned."""


@final
@dataclass(frozen=True)
class Tuned:
    """What was chosen on a reference, and how: public."""

    method: Method
    share: float
    laws: int
    references: tuple[str, ...]

    @property
    def note(self) -> str:
        """For the release."""
        options = ", ".join(f"{name} = {value}" for name, value in changed_options(self.method).items())
        return (
            f"method chosen automatically: {self.method.name}{f' ({options})' if options else ''} has the least exact "
            f"expected regret of {self.laws} settings on a reference declared public ({'; '.join(self.references)}): "
            f"{percent(self.share)} of the largest gap there"
        )


def tuned(
    problem: Any,
    reference: Any,
    budget: Budget,
    *,
    sampler: str | None = None,
    unit: Any = None,
    sensitivity: Any = None,
    monotone: bool = False,
    candidates: Any = None,
) -> Tuned:
    """The method and options with the least exact expected regret on the reference; deterministic.

    Cost: at most `MOST_LAWS` exact laws per dataset of the reference. The guarantee is that of the method chosen: the
    choice depends on public facts only.
    """
    described = posed_reference(problem, reference, unit, sensitivity, monotone, candidates)
    with progress("choosing on the reference", MOST_LAWS) as step:
        search = _Search([posed for _, posed in described], budget, step, {})
        for method in default_methods(sampler):
            if method.lacks(search.question) is None:
                search.try_(method)
        if not search.shares:
            raise InvalidParameter("reference: no method could be evaluated on it")
        for method in sorted(search.shares, key=search.shares.__getitem__)[:TUNED]:
            if search.shares[search.best] <= NOTHING:
                break
            _tune(method, search)
    return Tuned(search.best, search.shares[search.best], len(search.shares), tuple(what for what, _ in described))


@dataclass
class _Search:
    """What has been evaluated so far."""

    posed: Sequence[Posed]
    budget: Budget
    step: Callable[[], None]
    shares: dict[Method, float]

    @property
    def question(self) -> Question:
        return self.posed[0].question

    def try_(self, method: Method) -> float | None:
        """The share of a method, None where it cannot be used (δ = 0, an option out of range, …)."""
        if method in self.shares:
            return self.shares[method]
        if len(self.shares) >= MOST_LAWS:
            return None
        try:
            self.shares[method] = share_of_largest_gap(method, self.posed, self.budget)
        except DPSelectError:
            return None
        self.step()
        return self.shares[method]

    @property
    def best(self) -> Method:
        """The first one that ties with the least regret; those that spend no δ first."""
        limit = min(self.shares.values()) * (1 + TIE) + NOTHING
        ties = [m for m in self.shares if self.shares[m] <= limit]
        pure = [m for m in ties if not m.plan(self.question, self.budget).guarantee.delta]
        return (pure or ties)[0]


def _tune(start: Method, search: _Search) -> None:
    """One option after the other, over its public grid."""
    best = start
    for variants in _grids(best, search):
        tried = [m for m in variants(best) if search.try_(m) is not None]
        best = min([best, *tried], key=search.shares.__getitem__)


Variants = Callable[[Any], Iterator[Method]]
Step = TypeVar("Step", bound=Selection)

_SHARES: Final = tuple(Fraction(n, 16) for n in (1, 2, 6, 8))
_FACTORS: Final = (Fraction(1, 4), Fraction(1, 2), Fraction(2), Fraction(4))


def _grids(method: Method, search: _Search) -> list[Variants]:
    """The options of a method that are worth tuning, as functions from a setting to others of it."""
    question, budget = search.question, search.budget
    if isinstance(method, Ladder):
        return [lambda m: iter([replace(m, steps="whole")])]
    if isinstance(method, LogTransform):
        each = budget.epsilon / budget.peels
        beta = default_smoothness(each, question.size)
        return [lambda m: (replace(m, smoothness=beta * f) for f in (*_FACTORS, Fraction(8)))]
    if isinstance(method, PrivateBound) and question.levels is not None:
        count = question.levels.count
        floor = question.levels.top
        return [
            lambda m: (replace(m, split=share / count) for share in (*_SHARES, Fraction(3, 4))),
            lambda m: iter([replace(m, floors=floor / 16)] if floor else []),
        ]
    if isinstance(method, CertificateSearch) and question.global_sensitivity:
        bound = question.global_sensitivity
        return [
            lambda m: (replace(m, floor=bound / 2**k) for k in (1, 2, 4, 6, 8, 14)),
            lambda m: (replace(m, split=share) for share in _SHARES),
        ]
    if isinstance(method, PrivateSmooth):
        return [
            lambda m: (replace(m, split=share) for share in _SHARES),
            lambda m: (replace(m, smoothness=_planned_smoothness(m, search) * f) for f in _FACTORS),
        ]
    if isinstance(method, DirectSmooth):
        # The largest admissible smoothness is the best one.
        return [lambda m: (replace(m, split=share) for share in (*_SHARES, Fraction(3, 4)))]
    if isinstance(method, ReleasedCounts):
        return [
            lambda m: (replace(m, minimum=_times(_planned(m, search, AmongKept).kernel.minimum, f)) for f in _FACTORS),
            lambda m: (replace(m, split=share) for share in _SHARES),
        ]
    if isinstance(method, SupportedFlips):
        return [
            lambda m: (replace(m, support=_times(_planned(m, search, BySupportedFlips).support, f)) for f in _FACTORS)
        ]
    if isinstance(method, GeneralizedExponential):
        return [lambda m: (replace(m, tau=_planned(m, search, ByNormalisedScore).tau * f) for f in (0, *_FACTORS))]
    return []


def _planned_smoothness(method: PrivateSmooth, search: _Search) -> Fraction:
    """The β that the method uses."""
    kernel = method.plan(search.question, search.budget).kernel
    assert isinstance(kernel, LogKernel)
    return kernel.smoothness


def _planned(method: Method, search: _Search, kind: type[Step]) -> Step:
    """The selecting step of a method, with everything planned."""
    selection = method.plan(search.question, search.budget).selection
    assert isinstance(selection, kind)
    return selection


def _times(whole_number: int, factor: Fraction) -> int:
    return max(1, int(whole_number * factor))
