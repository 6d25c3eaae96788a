"""The two draws have exactly their laws, with work that does not depend on the weights."""

import itertools
import math
import os
import threading
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from fitting import DRAWS, Coins, Counting, Scripted, misfit, taylor_exp
from hypothesis import given
from hypothesis import strategies as st

from dpselect.errors import InvalidParameter
from dpselect.exact import draw
from dpselect.exact.bits import SeededBits, SystemBits
from dpselect.exact.draw import gibbs, permute_and_flip
from dpselect.exact.exponents import Exponents
from dpselect.exact.reals import Real
from dpselect.exact.scores import RealScores, Scores

SAMPLERS = [gibbs, permute_and_flip]


def gibbs_law(z: list[float]) -> list[float]:
    w = np.exp(-np.array(z))
    return list(w / w.sum())


def permute_and_flip_law(z: list[float]) -> list[float]:
    """By the definition: over all orders, the first candidate whose coin falls on heads."""
    w, m = np.exp(-np.array(z)), len(z)
    law = np.zeros(m)
    for order in itertools.permutations(range(m)):
        nobody = 1.0
        for r in order:
            law[r] += nobody * w[r] / math.factorial(m)
            nobody *= 1 - w[r]
    return list(law)


LAWS = {gibbs: gibbs_law, permute_and_flip: permute_and_flip_law}


def exponents_of(values: list[Fraction | Real | None], error: float = 2.0**-44, off: float = 0.0) -> Exponents:
    """Proposals as far off as their error allows, off ∈ [−1, 1]."""
    proposal = [math.inf if z is None else float(z) + off * error * max(1.0, float(z)) for z in values]
    return Exponents(np.maximum(np.array(proposal), 0.0), lambda i: values[i], error)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    "z",
    [
        [Fraction(0), Fraction(1), Fraction(1, 2)],
        [Fraction(0), Fraction(0), Fraction(1)],
        [Real.of(2).log(), Fraction(0), Real.of(3).log()],
    ],
    ids=["rational", "tie", "real"],
)
def test_the_law_is_exact(sampler, z):
    """False alarm 1e-9; a temperature off by 10 % either way is rejected."""
    source, exponents = SeededBits(31), exponents_of(z)
    sample = [sampler(exponents, source) for _ in range(DRAWS)]
    floats = [float(x) for x in z]
    law = LAWS[sampler]
    assert min(law(floats)) >= 0.1
    assert not misfit(sample, law(floats))
    assert misfit(sample, law([1.1 * x for x in floats]))
    assert misfit(sample, law([x / 1.1 for x in floats]))


def test_the_two_laws_differ():
    z = [Fraction(0), Fraction(1), Fraction(1, 2)]
    source, exponents = SeededBits(32), exponents_of(z)
    floats = [float(x) for x in z]
    assert misfit([gibbs(exponents, source) for _ in range(DRAWS)], permute_and_flip_law(floats))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("off", [-1.0, 1.0])
def test_proposals_are_only_proposals(sampler, off):
    """With the coarsest proposals, all wrong in the same direction by 2^-16, the law is still exact; a law moved by as
    much cannot be told apart with 10^5 draws, so the coin itself is looked at below."""
    z = [Fraction(0), Fraction(1), Fraction(1, 2)]
    source, exponents = SeededBits(33), exponents_of(z, 2.0**-16, off)
    sample = [sampler(exponents, source) for _ in range(20_000)]
    assert not misfit(sample, LAWS[sampler]([float(x) for x in z]))


def over_weight(z: Fraction, off: float, error: float, m: int) -> tuple[int, int, Exponents]:
    exponents = exponents_of([z] * 2, error, off)
    shift = 61 - (m - 1).bit_length()
    weights = draw._over_weights(
        exponents.proposal, 2.0**shift * (1 + 64 * error), np.empty(2), np.empty(2, dtype=np.int64)
    )
    return int(weights[0]), shift, exponents


