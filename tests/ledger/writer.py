"""One of several processes that spend from the same budget until it refuses. Prints how often it could."""

from __future__ import annotations

import sys

import dpselect as ds


def main() -> None:
    account = ds.Ledger(sys.argv[1]).account(sys.argv[2])
    done = 0
    try:
        while True:
            ds.select([3, 5], epsilon="1/7", delta="1e-7", sensitivity=1, method="global-scale", ledger=account)
            done += 1
    except ds.BudgetExceeded:
        print(done)


if __name__ == "__main__":
    main()
