"""Files that are given as text with one entry a line and are plainly something else.

Without this a JSON or XML file would be read as a few odd ids, which a release could then name. Only what cannot be
meant otherwise is refused: "[deleted]", "[[Paris]]", "<ann>" and "{7}" are ids.
"""

from __future__ import annotations

import re
from typing import Final

PARQUET: Final = re.compile(rb"PAR1[\x00-\x08\x0e-\x1f]")
"""How a Parquet file begins. PAR1 is a gene, too: in a text it is followed by another character."""

STARTS: Final = (
    (PARQUET, "a Parquet file (edges may be given so, not gzipped; vertices may not)"),
    (re.compile(rb"%%MatrixMarket"), "a Matrix Market file (read it with scipy.io.mmread, then as_graph)"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "UTF-16 text (save it as UTF-8)"),
    (re.compile(rb"PK\x03\x04"), "a zip archive or a workbook (unpack it, or save it as CSV)"),
    (re.compile(rb"BZh[1-9]1AY&SY"), "compressed by bzip2 (unpack it, or use gzip)"),
    (re.compile(rb"\xfd7zXZ"), "compressed by xz (unpack it, or use gzip)"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "compressed by zstd (unpack it, or use gzip)"),
    (re.compile(rb"\x1f\x8b"), "gzipped twice (unpack it once)"),
    (re.compile(rb"SQLite format 3\x00"), "an SQLite database"),
    (re.compile(rb"ARROW1\x00"), "an Arrow file (save it as Parquet)"),
    (re.compile(rb"\x89HDF"), "an HDF5 file"),
    (re.compile(rb"%PDF-"), "a PDF file"),
)
"""How a file begins, and what it then is."""

FIRST_LINES: Final = (
    # An object; or lists, then a text, an object, an end, or a number and a comma; or lists of one number each.
    (
        re.compile(
            rb"""\{\s*(["'}]|$)|(\[\s*)+(["'{\]]|$|NUMBER(,|$))|\[\s*(\[\s*)+NUMBER\]\s*,\s*\[""".replace(
                b"NUMBER", rb"-?[0-9][-+.0-9eE]*\s*"
            )
        ),
        "JSON",
    ),
    # A declaration, or a tag with attributes, or one that is alone on its line or is followed by another or by its end.
    (
        re.compile(rb"<([?!]|/?[A-Za-z][\w:.-]*(\s+[\w:.-]+\s*=|\s*/?>(\s*$|<|[^<>]*<[?!/])|\s*$))"),
        "XML or HTML (networkx reads GraphML and GEXF, and writes edge lists)",
    ),
    (re.compile(rb'graph\s*\[(\s|$)|Creator\s+"'), "a GML file (networkx reads it, and writes edge lists)"),
    (re.compile(rb"(strict\s+)?(di)?graph\b[^,]*\{"), "a DOT file (networkx reads it, and writes edge lists)"),
    (re.compile(rb"\*(vertices|network|arcs|edges)\b", re.IGNORECASE), "a Pajek file (networkx reads it)"),
)
"""How the first line of data begins, and what the file then is. Spellings of the formats, never of a single id."""

LOOKED_AT: Final = 512
"""So many bytes of the first line: a JSON document may be one line."""


def other_format(data: bytes, first_line: bytes) -> str | None:
    """What a file is in words, None if it may be text with one entry a line; `first_line` of data, without blanks."""
    for patterns, text in ((STARTS, data), (FIRST_LINES, first_line[:LOOKED_AT])):
        for pattern, what in patterns:
            if pattern.match(text):
                return what
    return "a binary file" if b"\0" in data else None
