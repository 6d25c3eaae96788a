"""Selections inside OpenDP: maps, membership, compositions, and errors that hold no data."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpselect as ds

dp = pytest.importorskip("opendp.prelude", reason="comes with the extra `opendp`")

from dpselect.integrations.opendp import (  # noqa: E402
    graph_space,
    group_delta,
    guarantee_of,
    make_selection,
    space,
    table_space,
    world_space,
)

ROOT = Path(__file__).parents[2]
WORLD = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [3, 0]])
GRAPH = ds.graph.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])


@pytest.fixture(autouse=True)
def features() -> None:
    dp.enable_features("contrib", "honest-but-curious")


def world_selection(epsilon: Any, delta: Any = 0, method: str = "ladder") -> Any:
    return make_selection(*world_space(WORLD), WORLD, epsilon, delta, method=method)


# ------------------------------------------------------------------------------------------------ maps


def test_the_map_is_group_privacy_rounded_up() -> None:
    pure = world_selection("1/10")
    assert pure.output_measure == dp.max_divergence()
    for k in range(5):
        assert Fraction(pure.map(k)) >= Fraction(k, 10)
        assert pure.map(k) == pytest.approx(k / 10, rel=1e-15)
    approximate = world_selection("1/10", "1e-6", "private-bound")
    assert approximate.output_measure == dp.approximate(dp.max_divergence())
    assert approximate.map(1)[0] == 0.1
    # The float 1e-6 is below one millionth.
    assert approximate.map(1)[1] == math.nextafter(1e-6, 1) > 1e-6
    assert world_selection("1/10", 1e-6, "private-bound").map(1) == (0.1, 1e-6)
    epsilon, delta = approximate.map(3)
    assert epsilon == pytest.approx(0.3, rel=1e-15)
    assert delta == pytest.approx(1e-6 * (1 + math.exp(0.1) + math.exp(0.2)), rel=1e-14)


@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_group_delta_never_below_the_sum(k: int) -> None:
    from dpselect.exact.reals import Real

    epsilon, delta = Fraction(1, 3), Fraction(1, 10**9)
    total = sum((Real.of(i * epsilon).exp() for i in range(1, k)), Real.of(1)) * delta
    assert Fraction(group_delta(epsilon, delta, k)) >= total.lower()
    assert group_delta(epsilon, delta, k) <= float(total.upper()) * (1 + 1e-15)
    assert group_delta(Fraction(500), Fraction(1, 10**300), 10**6) == 1.0


def test_group_privacy_holds_on_a_world_two_steps_apart() -> None:
    """Exact laws at x and z, two steps apart, against the map; at half the factor it fails (negative control)."""
    epsilon = 1
    laws = [
        ds.law(WORLD, x, epsilon=epsilon, method="global-scale", sampler="gibbs").candidates for x in WORLD.datasets
    ]
    claim = make_selection(*world_space(WORLD), WORLD, epsilon, method=ds.GlobalScale(sampler="gibbs")).map(2)
    worst = max(abs(math.log(laws[i][r] / laws[j][r])) for i, j in itertools.permutations((0, 2), 2) for r in "ab")
    assert worst <= claim
    direct = ds.law(WORLD, "x", epsilon=4, method="global-scale", sampler="gibbs").candidates
    far = ds.law(WORLD, "z", epsilon=4, method="global-scale", sampler="gibbs").candidates
    assert max(abs(math.log(direct[r] / far[r])) for r in "ab") > claim / 2


def test_edges_at_once_cost_once() -> None:
    for k, d_in, units in ((1, 3, 3), (3, 3, 1), (3, 4, 2), (3, 0, 0)):
        problem = ds.graph.TopVertex("triangle", unit=ds.Edges(k))
        assert make_selection(*graph_space(range(4)), problem, 1).map(d_in) == float(units)


@pytest.mark.parametrize("bad", [-1, 1.5, "many", float("nan"), True, None])
def test_distances_that_are_none(bad: object) -> None:
    with pytest.raises(dp.OpenDPException):
        world_selection(1).map(bad)


def test_public_arguments_are_checked_at_once() -> None:
    for epsilon, delta in (("nan", 0), (0, 0), (1, -1), (1, 1), (True, 0)):
        with pytest.raises(ds.InvalidParameter):
            world_selection(epsilon, delta)
    with pytest.raises(ds.InvalidParameter, match="method"):
        world_selection(1, method="laddr")
    domain, _ = graph_space(range(4))
    with pytest.raises(ds.InvalidParameter, match="input_metric"):
        make_selection(domain, dp.symmetric_distance(), ds.graph.TopVertex("triangle"), 1)
    numbers = dp.vector_domain(dp.atom_domain(T=int))
    replaced = ds.table.Quantile(0.5, bounds=(0, 9), unit=ds.ReplaceOne())
    with pytest.raises(ds.InvalidParameter, match="1 record replaced"):
        make_selection(numbers, dp.symmetric_distance(), replaced, 1)
    assert make_selection(numbers, dp.change_one_distance(), replaced, 1).map(2) == 2.0


# ------------------------------------------------------------------------------------------- membership


def test_membership_is_checked_at_every_call() -> None:
    ask = make_selection(*graph_space(range(4)), ds.graph.TopVertex("triangle"), 1)
    assert ask(GRAPH).candidate in range(4)
    others = [
        ds.graph.Graph.from_edges([(0, 1), (1, 2)]),
        ds.graph.Graph.from_edges([(0, 1)], vertices=[3, 2, 1, 0]),
        "facebook",
        [[0, 1]],
    ]
    for other in others:
        with pytest.raises(dp.OpenDPException, match="not a member"):
            ask(other)
    with pytest.raises(dp.OpenDPException, match="not a member"):
        world_selection(1)("w")
    frames = make_selection(*table_space(ds.AddOrRemove()), ds.table.Quantile(0.5, bounds=(0, 9)), 1)
    assert frames([4] * 50).candidate in range(10)
    with pytest.raises(dp.OpenDPException, match="not a member"):
        frames("data.csv")


def test_spaces_are_told_apart() -> None:
    assert graph_space(range(4))[0] == graph_space([0, 1, 2, 3])[0]
    assert graph_space(range(4))[0] != graph_space(range(5))[0]
    assert graph_space(["a", "b"])[0] != graph_space(["b", "a"])[0]
    other = ds.World(["x", "y", "z"], [(0, 1), (0, 2)], ["a", "b"], [[0, 0], [1, 0], [3, 0]])
    assert world_space(WORLD)[0] != world_space(other)[0]
    assert table_space(ds.AddOrRemove())[1] != table_space(ds.AddOrRemove(2))[1] != table_space(ds.ReplaceOne())[1]


class Secretive:
    """A problem of one's own whose errors talk too much."""

    candidates = ("a", "b")
    monotone = True
    global_sensitivity = 1

    def scores(self, x: Any) -> Any:
        raise RuntimeError(f"cannot read {x!r}")

    def profile(self, x: Any) -> Any:
        return ds.Profile.constant(Fraction(1))


