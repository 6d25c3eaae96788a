"""From a name to a motif."""

from __future__ import annotations

import difflib

from dpselect.errors import InvalidParameter
from dpselect.problems.graph.motifs.motif import Motif
from dpselect.problems.graph.motifs.triangle import Triangle

NAMED: dict[str, Motif] = {motif.name: motif for motif in (Triangle(),)}


def motif_named(motif: object) -> Motif:
    """The motif of that name.

    >>> motif_named("triangle").name
    'triangle'
    """
    if isinstance(motif, Motif):
        return motif
    if isinstance(motif, str) and motif in NAMED:
        return NAMED[motif]
    near = difflib.get_close_matches(str(motif), NAMED, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InvalidParameter(f"motif must be one of {', '.join(map(repr, NAMED))}, got {motif!r}{hint}")
