"""From a name or a small graph to a motif."""

from __future__ import annotations

import difflib
import re
from typing import Any

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.problems.graph.motifs.clique import Clique
from dpselect.problems.graph.motifs.closing import Diamond, FourCycle, Paw, ThreePath
from dpselect.problems.graph.motifs.connected import Connected
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.pattern import DIAMOND, EDGE, MOST_VERTICES, PAW, Pattern, clique, cycle, path, star
from dpselect.problems.graph.motifs.star import MOST_LEAVES, Star
from dpselect.problems.graph.motifs.triangle import Triangle

NAMED: dict[str, Motif] = {
    motif.name: motif
    for motif in (
        Connected("edge", EDGE),
        Triangle(),
        *(Clique(size) for size in (4, 5, 6)),
        *(Star(leaves) for leaves in (2, 3)),
        ThreePath(),
        Connected("4-path", path(4)),
        FourCycle(),
        Connected("5-cycle", cycle(5)),
        Diamond(),
        Paw(),
    )
}
"""The motifs that messages list; names with other numbers work as well."""

_SIZED = re.compile(r"(?:([0-9]+)-(clique|star|path|cycle)|(clique|star|path|cycle)-([0-9]+))")


def motif_named(motif: object) -> Motif:
    """The motif of that name, or of that shape.

    Names: "edge", "triangle", "diamond", "paw"; "ℓ-clique" and "ℓ-cycle" with ℓ vertices, "k-star" with k leaves,
    "k-path" with k edges, also written "clique-4". Not names: a `Motif`, a networkx graph, or pairs that form a
    connected graph of at most six vertices; known shapes get their own methods.

    Raises `InvalidParameter` for other names, `UnsupportedProblem` for graphs that are too large or not connected.

    >>> motif_named("3-clique").name, motif_named("path-2").name, motif_named([(0, 1), (1, 2), (2, 3), (3, 0)]).name
    ('triangle', '2-star', '4-cycle')
    """
    if isinstance(motif, Motif):
        return motif
    if isinstance(motif, str):
        return _by_name(motif)
    drawn: Any = motif
    try:
        pairs = [tuple(pair)[:2] for pair in (drawn.edges() if hasattr(drawn, "nodes") else drawn)]
        vertices = list(drawn.nodes()) if hasattr(drawn, "nodes") else []
        return of_pattern(Pattern.of(pairs, vertices))
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidParameter):
            raise
        raise InvalidParameter(
            f"motif must be a name, a networkx graph or pairs of vertices, got {type(motif).__name__}"
        ) from None


def _by_name(name: str) -> Motif:
    if name in NAMED:
        return NAMED[name]
    sized = _SIZED.fullmatch(name)
    if sized is not None:
        size, shape = int(sized[1] or sized[4]), sized[2] or sized[3]
        if shape == "star" and 2 <= size <= MOST_LEAVES:
            return Star(size)
        least, most, make = {
            "clique": (2, MOST_VERTICES, clique),
            "star": (1, 1, star),
            "path": (1, MOST_VERTICES - 1, path),
            "cycle": (3, MOST_VERTICES, cycle),
        }[shape]
        if least <= size <= most:
            return of_pattern(make(size))
        if shape == "star":
            most = MOST_LEAVES
        raise UnsupportedProblem(f"motif {name!r}: the number must be from {least} to {most}")
    near = difflib.get_close_matches(name, NAMED, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InvalidParameter(f"motif must be one of {', '.join(map(repr, NAMED))}, or a small graph, got {name!r}{hint}")


def of_pattern(pattern: Pattern) -> Motif:
    """The motif of a small graph: a class of its own where there is one, else `Connected`."""
    for motif, shape in _shapes():
        if pattern.same(shape):
            return motif
    for name, shape in (("5-path", path(5)), ("6-cycle", cycle(6))):
        if pattern.same(shape):
            return Connected(name, shape)
    return Connected(f"graph {' '.join(f'{u}{v}' for u, v in pattern.edges)}", pattern)


def _shapes() -> list[tuple[Motif, Pattern]]:
    listed: list[tuple[Motif, Pattern]] = [(m, m.pattern) for m in NAMED.values() if isinstance(m, Connected)]
    listed += [(NAMED["triangle"], clique(3)), (NAMED["3-path"], path(3)), (NAMED["4-cycle"], cycle(4))]
    listed += [(NAMED["diamond"], DIAMOND), (NAMED["paw"], PAW)]
    listed += [(Clique(size), clique(size)) for size in (4, 5, 6)]
    listed += [(Star(leaves), star(leaves)) for leaves in range(2, MOST_VERTICES)]
    return listed
