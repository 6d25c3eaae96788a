"""Triangles per vertex beside graph-tool, where DPSELECT_GRAPH_TOOL_PYTHON names an interpreter that can import it.

graph-tool is not on PyPI; on Debian it is the package python3-graph-tool, compiled for Debian's own NumPy, so it is
timed in a process of its own. Both start from the same array of edges; starting the interpreter is not counted.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graph_kernels import ours, power_law, public
from benchmarks.harness import Report, Table, take_turns

TASK = Path(__file__).with_name("_graph_tool_task.py")


def beside_graph_tool(raw: dict[str, Any]) -> Table:
    interpreter = os.environ["DPSELECT_GRAPH_TOOL_PYTHON"]
    rows = []
    graphs = [("facebook_combined", public("facebook_combined"), 9), ("email-Enron", public("email-Enron"), 9)]
    graphs.append(("power law, 10^6 vertices, 10^7 edges", power_law(10**6, 10**7), 3))
    for name, edges, rounds in graphs:
        if edges is None:
            continue
        n = int(edges.max()) + 1
        expected = ours(edges, n)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "edges.npy"
            np.save(path, edges)
            ran = subprocess.run(
                [interpreter, str(TASK), str(path), str(n), str(rounds)], capture_output=True, text=True, check=True
            )
        found = json.loads(ran.stdout)
        assert (found["total"], found["largest"]) == (int(expected.sum()) // 3, int(expected.max()))
        mine = take_turns({"dpselect": lambda e=edges, n=n: ours(e, n)}, rounds)["dpselect"]
        raw[f"graph-tool, {name}"] = {"graph-tool": found["seconds"], "dpselect": mine}
        a, b = statistics.median(mine), statistics.median(found["seconds"])
        rows.append([name, f"{1e3 * a:,.0f}", f"{1e3 * b:,.0f}", f"{b / a:.1f}×"])
    return Table(
        "Triangles per vertex beside graph-tool, graph building included, milliseconds (median)",
        ["graph", "dpselect", "graph-tool", "graph-tool / dpselect"],
        rows,
    )


def run() -> Report:
    raw: dict[str, Any] = {}
    if "DPSELECT_GRAPH_TOOL_PYTHON" not in os.environ:
        return Report("Beside graph-tool", [], "Not measured: DPSELECT_GRAPH_TOOL_PYTHON is not set.", raw)
    remarks = "graph-tool in the interpreter of its Debian package, as fast as it counts (local clustering)."
    return Report("Beside graph-tool", [beside_graph_tool(raw)], remarks, raw)
