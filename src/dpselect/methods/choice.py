"""From a name to a method, and from a method to a calibration that fits the problem."""

from __future__ import annotations

import difflib
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, Final

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.guarantee import Guarantee
from dpselect.methods import METHODS
from dpselect.methods.generalized import GeneralizedExponential
from dpselect.methods.global_scale import GlobalScale
from dpselect.methods.inverse_sensitivity import InverseSensitivity
from dpselect.methods.ladder import Ladder
from dpselect.methods.maximisers import free_calibration
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.private_bound import PrivateBound
from dpselect.methods.supported_flips import SupportedFlips
from dpselect.question import Question


def method_named(method: object, sampler: str | None = None) -> Method | None:
    """A method given as an object or by its name, with a sampler if the name leaves it open; None for "auto"."""
    if isinstance(method, Method):
        if sampler is not None:
            raise InvalidParameter("sampler: set it on the method itself, e.g. ds.PrivateBound(sampler='gibbs')")
        return method
    if isinstance(method, type) and issubclass(method, Method):
        raise InvalidParameter(f"method must be an object: write {method.__name__}(…), not {method.__name__}")
    if method == "auto":
        return None
    if not isinstance(method, str) or method not in METHODS:
        near = difflib.get_close_matches(str(method), METHODS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidParameter(f"method must be one of {', '.join(['auto', *METHODS])}, got {method!r}{hint}")
    cls = METHODS[method]
    needed = needs_arguments(cls)
    if needed:
        raise InvalidParameter(f"method {method!r} needs {', '.join(needed)}: build it as an object")
    options: dict[str, Any] = {} if sampler is None else {"sampler": sampler}
    return cls(**options)


def needs_arguments(cls: type[Method]) -> list[str]:
    """The options of a method that have no default."""
    return [f.name for f in fields(cls) if f.default is f.default_factory]  # both MISSING


def automatic(question: Question, budget: Budget, sampler: str | None) -> tuple[Method, str]:
    """The default method and why, from public facts only; deterministic.

    In this order: the problem's own choice, unless it needs a δ and there is none; the problem's flip distances, with a
    support where a score may rest on few records (they are few flips away from the best, whatever the score is); a
    private bound, if there is a δ to spend and there are levels; for scores in hand what was declared about them; else
    the ladder, which needs nothing but a profile.
    """
    options: dict[str, Any] = {} if sampler is None else {"sampler": sampler}
    if question.default_method is not None:
        own = METHODS[question.default_method](**options)
        if _affordable(own, question, budget):
            return own, "the problem names it as its default"
    if question.has_flip_distance:
        if question.support is not None and question.support.declared < 2:
            return SupportedFlips(**options), (
                "the problem knows how many records away from the best a candidate is, and one whose score rests on "
                "few records would be a likely answer otherwise"
            )
        return InverseSensitivity(**options), "the problem knows how many records away from the best a candidate is"
    if question.levels is not None and budget.delta > 0:
        return PrivateBound(**options), "there is a δ to spend, and the problem bounds its local sensitivity"
    if question.sensitivities is not None:
        times = _apart(question.sensitivities)
        if times >= FAR:
            return GeneralizedExponential(**options), "the declared sensitivities differ very much"
        if times >= APART:
            mild = GeneralizedExponential(**options, rho=MILD)
            return mild, f"the declared sensitivities differ much (with τ at ρ = {MILD}, they are not far apart)"
    if question.problem == "scores in hand":
        return GlobalScale(**options), "only the sensitivity is known"
    return Ladder(**options), "it needs nothing but a profile"


APART: Final = 3
"""Sensitivities differ much where the largest is so many times the (lower) median."""

FAR: Final = 10
"""From here on a candidate that moves much drowns the others: the generalized mechanism with its own default τ.

τ favours candidates that move little, before any score is seen. Nearer than that one candidate may well win because of
its score, and τ is taken at ρ = `MILD`: twice the regret of the best method at most on {a: 3, b: 5} with {a: 1, b: 4},
where the default τ has up to 2.8 times (ε ≤ 1). No τ is that near there and with the scores exchanged (see the tests).
"""

MILD: Final = Fraction(1, 4)
"""ρ of a τ that favours sensitive candidates less: they are named too rarely otherwise where they are the best."""


def _affordable(method: Method, question: Question, budget: Budget) -> bool:
    try:
        method.plan(question, budget)
    except InvalidParameter:
        return False
    return True


def _apart(sensitivities: tuple[Fraction, ...]) -> Fraction:
    """The largest sensitivity in units of the (lower) median; above every bound if that is 0."""
    median = sorted(sensitivities)[(len(sensitivities) - 1) // 2]
    return max(sensitivities) / median if median else Fraction(FAR)


def calibrate(method: Method | None, question: Question, budget: Budget, sampler: str | None = None) -> Calibration:
    """The calibration of a question, free where the answer cannot depend on one record."""
    chosen, why = automatic(question, budget, sampler) if method is None else (method, None)
    lacking = chosen.lacks(question)
    if lacking is not None:
        usable = [name for name, cls in METHODS.items() if _usable(cls, question)]
        raise UnsupportedProblem(
            f"method {chosen.name!r} needs {lacking}, which {question.problem!r} does not offer; "
            f"it can use: {', '.join(usable)}"
        )
    planned = chosen.plan(question, budget)
    if not Guarantee.approximate(budget.epsilon, budget.delta).covers(planned.guarantee):
        raise RuntimeError(f"method {chosen.name!r} planned to spend more than the budget: please report this")
    if question.is_free or question.size == 1:
        # The options were checked by planning; nothing is spent.
        planned = free_calibration(chosen.name, question, budget.peels)
    if why is None:
        return planned
    return with_note(planned, f"method chosen automatically, from public facts only: {chosen.name}, because {why}")


def with_note(calibration: Calibration, note: str) -> Calibration:
    """The same calibration with a public sentence more for the release."""
    return replace(calibration, notes=(*calibration.notes, note))


def _usable(cls: type[Method], question: Question) -> bool:
    return bool(needs_arguments(cls)) or cls().lacks(question) is None
