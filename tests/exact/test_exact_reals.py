"""Reals: enclosures enclose, decisions wait until balls separate, the global precision is nobody's business."""

import copy
import math
import os
import pickle
import threading
from fractions import Fraction

import flint
import pytest
from fitting import taylor_exp
from hypothesis import given
from hypothesis import strategies as st

from dpselect.errors import InvalidParameter
from dpselect.exact import reals
from dpselect.exact.reals import Real, less

rationals = st.fractions(min_value=-8, max_value=8, max_denominator=10**12)
positive = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**12)
lengths = st.integers(2, 300)


def hidden(x: Fraction) -> Real:
    """The rational x as an expression that is not known to be rational."""
    root = Real.of(2).sqrt()
    return Real.of(x) + root - root


def is_dyadic(x: Fraction) -> bool:
    return x.denominator & (x.denominator - 1) == 0


@given(rationals, rationals, rationals, lengths)
def test_arithmetic_encloses_the_rational_result(a, b, c, bits):
    x, y, z = hidden(a), hidden(b), hidden(c)
    for real, number in (
        (x + y * z, a + b * c),
        (x - y, a - b),
        (-x * z, -a * c),
        (2 - x, 2 - a),
        (1 + x * 3, 1 + 3 * a),
        (Real.maximum([x, y, z]), max(a, b, c)),
        (Real.minimum([x, y, c]), min(a, b, c)),
        (Real.total([x, y, c, z]), a + b + c + c),
    ):
        lo, hi = real.enclosure(bits)
        assert lo <= number <= hi
        assert is_dyadic(lo)
        assert is_dyadic(hi)
        assert (hi - lo) * 2**bits <= max(1, abs(lo), abs(hi))
        assert real.lower(bits) <= number <= real.upper(bits)
    if c:
        lo, hi = (1 / z).enclosure(bits)
        assert lo <= 1 / c <= hi


@given(rationals, lengths)
def test_exp_meets_its_series(x, bits):
    lo, hi = taylor_exp(x)
    for real in (Real.of(x).exp(), hidden(x).exp(), Real.of(x).expm1() + 1):
        a, b = real.enclosure(bits)
        # Both enclose e^x, so they meet; the series is finer than 2^-60.
        assert a <= hi
        assert lo <= b
        assert (b - a) * 2**bits <= max(1, abs(a), abs(b))
    assert math.isclose(float(Real.of(x).exp()), float(lo), rel_tol=1e-15)


@given(positive, lengths)
def test_log_and_sqrt_are_inverses(x, bits):
    for real in (Real.of(x).log().exp(), (Real.of(x) - 1).log1p().exp(), Real.of(x).sqrt() * Real.of(x).sqrt()):
        lo, hi = real.enclosure(bits)
        assert lo <= x <= hi
    lo, hi = Real.of(x).sqrt().enclosure(bits)
    assert lo * lo <= x <= hi * hi


def test_the_maximum_of_overlapping_balls_is_a_ball_around_both():
    """At 2^-100 apart, 40 bits cannot tell them: the ball must hold both upper ends, not pick one number's."""
    a, b = hidden(Fraction(1)), hidden(1 + Fraction(1, 2**100))
    for items in ([a, b], [b, a]):
        lo, hi = Real.maximum(items).enclosure(40)
        assert lo <= 1 + Fraction(1, 2**100) <= hi
        lo, hi = Real.maximum(items).enclosure(200)
        assert lo <= 1 + Fraction(1, 2**100) <= hi
        assert lo > 1


def test_rational_arithmetic_stays_rational():
    third = Real.of(Fraction(1, 3))
    assert (third + third * 2 - 1 / third + 1).rational == Fraction(-1)
    assert Real.maximum([third, 1]).rational == 1
    assert Real.of(0).exp().rational == 1
    assert Real.of(1).log().rational == 0


@given(rationals, rationals)
def test_less_decides(a, b):
    assert less(a, b) == (a < b)
    if a != b:
        assert less(hidden(a), hidden(b)) == (a < b)
        assert less(hidden(a), b) == (a < b)


def test_less_refuses_to_search_for_ever():
    with pytest.raises(InvalidParameter):
        less(Real.of(2).sqrt() * Real.of(2).sqrt(), 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Real.of(-1).log(),
        lambda: Real.of(-1).sqrt(),
        lambda: Real.of(-2).log1p(),
        lambda: 1 / (Real.of(2).sqrt() - Real.of(2).sqrt()),
        lambda: Real.of(0) / 0,
        lambda: Real.maximum([]),
        lambda: Real.of(10**400).exp(),
    ],
)
def test_undefined_numbers_are_refused(make):
    with pytest.raises(InvalidParameter):
        make().enclosure(20)


def test_a_tiny_weight_is_positive_and_costs_nothing():
    tiny = Real.of(-(10**30)).exp()
    lo, hi = tiny.enclosure(80)
    assert lo == 0
    assert 0 < hi <= Fraction(1, 2 ** (2**20))
    assert float(tiny) == 0.0
    assert less(0, tiny)


def test_float():
    assert float(Real.of(Fraction(1, 3))) == 1 / 3
    assert float(Real.of(2).sqrt()) == math.sqrt(2)
    assert float(hidden(Fraction(1, 3)) - Fraction(1, 3)) == 0.0
    assert float(Real.of(-745).exp()) == 5e-324


@pytest.mark.parametrize("value", [0.5, True, "1", None])
def test_only_exact_numbers_become_reals(value):
    with pytest.raises(TypeError):
        Real.of(value)
    with pytest.raises(TypeError):
        Real.of(1) + value


def test_a_real_is_not_compared_shown_or_serialised():
    x = Real.of(Fraction(123457, 1000))
    for act in (lambda: x == x, lambda: x < 1, lambda: bool(x), lambda: pickle.dumps(x), lambda: copy.copy(x)):
        with pytest.raises(TypeError):
            act()
    assert "123" not in repr(x)
    assert len({x, x}) == 1


def test_the_global_precision_is_put_back():
    before = flint.ctx.prec
    try:
        flint.ctx.prec = 77
        Real.of(3).log().enclosure(500)
        assert flint.ctx.prec == 77
        with pytest.raises(InvalidParameter):
            Real.of(-1).log().enclosure(500)
        assert flint.ctx.prec == 77
        flint.ctx.prec = 2
        lo, hi = Real.of(3).log().enclosure(300)
        assert hi - lo < Fraction(1, 2**290)
    finally:
        flint.ctx.prec = before


def test_threads_at_different_precisions_do_not_disturb_each_other():
    expected = {bits: Real.of(3).log().enclosure(bits) for bits in (20, 100, 2000)}
    shared = Real.of(3).log()
    wrong = []

    def work(bits: int) -> None:
        for i in range(400):
            x = shared if i % 2 else Real.of(3).log()
            if x.enclosure(bits) != expected[bits]:
                wrong.append(bits)

    threads = [threading.Thread(target=work, args=(bits,)) for bits in expected for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_is_not_blocked_by_a_thread_that_held_the_lock():
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with reals._lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(20)
        lo, hi = Real.of(2).log().enclosure(100)
        os._exit(0 if lo < hi else 1)
    release.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_interval_encloses_the_result_for_every_number_in_it():
    lo, hi = Real.interval(5, 3).log().ends(100)
    for x in (Fraction(5, 8), Fraction(11, 16), Fraction(6, 8)):
        a, b = Real.of(x).log().enclosure(150)
        assert lo <= a
        assert b <= hi
    assert Real.interval(0, 8).log().ends(100) is None