@given(
    st.fractions(0, 70, max_denominator=2**40),
    st.sampled_from([-1.0, 1.0]),
    st.sampled_from([2.0**-44, 2.0**-30, 2.0**-16]),
    st.sampled_from([2, 1000, 10**6, 10**8]),
)
def test_over_weights_are_above_the_weights_and_hardly(z, off, error, m):
    """2^σ e^-z ≤ W even for the worst proposal that is allowed, and rejections are as rare as promised."""
    weight, shift, exponents = over_weight(z, off, error, m)
    assert weight >= 1
    lo, hi = Real.of(draw.acceptance(exponents, 0, weight, shift)).enclosure(120)
    assert 0 < hi <= 1
    assert lo > 0
    excess = weight - 2**shift * Real.of(-z).exp().lower(150)
    assert excess <= 2**shift * Real.of(-z).exp().upper(150) * Fraction(128 * error) * Fraction(1001, 1000) + 1


def test_a_proposal_beyond_its_error_breaks_the_over_weight():
    """The negative control of the test above: 2^-37 off, with the default error."""
    z = Fraction(1)
    exponents = Exponents(np.array([1 + 2.0**-37] * 2), lambda i: z)
    weights = draw._over_weights(exponents.proposal, 2.0**60 * (1 + 2.0**-38), np.empty(2), np.empty(2, dtype=np.int64))
    assert Real.of(draw.acceptance(exponents, 0, int(weights[0]), 60)).enclosure(120)[0] > 1


@pytest.mark.parametrize("error", [2.0**-44, 2.0**-16])
def test_numpy_exp_is_as_accurate_as_the_proof_assumes(error):
    """Within 2^-47 relative on the range that matters, against series of rationals."""
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(0, 8, 200), 2.0 ** rng.uniform(-60, 3, 100)])
    floats = np.exp(-x)
    for a, b in zip(x.tolist(), floats.tolist(), strict=True):
        lo, hi = taylor_exp(-Fraction(a))
        assert abs(Fraction(b) - lo) <= lo / 2**47 + (hi - lo)
    far = rng.uniform(8, 64, 300)
    for a, b in zip(far.tolist(), np.exp(-far).tolist(), strict=True):
        lo, hi = Real.of(-Fraction(a)).exp().enclosure(200)
        assert abs(Fraction(b) - lo) <= hi / 2**47


