"""Best mean over 10^7 rows and top vertex over 10^6 edges: in memory, on DuckDB, on Spark `local[2]`.

The three must give the same histogram; the benchmark fails if they do not.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Report, Table
from benchmarks.tables import installed, parquet

SEED = 20250103
VERTICES, EDGES = 200_000, 10**6
ROOT = Path(__file__).parents[1]
TASKS = {"best-mean": "best mean, 10^7 rows", "triangle": "top vertex by triangles, 10^6 edges"}

REMARKS = (
    "One process per row, file to answer, one run on a shared machine with two cores: ratios are what to look at. The "
    "histograms and the local sensitivities are identical, which the benchmark checks. In memory: the table is read "
    "into Arrow, the graph into compiled neighbour lists. Spark starts a virtual machine of its own for every row."
)


def edge_list(path: Path) -> None:
    """A random graph with hubs: ends are drawn with weights (i + 10)^(−0.6)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(SEED)
    ends = np.cumsum((np.arange(VERTICES) + 10.0) ** -0.6)
    keys = np.empty(0, np.int64)
    while len(keys) < EDGES:
        pair = np.searchsorted(ends, random.random((2, EDGES)) * ends[-1])
        low, high = pair.min(axis=0), pair.max(axis=0)
        keys = np.unique(np.concatenate((keys, (low * VERTICES + high)[low < high])))
    keys = random.permutation(keys)[:EDGES]
    pq.write_table(pa.table({"a": keys // VERTICES, "b": keys % VERTICES}), path)


def measured(task: str, engine: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks._engine_task", task, engine, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run() -> Report:
    engines = ["memory", "duckdb", *(["spark"] if installed("pyspark") else [])]
    raw: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {"best-mean": Path(folder) / "rows.parquet", "triangle": Path(folder) / "edges.parquet"}
        parquet(paths["best-mean"])
        edge_list(paths["triangle"])
        for task, path in paths.items():
            raw[task] = {engine: measured(task, engine, path) for engine in engines}
    rows = []
    for task, found in raw.items():
        digests = {result["histogram"] for result in found.values()}
        if len(digests) != 1 or len({result["bound"] for result in found.values()}) != 1:
            raise AssertionError(f"{task}: the engines do not give the same histogram and local sensitivity")
        base = found["memory"]["seconds"]["answer"]
        for engine, result in found.items():
            took = result["seconds"]
            rows.append(
                [TASKS[task], engine, *(f"{took[s]:.1f}" for s in ("open", "histogram", "profile", "answer")),
                 f"{took['answer'] / base:.1f}", f"{result['peak']:.0f}"]
            )  # fmt: skip
    heading = ["question", "engine", "open, s", "histogram, s", "profile, s", "answer, s", "to memory", "peak, MB"]
    table = Table("Engines: identical histograms; seconds from the start, memory of all processes", heading, rows)
    return Report("Engines", [table], REMARKS, raw)
