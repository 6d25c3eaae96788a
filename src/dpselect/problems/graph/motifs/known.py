"""What several questions about one graph share: computed once, forgotten with the graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.triangles import triangle_profile_values, triangle_staircase, triangles_per_vertex

Int64 = npt.NDArray[np.int64]
Fact = TypeVar("Fact")

_facts: WeakKeyDictionary[Graph, dict[Hashable, Any]] = WeakKeyDictionary()


def known(graph: Graph, name: Hashable, compute: Callable[[], Fact]) -> Fact:
    """The fact of that name about `graph`, computed at the first question."""
    facts = _facts.setdefault(graph, {})
    if name not in facts:
        facts[name] = compute()
    found: Fact = facts[name]
    return found


def triangle_counts(graph: Graph) -> Int64:
    """Triangles at every vertex."""
    return known(graph, "triangles", lambda: triangles_per_vertex(graph))


def codegree_steps(graph: Graph) -> tuple[Int64, Int64]:
    """t ↦ the largest co-degree of any pair within t edges of G, as starts and values: the profile of triangles."""
    return known(graph, "codegrees", lambda: triangle_profile_values(*triangle_staircase(graph), graph.n))


def largest_codegree(graph: Graph) -> int:
    """D = max over all pairs, adjacent or not, of their common neighbours."""
    return int(codegree_steps(graph)[1][0])


def largest_degree(graph: Graph) -> int:
    """Δ."""
    return int(graph.degrees.max())


def codegrees_within(graph: Graph, steps: int) -> Int64:
    """int64[steps]: the largest co-degree within t = 0, 1, … edges of G; an admissible family (P2)."""
    starts, values = codegree_steps(graph)
    at: Int64 = values[np.searchsorted(starts, np.arange(steps), side="right") - 1]
    return at


def degrees_within(graph: Graph, steps: int) -> Int64:
    """int64[steps]: min(Δ + t, n − 1), the largest degree within t edges of G."""
    return np.minimum(largest_degree(graph) + np.arange(steps, dtype=np.int64), max(graph.n - 1, 0))
