"""BestThreshold: where to cut one column of scores, by a metric on a private validation table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.problems.table.best_model import class_keys, refuse_results
from dpselect.problems.table.grid import decimal
from dpselect.problems.table.judged import Judged
from dpselect.problems.table.labelled import LabelledQuery, read_columns
from dpselect.problems.table.measured import Measured
from dpselect.problems.table.metrics.choice import metric_named, refuse_cross_validation
from dpselect.problems.table.policies import (
    DROP,
    REFUSE,
    TableUnit,
    check_policy,
    check_unit,
    rows_of,
)
from dpselect.problems.table.tallies import Confusions, table_of
from dpselect.problems.table.training import check_training
from dpselect.problems.units import AddOrRemove

MOST_THRESHOLDS = 10**4


@final
@dataclass(frozen=True)
class BestThreshold(Judged):
    """q(x, r) = the metric of "positive iff score ≥ r" on the validation table x, for public thresholds r.

    Arguments:
        thresholds: the candidates: different numbers, in any order, fixed before the table is read (a grid; never the
            scores that occur in the table).
        metric: "accuracy", "balanced-accuracy", "precision", "recall", "f1", "f-beta", "matthews", "macro-f1" or
            "macro-precision".
        trained_on: "other records": no validation record was used in training what gives the scores.
        score, label: the columns. classes: two, the second is the positive one.
        beta, unknown, missing, person, counts, unit, cv: as for `BestModel`.

    Every threshold is a model of one and the same table, so all that `BestModel` proves holds here; its sums have a
    flip distance that is only a certificate, since nested predictions cannot be right one at a time.
    Comparisons are made in float64, record by record.
    Cost: one pass over two columns; the certificate O(m²) for m thresholds. Source: theory section 8c.

    >>> import dpselect as ds
    >>> x = {"label": [0] * 500 + [1] * 500, "score": [i / 1000 for i in range(1000)]}
    >>> cut = ds.table.BestThreshold(["0.1", "0.5", "0.9"], "f1", trained_on="other records")
    >>> ds.select(cut, x, epsilon=1, seed=1).candidate
    0.5
    """

    thresholds: Sequence[Any]
    metric: str
    score: str = "score"
    label: str = "label"
    classes: Sequence[Any] = (0, 1)
    trained_on: str = field(kw_only=True)
    beta: Any = field(default=None, kw_only=True)
    unknown: str = field(default=REFUSE, kw_only=True)
    missing: str = field(default=REFUSE, kw_only=True)
    cv: None = field(default=None, kw_only=True, repr=False)
    person: str | None = field(default=None, kw_only=True)
    counts: str | None = field(default=None, kw_only=True)
    unit: TableUnit = field(default=AddOrRemove(), kw_only=True)

    def __post_init__(self) -> None:
        refuse_cross_validation("cv" if self.cv is not None else None)
        check_training(self.trained_on)
        check_unit(self.unit, self.person, self.counts)
        for name, policy in (("unknown", self.unknown), ("missing", self.missing)):
            check_policy(name, policy, (REFUSE, DROP), self.unit)
        if len(class_keys(self.classes)) != 2:
            raise InvalidParameter("classes must be exactly 2 for a threshold")
        if self.score == self.label:
            raise InvalidParameter("score and label must be two columns")
        _ = self.places, self.measured  # raise for what is out of range

    # ---------------------------------------------------------------- public

    @property
    def name(self) -> str:
        """For releases."""
        return f"best threshold by {self.metric}"

    @cached_property
    def places(self) -> tuple[float, ...]:
        """The thresholds as the floats that scores are compared with."""
        if isinstance(self.thresholds, str | bytes) or not 1 <= len(self.thresholds) <= MOST_THRESHOLDS:
            raise InvalidParameter(f"thresholds must be a list of 1 to {MOST_THRESHOLDS:,} numbers")
        found = tuple(float(decimal(t, "thresholds")) for t in self.thresholds)
        if len(set(found)) != len(found):
            raise InvalidParameter("thresholds must not repeat")
        return found

    @cached_property
    def measured(self) -> Measured:
        """The metric under the unit."""
        metric = metric_named(self.metric, 2, self.beta)
        if metric.reads != "classes":
            raise InvalidParameter(f"metric {self.metric!r} has no threshold: it is a metric of scores")
        return Measured(metric, self.unit)

    @cached_property
    def query(self) -> LabelledQuery:
        """What is read."""
        return LabelledQuery(
            label=self.label,
            keys=class_keys(self.classes),
            columns=(self.score,),
            kind="numbers",
            unknown=self.unknown,
            missing=self.missing,
            person=self.person,
            rows=rows_of(self.unit),
            counts=self.counts,
        )

    def under(self, unit: Any) -> BestThreshold:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def candidates(self) -> Sequence[float]:
        """The thresholds."""
        return self.places

    # ---------------------------------------------------------------- private

    def read(self, x: Any) -> Confusions:
        """The tallies that everything below is computed from."""
        if isinstance(x, Confusions):
            return x
        refuse_results(x)
        (column,) = read_columns(self.query, x)
        order = np.argsort(np.array(self.places), kind="stable")
        rising = np.array(self.places)[order]
        reached = np.searchsorted(rising, column.values, side="right")
        table = table_of(column.labels, reached, column.weights, 2, len(rising) + 1)
        # Positive at the i-th threshold: those that reach more than i of them.
        positive = table[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
        whole = table.sum(axis=1, keepdims=True)
        counts = np.empty((len(rising), 2, 2), np.int64)
        counts[order] = np.stack([whole - positive, positive], axis=-1).transpose(1, 0, 2)
        return Confusions(counts)
