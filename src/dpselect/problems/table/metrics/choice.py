"""From the name of a metric to the metric, with what it needs."""

from __future__ import annotations

import difflib
from fractions import Fraction
from typing import Any, Final

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import positive, whole
from dpselect.problems.table.grid import decimal
from dpselect.problems.table.metrics.auc import Auc
from dpselect.problems.table.metrics.balanced import BalancedAccuracy
from dpselect.problems.table.metrics.f_score import FScore
from dpselect.problems.table.metrics.macro import MacroF1, MacroPrecision
from dpselect.problems.table.metrics.matthews import Matthews
from dpselect.problems.table.metrics.metric import Metric
from dpselect.problems.table.metrics.totals import Accuracy, LogLoss, Recall
from dpselect.problems.table.tallies import LossGrid

METRICS: Final = (
    "accuracy", "balanced-accuracy", "precision", "recall", "f1", "f-beta", "matthews", "macro-f1", "macro-precision",
    "auc", "log-loss",
)  # fmt: skip
MANY_CLASSES: Final = ("accuracy", "balanced-accuracy", "macro-f1", "macro-precision")
LARGEST_BETA_PART: Final = 1000
MOST_LOSS_STEPS: Final = 2**20


def metric_named(
    name: object, classes: int, beta: Any = None, loss_bound: Any = None, loss_steps: Any = None
) -> Metric:
    """The metric. Raises `InvalidParameter` for other names, and for options that are missing or not its own.

    >>> metric_named("f1", 2).name
    'f1'
    """
    refuse_cross_validation(name)
    if not isinstance(name, str) or name not in METRICS:
        near = difflib.get_close_matches(str(name), METRICS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidParameter(f"metric must be one of {', '.join(METRICS)}, got {name!r}{hint}")
    if classes != 2 and name not in MANY_CLASSES:
        raise InvalidParameter(f"metric {name!r} needs exactly 2 classes; for more there are {', '.join(MANY_CLASSES)}")
    if (beta is None) == (name == "f-beta"):
        raise InvalidParameter("beta goes with metric 'f-beta', which needs it")
    if name != "log-loss" and not loss_bound is loss_steps is None:
        raise InvalidParameter("loss_bound and loss_steps go with metric 'log-loss'")
    if name == "f-beta":
        return FScore(_beta_squared(beta))
    if name == "log-loss":
        bound = positive(4 if loss_bound is None else decimal(loss_bound, "loss_bound"), "loss_bound")
        steps = whole(1000 if loss_steps is None else loss_steps, "loss_steps", least=1)
        if bound > 700 or steps > MOST_LOSS_STEPS:
            raise InvalidParameter("loss_bound must be at most 700, and loss_steps at most 2^20")
        return LogLoss(LossGrid(bound, steps))
    plain: dict[str, Metric] = {
        "accuracy": Accuracy(),
        "balanced-accuracy": BalancedAccuracy(classes),
        "precision": FScore(Fraction(0)),
        "recall": Recall(),
        "f1": FScore(Fraction(1)),
        "matthews": Matthews(),
        "macro-f1": MacroF1(classes),
        "macro-precision": MacroPrecision(classes),
        "auc": Auc(),
    }
    return plain[name]


def _beta_squared(beta: Any) -> Fraction:
    exact = positive(decimal(beta, "beta"), "beta")
    if max(exact.as_integer_ratio()) > LARGEST_BETA_PART:
        raise InvalidParameter(f"beta must be a ratio of integers up to {LARGEST_BETA_PART}, got {beta!r}")
    return exact**2


CROSS_VALIDATION: Final = (
    "cross-validation scores cannot be chosen from: every record is in the training data of all folds but one, so one "
    "record changes every model and every fold's score (accuracy can move by 0.58 at n = 12). Fit each model on other "
    "records, and give its predictions on the validation table"
)


def refuse_cross_validation(given: object) -> None:
    """`InvalidParameter` for what looks like a cross-validation: its names, its results, its search objects."""
    if isinstance(given, str):
        words = given.lower().replace("-", "_")
        looks = words in ("cv", "cross_validation") or "cross_val" in words or words.startswith(("cv_", "mean_test_"))
    else:
        looks = hasattr(given, "cv_results_") or type(given).__name__.endswith(("SearchCV", "Fold", "Split"))
    if looks:
        raise InvalidParameter(CROSS_VALIDATION)
