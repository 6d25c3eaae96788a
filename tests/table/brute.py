"""All tables with up to N records over a small domain, by slow code that shares nothing with the library.

A table is a tuple of counts over the `kinds` of records; a kind is a pair (category, step).
"""

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

import dpselect as ds


@dataclass(frozen=True)
class Tables:
    """`unit`: "add" (up to `rows` records added or removed at once) or "replace"."""

    kinds: tuple
    most: int
    unit: str = "add"
    rows: int = 1

    @cached_property
    def all(self):
        found = []
        for n in range(self.most + 1):
            for chosen in combinations_with_replacement(range(len(self.kinds)), n):
                found.append(tuple(chosen.count(i) for i in range(len(self.kinds))))
        return found

    @cached_property
    def place(self):
        return {x: i for i, x in enumerate(self.all)}

    def _added(self, x):
        for i in range(len(self.kinds)):
            yield (*x[:i], x[i] + 1, *x[i + 1 :])

    @cached_property
    def neighbours(self):
        near = [set() for _ in self.all]

        def join(x, y):
            if y in self.place and x != y:
                near[self.place[x]].add(self.place[y])
                near[self.place[y]].add(self.place[x])

        for x in self.all:
            if self.unit == "replace":
                for i, count in enumerate(x):
                    if count:
                        less = (*x[:i], count - 1, *x[i + 1 :])
                        for y in self._added(less):
                            join(x, y)
                continue
            layer = {x}
            for _ in range(self.rows):
                layer = {z for y in layer for z in self._added(y)}
                for y in layer:
                    join(x, y)
        return [sorted(s) for s in near]

    @cached_property
    def edges(self):
        return [(i, j) for i, near in enumerate(self.neighbours) for j in near]

    def cells(self, x):
        used = [(kind, count) for kind, count in zip(self.kinds, x, strict=True) if count]
        return ds.table.Cells.of([k[0] for k, _ in used], [k[1] for k, _ in used], [c for _, c in used])

    def records(self, x):
        return [kind for kind, count in zip(self.kinds, x, strict=True) for _ in range(count)]

    def flips(self, scores):
        """BFS: the distance from every table to the nearest one where each candidate is a maximiser (None: none)."""
        m = len(scores[0])
        result = [[None] * m for _ in self.all]
        for r in range(m):
            start = [i for i, row in enumerate(scores) if row[r] == max(row)]
            queue = deque(start)
            for i in start:
                result[i][r] = 0
            while queue:
                i = queue.popleft()
                for j in self.neighbours[i]:
                    if result[j][r] is None:
                        result[j][r] = result[i][r] + 1
                        queue.append(j)
        return result


def unit_of(tables):
    return ds.ReplaceOne() if tables.unit == "replace" else ds.AddOrRemove(tables.rows)


def worst_changes(tables, scores):
    """For every edge: (largest change of a score, span of the changes)."""
    for i, j in tables.edges:
        change = [a - b for a, b in zip(scores[i], scores[j], strict=True)]
        yield i, j, max(map(abs, change)), max(change) - min(change)


def breaks_p1(tables, scores, profiles, kappa):
    """Does some edge change more than A(0) allows? κ = 1: A bounds the span."""
    return any(
        (span if kappa == 1 else change) > profiles[i](0) for i, _, change, span in worst_changes(tables, scores)
    )


def breaks_p2(tables, profiles, steps):
    """Is A_x(t + 1) < A_x'(t) for some edge and t < steps?"""
    values = [[p(t) for t in range(steps + 1)] for p in profiles]
    return any(values[i][t + 1] < values[j][t] for i, j in tables.edges for t in range(steps))


def breaks_gs(tables, scores, profiles, bound, kappa):
    """Does a change or a profile exceed the declared global sensitivity?"""
    return any((span if kappa == 1 else change) > bound for _, _, change, span in worst_changes(tables, scores)) or any(
        p(10**6) > bound for p in profiles
    )


def breaks_certificate(tables, scores, flips):
    """Does φ change by more than 1 on an edge, or vanish elsewhere than at the maximisers?"""
    steep = any(abs(int(a) - int(b)) > 1 for i, j in tables.edges for a, b in zip(flips[i], flips[j], strict=True))
    zeros = any(
        (f == 0) != (q == max(row))
        for row, each in zip(scores, flips, strict=True)
        for q, f in zip(row, each, strict=True)
    )
    return steep or zeros


def differs_from_truth(tables, scores, flips):
    """Does φ differ from the true flip distance, where tables with `most` records decide it?"""
    true = tables.flips(scores)
    for x, mine, row in zip(tables.all, flips, true, strict=True):
        room = tables.most - sum(x) if tables.unit == "add" else 10**6
        for f, t in zip(mine, row, strict=True):
            if t is None or t > room:
                if f <= room and not (t is None and f >= 2**60):
                    return True
            elif f != t:
                return True
    return False


def exceeds_truth(tables, scores, flips):
    """Is φ above the true flip distance somewhere (where tables with `most` records bound it)?"""
    true = tables.flips(scores)
    return any(
        t is not None and f > t for mine, row in zip(flips, true, strict=True) for f, t in zip(mine, row, strict=True)
    )


def exact_scores(problem, x):
    """The library's scores as fractions."""
    gaps = problem.scores(x).gaps()
    return [-Fraction(gaps.exact(i)) for i in range(gaps.size)]
