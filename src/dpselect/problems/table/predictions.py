"""The validation table of fitted estimators: one column of predictions for each, next to the labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.problems.table.best_model import BestModel
from dpselect.problems.table.metrics.choice import refuse_cross_validation


def predictions(problem: BestModel, estimators: Mapping[str, Any], features: Any, labels: Any) -> dict[str, Any]:
    """{label: labels, name: predictions of the estimator, …} for the models of a `BestModel`. Private.

    Arguments:
        problem: says which models, and what they have to predict: `predict` for metrics of classes, `decision_function`
            or the probability of the positive class for "auc", that probability for "log-loss".
        estimators: fitted, by name: anything with scikit-learn's methods. Each must predict record by record, as
            fitted estimators do: a prediction that depends on the other rows of `features` would not be covered.
        features, labels: the validation records, not used in training.

    Errors: `InvalidParameter` for names that are missing, for estimators without the methods, and for search objects
    that choose by cross-validation (give their `best_estimator_`, if it was fitted on other records).
    Cost: one call per estimator.

    >>> from sklearn.dummy import DummyClassifier
    >>> zero, one = (DummyClassifier(strategy="constant", constant=k).fit([[0], [0]], [0, 1]) for k in (0, 1))
    >>> best = BestModel(["zero", "one"], "accuracy", trained_on="other records")
    >>> {name: list(map(int, column)) for name, column in predictions(
    ...     best, {"zero": zero, "one": one}, [[1], [2]], [1, 1]).items()}
    {'label': [1, 1], 'zero': [0, 0], 'one': [1, 1]}
    """
    refuse_cross_validation(estimators)
    if not isinstance(estimators, Mapping) or set(estimators) != set(problem.models):
        raise InvalidParameter("estimators must be a dict of fitted estimators with the names of problem.models")
    table: dict[str, Any] = {problem.label: np.asarray(labels)}
    for name in problem.models:
        estimator = estimators[name]
        refuse_cross_validation(estimator)
        table[name] = _column(problem, name, estimator, features)
    return table


def _column(problem: BestModel, name: str, estimator: Any, features: Any) -> Any:
    reads = problem.measured.metric.reads
    if reads == "classes" and hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(features))
    if reads == "ranks" and hasattr(estimator, "decision_function"):
        found = np.asarray(estimator.decision_function(features))
        # Larger for the second of the estimator's own classes, which need not be the positive one.
        return found if _position(problem, name, estimator) == 1 else -found
    if reads != "classes" and hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(features))[:, _position(problem, name, estimator)]
    needed = {"classes": "predict", "ranks": "decision_function or predict_proba", "losses": "predict_proba"}[reads]
    raise InvalidParameter(f"estimator {name!r} must have {needed} for metric {problem.metric!r}")


def _position(problem: BestModel, name: str, estimator: Any) -> int:
    """Where the positive class stands among the two of an estimator."""
    own = [getattr(c, "item", lambda c=c: c)() for c in getattr(estimator, "classes_", ())]
    positive = problem.classes[1]
    if len(own) != 2 or positive not in own:
        raise InvalidParameter(f"estimator {name!r} must know two classes, the positive one {positive!r} among them")
    return own.index(positive)
