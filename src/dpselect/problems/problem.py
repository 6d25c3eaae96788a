"""What a problem is: public candidates, exact scores, an admissible profile; more where it has more to offer.

A problem is any object with

    candidates           a sequence, or a method of the data that reads only what is declared public (a vertex set)
    scores(x)            the exact scores q(x, ·): numbers, or a `Scores`
    profile(x)           an admissible `Profile` of q (theory section 2)

and, as far as it can:

    global_sensitivity   a public bound of the profile: a number, or a method of the public part of the data
    monotone             True if on every edge all scores move in the same direction (checked by `verify`)
    kappa                1 if the profile bounds the span of the change, not only its size (default: 1 if monotone)
    levels(x), level_constants
                         the hierarchy H_0, …, H_k, and its public side (`LevelConstants`, or a method of the data)
    flip_distance(x)     integers φ(x, ·): a flip-distance certificate (theory section 6b); `NEVER` for infinity
    flip_distance_among(x, kept)
                         the same among the candidates at the positions `kept` (for top-k)
    flip_distance_is_exact
                         True if φ is the true flip distance (default: only a lower bound of it)
    common_factor(x), common_factor_span
                         c(x) · q(x, ·) and a public bound of its span (tables)
    category_counts(x), count_constants
                         records per candidate, and how far one of them moves a score (`CountConstants`; tables)
    support_constants    how far one step moves the numbers of `category_counts` (`SupportConstants`); there it may be
                         any records that the score of a candidate rests on
    sensitivities        public per-candidate sensitivities
    groups(x)            where `candidates` is an `Unlisted` range: the `Groups` it consists of; `scores` then has one
                         entry for each group, and so has `flip_distance(x, groups)`, about the candidates in them
    read(x)              an aggregate that the methods above take in place of x, computed once
    default_method       the name of the method "auto" takes
    unit, under(unit)    the privacy unit in words; the same problem under another unit
    name, assumptions    for releases

It need not inherit from anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, cast, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import integer_array, nonnegative, positive, rational
from dpselect.exact.scores import Scores
from dpselect.profile import Profile
from dpselect.question import Evaluation, Groups, LevelConstants, Question, Unlisted, listed


@runtime_checkable
class Problem(Protocol):
    """The three things without which nothing can be selected."""

    def scores(self, x: Any, /) -> Any:
        """q(x, ·), exact."""

    def profile(self, x: Any, /) -> Profile:
        """An admissible profile of q at x."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Posed:
    """A problem put to a dataset: the public question, the private evaluation, the range of candidates."""

    question: Question
    evaluation: Evaluation
    range: Sequence[Any] | Unlisted

    @property
    def names(self) -> Sequence[Any]:
        """The candidates, where they are listed."""
        return listed(self.range)

    def __repr__(self) -> str:
        return f"Posed({self.question.problem!r}, m={self.question.size})"


def as_problem(problem: object, unit: object = None) -> Problem:
    """The problem, under a privacy unit if one is given.

    Raises `InvalidParameter` for anything else (a class without its parentheses, for one), `UnsupportedProblem` where
    the problem has one unit only.
    """
    if isinstance(problem, type):
        raise InvalidParameter(f"problem must be an object: write {problem.__name__}(…), not {problem.__name__}")
    if not isinstance(problem, Problem):
        raise InvalidParameter(
            f"problem must have scores(x) and profile(x), got {type(problem).__name__}; scores in hand go alone, "
            "as in select(scores, epsilon=1, sensitivity=1); see 'Add a problem' in the documentation"
        )
    if unit is None:
        return problem
    if not hasattr(problem, "under"):
        raise UnsupportedProblem(f"{_name(problem)} has one privacy unit only: leave `unit` out")
    return cast(Problem, problem.under(unit))


def pose(problem: object, data: object, unit: object = None) -> Posed:
    """Put a problem to a dataset under a privacy unit. Reads only the public part of the data; the rest is lazy."""
    problem = as_problem(problem, unit)
    if hasattr(problem, "check"):
        problem.check(data)
    names = _public(problem, "candidates", data)
    if names is None:
        raise InvalidParameter(f"{_name(problem)} must declare its candidates")
    if isinstance(names, Unlisted):
        return Posed(_question(problem, data, names.size), _evaluation_of_groups(problem, data, names), names)
    return Posed(_question(problem, data, len(names)), _evaluation(problem, data, len(names)), names)


