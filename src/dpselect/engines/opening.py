"""`opened`: a problem and data, put to an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from dpselect.engines.engine import Engine
from dpselect.engines.on_duckdb import DuckDB
from dpselect.engines.on_spark import Spark
from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.problems.problem import as_problem

ENGINES: Final[dict[str, type[DuckDB] | type[Spark]]] = {DuckDB.name: DuckDB, Spark.name: Spark}


def engine_named(engine: object) -> Engine:
    """An engine, by itself or by its name.

    >>> engine_named("duckdb").name
    'duckdb'
    """
    if isinstance(engine, Engine):
        return engine
    if not isinstance(engine, str) or engine not in ENGINES:
        raise InvalidParameter(f"engine must be {' or '.join(map(repr, ENGINES))}, or an engine, got {engine!r}")
    return ENGINES[engine]()


@contextmanager
def opened(problem: Any, data: Any, engine: object) -> Iterator[tuple[Any, Any]]:
    """The problem and the data as `select`, `law` and `diagnose` take them, as long as the engine is open.

    `select(…, engine=…)` does this. For the curator, several questions to data that are opened once:

    >>> import dpselect as ds
    >>> median = ds.table.Quantile(0.5, bounds=(0, 10))
    >>> with opened(median, [3, 4, 4], "duckdb") as (problem, source):
    ...     len(ds.law(problem, source, epsilon=1).candidates)
    11
    """
    from dpselect.problems.graph.top_vertex import TopVertex
    from dpselect.problems.table.cells import CellQuery
    from dpselect.problems.table.labelled import LabelledQuery

    chosen, problem = engine_named(engine), as_problem(problem)
    if isinstance(getattr(problem, "query", None), CellQuery | LabelledQuery):
        with chosen.open(data) as source:
            yield problem, source
        return
    if isinstance(problem, TopVertex):
        from dpselect.engines.edge_table import OpenEdges
        from dpselect.engines.top_vertex import TopVertexOnEngine, edges_of

        counted, table = TopVertexOnEngine.of(problem), edges_of(data)
        with chosen.open(table.data) as source:
            yield counted, OpenEdges(source, table, chosen.advance)
        return
    raise UnsupportedProblem(f"{getattr(problem, 'name', type(problem).__name__)} is not available on engines")
