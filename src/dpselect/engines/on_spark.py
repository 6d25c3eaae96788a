"""Spark: the same queries on a cluster, or on the cores of this machine."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from os import fspath
from os.path import isfile
from typing import Any, Final, final
from uuid import uuid4

import numpy as np

from dpselect.engines.engine import Engine, checked_options
from dpselect.engines.spark_sql import spark_sql
from dpselect.errors import DPSelectError, InvalidParameter, MissingExtra
from dpselect.problems.given_file import GivenFile
from dpselect.problems.table.source import RECORDS, Source, arrow_table, given_data, is_file_name, read_by, unreadable
from dpselect.problems.table.table_file import checked_separator, separator_of

_SAME: Final = {
    # A cast or a sum that does not fit is an error, as in DuckDB.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    # A rank far down a long list is found by sorting on the workers, not by collecting all before it.
    "spark.sql.execution.topKSortFallbackThreshold": "100000",
}
"""Settings of the session that queries run in; the caller's own session keeps its settings."""

_LOCAL: Final = {"spark.master": "local[*]", "spark.ui.enabled": "false", "spark.app.name": "dpselect"}
"""Defaults of a session that is started here."""

_TYPES: Final = {
    "string": "VARCHAR",
    "double": "DOUBLE",
    "float": "FLOAT",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
}


def _pyspark() -> Any:
    try:
        return importlib.import_module("pyspark.sql")
    except ImportError:
        raise MissingExtra("Spark needs pyspark: pip install 'dpselect[spark]', and Java 17") from None


@final
@dataclass(frozen=True)
class Spark(Engine):
    """Spark, in the caller's session or in one that is started for a question and stopped after it.

    Arguments:
        options: settings of the session that is started, e.g. {"spark.master": "local[2]",
            "spark.driver.memory": "4g"}. Default: all cores of this machine.
        session: a running `SparkSession` to use instead; it is left running, and its tables and settings are not
            touched: queries run in a session of their own beside it.
        advance: called with the name of every step of a longer computation.

    Data are .parquet, .csv or .tsv files (with a heading; a folder of .parquet files; any address Spark reads), Spark
    data frames (`session.table("db.sales")`), or data in memory as for DuckDB. Nothing is written to a catalogue:
    what is kept on the way is cached by Spark, and freed at the end, also when something fails.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    session: Any = field(default=None, repr=False)
    advance: Callable[[str], None] | None = None

    name = "spark"

    def __post_init__(self) -> None:
        if checked_options(self.options) and self.session is not None:
            raise InvalidParameter("options go with a session that is started here: yours has its own")

    @contextmanager
    def open(self, data: Any) -> Iterator[Source]:
        with ExitStack() as stack:
            source = SparkSource(stack.enter_context(self._running()).newSession())
            stack.callback(source.close)
            source.read(data)
            yield source

    @contextmanager
    def _running(self) -> Iterator[Any]:
        """The caller's session, or the active one, or one of our own."""
        found = self.session or _pyspark().SparkSession.getActiveSession()
        if found is not None:
            if self.options:
                raise InvalidParameter("options: a Spark session is running already; leave them out, or stop it")
            yield found
            return
        folder = tempfile.mkdtemp(prefix="dpselect-")
        try:
            builder = _pyspark().SparkSession.builder
            settings = {**_LOCAL, "spark.sql.warehouse.dir": folder, **checked_options(self.options)}
            for name, value in settings.items():
                builder = builder.config(name, value)
            try:
                started = builder.getOrCreate()
            except Exception as problem:
                raise InvalidParameter(
                    f"Spark does not start ({type(problem).__name__}): it needs Java 17 and valid options"
                ) from None
            try:
                # Its messages about a task that fails quote the record.
                started.sparkContext.setLogLevel("OFF")
                yield started
            finally:
                started.stop()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@final