def texts(error: BaseException) -> Iterator[str]:
    while error is not None:
        yield from map(str, (error, repr(error), error.args))
        error = error.__cause__ or error.__context__


@pytest.mark.filterwarnings("error")
def test_errors_hold_no_data() -> None:
    ask = make_selection(*space(Secretive(), "texts", lambda x: isinstance(x, str)), Secretive(), 1)
    with pytest.raises(dp.OpenDPException, match="to the curator") as caught:
        ask("my secret 4711")
    assert not any("4711" in text or "secret" in text for text in texts(caught.value))
    # A member function that fails, and its negative control: OpenDP itself would quote it.
    talkative = space(Secretive(), "talkative", lambda x: int(x) > 0)
    with pytest.raises(dp.OpenDPException) as caught:
        make_selection(*talkative, Secretive(), 1)("my secret 4711")
    assert not any("4711" in text for text in texts(caught.value))
    raw = dp.m.make_user_measurement(*talkative, dp.max_divergence(), lambda x: int(x), lambda d: 1.0)
    with pytest.raises(dp.OpenDPException, match="4711"):
        raw("my secret 4711")
    column = make_selection(*table_space(ds.AddOrRemove()), ds.table.Quantile(0.5, bounds=(0, 9), outside="refuse"), 1)
    with pytest.raises(dp.OpenDPException, match="outside the bounds") as caught:
        column([4711] * 3)
    assert not any("4711" in text for text in texts(caught.value))


# -------------------------------------------------------------------------------------------- together

MEASURES = [(0, "ladder", 1.0), (1e-6, "private-bound", (1.0, 1e-6))]


def budget_for(loss: Any, times: int) -> Any:
    return tuple(times * part for part in loss) if isinstance(loss, tuple) else times * loss


