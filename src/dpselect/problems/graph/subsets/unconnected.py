"""How many k-subsets induce a graph that is not connected, without looking at one of them.

Let N(c) be the number of vertex subsets that induce class c. For a class with components c_1 and the rest r, count the
pairs (A, B) of subsets that induce c_1 and r in two ways, by what their union induces:

    N(c_1) N(r) = Σ_u N(u) · #{(A, B) : A ∪ B = V(u), u[A] ≅ c_1, u[B] ≅ r},

u over classes of at most |c| vertices. Of the classes on |c| vertices only c itself (as often as c_1 is a component of
it) and classes with more edges occur: A and B are then disjoint, and every edge between them is one more. So all N
follow from those of connected classes, sizes ascending and within a size with falling edges. Integers of any size.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

from dpselect.problems.graph.subsets.classes import Class, classes, components, induced, least_masks


def all_counts(connected: dict[Class, int], size: int) -> dict[Class, int]:
    """N(c) for all classes of at most `size` vertices, from N of the connected ones (those missing count 0).

    A path of three vertices:

    >>> found = all_counts({(1, 0): 3, (2, 1): 2, (3, 3): 1}, 3)
    >>> {c: n for c, n in found.items() if n}
    {(1, 0): 3, (2, 1): 2, (2, 0): 1, (3, 3): 1}
    """
    found: dict[Class, int] = {}
    for vertices in range(1, size + 1):
        for mask in sorted(classes(vertices), key=lambda c: (-c.bit_count(), c)):
            own = (vertices, mask)
            parts = components(vertices, mask)
            if len(parts) == 1:
                found[own] = connected.get(own, 0)
                continue
            first, rest = parts[0], _joined(parts[1:])
            total = found[first] * found[rest]
            for (u, pair), times in _unions(vertices).items():
                if pair == (first, rest) and u != own:
                    total -= times * found[u]
            found[own], left = divmod(total, parts.count(first))
            if left or found[own] < 0:
                raise RuntimeError("the counts of connected subsets do not fit together")
    return found


@cache
def _joined(parts: tuple[Class, ...]) -> Class:
    """The class with these components."""
    offset, mask = 0, 0
    for vertices, part in parts:
        members = range(offset, offset + vertices)
        for i in range(vertices):
            for j in range(i):
                if part >> (i * (i - 1) // 2 + j) & 1:
                    mask |= 1 << (members[i] * (members[i] - 1) // 2 + members[j])
        offset += vertices
    return offset, int(least_masks(offset)[mask])


@cache
def _wanted(size: int) -> frozenset[tuple[Class, Class]]:
    """(c_1, r) of the classes on `size` vertices that are not connected."""
    split = (components(size, mask) for mask in classes(size))
    return frozenset((parts[0], _joined(parts[1:])) for parts in split if len(parts) > 1)


@cache
def _unions(size: int) -> dict[tuple[Class, tuple[Class, Class]], int]:
    """For u of at most `size` vertices, and (c_1, r) of classes on `size`: in how many ways u is their union."""
    wanted, found = _wanted(size), Counter[tuple[Class, tuple[Class, Class]]]()
    for vertices in range(1, size + 1):
        # Every vertex belongs to A (1), to B (2) or to both (3).
        sides = [
            (sum(1 << i for i, s in enumerate(side) if s & 1), sum(1 << i for i, s in enumerate(side) if s & 2))
            for side in product((1, 2, 3), repeat=vertices)
        ]
        for mask in classes(vertices):
            own = [_induced_class(mask, subset) for subset in range(1 << vertices)]
            for a, b in sides:
                pair = (own[a], own[b])
                if pair in wanted:
                    found[(vertices, mask), pair] += 1
    return dict(found)


def _induced_class(mask: int, subset: int) -> Class:
    members = tuple(i for i in range(subset.bit_length()) if subset >> i & 1)
    return len(members), int(least_masks(len(members))[induced(mask, members)]) if members else 0
