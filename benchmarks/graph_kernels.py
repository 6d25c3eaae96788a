"""Counting motifs beside igraph, networkit, networkx and scipy.sparse; local sensitivity and release at scale.

Public graphs are read from $DPSELECT_DATA or ../shared/data beside the checkout; a graph that is not there is left out.
All contenders start from the same int64 array of edges, and building their graph is part of the time. The power-law
graph is drawn with a seed: an end is vertex i with probability ∝ (i + 1)^(1/3) − i^(1/3), degrees of exponent 5/2.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Report, Table, take_turns
from dpselect.problems.graph import Graph, as_graph
from dpselect.problems.graph.cliques import cliques_per_vertex, largest_common
from dpselect.problems.graph.embeddings import copies_per_vertex
from dpselect.problems.graph.four_cycles import four_cycles_per_vertex, largest_closed_four_cycles
from dpselect.problems.graph.motifs.pattern import clique
from dpselect.problems.graph.triangles import local_sensitivity_triangles, triangles_per_vertex

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("DPSELECT_DATA", ROOT / ".." / "shared" / "data"))
SEED = 20250103
WEDGES_AT_MOST = 3e8  # beyond this A·A does not fit into memory, and pure Python takes minutes
Edges = NDArray[np.int64]
Counts = NDArray[np.int64]


@cache
def power_law(n: int, m: int) -> Edges:
    """m different edges on n vertices; ends ⌊n U³⌋."""
    rng = np.random.default_rng(SEED)
    keys = np.empty(0, np.int64)
    while keys.size < m:
        ends = np.minimum(n * rng.random((int(1.6 * (m - keys.size)) + 1000, 2)) ** 3, n - 1).astype(np.int64)
        ends = ends[ends[:, 0] != ends[:, 1]]
        keys = np.sort(np.concatenate((keys, ends.min(axis=1) * n + ends.max(axis=1))))
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
    keys = rng.permutation(keys)[:m]
    return np.stack((keys // n, keys % n), axis=1)


def public(name: str) -> Edges | None:
    """The edges of a public graph, vertices numbered from 0."""
    path = DATA / f"{name}.txt"
    if not path.exists():
        return None
    graph = as_graph(path)
    return np.stack((graph.tails, graph.heads), axis=1).astype(np.int64)


# ---------------------------------------------------------------- contenders


def ours(edges: Edges, n: int) -> Counts:
    return triangles_per_vertex(Graph.from_edges(edges, vertices=range(n)))


def igraph(edges: Edges, n: int) -> Counts:
    import igraph as ig

    graph = ig.Graph(n=n, edges=edges)
    degree = np.array(graph.degree())
    local = np.array(graph.transitivity_local_undirected(mode="zero"))
    return np.rint(local * degree * (degree - 1) / 2).astype(np.int64)


def networkit(edges: Edges, n: int) -> Counts:
    import networkit as nk

    graph = nk.GraphFromCoo((edges[:, 0].copy(), edges[:, 1].copy()), n=n)
    local = nk.centrality.LocalClusteringCoefficient(graph, True)
    local.run()
    degree = np.bincount(edges.ravel(), minlength=n)
    return np.rint(np.array(local.scores()) * degree * (degree - 1) / 2).astype(np.int64)


def networkx(edges: Edges, n: int) -> Counts:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges.tolist())
    found = nx.triangles(graph)
    return np.array([found[v] for v in range(n)])


def sparse(edges: Edges, n: int) -> Counts:
    import scipy.sparse as sp

    both = np.concatenate((edges, edges[:, ::-1]))
    a = sp.csr_array((np.ones(len(both), np.int64), (both[:, 0], both[:, 1])), shape=(n, n))
    return np.asarray((a @ a).multiply(a).sum(axis=1)).ravel() // 2


CONTENDERS: dict[str, Callable[[Edges, int], Counts]] = {
    "dpselect": ours,
    "igraph": igraph,
    "networkit": networkit,
    "networkx": networkx,
    "scipy.sparse": sparse,
}
MODULES = {"igraph": "igraph", "networkit": "networkit", "networkx": "networkx", "scipy.sparse": "scipy"}


def available(edges: Edges) -> list[str]:
    degree = np.bincount(edges.ravel())
    light = float((degree.astype(np.float64) ** 2).sum()) < WEDGES_AT_MOST
    found = []
    for name in CONTENDERS:
        there = name == "dpselect" or importlib.util.find_spec(MODULES[name]) is not None
        if there and (light or name not in ("networkx", "scipy.sparse")):
            found.append(name)
    return found


def triangles(raw: dict[str, Any]) -> Table:
    rows = []
    graphs = [("facebook_combined", public("facebook_combined"), 9), ("email-Enron", public("email-Enron"), 9)]
    graphs.append(("power law, 10^6 vertices, 10^7 edges", power_law(10**6, 10**7), 3))
    for name, edges, rounds in graphs:
        if edges is None:
            continue
        n = int(edges.max()) + 1
        names = available(edges)
        expected = ours(edges, n)
        for other in names:
            assert (CONTENDERS[other](edges, n) == expected).all(), other
        seconds = take_turns({o: lambda o=o, e=edges, n=n: CONTENDERS[o](e, n) for o in names}, rounds)
        raw[f"triangles, {name}"] = seconds
        t = {o: statistics.median(s) for o, s in seconds.items()}
        rows.append(
            [name, *(f"{1e3 * t[o]:,.0f}" if o in t else "–" for o in CONTENDERS),
             f"{min(v for o, v in t.items() if o != 'dpselect') / t['dpselect']:.1f}×"]
        )  # fmt: skip
    return Table(
        "Triangles per vertex, graph building included, milliseconds (median)",
        ["graph", *CONTENDERS, "best peer / dpselect"],
        rows,
    )


def four_cliques(raw: dict[str, Any]) -> Table:
    rows = []
    for name in ("ca-HepPh", "facebook_combined", "email-Enron"):
        edges = public(name)
        if edges is None:
            continue
        graph = as_graph(edges)
        counts = cliques_per_vertex(graph, 4)
        calls = {"ours": lambda g=graph: cliques_per_vertex(g, 4)}
        fast = statistics.median(take_turns(calls, 7)["ours"])
        start = time.perf_counter()
        listed = copies_per_vertex(graph, clique(4))
        slow = time.perf_counter() - start
        assert (listed == counts).all()
        peer = by_igraph(edges, counts)
        raw[f"4-cliques, {name}"] = {"ours": fast, "compiled enumeration": slow, "igraph": peer}
        cells = [f"{1e3 * fast:,.0f}", f"{1e3 * slow:,.0f}", f"{slow / fast:,.0f}×"]
        cells += ["–", "–"] if peer is None else [f"{1e3 * peer:,.0f}", f"{peer / fast:,.0f}×"]
        rows.append([name, f"{int(counts.sum()) // 4:,}", *cells])
    return Table(
        "4-cliques per vertex, milliseconds",
        ["graph", "4-cliques", "dpselect", "compiled enumeration, one by one", "ratio", "igraph, listed", "ratio"],
        rows,
    )


def by_igraph(edges: Edges, expected: Counts) -> float | None:
    """Seconds to list all 4-cliques with igraph, as triangles among the later neighbours of each vertex."""
    if importlib.util.find_spec("igraph") is None:
        return None
    import igraph as ig

    graph = ig.Graph(n=len(expected), edges=edges)
    start = time.perf_counter()
    counts = np.zeros(len(expected), np.int64)
    for v in range(graph.vcount()):
        later = [u for u in graph.neighbors(v) if u > v]
        found = np.array(graph.induced_subgraph(later).list_triangles(), np.int64)
        if found.size:
            counts += np.bincount(np.array(later)[found.ravel()], minlength=len(counts))
            counts[v] += len(found)
    seconds = time.perf_counter() - start
    assert (counts == expected).all()
    return seconds


def growth(raw: dict[str, Any]) -> Table:
    rows = []
    for m in (10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7):
        edges = power_law(m // 10, m)
        seconds: dict[str, float] = {}

        def timed(name: str, call: Callable[[], Any], seconds: dict[str, float] = seconds) -> Any:
            start = time.perf_counter()
            result = call()
            seconds[name] = time.perf_counter() - start
            return result

        def build(edges: Edges = edges, m: int = m) -> Graph:
            graph = Graph.from_edges(edges, vertices=range(m // 10))
            assert graph.adjacency is not None
            return graph

        graph = timed("build", build)
        counts = timed("triangles", lambda g=graph: triangles_per_vertex(g))
        codegree = timed("local sensitivity", lambda g=graph: local_sensitivity_triangles(g))
        from dpselect.problems.graph.certificates.triangles import triangle_flip_distance

        timed("flip distances", lambda g=graph, c=counts: triangle_flip_distance(g, c))
        timed("4-cliques", lambda g=graph: cliques_per_vertex(g, 4))
        timed("4-cliques, local sensitivity", lambda g=graph, c=counts: largest_common(g, 2, 2, 0, c))
        if m <= 10**6:
            timed("4-cycles", lambda g=graph: four_cycles_per_vertex(g))
            timed("4-cycles, local sensitivity", lambda g=graph, d=codegree: largest_closed_four_cycles(g, d))
        raw[f"growth, {m}"] = seconds
        rows.append((m, seconds))
    names = list(rows[0][1])
    plot(rows, names)
    body = [[f"{m:,}", *(f"{s[k]:.2f}" if k in s else "–" for k in names)] for m, s in rows]
    return Table("Growth on power-law graphs with 10 edges per vertex, seconds (one run)", ["edges", *names], body)


def plot(rows: list[tuple[int, dict[str, float]]], names: list[str]) -> None:
    """docs/graph/growth.svg, if matplotlib is there."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "dpselect"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name in names:
        points = [(m, s[name]) for m, s in rows if name in s]
        axes.loglog(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xlabel="edges", ylabel="seconds")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=2)
    figure.savefig(ROOT / "docs" / "graph" / "growth.svg", metadata={"Date": None})
    plt.close(figure)


