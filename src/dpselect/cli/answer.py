"""The end of every verb about data: release an answer, or (under `compare`) say what each method would do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dpselect.cli import output
from dpselect.errors import InvalidParameter
from dpselect.words import short_number

if TYPE_CHECKING:
    from dpselect.cli.request import Request
    from dpselect.comparison import Comparison
    from dpselect.release import Release


def answer(
    request: Request,
    problem: Any,
    data: Any,
    *,
    unit: Any = None,
    reference: Any = None,
    as_json: bool,
    spell: Callable[[Any], Any] = str,
    busy: str | None = "Counting and drawing",
) -> None:
    """One question. Leaves with the exit code. `busy` names the work; None if the problem shows its own progress."""
    if request.comparing:
        _compare(request, problem, data, unit, as_json)
        return
    # With a reference the library shows a bar of its own.
    steps = 1 if request.engine is None else None
    with nullcontext() if busy is None or reference is not None else output.progress(busy, steps) as advance:
        release = request.select(problem, data, unit=unit, reference=reference, advance=advance)
    finish([release], request, as_json=as_json, spell=spell)


def answer_each(
    request: Request, problems: Sequence[Any], data: Any, *, as_json: bool, spell: Callable[[Any], Any] = str
) -> None:
    """Several questions that share a budget. Leaves with the exit code."""
    if request.comparing:
        raise InvalidParameter("compare takes one question at a time")
    finish(request.select_each(problems, data), request, as_json=as_json, spell=spell)


def finish(releases: Sequence[Release], request: Request, *, as_json: bool, spell: Callable[[Any], Any] = str) -> None:
    """Print the releases, write the card, and leave with the exit code. `spell` writes a candidate."""
    output.print_releases(releases, request.rho, as_json=as_json, spell=spell)
    if request.card is not None:
        write_card(releases, request, request.card)
    if any(release.status != "released" for release in releases):
        raise typer.Exit(output.NOT_RELEASED)


def write_card(releases: Sequence[Release], request: Request, file: Path) -> None:
    """After the answer was printed: it is not lost if the disk is full."""
    from dpselect.card import page

    try:
        file.write_text(page(releases, request.rho), encoding="utf-8")
    except OSError as problem:
        raise InvalidParameter(f"card: cannot write the file: {type(problem).__name__}") from None


def _compare(request: Request, problem: Any, reference: Any, unit: Any, as_json: bool) -> None:
    import dpselect as ds

    try:
        found = ds.compare(
            problem,
            reference,
            epsilon=request.epsilon,
            delta=request.delta,
            methods=None if request.method == "auto" else [request.method],
            sampler=request.sampler if request.method == "auto" else None,
            unit=unit,
            rho=request.rho,
        )
    except InvalidParameter as wrong:
        raise InvalidParameter(_of_the_data(str(wrong))) from None
    if as_json:
        output.print_json(found.to_dict())
    else:
        _print(found)


def _of_the_data(error: str) -> str:
    """Under `compare` the reference is what a release calls its data.

    >>> _of_the_data("reference: no such file"), _of_the_data("reference: column: there is none")
    ('data: no such file', 'column: there is none')
    """
    rest = error.removeprefix("reference: ")
    return rest if rest == error or re.match(r"[a-z_]+: ", rest) else f"data: {rest}"


def _print(found: Comparison) -> None:
    output.print_text(found.rule)
    output.print_text(f"{found.problem}; {found.unit}. Reference: {'; '.join(found.references)}.")
    output.print_table(*found.cells())
    output.print_text(
        "Expected regret: how far the answer falls short of the best score, exact. Published: the bound that a release "
        f"would print at failure probability {short_number(found.rho)}; curator: one that needs the data. Selects: the "
        "share of ε that draws the answer."
    )
    if found.left_out:
        output.print_text("Left out:")
        output.print_paragraphs(found.left_out)
