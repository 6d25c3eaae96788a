"""CPU times that can be compared: all contenders of a table take turns; medians and ratios are quoted."""

import gc
import importlib.metadata
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PACKAGES = ("dpselect", "numpy", "scipy", "python-flint", "opendp")


@dataclass(frozen=True)
class Table:
    """One table of the summary."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        lines = [f"**{self.title}**", "", _row(self.columns), _row(["---"] * len(self.columns))]
        return "\n".join([*lines, *map(_row, self.rows)])


@dataclass(frozen=True)
class Report:
    """What a benchmark module found: tables for people, raw numbers for machines."""

    title: str
    tables: Sequence[Table]
    remarks: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict)

    def markdown(self) -> str:
        parts = [f"## {self.title}", *(table.markdown() for table in self.tables)]
        return "\n\n".join([*parts, self.remarks] if self.remarks else parts)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def take_turns(calls: Mapping[str, Callable[[], object]], rounds: int, batch: int = 1) -> dict[str, list[float]]:
    """CPU seconds of every call in every round (the mean over `batch` calls in a row).

    The calls alternate, so whatever else the machine does slows all of them alike; and CPU time does not count the
    waiting for a busy core. All contenders use one thread, so on an idle machine it is the time on the clock.
    """
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(batch):
                call()
            seconds[name].append((time.process_time() - start) / batch)
    return seconds


def medians(seconds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The median of each, in milliseconds."""
    return {name: 1e3 * statistics.median(values) for name, values in seconds.items()}


def peak_bytes(call: Callable[[], object]) -> int:
    """The most that was allocated at one time inside the call, by Python and NumPy."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def environment() -> dict[str, str]:
    """Versions of what was measured, without naming the machine."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
