"""k-subsets in groups of one isomorphism class: scores, flip distances, and a member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt

from dpselect.exact.bits import BitSource
from dpselect.exact.scores import IntegerScores
from dpselect.problems.graph.subsets.classes import Inside
from dpselect.problems.graph.subsets.ranges import SubsetClasses
from dpselect.question import Groups

Int64 = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class SubgraphGroups(Groups):
    """The classes that occur, in ascending order of their masks; `taken` members of each are no candidates any more."""

    inside: Inside
    range: SubsetClasses
    labels: Sequence[Any]
    taken: dict[int, tuple[tuple[Any, ...], ...]] = field(default_factory=dict)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The classes with a member left."""
        counts = self.range.counts
        return tuple(mask for mask in sorted(counts) if counts[mask] > len(self.taken.get(mask, ())))

    @property
    def values(self) -> tuple[Fraction | int, ...]:
        return tuple(int(q) for q in self.inside.copies[list(self.masks)])

    @cached_property
    def scores(self) -> IntegerScores:
        return IntegerScores(self.inside.copies[list(self.masks)], Fraction(1))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        return tuple(self.range.counts[mask] - len(self.taken.get(mask, ())) for mask in self.masks)

    def pick(self, group: int, source: BitSource) -> list[Any]:
        """The labels of a member, in the order of the vertices; drawn again while it is one that was taken."""
        mask = self.masks[group]
        while True:
            found = [self.labels[v] for v in self.range.member(mask, source)]
            if tuple(found) not in self.taken.get(mask, ()):
                return found

    def without(self, group: int, member: Any) -> SubgraphGroups:
        mask = self.masks[group]
        taken = {**self.taken, mask: (*self.taken.get(mask, ()), tuple(member))}
        return SubgraphGroups(self.inside, self.range, self.labels, taken)


def flip_distances(
    inside: Inside, masks: Sequence[int], counts: Sequence[int], through: Sequence[int], holding: int
) -> Int64:
    """φ for one edge, of candidates that induce these classes, counts[g] of them class masks[g].

        φ(F) = min{i + j : up_i(F) ≥ Λ(i, j)},   F = x[S],
        Λ(i, j) = max( max over the classes F' that occur of down_j(F'),
                       max over N of ⌈(pre_N − j c_N(A_i)) / N⌉ ),   c_N(c) = min(N min(c, GS), b c)

    Arguments:
        through: A_0 ≤ A_1 ≤ …, i ≤ binom(k, 2): a bound of the copies through any pair of vertices, were it an edge,
            with A_i(x + e) ≤ A_{i+1}(x) and A_i(x − e) ≤ A_i(x).
        holding: b, a public bound of the candidates that a copy lies in: binom(n − h, k − h).
    pre_N is the sum of the N largest scores, GS the copies in K_k through one edge.

    Guarantee: |φ(x, S) − φ(x', S)| ≤ 1 on every edge, φ = 0 exactly at the maximisers, φ ≤ the true flip distance and
    φ ≤ binom(k, 2). It is the net form (`certificates.net`) with these raises and drops, e an edge to add to x in (A)
    and (C), to remove from x in (B) and (D); an edge that is not inside S changes nothing in x[S].

    - R_S(i) = up_i(F) − q_S. (A) up_{i+1}(F) ≥ up_i((x + e)[S]): one addition may be spent on e, or on nothing.
      (B) up_i(F) ≥ up_i((x − e)[S]): copies do not fall when an edge is added.
    - T = {S}: L_S(j) = q_S − down_j(F). (C) down_j((x + e)[S]) ≥ down_j(F). (D) down_{j+1}(F) ≤ down_j((x − e)[S]).
    - All T of N candidates: W^N(i, j) = j c_N(A_i). Removing an edge with c copies through it takes at most min(c, GS)
      from a candidate, and c b from all together, as every copy lies in b of them at most: at most c_N(c) from T.
      (C) A_i(x + e) ≤ A_{i+1}(x), c_N does not fall. (D) c ≤ A_0(x) ≤ A_i(x), A_i(x − e) ≤ A_i(x).

    Where there are many rivals with as many copies, few removals cannot lower them all (N large): then S has to gain
    what it lacks. The maximum over N is attained at N = 1, at the first N with N min(A_i, GS) > b A_i, or at the end of
    a group of equal scores: before that first N the quotient falls with pre_N/N, after it it is monotone in each group.
    """
    present, steps = list(masks), inside.steps
    scores = inside.copies[present].tolist()
    largest = sorted(zip(scores, counts, strict=True), reverse=True)
    up, down = inside.up[:, present], inside.down[:, present].max(axis=1).tolist()
    most = int(inside.pattern.through_one_pair(inside.size))
    out = np.full(len(present), 2 * steps + 1, np.int64)
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            each, all_together = j * min(through[i], most), j * holding * through[i]
            level = max(down[j], scores_left(largest, each, all_together))
            np.minimum(out, np.where(up[i] >= level, i + j, out), out=out)
    return out


def scores_left(largest: Sequence[tuple[int, int]], each: int, all_together: int) -> int:
    """max over N of ⌈(pre_N − min(N · each, all_together)) / N⌉; `largest`: (score, how many), scores falling.

    >>> scores_left([(5, 1), (4, 9)], 3, 10), scores_left([(5, 1)], 3, 3)
    (4, 2)
    """
    best = largest[0][0] - min(each, all_together)
    if each == 0:
        return best
    first = all_together // each + 1
    total, size = 0, 0
    for score, count in largest:
        for n in (first, size + count):
            if size < n <= size + count and n >= first:
                best = max(best, -((all_together - total - score * (n - size)) // n))
        total, size = total + score * count, size + count
    return best
