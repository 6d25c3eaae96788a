"""Where the records come from: files, Arrow, pandas, polars, arrays — all through DuckDB and the Arrow interface.

    data.csv  data.tsv  data.parquet     text files are read as text: what a record means never depends on the others
    an object with the Arrow interface   pandas, polars, pyarrow, DuckDB relations, …
    {"column": array, …}                 arrays, lists, series
    array, list, series                  one column, for problems with one

No data are parsed here by hand.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dpselect.errors import InvalidData, InvalidParameter, MissingExtra

ONLY_COLUMN: Final = "value"
"""The name of the column of data that is one array."""

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_PARQUET: Final = (".parquet", ".pq")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(f"tables need {name}: pip install 'dpselect[table]'") from None


@final
@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A table named `records` in an open connection.

    `types`: column -> type in SQL; the schema is public, the rows are not.
    """

    connection: Any
    types: Mapping[str, str]

    def __repr__(self) -> str:
        return "Source(<private>)"

    def type_of(self, column: str, role: str) -> str:
        """The type of a column. Raises `InvalidParameter` if there is none of that name."""
        if column not in self.types:
            # Not the names there are: in a file without a heading they would be a record.
            raise InvalidParameter(f"{role}: the data has no column {column!r}")
        return self.types[column]

    def arrays(self, query: str) -> dict[str, Any]:
        """The columns of a result as NumPy arrays. An engine's message may quote a record, so it is not passed on."""
        try:
            return dict(self.connection.execute(query).fetchnumpy())
        except _module("duckdb").Error as problem:
            raise InvalidData(f"the data could not be read: {type(problem).__name__}") from None


@contextmanager
def opened(data: Any) -> Iterator[Source]:
    """The data as a `Source`, closed at the end."""
    duckdb = _module("duckdb")
    with duckdb.connect(":memory:") as connection:
        try:
            _attach(connection, data)
            described = connection.execute("DESCRIBE records").fetchall()
        except duckdb.Error as problem:
            raise InvalidData(f"the data could not be read: {type(problem).__name__}") from None
        yield Source(connection, {row[0]: _plain_type(row[1]) for row in described})


def _plain_type(kind: str) -> str:
    return "VARCHAR" if kind.startswith("ENUM") else kind


def _attach(connection: Any, data: Any) -> None:
    if isinstance(data, str | PathLike):
        _file(connection, Path(fspath(data))).create_view("records")
    else:
        connection.register("records", _arrow(data))


def _file(connection: Any, path: Path) -> Any:
    if not path.is_file():
        raise InvalidParameter(f"data: no file {str(path)!r}")
    if any(c in str(path) for c in "*?["):
        # The engine would take it for a pattern, and read other files with it.
        raise InvalidParameter("data: the name of a file must not hold any of * ? [")
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = kinds[-1] if kinds else ""
    if kind in _PARQUET:
        return connection.read_parquet(str(path))
    if kind in _SEPARATORS:
        # Everything stays text: a type guessed from a sample would make one record's meaning depend on the others.
        return connection.read_csv(
            str(path), sep=_SEPARATORS[kind], header=True, quotechar='"', escapechar='"', all_varchar=True
        )
    raise InvalidParameter(f"data: a file must end in .csv, .tsv or .parquet (or .csv.gz), got {path.name!r}")


def _arrow(data: Any) -> Any:
    pyarrow = _module("pyarrow")
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):  # a lazy frame of polars
        data = data.collect()
    try:
        if isinstance(data, Mapping):
            return pyarrow.table({str(name): _column(pyarrow, values) for name, values in data.items()})
        if hasattr(data, "columns") or isinstance(data, pyarrow.RecordBatchReader):
            return data if isinstance(data, pyarrow.Table | pyarrow.RecordBatchReader) else pyarrow.table(data)
        if isinstance(data, np.ndarray | Sequence) or hasattr(data, "dtype") or hasattr(data, "type"):
            return pyarrow.table({ONLY_COLUMN: _column(pyarrow, data)})
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError) as problem:
        if isinstance(problem, InvalidParameter):
            raise
        raise InvalidData(f"the data could not be read: {type(problem).__name__}") from None
    raise InvalidParameter(
        "data must be a file name, a data frame, an Arrow table, a dict of columns or one column, "
        f"got {type(data).__name__}"
    )


def _column(pyarrow: Any, values: Any) -> Any:
    if isinstance(values, str | bytes) or getattr(values, "ndim", 1) != 1:
        raise InvalidParameter("data: a column must be one-dimensional")
    if hasattr(values, "__arrow_c_stream__") and not isinstance(values, np.ndarray):
        return pyarrow.chunked_array(values)
    return pyarrow.array(values)
