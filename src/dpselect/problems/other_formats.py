"""Files that are given as text and are plainly something else.

Without this a JSON or XML file would be read as a few odd ids or as a column with an odd name, and a release could then
name them. Only what cannot be meant otherwise is refused: "[deleted]", "[[Paris]]", "<ann>" and "{7}" are ids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

Format = tuple[re.Pattern[bytes], str]
"""How a format begins, and what a file that begins so is, in words."""

PARQUET: Final = re.compile(rb"PAR1[\x00-\x08\x0e-\x1f]")
"""How a Parquet file begins. PAR1 is a gene, too: in a text it is followed by another character."""

# An object; or lists, then a text, an object, an end, or a number and a comma; or lists of one number each.
JSON: Final = re.compile(
    rb"""\{\s*(["'}]|$)|(\[\s*)+(["'{\]]|$|NUMBER(,|$))|\[\s*(\[\s*)+NUMBER\]\s*,\s*\[""".replace(
        b"NUMBER", rb"-?[0-9][-+.0-9eE]*\s*"
    )
)

# A declaration, or a tag with attributes, or one that is alone on its line or is followed by another or by its end.
XML: Final = re.compile(rb"<([?!]|/?[A-Za-z][\w:.-]*(\s+[\w:.-]+\s*=|\s*/?>(\s*$|<|[^<>]*<[?!/])|\s*$))")

BINARY: Final[tuple[Format, ...]] = (
    (re.compile(rb"\xff\xfe|\xfe\xff"), "UTF-16 text (save it as UTF-8)"),
    (re.compile(rb"PK\x03\x04"), "a zip archive or a workbook (unpack it, or save it as CSV)"),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Office file (save it as CSV)"),
    (re.compile(rb"BZh[1-9]1AY&SY"), "compressed by bzip2 (unpack it, or use gzip)"),
    (re.compile(rb"\xfd7zXZ"), "compressed by xz (unpack it, or use gzip)"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "compressed by zstd (unpack it, or use gzip)"),
    (re.compile(rb"SQLite format 3\x00"), "an SQLite database"),
    (re.compile(rb"ARROW1\x00"), "an Arrow file (save it as Parquet)"),
    (re.compile(rb"\x89HDF"), "an HDF5 file"),
    (re.compile(rb"%PDF-"), "a PDF file"),
)
"""Formats that are given nowhere."""

LOOKED_AT: Final = 512
"""So many bytes of the first line: a JSON document may be one line."""


@final
@dataclass(frozen=True)
class OtherFormats:
    """What a text file is not: `starts` of files, and `first_lines` of data. Spellings of formats, never of an id.

    >>> formats = OtherFormats(BINARY, ((JSON, "JSON"),))
    >>> formats.of(b'[["ann", "bob"]]', b'[["ann", "bob"]]'), formats.of(b"ann bob", b"ann bob")
    ('JSON', None)
    """

    starts: tuple[Format, ...]
    first_lines: tuple[Format, ...]

    def of(self, data: bytes, first_line: bytes) -> str | None:
        """What a file is in words, None if it may be the text that is meant; `first_line` of data, without blanks."""
        for patterns, text in ((self.starts, data), (self.first_lines, first_line[:LOOKED_AT])):
            for pattern, what in patterns:
                if pattern.match(text):
                    return what
        return "a binary file" if b"\0" in data else None


NO_LINES: Final = OtherFormats(
    starts=((PARQUET, "a Parquet file"), (re.compile(rb"\x1f\x8b"), "gzipped (unpack it)"), *BINARY),
    first_lines=((JSON, "JSON"), (XML, "XML or HTML")),
)
"""What text with one name a line is not."""
