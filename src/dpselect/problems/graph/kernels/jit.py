"""How every kernel is compiled: lazily, cached on disk where possible, without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """`function` compiled at its first call. No `parallel=True`: OpenMP does not survive fork, workqueue
    threads.
    """
    try:
        compiled = njit(cache=True, nogil=True)(function)
        _depend_on_all_kernels(compiled)
    except (RuntimeError, AttributeError):  # no folder to cache in, or none that can be told when it is stale
        compiled = njit(nogil=True)(function)
    return cast(Kernel, compiled)


def _depend_on_all_kernels(compiled: Any) -> None:
    """Makes what is cached stale when any file of kernels changes.

    A compiled kernel contains the kernels that it calls, but the cache looks at the file of the caller alone: after an
    update that leaves this file as it was, it would go on counting in the old way. numba has no public way to say so.
    """
    index = compiled._cache._cache_file
    index._source_stamp = (index._source_stamp, sources())


@cache
def sources() -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of every file of kernels."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
