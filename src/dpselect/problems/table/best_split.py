"""BestSplit: where a decision tree should divide its private records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.exact.numbers import whole
from dpselect.exact.private import Private
from dpselect.exact.scores import Scores
from dpselect.problems.table.best_model import class_keys
from dpselect.problems.table.grid import decimal
from dpselect.problems.table.impurity import Entropy, Gini, Impurity
from dpselect.problems.table.labelled import LabelledQuery, read_columns
from dpselect.problems.table.policies import (
    DROP,
    REFUSE,
    TableUnit,
    check_policy,
    check_unit,
    rows_of,
    unit_assumptions,
)
from dpselect.problems.table.split_profile import split_profile
from dpselect.problems.table.tallies import table_of
from dpselect.problems.units import AddOrRemove, ReplaceOne
from dpselect.profile import Profile

Integers = NDArray[np.int64]

CRITERIA: Final = ("gini", "information-gain")
MOST_SPLITS: Final = 10**5
FAR: Final = 2**40
"""A public number of steps after which the profile is its cap."""


class Split(NamedTuple):
    """Left: feature ≤ threshold.

    >>> str(Split("age", 50.0))
    'age ≤ 50'
    """

    feature: str
    threshold: float

    def __str__(self) -> str:
        return f"{self.feature} ≤ {self.threshold:g}"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Sides(Private):
    """Records by split, side and class, shape (splits, 2, classes); every split sees the same records."""

    counts: Integers

    def __post_init__(self) -> None:
        counts = self.counts
        if counts.ndim != 3 or counts.shape[1] != 2 or len(counts) == 0 or counts.dtype.kind not in "iu":
            raise InvalidData("sides must be an array of integers of shape (splits, 2, classes)")
        if counts.min() < 0 or bool((counts.sum(axis=1) != counts[0].sum(axis=0)).any()):
            raise InvalidData("counts of records must be nonnegative, and the same in all for every split")

    @property
    def size(self) -> int:
        return len(self.counts)


@final
@dataclass(frozen=True)
class BestSplit:
    """q(x, r) = −Σ over both sides of split r of n · impurity, for public splits (feature ≤ threshold).

    Arguments:
        splits: {feature: thresholds}, fixed before the data is read (a grid between public bounds; never the values
            that occur). A candidate is a `Split(feature, threshold)`; records with feature ≤ threshold go left.
        criterion: "gini" (n − Σ a²/n per side) or "information-gain" (n log n − Σ a log a, in nats).
        label, classes: the column of classes, and the declared ones.
        most_records: a public bound of the number of records; needed for "information-gain", whose worst case grows
            with its logarithm. More records are refused.
        unknown, missing: "refuse" or "drop" a record without a declared class, or with a feature that is null or NaN.
        person, counts, unit: as for `Quantile`.

    The score is the gain of a tree, times n, less the impurity before the split, which all splits share.
    Sensitivity: λ of `impurity`, with proofs. One record moves all scores in one direction: κ = 1, GS = 2 for Gini and
    log N + 1 at most for information gain. Profile: `split_profile`. One record replaced is a removal and an
    addition: the profile A(2t) + A(2t + 1) bounds the span, κ = 1, twice the GS.
    Numbers: Gini is rational; information gain is a lazily refined real, so no rounding has to be paid for.
    The default method is `GlobalScale`: under κ = 1 it weighs by exp(−ε gap/GS), and halving ε for the ladder pays
    only where no candidate has a side without one of the classes. No flip distance better than the ladder is known.
    Cost: one pass over the columns, then O(splits · classes). Source: theory section 8c.

    >>> import dpselect as ds
    >>> x = {"age": list(range(100)) * 10, "label": [0] * 400 + [1] * 600}
    >>> x["label"] = [int(age > 40) for age in x["age"]]
    >>> split = ds.select(ds.table.BestSplit({"age": [20, 40, 60]}), x, epsilon=1, seed=1).candidate
    >>> split.feature, split.threshold
    ('age', 40.0)
    """

    splits: Mapping[str, Sequence[Any]]
    criterion: str = "gini"
    label: str = "label"
    classes: Sequence[Any] = (0, 1)
    most_records: int | None = field(default=None, kw_only=True)
    unknown: str = field(default=REFUSE, kw_only=True)
    missing: str = field(default=REFUSE, kw_only=True)
    person: str | None = field(default=None, kw_only=True)
    counts: str | None = field(default=None, kw_only=True)
    unit: TableUnit = field(default=AddOrRemove(), kw_only=True)

    name = "best split"
    kappa = 1
    default_method = "global-scale"

    def __post_init__(self) -> None:
        check_unit(self.unit, self.person, self.counts)
        for name, policy in (("unknown", self.unknown), ("missing", self.missing)):
            check_policy(name, policy, (REFUSE, DROP), self.unit)
        class_keys(self.classes)
        if self.criterion not in CRITERIA:
            raise InvalidParameter(f"criterion must be one of {', '.join(CRITERIA)}, got {self.criterion!r}")
        if (self.most_records is None) == (self.criterion == "information-gain"):
            raise InvalidParameter(
                "most_records goes with criterion 'information-gain', which needs it: a public bound of the number of "
                "records"
            )
        _ = self.candidates, self.sensitivity  # raise for what is out of range

    # ---------------------------------------------------------------- public

    @cached_property
    def candidates(self) -> tuple[Split, ...]:
        """The splits, feature by feature."""
        if not isinstance(self.splits, Mapping) or not self.splits:
            raise InvalidParameter("splits must be a dict of features and thresholds, at least one")
        found = []
        for feature, thresholds in self.splits.items():
            if not isinstance(feature, str) or feature == self.label:
                raise InvalidParameter(f"splits: a feature must be a column other than the label, got {feature!r}")
            if isinstance(thresholds, str | bytes):
                raise InvalidParameter(f"splits: the thresholds of {feature!r} must be a list of numbers")
            found += [Split(feature, float(decimal(t, "splits"))) for t in thresholds]
        if not 1 <= len(found) <= MOST_SPLITS or len(set(found)) != len(found):
            raise InvalidParameter(f"splits must be 1 to {MOST_SPLITS:,} different ones")
        return tuple(found)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns with at least one threshold."""
        return tuple(dict.fromkeys(split.feature for split in self.candidates))

    @property
    def impurity(self) -> Impurity:
        """f and λ."""
        return Gini() if self.criterion == "gini" else Entropy()

    @cached_property
    def sensitivity(self) -> Fraction:
        """GS for one record added or removed: 2, or λ(0, N − 1) = N log N − (N − 1) log(N − 1)."""
        if self.most_records is None:
            return Fraction(2)
        most = whole(self.most_records, "most_records", least=1)
        return self.impurity.rounded(0, most - 1)

    @cached_property
    def query(self) -> LabelledQuery:
        """What is read."""
        return LabelledQuery(
            label=self.label,
            keys=class_keys(self.classes),
            columns=self.features,
            kind="numbers",
            unknown=self.unknown,
            missing=self.missing,
            person=self.person,
            rows=rows_of(self.unit),
            counts=self.counts,
        )

    def under(self, unit: Any) -> BestSplit:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is declared, in sentences."""
        size = () if self.most_records is None else (f"there are at most {self.most_records} records",)
        return (*unit_assumptions(self.unit, self.person), *size)

    @property
    def monotone(self) -> bool:
        """Under add-or-remove."""
        return not isinstance(self.unit, ReplaceOne)

    @property
    def steps(self) -> int:
        """How many records are added or removed on an edge, one after the other."""
        return 2 if isinstance(self.unit, ReplaceOne) else rows_of(self.unit)

    @property
    def global_sensitivity(self) -> Fraction:
        """GS of the span under the unit."""
        return self.sensitivity * self.steps

    # ---------------------------------------------------------------- private

    def read(self, x: Any) -> Sides:
        """The counts that everything below is computed from."""
        if isinstance(x, Sides):
            found = x
        else:
            sides = [self._sides_of(column.position, column) for column in read_columns(self.query, x)]
            place = {split: i for i, split in enumerate(s for feature in self.features for s in self._of(feature))}
            found = Sides(np.concatenate(sides)[[place[split] for split in self.candidates]])
        if self.most_records is not None and int(found.counts[0].sum()) > self.most_records:
            raise InvalidData("there are more records than most_records declares")
        return found

    def _of(self, feature: str) -> list[Split]:
        return sorted(split for split in self.candidates if split.feature == feature)

    def _sides_of(self, position: int, column: Any) -> Integers:
        """Counts by threshold (rising), side and class of one feature."""
        rising = np.array([split.threshold for split in self._of(self.features[position])])
        passed = np.searchsorted(rising, column.values, side="left")
        table = table_of(column.labels, passed, column.weights, len(self.classes), len(rising) + 1)
        # Left of the i-th threshold: those that pass at most i of them.
        left = table.cumsum(axis=1)[:, :-1]
        return np.stack([left, table.sum(axis=1, keepdims=True) - left], axis=-1).transpose(1, 2, 0)

    def scores(self, x: Any) -> Scores:
        """−Σ f."""
        return self.impurity.scores(self.read(x).counts)

    def profile(self, x: Any) -> Profile:
        """The profile of the span under the unit."""
        end = FAR if self.most_records is None else self.most_records
        one = split_profile(self.impurity, self.read(x).counts, self.sensitivity, end)
        return one.groups(self.steps)
