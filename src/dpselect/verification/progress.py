"""A progress bar on stderr, for terminals only, and only when the work takes more than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds of silence."""


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[], None]]:
    """The function it gives is called once for every unit of work done."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    begun, done, shown = time.monotonic(), 0, False

    def step() -> None:
        nonlocal done, shown
        done += 1
        if not shown and time.monotonic() - begun > PATIENCE:
            bar.start()
            shown = True
        if shown:
            bar.update(task, completed=done)

    try:
        yield step
    finally:
        if shown:
            bar.stop()
