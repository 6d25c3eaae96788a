"""One question on one engine in a process of its own: prints seconds, peak memory and the histogram as JSON."""

import hashlib
import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

import dpselect as ds
from benchmarks._table_task import CATEGORIES
from dpselect.exact.bits import SeededBits

LOCAL = {"spark.master": "local[2]", "spark.driver.memory": "4g", "spark.sql.shuffle.partitions": "8"}
ENGINES = {"duckdb": lambda: ds.engines.DuckDB(), "spark": lambda: ds.engines.Spark(LOCAL)}


def put(problem: Any, path: str, engine: str) -> Any:
    """The problem and the data, open: as `dpselect.engines.opened` gives them, or read into memory."""
    if engine != "memory":
        return ds.engines.opened(problem, path, ENGINES[engine]())
    if isinstance(problem, ds.graph.TopVertex):
        return nullcontext((problem, ds.graph.read_edges(path)))
    import pyarrow.parquet as pq

    return nullcontext((problem, pq.read_table(path)))


def histogram(read: Any, evaluation: Any) -> list[list[int]]:
    """Cells of a table, or (score, vertices) of a graph."""
    if hasattr(read, "steps"):
        return [read.positions.tolist(), read.steps.tolist(), read.counts.tolist()]
    if evaluation.groups is not None:
        groups = evaluation.groups
        values, place = np.unique(np.array(groups.values), return_inverse=True)
        return [values.tolist(), np.bincount(place, groups.counts).astype(int).tolist()]
    values, counts = np.unique(evaluation.scores.values, return_counts=True)
    return [values.tolist(), counts.tolist()]


def family(process: str) -> list[str]:
    """A process and all below it: Spark runs in a virtual machine of its own."""
    children = [c for task in Path(f"/proc/{process}/task").glob("*/children") for c in task.read_text().split()]
    return [process, *(p for child in children for p in family(child))]


def peak_megabytes(process: str) -> float:
    """The largest resident memory so far."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main(task: str, engine: str, path: str) -> dict[str, Any]:
    problem: Any = ds.table.BestMean(CATEGORIES, "site", "value", (0, 100), "0.1", support=1000)
    if task != "best-mean":
        problem = ds.graph.TopVertex(task)
    seconds, start = {}, time.perf_counter()
    with put(problem, path, engine) as (there, data):
        seconds["open"] = time.perf_counter() - start
        read = there.read(data) if task == "best-mean" else data
        law = ds.law(there, read, epsilon=1, method="auto" if task == "best-mean" else "ladder")
        found = histogram(read, law.evaluation)
        seconds["histogram"] = time.perf_counter() - start
        bound = None if task == "best-mean" else law.evaluation.profile.local_bound
        seconds["profile"] = time.perf_counter() - start
        law.answer(SeededBits(1))
        seconds["answer"] = time.perf_counter() - start
        peak = sum(map(peak_megabytes, family("self")))
    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
    return {"seconds": seconds, "peak": peak, "histogram": digest, "bound": str(bound)}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
