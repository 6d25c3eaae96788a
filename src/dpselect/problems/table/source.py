"""Where the records come from: files, Arrow, pandas, polars, arrays — all through DuckDB and the Arrow interface.

    data.csv  data.tsv  data.parquet     text files are read as text: what a record means never depends on the others
    an object with the Arrow interface   pandas, polars, pyarrow, DuckDB relations, …
    {"column": array, …}                 arrays, lists, series
    array, list, series                  one column, for problems with one

No data are parsed here by hand. A `Source` may also be open in another engine (`dpselect.engines`): it takes the same
SQL, that of DuckDB.
"""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any, Final, NoReturn, TypeGuard, final

import numpy as np

from dpselect.errors import InvalidData, InvalidParameter, MissingExtra
from dpselect.problems.given_file import GivenFile
from dpselect.problems.table.table_file import checked_separator

ONLY_COLUMN: Final = "value"
"""The name of the column of data that is one array."""

RECORDS: Final = "records"
"""The name of the table in queries."""

_IN_TEXT: Final = ("InvalidInputException", "Py4JJavaError", "SparkException")
"""What engines call an error of theirs about a text file, among others."""


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(f"tables need {name}: pip install 'dpselect[table]'") from None


class Source(ABC):
    """A table named `records`, open in an engine, and the temporary tables made of it; none of them outlives it.

    Queries are SQL as DuckDB reads it, whatever the engine. An engine's message may quote a record, so none is passed
    on: what goes wrong is an `InvalidData` that names the kind of error.
    """

    @property
    @abstractmethod
    def types(self) -> Mapping[str, str]:
        """Column of `records` -> type in SQL. The schema is public, the rows are not."""

    @abstractmethod
    def arrays(self, query: str) -> dict[str, Any]:
        """The columns of a result, which fits into memory, as NumPy arrays."""

    @abstractmethod
    def attach(self, name: str, data: Any, argument: str = "data") -> Mapping[str, str]:
        """More data under another name; the types of its columns. `argument`: what errors call the data."""

    @abstractmethod
    def keep(self, name: str, query: str) -> None:
        """The result of a query as a temporary table under a name, computed once."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Forget a table that `keep` has made."""

    @final
    def __repr__(self) -> str:
        return f"{type(self).__name__}(<private>)"

    @final
    def __reduce__(self) -> NoReturn:
        raise TypeError("an open source is private and cannot be pickled")

    @final
    def type_of(self, column: str, role: str) -> str:
        """The type of a column. Raises `InvalidParameter` if there is none of that name."""
        if column not in self.types:
            # Not the names there are: in a file without a heading they would be a record.
            raise InvalidParameter(f"{role}: the data has no column {column!r}")
        return self.types[column]


@final
class DuckDBSource(Source):
    """A source in a DuckDB connection of its own, all in its memory (and its folder for what does not fit)."""

    def __init__(self, connection: Any, data: Any) -> None:
        self._connection = connection
        self._given: dict[str, GivenFile] = {}
        self._types = self.attach(RECORDS, data)

    @property
    def types(self) -> Mapping[str, str]:
        return self._types

    def arrays(self, query: str) -> dict[str, Any]:
        return dict(self._run(query).fetchnumpy())

    def attach(self, name: str, data: Any, argument: str = "data") -> Mapping[str, str]:
        given = self._given[name] = given_data(argument, data)
        try:
            if is_file_name(data):
                _file(self._connection, given).create_view(name)
            else:
                self._connection.register(name, arrow_table(data))
            described = self._connection.execute(f"DESCRIBE {name}").fetchall()
        except _module("duckdb").Error as problem:
            raise unreadable(given, problem) from None
        return {row[0]: _plain_type(row[1]) for row in described}

    def keep(self, name: str, query: str) -> None:
        self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")

    def drop(self, name: str) -> None:
        self._run(f"DROP TABLE IF EXISTS {name}")

    def _run(self, query: str) -> Any:
        try:
            return self._connection.execute(query)
        except _module("duckdb").Error as problem:
            raise unreadable(read_by(query, self._given), problem) from None


@contextmanager
def opened(data: Any, options: Mapping[str, str] | None = None) -> Iterator[Source]:
    """The data as a `Source` of DuckDB, closed at the end; a `Source` is taken as it is, and left open.

    `options`: settings of DuckDB, such as {"memory_limit": "4GB"}. Raises `InvalidParameter` for unknown ones.
    """
    if isinstance(data, Source):
        yield data
        return
    duckdb = _module("duckdb")
    try:
        connection = duckdb.connect(":memory:", config=dict(options or {}))
    except duckdb.Error as problem:
        raise InvalidParameter(f"options: refused by DuckDB ({type(problem).__name__})") from None
    with connection:
        # The statistics of a Parquet file leave NaN out, and DuckDB concludes from them that there is none.
        connection.execute("SET disabled_optimizers = 'statistics_propagation'")
        yield DuckDBSource(connection, data)


def _plain_type(kind: str) -> str:
    return "VARCHAR" if kind.startswith("ENUM") else kind


def is_file_name(data: Any) -> TypeGuard[str | PathLike[str]]:
    """Whether data are given by a name."""
    return isinstance(data, str | PathLike)


def given_data(argument: str, data: Any) -> GivenFile:
    """How errors speak of data: with the name of the file, if they are in one."""
    return GivenFile(argument, data if is_file_name(data) else "", "a table")


def read_by(query: str, given: Mapping[str, GivenFile]) -> GivenFile:
    """The data that a query reads: the file attached beside the records, if it names one."""
    beside = (
        file for name, file in given.items() if name != RECORDS and file.path and re.search(rf"\b{name}\b", query)
    )
    return next(beside, given[RECORDS])


def unreadable(given: GivenFile, problem: Exception) -> InvalidData:
    """The error for what an engine refuses to read: its kind, and what a text file must be."""
    kind = type(problem).__name__
    if kind in _IN_TEXT and fspath(given.path).lower().removesuffix(".gz").endswith((".csv", ".tsv", ".txt")):
        kind += ": text must be UTF-8, with a heading and as many fields on every line"
    return InvalidData(given.wrong(f"cannot be read ({kind})"))


def _file(connection: Any, file: GivenFile) -> Any:
    path = fspath(file.path)
    if any(c in path for c in "*?["):
        # The engine would take it for a pattern, and read other files with it.
        raise InvalidParameter(file.wrong("the name of a file must not hold any of * ? ["))
    separator = checked_separator(file)
    if separator is None:
        return connection.read_parquet(path)
    # Everything stays text: a type guessed from a sample would make one record's meaning depend on the others.
    # No line is skipped: else the records would decide which line is the heading.
    return connection.read_csv(
        path, sep=separator, header=True, skiprows=0, quotechar='"', escapechar='"', all_varchar=True
    )


def arrow_table(data: Any) -> Any:
    """Data in memory as an Arrow table. Raises `InvalidData`, or `InvalidParameter` for other types."""
    pyarrow = _module("pyarrow")
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):  # a lazy frame of polars
        data = data.collect()
    try:
        if isinstance(data, Mapping):
            if not data:
                raise InvalidParameter("data must have at least one column, got none")
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
