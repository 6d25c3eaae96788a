"""`dpselect bounds`: how smooth a bound of the local sensitivity must be, at most and at least."""

from __future__ import annotations

from typing import Annotated

import typer

from dpselect.cli import options
from dpselect.cli.verb import Verb


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    app.command("bounds", cls=Verb)(bounds)


def bounds(
    candidates: Annotated[
        int | None,
        typer.Option("--candidates", metavar="M", help="m; without it three examples.", show_default=False),
    ] = None,
    epsilon: options.Epsilon = "1",
    delta: options.Delta = "1e-6",
    as_json: options.Json = False,
) -> None:
    """Print the largest smoothness β of a direct smooth scale: the source's, ours, and what is necessary."""
    from dpselect import bounds as library
    from dpselect import words
    from dpselect.cli import output

    if candidates is None and (epsilon, delta) != ("1", "1e-6"):
        output.refuse("epsilon and delta go with --candidates: without it the examples are shown")
    asked = library.EXAMPLES if candidates is None else ((candidates, epsilon, delta),)
    rows = [library.smoothness_row(*triple) for triple in asked]
    if as_json:
        output.print_json([row.to_dict() for row in rows])
        return
    output.print_table(
        ("m", "ε, δ", "source eq. 40", "ours, ε/2", "ours, → ε", "necessary", "closed form"),
        [
            (
                f"{row.m:,}",
                f"{words.decimal(row.epsilon)}, {words.decimal(row.delta)}",
                *(f"{b:.5f}" for b in (row.source, row.ours_half, row.ours_all, row.necessary, row.closed_form)),
            )
            for row in rows
        ],
    )
    output.print_text(
        "β of the Gibbs law: ours at half of ε spent on the temperature, and in the limit of all of it; no mechanism "
        "that selects at a β-smooth scale is (ε, δ)-private beyond the necessary value (theory 7, bound 8.2)."
    )
