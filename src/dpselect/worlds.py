"""Builders of explicit worlds: every graph, every table, random worlds, and the source's counterexamples.

A world is a finite dataset graph: datasets, edges between neighbours, a score table. `World` holds a table; a
`ProblemWorld` holds a problem of the library (or your own) and real data objects, so that `verify` checks the very
profile, levels and flip distances that a release would use.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, final

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import positive, whole
from dpselect.exact.rational_scores import RationalScores
from dpselect.exact.scores import FloatScores, IntegerScores, Scores
from dpselect.problems.explicit import World
from dpselect.problems.graph.graph import Graph
from dpselect.problems.problem import Posed, pose

MOST_VERTICES = 6
"""2^15 = 32,768 graphs; 7 vertices would be two millions."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class ProblemWorld:
    """A problem put to every dataset of a finite dataset graph.

    Arguments:
        problem: any object with candidates, scores(x) and profile(x).
        datasets: names, distinct.
        data: the data object of every dataset.
        edges: pairs of positions.
        unit: the privacy unit, if it is not the problem's own.
    """

    problem: Any
    datasets: Sequence[Hashable]
    data: Sequence[Any]
    edges: Sequence[tuple[int, int]]
    unit: Any = None

    def __post_init__(self) -> None:
        if not self.datasets or len(set(self.datasets)) != len(self.datasets):
            raise InvalidParameter("datasets must be distinct names, at least one")
        if len(self.data) != len(self.datasets):
            raise InvalidParameter(f"data must have one entry per dataset ({len(self.datasets)}), got {len(self.data)}")

    def __repr__(self) -> str:
        return f"ProblemWorld({len(self.datasets)} datasets, {len(self.edges)} edges)"

    @property
    def monotone(self) -> bool:
        """Whether the problem claims that on every edge all scores move in the same direction."""
        asked = self.problem if self.unit is None else self.problem.under(self.unit)
        return bool(getattr(asked, "monotone", False))

    def datum(self, position: int) -> Any:
        """The data object at a position."""
        return self.data[position]

    @cached_property
    def _posed(self) -> dict[int, Posed]:
        return {}

    def posed(self, position: int) -> Posed:
        """The problem put to the dataset at a position; what was computed is kept."""
        if position not in self._posed:
            self._posed[position] = pose(self.problem, self.data[position], self.unit)
        return self._posed[position]

    def explicit(self, *, depth: int = 1) -> World:
        """The same dataset graph as a score table, with the exact profile, levels and flip distances of a `World`."""
        first = self.posed(0)
        rows = [rational_values(self.posed(i).evaluation.scores) for i in range(len(self.datasets))]
        names = [tuple(c) if isinstance(c, list) else c for c in first.names]
        return World(list(self.datasets), list(self.edges), names, rows, self.monotone, depth)


def rational_values(scores: Scores) -> list[Fraction]:
    """q(x, ·) as fractions. Raises `UnsupportedProblem` for computed real scores."""
    if isinstance(scores, IntegerScores):
        return [int(v) * scores.unit for v in scores.values]
    if isinstance(scores, FloatScores):
        return [Fraction(float(v)) for v in scores.values]
    if isinstance(scores, RationalScores):
        return [scores.exact(i) for i in range(scores.size)]
    raise UnsupportedProblem("a score table needs rational scores")


# -------------------------------------------------------------------- everything there is


def all_graphs(problem: Any, n: int, *, unit: Any = None) -> ProblemWorld:
    """All 2^(n (n − 1)/2) graphs on the vertices 0 … n − 1; neighbours differ in one edge.

    With ``unit=ds.Edges(k)`` neighbours differ in one up to k edges.

    Arguments: n at most 6 (32,768 graphs). Cost: one small graph object each, scores when asked for.

    >>> from dpselect.problems.graph.top_vertex import TopVertex
    >>> all_graphs(TopVertex("triangle"), 4)
    ProblemWorld(64 datasets, 192 edges)
    """
    if whole(n, "n", least=1) > MOST_VERTICES:
        raise InvalidParameter(f"n must be at most {MOST_VERTICES}, got {n}")
    pairs = list(itertools.combinations(range(n), 2))
    masks = range(1 << len(pairs))
    kept = [[pair for i, pair in enumerate(pairs) if mask >> i & 1] for mask in masks]
    names = [" ".join(f"{u}-{v}" for u, v in edges) or "no edge" for edges in kept]
    data = [Graph.from_edges(edges, vertices=range(n)) for edges in kept]
    flips = [sum(1 << i for i in chosen) for k in range(1, _steps(unit) + 1) for chosen in _subsets(len(pairs), k)]
    edges = [(mask, mask ^ flip) for flip in flips for mask in masks if mask < mask ^ flip]
    return ProblemWorld(problem, names, data, edges, unit)