def _question(problem: Problem, data: object, size: int) -> Question:
    monotone = bool(getattr(problem, "monotone", False))
    bound = _public(problem, "global_sensitivity", data)
    constants = _public(problem, "level_constants", data)
    if constants is not None and not isinstance(constants, LevelConstants):
        raise InvalidParameter("level_constants must be a LevelConstants")
    sensitivities = getattr(problem, "sensitivities", None)
    span = _public(problem, "common_factor_span", data)
    return Question(
        problem=_name(problem),
        unit=str(getattr(problem, "unit", "one step between neighbouring datasets")),
        size=size,
        kappa=int(getattr(problem, "kappa", 1 if monotone else 2)),
        global_sensitivity=None if bound is None else nonnegative(bound, "global_sensitivity"),
        levels=constants,
        has_flip_distance=callable(getattr(problem, "flip_distance", None)),
        flip_is_exact=bool(getattr(problem, "flip_distance_is_exact", False)),
        common_factor=None if span is None else positive(span, "common_factor_span"),
        sensitivities=None if sensitivities is None else tuple(nonnegative(s, "sensitivity") for s in sensitivities),
        assumptions=tuple(_public(problem, "assumptions", data) or ()),
        counts=getattr(problem, "count_constants", None),
        support=getattr(problem, "support_constants", None),
        default_method=getattr(problem, "default_method", None),
    )


def _evaluation(problem: Problem, data: object, size: int) -> Evaluation:
    offered = cast(Any, problem)
    x = _Read(offered, data)

    def scores() -> Scores:
        return _sized(Scores.of(offered.scores(x.once)), size)

    def levels() -> tuple[Fraction, ...]:
        return tuple(rational(v, "levels") for v in offered.levels(x.once))

    def flips(kept: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
        if kept is None and callable(getattr(offered, "flip_distance", None)):
            return _flips(offered.flip_distance(x.once), size)
        if kept is not None and callable(getattr(offered, "flip_distance_among", None)):
            return _flips(offered.flip_distance_among(x.once, kept), len(kept))
        return None

    def common() -> Scores:
        return _sized(Scores.of(offered.common_factor(x.once)), size)

    def counted() -> NDArray[np.int64]:
        return np.asarray(offered.category_counts(x.once), dtype=np.int64)

    return Evaluation(scores, lambda: offered.profile(x.once), levels, flips, common, counted)


def _evaluation_of_groups(problem: Problem, data: object, names: Unlisted) -> Evaluation:
    offered = cast(Any, problem)
    if not callable(getattr(problem, "groups", None)):
        raise InvalidParameter(f"{_name(problem)} must have groups(x): its candidates are not listed")
    x = _Read(offered, data)

    def gathered() -> Groups:
        groups: Groups = offered.groups(x.once)
        if sum(groups.counts) != names.size or len(groups.counts) != groups.scores.size:
            raise InvalidData("the groups must hold every candidate once, with one score for each group")
        return groups

    def flips_of(groups: Groups) -> NDArray[np.int64] | None:
        if not callable(getattr(offered, "flip_distance", None)):
            return None
        return _flips(offered.flip_distance(x.once, groups), len(groups.counts))

    def scores() -> Scores:
        assert evaluation.groups is not None
        return evaluation.groups.scores

    def levels() -> tuple[Fraction, ...]:
        return tuple(rational(v, "levels") for v in offered.levels(x.once))

    evaluation = Evaluation(scores, lambda: offered.profile(x.once), levels, gathered=gathered, flips_of=flips_of)
    return evaluation


@final
@dataclass(frozen=True, eq=False, repr=False)
class _Read:
    """The data as the problem wants them: read when first needed, once."""

    offered: Any
    data: object

    @cached_property
    def once(self) -> Any:
        read = getattr(self.offered, "read", None)
        return read(self.data) if callable(read) else self.data


def _flips(values: object, size: int) -> NDArray[np.int64]:
    distances = integer_array(np.asarray(values))
    if distances.shape != (size,) or distances.dtype == object or (size and int(distances.min()) != 0):
        raise InvalidData("flip_distance must give one integer ≥ 0 per candidate, 0 at the maximisers")
    return distances


def _sized(scores: Scores, size: int) -> Scores:
    if scores.size != size:
        raise InvalidData("there must be one score for every candidate")
    return scores


def _public(problem: object, attribute: str, data: object) -> Any:
    """An attribute, or a method of the data that reads only its public part."""
    value = getattr(problem, attribute, None)
    return value(data) if callable(value) else value


def _name(problem: object) -> str:
    return str(getattr(problem, "name", type(problem).__name__))


__all__ = ["Posed", "Problem", "pose"]
