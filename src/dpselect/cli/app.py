"""The program `dpselect`: its verbs, and what its exit code means.

    0  released, or the claim holds          3  nothing was released
    2  usage, or invalid input               4  a verification fails

A verb is a module of this package with `register(app)`. It imports the library inside its functions, so that
`dpselect --help` loads neither NumPy nor numba nor flint.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated, Final

import typer

from dpselect._version import __version__
from dpselect.errors import DPSelectError

VERBS: Final = ("graph", "table", "compare", "budget", "verify", "failures", "bounds", "tables", "demo")
"""Modules of `dpselect.cli`, in the order in which `--help` lists them."""

# A pretty traceback would print local variables, and those are private data.
app = typer.Typer(
    name="dpselect",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit()


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Which candidate is best? Answered about private data, with differential privacy."""


for _verb in VERBS:
    importlib.import_module(f"dpselect.cli.{_verb}").register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave with its exit code. An error of the library is one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal without ε shows an escape instead of failing.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(arguments, prog_name="dpselect")
    except DPSelectError as error:
        print(f"dpselect: {error}", file=sys.stderr)
        sys.exit(2)
