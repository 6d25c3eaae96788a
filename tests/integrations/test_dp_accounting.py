"""Exported guarantees against exact laws: worst pairs found by search, compositions by enumeration."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import dpselect as ds
from dpselect.guarantee import Kind, Part

pytest.importorskip("dp_accounting", reason="comes with the extra `dp-accounting`")

import dp_accounting
from dp_accounting.pld import privacy_loss_distribution as plds

from dpselect.integrations.dp_accounting import WorstPair, epsilons, event, privacy_loss, renyi

REPLACE = dp_accounting.NeighboringRelation.REPLACE_ONE
EPSILONS = ["1/50", "1/3", "1", "4"]


def guarantee(kind: Kind, epsilon: str, times: int = 1, delta: object = 0) -> ds.Guarantee:
    return ds.Guarantee.of([Part(kind, Fraction(epsilon))] * times, delta=delta)


def divergence(p: Sequence[float], q: Sequence[float], loss: float) -> float:
    """sup_O P(O) − e^loss Q(O)."""
    return math.fsum(max(0.0, a - math.exp(loss) * b) for a, b in zip(p, q, strict=True))


def composed(p: Sequence[float], q: Sequence[float], times: int) -> tuple[list[float], list[float]]:
    """The law of how often each outcome came, for independent repetitions: all that a test needs to know of them."""
    laws: tuple[list[float], list[float]] = ([], [])
    for counts in itertools.product(range(times + 1), repeat=len(p) - 1):
        last = times - sum(counts)
        if last < 0:
            continue
        every = [*counts, last]
        ways = math.factorial(times)
        for c in every:
            ways //= math.factorial(c)
        for law, single in zip(laws, (p, q), strict=True):
            law.append(ways * math.prod(x**c for x, c in zip(single, every, strict=True)))
    return laws


def gibbs(scores: Sequence[float], rate: float) -> list[float]:
    weights = [math.exp(rate * s) for s in scores]
    return [w / sum(weights) for w in weights]


# ---------------------------------------------------------------------------------------------------- one part


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_range_bounded_curve_is_the_supremum_over_two_point_pairs(epsilon: str) -> None:
    e = float(Fraction(epsilon))
    pair = WorstPair.of(Part(Kind.RANGE_BOUNDED, Fraction(epsilon)))
    for loss in np.linspace(-1.2 * e, 1.2 * e, 41):
        best = 0.0
        for t in np.linspace(0.0, e, 4001):
            top = -math.expm1(t - e) / -math.expm1(-e)
            p = [top, 1 - top]
            q = [top * math.exp(-t), (1 - top) * math.exp(e - t)]
            best = max(best, divergence(p, q, loss))
        assert float(pair.delta(Fraction(loss))) == pytest.approx(best, abs=1e-6 * e)
    assert float(pair.delta(Fraction(0))) == pytest.approx(math.tanh(e / 4), rel=1e-12)


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("epsilon", [*EPSILONS, "1/100000", "1/7"])
def test_the_grid_pair_dominates_and_is_a_law(kind: Kind, epsilon: str) -> None:
    for interval in (1e-4, 1e-2) if Fraction(epsilon) > Fraction(1, 10) else (1e-4, 1e-3):
        pair = WorstPair.of(Part(kind, Fraction(epsilon)))
        masses = pair.masses(interval)
        assert min(masses.values()) >= 0
        assert math.fsum(masses.values()) == pytest.approx(1, abs=1e-10)
        # The other law's mass: e^{-loss} P.
        other = math.fsum(m * math.exp(-i * interval) for i, m in masses.items())
        assert other == pytest.approx(1, abs=1e-10)
        loss = privacy_loss(guarantee(kind, epsilon), interval)
        e = float(Fraction(epsilon))
        for at in np.linspace(-1.5 * e, 1.5 * e, 61):
            exact = float(pair.delta(Fraction(at)))
            gave = loss.get_delta_for_epsilon(float(at))
            assert gave >= exact - 1e-14
            # Connecting the dots of a curve with second derivative O(1) costs O(interval²); at a kink O(interval).
            assert gave <= exact + interval


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_other_pairs_are_those_of_dp_accounting(epsilon: str) -> None:
    e = float(Fraction(epsilon))
    laplace = plds.from_laplace_mechanism(1 / e, value_discretization_interval=1e-4)
    response = plds.from_randomized_response(2 / (1 + math.exp(e)), 2, neighboring_relation=REPLACE)
    for at in np.linspace(0, e, 23):
        ours = privacy_loss(guarantee(Kind.LAPLACE, epsilon)).get_delta_for_epsilon(float(at))
        assert ours == pytest.approx(laplace.get_delta_for_epsilon(float(at)), abs=1e-8)
        ours = privacy_loss(guarantee(Kind.PURE, epsilon)).get_delta_for_epsilon(float(at))
        assert ours == pytest.approx(response.get_delta_for_epsilon(float(at)), abs=1e-4)
        assert ours >= max(0.0, (math.exp(e) - math.exp(at)) / (1 + math.exp(e))) - 1e-14


def test_the_pairs_are_ordered() -> None:
    """A range bound helps; Laplace noise lies between it and randomised response."""
    for at in np.linspace(0, 0.99, 12):
        curves = [
            float(WorstPair.of(Part(kind, Fraction(1))).delta(Fraction(at)))
            for kind in (Kind.RANGE_BOUNDED, Kind.LAPLACE, Kind.PURE)
        ]
        assert curves[0] < curves[1] < curves[2]


# --------------------------------------------------------------------------------------------- many, exact worlds


@pytest.mark.parametrize("times", [1, 2, 10])
def test_gibbs_laws_of_small_worlds_stay_below(times: int) -> None:
    rng = random.Random(5)
    epsilon = Fraction(1, 2)
    claim = privacy_loss(guarantee(Kind.RANGE_BOUNDED, "1/2", times))
    for _ in range(30 if times < 10 else 6):
        scores = [rng.uniform(-3, 3) for _ in range(3)]
        moved = [s + rng.choice([0, 1]) for s in scores]  # monotone: span at most 1
        p, q = composed(gibbs(scores, float(epsilon)), gibbs(moved, float(epsilon)), times)
        for at in np.linspace(0, times * 0.5, 9):
            claimed = claim.get_delta_for_epsilon(float(at)) + 1e-12
            assert divergence(p, q, at) <= claimed
            assert divergence(q, p, at) <= claimed


@pytest.mark.parametrize("times", [1, 4])
def test_the_range_bound_is_nearly_attained_by_two_candidates(times: int) -> None:
    """Not loose: some Gibbs pair comes within 12 % of the claim for a single release at every ε'."""
    claim = privacy_loss(guarantee(Kind.RANGE_BOUNDED, "1", times))
    for at in np.linspace(0, 0.8 * times, 5):
        best = 0.0
        for gap in np.linspace(-8, 8, 161):
            p, q = composed(gibbs([gap, 0], 1), gibbs([gap - 1, 0], 1), times)
            best = max(best, divergence(p, q, at))
        assert best <= claim.get_delta_for_epsilon(float(at)) + 1e-12
        if times == 1:
            assert best >= 0.88 * claim.get_delta_for_epsilon(float(at))


