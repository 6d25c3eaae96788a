"""`dpselect table …`: questions about a private table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from dpselect.cli import options
from dpselect.cli.asked import Asked, AskedEngine
from dpselect.cli.groups import spread
from dpselect.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpselect.cli.request import Request
    from dpselect.problems.units import AddOrRemove, ReplaceOne

Table = Annotated[Path, typer.Argument(metavar="FILE", help="A .csv, .tsv (with a heading) or .parquet file.")]
Bounds = Annotated[tuple[str, str], typer.Option("--bounds", metavar="LOW HIGH", help="Public bounds of the values.")]
Step = Annotated[str, typer.Option("--step", metavar="NUMBER", help="Values are rounded to LOW + i · STEP.")]
Missing = Annotated[
    str, typer.Option("--missing", metavar="POLICY", help="Null, NaN, no number: refuse, drop, or clip (to LOW).")
]
Outside = Annotated[
    str, typer.Option("--outside", metavar="POLICY", help="Values outside the bounds: clip, refuse or drop.")
]
Unknown = Annotated[
    str,
    typer.Option(
        "--unknown", metavar="POLICY", help="Null and undeclared categories: refuse, drop, or 'own category'."
    ),
]
Candidate = Annotated[
    list[str] | None,
    typer.Option("--candidate", metavar="NAME", help="A public category; repeat it.", show_default=False),
]
Candidates = Annotated[
    Path | None,
    typer.Option("--candidates", metavar="FILE", help="The public categories, one a line.", show_default=False),
]


@final
@dataclass(frozen=True, kw_only=True)
class Records:
    """Whose the rows of the table are, and what stands for a record: asked by every question about a table."""

    person: Annotated[
        str | None,
        typer.Option("--person", metavar="COLUMN", help="The column that says whose row it is.", show_default=False),
    ] = None
    rows_per_person: Annotated[
        int, typer.Option("--rows-per-person", metavar="C", help="At most C rows of a person count; needs --person.")
    ] = 1
    counts: Annotated[
        str | None,
        typer.Option(
            "--counts",
            metavar="COLUMN",
            help="FILE is a histogram: rows stand for so many records.",
            show_default=False,
        ),
    ] = None
    unit: Annotated[
        str, typer.Option("--unit", metavar="UNIT", help="add-or-remove (n is private) or replace (n is public).")
    ] = "add-or-remove"

    def privacy_unit(self) -> AddOrRemove | ReplaceOne:
        """What one unit of privacy is."""
        import dpselect as ds
        from dpselect.cli.output import refuse

        if self.unit not in ("add-or-remove", "replace"):
            refuse(f"unit must be add-or-remove or replace, got {self.unit!r}")
        if self.unit == "add-or-remove":
            return ds.AddOrRemove(self.rows_per_person)
        if self.rows_per_person != 1:
            refuse("rows-per-person goes with --unit add-or-remove")
        return ds.ReplaceOne()


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    from dpselect.cli import table_models

    verbs = typer.Typer(no_args_is_help=True, help="Questions about a table whose records are private.")
    verbs.command("quantile", cls=Verb)(spread(quantile))
    verbs.command("best-mean", cls=Verb)(spread(best_mean))
    verbs.command("mode", cls=Verb)(spread(mode))
    table_models.register(verbs)
    app.add_typer(verbs, name="table")


def quantile(
    file: Table,
    bounds: Bounds,
    p: Annotated[
        list[str] | None,
        typer.Option(
            "--p", metavar="SHARE", help="Which quantile (default 0.5); repeat it to share ε.", show_default=False
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Not needed where FILE has one column.", show_default=False)
    ] = None,
    step: Step = "1",
    by: Annotated[
        str, typer.Option("--by", help="value: distance to the quantile; rank: the classical baseline.")
    ] = "value",
    missing: Missing = "refuse",
    outside: Outside = "clip",
    *,
    records: Records,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the value of a public grid that is nearest to a quantile."""
    import dpselect as ds
    from dpselect.cli.answer import answer_each
    from dpselect.cli.output import as_is, refuse
    from dpselect.cli.request import Request

    request = Request.of(asked, where)
    kinds = {"value": ds.table.Quantile, "rank": ds.table.QuantileByRank}
    if by not in kinds:
        refuse(f"by must be value or rank, got {by!r}")
    shares = p or ["0.5"]
    problems = [
        kinds[by](
            share,
            bounds,
            step,
            column,
            missing=missing,
            outside=outside,
            person=records.person,
            counts=records.counts,
            unit=records.privacy_unit(),
        )
        for share in shares
    ]
    if len(problems) > 1 and request.top > 1:
        refuse("top goes with one quantile")
    if len(problems) == 1:
        answer_table(request, problems[0], file, as_json=as_json, spell=as_is if as_json else str)
        return
    if request.reference is not None:
        refuse("reference goes with one quantile")
    answer_each(request, problems, file, as_json=as_json, spell=as_is if as_json else str)