def _steps(unit: Any) -> int:
    return 1 if unit is None else whole(unit.k, "k", least=1)


def _subsets(size: int, k: int) -> itertools.combinations[tuple[int, ...]]:
    return itertools.combinations(range(size), k)


def all_tables(
    problem: Any,
    domain: Sequence[Any],
    n: int,
    build: Callable[[tuple[Any, ...]], Any],
    *,
    neighbours: Literal["add-or-remove", "replace"],
    unit: Any = None,
) -> ProblemWorld:
    """All tables of records from a small domain: multisets, because no problem looks at the order of rows.

    Arguments:
        domain: the possible records, distinct.
        n: "add-or-remove": all tables with at most n records; "replace": all with exactly n.
        build: from a tuple of records to the data object of the problem.
        neighbours: tables differ in one record added or removed, or in one record replaced.

    Cost: binom(n + |domain|, n) tables. Errors: `InvalidParameter`.

    >>> from dpselect.profile import Profile
    >>> class Mode:
    ...     candidates, global_sensitivity, monotone = ("a", "b"), 1, True
    ...     def scores(self, rows): return [rows.count(c) for c in self.candidates]
    ...     def profile(self, rows): return Profile.constant(1)
    >>> all_tables(Mode(), "ab", 2, list, neighbours="add-or-remove")
    ProblemWorld(6 datasets, 6 edges)
    """
    whole(n, "n", least=0)
    if len(domain) == 0:
        raise InvalidParameter("domain must not be empty")
    if neighbours not in ("add-or-remove", "replace"):
        raise InvalidParameter(f"neighbours must be 'add-or-remove' or 'replace', got {neighbours!r}")
    sizes = range(n + 1) if neighbours == "add-or-remove" else (n,)
    rows = [r for size in sizes for r in itertools.combinations_with_replacement(range(len(domain)), size)]
    place = {r: i for i, r in enumerate(rows)}
    edges = set()
    for r in rows:
        for i in range(len(r)):
            rest = r[:i] + r[i + 1 :]
            if neighbours == "add-or-remove":
                edges.add((place[rest], place[r]))
                continue
            for new in range(len(domain)):
                other = place[tuple(sorted((*rest, new)))]
                if other > place[r]:
                    edges.add((place[r], other))
    records = [tuple(domain[i] for i in r) for r in rows]
    names = [" ".join(map(str, r)) or "empty" for r in records]
    if len(set(names)) != len(names):
        names = [repr(r) for r in records]
    return ProblemWorld(problem, names, [build(r) for r in records], sorted(edges), unit)


# -------------------------------------------------------------------- random worlds


def random_world(
    seed: int,
    *,
    datasets: int = 6,
    candidates: int = 3,
    largest: int = 4,
    extra_edges: int = 2,
    monotone: bool = False,
    depth: int = 1,
) -> World:
    """A connected world: a random tree of datasets with a few more edges, integer scores from 0 to `largest`.

    With monotone=True all scores move in the same direction on every edge (a tree, without more edges). Public and
    reproducible: the same seed gives the same world.

    >>> random_world(1)
    World(6 datasets, 7 edges, 3 candidates)
    """
    for value, name in ((datasets, "datasets"), (candidates, "candidates")):
        whole(value, name, least=1)
    rng = random.Random(f"{seed} {datasets} {candidates} {largest} {extra_edges} {monotone}")
    tree = [(rng.randrange(i), i) for i in range(1, datasets)]
    if monotone:
        rows = [[rng.randint(0, largest) for _ in range(candidates)]]
        for parent, _ in tree:
            sign = rng.choice((-1, 1))
            rows.append([v + sign * rng.choice((0, 0, 1, rng.randint(0, largest))) for v in rows[parent]])
        edges = tree
    else:
        rows = [
            [rng.randint(0, largest) * rng.choice((1, 1, 1, 3)) for _ in range(candidates)] for _ in range(datasets)
        ]
        more = [tuple(sorted((rng.randrange(datasets), rng.randrange(datasets)))) for _ in range(extra_edges)]
        edges = [*tree, *((i, j) for i, j in more if i != j)]
    return World(list(range(datasets)), edges, [f"r{k}" for k in range(candidates)], rows, monotone, depth)