def flip(scores: Sequence[float], rate: float) -> tuple[float, float]:
    """Permute-and-flip on two candidates: the loser wins half of the time its coin falls well."""
    lost = math.exp(-rate * abs(scores[0] - scores[1])) / 2
    return (1 - lost, lost) if scores[0] >= scores[1] else (lost, 1 - lost)


@pytest.mark.parametrize("times", [1, 2, 8])
def test_permute_and_flip_gets_no_discount(times: int) -> None:
    """Negative control: claimed range-bounded, permute-and-flip breaks the claim; as a pure part it keeps it."""
    p, q = composed(flip([0, 0], 1.0), flip([1, 0], 1.0), times)
    pure, ranged = (privacy_loss(guarantee(kind, "1", times)) for kind in (Kind.PURE, Kind.RANGE_BOUNDED))
    losses = np.linspace(0, times * 0.99, 25)
    excess = [divergence(p, q, at) - ranged.get_delta_for_epsilon(float(at)) for at in losses]
    assert max(excess) > 0.01 / 2**times
    for at in losses:
        assert max(divergence(p, q, at), divergence(q, p, at)) <= pure.get_delta_for_epsilon(float(at)) + 1e-12
    # The laws are those of the library, and so is its claim.
    law = ds.law([1, 0], epsilon=1, sensitivity=1, monotone=True, method="global-scale", sampler="permute-and-flip")
    assert [law.candidates[0], law.candidates[1]] == pytest.approx(flip([1, 0], 1.0))
    release = ds.select([1, 0], epsilon=1, sensitivity=1, method="global-scale", sampler="permute-and-flip")
    assert [part.kind for part in release.guarantee.parts] == [Kind.PURE]


