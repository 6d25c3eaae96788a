"""Copies of a motif at every vertex, on an engine: table score(v, score, d), vertices with score ≥ 1 only.

d is the degree of v.

    degree     from the edges
    ℓ-clique   each once, c_1 > c_2 > … > c_ℓ by rank: two (ℓ−1)-cliques alike but for the last vertex, and an edge

The vertices of a clique are emitted by one unnest. A vertex has at most √(2m) neighbours of higher rank, so the
wedges of triangles are at most m √(2m), as in memory.
"""

from __future__ import annotations

from dpselect.engines.edge_table import OpenEdges


def keep_scores(edges: OpenEdges, vertices: int) -> None:
    """The table score for cliques of so many vertices; 2: degrees. Monotone in the edges."""
    source = edges.source
    if vertices == 2:
        _ = edges.degrees
        source.keep("score", "SELECT v, d AS score, d FROM degree")
        return
    _ = edges.ranked
    for size in range(3, vertices):
        edges.step(f"{size}-cliques")
        source.keep(f"clique{size}", _cliques(size))
    edges.step(f"{vertices}-cliques")
    everyone = ", ".join(f"c{i}" for i in range(1, vertices + 1))
    members = f"SELECT UNNEST([{everyone}]) AS r FROM ({_cliques(vertices)}) AS clique"
    counts = f"SELECT r, COUNT(*) AS score FROM ({members}) AS members GROUP BY r"
    source.keep(
        "score",
        f"SELECT ranked.v, counted.score, ranked.d FROM ({counts}) AS counted JOIN ranked ON ranked.r = counted.r",
    )
    for size in range(3, vertices):
        source.drop(f"clique{size}")


def _cliques(size: int) -> str:
    """The cliques of `size` vertices from those of size − 1; each pair (x, y) and (x, z) meets at most once."""
    smaller = "(SELECT w AS c1, u AS c2 FROM edge)" if size == 3 else f"clique{size - 1}"
    last = size - 1
    same = " AND ".join(f"x.c{i} = y.c{i}" for i in range(1, last))
    columns = ", ".join(f"x.c{i}" for i in range(1, last))
    return (
        f"SELECT {columns}, x.c{last} AS c{last}, y.c{last} AS c{size} FROM {smaller} AS x JOIN {smaller} AS y "
        f"ON {same} AND y.c{last} < x.c{last} JOIN edge ON edge.u = y.c{last} AND edge.w = x.c{last}"
    )
