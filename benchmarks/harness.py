"""Timings that can be compared: all contenders of a table take turns, and medians and ratios are quoted."""

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


def take_turns(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of every call in every round. The calls alternate, so a busy machine slows all of them alike."""
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
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
