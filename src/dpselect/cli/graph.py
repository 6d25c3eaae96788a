"""`dpselect graph …`: questions about a private graph."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

import typer

from dpselect.cli import options
from dpselect.cli.asked import Asked, AskedEngine
from dpselect.cli.groups import spread
from dpselect.cli.verb import Verb

if TYPE_CHECKING:
    from dpselect.cli.request import Request


class Unknown(StrEnum):
    """What to do with an edge that names a vertex outside the declared ones."""

    REFUSE = "refuse"
    DROP = "drop"


Motif = Annotated[str, typer.Option("--motif", help="What to count: triangle, 4-clique, 2-star, 4-cycle, …")]
ProtectEdges = Annotated[
    int, typer.Option("--protect-edges", metavar="K", help="Hide the change of up to K edges at once.")
]


@final
@dataclass(frozen=True, kw_only=True)
class Declared:
    """The public vertices: asked by every question about a graph."""

    vertices: Annotated[
        Path | None,
        typer.Option(
            "--vertices",
            metavar="FILE",
            help="The public vertices, one id a line. Without it the ids in EDGES are declared public.",
            show_default=False,
        ),
    ] = None
    unknown: Annotated[
        Unknown | None,
        typer.Option(
            "--unknown",
            help="What to do with edges that name other vertices than FILE does (default: refuse).",
            show_default=False,
        ),
    ] = None

    def policy(self) -> Literal["refuse", "drop"]:
        """What to do with an edge that names another vertex."""
        from dpselect.cli.output import refuse

        if self.vertices is None and self.unknown is not None:
            refuse("unknown goes with --vertices: without a vertex file no vertex is unknown")
        return "drop" if self.unknown is Unknown.DROP else "refuse"


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    verbs = typer.Typer(no_args_is_help=True, help="Questions about a graph whose edges are private.")
    verbs.command("top-vertex", cls=Verb)(spread(top_vertex))
    verbs.command("top-subgraph", cls=Verb)(spread(top_subgraph))
    app.add_typer(verbs, name="graph")


def top_vertex(
    edges: options.EdgeList,
    motif: Motif = "triangle",
    *,
    declared: Declared,
    protect_edges: ProtectEdges = 1,
    asked: Asked,
    where: AskedEngine,
    as_json: options.Json = False,
) -> None:
    """Name the vertex with the most copies of a motif (triangles, unless told otherwise)."""
    import dpselect as ds
    from dpselect.cli.answer import answer
    from dpselect.cli.request import Request
    from dpselect.exact.numbers import whole
    from dpselect.problems.units import Edges

    request = Request.of(asked, where)
    unit = Edges(whole(protect_edges, "protect-edges", least=1))
    problem = ds.graph.TopVertex(motif)
    if request.engine is not None:
        answer(request, problem, _edge_table(request, edges, declared), unit=unit, as_json=as_json)
        return
    graph, other = _graphs(request, edges, declared)
    answer(request, problem, graph, unit=unit, reference=other, as_json=as_json)


def top_subgraph(
    edges: options.EdgeList,
    k: Annotated[int, typer.Option("-k", "--size", metavar="K", help="How many vertices, 2 to 6.")],
    motif: Motif = "triangle",
    *,
    declared: Declared,
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
    asked: Asked,
    as_json: options.Json = False,
) -> None:
    """Name the K vertices with the most copies of a motif among them (triangles, unless told otherwise)."""
    import dpselect as ds
    from dpselect.cli.answer import answer
    from dpselect.cli.request import Request
    from dpselect.exact.numbers import whole
    from dpselect.problems.graph.edge_list import edges_of
    from dpselect.problems.graph.subsets.ranges import MOST
    from dpselect.problems.graph.vertex_file import read_subsets, read_vertices
    from dpselect.problems.units import Edges

    request = Request.of(asked)
    problem = ds.graph.TopSubgraph(
        k,
        motif,
        Edges(whole(protect_edges, "protect-edges", least=1)),
        within=None if within is None else read_vertices(within, "within"),
        connected_in=None if connected_in is None else edges_of("connected-in", connected_in),
        family=None if family is None else read_subsets(family),
        most=MOST if most is None else most,
        checkpoint=checkpoint,
    )
    graph, other = _graphs(request, edges, declared)
    # The problem shows its own progress.
    answer(request, problem, graph, reference=other, as_json=as_json, spell=_spelled, busy=None)


def _spelled(subset: list[Any]) -> list[str]:
    return [str(vertex) for vertex in subset]


def _graphs(request: Request, edges: Path, declared: Declared) -> tuple[Any, Any]:
    """The graph that is asked about, and the public one that the method is chosen by."""
    from dpselect.cli.output import progress
    from dpselect.problems.graph.edge_list import edges_of

    policy = declared.policy()
    with progress("Reading the edges", steps=1):
        if request.comparing:
            graph = _public("edges", str(edges))
        else:
            graph = edges_of("edges", edges, declared.vertices, policy)
        other = None if request.reference is None else _public("reference", request.reference, instead_of=edges)
        return graph, other


def _edge_table(request: Request, edges: Path, declared: Declared) -> Any:
    """The edges for an engine; the file is not opened here."""
    from dpselect.cli.output import refuse
    from dpselect.engines import EdgeTable
    from dpselect.problems.graph.vertex_file import read_vertices, vertex_texts

    if request.reference is not None:
        refuse("reference goes without --engine")
    policy, vertices = declared.policy(), declared.vertices
    listed: Any = vertices
    if vertices is not None and vertices.suffix not in (".parquet", ".csv", ".tsv"):
        # In text files ids are texts; in Parquet they are what the column says.
        listed = read_vertices(vertices) if edges.suffix == ".parquet" else vertex_texts(vertices)
    return EdgeTable(edges, vertices=listed, unknown=policy)


def _public(argument: str, name: str, instead_of: Path | None = None) -> Any:
    """A public graph: an edge list, or `gnp:N:P` (`gnp:N-M:P` for a range of sizes)."""
    import dpselect as ds
    from dpselect.cli.output import refuse
    from dpselect.problems.given_file import same_file
    from dpselect.problems.graph.edge_list import edges_of

    kind, _, numbers = name.partition(":")
    if kind == "gnp":
        sizes, _, p = numbers.partition(":")
        ends = sizes.split("-")
        if not p or not all(end.isdecimal() for end in ends) or len(ends) > 2:
            refuse(f"{argument}: a random graph is written gnp:N:P or gnp:N-M:P, such as gnp:1000:0.01, got {name!r}")
        n = int(ends[0]) if len(ends) == 1 else (int(ends[0]), int(ends[1]))
        try:
            return ds.graph.GnpGraph(n, p)
        except ds.InvalidParameter as problem:
            refuse(f"{argument}: {problem}, in {name!r}")
    if same_file(name, instead_of):
        refuse("reference must be public data: never the private file itself")
    return edges_of(argument, name)
