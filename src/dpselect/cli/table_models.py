"""`dpselect table best-model|best-threshold|best-split`: choices of machine learning on a private table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpselect.cli import options
from dpselect.cli.asked import Asked, AskedEngine
from dpselect.cli.groups import spread
from dpselect.cli.table import Records, Table, answer_table
from dpselect.cli.verb import Verb

Metric = Annotated[
    str,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="accuracy, balanced-accuracy, precision, recall, f1, f-beta, matthews, macro-f1, macro-precision, auc, "
        "log-loss.",
    ),
]
TrainedOn = Annotated[
    str,
    typer.Option(
        "--trained-on",
        metavar="WORDS",
        help="Say 'other records': no validation record was used in training. Nothing else is taken.",
    ),
]
Label = Annotated[str, typer.Option("--label", metavar="COLUMN", help="The true classes.")]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="NAME", help="A declared class (default: 0, then 1); of two the second is positive; repeat."
    ),
]
Beta = Annotated[str | None, typer.Option("--beta", metavar="NUMBER", help="With f-beta.", show_default=False)]
Unknown = Annotated[
    str, typer.Option("--unknown", metavar="POLICY", help="Null and undeclared classes: refuse or drop.")
]
Missing = Annotated[str, typer.Option("--missing", metavar="POLICY", help="Null, NaN, no number: refuse or drop.")]


def register(verbs: typer.Typer) -> None:
    """Add the verbs of this module."""
    verbs.command("best-model", cls=Verb)(spread(best_model))
    verbs.command("best-threshold", cls=Verb)(spread(best_threshold))
    verbs.command("best-split", cls=Verb)(spread(best_split))


def best_model(
    file: Table,
    model: Annotated[
        list[str], typer.Option("--model", metavar="COLUMN", help="The predictions of a candidate; repeat it.")
    ],
    metric: Metric,
    trained_on: TrainedOn,
    label: Label = "label",
    classes: Classes = None,
    beta: Beta = None,
    loss_bound: Annotated[
        str | None,
        typer.Option("--loss-bound", metavar="NUMBER", help="log-loss: −log p is clipped here.", show_default="4"),
    ] = None,
    loss_steps: Annotated[
        int | None,
        typer.Option("--loss-steps", metavar="N", help="log-loss: rounded to so many steps.", show_default="1000"),
    ] = None,
    unknown: Unknown = "refuse",
    missing: Missing = "refuse",
    *,
    records: Records,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the model that scores best on a private validation table."""
    import dpselect as ds
    from dpselect.cli.request import Request

    request = Request.of(asked, where)
    problem = ds.table.BestModel(
        model,
        metric,
        label,
        classes or (0, 1),
        trained_on=trained_on,
        beta=beta,
        loss_bound=loss_bound,
        loss_steps=loss_steps,
        unknown=unknown,
        missing=missing,
        person=records.person,
        counts=records.counts,
        unit=records.privacy_unit(),
    )
    answer_table(request, problem, file, as_json=as_json)


def best_threshold(
    file: Table,
    threshold: Annotated[
        list[str],
        typer.Option("--threshold", metavar="NUMBERS", help="Candidates: 0.5, or 0.1,0.2,0.3, or 0:1:0.01; repeat it."),
    ],
    metric: Metric,
    trained_on: TrainedOn,
    score: Annotated[str, typer.Option("--score", metavar="COLUMN", help="Positive iff score ≥ threshold.")] = "score",
    label: Label = "label",
    classes: Classes = None,
    beta: Beta = None,
    unknown: Unknown = "refuse",
    missing: Missing = "refuse",
    *,
    records: Records,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the threshold of a score that does best on a private validation table."""
    import dpselect as ds
    from dpselect.cli.output import as_is
    from dpselect.cli.request import Request

    request = Request.of(asked, where)
    problem = ds.table.BestThreshold(
        [number for text in threshold for number in _numbers(text, "threshold")],
        metric,
        score,
        label,
        classes or (0, 1),
        trained_on=trained_on,
        beta=beta,
        unknown=unknown,
        missing=missing,
        person=records.person,
        counts=records.counts,
        unit=records.privacy_unit(),
    )
    answer_table(request, problem, file, as_json=as_json, spell=as_is if as_json else str)


def best_split(
    file: Table,
    split: Annotated[
        list[str],
        typer.Option(
            "--split",
            metavar="COLUMN=NUMBERS",
            help="Candidates of a feature: age=30,45,60 or age=20:80:5; repeat it.",
        ),
    ],
    criterion: Annotated[str, typer.Option("--criterion", metavar="NAME", help="gini or information-gain.")] = "gini",
    label: Label = "label",
    classes: Classes = None,
    most_records: Annotated[
        int | None,
        typer.Option("--most-records", metavar="N", help="A public bound; with information-gain.", show_default=False),
    ] = None,
    unknown: Unknown = "refuse",
    missing: Missing = "refuse",
    *,
    records: Records,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the split of a decision tree, as feature and threshold."""
    import dpselect as ds
    from dpselect.cli.request import Request

    request = Request.of(asked, where)
    problem = ds.table.BestSplit(
        _splits(split),
        criterion,
        label,
        classes or (0, 1),
        most_records=most_records,
        unknown=unknown,
        missing=missing,
        person=records.person,
        counts=records.counts,
        unit=records.privacy_unit(),
    )
    answer_table(request, problem, file, as_json=as_json, spell=_split_as_object if as_json else str)


def _split_as_object(split: Any) -> dict[str, Any]:
    return dict(split._asdict())


def _splits(given: list[str]) -> dict[str, list[str]]:
    """COLUMN=NUMBERS, the thresholds of a column from all that name it."""
    from dpselect.cli.output import refuse

    found: dict[str, list[str]] = {}
    for text in given:
        feature, equals, numbers = text.rpartition("=")
        if not equals or not feature:
            refuse(f"split must be COLUMN=NUMBERS, such as age=30,45,60, got {text!r}")
        found.setdefault(feature, []).extend(_numbers(numbers, "split"))
    return found


def _numbers(text: str, name: str) -> list[str]:
    """Numbers between commas, or LOW:HIGH:STEP."""
    from dpselect.cli.output import refuse
    from dpselect.problems.table.grid import Grid

    parts = text.split(":")
    if len(parts) == 1:
        return [part.strip() for part in text.split(",")]
    if len(parts) != 3:
        refuse(f"{name} must be numbers between commas or LOW:HIGH:STEP, got {text!r}")
    grid = Grid.of(parts[:2], parts[2])
    if grid.steps >= 10**5:
        refuse(f"{name} must have fewer than 10^5 steps, got {text!r}")
    return [str(grid.low + i * grid.step) for i in range(grid.steps + 1)]
