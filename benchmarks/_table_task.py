"""One table task in a process of its own, so that its memory can be told: prints seconds and peak memory as JSON."""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

CATEGORIES = [f"site {i:02d}" for i in range(50)]
BOUNDS = (0.0, 100.0)
STEP = 0.1
EPSILON = 1.0


def grid() -> list[float]:
    return [i * STEP for i in range(1001)]


def quantile(path: str) -> Callable[[], object]:
    import dpselect as ds

    return lambda: ds.select(ds.table.Quantile(0.5, (0, 100), "0.1", "value"), path, epsilon=1).candidate


def best_mean(path: str) -> Callable[[], object]:
    import dpselect as ds

    problem = ds.table.BestMean(CATEGORIES, "site", "value", (0, 100), "0.1", support=1000)
    return lambda: ds.select(problem, path, epsilon=1).candidate


def column(path: str):
    import pyarrow.parquet as pq

    return pq.read_table(path, columns=["value"])["value"].to_numpy()


def diffprivlib(path: str) -> Callable[[], object]:
    from diffprivlib.tools import quantile as theirs

    return lambda: theirs(column(path), 0.5, epsilon=EPSILON, bounds=BOUNDS)


def opendp(path: str) -> Callable[[], object]:
    measurement = opendp_quantile(grid(), 0.5, EPSILON)
    return lambda: measurement(column(path))


def opendp_quantile(candidates: list[float], p: float, epsilon: float):
    """OpenDP's private quantile at this ε, for records added or removed."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()

    def at(scale: float):
        return dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, p, scale)

    return dp.binary_search_chain(at, d_in=1, d_out=epsilon)


def imports(path: str) -> Callable[[], object]:
    import duckdb  # noqa: F401

    import dpselect as ds
    from dpselect.problems.table import Quantile  # noqa: F401

    return lambda: ds.select([1, 2], epsilon=1, sensitivity=1)


def peak_bytes() -> int:
    """The most memory this process has held, its libraries included."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says on Linux includes the parent at the time of the fork
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return 1024 * int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


TASKS = {
    "imports": imports,
    "quantile": quantile,
    "best-mean": best_mean,
    "diffprivlib": diffprivlib,
    "opendp": opendp,
}

if __name__ == "__main__":
    name, path = sys.argv[1:]
    call = TASKS[name](path)
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "bytes": peak_bytes()}))
