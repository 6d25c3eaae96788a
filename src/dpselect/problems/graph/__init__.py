"""Graphs under edge-differential privacy: read one, ask which vertex or subgraph is best."""

from dpselect.problems.graph.convert import as_graph
from dpselect.problems.graph.costars import costars
from dpselect.problems.graph.edge_list import read_edges
from dpselect.problems.graph.gnp import GnpGraph
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.top_subgraph import TopSubgraph
from dpselect.problems.graph.top_vertex import TopVertex
from dpselect.problems.units import Edges

__all__ = ["Edges", "GnpGraph", "Graph", "TopSubgraph", "TopVertex", "as_graph", "costars", "read_edges"]
