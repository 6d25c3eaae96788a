"""Counts of the connected k-subsets of a graph by what they induce, block by block; and one of a given rank.

Blocks are ranges of least vertices. They are counted in parallel, may be stored on the way, and tell in which of them a
subset of a given rank has to be looked for.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from math import comb
from threading import Lock
from typing import Any, NoReturn, final

import numpy as np
import numpy.typing as npt

from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.subsets.checkpoint import Checkpoint
from dpselect.problems.graph.subsets.classes import Class, classes, least_masks
from dpselect.verification.progress import progress

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

BLOCKS = 256
PROBES = 4096
"""Random descents behind an estimate."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """N(v) = neighbour[start[v] : start[v + 1]] for the vertices in a given order."""

    start: Int64
    neighbour: Int32

    @staticmethod
    def of(graph: Graph, order: Int32) -> Lists:
        """The graph with vertex order[i] renamed i."""
        from dpselect.problems.graph.kernels.csr import neighbour_lists

        rank = np.empty(graph.n, np.int32)
        rank[order] = np.arange(graph.n, dtype=np.int32)
        start = np.zeros(graph.n + 1, np.int64)
        np.cumsum(graph.degrees[order], out=start[1:])
        return Lists(start, neighbour_lists(start, rank, graph.tails, graph.heads)[1])


@final
@dataclass(frozen=True, eq=False, repr=False)
class Census:
    """The connected subsets of `outer` with at most k vertices, by the class that `inner` induces on them.

    Arguments:
        inner: the graph whose induced subgraphs are asked for.
        outer: the graph in which subsets must be connected, on the same vertices (often `inner` itself).
        size: 2 ≤ k ≤ 6.

    Cost: O(1) for each subset of k vertices, on all cores; the degrees in `outer` for each of k − 1. Memory: 256 rows
    of at most 208 counts, and k n numbers for each thread.
    """

    inner: Graph
    outer: Graph
    size: int

    def __repr__(self) -> str:
        return "Census(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a census is private and cannot be pickled")

    @cached_property
    def columns(self) -> dict[Class, int]:
        """Where each class of at most k vertices is counted."""
        named = [(vertices, mask) for vertices in range(1, self.size + 1) for mask in classes(vertices)]
        return {c: i for i, c in enumerate(named)}

    @cached_property
    def order(self) -> Int32:
        """Rising degrees: a subset is counted with its member of lowest degree, which spreads those of hubs."""
        return np.argsort(self.outer.degrees, kind="stable").astype(np.int32)

    @cached_property
    def lists(self) -> tuple[Lists, Lists]:
        """(outer, inner)."""
        outer = Lists.of(self.outer, self.order)
        return outer, outer if self.inner is self.outer else Lists.of(self.inner, self.order)

    @cached_property
    def walks(self) -> Int64:
        """What a least vertex may cost, roughly: its walks of k − 1 steps, at most three."""
        return np.minimum(self.outer.degrees[self.order], 1 << 15) ** min(self.size - 1, 3)

    @cached_property
    def ends(self) -> Int64:
        """Blocks of vertices with about the same number of walks; one block for a small graph."""
        from dpselect.problems.graph.kernels.blocks import SMALLEST_SHARE, even_blocks

        return even_blocks(self.walks, BLOCKS if int(self.walks.sum()) > SMALLEST_SHARE else 1)

    def estimate(self) -> float:
        """About how many connected subsets of k vertices there are: Knuth's estimate from random descents.

        Reproducible. Each descent takes a next vertex uniformly at every level, and weighs what it finds with the
        number of choices it had: unbiased.
        """
        rng, (lists, _) = np.random.default_rng(0), self.lists
        start, neighbour = lists.start, lists.neighbour
        owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
        larger = np.bincount(owner[neighbour > owner], minlength=len(start) - 1)
        total = int(larger.sum())
        if self.size == 2 or total == 0:
            return float(total)
        roots = rng.choice(len(larger), size=PROBES, p=larger / total)
        return float(np.mean([self._descent(int(root), total / larger[root], rng) for root in roots]))

    def _descent(self, root: int, weight: float, rng: np.random.Generator) -> float:
        lists, _ = self.lists

        def near(v: int) -> set[int]:
            return {x for x in lists.neighbour[lists.start[v] : lists.start[v + 1]].tolist() if x > root}

        queue = list(near(root))
        seen = set(queue)
        for _ in range(self.size - 2):
            if not queue:
                return 0.0
            weight *= len(queue)
            at = int(rng.integers(len(queue)))
            new = near(queue[at]) - seen
            seen |= new
            queue = [*queue[at + 1 :], *new]
        return weight * len(queue)

    def count(self, checkpoint: Checkpoint | None = None, threads: int | None = None) -> Int64:
        """int64[blocks, classes]: the subsets of each block. With a checkpoint, what it holds is not counted again."""
        from dpselect.problems.graph.certificates.codegrees import threads_for
        from dpselect.problems.graph.kernels.blocks import run_blocks

        rows = np.full((len(self.ends) - 1, len(self.columns)), -1, np.int64)
        if checkpoint is not None:
            checkpoint.restore(rows)
        missing = np.flatnonzero(rows[:, 0] < 0)
        lock = Lock()
        # Terminals only, and only after two seconds.
        about = f"about {self.estimate():.2g} " if sys.stderr.isatty() and len(missing) else ""
        with progress(f"Counting {about}connected subgraphs", len(missing)) as step:

            def work(scratch: Scratch, lo: int, hi: int) -> None:
                for block in missing[lo:hi].tolist():
                    row = self._block(scratch, block)
                    with lock:
                        rows[block] = row
                        step()
                        if checkpoint is not None:
                            checkpoint.save(rows)

            count = threads_for(int(self.walks.sum())) if threads is None else threads
            run_blocks(np.arange(len(missing) + 1), lambda: Scratch.of(self), work, count)
        if checkpoint is not None:
            checkpoint.save(rows, now=True)
        return rows

    def _block(self, scratch: Scratch, block: int) -> Int64:
        scratch.counts[:] = 0
        scratch.visit(self, block, self.size, np.zeros(1, np.bool_), -1)
        row = np.zeros(len(self.columns), np.int64)
        for vertices in range(1, self.size + 1):
            masks = np.flatnonzero(scratch.counts[vertices - 1])
            of_class = least_masks(vertices)[masks]
            for mask in np.unique(of_class).tolist():
                row[self.columns[vertices, mask]] = scratch.counts[vertices - 1, masks[of_class == mask]].sum()
        return row

    def member(self, rows: Int64, wanted: Class, rank: int) -> tuple[int, ...]:
        """The connected subset number `rank` (from 0) of this class in the order of listing: ascending indices."""
        vertices, mask = wanted
        column = rows[:, self.columns[wanted]]
        ends = np.cumsum(column)
        block = int(np.searchsorted(ends, rank, side="right"))
        within = rank - int(ends[block] - column[block])
        if vertices == 1:
            return (int(self.order[self.ends[block] + within]),)
        scratch = Scratch.of(self)
        found = scratch.visit(self, block, vertices, least_masks(vertices) == mask, within)
        return tuple(sorted(self.order[found].tolist()))


@final
@dataclass(frozen=True, eq=False, repr=False)
class Scratch:
    """What one thread works with."""

    near: npt.NDArray[np.uint8]
    inner: npt.NDArray[np.uint8]
    queue: Int32
    counts: Int64

    @staticmethod
    def of(census: Census) -> Scratch:
        n, k = census.outer.n, census.size
        counts = np.zeros((k, 1 << comb(k, 2)), np.int64)
        return Scratch(np.zeros(n, np.uint8), np.zeros(n, np.uint8), np.empty(k * n + 1, np.int32), counts)

    def visit(self, census: Census, block: int, vertices: int, wanted: Any, target: int) -> Int32:
        """Goes through one block; with a target, the subset that is met (in the census' order of vertices)."""
        from dpselect.problems.graph.kernels.connected_subsets import connected_subsets

        (outer, inner), found = census.lists, np.empty(vertices, np.int32)
        lo, hi = int(census.ends[block]), int(census.ends[block + 1])
        met = connected_subsets(
            lo, hi, outer.start, outer.neighbour, inner.start, inner.neighbour,
            vertices, self.near, self.inner, self.queue, self.counts, wanted, target, found,
        )  # fmt: skip
        if met != (target >= 0):
            raise RuntimeError("the same enumeration gave two results")
        return found
