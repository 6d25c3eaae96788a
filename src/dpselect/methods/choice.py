"""From a name to a method, and from a method to a calibration that fits the problem."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import Any

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


def automatic(question: Question, budget: Budget, sampler: str | None) -> Method:
    """The default method, from public facts only: the problem's own choice, if it states one.

    A flip-distance certificate of the problem's own beats everything else known; else a private bound if there is a
    δ to spend and there are levels; else the ladder, or the global scale where nothing local is known.
    """
    options: dict[str, Any] = {} if sampler is None else {"sampler": sampler}
    if question.default_method is not None:
        return METHODS[question.default_method](**options)
    if question.has_flip_distance:
        return InverseSensitivity(**options)
    if question.levels is not None and budget.delta > 0:
        return PrivateBound(**options)
    if question.problem == "scores in hand":
        return GlobalScale(**options) if question.sensitivities is None else GeneralizedExponential(**options)
    return Ladder(**options)


def calibrate(method: Method | None, question: Question, budget: Budget, sampler: str | None = None) -> Calibration:
    """The calibration of a question, free where the answer cannot depend on one record."""
    chosen = automatic(question, budget, sampler) if method is None else method
    lacking = chosen.lacks(question)
    if lacking is not None:
        usable = [name for name, cls in METHODS.items() if _usable(cls, question)]
        raise UnsupportedProblem(
            f"method {chosen.name!r} needs {lacking}, which {question.problem!r} does not offer; "
            f"it can use: {', '.join(usable)}"
        )
    planned = chosen.plan(question, budget)
    if question.is_free or question.size == 1:
        # The options were checked by planning; nothing is spent.
        return free_calibration(chosen.name, question, budget.peels)
    assert Guarantee.approximate(budget.epsilon, budget.delta).covers(planned.guarantee)
    return planned


def _usable(cls: type[Method], question: Question) -> bool:
    return bool(needs_arguments(cls)) or cls().lacks(question) is None
