"""BestModel: which of several fixed models scores best on a private validation table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

from dpselect.errors import InvalidParameter
from dpselect.problems.table.columns import category_keys
from dpselect.problems.table.judged import Judged
from dpselect.problems.table.labelled import LabelledQuery, read_columns
from dpselect.problems.table.measured import Measured
from dpselect.problems.table.metrics.choice import metric_named, refuse_cross_validation
from dpselect.problems.table.metrics.totals import LogLoss
from dpselect.problems.table.policies import (
    DROP,
    REFUSE,
    TableUnit,
    check_policy,
    check_unit,
    rows_of,
)
from dpselect.problems.table.tallies import Confusions, Losses, Ranks
from dpselect.problems.table.training import check_training
from dpselect.problems.units import AddOrRemove

Tally = Confusions | Ranks | Losses

MOST_CLASSES = 100


@final
@dataclass(frozen=True)
class BestModel(Judged):
    """q(x, r) = the metric of model r on the validation table x; the models were fixed before x was read.

    Arguments:
        models: the candidates: names of the columns that hold their predictions. Predicted classes; scores (any
            numbers, larger for class 1) for "auc"; probabilities of the positive class for "log-loss".
        metric: "accuracy", "balanced-accuracy" (macro recall), "macro-f1", "macro-precision" for any number of classes;
            "precision", "recall", "f1", "f-beta", "matthews", "auc", "log-loss" for two.
        trained_on: "other records": the declaration that no validation record was used in training. Required, and
            repeated in the release. The guarantee covers the choice, not the models.
        label: the column of true classes.
        classes: the declared classes, texts, integers or booleans; of two the second is the positive one.
        beta: β of "f-beta", a ratio of small integers.
        loss_bound, loss_steps: −log p is clipped to [0, loss_bound] (default 4) and rounded to so many steps (1000).
        unknown: "refuse" or "drop" a record whose label or prediction is null or not declared.
        missing: "refuse" or "drop" a record with a score that is null or NaN.
        person, counts, unit: as for `Quantile`.
        cv: there is no such option: cross-validation scores are refused, by this and other names.

    Scores: accuracy and recall count right predictions, log-loss adds up losses: the denominators are the same for all
    models. The others are as scikit-learn defines them, with 0 for 0/0 (½ for an empty class and for AUC without
    pairs), exact rationals, and lazily refined reals for Matthews.
    Sensitivity, flip distance and common factor: with the metrics, with proofs (`problems.table.metrics`). The default
    method of each metric and unit is what was best on the tables of the documentation: `GlobalScale` for the sums
    (nothing beats it there), `SupportedFlips` for precision, `InverseSensitivity` for F-scores with β² < 2 and balanced
    accuracy, `CommonFactor` for AUC, Matthews, other F-scores, and balanced accuracy where a record is replaced;
    `Ladder` for the macro averages.
    Errors: `InvalidParameter` for declarations, before data is read; `InvalidData` where "refuse" applies.
    Cost: one pass over the columns (10^6 records × 50 models: seconds; AUC sorts); then O(m²) at most.
    Source: theory section 8c.

    >>> import dpselect as ds
    >>> x = {"label": [0] * 900 + [1] * 100, "a": [0] * 950 + [1] * 50, "b": [0] * 905 + [1] * 95}
    >>> best = ds.table.BestModel(["a", "b"], "f1", trained_on="other records")
    >>> ds.select(best, x, epsilon=1, seed=1).candidate
    'b'
    """

    models: Sequence[str]
    metric: str
    label: str = "label"
    classes: Sequence[Any] = (0, 1)
    trained_on: str = field(kw_only=True)
    beta: Any = field(default=None, kw_only=True)
    loss_bound: Any = field(default=None, kw_only=True)
    loss_steps: Any = field(default=None, kw_only=True)
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
        model_names(self.models, self.label)
        class_keys(self.classes)
        _ = self.measured  # raises for what is out of range

    # ---------------------------------------------------------------- public

    @property
    def name(self) -> str:
        """For releases."""
        return f"best model by {self.metric}"

    @cached_property
    def measured(self) -> Measured:
        """The metric under the unit."""
        metric = metric_named(self.metric, len(self.classes), self.beta, self.loss_bound, self.loss_steps)
        return Measured(metric, self.unit)

    @cached_property
    def query(self) -> LabelledQuery:
        """What is read."""
        return LabelledQuery(
            label=self.label,
            keys=class_keys(self.classes),
            columns=tuple(self.models),
            kind="classes" if self.measured.metric.reads == "classes" else "numbers",
            unknown=self.unknown,
            missing=self.missing,
            person=self.person,
            rows=rows_of(self.unit),
            counts=self.counts,
        )

    def under(self, unit: Any) -> BestModel:
        """The same question under another privacy unit."""
        return replace(self, unit=unit)

    @property
    def candidates(self) -> Sequence[str]:
        """The models."""
        return list(self.models)

    @property
    def flip_distance_is_exact(self) -> bool:
        """For the sums, one record added or removed."""
        return self.measured.flips_are_exact

    # ---------------------------------------------------------------- private

    def read(self, x: Any) -> Tally:
        """The tallies that everything below is computed from; tallies are taken as they are."""
        reads = self.measured.metric.reads
        kinds: dict[str, type[Tally]] = {"classes": Confusions, "ranks": Ranks, "losses": Losses}
        if isinstance(x, kinds[reads]):
            return x
        refuse_results(x)
        columns = read_columns(self.query, x)
        if reads == "classes":
            return Confusions.count(columns, len(self.classes))
        if reads == "ranks":
            return Ranks.count(columns)
        metric = self.measured.metric
        assert isinstance(metric, LogLoss)
        return Losses.count(columns, metric.grid)


def model_names(models: Any, label: str) -> tuple[str, ...]:
    """The names of the columns, checked."""
    refuse_cross_validation(models)
    if isinstance(models, str | bytes | Mapping) or not isinstance(models, Sequence) or len(models) == 0:
        raise InvalidParameter("models must be a list of column names, at least one (see `predictions` for estimators)")
    for model in models:
        refuse_cross_validation(model)
        if not isinstance(model, str):
            raise InvalidParameter(
                f"models must be names of columns with predictions, got {type(model).__name__}: "
                "`predictions` makes the columns of fitted estimators"
            )
    if len(set(models)) != len(models) or label in models:
        raise InvalidParameter("models must not repeat, nor contain the column of labels")
    return tuple(models)


def class_keys(classes: Sequence[Any]) -> tuple[str, ...]:
    """The declared classes as texts, checked."""
    keys = category_keys(classes)
    if not 2 <= len(keys) <= MOST_CLASSES:
        raise InvalidParameter(f"classes must be 2 to {MOST_CLASSES}, got {len(keys)}")
    return keys


def refuse_results(data: Any) -> None:
    """`InvalidParameter` for the results of a cross-validation in place of a table of predictions."""
    refuse_cross_validation(data)
    if isinstance(data, Mapping):
        for name in data:
            words = str(name)
            if words in ("test_score", "fit_time") or words.startswith(("mean_test_", "split0_")):
                refuse_cross_validation("cv")
