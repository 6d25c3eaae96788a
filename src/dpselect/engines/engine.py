"""An engine: where the rows stay, and where they are counted.

The questions, the laws and the draws are the same on every engine: an engine computes the same exact integers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from dpselect.errors import InvalidParameter
from dpselect.problems.table.source import Source


class Engine(ABC):
    """Opens data as a `Source`, and leaves nothing behind: neither at the end nor when something fails."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called on the command line."""

    @property
    @abstractmethod
    def advance(self) -> Callable[[str], None] | None:
        """Told, in words that say nothing about the data, which step begins; for the curator's eyes."""

    @abstractmethod
    def open(self, data: Any) -> AbstractContextManager[Source]:
        """The data, open; closed at the end, with all temporary tables."""


def checked_options(options: object) -> dict[str, str]:
    """Settings of an engine: names and values, as texts. Raises `InvalidParameter` for anything else."""
    if not isinstance(options, Mapping):
        raise InvalidParameter(f"options must map names to values, got {type(options).__name__}")
    for name, value in options.items():
        if not isinstance(name, str) or not isinstance(value, str | int):
            raise InvalidParameter("options must map names to texts or whole numbers")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
