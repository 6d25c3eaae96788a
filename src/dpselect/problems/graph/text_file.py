"""The bytes of a text file that a person named, plain or gzipped."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator

from dpselect.errors import InvalidData
from dpselect.problems.given_file import GivenFile
from dpselect.problems.graph.other_formats import NO_ENTRIES

COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*", re.MULTILINE)


def read_bytes(file: GivenFile) -> bytes:
    """The file's content, decompressed if it begins like a gzip file, whatever it is called; "\\n" ends its lines.

    Raises `InvalidParameter` where there is no readable file, `InvalidData` where it is not text with one entry a line.
    """
    data = file.read()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise InvalidData(file.wrong("the gzip file is damaged or not complete")) from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    begin, end = first_line(data)
    other = NO_ENTRIES.of(data, data[begin:end].strip())
    if other is not None:
        raise InvalidData(file.wrong(f"expected a text file with {file.holds}, this is {other}"))
    return data


def first_line(data: bytes) -> tuple[int, int]:
    """Where the first line that is neither blank nor a comment begins and ends; where `data` end if there is none."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        line = data[begin:end].strip()
        if line and line[:1] not in (b"#", b"%"):
            return begin, end
        begin = end + 1
    return len(data), len(data)


def content_lines(data: bytes, file: GivenFile) -> Iterator[tuple[int, str]]:
    """(line number from 1, stripped text) of every line that is neither blank nor a comment (# or % first).

    `file`: where the data are from; errors name it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidData(file.wrong_line(line, "expected UTF-8 text")) from None
    for number, line_text in enumerate(text.split("\n"), 1):
        stripped = line_text.strip()
        if stripped and stripped[0] not in "#%":
            yield number, stripped


def as_integer(token: str) -> int | None:
    """The integer that `token` writes in its only form: no leading zeros, no plus, at most 18 digits; else None.

    Other forms stay strings: "007" and "7" are different ids.
    """
    digits = token.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return None
    if (digits[0] == "0" and len(digits) > 1) or token == "-0":
        return None
    return int(token)
