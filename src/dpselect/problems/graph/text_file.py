"""The bytes of a text file that a person named, plain or gzipped."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from os import PathLike, fspath

from dpselect.errors import InvalidData, InvalidParameter

COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*", re.MULTILINE)


def read_bytes(path: str | PathLike[str], name: str) -> bytes:
    """The file's content, decompressed if it begins like a gzip file, whatever it is called; "\\n" ends its lines.

    Raises `InvalidParameter`, naming the argument `name`, where there is no readable file, `InvalidData` where the
    file is not text.
    """
    try:
        with open(fspath(path), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise InvalidParameter(f"{name}: no such file: {fspath(path)!r}") from None
    except IsADirectoryError:
        raise InvalidParameter(f"{name}: expected a file, this is a directory: {fspath(path)!r}") from None
    except (OSError, ValueError, TypeError) as error:
        raise InvalidParameter(f"{name}: cannot read the file ({type(error).__name__})") from None
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise InvalidData(f"{name}: the gzip file is damaged or not complete") from None
    if b"\0" in data:
        raise InvalidData(f"{name}: expected a text file with one entry a line, this is a binary file")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data


def content_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """(line number from 1, stripped text) of every line that is neither blank nor a comment (# or % first)."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidData(f"line {line}: expected UTF-8 text") from None
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