class SparkSource(Source):
    """A source in a Spark session of its own: temporary views, under names nobody else has."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._names: dict[str, str] = {}
        self._kept: dict[str, Any] = {}
        self._shared: list[str] = []
        self._types: Mapping[str, str] = {}
        self._given: dict[str, GivenFile] = {}
        for name, value in _SAME.items():
            session.conf.set(name, value)

    def read(self, data: Any) -> None:
        """Attach the records."""
        self._types = self.attach(RECORDS, data)

    @property
    def types(self) -> Mapping[str, str]:
        return self._types

    def attach(self, name: str, data: Any, argument: str = "data") -> Mapping[str, str]:
        given = self._given[name] = given_data(argument, data)
        with _without_messages(given):
            frame = self._frame(data, given)
            types = {column: _plain_type(kind) for column, kind in frame.dtypes}
            self._view(name, frame)
        return types

    def arrays(self, query: str) -> dict[str, Any]:
        with _without_messages(read_by(query, self._given)):
            frame = self._sql(query)
            rows = frame.collect()
        return {name: _array([row[i] for row in rows]) for i, name in enumerate(frame.columns)}

    def keep(self, name: str, query: str) -> None:
        with _without_messages(read_by(query, self._given)):
            frame = self._sql(query).persist()
            previous, self._kept[name] = self._kept.get(name), frame
            frame.count()
            self._view(name, frame)
            if previous is not None:
                previous.unpersist()

    def drop(self, name: str) -> None:
        frame = self._kept.pop(name, None)
        if frame is not None:
            with _without_messages(self._given[RECORDS]):
                self._session.catalog.dropTempView(self._names.pop(name))
                frame.unpersist()

    def close(self) -> None:
        """Drop all views, free all that is cached. Never raises: it also runs when Spark itself has died."""
        for name in list(self._kept):
            with suppress(Exception):
                self.drop(name)
        for view in self._names.values():
            with suppress(Exception):
                self._session.catalog.dropTempView(view)
        for view in self._shared:
            with suppress(Exception):
                self._session.catalog.dropGlobalTempView(view)
        self._names, self._kept, self._shared = {}, {}, []

    def _sql(self, query: str) -> Any:
        return self._session.sql(spark_sql(query, self._names))

    def _view(self, name: str, frame: Any) -> None:
        view = self._names.setdefault(name, f"dpselect_{uuid4().hex}")
        frame.createOrReplaceTempView(view)

    def _frame(self, data: Any, given: GivenFile) -> Any:
        if is_file_name(data):
            return self._file(given)
        if type(data).__module__.startswith("pyspark."):
            # A view that another session sees as well: the only way to hand a data frame over.
            view = f"dpselect_{uuid4().hex}"
            data.createGlobalTempView(view)
            self._shared.append(view)
            return self._session.table(f"global_temp.{view}")
        return self._session.createDataFrame(arrow_table(data))

    def _file(self, file: GivenFile) -> Any:
        path = fspath(file.path)
        if any(c in path for c in "*?[{"):
            raise InvalidParameter(file.wrong("the name of a file must not hold any of * ? [ {"))
        # Spark also reads folders, and files elsewhere: there is nothing to look at here.
        separator = checked_separator(file) if isfile(path) else separator_of(file)
        if separator is None:
            return self._session.read.parquet(path)
        return self._session.read.csv(
            path,
            sep=separator,
            header=True,
            quote='"',
            escape='"',
            multiLine=True,
            inferSchema=False,
            mode="FAILFAST",
        )


@contextmanager
def _without_messages(given: GivenFile) -> Iterator[None]:
    """An engine's message may quote a record: only the kind of error is passed on."""
    try:
        yield
    except DPSelectError:
        raise
    except Exception as problem:
        raise unreadable(given, problem) from None


def _plain_type(kind: str) -> str:
    """A type of Spark as DuckDB names it."""
    if kind.startswith("decimal"):
        return kind.upper()
    if kind.startswith("array"):
        return "LIST"
    if kind.startswith(("struct", "map")):
        return kind.split("<")[0].upper()
    return _TYPES.get(kind, "VARCHAR" if kind.startswith(("char", "varchar")) else kind.upper())


def _array(values: list[Any]) -> Any:
    """A column of whole numbers (int64, or Python integers where they do not fit), or of anything else."""
    plain = [int(v) if isinstance(v, Decimal) else v for v in values]
    if all(type(v) is int and -(2**63) <= v < 2**63 for v in plain):
        return np.array(plain, dtype=np.int64)
    return np.array([*plain, None], dtype=object)[:-1]
