"""Make the demonstration graph: actors of 1940–1959 films, joined when one film credits both.

    pip install bokeh-sampledata==2026.1
    python scripts/make_demo_graph.py            # writes the two files of src/dpselect/data
    python scripts/make_demo_graph.py --check    # compares them with what would be written

Rule: rows of table `omdb` with 1940 ≤ Year ≤ 1959; the names in "Cast" are separated by ", "; two names of one row are
an edge. Names in no edge are left out. Vertices are numbered in the order of their names by code point.
"""

import argparse
import gzip
import hashlib
import sqlite3
import sys
from itertools import combinations
from pathlib import Path

MOVIES_SHA256 = "1d9c6a02e488d0354b2309e16130c58820a91ac2ce417e814c5964f9579a65ac"
FOLDER = Path(__file__).parents[1] / "src" / "dpselect" / "data"
EDGES, NAMES = "costars_1940_1959.txt.gz", "costars_1940_1959_names.txt.gz"


def movies_db() -> Path:
    from bokeh_sampledata.movies_data import movie_path

    return Path(movie_path)


def texts(database: Path) -> dict[str, str]:
    """The content of both files."""
    if hashlib.sha256(database.read_bytes()).hexdigest() != MOVIES_SHA256:
        sys.exit("movies.db is not the file of bokeh-sampledata 2026.1 that the demonstration graph is made from")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        casts = connection.execute('SELECT "Cast" FROM omdb WHERE Year BETWEEN 1940 AND 1959').fetchall()
    edges = set()
    for (cast,) in casts:
        edges.update(combinations(sorted({name.strip() for name in cast.split(", ")} - {""}), 2))
    names = sorted({name for edge in edges for name in edge})
    number = {name: i for i, name in enumerate(names)}
    head = "# Actors credited in the same film, 1940-1959. From Wikidata, CC0-1.0; see PROVENANCE.md.\n"
    return {
        EDGES: head + "".join(f"{number[a]} {number[b]}\n" for a, b in sorted(edges)),
        NAMES: head + "".join(f"{name}\n" for name in names),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", type=Path, help="movies.db; default: that of the installed bokeh-sampledata")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    for name, text in texts(options.database or movies_db()).items():
        path = FOLDER / name
        if options.check:
            if gzip.decompress(path.read_bytes()).decode() != text:
                sys.exit(f"{name} differs from what this script makes")
        else:
            path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))  # no time stamp: reproducible


if __name__ == "__main__":
    main()
