"""`dpselect failures`: why the obvious shortcuts are not private."""

from __future__ import annotations

import typer

from dpselect.cli import options
from dpselect.cli.verb import Verb


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    app.command("failures", cls=Verb)(failures)


def failures(as_json: options.Json = False) -> None:
    """Show the shortcuts that are not private, with exact numbers, and what holds instead."""
    from dpselect import failures as library
    from dpselect.cli import output

    shown = library.DEMONSTRATIONS
    found = []
    with output.progress("Exact laws", steps=len(shown)) as advance:
        for demonstration in shown:
            advance(demonstration.__name__.replace("_", " "))
            found.append(demonstration())
    if as_json:
        output.print_json([failure.to_dict() for failure in found])
        return
    for failure in found:
        typer.echo(typer.style(failure.name[0].upper() + failure.name[1:], bold=True) + f"  ({failure.source})")
        output.print_text(failure.lesson)
        output.print_table(failure.heading, failure.rows)
        ours = "refused by name" if failure.ours is None else f"{failure.ours.method}: {failure.ours.verdict}"
        output.print_text(f"The shortcut: {failure.naive.verdict}. dpselect, {ours}.")
