"""Where budgets are kept: two tables, reached through SQLAlchemy (SQLite or PostgreSQL).

Amounts are exact rationals written as text "p/q": no column type of a database would keep their sums exact.
Every change is one transaction that first locks the budget it is about, so that concurrent writers take turns.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dpselect.errors import InvalidParameter, MissingExtra

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

try:
    import sqlalchemy as sa
except ImportError as missing:  # pragma: no cover - exercised in a fresh environment
    raise MissingExtra("the ledger needs SQLAlchemy: pip install 'dpselect[ledger]'") from missing

WAIT_SECONDS = 60
"""How long a writer waits for its turn before it gives up (without having spent anything)."""

metadata = sa.MetaData()

budgets = sa.Table(
    "dpselect_budgets",
    metadata,
    sa.Column("name", sa.String(255), primary_key=True),
    sa.Column("epsilon", sa.Text, nullable=False),
    sa.Column("delta", sa.Text, nullable=False),
    # The unit of the first charge, unless it was declared: amounts under different units do not add up.
    sa.Column("unit", sa.Text, nullable=True),
    sa.Column("created", sa.Text, nullable=False),
)

entries = sa.Table(
    "dpselect_entries",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("budget", sa.String(255), sa.ForeignKey(budgets.c.name), nullable=False, index=True),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("epsilon", sa.Text, nullable=False),
    sa.Column("delta", sa.Text, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("reserved", sa.Text, nullable=False),
    sa.Column("committed", sa.Text, nullable=True),
    sa.Column("release", sa.Text, nullable=True),
)


def open_engine(url: str) -> Engine:
    """The engine of a database URL, its tables made if they are missing."""
    try:
        parsed = sa.make_url(url)
        engine = sa.create_engine(parsed)
    except sa.exc.ArgumentError:
        raise InvalidParameter(
            "ledger must be a database URL such as sqlite:///budget.db or postgresql+psycopg://user@host/base"
        ) from None
    except ModuleNotFoundError as missing:
        raise MissingExtra(
            f"the ledger's database needs the Python module {missing.name!r}: "
            "pip install 'dpselect[postgres]' for PostgreSQL"
        ) from missing
    if engine.dialect.name == "sqlite":
        _serialise_sqlite(engine)
    _forget_after_fork(engine)
    try:
        metadata.create_all(engine)
    except sa.exc.DBAPIError:
        try:
            # Two processes may have made the tables at the same moment; every database has its own error for that.
            metadata.create_all(engine)
        except sa.exc.DBAPIError:
            raise InvalidParameter("ledger: the database cannot be opened or written to") from None
    return engine


def _forget_after_fork(engine: Engine) -> None:
    """A forked process opens connections of its own: two processes on one connection would undo each other's locks."""
    known = weakref.ref(engine)

    def _child() -> None:
        alive = known()
        if alive is not None:
            alive.dispose(close=False)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_child)


def _serialise_sqlite(engine: Engine) -> None:
    """Transactions that take the write lock at once: reading, deciding and writing is then one step."""

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        # The driver must not begin transactions of its own, later and weaker than ours.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {1000 * WAIT_SECONDS}")
        # A commit has reached the disk before a draw begins, also across a power failure.
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def locked(engine: Engine, name: str) -> Iterator[tuple[Connection, Any]]:
    """A transaction that holds the budget of that name: (connection, row); refused if there is none."""
    with engine.begin() as connection:
        row = connection.execute(sa.select(budgets).where(budgets.c.name == name).with_for_update()).one_or_none()
        if row is None:
            raise InvalidParameter(f"the ledger has no budget for dataset {name!r}: create one first")
        yield connection, row
