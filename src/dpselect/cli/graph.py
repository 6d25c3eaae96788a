"""`dpselect graph …`: questions about a private graph."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dpselect.cli import options

if TYPE_CHECKING:
    from dpselect.cli.request import Request


class Unknown(StrEnum):
    """What to do with an edge that names a vertex outside the declared ones."""

    REFUSE = "refuse"
    DROP = "drop"


Motif = Annotated[str, typer.Option("--motif", help="What to count: triangle, 4-clique, 2-star, 4-cycle, …")]
Vertices = Annotated[
    Path | None,
    typer.Option(
        "--vertices",
        metavar="FILE",
        help="The public vertices, one id a line. Without it the ids in EDGES are declared public.",
        show_default=False,
    ),
]
UnknownVertices = Annotated[
    Unknown | None,
    typer.Option(
        "--unknown",
        help="What to do with edges that name other vertices than FILE does (default: refuse).",
        show_default=False,
    ),
]
ProtectEdges = Annotated[
    int, typer.Option("--protect-edges", metavar="K", help="Hide the change of up to K edges at once.")
]


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    verbs = typer.Typer(no_args_is_help=True, help="Questions about a graph whose edges are private.")
    verbs.command("top-vertex")(top_vertex)
    verbs.command("top-subgraph")(top_subgraph)
    app.add_typer(verbs, name="graph")


def top_vertex(
    edges: options.EdgeList,
    motif: Motif = "triangle",
    vertices: Vertices = None,
    unknown: UnknownVertices = None,
    protect_edges: ProtectEdges = 1,
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
    engine: options.EngineName = None,
    engine_option: options.EngineOption = None,
    as_json: options.Json = False,
) -> None:
    """Name the vertex with the most copies of a motif (triangles, unless told otherwise)."""
    import dpselect as ds
    from dpselect.cli.answer import answer
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
        engine=engine,
        engine_option=engine_option,
    )
    unit = Edges(whole(protect_edges, "protect-edges", least=1))
    problem = ds.graph.TopVertex(motif)
    if request.engine is not None:
        answer(request, problem, _edge_table(edges, vertices, unknown, reference), unit=unit, as_json=as_json)
        return
    graph, other = _graphs(request, edges, vertices, unknown, reference)
    answer(request, problem, graph, unit=unit, reference=other, as_json=as_json)


def top_subgraph(
    edges: options.EdgeList,
    k: Annotated[int, typer.Option("-k", "--size", metavar="K", help="How many vertices, 2 to 6.")],
    motif: Motif = "triangle",
    vertices: Vertices = None,
    unknown: UnknownVertices = None,
    within: Annotated[
        Path | None,
        typer.Option(
            "--within", metavar="FILE", help="Choose among these vertices only, one id a line.", show_default=False
        ),
    ] = None,
    connected_in: Annotated[
        Path | None,
        typer.Option(
            "--connected-in",
            metavar="FILE",
            help="The edge list of a PUBLIC graph in which the K vertices must be connected.",
            show_default=False,
        ),
    ] = None,
    family: Annotated[
        Path | None,
        typer.Option(
            "--family", metavar="FILE", help="The candidates, K ids a line: choose among these.", show_default=False
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            metavar="N",
            help="Refuse to count more connected subgraphs than that (default: 10^10).",
            show_default=False,
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            help="Go on from FILE if the counting was stopped. It holds PRIVATE counts: keep it as you keep EDGES.",
            show_default=False,
        ),
    ] = None,
    protect_edges: ProtectEdges = 1,
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
    """Name the K vertices with the most copies of a motif among them (triangles, unless told otherwise)."""
    import dpselect as ds
    from dpselect.cli.answer import answer
    from dpselect.cli.request import Request
    from dpselect.exact.numbers import whole
    from dpselect.problems.graph.subsets.ranges import MOST
    from dpselect.problems.graph.vertex_file import read_subsets, read_vertices
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
    problem = ds.graph.TopSubgraph(
        k,
        motif,
        Edges(whole(protect_edges, "protect-edges", least=1)),
        within=None if within is None else read_vertices(within),
        connected_in=None if connected_in is None else ds.graph.read_edges(connected_in),
        family=None if family is None else read_subsets(family),
        most=MOST if most is None else most,
        checkpoint=checkpoint,
    )
    graph, other = _graphs(request, edges, vertices, unknown, reference)
    # The problem shows its own progress.
    answer(request, problem, graph, reference=other, as_json=as_json, spell=_spelled, busy=None)


def _spelled(subset: list[Any]) -> list[str]:
    return [str(vertex) for vertex in subset]


def _graphs(
    request: Request, edges: Path, vertices: Path | None, unknown: Unknown | None, reference: str | None
) -> tuple[Any, Any]:
    """The graph that is asked about, and the public one that the method is chosen by."""
    import dpselect as ds
    from dpselect.cli.output import progress, refuse

    if vertices is None and unknown is not None:
        refuse("unknown goes with --vertices: without a vertex file no vertex is unknown")
    policy: Literal["refuse", "drop"] = "drop" if unknown is Unknown.DROP else "refuse"
    with progress("Reading the edges", steps=1):
        graph = (
            _public(str(edges)) if request.comparing else ds.graph.read_edges(edges, vertices=vertices, unknown=policy)
        )
        return graph, None if reference is None else _public(reference, instead_of=edges)


def _edge_table(edges: Path, vertices: Path | None, unknown: Unknown | None, reference: str | None) -> Any:
    """The edges for an engine; the file is not opened here."""
    from dpselect.cli.output import refuse
    from dpselect.engines import EdgeTable
    from dpselect.problems.graph.text_file import content_lines, read_bytes
    from dpselect.problems.graph.vertex_file import read_vertices

    if reference is not None:
        refuse("reference goes without --engine")
    if vertices is None and unknown is not None:
        refuse("unknown goes with --vertices: without a vertex file no vertex is unknown")
    declared: Any = vertices
    if vertices is not None and vertices.suffix not in (".parquet", ".csv", ".tsv"):
        # In text files ids are texts; in Parquet they are what the column says.
        lines = content_lines(read_bytes(vertices, "vertices"))
        declared = read_vertices(vertices) if edges.suffix == ".parquet" else [text for _, text in lines]
    return EdgeTable(edges, vertices=declared, unknown="drop" if unknown is Unknown.DROP else "refuse")


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
