"""`compare`: what every method would do, on data that are public.

    expected regret   E[g(R)] from the exact law, "not released" counted as the largest gap
    published bound   t_ρ at the median of the released scale: what an analyst would read in a release
    curator's bound   t_ρ at the scale b↑(ξ): Pr[gap > bound] ≤ ρ + ξ (source Table 1)

None of these numbers is private. They are computed on a reference: public data, synthetic data, or a public
description. A choice made by them is then a choice from public facts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from statistics import fmean
from typing import Any, Final, final

import numpy as np

from dpselect import _version
from dpselect.errors import DPSelectError, InvalidData, InvalidParameter
from dpselect.exact.numbers import nonnegative, positive, probability
from dpselect.methods import METHODS
from dpselect.methods.choice import calibrate, method_named, needs_arguments
from dpselect.methods.law import Law
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.scale import FiniteScaleLaw, Scales
from dpselect.problems.description import Description
from dpselect.problems.in_hand import scores_in_hand
from dpselect.problems.problem import Posed, pose
from dpselect.regret import expected_regret
from dpselect.verification.progress import progress
from dpselect.words import aligned, rounded_up, short_number

RULE: Final = (
    "Never compare methods on the private data: these numbers are not private, and a choice made by them would leak. "
    "They are computed on a reference that is declared public."
)


@final
@dataclass(frozen=True)
class Row:
    """One method, on the reference.

    Arguments:
        method: the method, with its options: what `select` takes.
        epsilon, delta: what a release would cost.
        split: the share of ε that selects the answer; the rest finds the scale.
        regrets: the exact expected regret on each dataset of the reference, in score units.
        expected_regret: their mean.
        share: the mean of regret / largest gap over the datasets: 0 is perfect, 1 the worst candidate every time.
        release_probability: the mean probability that anything is released.
        best_probability: the mean probability that a best candidate is named.
        published_bound: what `release.regret_bound(rho)` would be at the median released scale, the largest over the
            datasets; None where the method publishes none.
        flip_bound: what `release.flip_bound(rho)` would be; None where there is none.
        curator_bound: the largest over the datasets of the bound that holds with probability 1 − ρ − ξ; None if none.
    """

    method: Method
    sampler: str
    epsilon: Fraction
    delta: Fraction
    split: Fraction
    regrets: tuple[float, ...]
    expected_regret: float
    share: float
    release_probability: float
    best_probability: float
    published_bound: float | None
    flip_bound: int | None
    curator_bound: float | None

    @property
    def options(self) -> dict[str, str]:
        """The public options that are not the defaults; the sampler apart."""
        return changed_options(self.method)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "method": self.method.name,
            "options": self.options,
            "sampler": self.sampler,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "split": float(self.split),
            "expected_regret": self.expected_regret,
            "regrets": list(self.regrets),
            "share_of_largest_gap": self.share,
            "release_probability": self.release_probability,
            "best_probability": self.best_probability,
            "published_bound": self.published_bound,
            "flip_bound": self.flip_bound,
            "curator_bound": self.curator_bound,
        }


@final
@dataclass(frozen=True)
class Comparison:
    """Methods side by side, the least expected regret first. All of it is about the reference.

    `left_out`: (method, why) for those that cannot be used here.
    """

    problem: str
    unit: str
    references: tuple[str, ...]
    sizes: tuple[int, ...]
    largest_gaps: tuple[float, ...]
    epsilon: Fraction
    delta: Fraction
    rho: Fraction
    xi: Fraction
    rows: tuple[Row, ...]
    left_out: tuple[tuple[str, str], ...]

    @property
    def rule(self) -> str:
        """The sentence that goes with every comparison."""
        return RULE

    @property
    def best(self) -> Row:
        """The row with the least expected regret (relative to the largest gap, if there are several datasets)."""
        return min(self.rows, key=lambda row: row.share)

    def __getitem__(self, method: str) -> Row:
        """The row of a method, by name; the better one if there are several."""
        found = [row for row in self.rows if row.method.name == method]
        if not found:
            raise InvalidParameter(f"no row for {method!r}; there are {', '.join(r.method.name for r in self.rows)}")
        return min(found, key=lambda row: row.share)

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The heading and the rows of the table, as text."""
        heading = (
            "method",
            "guarantee",
            "expected regret",
            "best named",
            "released",
            "published",
            "curator",
            "selects",
        )
        return heading, [_cells(row) for row in self.rows]

    def __str__(self) -> str:
        lines = [f"{self.problem}, {self.unit}", f"Reference: {', '.join(self.references)}", ""]
        lines += [*aligned(*self.cells()), ""]
        lines += [f"{name} is left out: {why}." for name, why in self.left_out]
        return "\n".join([*lines, "", self.rule])

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "rule": self.rule,
            "problem": self.problem,
            "unit": self.unit,
            "reference": list(self.references),
            "m": list(self.sizes),
            "largest_gap": list(self.largest_gaps),
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "rho": float(self.rho),
            "xi": float(self.xi),
            "best": self.best.method.name,
            "methods": [row.to_dict() for row in self.rows],
            "left_out": [{"method": name, "why": why} for name, why in self.left_out],
            "version": _version.__version__,
        }

    def to_json(self) -> str:
        """`to_dict` as a JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def compare(
    problem: Any = None,
    reference: Any = None,
    *,
    epsilon: Any,
    delta: Any = 0,
    methods: Sequence[Any] | None = None,
    sampler: str | None = None,
    unit: Any = None,
    rho: Any = Fraction(1, 20),
    xi: Any = Fraction(1, 20),
    sensitivity: Any = None,
    monotone: bool = False,
    candidates: Any = None,
) -> Comparison:
    """The methods side by side on a reference. **Never on the private data**: nothing that comes out is private.

    Two forms, as for `select`: ``compare(problem, reference, …)``, and ``compare(reference=scores, sensitivity=…, …)``
    for made-up or public scores.

    Arguments:
        reference: public or synthetic data of the kind that `select` takes, or a public description:
            ``graph.GnpGraph(n, p)``, ``table.Histogram(rows, shares, records)``; sizes may be ranges.
        methods: methods or names; default: all that can be used with this problem and budget.
        sampler: for the methods given by name, or all of the default ones.
        rho, xi: the bounds are stated at failure probability ρ (published), ρ + ξ (curator).
        epsilon, delta, unit, sensitivity, monotone, candidates: as for `select`.

    Errors: as for `select`. Cost: the exact law of every method on every dataset of the reference, once.

    >>> found = compare(reference=[30, 10, 0], epsilon=1, sensitivity=1)
    >>> found.best.method.name, found.best.release_probability
    ('global-scale', 1.0)
    """
    budget = Budget(positive(epsilon, "epsilon"), nonnegative(delta, "delta"))
    if budget.delta >= 1:
        raise InvalidParameter(f"delta must be below 1, got {delta!r}")
    rates = probability(rho, "rho"), probability(xi, "xi")
    wanted, left_out = _wanted(methods, sampler)
    posed = posed_reference(problem, reference, unit, sensitivity, monotone, candidates)
    rows = []
    with progress("comparing", len(wanted)) as step:
        for method in wanted:
            lacking = method.lacks(posed[0][1].question)
            if lacking is not None and methods is None:
                left_out.append((method.name, f"the problem does not offer {lacking}"))
                continue
            try:
                rows.append(row(method, [p for _, p in posed], budget, *rates))
            except DPSelectError as reason:
                if methods is not None:
                    raise
                left_out.append((method.name, _why(reason, budget)))
            step()
    question = posed[0][1].question
    return Comparison(
        problem=question.problem,
        unit=question.unit,
        references=tuple(what for what, _ in posed),
        sizes=tuple(p.question.size for _, p in posed),
        largest_gaps=tuple(_largest_gap(p) for _, p in posed),
        epsilon=budget.epsilon,
        delta=budget.delta,
        rho=rates[0],
        xi=rates[1],
        rows=tuple(sorted(rows, key=lambda r: r.share)),
        left_out=tuple(left_out),
    )


def posed_reference(
    problem: Any, reference: Any, unit: Any, sensitivity: Any = None, monotone: bool = False, candidates: Any = None
) -> list[tuple[str, Posed]]:
    """The problem put to every dataset of the reference: (what it is, posed), read and found to be in order.

    What is wrong with the reference itself is said here: it would leave no method to choose from.
    """
    if reference is None:
        raise InvalidParameter("reference is missing: public or synthetic data, or a public description of them")
    if problem is None:
        problem, reference = scores_in_hand(reference, sensitivity, monotone=monotone, candidates=candidates)
    elif sensitivity is not None or monotone is not False or candidates is not None:
        raise InvalidParameter(
            "sensitivity, monotone and candidates go with scores (no problem); a problem declares its own"
        )
    described = reference.described() if isinstance(reference, Description) else [("data declared public", reference)]
    try:
        posed = [(what, pose(problem, data, unit)) for what, data in described]
    except InvalidParameter as wrong:
        raise InvalidParameter(about_reference(str(wrong)) if str(wrong).startswith("data") else str(wrong)) from None
    try:
        for _, each in posed:
            _ = each.evaluation.scores
    except (InvalidData, InvalidParameter) as wrong:
        raise InvalidParameter(about_reference(str(wrong))) from None
    return posed


def about_reference(message: str) -> str:
    """What is wrong with data, where the data are the reference.

    >>> about_reference("data must be a table"), about_reference("data: no such file: 'x'"), about_reference("a null")
    ('reference must be a table', "reference: no such file: 'x'", 'reference: a null')
    """
    return "reference" + message.removeprefix("data") if message.startswith("data") else f"reference: {message}"


def row(method: Method, posed: Sequence[Posed], budget: Budget, rho: Fraction, xi: Fraction) -> Row:
    """One method on every dataset of the reference."""
    laws = [Law(calibrate(method, p.question, budget), p.evaluation, p.range) for p in posed]
    regrets = [expected_regret(law) for law in laws]
    curator = [law.calibration.regret(law.evaluation, rho, xi) for law in laws]
    published = [_published(law, rho) for law in laws]
    flips = [_flips(law.calibration, rho) for law in laws]
    first = laws[0].calibration
    return Row(
        method=method,
        sampler=first.sampler.name,
        epsilon=first.guarantee.epsilon,
        delta=first.guarantee.delta,
        split=first.epsilon_selection * first.peels / budget.epsilon,
        regrets=tuple(regrets),
        expected_regret=fmean(regrets),
        share=_share(regrets, [_largest_gap(p) for p in posed]),
        release_probability=1.0 - fmean(law.no_release for law in laws),
        best_probability=fmean(_best_named(law) for law in laws),
        published_bound=_largest(published),
        flip_bound=None if None in flips else max(f for f in flips if f is not None),
        curator_bound=_largest(curator),
    )


def share_of_largest_gap(method: Method, posed: Sequence[Posed], budget: Budget) -> float:
    """The mean over the datasets of expected regret / largest gap: what a method is chosen by."""
    laws = [Law(calibrate(method, p.question, budget), p.evaluation, p.range) for p in posed]
    return _share([expected_regret(law) for law in laws], [_largest_gap(p) for p in posed])


def default_methods(sampler: str | None) -> list[Method]:
    """Every method that has defaults for all its options."""
    return [m for m in (method_named(name, sampler) for name in METHODS if not needs_arguments(METHODS[name])) if m]


def changed_options(method: Method) -> dict[str, str]:
    """The public options of a method that are not the defaults; the sampler apart."""
    return {
        f.name: _option(getattr(method, f.name))
        for f in fields(method)
        if f.name != "sampler" and getattr(method, f.name) != f.default
    }


def _option(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _wanted(methods: Sequence[Any] | None, sampler: str | None) -> tuple[list[Method], list[tuple[str, str]]]:
    if methods is None:
        needy = [name for name in METHODS if needs_arguments(METHODS[name])]
        return default_methods(sampler), [(name, "it has no default scale: name it in `methods`") for name in needy]
    if isinstance(methods, str | Method) or not isinstance(methods, Sequence) or not methods:
        raise InvalidParameter("methods must be a list with at least one method or name")
    found = [method_named(m, None if isinstance(m, Method) else sampler) for m in methods]
    if None in found:
        raise InvalidParameter("methods: 'auto' is not a method to compare; leave `methods` out to see all")
    return [m for m in found if m is not None], []


def _why(reason: DPSelectError, budget: Budget) -> str:
    """Why a method is left out, in few words where δ = 0 is the reason."""
    text = str(reason)
    return "it needs a δ above 0" if not budget.delta and text.startswith("delta must be positive") else text


def _largest_gap(posed: Posed) -> float:
    return float(posed.evaluation.scores.gaps().proposal.max())


def _share(regrets: Sequence[float], largest: Sequence[float]) -> float:
    return fmean(r / most if most > 0 else 0.0 for r, most in zip(regrets, largest, strict=True))


def _best_named(law: Law) -> float:
    best = np.asarray(law.evaluation.scores.maximisers())
    return float(law.probabilities[best].sum())


def _largest(bounds: Sequence[Fraction | None]) -> float | None:
    known = [float(b) for b in bounds if b is not None]
    return max(known) if len(known) == len(bounds) else None


def _flips(calibration: Calibration, rho: Fraction) -> int | None:
    flips = calibration.selection.flips
    return None if flips is None else flips.within(calibration.sampler.tail(calibration.question.size, rho).upper())


def _published(law: Law, rho: Fraction) -> Fraction | None:
    """T(B) K(m, ρ) at the median of B, given that something is released."""
    calibration = law.calibration
    if calibration.releases == "candidate":
        return None
    released = median_scales(law)
    temperature = None if released is None else calibration.selection.temperature(released)
    if temperature is None:
        return None
    return calibration.sampler.tail(calibration.question.size, rho).upper() * temperature


def median_scales(law: Law) -> Scales | None:
    """(b,) for the least b with Pr[B ≤ b] ≥ ½ Pr[released], before rounding to the grid.

    Empty for a method without a scale, None where nothing is ever released.
    """
    scale, half = law.scale, (1.0 - law.no_release) / 2
    if half <= 0:
        return None
    if isinstance(scale, FiniteScaleLaw):
        reached = 0.0
        for b, p in sorted(scale.atoms):
            reached += p
            if reached >= half:
                return (b,)
        return ()
    high = 1.0
    while scale.cdf(high) < half and high < 1e300:
        high *= 2
    while scale.cdf(high / 2) >= half and high > 1e-300:
        high /= 2
    low = high / 2
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if scale.cdf(middle) >= half else (middle, high)
    return (Fraction(high),)


def _cells(row: Row) -> tuple[str, ...]:
    options = "".join(f", {name}={value}" for name, value in row.options.items())
    delta = f", δ = {short_number(row.delta)}" if row.delta else ""
    published = "–" if row.published_bound is None else rounded_up(Fraction(row.published_bound))
    if row.flip_bound is not None:
        published = f"{row.flip_bound:,} flips"
    return (
        row.method.name + options,
        f"ε = {short_number(row.epsilon)}{delta}",
        f"{row.expected_regret:,.4g}",
        percent(row.best_probability),
        percent(row.release_probability),
        published,
        "–" if row.curator_bound is None else rounded_up(Fraction(row.curator_bound)),
        percent(float(row.split)),
    )


def percent(p: float) -> str:
    """A probability for people.

    >>> percent(0.123456), percent(0.99999), percent(1.0)
    ('12.35 %', '> 99.99 %', '100 %')
    """
    if p >= 1 - 1e-12:
        return "100 %"
    return "> 99.99 %" if p > 0.9999 else f"{100 * p:.2f} %"
