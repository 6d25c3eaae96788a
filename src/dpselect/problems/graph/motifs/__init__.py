"""Motifs by name."""

from dpselect.problems.graph.motifs.choice import motif_named
from dpselect.problems.graph.motifs.motif import Motif