def best_mean(
    file: Table,
    category: Annotated[str, typer.Option("--category", metavar="COLUMN", help="The column of categories.")],
    value: Annotated[str, typer.Option("--value", metavar="COLUMN", help="The column of values, or of a flag.")],
    candidate: Candidate = None,
    candidates: Candidates = None,
    bounds: Bounds = ("0", "1"),
    step: Step = "1",
    support: Annotated[
        int | None,
        typer.Option("--support", metavar="N", help="A category with fewer records counts as LOW.", show_default=False),
    ] = None,
    prior_weight: Annotated[
        str, typer.Option("--prior-weight", metavar="W", help="So many records of --prior-mean in every category.")
    ] = "0",
    prior_mean: Annotated[
        str | None, typer.Option("--prior-mean", metavar="NUMBER", help="With --prior-weight.", show_default=False)
    ] = None,
    missing: Missing = "refuse",
    outside: Outside = "clip",
    unknown: Unknown = "refuse",
    *,
    records: Records,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the category with the highest mean, or the highest rate of a flag (without --bounds)."""
    import dpselect as ds
    from dpselect.cli.request import Request

    request = Request.of(asked, where)
    problem = ds.table.BestMean(
        _declared(candidate, candidates),
        category,
        value,
        bounds,
        step,
        support=support,
        prior_weight=prior_weight,
        prior_mean=prior_mean,
        missing=missing,
        outside=outside,
        unknown=unknown,
        person=records.person,
        counts=records.counts,
        unit=records.privacy_unit(),
    )
    answer_table(request, problem, file, as_json=as_json)


def mode(
    file: Table,
    category: Annotated[
        str | None,
        typer.Option("--category", metavar="COLUMN", help="Not needed where FILE has one.", show_default=False),
    ] = None,
    candidate: Candidate = None,
    candidates: Candidates = None,
    unknown: Unknown = "refuse",
    *,
    records: Records,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the most frequent category."""
    import dpselect as ds
    from dpselect.cli.request import Request

    request = Request.of(asked, where)
    problem = ds.table.Mode(
        _declared(candidate, candidates),
        category,
        unknown=unknown,
        person=records.person,
        counts=records.counts,
        unit=records.privacy_unit(),
    )
    answer_table(request, problem, file, as_json=as_json)


def _declared(given: list[str] | None, file: Path | None) -> list[str]:
    """The public categories: --candidate one by one, then the lines of --candidates."""
    from dpselect.cli.output import refuse

    names = list(given or [])
    if file is not None:
        names += _lines(file)
    if not names:
        refuse("declare the public categories with --candidate or --candidates")
    return names


def _lines(path: Path) -> list[str]:
    """The lines of --candidates, as they are but for blank ones."""
    from dpselect.cli.output import refuse
    from dpselect.problems.given_file import GivenFile
    from dpselect.problems.other_formats import NO_LINES

    file = GivenFile("candidates", path, "one category a line")
    data = file.read()
    other = NO_LINES.of(data, data.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n")[0].strip())
    if other is not None:
        refuse(file.wrong(f"expected a text file with {file.holds}, this is {other}"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse(file.wrong("expected UTF-8 text"))
    return [line for line in text.splitlines() if line.strip()]


def answer_table(
    request: Request,
    problem: Any,
    file: Path,
    *,
    as_json: bool,
    spell: Callable[[Any], Any] = str,
) -> None:
    """Answer one question about a file, tuned on a public reference if there is one."""
    from dpselect.cli.answer import answer
    from dpselect.cli.output import refuse
    from dpselect.problems.given_file import same_file

    other = None if request.reference is None else Path(request.reference)
    if same_file(other, file):
        refuse("reference must be public data: never the private file itself")
    answer(request, problem, file, reference=other, as_json=as_json, spell=spell)
