"""Scores in hand: the caller has computed q(x, ·) and declares how far one record can move it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative
from dpselect.exact.scores import Scores
from dpselect.profile import Profile


@final
@dataclass(frozen=True, eq=False)
class ScoresInHand:
    """LS(x) ≤ GS = `sensitivity` for every x: the profile is the constant GS.

    Arguments:
        candidates: their public names.
        global_sensitivity: Δ ≥ 0 with |q(x, r) − q(x', r)| ≤ Δ for all r on every edge.
        monotone: all scores move in the same direction on every edge (declared by the caller).
        sensitivities: Δ_r ≥ 0 per candidate, if they differ.
    """

    candidates: Sequence[Any]
    global_sensitivity: Fraction
    monotone: bool = False
    sensitivities: tuple[Fraction, ...] | None = None
    unit: str = "one step between neighbouring datasets"
    name: str = "scores in hand"
    assumptions: tuple[str, ...] = field(
        default=("the declared sensitivity bounds the change of every score between neighbouring datasets",)
    )

    def scores(self, x: Any) -> Scores:
        """The scores themselves."""
        return Scores.of(x)

    def profile(self, x: Any) -> Profile:
        """A(t) = GS."""
        return Profile.constant(self.global_sensitivity)


def scores_in_hand(
    scores: Any, sensitivity: object, *, monotone: bool = False, candidates: Sequence[Any] | None = None
) -> tuple[ScoresInHand, Any]:
    """The problem and the bare score values for scores given as a mapping, a sequence or an array.

    Names: the keys of a mapping, `candidates` if given, else positions. `sensitivity` is one number, or a mapping or
    sequence with one per candidate.
    """
    if sensitivity is None:
        raise InvalidParameter("sensitivity is missing: how far can one record move a score?")
    if not isinstance(monotone, bool):
        raise InvalidParameter(f"monotone must be True or False, got {monotone!r}")
    if isinstance(scores, Mapping) or (hasattr(scores, "keys") and hasattr(scores, "items")):
        if candidates is not None:
            raise InvalidParameter("candidates: leave it out, the scores are already named by their keys")
        names: Sequence[Any] = list(scores.keys())
        values: Any = list(scores.values()) if isinstance(scores, Mapping) else np.asarray(scores)
    else:
        values = scores if isinstance(scores, np.ndarray | Scores) else _listed(scores)
        names = range(_length(values)) if candidates is None else _named(candidates)
        if len(names) != _length(values):
            raise InvalidParameter(
                f"candidates and scores must be equally many, got {len(names)} names for {_length(values)} scores"
            )
    if len(names) == 0:
        raise InvalidParameter("candidates must not be empty")
    if not isinstance(names, range) and _distinct(names) != len(names):
        raise InvalidParameter("candidates must not repeat")
    each = _per_candidate(sensitivity, names)
    bound = nonnegative(sensitivity, "sensitivity") if each is None else max(each)
    return ScoresInHand(names, bound, monotone, each), values


def _per_candidate(sensitivity: object, names: Sequence[Any]) -> tuple[Fraction, ...] | None:
    if isinstance(sensitivity, Mapping):
        unknown = [name for name in sensitivity if name not in set(names)]
        missing = [name for name in names if name not in sensitivity]
        if unknown or missing:
            raise InvalidParameter(
                f"sensitivity must have one entry per candidate; missing {missing[:3]!r}, unknown {unknown[:3]!r}"
            )
        return tuple(nonnegative(sensitivity[name], f"sensitivity of {name!r}") for name in names)
    if isinstance(sensitivity, list | tuple | np.ndarray) and not (
        isinstance(sensitivity, np.ndarray) and sensitivity.ndim == 0
    ):
        if len(sensitivity) != len(names):
            raise InvalidParameter(
                f"sensitivity must have one entry per candidate ({len(names)}), got {len(sensitivity)}"
            )
        return tuple(nonnegative(s, "sensitivity") for s in sensitivity)
    return None


def _listed(scores: Any) -> Any:
    if isinstance(scores, str | bytes) or not hasattr(scores, "__iter__"):
        raise InvalidParameter(f"scores must be a mapping, a sequence or an array, got {type(scores).__name__}")
    return np.asarray(scores) if hasattr(scores, "__array__") else list(scores)


def _named(candidates: Any) -> list[Any]:
    if isinstance(candidates, str | bytes) or not hasattr(candidates, "__iter__"):
        raise InvalidParameter(f"candidates must be a list with one name per score, got {type(candidates).__name__}")
    return list(candidates)


def _distinct(names: Sequence[Any]) -> int:
    try:
        return len(set(names))
    except TypeError:
        raise InvalidParameter("candidates must be texts, numbers or other hashable names") from None


def _length(values: Any) -> int:
    if isinstance(values, Scores):
        return values.size
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InvalidParameter(f"scores must be one-dimensional, got {values.ndim} dimensions")
    return len(values)
