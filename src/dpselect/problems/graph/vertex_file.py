"""Public vertices, and subsets of them, from files with one a line."""

from __future__ import annotations

from collections.abc import Hashable
from os import PathLike

from dpselect.problems.given_file import GivenFile
from dpselect.problems.graph.text_file import as_integer, content_lines, read_bytes


def read_vertices(path: str | PathLike[str], argument: str = "vertices") -> list[Hashable]:
    """The ids in the order of the file, integers if all of them are, else strings.

    A line is one id, without the blanks around it; blanks inside belong to it. Blank lines and lines that begin with
    # or % are passed over; the file may be gzipped. Raises `InvalidParameter` for a file that cannot be read and
    `InvalidData` for one that is not text; errors call it `argument`.
    """
    texts = vertex_texts(path, argument)
    integers = [as_integer(text) for text in texts]
    return list(texts) if any(value is None for value in integers) else list(integers)


def vertex_texts(path: str | PathLike[str], argument: str = "vertices") -> list[str]:
    """As `read_vertices`, but every id as it is written."""
    file = GivenFile(argument, path, "one id a line")
    return [text for _, text in content_lines(read_bytes(file), file)]


def read_subsets(path: str | PathLike[str]) -> list[list[Hashable]]:
    """One subset a line, its ids separated by commas if the line has one, else by blanks; integers if all ids are.

    Otherwise as `read_vertices`.
    """
    file = GivenFile("family", path, "one subset a line")
    rows = [
        [field.strip() for field in (text.split(",") if "," in text else text.split())]
        for _, text in content_lines(read_bytes(file), file)
    ]
    integers = [[as_integer(field) for field in row] for row in rows]
    whole = not any(value is None for row in integers for value in row)
    return [list(row) for row in (integers if whole else rows)]
