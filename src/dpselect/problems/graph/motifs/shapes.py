"""The small graph that a motif is."""

from __future__ import annotations

from dpselect.errors import UnsupportedProblem
from dpselect.problems.graph.motifs.clique import Clique
from dpselect.problems.graph.motifs.closing import CYCLE, PATH, FourCycle, ThreePath
from dpselect.problems.graph.motifs.connected import Connected
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.pattern import Pattern, clique, star
from dpselect.problems.graph.motifs.star import Star
from dpselect.problems.graph.motifs.triangle import Triangle


def pattern_of(motif: Motif) -> Pattern:
    """H, on at most six vertices. Raises `UnsupportedProblem` for a larger star.

    >>> from dpselect.problems.graph.motifs.choice import motif_named
    >>> pattern_of(motif_named("4-cycle")).automorphisms
    8
    """
    match motif:
        case Connected():
            return motif.pattern
        case Triangle():
            return clique(3)
        case Clique():
            return clique(motif.size)
        case Star():
            return star(motif.leaves)
        case ThreePath():
            return PATH
        case FourCycle():
            return CYCLE
    raise UnsupportedProblem(f"motif {motif.name!r} has no pattern of its own")