def test_hundred_randomised_responses_against_the_binomial_law() -> None:
    claim = privacy_loss(guarantee(Kind.PURE, "1/10", 100))
    e = 0.1
    for at in (0.0, 1.0, 3.0, 4.5):
        exact = math.fsum(
            math.comb(100, k) * max(0.0, math.exp(k * e) - math.exp(at + (100 - k) * e)) / (1 + math.exp(e)) ** 100
            for k in range(101)
        )
        gave = claim.get_delta_for_epsilon(at)
        assert exact - 1e-13 <= gave <= exact * 1.0001 + 1e-12


def test_a_perturbed_claim_fails() -> None:
    """Negative control: ε too small by a twentieth is noticed."""
    p, q = composed(flip([0, 0], 1.0), flip([1, 0], 1.0), 4)
    small = privacy_loss(guarantee(Kind.PURE, "95/100", 4))
    assert any(divergence(p, q, at) > small.get_delta_for_epsilon(float(at)) + 1e-9 for at in np.linspace(0, 3.99, 30))


# ----------------------------------------------------------------------------------------------------- delta


def test_delta_is_added_at_every_epsilon() -> None:
    """δ_total(ε') = δ_ideal(ε') + η, and 1 − Π(1 − η) when composed with others."""
    for kind in Kind:
        bare, with_delta = guarantee(kind, "1/2", 3), guarantee(kind, "1/2", 3, "1/1000")
        for at in (0.0, 0.3, 1.2, 1.6):
            added = privacy_loss(with_delta).get_delta_for_epsilon(at) - privacy_loss(bare).get_delta_for_epsilon(at)
            assert added == pytest.approx(1e-3, abs=1e-12)
    one = privacy_loss(guarantee(Kind.PURE, "1/2", 1, "1/10"))
    assert one.compose(one).get_delta_for_epsilon(2.0) == pytest.approx(1 - 0.9**2, abs=1e-12)
    assert privacy_loss(ds.Guarantee.free()).get_epsilon_for_delta(0.0) == 0


@pytest.mark.parametrize("noise", ["laplace", "truncated"])
@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
def test_a_scale_kernel_keeps_its_parts_at_every_epsilon(noise: str, sampler: str) -> None:
    """Exact δ(ε') of private-bound on a world where the scale may fail to cover, against the exported curve."""
    world = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [9, 0]])
    method = ds.PrivateBound(sampler=sampler, noise=noise)
    budget = {"epsilon": 2, "delta": "1/20"}
    claim = ds.select(world, "x", method=method, **budget).guarantee
    curve = privacy_loss(claim)
    checked = ds.verify(world, method=method, **budget)
    assert checked.holds
    for at, delta in checked.curve(["1/4", "1/2", "1", "3/2"]):
        assert float(delta) <= curve.get_delta_for_epsilon(float(at)) + 1e-9


