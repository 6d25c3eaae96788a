"""A file that a person named: its bytes, and how errors speak of it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from os.path import samefile
from typing import final

from dpselect.errors import InvalidParameter


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
        return self.wrong_inside(what, f"line {number}")

    def wrong_inside(self, what: str, where: str = "") -> str:
        """What is wrong with what stands in it."""
        place = ", ".join(filter(None, (self._shown(), where)))
        return f"{self.argument}: {place}: {what}" if place else f"{self.argument}: {what}"

    def read(self, most: int = -1) -> bytes:
        """Its bytes, or the first `most` of them. Raises `InvalidParameter` where there is no file that can be read."""
        try:
            with open(fspath(self.path), "rb") as file:
                return file.read(most)
        except FileNotFoundError:
            raise InvalidParameter(self.wrong("no such file")) from None
        except IsADirectoryError:
            raise InvalidParameter(self.wrong("expected a file, this is a directory")) from None
        except (OSError, ValueError, TypeError) as error:
            raise InvalidParameter(self.wrong(f"cannot read the file ({type(error).__name__})")) from None

    def _shown(self) -> str:
        """The name as it was given; nothing where it may be something else than a name."""
        # Other types may be private data in the wrong place, and so may a text of several lines.
        name = fspath(self.path) if isinstance(self.path, str | PathLike) else ""
        return repr(name) if isinstance(name, str) and name and not {"\n", "\r"} & set(name) else ""


def same_file(one: object, other: object) -> bool:
    """Whether both are names of files, and of the same one, in whatever way they are written.

    >>> from pathlib import Path
    >>> same_file("votes.csv", Path("votes.csv")), same_file("votes.csv", "older.csv"), same_file([1], [1])
    (True, False, False)
    """
    if not (isinstance(one, str | PathLike) and isinstance(other, str | PathLike)):
        return False
    try:
        return fspath(one) == fspath(other) or samefile(one, other)
    except (OSError, ValueError):  # at least one of them is no file of this machine
        return False
