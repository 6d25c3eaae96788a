"""A budget is charged before the draw, exactly, once; nothing private and nothing seeded gets in."""

from __future__ import annotations

import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import dpselect as ds
from dpselect.ledger import Account


def test_exact_sums_never_drift(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1, delta="1e-6")
    for _ in range(3):
        ds.select([3, 5], epsilon="1/3", sensitivity=1, ledger=account)
    assert account.spent == (Fraction(1), Fraction(0))
    assert account.left == (Fraction(0), Fraction(1, 10**6))
    with pytest.raises(ds.BudgetExceeded, match="ε = 0"):
        ds.select([3, 5], epsilon="1/10000000000000", sensitivity=1, ledger=account)
    assert account.spent == (Fraction(1), Fraction(0))


def test_delta_alone_can_refuse(url: str, name: str) -> None:
    world = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [5, 0]])
    account = ds.Ledger(url).create(name, epsilon=100, delta="1e-6")
    ds.select(world, "x", epsilon=1, delta="1e-6", method="private-bound", ledger=account)
    with pytest.raises(ds.BudgetExceeded, match="δ = 0 left"):
        ds.select(world, "x", epsilon=1, delta="1e-9", method="private-bound", ledger=account)
    ds.select(world, "x", epsilon=1, delta="1e-9", method="ladder", ledger=account)
    assert account.spent == (Fraction(2), Fraction(1, 10**6))


def test_free_answers_cost_nothing(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1)
    ds.select([3, 5], epsilon=50, sensitivity=0, ledger=account)
    assert account.spent == (0, 0)
    assert [e.state for e in account.history()] == ["committed"]


def test_entries_hold_the_publishable_release_only(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1)
    release = ds.select({"a": 123456, "b": 5}, epsilon=1, sensitivity=1, ledger=account)
    (entry,) = account.history()
    assert entry.release is not None
    assert json.loads(entry.release) == json.loads(release.to_json())
    assert "123456" not in repr(entry)
    assert "123451" not in repr(entry)


def test_seeded_releases_are_refused_and_cost_nothing(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1)
    with pytest.raises(ds.InvalidParameter, match="seed"):
        ds.select([3, 5], epsilon=1, sensitivity=1, seed=1, ledger=account)
    reservation = account.reserve(ds.Guarantee.pure("1/2"), unit="u", question="q", method="m")
    with pytest.raises(ds.InvalidParameter, match="seeded"):
        reservation.commit(ds.select([3, 5], epsilon="1/2", sensitivity=1, seed=1))
    assert account.spent == (Fraction(1, 2), 0)


def test_bad_data_is_found_before_the_charge(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1)
    with pytest.raises(ds.InvalidData):
        ds.select([3, float("nan")], epsilon=1, sensitivity=1, ledger=account)
    assert account.spent == (0, 0)


def test_units_do_not_mix(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=5, unit="1 edge added or removed")
    with pytest.raises(ds.InvalidParameter, match="do not add up"):
        ds.select([3, 5], epsilon=1, sensitivity=1, ledger=account)
    graph = ds.graph.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    ds.select(ds.graph.TopVertex("triangle"), graph, epsilon=1, ledger=account)
    with pytest.raises(ds.InvalidParameter, match="do not add up"):
        ds.select(ds.graph.TopVertex("triangle"), graph, epsilon=1, unit=ds.Edges(2), ledger=account)
    assert account.spent == (1, 0)


def test_a_reservation_is_committed_once(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1)
    release = ds.select([3, 5], epsilon="1/2", sensitivity=1)
    reservation = account.reserve(release.guarantee, unit=release.unit, question="q", method=release.method)
    reservation.commit(release)
    with pytest.raises(ds.InvalidParameter, match="not reserved"):
        reservation.commit(release)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("nan", 0), (float("nan"), 0), (float("inf"), 0), (-1, 0), (0, 0), (True, 0), (1, -1), (1, 1), (1, "x")],
)
def test_bad_budgets_are_refused(url: str, name: str, epsilon: object, delta: object) -> None:
    with pytest.raises(ds.InvalidParameter):
        ds.Ledger(url).create(name, epsilon=epsilon, delta=delta)


def test_names(url: str, name: str) -> None:
    ledger = ds.Ledger(url)
    ledger.create(name, epsilon=1)
    with pytest.raises(ds.InvalidParameter, match="already"):
        ledger.create(name, epsilon=9)
    with pytest.raises(ds.InvalidParameter, match="no budget"):
        ledger.account(name + "?")
    assert name in ledger.datasets()
    again = pickle.loads(pickle.dumps(ledger))
    assert again.account(name).budget == (1, 0)


def test_what_is_no_ledger_is_refused() -> None:
    with pytest.raises(ds.InvalidParameter, match="database URL"):
        ds.Ledger("budget.db")
    with pytest.raises(ds.InvalidParameter, match="cannot be opened"):
        ds.Ledger("sqlite:////no/such/folder/budget.db")
    assert "secret" not in repr(ds.Ledger("sqlite://"))


def spend_all(account: Account) -> int:
    done = 0
    try:
        while True:
            ds.select([3, 5], epsilon="1/7", sensitivity=1, ledger=account)
            done += 1
    except ds.BudgetExceeded:
        return done


def test_threads_share_a_ledger(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=3)
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(lambda _: spend_all(account), range(8))) == 21
    assert account.spent == (3, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_ledger_survives_a_fork(url: str, name: str) -> None:
    """Parent and children go on with the same object, each on connections of its own."""
    account = ds.Ledger(url).create(name, epsilon=3)
    ds.select([3, 5], epsilon="1/7", sensitivity=1, ledger=account)
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            os._exit(spend_all(account))
        children.append(child)
    done = 1 + spend_all(account)
    done += sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    assert done == 21
    assert account.spent == (3, 0)
    assert [entry.state for entry in account.history()] == ["committed"] * 21
