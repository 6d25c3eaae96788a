"""`dpselect demo`: the classical mechanism and ours on one realistic public graph."""

from __future__ import annotations

import typer

from dpselect.cli import options


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    app.command("demo")(demo)


def demo(as_json: options.Json = False) -> None:
    """Compare the classical mechanism with ours on a real graph, and release one answer."""
    from dpselect.cli.output import refuse

    refuse("the demonstration is not in this version yet")
