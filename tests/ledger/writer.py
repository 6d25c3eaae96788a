"""One of several processes that spend from the same budget until it refuses. A line for every release it has."""

from __future__ import annotations

import sys

import dpselect as ds


def main() -> None:
    account = ds.Ledger(sys.argv[1]).account(sys.argv[2])
    print("ready", flush=True)
    try:
        while True:
            ds.select([3, 5], epsilon="1/7", delta="1e-7", sensitivity=1, method="global-scale", ledger=account)
            print("released", flush=True)
    except ds.BudgetExceeded:
        print("refused", flush=True)


if __name__ == "__main__":
    main()
