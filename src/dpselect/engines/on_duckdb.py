"""DuckDB: embedded, the default; one process, all its cores, and the disk for what does not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, final

from dpselect.engines.engine import Engine, checked_options
from dpselect.problems.table.source import Source, opened


@final
@dataclass(frozen=True)
class DuckDB(Engine):
    """DuckDB in this process, on files or on data in memory.

    Arguments:
        options: its settings, e.g. {"memory_limit": "4GB", "threads": 2}.
        advance: called with the name of every step of a longer computation.

    Every source has a connection and a database of its own, in memory: a file is never written to. What does not fit
    goes into a temporary folder, removed at the end, unless `options` names a "temp_directory".

    >>> with DuckDB().open({"x": [1, 2]}) as source:
    ...     int(source.arrays("SELECT COUNT(*) AS n FROM records")["n"][0])
    2
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    advance: Callable[[str], None] | None = None

    name = "duckdb"

    def __post_init__(self) -> None:
        checked_options(self.options)

    @contextmanager
    def open(self, data: Any) -> Iterator[Source]:
        options = checked_options(self.options)
        with (
            tempfile.TemporaryDirectory(prefix="dpselect-") as folder,
            opened(data, {"temp_directory": folder, **options}) as source,
        ):
            yield source
