"""A run that fails or is killed half-way leaves no table behind, and no budget unaccounted."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from engine_worlds import random_graph, table

import dpselect as ds
from dpselect.engines import EdgeTable, Spark

RUN = """
import os, signal, sys
import dpselect as ds

engine, step, edges, budget = sys.argv[1:]

def advance(what):
    if what == step:
        os.kill(os.getpid(), signal.SIGKILL)

local = {"spark.master": "local[1]", "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "1"}
options = {"duckdb": {}, "spark": local}
there = ds.engines.ENGINES[engine](options=options[engine], advance=advance)
account = ds.Ledger(budget).account("edges")
ds.select(ds.graph.TopVertex(), edges, epsilon=1, method="global-scale", ledger=account, engine=there)
"""

COUNTING, DRAWN = "3-cliques", "The chosen vertex"


@pytest.mark.parametrize(("name", "step"), [("duckdb", COUNTING), ("duckdb", DRAWN), ("spark", DRAWN)])
def test_a_killed_run_leaves_no_table_and_no_budget_unaccounted(name, step, tmp_path):
    """Killed while counting: nothing is charged, nothing was drawn. Killed after the draw: it counts as spent."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if name == "spark":
        pytest.importorskip("pyspark", reason="Spark needs pyspark")
        if shutil.which("java") is None:
            pytest.skip("Spark needs Java")
    here, edges, budget = tmp_path / "here", tmp_path / "edges.parquet", f"sqlite:///{tmp_path / 'budget.db'}"
    here.mkdir()
    pq.write_table(pa.table(table(random_graph(20, 0.4, 1))), edges)
    account = ds.Ledger(budget).create("edges", epsilon=2)
    before = edges.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", RUN, name, step, str(edges), budget],
        cwd=here,
        env={**os.environ, "TMPDIR": str(here), "SPARK_LOCAL_DIRS": str(here)},
        capture_output=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == b""
    assert account.spent[0] == (0 if step == COUNTING else 1)
    assert [entry.state for entry in account.history()] == ([] if step == COUNTING else ["reserved"])
    assert edges.read_bytes() == before
    # The virtual machine of Spark ends when its program has: it takes its temporary files along.
    for _ in range(60):
        left = [path for path in here.rglob("*") if path.is_file() and not _of_java(path)]
        if not left:
            break
        time.sleep(0.5)
    assert left == []


def _of_java(path: Path) -> bool:
    """Measurements of the virtual machine and what it loads itself: no data."""
    return "hsperfdata" in str(path) or path.suffix in (".so", ".jar") or path.name.startswith("connection")


@pytest.mark.xdist_group("spark")
def test_a_run_that_fails_leaves_nothing_in_the_session(spark):
    """Whatever was cached or named is gone, and the caller's session keeps its tables and settings."""
    spark.createDataFrame([(1,)], ["x"]).createOrReplaceTempView("records")
    ansi = spark.conf.get("spark.sql.ansi.enabled")

    def fail(what):
        if what == "Common neighbours of hubs":
            raise RuntimeError("the disk is full")

    data = spark.createDataFrame(list(random_graph(20, 0.5, 1)), ["a", "b"])
    with pytest.raises(RuntimeError):
        ds.select(ds.graph.TopVertex(), data, epsilon=1, seed=1, engine=Spark(session=spark, advance=fail))
    assert [t.name for t in spark.catalog.listTables()] == ["records"]
    assert spark.catalog.listTables("global_temp") == spark.catalog.listTables()
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()
    assert spark.sql("SELECT x FROM records").collect()[0].x == 1
    assert spark.conf.get("spark.sql.ansi.enabled") == ansi
    spark.catalog.dropTempView("records")


def test_the_temporary_folder_of_duckdb_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fail(what):
        assert list(tmp_path.iterdir())
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        ds.select(
            ds.graph.TopVertex(),
            EdgeTable({"a": [1], "b": [2]}),
            epsilon=1,
            seed=1,
            engine=ds.engines.DuckDB(advance=fail),
        )
    assert list(tmp_path.iterdir()) == []
