"""Edge lists in Parquet files."""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from typing import Any

from dpselect.errors import InvalidData, MissingExtra
from dpselect.problems.given_file import GivenFile
from dpselect.problems.graph import ids
from dpselect.problems.other_formats import PARQUET


def is_parquet(path: str | PathLike[str]) -> bool:
    """Whether the file begins like a Parquet file, whatever it is called; False where it cannot be read."""
    try:
        with open(fspath(path), "rb") as file:
            return PARQUET.match(file.read(8)) is not None
    except (OSError, ValueError, TypeError):
        return False


def parquet_columns(given: GivenFile) -> tuple[ids.Ids, ids.Ids]:
    """The first two columns as ids; the others are not read.

    Raises `MissingExtra` without pyarrow; `InvalidData` for a damaged file, fewer than two columns, missing values, or
    ids that are neither integers nor strings. Cost: the two columns, as they are stored.
    """
    from dpselect.problems.graph.convert import frame_columns

    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("reading a Parquet file needs pyarrow: pip install 'dpselect[parquet]'") from None
    try:
        file = parquet.ParquetFile(fspath(given.path))
        names = file.schema_arrow.names
        table = file.read(columns=names[:2]) if len(names) >= 2 else None
    except (OSError, ValueError) as error:
        raise InvalidData(
            given.wrong(f"the Parquet file is damaged or not complete ({type(error).__name__})")
        ) from None
    columns = frame_columns(table) if table is not None and table.num_columns == 2 else None
    if columns is None:
        raise InvalidData(given.wrong("a Parquet file of edges needs two columns of ids"))
    try:
        return ids.as_ids(columns[0]), ids.as_ids(columns[1])
    except TypeError as error:
        raise InvalidData(given.wrong(f"ids must be integers or strings, got a value of type {error}")) from None
