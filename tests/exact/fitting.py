"""Does a sample come from a law? An exact test with a stated false-alarm rate, and a source with scripted bits."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from dpselect.exact.bits import BitSource

FALSE_ALARM = 1e-9
DRAWS = 100_000


def misfit(sample: Sequence[int], law: Sequence[float]) -> bool:
    """Whether the sample contradicts the law at false-alarm rate 1e-9.

    Each cell's count is binomial: it is rejected if either exact tail is below 1e-9 / (2 · cells). With 10^5 draws
    and cells of probability at least 0.1 a law whose temperature or scale is off by 10 % is rejected with
    probability above 0.999; the tests check that on controls.
    """
    counts = np.bincount(np.asarray(sample), minlength=len(law))
    assert counts.size == len(law)
    level = FALSE_ALARM / (2 * len(law))
    total = int(counts.sum())
    lower = binom.cdf(counts, total, law)
    upper = binom.sf(counts - 1, total, law)
    return bool(np.any(np.minimum(lower, upper) < level))


class Scripted(BitSource):
    """Returns the scripted integers in turn, whatever length is asked for (each must fit)."""

    def __init__(self, script: Iterable[int]) -> None:
        self.script = list(script)
        self.asked: list[int] = []

    @property
    def seeded(self) -> bool:
        return True

    def bits(self, k: int) -> int:
        self.asked.append(k)
        value = self.script.pop(0)
        assert 0 <= value < 2**k
        return value

    def words(self, n: int) -> NDArray[np.uint64]:
        return np.array([self.bits(64) for _ in range(n)], dtype=np.uint64)


class Coins(BitSource):
    """Fixes the second of two coins of permute-and-flip: its first 48 bits, then `rest` for ever; picks the last.

    The first coin's bits are all 0.
    """

    def __init__(self, known: int, rest: int) -> None:
        self.words_left = [(known >> 32) << 16, known & (2**32 - 1)]
        self.rest = rest
        self.refined = 0

    @property
    def seeded(self) -> bool:
        return True

    def bits(self, k: int) -> int:
        if k != 64:
            return 2**k - 1
        self.refined += 1
        return self.rest

    def words(self, n: int) -> NDArray[np.uint64]:
        assert n == 1
        return np.array([self.words_left.pop(0)], dtype="<u8")


class Counting(BitSource):
    """Passes on another source and counts the calls."""

    def __init__(self, source: BitSource) -> None:
        self.source = source
        self.calls = 0

    @property
    def seeded(self) -> bool:
        return self.source.seeded

    def bits(self, k: int) -> int:
        self.calls += 1
        return self.source.bits(k)

    def words(self, n: int) -> NDArray[np.uint64]:
        self.calls += 1
        return self.source.words(n)


def taylor_exp(x: Fraction, terms: int = 80) -> tuple[Fraction, Fraction]:
    """lo ≤ e^x ≤ hi for |x| ≤ 8, from the series and its remainder: no library of real numbers is involved."""
    term = total = Fraction(1)
    for k in range(1, terms):
        term = term * x / k
        total += term
    remainder = abs(term) * abs(x) / terms * 2
    return total - remainder, total + remainder
