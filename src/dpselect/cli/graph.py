"""`dpselect graph …`: questions about a private graph."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from dpselect.cli import options


class Unknown(StrEnum):
    """What to do with an edge that names a vertex outside the declared ones."""

    REFUSE = "refuse"
    DROP = "drop"


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    verbs = typer.Typer(no_args_is_help=True, help="Questions about a graph whose edges are private.")
    verbs.command("top-vertex")(top_vertex)
    app.add_typer(verbs, name="graph")


def top_vertex(
    edges: options.EdgeList,
    motif: Annotated[str, typer.Option("--motif", help="What to count at each vertex.")] = "triangle",
    vertices: Annotated[
        Path | None,
        typer.Option(
            "--vertices",
            metavar="FILE",
            help="The public vertices, one id a line. Without it the ids in EDGES are declared public.",
            show_default=False,
        ),
    ] = None,
    unknown: Annotated[
        Unknown | None,
        typer.Option(
            "--unknown",
            help="What to do with edges that name other vertices than FILE does (default: refuse).",
            show_default=False,
        ),
    ] = None,
    protect_edges: Annotated[
        int, typer.Option("--protect-edges", metavar="K", help="Hide the change of up to K edges at once.")
    ] = 1,
    epsilon: options.Epsilon = "1",
    delta: options.Delta = "1e-6",
    method: options.Method = "auto",
    scale_to_test: options.ScaleToTest = None,
    sampler: options.Sampler = None,
    top: options.Top = 1,
    rho: options.Rho = "0.05",
    seed: options.Seed = None,
    ledger: options.LedgerUrl = None,
    dataset: options.Dataset = None,
    card: options.Card = None,
    reference: options.Reference = None,
    as_json: options.Json = False,
) -> None:
    """Name the vertex with the most copies of a motif (triangles, unless told otherwise)."""
    import dpselect as ds
    from dpselect.cli.answer import answer
    from dpselect.cli.output import progress, refuse
    from dpselect.cli.request import Request
    from dpselect.exact.numbers import whole
    from dpselect.problems.units import Edges

    request = Request.of(
        epsilon=epsilon,
        delta=delta,
        method=method,
        scale_to_test=scale_to_test,
        sampler=sampler,
        top=top,
        rho=rho,
        seed=seed,
        ledger=ledger,
        dataset=dataset,
        card=card,
        reference=reference,
    )
    unit = Edges(whole(protect_edges, "protect-edges", least=1))
    problem = ds.graph.TopVertex(motif)
    if vertices is None and unknown is not None:
        refuse("unknown goes with --vertices: without a vertex file no vertex is unknown")
    policy: Literal["refuse", "drop"] = "drop" if unknown is Unknown.DROP else "refuse"
    with progress("Reading the edges", steps=1):
        graph = (
            _public(str(edges)) if request.comparing else ds.graph.read_edges(edges, vertices=vertices, unknown=policy)
        )
        other = None if reference is None else _public(reference, instead_of=edges)
    answer(request, problem, graph, unit=unit, reference=other, as_json=as_json)


def _public(name: str, instead_of: Path | None = None) -> Any:
    """A public graph: an edge list, or `gnp:N:P` (`gnp:N-M:P` for a range of sizes)."""
    import dpselect as ds
    from dpselect.cli.output import refuse

    kind, _, numbers = name.partition(":")
    if kind == "gnp":
        sizes, _, p = numbers.partition(":")
        ends = sizes.split("-")
        if not p or not all(end.isdecimal() for end in ends) or len(ends) > 2:
            refuse(f"a random graph is written gnp:N:P or gnp:N-M:P, such as gnp:1000:0.01, got {name!r}")
        n = int(ends[0]) if len(ends) == 1 else (int(ends[0]), int(ends[1]))
        return ds.graph.GnpGraph(n, p)
    if instead_of is not None and Path(name).resolve() == instead_of.resolve():
        refuse("reference must be public data: never the private file itself")
    return ds.graph.read_edges(name)