@pytest.mark.parametrize(("delta", "method", "loss"), MEASURES)
def test_adaptive_composition(delta: Any, method: str, loss: Any) -> None:
    ask = world_selection(1, delta, method)
    compositor = dp.c.make_adaptive_composition(
        *world_space(WORLD), ask.output_measure, d_in=1, d_mids=[budget_for(loss, 1)] * 2
    )
    answers = compositor("y")
    assert {answers(ask).candidate for _ in range(2)} <= {"a", "b"}
    with pytest.raises(dp.OpenDPException, match="out of queries"):
        answers(ask)


@pytest.mark.parametrize(("delta", "method", "loss"), MEASURES)
def test_odometer_and_filter(delta: Any, method: str, loss: Any) -> None:
    ask = world_selection(1, delta, method)
    odometer = dp.c.make_fully_adaptive_composition(*world_space(WORLD), ask.output_measure)
    answers = odometer("y")
    for _ in range(2):
        assert answers(ask).status == "released"
    assert answers.privacy_loss(1) == budget_for(loss, 2)
    filtered = dp.c.make_privacy_filter(odometer, d_in=1, d_out=budget_for(loss, 2))("y")
    for _ in range(2):
        filtered(ask)
    with pytest.raises(dp.OpenDPException, match="exceed"):
        filtered(ask)


@pytest.mark.parametrize(("delta", "method", "loss"), MEASURES)
def test_context(delta: Any, method: str, loss: Any) -> None:
    ask = world_selection(1, delta, method)
    domain, metric = world_space(WORLD)
    context = dp.Context.compositor(
        data="y", domain=domain, privacy_unit=(metric, 1), privacy_loss=(ask.output_measure, budget_for(loss, 3))
    )
    for _ in range(3):
        assert context(ask).candidate in ("a", "b")
    with pytest.raises(dp.OpenDPException, match="exceed"):
        context(ask)


def test_a_pure_selection_in_an_approximate_context() -> None:
    domain, metric = world_space(WORLD)
    context = dp.Context.compositor(
        data="x", domain=domain, privacy_unit=(metric, 1), privacy_loss=dp.loss_of(epsilon=2.0, delta=1e-6)
    )
    assert context(dp.c.make_approximate(world_selection(1))).candidate in ("a", "b")
    assert context(world_selection(1, 1e-6, "private-bound")).candidate in ("a", "b")
    assert context.remaining_privacy_loss() == (0.0, 0.0)


def test_releases_can_be_post_processed() -> None:
    name = world_selection(1) >> (lambda release: str(release.candidate))
    assert name("x") in ("a", "b")
    assert name.map(1) == 1.0


def test_the_script_runs_and_is_refused_at_last() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "opendp_context.py")], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["median", "most frequent age", "records", "spent", "refused"]
    assert "exceed privacy budget (2.0)" in lines[-1]


# ------------------------------------------------------------------------------------ the other direction


def test_what_theirs_costs() -> None:
    scalar = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    noisy = dp.m.make_laplace(*scalar, scale=3.0)
    cost = guarantee_of(noisy, 1)
    assert cost.delta == 0
    assert Fraction(1, 3) <= cost.epsilon <= Fraction(1, 3) * (1 + Fraction(1, 2**50))
    assert guarantee_of(dp.c.make_approximate(noisy), 2).epsilon >= Fraction(2, 3)
    gaussian = dp.m.make_gaussian(*scalar, scale=30.0)
    with pytest.raises(ds.InvalidParameter, match="make_fix_delta"):
        guarantee_of(gaussian, 1)
    fixed = guarantee_of(dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), 1e-6), 1)
    assert fixed.delta == Fraction(1e-6)
    assert 0 < fixed.epsilon < 1
    assert guarantee_of(world_selection("1/4", "1e-6", "private-bound"), 1).covers(
        ds.Guarantee.approximate("1/4", "1e-6")
    )


def test_theirs_is_charged_to_a_ledger(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="comes with the extra `ledger`")
    account = ds.Ledger(f"sqlite:///{tmp_path / 'budget.db'}").create("ages", epsilon=1)
    noisy = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=4.0)
    unit = str(ds.AddOrRemove())
    account.reserve(guarantee_of(noisy, 1), unit=unit, question="how many records", method="OpenDP Laplace")
    assert account.left == (Fraction(3, 4), 0)
    with pytest.raises(ds.BudgetExceeded):
        ds.select(ds.table.Quantile(0.5, bounds=(0, 9)), [4] * 9, epsilon=1, ledger=account)
