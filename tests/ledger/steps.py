"""One release charged to a ledger, in a process of its own that dies at a named step. Used by test_ledger_crash."""

from __future__ import annotations

import os
import sys
from typing import Any

import dpselect as ds
from dpselect.ledger.account import Account, Reservation
from dpselect.methods.law import Law

STEPS = ("before the charge", "after the charge", "after the draw", "after the commit")


def die(*_arguments: Any, **_options: Any) -> Any:
    os._exit(9)


def then_die(function: Any) -> Any:
    def wrapper(*arguments: Any, **options: Any) -> Any:
        function(*arguments, **options)
        os._exit(9)

    return wrapper


def main() -> None:
    url, name, step = sys.argv[1:]
    account = ds.Ledger(url).account(name)
    if step == STEPS[0]:
        Account.reserve = die  # type: ignore[method-assign]
    elif step == STEPS[1]:
        Account.reserve = then_die(Account.reserve)  # type: ignore[method-assign]
    elif step == STEPS[2]:
        Law.draw = then_die(Law.draw)  # type: ignore[method-assign]
    elif step == STEPS[3]:
        Reservation.commit = then_die(Reservation.commit)  # type: ignore[method-assign]
    ds.select([3, 5], epsilon="1/3", sensitivity=1, ledger=account)


if __name__ == "__main__":
    main()
