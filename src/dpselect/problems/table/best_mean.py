"""BestMean: which category of a public list has the highest mean, or the highest rate of a flag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative, whole
from dpselect.exact.rational_scores import RationalScores
from dpselect.problems.table.categories import Categories
from dpselect.problems.table.cells import CellQuery, Cells, read_cells
from dpselect.problems.table.columns import ValueColumn
from dpselect.problems.table.grid import Grid, decimal
from dpselect.problems.table.mean_flips import Ladders
from dpselect.problems.table.mean_profile import profile_adding, span_profile_replacing
from dpselect.problems.table.mean_score import MeanScore
from dpselect.problems.table.policies import (
    CLIP,
    REFUSE,
    VALUE_POLICIES,
    TableUnit,
    check_policy,
    check_unit,
    rows_of,
    unit_assumptions,
)
from dpselect.problems.units import AddOrRemove, ReplaceOne
from dpselect.profile import Profile
from dpselect.question import CountConstants, SupportConstants

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True)
class BestMean:
    """q(x, r) = (S_r + w μ_0)/(n_r + w) if n_r ≥ h, else e_0, over a public list of categories r.

    n_r records of category r have the sum S_r. With the default bounds (0, 1) and a flag, q is a rate.

    Arguments:
        categories: the candidates: texts, integers or booleans.
        category, value: the names of the two columns.
        bounds, step: values are clipped to the bounds and rounded to lo + i · step, one record at a time; they are
            then summed as integers.
        prior_weight, prior_mean: w ≥ 0 records of the value μ_0 are counted in every category (default: none).
        support: h, the number of records below which a category counts as e_0. Default: 1, and 0 with a prior.
            A category with few records moves far with each of them, and makes everybody else's answer noisy: a
            support that is small against the categories one cares about cures that, at no cost in ε.
        empty: e_0, the score of a category without support. Default: the lower bound.
        missing: "refuse", "drop" or "clip" (to the lower bound), for null and NaN values.
        outside: "clip" (default), "refuse" or "drop", for values beyond the bounds and infinities.
        unknown: "refuse", "drop" or "own category" (named `other`), for null and undeclared categories.
        person, counts, unit: as for `Quantile`.

    Sensitivity: `MeanScore` and `mean_profile`, with proofs: one record moves one score by about 1/n_r (less where the
    mean is far from both bounds), so the profile follows the smallest category above its support, and κ = 1; where a
    record is replaced the profile bounds the span.
    Flip distance (default method): exact under add-or-remove for one row a person (`mean_flips`), ⌈φ/c⌉ for up to
    c rows; ⌈φ/2⌉ where a record is replaced, which is a removal and an addition.
    `ReleasedCounts` needs one row a person.
    Cost: one aggregation of the data (cells = distinct pairs of category and rounded value); the flip distance about
    0.1 s for 50 categories, 3 s for 1,000 (10^6 records); the profile 0.2 s.
    Source: theory section 8b.

    >>> import dpselect as ds
    >>> x = {"site": ["a"] * 300 + ["b"] * 300, "ok": [True] * 100 + [False] * 200 + [True] * 250 + [False] * 50}
    >>> ds.select(ds.table.BestMean(["a", "b"], "site", "ok"), x, epsilon=1, seed=1).candidate
    'b'
    """

    categories: Sequence[Any]
    category: str
    value: str
    bounds: Any = (0, 1)
    step: Any = 1
    prior_weight: Any = field(default=0, kw_only=True)
    prior_mean: Any = field(default=None, kw_only=True)
    support: int | None = field(default=None, kw_only=True)
    empty: Any = field(default=None, kw_only=True)
    missing: str = field(default=REFUSE, kw_only=True)
    outside: str = field(default=CLIP, kw_only=True)
    unknown: str = field(default=REFUSE, kw_only=True)
    other: str = field(default="(other)", kw_only=True)
    person: str | None = field(default=None, kw_only=True)
    counts: str | None = field(default=None, kw_only=True)
    unit: TableUnit = field(default=AddOrRemove(), kw_only=True)

    name = "best mean"
    kappa = 1

    def __post_init__(self) -> None:
        check_unit(self.unit, self.person, self.counts)
        check_policy("missing", self.missing, VALUE_POLICIES, self.unit)
        check_policy("outside", self.outside, VALUE_POLICIES, self.unit)
        _ = self.declared, self.grid, self.score  # raise for what is out of range

    # ---------------------------------------------------------------- public

    @cached_property
    def declared(self) -> Categories:
        """The categories, checked."""
        return Categories.of(self.categories, self.unknown, self.other, self.unit)

    @cached_property
    def grid(self) -> Grid:
        """What values are rounded to."""
        return Grid.of(self.bounds, self.step)

    @cached_property
    def score(self) -> MeanScore:
        """The score of a category, in steps of the grid."""
        weight = nonnegative(self.prior_weight, "prior_weight")
        if weight and self.prior_mean is None:
            raise InvalidParameter("prior_mean is missing: a prior weight needs the mean it draws to")
        if not weight and self.prior_mean is not None:
            raise InvalidParameter("prior_mean needs a prior_weight above 0")
        support = whole(self.support, "support") if self.support is not None else int(weight == 0)
        if support == 0 and weight == 0:
            raise InvalidParameter("support must be at least 1 without a prior: the mean of no records is undefined")
        prior = self._inside(self.prior_mean, "prior_mean")
        return MeanScore(weight, prior, support, self._inside(self.empty, "empty"), self.grid.steps)

    def _inside(self, given: Any, name: str) -> Fraction:
        """A value within the bounds, in steps of the grid; the lower bound if none is given."""
        if given is None:
            return Fraction(0)
        exact = decimal(given, name)
        if not self.grid.low <= exact <= self.grid.high:
            raise InvalidParameter(f"{name} must lie within the bounds, got {given!r}")
        return self.grid.index(exact)

    @cached_property
    def query(self) -> CellQuery:
        """What is counted."""
        value = ValueColumn(self.value, self.grid, self.missing, self.outside)
        return CellQuery(value, self.declared.column(self.category), self.person, rows_of(self.unit), self.counts)

    def under(self, unit: Any) -> BestMean:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def candidates(self) -> Sequence[Any]:
        """The declared categories, and `other` where it is one."""
        return self.declared.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is declared, in sentences."""
        return unit_assumptions(self.unit, self.person)

    @property
    def global_sensitivity(self) -> Fraction:
        """GS of the span: δ(h) or the jump at the support; c of them for c rows; two where a record is replaced.

        Never more than twice the width of the bounds.
        """
        width = self.grid.high - self.grid.low
        if isinstance(self.unit, ReplaceOne):
            return min(2 * self.score.worst_replacement * self.grid.step, 2 * width)
        return min(rows_of(self.unit) * self.score.worst_addition * self.grid.step, 2 * width)

    @property
    def flip_distance_is_exact(self) -> bool:
        """For one row a person, added or removed."""
        return self.unit == AddOrRemove()

    @property
    def support_constants(self) -> SupportConstants:
        """What `SupportedFlips` needs to know."""
        return SupportConstants(rows_of(self.unit), self.score.support)

    @property
    def count_constants(self) -> CountConstants | None:
        """What `ReleasedCounts` needs to know; None for more than one row a person."""
        if rows_of(self.unit) > 1:
            return None
        return CountConstants(
            touched=2 if isinstance(self.unit, ReplaceOne) else 1,
            weight=self.score.weight,
            support=self.score.support,
            width=self.grid.high - self.grid.low,
        )

    # ---------------------------------------------------------------- private

    def read(self, x: Any) -> Cells:
        """The aggregate that everything below is computed from."""
        return read_cells(self.query, x)

    def category_counts(self, x: Any) -> Integers:
        """n_r."""
        return self.declared.counts(self.read(x))

    def scores(self, x: Any) -> RationalScores:
        """q(x, ·), less the lower bound."""
        ladders = self._ladders(x)
        each = zip(ladders.counts.tolist(), ladders.sums.tolist(), strict=True)
        ratios = [self.score(n, int(total)).as_integer_ratio() for n, total in each]
        top, bottom = zip(*ratios, strict=True)
        return RationalScores(_integers(top), _integers(bottom), self.grid.step)

    def profile(self, x: Any) -> Profile:
        """The profile of the span, for up to c rows a person."""
        ladders = self._ladders(x)
        if isinstance(self.unit, ReplaceOne):
            return span_profile_replacing(self.score, ladders.counts, self.grid.step).capped(self.global_sensitivity)
        one = profile_adding(self.score, ladders.counts, ladders.sums, self.grid.step)
        return one.groups(rows_of(self.unit)).capped(self.global_sensitivity)

    def flip_distance(self, x: Any) -> Integers:
        """How many records away every category is from having the highest score."""
        return self._in_units(self._ladders(x).flips())

    def flip_distance_among(self, x: Any, kept: Integers) -> Integers:
        """The same among fewer categories."""
        cells = self.read(x)
        chosen = np.isin(cells.positions, kept)
        place = np.full(len(self.candidates), -1, np.int64)
        place[kept] = np.arange(len(kept))
        fewer = Cells.of(place[cells.positions[chosen]], cells.steps[chosen], cells.counts[chosen])
        return self._in_units(Ladders(fewer, self.score, len(kept)).flips())

    def _ladders(self, x: Any) -> Ladders:
        return Ladders(self.read(x), self.score, len(self.candidates))

    def _in_units(self, flips: Integers) -> Integers:
        c = 2 if isinstance(self.unit, ReplaceOne) else rows_of(self.unit)
        return -(-flips // c)


def _integers(values: Sequence[int]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
