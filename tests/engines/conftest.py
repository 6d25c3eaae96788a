"""The engines; Spark in one session for all tests of a process."""

import shutil

import pytest

from dpselect.engines import DuckDB, Spark


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    pytest.importorskip("sqlglot", reason="the translation to Spark needs sqlglot")
    sql = pytest.importorskip("pyspark.sql", reason="Spark needs pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    session = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(params=["duckdb", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))])
def engine(request):
    if request.param == "duckdb":
        return DuckDB()
    return Spark(session=request.getfixturevalue("spark"))
