"""Options that several verbs share. Numbers stay text: the library reads them exactly ("0.1" is one tenth)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Epsilon = Annotated[str, typer.Option("--epsilon", metavar="NUMBER", help="The privacy budget ε > 0: 1, 0.5, 1/3.")]
Delta = Annotated[
    str, typer.Option("--delta", metavar="NUMBER", help="δ, at least 0 and below 1. Pure methods leave it unspent.")
]
Method = Annotated[str, typer.Option("--method", metavar="NAME", help="How to calibrate; a wrong name lists them all.")]
Sampler = Annotated[
    str | None,
    typer.Option("--sampler", metavar="NAME", help="permute-and-flip (the default) or gibbs.", show_default=False),
]
ScaleToTest = Annotated[
    str | None,
    typer.Option(
        "--scale-to-test",
        metavar="NUMBER",
        help="The scale b of --method fixed-scale-test, in units of the score.",
        show_default=False,
    ),
]
Top = Annotated[int, typer.Option("--top", metavar="K", help="How many candidates to name, in order.")]
Rho = Annotated[
    str,
    typer.Option("--rho", metavar="NUMBER", help="The bounds that are printed fail with at most this probability."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Experiments only: the output is NOT private.", show_default=False),
]
LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        help="Charge the release to a budget kept there, e.g. sqlite:///budget.db.",
        show_default=False,
    ),
]
Dataset = Annotated[
    str | None,
    typer.Option(
        "--dataset", metavar="NAME", help="Whose budget in the ledger (default: the only one).", show_default=False
    ),
]
Card = Annotated[
    Path | None,
    typer.Option(
        "--card",
        metavar="FILE.html",
        help="Also write a page that explains the release to a data-protection officer.",
        show_default=False,
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="PUBLIC",
        help="PUBLIC data of the same form: --method auto takes what is best on them.",
        show_default=False,
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where the data is counted: duckdb or spark (default: in this process).",
        show_default=False,
    ),
]
EngineOption = Annotated[
    list[str] | None,
    typer.Option(
        "--engine-option",
        metavar="NAME=VALUE",
        help="A setting of the engine, e.g. spark.master=local[2]; repeat it.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

EdgeList = Annotated[
    Path, typer.Argument(metavar="EDGES", help="An edge list: one edge a line, two ids first; may be gzipped.")
]
