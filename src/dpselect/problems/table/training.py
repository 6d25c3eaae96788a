"""What the caller has to declare about the training of models: nothing that is selected from may depend on it."""

from __future__ import annotations

from dpselect.errors import InvalidParameter
from dpselect.problems.table.metrics.choice import refuse_cross_validation

OTHER_RECORDS = "other records"


def check_training(trained_on: object) -> None:
    """Raises `InvalidParameter` unless the declaration is the one that makes the guarantee hold."""
    refuse_cross_validation(trained_on)
    if trained_on != OTHER_RECORDS:
        raise InvalidParameter(
            f"trained_on must be {OTHER_RECORDS!r}, your declaration that no validation record was used in training "
            "(or in choosing what to train): one record would move the models too, and nothing here covers that; "
            f"got {trained_on!r}"
        )


TRAINING_ASSUMPTIONS = (
    "no validation record was used in training: the models were fixed before the validation table was read",
    "the guarantee covers the choice among the models, not the models",
)
