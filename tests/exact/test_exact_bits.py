"""Bit sources and the exact coin."""

import os
from fractions import Fraction

import numpy as np
import pytest
from fitting import DRAWS, Scripted, misfit
from hypothesis import given
from hypothesis import strategies as st

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource, LazyUniform, SeededBits, SystemBits, coin
from dpselect.exact.reals import Real


@pytest.mark.parametrize("source", [SystemBits(), SeededBits(3)])
@pytest.mark.parametrize("k", [1, 7, 8, 63, 64, 65, 1000])
def test_bits_fill_their_range(source, k):
    seen = [source.bits(k) for _ in range(200)]
    assert all(0 <= x < 2**k for x in seen)
    # Each of the k bits takes both values, except with probability 2^-199 each.
    union = intersection = seen[0]
    for x in seen:
        union |= x
        intersection &= x
    assert union == 2**k - 1
    assert intersection == 0


@pytest.mark.parametrize("source", [SystemBits(), SeededBits(3)])
def test_words_are_uniform(source):
    words = source.words(10**6)
    assert words.dtype == np.uint64
    assert words.size == 10**6
    assert not misfit(words >> np.uint64(61), [1 / 8] * 8)
    assert not misfit(words & np.uint64(7), [1 / 8] * 8)
    assert source.words(0).size == 0


@given(st.lists(st.one_of(st.integers(1, 3), st.integers(200, 600)), max_size=6), st.integers(0, 2**40))
def test_a_seed_is_one_stream_however_it_is_consumed(sizes, seed):
    stream = SeededBits(seed).words(sum(sizes)).tolist()
    source, taken = SeededBits(seed), []
    for n in sizes:
        if n % 2:
            taken += source.words(n).tolist()
        else:
            value = source.bits(64 * n)
            taken += [(value >> 64 * (n - 1 - i)) & (2**64 - 1) for i in range(n)]
    assert taken == stream


def test_seeds():
    assert SeededBits(1).bits(64) != SeededBits(2).bits(64)
    assert SeededBits(np.int64(1)).bits(64) == SeededBits(1).bits(64)
    assert SeededBits(1).seeded
    assert not SystemBits().seeded
    for seed in (-1, True, 1.5, "1", None):
        with pytest.raises(InvalidParameter):
            SeededBits(seed)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_below_is_uniform(n):
    source = SeededBits(n)
    assert not misfit([source.below(n) for _ in range(20_000)], [1 / n] * n)


@given(st.integers(1, 2**80))
def test_below_stays_below(n):
    source = SeededBits(5)
    assert all(0 <= source.below(n) < n for _ in range(5))


def test_below_rejects_exactly_the_surplus():
    """n = 3 and 66 bits: 2^66 = 3q + 1, so exactly one x must be drawn again, x = 0; then x = 1 gives 0."""
    source = Scripted([0, 1])
    assert source.below(3) == 0
    assert source.script == []
    assert Scripted([2**66 - 1]).below(3) == 2
    # Every result keeps the same number of x: the first and last x of each, but for the surplus.
    q = (2**66 - 1) // 3
    assert [Scripted([x]).below(3) for x in (1, q, q + 1, 2 * q, 2 * q + 1, 3 * q)] == [0, 0, 1, 1, 2, 2]


def test_below_needs_something_to_choose():
    with pytest.raises(InvalidParameter):
        SeededBits(0).below(0)


@pytest.mark.parametrize(
    "p", [Fraction(1, 3), Fraction(7, 10), Real.of(-1).exp(), Real.of(Fraction(1, 2)).sqrt()], ids=str
)
def test_a_coin_has_its_probability(p):
    """False alarm 1e-9; a probability off by 10 % is rejected."""
    source = SeededBits(11)
    tosses = [int(coin(p, source)) for _ in range(DRAWS)]
    x = float(p)
    assert not misfit(tosses, [1 - x, x])
    assert misfit(tosses, [1 - 0.9 * x, 0.9 * x])


@pytest.mark.parametrize("wrap", [lambda p: p, lambda p: Real.of(p) + Real.of(2).sqrt() - Real.of(2).sqrt()])
def test_a_coin_is_decided_at_the_bit_where_it_differs(wrap):
    third = 2**64 // 3
    assert coin(wrap(Fraction(1, 3)), Scripted([third - 1]))
    assert not coin(wrap(Fraction(1, 3)), Scripted([third + 1]))
    # The first 64 bits of 1/3 leave it open, and again: the same uniform is continued.
    assert coin(wrap(Fraction(1, 3)), Scripted([third, third, third - 1]))
    assert not coin(wrap(Fraction(1, 3)), Scripted([third, third, third + 1]))


def test_certain_coins_use_no_bits():
    assert coin(Fraction(1), Scripted([]))
    assert coin(Fraction(7, 2), Scripted([]))
    assert not coin(Fraction(0), Scripted([]))
    assert not coin(Fraction(-1), Scripted([]))
    assert coin(Real.of(1), Scripted([]))


def test_real_coins_outside_0_and_1_are_certain():
    root = Real.of(2).sqrt()
    for seed in range(50):
        assert coin(root, SeededBits(seed))
        assert not coin(-root, SeededBits(seed))


def test_a_tiny_probability_is_not_zero():
    """e^-2000 = 2^-2885.4: 2,885 zero bits and then a one below it."""
    p = Real.of(-2000).exp()
    words = 2885 // 64
    assert coin(p, Scripted([0] * (words + 1)))
    assert not coin(p, Scripted([0] * words + [2**62]))
    assert not coin(p, Scripted([1]))


def test_an_undefined_probability_is_refused():
    with pytest.raises(InvalidParameter):
        coin(Real.of(-1).log(), SeededBits(0))


def test_a_uniform_may_be_continued():
    third = 2**64 // 3
    uniform = LazyUniform(Scripted([2**64 - 1]), third >> 32, 32)
    assert not uniform.below(Fraction(1, 3))
    assert uniform.length == 96
    assert not uniform.below(Fraction(1, 3))
    assert uniform.below(Fraction(1, 2))
    assert uniform.length == 96


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_system_bits_differ_in_a_child_and_a_seed_goes_on():
    def child_says(source: BitSource) -> int:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(write, source.bits(128).to_bytes(16, "big"))
            os._exit(0)
        os.waitpid(pid, 0)
        said = int.from_bytes(os.read(read, 16), "big")
        os.close(read)
        os.close(write)
        return said

    source = SystemBits()
    assert child_says(source) != source.bits(128)
    seeded = SeededBits(4)
    seeded.bits(10)
    assert child_says(seeded) == seeded.bits(128)
