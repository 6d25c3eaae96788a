"""`dpselect verify WORLD.json`: what a method really does on a world, against what it claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpselect.cli import options
from dpselect.cli.asked import Asked
from dpselect.cli.verb import Verb

if TYPE_CHECKING:
    from dpselect.verification import Verification


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    app.command("verify", cls=Verb)(verify)


def verify(
    world: Annotated[
        Path, typer.Argument(metavar="WORLD.json", help="Datasets, edges, candidates and scores (docs: world files).")
    ],
    epsilon: options.Epsilon = "1",
    delta: options.Delta = "1e-6",
    method: options.Method = "auto",
    sampler: options.Sampler = None,
    top: options.Top = 1,
    scale_to_test: options.ScaleToTest = None,
    curve: Annotated[
        list[str] | None,
        typer.Option("--curve", metavar="EPS", help="Also δ at this ε; repeat it.", show_default=False),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Compute the exact δ(ε) of a method on an explicit world, and its worst edge.

    Exit code 0: the claim holds. 4: it fails, or the work became too much to decide ("undecided").
    """
    import dpselect as ds
    from dpselect.cli import output
    from dpselect.cli.request import Request
    from dpselect.exact.numbers import positive

    points = [positive(point, "curve") for point in curve or ()]
    request = Request.of(
        Asked(epsilon=epsilon, delta=delta, method=method, scale_to_test=scale_to_test, sampler=sampler, top=top)
    )
    report = ds.verify(
        ds.World.from_json(world),
        epsilon=request.epsilon,
        delta=request.delta,
        method=request.method,
        sampler=request.sampler if request.method == "auto" else None,
        top=request.top,
    )
    if as_json:
        output.print_json(report.to_dict(points))
    else:
        _print(report, points)
    if report.holds is not True:
        raise typer.Exit(output.VERIFICATION_FAILS)


def _print(report: Verification, curve: Sequence[Fraction]) -> None:
    from dpselect import words
    from dpselect.cli import output

    world = f"{report.datasets:,} datasets, {report.edges:,} edges, {report.candidates:,} candidates"
    if report.top > 1:
        world += f"; an answer names {report.top} in order"
    rows = [
        ("Verdict", _verdict(report)),
        ("World", world),
        ("Method", report.method + (f", {report.sampler}" if report.sampler else "")),
        ("Claim", f"ε = {words.decimal(report.epsilon)}, δ = {words.decimal(report.delta_claimed)}"),
        ("Exact δ", f"{float(report.delta_exact):.6g}, between {float(report.delta_lower):.6g} and "
                    f"{float(report.delta_upper):.6g}"),
    ]  # fmt: skip
    if report.worst_edge is not None:
        rows.append(("Worst edge", "{} → {}".format(*map(str, report.worst_edge))))
    if report.witness:
        shown = [_outcome(o) for o in report.witness[:8]]
        more = f", and {len(report.witness) - 8} more" if len(report.witness) > 8 else ""
        rows.append(("Witness", "too likely on that edge: " + "; ".join(shown) + more))
    if report.pure_epsilon is not None:
        none = "none: some outcome is possible at one end of an edge only"
        rows.append(("Pure ε", none if math.isinf(report.pure_epsilon) else f"{report.pure_epsilon:.6g}"))
    if report.renyi2 is not None and report.renyi2_claimed is not None:
        rows.append(("Rényi 2", f"{report.renyi2:.6g}, claimed at most {float(report.renyi2_claimed):.6g}"))
    output.print_paragraphs(rows)
    if curve:
        print()
        output.print_table(("ε", "δ(ε)"), [(words.decimal(e), f"{d:.6g}") for e, d in report.curve(curve)])


def _verdict(report: Verification) -> str:
    return {
        "holds": "holds: no edge of this world exceeds the claim",
        "fails": "FAILS: the claim is exceeded, which is proved",
        "undecided": "undecided: the enclosure of δ could not be made narrow enough",
    }[report.verdict]


def _outcome(outcome: object) -> str:
    if not isinstance(outcome, dict):
        return _answer(outcome)
    candidate = _answer(outcome["candidates"] if "candidates" in outcome else outcome["candidate"])
    where = outcome.get("scale", outcome.get("scales"))
    if isinstance(where, list):
        where = " × ".join(f"[{r[0]:.4g}, {r[1]:.4g}]" for r in (where if isinstance(where[0], list) else [where]))
    return f"{candidate} at scale {where}"


def _answer(answer: object) -> str:
    """The name of a candidate, or several in order."""
    return ", then ".join(map(str, answer)) if isinstance(answer, list | tuple) else str(answer)
