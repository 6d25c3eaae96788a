"""How every kernel is compiled: lazily, cached on disk where possible, without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """`function` compiled at its first call. No `parallel=True`: OpenMP does not survive fork, workqueue
    threads.
    """
    try:
        return cast(Kernel, njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder that the cache could be written to
        return cast(Kernel, njit(nogil=True)(function))
