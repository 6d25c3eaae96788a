"""`dpselect compare graph|table …`: the methods side by side, on public data.

The verbs below it are those of a release, with the same arguments; what they read is a reference. `answer` looks at the
mode of the program and compares instead of releasing.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

import typer

from dpselect.cli import graph, table

comparing: Final[ContextVar[bool]] = ContextVar("comparing", default=False)
"""The mode of the program, while a verb below `compare` runs."""


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    verbs = typer.Typer(
        no_args_is_help=True,
        callback=_mode,
        help="Compare the methods on PUBLIC data, with the arguments of a release.",
    )
    graph.register(verbs)
    table.register(verbs)
    app.add_typer(verbs, name="compare")


def _mode(context: typer.Context) -> None:
    token = comparing.set(True)
    context.call_on_close(lambda: comparing.reset(token))