# ------------------------------------------------------------------------------------------------------ Rényi


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_renyi_divergences_of_the_worst_pairs(epsilon: str) -> None:
    e = float(Fraction(epsilon))
    orders = [1.1, 1.5, 2.0, 7.0, 60.0]
    for kind in Kind:
        gave = renyi(guarantee(kind, epsilon), orders)
        for a, value in zip(orders, gave, strict=True):
            if kind is Kind.RANGE_BOUNDED:
                pairs = []
                for t in np.linspace(0, e, 2001):
                    top = -math.expm1(t - e) / -math.expm1(-e)
                    pairs.append(top * math.exp((a - 1) * t) + (1 - top) * math.exp((a - 1) * (t - e)))
                exact = math.log(max(pairs)) / (a - 1)
                assert value <= a * e * e / 8 * (1 + 1e-12)
            else:
                # From the masses of the pair on a fine grid: an upper bound that converges.
                masses = WorstPair.of(Part(kind, Fraction(epsilon))).masses(1e-4)
                exact = math.log(math.fsum(m * math.exp((a - 1) * i * 1e-4) for i, m in masses.items())) / (a - 1)
            assert value == pytest.approx(exact, rel=1e-3, abs=1e-9)
            assert value <= e * (1 + 1e-12)


def test_renyi_agrees_with_the_accountant_on_the_event() -> None:
    both = guarantee(Kind.PURE, "1/3", 5) + guarantee(Kind.LAPLACE, "1/2", 2)
    accountant = dp_accounting.rdp.RdpAccountant(neighboring_relation=REPLACE)
    accountant.compose(event(both))
    assert accountant.rdp == pytest.approx(renyi(both, accountant.orders.tolist()), rel=1e-9)
    ranged = guarantee(Kind.RANGE_BOUNDED, "1/3", 5)
    accountant = dp_accounting.rdp.RdpAccountant(neighboring_relation=REPLACE)
    accountant.compose(event(ranged))
    assert accountant.rdp == pytest.approx(accountant.orders * float(ranged.zcdp))
    assert np.all(renyi(ranged, accountant.orders.tolist()) <= accountant.rdp * (1 + 1e-12))


def test_repeated_events_are_written_out() -> None:
    """dp-accounting 0.6 prices ten randomised responses as one; ours are ten."""
    one = event(guarantee(Kind.PURE, "1/2")).events[0]

    def priced(happened: dp_accounting.DpEvent) -> float:
        accountant = dp_accounting.pld.PLDAccountant(neighboring_relation=REPLACE)
        return accountant.compose(happened).get_epsilon(1e-6)

    ten = priced(event(guarantee(Kind.PURE, "1/2", 10)))
    exact = privacy_loss(guarantee(Kind.PURE, "1/2", 10)).get_epsilon_for_delta(1e-6)
    assert exact - 1e-6 <= ten <= exact + 0.01
    forgotten = priced(dp_accounting.SelfComposedDpEvent(one, 10))
    if not forgotten < ten / 2:
        pytest.fail("dp-accounting counts repetitions now: say so in the docstring of `event`")


def test_the_event_is_refused_where_it_would_mean_less() -> None:
    pure = event(guarantee(Kind.PURE, "1/2"))
    assert not dp_accounting.rdp.RdpAccountant().supports(pure)
    special = dp_accounting.rdp.RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_SPECIAL)
    special.compose(pure)
    # Why the docstring says REPLACE_ONE.
    assert np.all(special.rdp < renyi(guarantee(Kind.PURE, "1/2"), special.orders.tolist()))


# --------------------------------------------------------------------------------------------------- together


def test_three_ways_to_add_up() -> None:
    hundred = guarantee(Kind.RANGE_BOUNDED, "1/10", 100, "1e-7")
    found = epsilons(hundred, "1e-6")
    assert max(found.pld, found.rdp) < found.basic == 10
    assert found.best == found.rdp < epsilons(guarantee(Kind.PURE, "1/10", 100, "1e-7"), "1e-6").best / 1.9
    one = epsilons(guarantee(Kind.PURE, "1/10"), "1e-6")
    assert one.best <= 0.1
    assert epsilons(hundred, "1e-7") == epsilons(hundred, Fraction(1, 10**7))
    assert epsilons(hundred, "1e-7").best == 10
    assert epsilons(hundred, "1e-8").best == math.inf
    with pytest.raises(ds.InvalidParameter, match="delta"):
        epsilons(hundred, "nan")
    with pytest.raises(ds.InvalidParameter, match="orders"):
        renyi(hundred, [1.0])
