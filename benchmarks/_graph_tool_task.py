"""Triangles per vertex by graph-tool, in the interpreter that has it (Debian's): EDGES.npy N ROUNDS -> JSON.

Started by `benchmarks.graph_tool_peer`; imports nothing of this project: graph-tool is compiled for another NumPy.
"""

import json
import sys
import time

import numpy as np
from graph_tool import Graph
from graph_tool.clustering import local_clustering

edges, n, rounds = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
seconds = []
for _ in range(rounds):
    start = time.perf_counter()
    graph = Graph(directed=False)
    graph.add_vertex(n)
    graph.add_edge_list(edges)
    degree = graph.get_out_degrees(np.arange(n)).astype(np.int64)
    local = local_clustering(graph, undirected=True).a
    counts = np.rint(local * degree * (degree - 1) / 2).astype(np.int64)
    seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": seconds, "total": int(counts.sum()) // 3, "largest": int(counts.max())}))
