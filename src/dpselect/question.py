"""What is public about a selection, and what is private about it: the two sides every method is built from.

A method plans with a `Question` alone, so nothing it fixes (splits, floors, grids, smoothness) can depend on data.
The `Evaluation` is asked afterwards, and only for what the method needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter, UnsupportedProblem
from dpselect.exact.bits import BitSource
from dpselect.exact.numbers import nonnegative, whole
from dpselect.exact.scores import Scores
from dpselect.profile import Profile

LevelMap = Callable[[Fraction], Fraction]

NEVER = 2**61
"""Stands for infinity among whole numbers of steps: no number of records makes this candidate a best one."""


@final
@dataclass(frozen=True)
class LevelConstants:
    """The public side of a hierarchy H_0 ≥ LS, H_{j+1} ≥ LS(H_j), C ≥ GS(H_k) (theory section 4).

    Arguments:
        count: k + 1, the number of levels.
        top: C, with which the last level is Lipschitz.
        caps: caps[j] is a public bound, in the units of B_j, of everything B_j has to cover (GS of the score for
            j = 0, GS of H_{j-1} for j ≥ 1); None where no finite one is known.
        maps: maps[j], nondecreasing, turns the released bound of a 1-step statistic D_j into B_j = f_j(D̃_j)
            ("mapped level"); None where the level is used as it is.
    """

    count: int
    top: Fraction
    caps: tuple[Fraction | None, ...]
    maps: tuple[LevelMap | None, ...] = ()

    def __post_init__(self) -> None:
        whole(self.count, "count", least=1)
        if len(self.caps) != self.count:
            raise InvalidParameter(f"caps must have one entry per level ({self.count}), got {len(self.caps)}")
        object.__setattr__(self, "top", nonnegative(self.top, "top"))
        object.__setattr__(self, "caps", tuple(None if cap is None else nonnegative(cap, "caps") for cap in self.caps))
        if self.maps and len(self.maps) != self.count:
            raise InvalidParameter(f"maps must have one entry per level ({self.count}), got {len(self.maps)}")

    def map_of(self, level: int) -> LevelMap | None:
        """The map of a level, None for a level used as it is."""
        return self.maps[level] if self.maps else None


@final
@dataclass(frozen=True)
class CountConstants:
    """The public side of a score per category that moves less the more records the category has (theory section 8b).

    On an edge at most `touched` counts change, by 1 each, and a score that changes moves by at most
    width/(max(1, c) + weight), c the larger of the two counts of its category — except where the smaller one is below
    `support` and the larger is not.
    """

    touched: int
    weight: Fraction
    support: int
    width: Fraction


@final
@dataclass(frozen=True)
class SupportConstants:
    """The public side of scores that rest on some records each: a mean on those of its category (theory 6b).

    Arguments:
        rows: c ≥ 1, the most by which one edge changes the number of records that one score rests on.
        declared: with fewer than so many records a score is settled by the problem itself (0 or 1: by no one).
        rho: the ρ with which `SupportedFlips` plans its support by default.
    """

    rows: int
    declared: int = 0
    rho: Fraction = Fraction(1, 100)


@final
@dataclass(frozen=True)
class Question:
    """The public facts about a selection.

    Arguments:
        problem: its name, for releases.
        unit: the privacy unit in words ("1 edge", "replace one record").
        size: m, the number of candidates.
        kappa: 1 if the profile bounds the *span* of the score changes on every edge (in particular for monotone
            scores), else 2.
        global_sensitivity: a public bound of the profile; None if there is no finite one.
        levels: the public side of the hierarchy of local bounds, if the problem offers one.
        has_flip_distance: whether the problem has a flip-distance certificate of its own.
        flip_is_exact: whether that certificate is the true flip distance, not only a lower bound of it.
        common_factor: the public bound σ > 0 on the span of c(x) · q on every edge, if the problem has such a c.
        sensitivities: public per-candidate sensitivities, if declared.
        assumptions: what the caller declares, in sentences; repeated in every release.
        counts: the public side of counts per candidate, where the scores are means or rates.
        support: the same of the records that every score rests on, where a few of them make an extreme score.
        default_method: the method "auto" takes, where the problem knows better than the general rule.
    """

    problem: str
    unit: str
    size: int
    kappa: int
    global_sensitivity: Fraction | None
    levels: LevelConstants | None = None
    has_flip_distance: bool = False
    common_factor: Fraction | None = None
    sensitivities: tuple[Fraction, ...] | None = None
    assumptions: tuple[str, ...] = ()
    counts: CountConstants | None = None
    support: SupportConstants | None = None
    default_method: str | None = None
    flip_is_exact: bool = False

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidParameter("candidates must not be empty")
        if self.kappa not in (1, 2):
            raise InvalidParameter(f"kappa must be 1 or 2, got {self.kappa}")

    @property
    def is_free(self) -> bool:
        """Zero sensitivity everywhere: the best candidates never change, so naming one costs nothing."""
        return self.global_sensitivity == 0


@final
@dataclass(frozen=True)
class Unlisted:
    """A public range of candidates that is too large to list: `size` of them, what they are in words.

    Their scores come as `Groups`. `size` is a Python integer of any size.
    """

    size: int
    what: str

    def __post_init__(self) -> None:
        whole(self.size, "the number of candidates", least=1)


def listed(candidates: Sequence[Any] | Unlisted) -> Sequence[Any]:
    """The candidates one by one; `UnsupportedProblem` where there are too many."""
    if isinstance(candidates, Unlisted):
        raise UnsupportedProblem(f"{candidates.size:,} candidates ({candidates.what}) are not listed one by one")
    return candidates


class Groups(ABC):
    """Candidates that are not listed, in groups of one score each: private.

    The laws of the samplers depend on a candidate through its exponent only, so it is enough to draw a group and then
    one of its members uniformly. Two groups may have the same score (with different flip distances).
    """

    def __reduce__(self) -> NoReturn:
        raise TypeError("groups of candidates are private and cannot be pickled")

    @final
    def __repr__(self) -> str:
        return f"{type(self).__name__}(<private>)"

    @property
    @abstractmethod
    def scores(self) -> Scores:
        """The score of every group."""

    @property
    @abstractmethod
    def values(self) -> tuple[Fraction | int, ...]:
        """The same as plain numbers, in score units."""

    @property
    @abstractmethod
    def counts(self) -> tuple[int, ...]:
        """How many candidates are in every group, each at least 1."""

    @abstractmethod
    def pick(self, group: int, source: BitSource) -> Any:
        """A member of the group, each with probability exactly 1/counts[group]."""

    @abstractmethod
    def without(self, group: int, member: Any) -> Groups:
        """The same candidates without one of them; a group that becomes empty is left out."""


def _missing() -> NoReturn:
    raise InvalidParameter("this problem does not offer what the method asked for")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The private facts about a selection, each computed when it is first asked for.

    Arguments are functions without arguments: `score_values` -> Scores; `admissible` -> Profile;
    `level_values` -> (H_0, …, H_k), or the statistics (D_j) of mapped levels; `flips(kept)` -> flip distances (int
    array) among the candidates kept (None: all), or None where the certificate cannot be restricted;
    `factored` -> Scores of c · q; `counted` -> records that the score of each candidate rests on (int array).
    `gathered` -> Groups, where the candidates are `Unlisted`: then scores and flip distances are those of the groups,
    and `flips_of(groups)` takes the place of `flips`.
    """

    score_values: Callable[[], Scores]
    admissible: Callable[[], Profile] = _missing
    level_values: Callable[[], tuple[Fraction, ...]] = _missing
    flips: Callable[[NDArray[np.int64] | None], NDArray[np.int64] | None] = field(default=lambda kept: None)
    factored: Callable[[], Scores] = _missing
    counted: Callable[[], NDArray[np.int64]] = _missing
    kept: tuple[int, ...] | None = None
    gathered: Callable[[], Groups] | None = None
    flips_of: Callable[[Groups], NDArray[np.int64] | None] = field(default=lambda groups: None)

    def __repr__(self) -> str:
        return "Evaluation(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an evaluation is private and cannot be pickled")

    @cached_property
    def scores(self) -> Scores:
        """q(x, ·)."""
        return self.score_values()

    @cached_property
    def profile(self) -> Profile:
        """The admissible profile A_x."""
        return self.admissible()

    @cached_property
    def levels(self) -> tuple[Fraction, ...]:
        """H_0(x), …, H_k(x)."""
        values = self.level_values()
        if any(v < 0 for v in values):
            raise InvalidData("the levels of this problem must be nonnegative")
        return values

    @cached_property
    def flip_distance(self) -> NDArray[np.int64] | None:
        """The problem's own certificate φ(x, ·), None where it has none (for these candidates)."""
        if self.groups is not None:
            return self.flips_of(self.groups)
        return self.flips(None if self.kept is None else np.asarray(self.kept, dtype=np.int64))

    @cached_property
    def common(self) -> Scores:
        """c(x) · q(x, ·)."""
        return self.factored()

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many records every score rests on."""
        return self.counted()

    @cached_property
    def groups(self) -> Groups | None:
        """The candidates in groups of one score; None where they are listed."""
        return None if self.gathered is None else self.gathered()

    def without_member(self, group: int, member: Any) -> Evaluation:
        """The same dataset without one candidate, for candidates in groups. Flip distances as in `without`."""
        assert self.groups is not None
        rest = self.groups.without(group, member)
        return Evaluation(
            score_values=lambda: rest.scores,
            admissible=lambda: self.profile,
            level_values=lambda: self.levels,
            gathered=lambda: rest,
            flips_of=self.flips_of,
        )

    def without(self, removed: Collection[int]) -> Evaluation:
        """The same dataset with fewer candidates: `removed` are positions among the candidates kept so far.

        A profile, a hierarchy and a common factor of q are valid for every subset of the candidates; only a
        flip-distance certificate has to be computed anew, because its zeros are the maximisers of the subset.
        """
        size = self.scores.size
        gone = set(removed)
        left = [i for i in range(size) if i not in gone]
        before = self.kept if self.kept is not None else range(size)
        scores, common = self.scores, self
        return Evaluation(
            score_values=lambda: scores.without(sorted(gone)),
            admissible=lambda: self.profile,
            level_values=lambda: self.levels,
            flips=self.flips,
            factored=lambda: common.common.without(sorted(gone)),
            counted=lambda: common.counts[left],
            kept=tuple(before[i] for i in left),
        )