def test_gibbs_never_loses_a_candidate_2000_temperatures_behind():
    """Its over-weight is 1 = the last position; its coin has probability 2^60 e^-2000 > 0 and can fall on heads."""
    z = exponents_of([Fraction(0), Fraction(2000)])
    scratch, weights = np.empty(2), np.empty(2, dtype=np.int64)
    total = int(draw._over_weights(z.proposal, 2.0**60 * (1 + 2.0**-38), scratch, weights).sum())
    assert weights[1] == 1
    length = total.bit_length() + 64
    last = ((total - 1 << length) // total) + 1
    zeros = [0] * (2885 // 64 + 1)
    assert gibbs(z, Scripted([last, *zeros])) == 1
    # Else it is drawn again: here the first candidate.
    assert gibbs(z, Scripted([last, 1, 2**64, 0])) == 0
    lo, hi = Real.of(draw.acceptance(z, 1, 1, 60)).enclosure(4000)
    assert 0 < lo < hi


def test_permute_and_flip_never_loses_a_candidate_2000_temperatures_behind():
    """Its coin is refined: heads after 2,885 zeros, tails at a one much earlier."""
    z = exponents_of([Fraction(0), Fraction(2000)])
    source = Coins(0, 0)
    assert permute_and_flip(z, source) == 1
    assert source.refined >= 2885 // 64
    assert permute_and_flip(z, Coins(0, 1)) == 0


def test_permute_and_flip_continues_the_same_uniform():
    """w = e^-1: 16 bits equal to those of w leave the coin open, and so do 48; the next bits decide it."""
    z = exponents_of([Fraction(0), Fraction(1)])
    lo, _ = Real.of(-1).exp().enclosure(200)
    known, rest = divmod(math.floor(lo * 2**112), 2**64)
    for bits, heads, refined in (
        ((known, rest - 1), 1, 1),
        ((known, rest + 1), 0, 1),
        ((known - 50, 2**64 - 1), 1, 0),
        ((known + 50, 0), 0, 0),
        ((known - 99, 0), 1, 0),
        ((known + 99, 0), 0, 0),
        ((known - 2**40, 0), 1, 0),
        ((known + 2**40, 0), 0, 0),
    ):
        source = Coins(*bits)
        assert permute_and_flip(z, source) == heads
        assert source.refined == refined


def test_the_same_number_of_coins_is_left_open_for_every_weight():
    """Of the 2^16 values of the first bits exactly 4 need more bits, at any weight."""
    for z in (Fraction(0), Fraction(1, 10**6), Fraction(1), Fraction(11), Fraction(40), Fraction(10**9)):
        exponents, left_open = exponents_of([Fraction(0), z]), 0
        for first in range(2**16):
            if min(first, 2**16 - first, abs(first - math.exp(-z) * 2**16)) > 10:
                continue
            source = Coins(first << 32, 2**63)
            permute_and_flip(exponents, source)
            left_open += not source.words_left
        assert left_open == 4


@pytest.mark.parametrize("error", [2.0**-44, 2.0**-30, 2.0**-16])
@given(
    z=st.fractions(0, 50, max_denominator=2**40),
    off=st.sampled_from([-1.0, 1.0]),
    nudge=st.one_of(st.integers(-4, 4), *(st.integers(-(2**k), 2**k) for k in (8, 20, 34, 36, 40))),
)
def test_coins_decided_from_a_prefix_are_decided_rightly(error, z, off, nudge):
    """Whatever the first bits, the outcome is that of the exact coin."""
    exponents = exponents_of([Fraction(0), z], error, off)
    weight = Real.of(-z).exp()
    known = min(max(math.floor(weight.lower(100) * 2**48) + nudge, 0), 2**48 - 1)
    for rest in (0, 2**64 - 1):
        u = Fraction((known << 64) + rest, 2**112)
        if u + Fraction(1, 2**112) <= weight.lower(200):
            heads = True
        elif u >= weight.upper(200):
            heads = False
        else:
            continue
        # The source picks the last member of S.
        assert permute_and_flip(exponents, Coins(known, rest)) == int(heads)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_maximisers_and_excluded_candidates(sampler):
    source = SeededBits(34)
    z = exponents_of([None, Fraction(0), None, Fraction(10**40), Fraction(0), None])
    assert {sampler(z, source) for _ in range(300)} == {1, 4}
    with pytest.raises(InvalidParameter):
        sampler(exponents_of([None, None]), source)


def test_an_excluded_candidate_is_not_tossed_even_if_its_prefix_is_zero():
    assert permute_and_flip(exponents_of([Fraction(0), None]), Coins(0, 0)) == 0


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_candidate_costs_no_bits(sampler):
    assert sampler(exponents_of([Fraction(0)]), Scripted([])) == 0


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_extreme_scores(sampler):
    source = SeededBits(35)
    cases = [
        ([0, 10**40, 10**40 - 1], Fraction(1, 1), {1, 2}),
        ([1e308, -1e308, 1e308], Fraction(1), {0, 2}),
        ([5e-324, 0.0, -5e-324], Fraction(2) ** 1074, {0, 1, 2}),
        ([1, 0, 1], Fraction(2) ** 2000, {0, 2}),
        ([10**300, 0, -(10**300)], Fraction(1, 10**300), {0, 1, 2}),
        ([1, 2, 3], Fraction(1, 2**2000), {0, 1, 2}),
        (np.array([0, 255, 254], dtype=np.uint8), Fraction(1), {1, 2}),
        (np.array([-128, 127, 126], dtype=np.int8), Fraction(1), {1, 2}),
        (np.array([0, 2**64 - 1, 2**64 - 2], dtype=np.uint64), Fraction(1), {1, 2}),
    ]
    for values, rate, support in cases:
        z = Scores.of(values).gaps().times(rate)
        assert {sampler(z, source) for _ in range(150)} == support


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("error", [Fraction(1, 10**12), Fraction(1, 1000)], ids=["used", "refined"])
def test_computed_scores(sampler, error):
    """False alarm 1e-9. Scores log 1, log 2, log 4 at rate 1: weights 1 : 2 : 4, whatever the approximations."""
    values = (1, 2, 4)
    wrong = np.log(values) + np.array([1, -1, 1]) * float(error)
    scores = RealScores(wrong, error + Fraction(1, 10**15), lambda i: Real.of(values[i]).log())
    z, source = scores.gaps().times(Fraction(1)), SeededBits(36)
    sample = [sampler(z, source) for _ in range(20_000)]
    assert not misfit(sample, LAWS[sampler]([math.log(4), math.log(2), 0.0]))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_many_chunks(sampler):
    """Heavy candidates at both ends and in the middle of 100,001, the rest far behind or excluded."""
    m = 100_001
    heavy = {0: 0.0, 32767: 0.5, 32768: 0.5, m - 1: 1.0}
    proposal = np.full(m, 300.0)
    proposal[1:1000] = np.inf
    for i, z in heavy.items():
        proposal[i] = z

    def exact(i: int) -> Fraction | None:
        return None if np.isinf(proposal[i]) else Fraction(float(proposal[i]))

    z, source = Exponents(proposal, exact), SeededBits(37)
    places = list(heavy)
    sample = [places.index(sampler(z, source)) for _ in range(2000)]
    assert not misfit(sample, LAWS[sampler](list(heavy.values())))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_ties_are_uniform_across_chunks(sampler):
    z, source = Exponents(np.zeros(100_000), lambda i: Fraction(0)), SeededBits(38)
    sample = [sampler(z, source) // 10_000 for _ in range(2000)]
    assert not misfit(sample, [0.1] * 10)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_number_of_random_draws_does_not_depend_on_the_weights(sampler):
    """Ties, a slope, one clear winner, everything far: the same calls but for a rejection or a refined coin."""
    m, calls = 50_000, []
    for z in (np.zeros(m), np.linspace(0, 60, m), np.full(m, 2000.0), np.full(m, 40.0)):
        z[7] = 0.0
        source = Counting(SeededBits(39))
        exponents = Exponents(z, lambda i, z=z: Fraction(float(z[i])))
        for _ in range(50):
            sampler(exponents, source)
        calls.append(source.calls)
    assert max(calls) <= min(calls) + 2


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_memory(sampler):
    """Scores to draw within 6 float64 arrays at m = 10^6 (a larger m only adds chunks)."""
    m = 10**6
    values = np.random.default_rng(0).integers(0, 10, m)
    source = SystemBits()
    tracemalloc.start()
    try:
        sampler(Scores.of(values).gaps().times(Fraction(1, 2)), source)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 6 * 8 * m


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_threads_keep_the_law(sampler):
    """Two threads draw while two others work at 3,000 bits. False alarm 1e-9."""
    z = exponents_of([Fraction(0), Fraction(1), Fraction(1, 2)])
    source, sample, done = SeededBits(40), [], threading.Event()

    def disturb() -> None:
        while not done.is_set():
            Real.of(7).log().enclosure(3000)

    def work() -> None:
        sample.extend([sampler(z, source) for _ in range(10_000)])

    workers = [threading.Thread(target=work) for _ in range(2)]
    others = [threading.Thread(target=disturb) for _ in range(2)]
    for thread in (*others, *workers):
        thread.start()
    for thread in workers:
        thread.join()
    done.set()
    for thread in others:
        thread.join()
    assert not misfit(sample, LAWS[sampler]([0.0, 1.0, 0.5]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_forked_child_keeps_the_law(sampler):
    """False alarm 1e-9; parent and child draw independently."""
    z, n = exponents_of([Fraction(0), Fraction(1), Fraction(1, 2)]), 10_000
    source = SystemBits()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, bytes(sampler(z, source) for _ in range(n)))
        os._exit(0)
    own = [sampler(z, source) for _ in range(n)]
    with os.fdopen(read, "rb") as pipe:
        os.close(write)
        theirs = list(pipe.read())
    os.waitpid(pid, 0)
    assert len(theirs) == n
    assert own != theirs
    law = LAWS[sampler]([0.0, 1.0, 0.5])
    assert not misfit(own, law)
    assert not misfit(theirs, law)
