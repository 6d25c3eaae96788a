"""Draws from groups have exactly the law of the draw from the list of all candidates."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from fitting import DRAWS, Counting, Scripted, misfit

from dpselect.errors import InvalidParameter
from dpselect.exact import histogram
from dpselect.exact.bits import LazyUniform, SeededBits
from dpselect.exact.exponents import Exponents
from dpselect.exact.histogram import gibbs_group, permute_and_flip_group
from dpselect.exact.reals import Real

SAMPLERS = [gibbs_group, permute_and_flip_group]
HUGE = 10**60


def listed_gibbs(z, counts):
    w = np.array(counts, dtype=float) * np.exp(-np.array(z))
    return list(w / w.sum())


def listed_permute_and_flip(z, counts):
    """Over all orders of all candidates, by the definition, then summed over the groups."""
    owner = [g for g, c in enumerate(counts) for _ in range(c)]
    w, m = [math.exp(-z[g]) for g in owner], len(owner)
    law = [0.0] * len(z)
    for order in itertools.permutations(range(m)):
        nobody = 1.0 / math.factorial(m)
        for r in order:
            law[owner[r]] += nobody * w[r]
            nobody *= 1 - w[r]
    return law


def many_permute_and_flip(z, counts, points=4000):
    """c_g w_g ∫ (1 − w_g v)^(c_g − 1) Π (1 − w_h v)^c_h dv in one variable, t = log v, by the midpoint rule."""
    c, w = np.array(counts, dtype=float), np.exp(-np.array(z))
    # e^t counts up to 1/(c w); the integrand has died out at both ends.
    edges = np.linspace(-math.log((c * w).sum()) - 40, 0, points + 1)
    v = np.exp((edges[1:] + edges[:-1]) / 2)
    with np.errstate(divide="ignore"):
        alive = np.exp(np.log1p(-np.outer(v, w)) @ c)
    each = (alive * v)[:, None] * (c * w) / (1 - np.outer(v, w))
    return list(each.sum(axis=0) * (edges[1] - edges[0]))


LAWS = {gibbs_group: listed_gibbs, permute_and_flip_group: listed_permute_and_flip}
FAR = {gibbs_group: listed_gibbs, permute_and_flip_group: many_permute_and_flip}


def exponents_of(values, error=2.0**-44, off=0.0):
    proposal = [math.inf if z is None else float(z) + off * error * max(1.0, float(z)) for z in values]
    return Exponents(np.maximum(np.array(proposal), 0.0), lambda i: values[i], error)


def drawn(sampler, z, counts, seed, draws=DRAWS, **options):
    source, exponents = SeededBits(seed), exponents_of(z, **options)
    return [sampler(exponents, counts, source) for _ in range(draws)]


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    ("z", "counts"),
    [
        ([Fraction(0), Fraction(1), Fraction(3, 2)], [1, 2, 4]),
        ([Fraction(1), Fraction(0), Fraction(1)], [3, 2, 1]),
        ([Real.of(2).log(), Fraction(0), Real.of(3).log()], [1, 1, 3]),
    ],
    ids=["rational", "same exponent", "real"],
)
def test_the_law_is_that_of_the_list(sampler, z, counts):
    """False alarm 1e-9; a temperature or counts off by 10 % and more are rejected."""
    draws = 20_000
    sample, floats = drawn(sampler, z, counts, 7, draws), [float(x) for x in z]
    assert not misfit(sample, LAWS[sampler](floats, counts))
    assert misfit(sample, LAWS[sampler]([1.25 * x for x in floats], counts))
    assert misfit(sample, LAWS[sampler](floats, [c + 1 for c in counts]))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    ("z", "counts"),
    [
        ([0.0, math.log(HUGE), math.log(HUGE) + 1], [1, HUGE, 2 * HUGE]),
        ([0.0, 300.0, 30.0], [2, round(math.exp(300)), round(math.exp(30))]),
        ([0.0, 483.0], [1, round(Fraction(math.exp(483)))]),
    ],
)
def test_counts_of_any_size(sampler, z, counts):
    """m up to 2^697, all groups about equally likely; a tenth or a quarter off is seen."""
    draws = 20_000
    sample = drawn(sampler, [Fraction(x) for x in z], counts, 8, draws)
    assert not misfit(sample, FAR[sampler](z, counts))
    assert misfit(sample, FAR[sampler]([x * 1.2 for x in z], counts))
    assert misfit(sample, FAR[sampler](z, [*counts[:-1], counts[-1] * 5 // 4]))


def test_the_two_laws_differ():
    z, counts = [Fraction(0), Fraction(1)], [1, 3]
    assert misfit(drawn(gibbs_group, z, counts, 9, 20_000), listed_permute_and_flip([0, 1], counts))


def test_the_integral_agrees_with_the_orders():
    z, counts = [0.0, 0.7, 2.0], [2, 3, 2]
    assert np.allclose(many_permute_and_flip(z, counts), listed_permute_and_flip(z, counts), rtol=1e-4)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("off", [-1.0, 1.0])
def test_proposals_are_only_proposals(sampler, off):
    z, counts = [Fraction(0), Fraction(1), Fraction(1, 2)], [1, 3, 2]
    sample = drawn(sampler, z, counts, 10, 20_000, error=2.0**-16, off=off)
    assert not misfit(sample, LAWS[sampler]([float(x) for x in z], counts))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_excluded_group_is_never_drawn(sampler):
    sample = drawn(sampler, [None, Fraction(0), None, Fraction(2)], [HUGE, 1, 1, 2], 11, 2000)
    assert set(sample) == {1, 3}


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_group_far_behind_can_be_drawn(sampler):
    """e^-2000 each: reached by a scripted source only, never impossible."""
    z = exponents_of([Fraction(0), Fraction(2000)])
    if sampler is gibbs_group:
        weights = [2**23 + 1, 1]
        total = sum(weights)
        length = total.bit_length() + 64
        last = ((total - 1 << length) // total) + 1
        source = Scripted([last, *[0] * (2885 // 64 + 3)])
    else:
        # U of the first group is near 1/2, that of the second is 0 for 2,944 bits, then 1/2.
        rest = [2**63] * 200
        source = Scripted([2**63, 0, *itertools.chain(*zip([2**63] * 46, [0] * 46, strict=True)), *rest])
    assert sampler(z, [1, 1], source) == 1


def test_close_contenders_are_refined():
    """Two equal exponents whose first 64 bits agree: the next ones decide."""
    z = exponents_of([Fraction(1), Fraction(1), Fraction(0)])
    near = 2**62
    for first, second, winner in ((5, 9, 0), (9, 5, 1)):
        source = Scripted([near, near, 2**64 - 1, first, second])
        assert permute_and_flip_group(z, [3, 3, 1], source) == winner
        assert source.script == []


@pytest.mark.parametrize("count", [1, 2, 1000, 10**18, 10**60, 2**699])
def test_float_enclosures_contain_the_exact_values(count):
    """For words at both ends and in the middle, and proposals at both ends of their error."""
    words = np.array(
        [0, 1, 2, 10**6, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 10**6, 2**64 - 2, 2**64 - 1], np.uint64
    )
    for z in (Fraction(0), Fraction(1, 3), Fraction(40), Fraction(511)):
        for off in (-1.0, 1.0):
            exponents = exponents_of([z] * len(words), 2.0**-30, off)
            low, high = histogram._enclosures(exponents, np.full(len(words), float(count)), words)
            for i, word in enumerate(words.tolist()):
                found = histogram._ball_ends(exponents, i, count, LazyUniform(SeededBits(0), word * 2**64 + 2**63, 128))
                assert found is not None
                assert low[i] <= found[0]
                assert found[1] <= high[i]
                if 0 < word < 2**64 - 1:
                    assert high[i] - low[i] <= 2.0**-28 * max(1, float(z)) + 8 / word + 8 / (2**64 - word)


def test_enclosures_without_slack_fail():
    """Negative control: with the allowance for the proposals' error taken away some value is outside."""
    words = np.array([2**62], np.uint64)
    exponents = exponents_of([Fraction(1)], 2.0**-30, 1.0)
    trusting = Exponents(exponents.proposal, exponents.exact)
    low, _ = histogram._enclosures(trusting, np.ones(1), words)
    found = histogram._ball_ends(exponents, 0, 1, LazyUniform(SeededBits(0), 2**62, 64))
    assert found is not None
    assert low[0] > found[0]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_work_does_not_depend_on_counts_or_exponents(sampler):
    rng, calls = np.random.default_rng(1), set()
    for _ in range(50):
        z = [Fraction(0), *(Fraction(int(x), 7) for x in rng.integers(0, 10**6, 99))]
        source = Counting(SeededBits(3))
        sampler(exponents_of(z), [int(c) for c in rng.integers(1, 10**15, 100)], source)
        calls.add(source.calls)
    assert len(calls) <= 2


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("counts", [[1], [1, 0], [1, -2], [1, True], [1, 2.0], [1, 2**700], [1, np.int64(4)]])
def test_bad_counts_are_refused(sampler, counts):
    with pytest.raises(InvalidParameter, match=r"counts|candidates"):
        sampler(exponents_of([Fraction(0), Fraction(1)]), counts, SeededBits(0))


def test_nothing_to_draw_is_refused():
    with pytest.raises(InvalidParameter, match="excluded"):
        gibbs_group(exponents_of([None, None]), [1, 1], SeededBits(0))
    with pytest.raises(InvalidParameter, match="exponent 0"):
        permute_and_flip_group(exponents_of([Fraction(1), Fraction(2)]), [1, 1], SeededBits(0))
