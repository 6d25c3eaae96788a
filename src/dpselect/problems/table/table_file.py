"""A table in a file that a person named: what its ending says, and that it is plainly nothing else.

    .csv  .tsv  .txt (tabs)  .csv.gz  …    text with a heading        .parquet  .pq

Without a look at how the file begins, JSON or a workbook under the name of a .csv file would be a table with one column
and records nobody declared. Headings are public, and nothing but the heading decides about the separator.
"""

from __future__ import annotations

import re
import zlib
from os import fspath
from os.path import exists, isdir, isfile
from pathlib import PurePath
from typing import Final

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.problems.given_file import GivenFile
from dpselect.problems.other_formats import BINARY, JSON, PARQUET, XML, OtherFormats

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_PARQUET: Final = (".parquet", ".pq")
_WORDS: Final = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_SAVE_AS: Final = {",": "name it .csv", "\t": "name it .tsv"}

_NO_TABLE: Final = OtherFormats(
    starts=(
        (PARQUET, "a Parquet file (name it .parquet)"),
        (re.compile(rb"\x1f\x8b"), "gzipped (unpack it; text may be named .csv.gz)"),
        *BINARY,
    ),
    first_lines=((JSON, "JSON (save it as CSV or Parquet)"), (XML, "XML or HTML (save it as CSV or Parquet)")),
)

_LOOKED_AT: Final = 2**16
"""So many bytes of a file: the heading, and enough to see that it is text."""

_QUOTED: Final = re.compile(rb'"[^"]*("|$)')


def separator_of(file: GivenFile) -> str | None:
    """What the name says is between the fields; None for Parquet. Raises `InvalidParameter` for other endings."""
    kinds = [suffix.lower() for suffix in PurePath(file.path).suffixes if suffix.lower() != ".gz"]
    kind = kinds[-1] if kinds else ""
    if kind in _PARQUET:
        return None
    if kind not in _SEPARATORS:
        raise InvalidParameter(file.wrong("the name must end in .csv, .tsv or .parquet (text also in .csv.gz)"))
    return _SEPARATORS[kind]


def checked_separator(file: GivenFile) -> str | None:
    """`separator_of`, after a look at how the file begins.

    Raises `InvalidParameter` where no file can be read and for other endings; `InvalidData` for an empty file, for
    another format, and for text whose heading has another separator. Errors name the file and the format, never what
    stands in it.
    """
    if exists(file.path) and not isfile(file.path) and not isdir(file.path):
        # What is read here would be missing when it is read again.
        raise InvalidParameter(file.wrong("expected an ordinary file, this is a pipe or a device"))
    start = file.read(_LOOKED_AT)
    separator = separator_of(file)
    if separator is None:
        if not start.startswith(b"PAR1"):
            kind = _NO_TABLE.of(start, _first_line(start)) or "none"
            raise InvalidData(file.wrong(f"expected a Parquet file, not gzipped, this is {kind}"))
        return None
    text = _unzipped(file, start) if fspath(file.path).lower().endswith(".gz") else start
    text = text.removeprefix(b"\xef\xbb\xbf")
    if not text.strip():
        raise InvalidData(file.wrong("expected a heading, the file is empty"))
    other = _NO_TABLE.of(text, _first_line(text.lstrip()))
    if other is not None:
        raise InvalidData(
            file.wrong(f"expected a heading and fields separated by {_WORDS[separator]}, this is {other}")
        )
    _check_heading(file, _first_line(text), separator)
    return separator


def _check_heading(file: GivenFile, heading: bytes, separator: str) -> None:
    """A name in quotation marks may hold anything."""
    plain = _QUOTED.sub(b"", heading)
    if separator.encode() in plain:
        return
    for other, what in _WORDS.items():
        if other.encode() in plain:
            how = _SAVE_AS.get(other, f"save it with {_WORDS[separator]}")
            raise InvalidData(
                file.wrong(
                    f"expected {_WORDS[separator]} between the names of the heading, found {what} ({how}; "
                    "if the heading is one name, put it in quotation marks)"
                )
            )


def _first_line(data: bytes) -> bytes:
    return re.split(rb"[\r\n]", data, maxsplit=1)[0].strip(b" ")


def _unzipped(file: GivenFile, start: bytes) -> bytes:
    """The text at the beginning; of a gzip stream the rest may be missing."""
    try:
        return zlib.decompressobj(wbits=31).decompress(start, _LOOKED_AT)
    except zlib.error:
        raise InvalidData(file.wrong("the file is not gzipped, or damaged")) from None
