"""The net form on its own: the table of levels, its two implementations, and the first feasible pair."""

from __future__ import annotations

import numpy as np
import pytest

from dpselect.errors import InvalidParameter
from dpselect.problems.graph.certificates.binomials import binomials
from dpselect.problems.graph.certificates.net import Drops, flips, levels, merged, reachable
from dpselect.problems.graph.certificates.truncation import enough_flips


def draw(rng: np.random.Generator, share: bool) -> tuple[np.ndarray, Drops, np.ndarray]:
    K, n = int(rng.integers(1, 9)), int(rng.integers(1, 30))
    scores = rng.integers(0, rng.choice([3, 40, 1000]), n)
    largest = np.sort(rng.integers(0, rng.choice([2, 30]), (K, K)), axis=1)[:, ::-1].copy()
    drops = Drops(largest, int(rng.integers(0, 4)), rng.integers(1, 6, K) if share else None)
    raises = np.concatenate((np.zeros((n, 1), dtype=np.int64), rng.integers(0, 60, (n, K - 1)).cumsum(axis=1)), axis=1)
    return scores, drops, raises


def plain_level(scores: np.ndarray, drops: Drops, i: int, j: int) -> int:
    """max over all sizes, by fractions."""
    from fractions import Fraction
    from math import ceil

    falling = sorted(scores.tolist(), reverse=True)
    best = 0
    for N in range(1, len(falling) + 1):
        taken = sum(drops.one(N, i, int(c)) for c in drops.largest[i, :j])
        best = max(best, ceil(Fraction(sum(falling[:N]) - taken, N)))
    return best


@pytest.mark.parametrize("share", [False, True])
def test_levels_by_fractions_and_without_a_word_size(share):
    rng = np.random.default_rng(1)
    for _ in range(150):
        scores, drops, _ = draw(rng, share)
        table = levels(scores, drops)
        as_objects = levels(scores.astype(object), drops)
        K = drops.limit
        for i in range(K):
            for j in range(K - i):
                assert table[i, j] == as_objects[i, j] == plain_level(scores, drops, i, j)


def test_large_numbers_switch_to_python_integers():
    scores = np.array([2**60, 2**60 - 5, 7])
    drops = Drops(np.full((3, 3), 2**59), 1)
    table = levels(scores, drops)
    assert table.dtype == object
    assert table[0].tolist() == [2**60, 2**59, max(0, -((3 * 2**60 - 2**61 - 2) // 3))]


def test_first_feasible_pair():
    rng = np.random.default_rng(2)
    for _ in range(150):
        scores, drops, raises = draw(rng, True)
        table = levels(scores, drops)
        K = drops.limit
        plain = [
            min(
                (i + j for i in range(K) for j in range(K - i) if scores[r] + raises[r, i] >= table[i, j]),
                default=K,
            )
            for r in range(len(scores))
        ]
        assert flips(scores, raises, table).tolist() == plain
        assert flips(scores.astype(object), raises, table).tolist() == plain
        assert flips(scores, np.repeat(raises[:, :, None], K, axis=2), table).tolist() == plain
        assert (np.array(plain)[~reachable(scores, raises, table)] == K).all()


def test_a_table_that_rises_with_j_is_allowed():
    """Nothing in the net form asks for falling levels; the first feasible j may lie behind worse ones."""
    table = np.array([[5, 9, 2], [5, 5, 5], [5, 5, 5]])
    assert flips(np.array([5, 4, 2, 1]), np.zeros((4, 3), dtype=np.int64), table).tolist() == [0, 2, 2, 3]


def test_merged_rows():
    rows = merged(np.array([7, 4, 1]), np.array([0, 2, 5]), np.array([0, 8, 8]), cap=11)
    assert rows.tolist() == [[7, 4, 1], [9, 8, 6], [11, 9, 8]]


def test_enough_flips_is_enough():
    for n, epsilon in [(1, 1.0), (10, 0.5), (10**6, 1.0), (10**6, 0.1)]:
        K = enough_flips(n, epsilon)
        assert n * np.exp(-epsilon * K / 2) <= 1e-6
        assert n * np.exp(-epsilon * (K - 1) / 2) > 1e-6
    with pytest.raises(InvalidParameter, match="epsilon"):
        enough_flips(10, 0)
    with pytest.raises(InvalidParameter, match="n"):
        enough_flips(0, 1)


def test_binomials():
    from math import comb

    values = np.arange(12)
    for k in range(5):
        assert binomials(values, k).tolist() == [comb(int(v), k) for v in values]
    assert binomials(values, -1).tolist() == [0] * 12
    large = binomials(np.array([10**6, 3]), 4)
    assert large.tolist() == [comb(10**6, 4), 0]
