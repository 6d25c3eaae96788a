"""The small graph that a motif is."""

from __future__ import annotations

from typing import Final

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.motifs.clique import Clique
from dpselect.problems.graph.motifs.connected import Connected
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.pattern import DIAMOND, PAW, Pattern, clique, cycle, path, star
from dpselect.problems.graph.motifs.star import Star

_BY_NAME: Final = {"triangle": clique(3), "3-path": path(3), "4-cycle": cycle(4), "diamond": DIAMOND, "paw": PAW}


def pattern_of(motif: Motif) -> Pattern:
    """H, on at most six vertices. Raises `UnsupportedProblem` for a larger star.

    >>> from dpselect.problems.graph.motifs.choice import motif_named
    >>> pattern_of(motif_named("4-cycle")).automorphisms
    8
    """
    match motif:
        case Connected():
            return motif.pattern
        case Clique():
            return clique(motif.size)
        case Star():
            return star(motif.leaves)
    if motif.name not in _BY_NAME:
        raise UnsupportedProblem(f"motif {motif.name!r} has no pattern of its own")
    return _BY_NAME[motif.name]
