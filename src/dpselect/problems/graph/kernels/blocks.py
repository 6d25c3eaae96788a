"""Blocks of work shared out to threads.

A kernel releases the interpreter lock, so plain threads are enough, and they are made for one call and
joined at its end: nothing is left behind that a later fork could inherit half alive.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

import numpy as np
import numpy.typing as npt

State = TypeVar("State")

SMALLEST_SHARE = 250_000
"""Edges a thread below which another thread costs more than it saves (counting takes a few milliseconds
there).
"""


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def even_blocks(weights: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """Ends 0 = e_0 < … < e_b = n of at most `most` blocks of consecutive items with about the same total
    weight.
    """
    total = np.cumsum(weights + 1)
    goals = np.linspace(0, total[-1] if total.size else 0, most + 1)[1:-1]
    return np.unique(np.concatenate(([0], np.searchsorted(total, goals), [weights.size])))


def run_blocks(
    ends: npt.NDArray[np.int64],
    start: Callable[[], State],
    work: Callable[[State, int, int], None],
    threads: int,
) -> list[State]:
    """`work(state, lo, hi)` for every block, in rising order as threads come free; one state a thread,
    returned.

    Work on the states must commute, since which thread takes which block is left to chance.
    """
    remaining = iter(list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)))
    lock = Lock()

    def take() -> State:
        state = start()
        while True:
            with lock:
                block = next(remaining, None)
            if block is None:
                return state
            work(state, *block)

    if threads <= 1:
        return [take()]
    with ThreadPoolExecutor(threads) as pool:
        return [future.result() for future in [pool.submit(take) for _ in range(threads)]]
