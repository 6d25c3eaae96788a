"""Certified flip distances of graph problems (theory 6b; docs: graph certificates).

`net`          the monotone construction in net form: raises and drops in, certificate out
`truncation`   where a certificate may be cut off
`grouped`      the same certificate when neighbours differ in up to k edges
`triangles`    triangles per vertex
`cliques`      4-, 5- and 6-cliques per vertex
`stars`        k-stars per vertex
`four_cycles`  4-cycles per vertex
`diamonds`     diamonds per vertex
`by_degree`    cliques per vertex where only scores, degrees and one co-degree are at hand
"""

from dpselect.problems.graph.certificates.by_degree import flip_distance_by_degree
from dpselect.problems.graph.certificates.cliques import clique_flip_distance
from dpselect.problems.graph.certificates.diamonds import diamond_flip_distance
from dpselect.problems.graph.certificates.four_cycles import four_cycle_flip_distance
from dpselect.problems.graph.certificates.grouped import grouped
from dpselect.problems.graph.certificates.stars import star_flip_distance
from dpselect.problems.graph.certificates.triangles import triangle_flip_distance
from dpselect.problems.graph.certificates.truncation import DEFAULT_LIMIT, enough_flips
