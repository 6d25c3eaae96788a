"""The demonstration graph: a real, public graph that may be used freely."""

from __future__ import annotations

from importlib.resources import as_file, files

from dpselect.problems.graph.edge_list import read_edges
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.vertex_file import read_vertices


def costars() -> Graph:
    """Actors of 1940–1959 films, joined when one film credits both; 5,644 people, vertices are their names.

    From Wikidata by way of bokeh-sampledata, CC0-1.0 (`PROVENANCE.md` beside the data). The graph is public: its
    numbers may be shown, which is what makes it useful for demonstrations.

    >>> costars()
    Graph(vertices=5644)
    """
    folder = files("dpselect") / "data"
    with as_file(folder / "costars_1940_1959_names.txt.gz") as path:
        names = tuple(read_vertices(path))
    with as_file(folder / "costars_1940_1959.txt.gz") as path:
        numbered = read_edges(path, vertices=range(len(names)))
    return Graph(names, numbered.tails, numbered.heads)
