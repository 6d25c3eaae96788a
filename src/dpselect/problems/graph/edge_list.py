"""Edge lists in files."""

from __future__ import annotations

import csv
from collections.abc import Hashable
from os import PathLike

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.problems.given_file import GivenFile
from dpselect.problems.graph import ids
from dpselect.problems.graph.graph import Graph, from_columns
from dpselect.problems.graph.integer_table import integer_columns
from dpselect.problems.graph.parquet_file import is_parquet, parquet_columns
from dpselect.problems.graph.text_file import COMMENT, as_integer, content_lines, first_line, read_bytes

COLUMN_NAMES = frozenset(
    f"{prefix}{middle}{suffix}"
    for prefix in ("source", "target", "src", "dst", "dest", "from", "to", "fromnode", "tonode", "sender", "receiver")
    for middle in ("", "_")
    for suffix in ("", "id")
) | {f"{stem}{middle}{digit}" for stem in ("id", "node", "user", "vertex") for middle in ("", "_") for digit in "12"}
"""Names that are taken for a heading when both of the first line's fields are among them."""


def read_edges(
    path: str | PathLike[str],
    vertices: ids.Declared | None = None,
    unknown: ids.Unknown = "refuse",
    *,
    separator: str | None = None,
    header: bool | None = None,
) -> Graph:
    """The simple undirected graph of an edge list: one edge a line, two ids first.

    The file: UTF-8 text, plain or gzipped. Lines that are blank or begin with # or % are passed over. Fields are
    separated by commas if the first line of data holds one, else by blanks and tabs. All lines of data have the same
    number of fields; those after the second (weights, times) are ignored, because the graph is simple: an edge is
    there or not. Directions are forgotten, repeated edges merged, loops dropped (their ids still count as vertices).

    A Parquet file (pyarrow must be there): the ids are in its first two columns.

    Ids are integers if all of them are, else strings; an integer with leading zeros, a plus or more than 18 digits is
    a string. If `vertices` declares strings only, all ids are strings.

    Arguments:
        vertices: the public vertices: a sequence of ids, or the path of a file with one id a line. None: the ids in
            the file, ascending, are declared public, and a release says so among its assumptions.
        unknown: for edges that name an id outside `vertices`: "refuse" or "drop".
        separator: one character instead of the automatic choice, e.g. "\\t" for ids with blanks inside.
        header: whether the first line of data is a heading. None: it is one if its two fields are usual names
            ("source,target"), or if neither is an integer and all other ids are integers; never if both are declared
            vertices.

    Raises `InvalidParameter` for a file that cannot be read, `InvalidData` for a binary file, for JSON, XML and other
    formats, for text that is not UTF-8, and for lines with a missing, empty or surplus field; the text names the file
    and the line, never what stands there.

    Cost: integers are read by vectorised code, some 0.2 µs an edge in all, half of that from Parquet; anything
    else line by line, 1–2 µs.
    """
    return edges_of("path", path, vertices, unknown, separator=separator, header=header)


def edges_of(
    argument: str,
    path: str | PathLike[str],
    vertices: ids.Declared | None = None,
    unknown: ids.Unknown = "refuse",
    *,
    separator: str | None = None,
    header: bool | None = None,
) -> Graph:
    """`read_edges` for a file that was given as `argument`: errors call it so."""
    if separator is not None and (len(separator) != 1 or separator in '\r\n"'):
        raise InvalidParameter("separator: must be one character, not a line end or a quotation mark")
    labels = None if vertices is None else ids.declared(vertices)
    file = GivenFile(argument, path, "one edge a line, two ids first")
    if is_parquet(path):
        if separator is not None or header is not None:
            raise InvalidParameter("separator, header: a Parquet file has neither")
        return from_columns(*parquet_columns(file), labels, unknown)
    data = read_bytes(file)
    left, right = _fast(data, labels, separator, header) or _line_by_line(data, file, labels, separator, header)
    del data
    return from_columns(left, right, labels, unknown)


def _fast(
    data: bytes, labels: ids.Labels | None, separator: str | None, header: bool | None
) -> tuple[ids.Ids, ids.Ids] | None:
    """The columns, if all ids are plain integers and there is nothing else to decide."""
    if labels is not None and not isinstance(labels, range) and not all(type(label) is int for label in labels):
        return None
    begin, end = first_line(data)
    if begin == end:
        return None
    line = data[begin:end].strip()
    if separator is None and b"," in line:
        separator = ","
    if header is True or (header is None and line[:1].isalpha()):
        fields = line.decode("utf-8", "replace").split(separator)
        if len(fields) < 2 or (header is None and any(as_integer(field.strip()) is not None for field in fields[:2])):
            return None
        if end == len(data):
            return None
        begin = end + 1
    else:
        fields = []
    body = data[begin:] if begin else data
    if b"#" in body or b"%" in body:
        body = COMMENT.sub(b"", body)
    table = integer_columns(body, separator)
    if table is None or (fields and len(fields) != table[2]):
        return None
    return table[:2]


def _line_by_line(
    data: bytes, file: GivenFile, labels: ids.Labels | None, separator: str | None, header: bool | None
) -> tuple[ids.Ids, ids.Ids]:
    """The columns of any edge list, or `InvalidData` that names the first wrong line."""
    left: list[str] = []
    right: list[str] = []
    width = 0
    for number, line in content_lines(data, file):
        if width == 0 and separator is None and "," in line:
            separator = ","
        fields = _fields(line, separator, number, file)
        if width == 0:
            width = len(fields)
            if width < 2:
                between = "blanks" if separator is None else repr(separator)
                raise InvalidData(file.wrong_line(number, f"expected at least two ids, separated by {between}"))
        if len(fields) != width:
            raise InvalidData(file.wrong_line(number, f"expected {width} fields, as many as on the first line of data"))
        if not (fields[0] and fields[1]):
            raise InvalidData(file.wrong_line(number, "expected two ids, one is empty"))
        left.append(fields[0])
        right.append(fields[1])
    if left and _has_heading(left, right, labels, header):
        del left[0], right[0]
    if labels is not None and all(isinstance(label, str) for label in labels):
        return list(left), list(right)
    as_integers = [as_integer(token) for token in left], [as_integer(token) for token in right]
    if labels is None and (None in as_integers[0] or None in as_integers[1]):
        return list(left), list(right)
    return _either(as_integers[0], left), _either(as_integers[1], right)


def _either(integers: list[int | None], tokens: list[str]) -> ids.Ids:
    mixed: list[Hashable] = [t if i is None else i for i, t in zip(integers, tokens, strict=True)]
    return ids.as_ids(mixed)


def _fields(line: str, separator: str | None, number: int, file: GivenFile) -> list[str]:
    if separator is None:
        return line.split()
    if '"' in line:
        try:
            row = next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True))
        except csv.Error:
            what = "a quotation mark is not closed or stands inside a field"
            raise InvalidData(file.wrong_line(number, what)) from None
    else:
        row = line.split(separator)
    return [field.strip() for field in row]


def _has_heading(left: list[str], right: list[str], labels: ids.Labels | None, header: bool | None) -> bool:
    if header is not None:
        return header
    first = left[0], right[0]
    if labels is not None and all(field in labels for field in first):
        return False
    if all(field.lower() in COLUMN_NAMES for field in first):
        return True
    if any(as_integer(field) is not None for field in first) or len(left) == 1:
        return False
    return all(as_integer(token) is not None for column in (left, right) for token in column[1:])
