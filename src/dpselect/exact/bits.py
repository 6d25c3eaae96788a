"""Random bits, and the exact coin that is tossed with them.

    U ∈ [0, 1) uniform, as a growing bit string;   coin(p) = [U < p],   so Pr[coin(p) = 1] = p exactly

A decision reads only as many bits of U as it takes to tell U from p, for any rational or real p.

Source: theory section 10, "Lazy uniform".
"""

import os
import threading
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.reals import Real

_STEP: Final = 64
"""Bits by which a lazy uniform grows."""


class BitSource(ABC):
    """A source of independent fair bits."""

    __slots__ = ()

    @property
    @abstractmethod
    def seeded(self) -> bool:
        """Whether the bits can be predicted from a seed, so that nothing drawn with them is private."""

    @abstractmethod
    def bits(self, k: int) -> int:
        """A uniform integer in [0, 2^k), k ≥ 1."""

    @abstractmethod
    def words(self, n: int) -> NDArray[np.uint64]:
        """n uniform 64-bit words."""

    @final
    def below(self, n: int) -> int:
        """A uniform integer in [0, n), n ≥ 1, exactly.

        x uniform in [0, 2^b), b = bits of n + 64; ⌊x·n / 2^b⌋ is uniform once the x with (x·n mod 2^b) <
        (2^b mod n) are drawn again, so that every result keeps ⌊2^b / n⌋ of them (Lemire 2019). That
        happens with probability below 2^-64: a loop over b = bits of n would run a number of times that
        depends on n, which may be private.

        >>> SeededBits(1).below(1)
        0
        """
        if n < 1:
            raise InvalidParameter("below(n) needs n ≥ 1")
        length = n.bit_length() + 64
        mask = (1 << length) - 1
        while True:
            product = self.bits(length) * n
            if (remainder := product & mask) >= n or remainder >= (1 << length) % n:
                return product >> length


@final
class SystemBits(BitSource):
    """Bits from the operating system's generator; no state here, so it is safe across threads and forks.

    >>> 0 <= SystemBits().bits(10) < 1024, SystemBits().seeded
    (True, False)
    """

    __slots__ = ()

    @property
    def seeded(self) -> bool:
        return False

    def bits(self, k: int) -> int:
        size = (k + 7) // 8
        return int.from_bytes(os.urandom(size), "little") >> (8 * size - k)

    def words(self, n: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def __repr__(self) -> str:
        return "SystemBits()"


# One lock for all seeded sources (they are for experiments): a child re-makes it, whoever held it.
_seeded_lock = threading.Lock()


def _remake_lock() -> None:
    global _seeded_lock
    _seeded_lock = threading.Lock()


os.register_at_fork(after_in_child=_remake_lock)


@final
class SeededBits(BitSource):
    """One reproducible stream of 64-bit words (PCG64), consumed by every call; never for privacy.

    `bits(k)` takes ⌈k/64⌉ words and `words(n)` takes n, whatever was asked before. Threads may share one
    (each word is given out once; who gets it depends on timing). After a fork parent and child continue
    with the same words.

    >>> SeededBits(7).bits(8) == SeededBits(7).bits(8), SeededBits(7).seeded
    (True, True)
    """

    __slots__ = ("_buffer", "_generator", "_seed")

    _BUFFERED: Final = 256

    def __init__(self, seed: int) -> None:
        """`seed`: a non-negative integer."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InvalidParameter("seed must be a non-negative integer")
        self._seed = int(seed)
        self._generator = np.random.PCG64(self._seed)
        self._buffer: list[int] = []

    @property
    def seeded(self) -> bool:
        return True

    def bits(self, k: int) -> int:
        value = 0
        count = (k + 63) // 64
        with _seeded_lock:
            buffer = self._buffer
            for _ in range(count):
                if not buffer:
                    buffer.extend(self._generator.random_raw(self._BUFFERED)[::-1].tolist())
                value = (value << 64) | buffer.pop()
        return value >> (64 * count - k)

    def words(self, n: int) -> NDArray[np.uint64]:
        with _seeded_lock:
            taken = min(n, len(self._buffer))
            if taken == 0:
                return self._generator.random_raw(n)
            head = self._buffer[-taken:][::-1]
            del self._buffer[-taken:]
            words: NDArray[np.uint64] = np.empty(n, dtype=np.uint64)
            words[:taken] = head
            if n > taken:
                words[taken:] = self._generator.random_raw(n - taken)
            return words

    def __repr__(self) -> str:
        return f"SeededBits({self._seed})"


@final
class LazyUniform:
    """U uniform in [0, 1), of which `length` bits are known: position/2^length ≤ U < (position + 1)/2^length.

    It may continue a uniform whose first bits were drawn elsewhere.

    >>> u = LazyUniform(SeededBits(0)); u.grow(); u.length
    64
    """

    __slots__ = ("_source", "length", "position")

    def __init__(self, source: BitSource, position: int = 0, length: int = 0) -> None:
        self._source = source
        self.position = position
        self.length = length

    def grow(self) -> None:
        """Draw the next 64 bits."""
        self.position = (self.position << _STEP) | self._source.bits(_STEP)
        self.length += _STEP

    def below(self, p: Fraction | int | Real) -> bool:
        """U < p, decided by refining U and p until they separate.

        Equation: Pr[U < p] = min(1, max(0, p)). For a real p that equals U (probability 0) it would not
        end; it raises `InvalidParameter` if p is undefined. Cost: 64 bits and one enclosure, more with
        probability 2^-64.
        """
        if isinstance(p, Real):
            if p.rational is None:
                return self._below_real(p)
            p = p.rational
        numerator, denominator = p.numerator, p.denominator
        # Certain outcomes need no bits; for a random U they would be found only with the last bit.
        if numerator <= 0 or numerator >= denominator:
            return numerator > 0
        while True:
            if self.length:
                scaled = numerator << self.length
                if (self.position + 1) * denominator <= scaled:
                    return True
                if self.position * denominator >= scaled:
                    return False
            self.grow()

    def _below_real(self, p: Real) -> bool:
        while True:
            if self.length:
                side = p.against(self.position, self.length, self.length + _STEP)
                if side:
                    return side > 0
            self.grow()

    def __repr__(self) -> str:
        return "LazyUniform(<private>)"


def coin(p: Fraction | int | Real, source: BitSource) -> bool:
    """A coin with Pr[True] = p exactly (0 if p ≤ 0, 1 if p ≥ 1).

    >>> coin(Fraction(1), SeededBits(0)), coin(Fraction(0), SeededBits(0))
    (True, False)
    """
    return LazyUniform(source).below(p)
