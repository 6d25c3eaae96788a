"""A file that a person named, and how errors speak of it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import final


@final
@dataclass(frozen=True)
class GivenFile:
    """What an argument names. The argument and the name of the file are public; nothing else is said of the file.

    `argument`: what the person who gave the file calls it. `holds`: what it should hold, in words.

    >>> file = GivenFile("edges", "friends.txt", "one edge a line")
    >>> file.wrong("no such file")
    "edges: no such file: 'friends.txt'"
    >>> file.wrong_line(7, "one id is empty")
    "edges: 'friends.txt', line 7: one id is empty"
    """

    argument: str
    path: str | PathLike[str]
    holds: str

    def wrong(self, what: str) -> str:
        """What is wrong with the file."""
        shown = self._shown()
        return f"{self.argument}: {what}" + (f": {shown}" if shown else "")

    def wrong_line(self, number: int, what: str) -> str:
        """What is wrong with its line of this number; the first is 1."""
        shown = self._shown()
        return (
            f"{self.argument}: {shown}, line {number}: {what}" if shown else f"{self.argument}: line {number}: {what}"
        )

    def _shown(self) -> str:
        """The name as it was given; nothing where it may be something else than a name."""
        # Other types may be private data in the wrong place, and so may a text of several lines.
        name = fspath(self.path) if isinstance(self.path, str | PathLike) else ""
        return repr(name) if isinstance(name, str) and name and not {"\n", "\r"} & set(name) else ""