# -------------------------------------------------------------------- the source's counterexamples


def local_scale_world(gap: Any) -> World:
    """y – x – x' – z, candidates a, b: q(x) = q(x') = (G, 0), q(y) = (G, −1), q(z) = (G, G²).

    LS(x) = 1 and LS(x') = G²: at scale LS the answer at x is a, at x' it is a coin toss, and δ → 1/2 as G grows
    (theory section 3; source section 4). Arguments: gap G > 0.

    >>> w = local_scale_world(10)
    >>> int(w.levels("x")[0]), int(w.levels("x'")[0])
    (1, 100)
    """
    g = positive(gap, "gap")
    return World(["y", "x", "x'", "z"], [(0, 1), (1, 2), (2, 3)], ["a", "b"], [[g, -1], [g, 0], [g, 0], [g, g * g]])


def multiplicity_world(m: int, gap: Any, change: Any) -> World:
    """x – x' – z: one top candidate, m − 1 others at the gap g, all raised by M at z; q(x) = q(x').

    S_β(x') = M and S_β(x) = e^{−β} M, so the naive smooth scale is e^β times hotter at x' (theory section 3; source
    Theorem 4.3). Arguments: m ≥ 2 candidates, gap g > 0, change M > 0: at z the others are at M − g from the top.

    >>> w = multiplicity_world(3, 2, 5)
    >>> [str(h) for h in w.levels("x'")], w.table.tolist()
    (['5'], [[2, 0, 0], [2, 0, 0], [2, 5, 5]])
    """
    g, change = positive(gap, "gap"), positive(change, "change")
    others = whole(m, "m", least=2) - 1
    rows = [[g, *[Fraction(0)] * others], [g, *[Fraction(0)] * others], [g, *[change] * others]]
    return World(["x", "x'", "z"], [(0, 1), (1, 2)], [f"r{k}" for k in range(m)], rows)


def constant_width_world(growth: Any, steps: int, gap: Any) -> World:
    """A path x_0 – … – x_n of datasets whose last edge changes the scores by M, all others not at all.

    A β-smooth bound is S(x_i) = e^{−β(n − 1 − i)} M. A ladder with the constant width S(x) takes g/S(x) steps for a gap
    g; from x_i to x_{i+1} that number falls by the factor e^{−β}, by more than 1 step when g is large (theory
    section 3: widths must grow by e^β a step).

    Arguments: growth M > 0, steps n ≥ 2, gap g > 0 of the second of two candidates.
    """
    change, g = positive(growth, "growth"), positive(gap, "gap")
    n = whole(steps, "steps", least=2)
    rows = [[g, Fraction(0)] for _ in range(n)] + [[g, change]]
    return World([f"x{i}" for i in range(n + 1)], [(i, i + 1) for i in range(n)], ["a", "b"], rows)


def path_world(scores: Sequence[Sequence[Any]], *, monotone: bool = False, depth: int = 1) -> World:
    """A path of datasets x0 – x1 – … with these score rows.

    >>> path_world([[0, 0], [1, -1]])
    World(2 datasets, 1 edges, 2 candidates)
    """
    if len(scores) == 0:
        raise InvalidParameter("scores must not be empty")
    n, m = len(scores), len(scores[0])
    edges = [(i, i + 1) for i in range(n - 1)]
    return World([f"x{i}" for i in range(n)], edges, [f"r{k}" for k in range(m)], scores, monotone, depth)


__all__ = [
    "ProblemWorld",
    "all_graphs",
    "all_tables",
    "constant_width_world",
    "local_scale_world",
    "multiplicity_world",
    "path_world",
    "random_world",
]
