"""`dpselect budget …`: a privacy budget per dataset, kept in a database."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpselect.cli import options
from dpselect.cli.verb import Verb

if TYPE_CHECKING:
    from dpselect.ledger import Account, Entry

Url = Annotated[str, typer.Option("--ledger", metavar="URL", help="Where budgets are kept, e.g. sqlite:///budget.db.")]
Name = Annotated[str | None, typer.Argument(metavar="[DATASET]", help="Whose budget (default: the only one).")]


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    verbs = typer.Typer(no_args_is_help=True, help="A privacy budget per dataset, kept in a database.")
    for verb in (create, show, history):
        verbs.command(verb.__name__, cls=Verb)(verb)
    app.add_typer(verbs, name="budget")


def create(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A name for the dataset.")],
    ledger: Url,
    epsilon: options.Epsilon,
    delta: options.Delta = "0",
    unit: Annotated[
        str | None,
        typer.Option("--unit", help="The unit of all charges (default: that of the first).", show_default=False),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Set a budget for a dataset."""
    from dpselect.ledger import Ledger

    _print(Ledger(ledger).create(dataset, epsilon=epsilon, delta=delta, unit=unit), as_json=as_json)


def show(ledger: Url, dataset: Name = None, as_json: options.Json = False) -> None:
    """What is spent and what is left."""
    from dpselect.ledger import Ledger

    _print(Ledger(ledger).account(dataset), as_json=as_json)


def history(ledger: Url, dataset: Name = None, as_json: options.Json = False) -> None:
    """Every charge, oldest first. A charge that is only reserved counts as spent: its process may have died."""
    from dpselect.cli.output import print_json, print_table
    from dpselect.ledger import Ledger

    entries = Ledger(ledger).account(dataset).history()
    if as_json:
        print_json([_entry(entry) for entry in entries])
        return
    rows = [[str(e.number), e.state, e.reserved, e.method, str(e.epsilon), str(e.delta), e.question] for e in entries]
    print_table(["no.", "state", "reserved", "method", "epsilon", "delta", "question"], rows)


def _print(account: Account, *, as_json: bool) -> None:
    from dpselect.cli.output import print_json, print_paragraphs
    from dpselect.words import decimal

    budget, spent, left = account.budget, account.spent, account.left
    if as_json:
        print_json(
            {
                "dataset": account.dataset,
                "unit": account.unit,
                **_amounts("budget", budget),
                **_amounts("spent", spent),
                **_amounts("left", left),
            }
        )
        return
    words = [
        (label, f"ε = {decimal(e)}, δ = {decimal(d)}")
        for label, (e, d) in (("Budget", budget), ("Spent", spent), ("Left", left))
    ]
    unit = account.unit or "not fixed yet: that of the first charge"
    print_paragraphs([("Dataset", account.dataset), ("Unit", unit), *words])


def _amounts(label: str, amount: tuple[Fraction, Fraction]) -> dict[str, Any]:
    """Spent is rounded up, budget and what is left are rounded down: the safe directions."""
    from dpselect.release import decimal_up

    result: dict[str, Any] = {}
    for name, value in zip(("epsilon", "delta"), amount, strict=True):
        result[f"{name}_{label}"] = decimal_up(value) if label == "spent" else 0.0 - decimal_up(-value)
        result[f"{name}_{label}_exact"] = str(value)
    return result


def _entry(entry: Entry) -> dict[str, Any]:
    import json

    from dpselect.release import decimal_up

    return {
        "number": entry.number,
        "state": entry.state,
        "epsilon": decimal_up(entry.epsilon),
        "epsilon_exact": str(entry.epsilon),
        "delta": decimal_up(entry.delta),
        "delta_exact": str(entry.delta),
        "question": entry.question,
        "method": entry.method,
        "reserved": entry.reserved,
        "committed": entry.committed,
        "release": None if entry.release is None else json.loads(entry.release),
    }
