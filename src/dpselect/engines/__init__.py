"""Where the data is: the same exact counts, computed by DuckDB or Spark."""

from dpselect.engines.edge_table import EdgeTable
from dpselect.engines.engine import Engine
from dpselect.engines.on_duckdb import DuckDB
from dpselect.engines.on_spark import Spark
from dpselect.engines.opening import ENGINES, engine_named, opened

__all__ = ["ENGINES", "DuckDB", "EdgeTable", "Engine", "Spark", "engine_named", "opened"]
