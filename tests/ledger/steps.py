"""One release charged to a ledger, in a process of its own that dies at a named step. Used by test_ledger_crash."""

from __future__ import annotations

import os
import sys
from typing import Any

import sqlalchemy as sa

import dpselect as ds
from dpselect.ledger.account import Account, Reservation
from dpselect.methods.law import Law


def die(*_arguments: Any, **_options: Any) -> Any:
    os._exit(9)


def then_die(function: Any) -> Any:
    def wrapper(*arguments: Any, **options: Any) -> Any:
        function(*arguments, **options)
        os._exit(9)

    return wrapper


def die_after(statement: str, engine: sa.Engine) -> None:
    """The statement has been executed, its transaction has not been committed."""

    @sa.event.listens_for(engine, "after_cursor_execute")
    def _executed(_connection: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        if text.startswith(statement):
            os._exit(9)


def main() -> None:
    url, name, step = sys.argv[1:]
    account = ds.Ledger(url).account(name)
    if step == "before the charge":
        Account.reserve = die  # type: ignore[method-assign]
    elif step == "within the charge":
        die_after("INSERT INTO dpselect_entries", account.ledger.engine)
    elif step == "after the charge":
        Account.reserve = then_die(Account.reserve)  # type: ignore[method-assign]
    elif step == "after the draw":
        Law.draw = then_die(Law.draw)  # type: ignore[method-assign]
    elif step == "within the commit":
        die_after("UPDATE dpselect_entries", account.ledger.engine)
    elif step == "after the commit":
        Reservation.commit = then_die(Reservation.commit)  # type: ignore[method-assign]
    ds.select([3, 5], epsilon="1/3", sensitivity=1, ledger=account)


if __name__ == "__main__":
    main()