RELEASE = """
import sys, time
start = time.perf_counter()
import dpselect as ds
graph = ds.graph.read_edges(sys.argv[1], vertices=range(10**6))
read = time.perf_counter()
if sys.argv[2] == "local sensitivity":
    graph.adjacency
    built = time.perf_counter()
    from dpselect.problems.graph.triangles import local_sensitivity_triangles
    local_sensitivity_triangles(graph)
    print(time.perf_counter() - built, end=" ")
else:
    ds.select(ds.graph.TopVertex("triangle"), graph, epsilon=1, delta="1e-6", method=sys.argv[2])
    print(time.perf_counter() - start, end=" ")
# the high-water mark of this program alone; ru_maxrss would remember the one that started it
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(read - start, int(peak) / 2**20)
"""


def release(raw: dict[str, Any]) -> Table | None:
    """In fresh processes, so that importing, loading compiled code and peak memory are all counted."""
    if importlib.util.find_spec("pyarrow") is None:
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.parquet"
        edges = power_law(10**6, 10**7)
        pq.write_table(pa.table({"u": edges[:, 0], "v": edges[:, 1]}), path)
        for what in ("local sensitivity", "global-scale", "private-bound", "ladder", "auto"):
            runs = []
            for _ in range(3):
                done = subprocess.run([sys.executable, "-c", RELEASE, str(path), what], capture_output=True, check=True)
                runs.append([float(x) for x in done.stdout.split()])
            raw[f"release, {what}"] = runs
            total, reading, memory = (statistics.median(column) for column in zip(*runs, strict=True))
            title = "exact local sensitivity alone" if what == "local sensitivity" else f"release, method {what}"
            rows.append([title, f"{total:.2f}", f"{reading:.2f}", f"{memory:.2f}"])
    return Table(
        "Parquet file to answer, 10^6 vertices and 10^7 edges (fresh processes, median of 3)",
        ["what", "seconds", "of which importing and reading", "peak memory, GiB"],
        rows,
    )


def run() -> Report:
    raw: dict[str, Any] = {"seed": SEED}
    tables = [triangles(raw), four_cliques(raw), release(raw), growth(raw)]
    degree = np.bincount(power_law(10**6, 10**7).ravel()).astype(np.float64)
    remarks = (
        f"On the power-law graph A·A has up to {degree @ degree:.1e} products, and networkx needs a Python object for "
        "each edge: both are left out there. The peers derive triangles from local clustering (igraph, networkit), "
        "which is their fastest way; all counts are compared with ours before anything is timed. graph-tool is not on "
        "the package index: it has a benchmark of its own, `graph_tool_peer`."
    )
    return Report("Counting and calibrating on graphs", [t for t in tables if t is not None], remarks, raw)
