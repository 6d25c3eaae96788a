"""Files that are given as edges or vertices, one a line, and are plainly something else."""

from __future__ import annotations

import re
from typing import Final

from dpselect.problems.other_formats import BINARY, JSON, PARQUET, XML, OtherFormats

NO_ENTRIES: Final = OtherFormats(
    starts=(
        (PARQUET, "a Parquet file (edges may be given so, not gzipped; vertices may not)"),
        (re.compile(rb"%%MatrixMarket"), "a Matrix Market file (read it with scipy.io.mmread, then as_graph)"),
        (re.compile(rb"\x1f\x8b"), "gzipped twice (unpack it once)"),
        *BINARY,
    ),
    first_lines=(
        (JSON, "JSON"),
        (XML, "XML or HTML (networkx reads GraphML and GEXF, and writes edge lists)"),
        (re.compile(rb'graph\s*\[(\s|$)|Creator\s+"'), "a GML file (networkx reads it, and writes edge lists)"),
        (re.compile(rb"(strict\s+)?(di)?graph\b[^,]*\{"), "a DOT file (networkx reads it, and writes edge lists)"),
        (re.compile(rb"\*(vertices|network|arcs|edges)\b", re.IGNORECASE), "a Pajek file (networkx reads it)"),
    ),
)
"""What text with one entry a line is not."""
