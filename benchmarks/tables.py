"""Table problems: 10^7 rows of Parquet through `BestMean` and `Quantile`; the quantile against two other libraries.

The peers get the same column and the same ε, for one record added or removed. Their error is averaged over draws;
that of dpselect is exact, from its law.
"""

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dpselect as ds
from benchmarks._table_task import BOUNDS, CATEGORIES, opendp_quantile
from benchmarks.harness import Report, Table

SEED = 20250102
ROWS = 10**7
ROUNDS = 3
DRAWS = 1000
ROOT = Path(__file__).parents[1]


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(SEED)
    site = random.integers(0, len(CATEGORIES), ROWS)
    value = random.normal(50, 15, ROWS) + 0.02 * site
    names = pa.DictionaryArray.from_arrays(pa.array(site.astype(np.int32)), CATEGORIES).cast(pa.string())
    pq.write_table(pa.table({"site": names, "value": value}), path)


def task(name: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks._table_task", name, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def ten_million(raw: dict[str, Any]) -> Table:
    labels = {"imports": "(imports only)", "quantile": "dpselect `Quantile`, 1,001 candidates",
              "best-mean": "dpselect `BestMean`, 50 categories"}  # fmt: skip
    labels |= {name: f"{name} quantile" for name in ("diffprivlib", "opendp") if installed(name)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        parquet(path)
        found: dict[str, list[dict[str, float]]] = {name: [] for name in labels}
        for _ in range(ROUNDS):
            for name in labels:
                found[name].append(task(name, path))
    raw["ten million rows"] = found
    rows = []
    for name, label in labels.items():
        seconds = statistics.median(f["seconds"] for f in found[name])
        memory = statistics.median(f["bytes"] for f in found[name])
        rows.append([label, f"{seconds:.2f}", f"{memory / 1e6:.0f}"])
    return Table("10^7 rows of Parquet, file to answer", ["task", "seconds", "peak memory of the process, MB"], rows)


def columns() -> dict[str, tuple[np.ndarray, tuple[float, float], float]]:
    """Name -> values, bounds, step of the candidates."""
    random = np.random.default_rng(SEED)
    found = {f"normal, n = {n:,}": (np.clip(random.normal(50, 15, n), *BOUNDS), BOUNDS, 0.1) for n in (100, 10_000)}
    if installed("sklearn"):
        from sklearn.datasets import load_breast_cancer

        found["breast cancer, mean area, n = 569"] = (load_breast_cancer().data[:, 3], (0.0, 3000.0), 1.0)
    return found


def errors(raw: dict[str, Any]) -> Table:
    rows = []
    for label, (values, bounds, step) in columns().items():
        for p in (0.5, 0.9):
            truth = float(np.sort(values)[int(np.ceil(p * len(values))) - 1])
            for epsilon in (0.1, 1.0):
                mine = [_exact_error(kind, values, p, bounds, step, epsilon, truth)
                        for kind in (ds.table.Quantile, ds.table.QuantileByRank)]  # fmt: skip
                theirs = {
                    name: float(np.mean([abs(draw() - truth) for _ in range(DRAWS)]))
                    for name, draw in peers(values, p, bounds, step, epsilon).items()
                }
                raw[f"{label}, p = {p}, ε = {epsilon}"] = {"dpselect": mine, **theirs}
                shown = [f"{e:.2f}" for e in mine] + [
                    f"{theirs[name]:.2f}" if name in theirs else "–" for name in ("diffprivlib", "opendp")
                ]
                rows.append([label, str(p), str(epsilon), *shown])
    return Table(
        f"Mean distance to the quantile (dpselect exact, the others over {DRAWS:,} draws)",
        ["column", "p", "ε", "`Quantile`", "`QuantileByRank`", "diffprivlib", "OpenDP"],
        rows,
    )


def _exact_error(
    kind: Any, values: np.ndarray, p: float, bounds: tuple[float, float], step: float, epsilon: float, truth: float
) -> float:
    law = ds.law(kind(p, bounds, step), values, epsilon=epsilon).candidates
    return float(np.dot(law.probabilities, np.abs(np.array(list(law.names)) - truth)))


def peers(
    values: np.ndarray, p: float, bounds: tuple[float, float], step: float, epsilon: float
) -> dict[str, Callable[[], float]]:
    found: dict[str, Callable[[], float]] = {}
    if installed("diffprivlib"):
        from diffprivlib.tools import quantile

        found["diffprivlib"] = lambda: float(quantile(values, p, epsilon=epsilon, bounds=bounds))
    if installed("opendp"):
        candidates = [bounds[0] + i * step for i in range(round((bounds[1] - bounds[0]) / step) + 1)]
        measurement = opendp_quantile(candidates, p, epsilon)
        found["opendp"] = lambda: float(measurement(values))
    return found


def run() -> Report:
    raw: dict[str, Any] = {"seed": SEED, "rows": ROWS}
    remarks = (
        "One process per task, medians of three. dpselect reads the file with DuckDB and never holds the rows; the "
        "peers get the column as a NumPy array. `Quantile` weighs by records to change, `QuantileByRank` by ranks: "
        "for one record a person nearly the same law, and that of OpenDP. diffprivlib draws from the intervals between "
        "records, not from a grid."
    )
    return Report("Tables", [ten_million(raw), errors(raw)], remarks, raw)
