"""Programs around a private mechanism that gave away what it protects: seeds, books, errors, accountants."""

from __future__ import annotations

import io
import pickle
import warnings
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpselect as ds
from dpselect.exact.bits import SeededBits


def test_seeds_that_are_used_again() -> None:
    """Every release began with the same seed: two answers to neighbouring data differ by the data alone.

    Ours consumes one stream, and a seeded release says that it is not private, wherever it goes.
    """
    stream = SeededBits(7)
    assert stream.bits(64) != stream.bits(64)
    release = ds.select([3, 5], epsilon=1, sensitivity=1, seed=7)
    assert release.private is False
    assert release.to_dict()["private"] is False
    assert "private=False" in repr(release)
    assert pickle.loads(pickle.dumps(release)).private is False
    unseeded = {ds.select(range(1000), epsilon="1/1000", sensitivity=1).candidate for _ in range(10)}
    assert len(unseeded) > 1  # all ten alike: less than 1e-26


def test_charged_after_the_draw(tmp_path: Path) -> None:
    """The budget was charged when the answer was there; whoever interrupted the program had the answer for nothing."""
    pytest.importorskip("sqlalchemy", reason="comes with the extra `ledger`")
    account = ds.Ledger(f"sqlite:///{tmp_path / 'budget.db'}").create("ages", epsilon=1)

    class Interrupting:
        candidates = ("a", "b")
        monotone = True
        global_sensitivity = 1

        def scores(self, x: Any) -> list[int]:
            return [3, 5]

        def profile(self, x: Any) -> ds.Profile:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.select(Interrupting(), None, epsilon="1/2", method="ladder", ledger=account)
    assert account.spent == (Fraction(1, 2), 0)


def test_refunds(tmp_path: Path) -> None:
    """'Failed' queries were refunded, and whether a query fails depended on the data."""
    pytest.importorskip("sqlalchemy", reason="comes with the extra `ledger`")
    account = ds.Ledger(f"sqlite:///{tmp_path / 'budget.db'}").create("ages", epsilon=1, delta="1e-6")
    world = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [99, 0]])
    release = ds.select(world, "z", epsilon=1, delta="1e-6", method=ds.FixedScaleTest(1), ledger=account)
    assert release.status == "not-released"
    assert account.left[0] == 0
    assert not hasattr(account, "refund")


def test_errors_that_quote_the_data() -> None:
    """'could not convert string to float: "Maria Muster"' in a log that everybody reads."""
    wrong: list[Any] = [
        lambda: ds.select({"a": float("nan"), "b": 4711.25}, epsilon=1, sensitivity=1),
        lambda: ds.graph.Graph.from_edges([("secret", "4711"), ("4711", 1.5)]),
        lambda: ds.graph.Graph.from_edges([("4711", "secret")], vertices=["a", "b"]),
        lambda: ds.select(ds.table.Quantile(0.5, bounds=(0, 9), outside="refuse"), [4711, 5], epsilon=1),
        lambda: ds.select(ds.table.Mode(["a"]), ["secret 4711"], epsilon=1),
    ]
    for broken in wrong:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with pytest.raises(ds.DPSelectError) as caught:
                broken()
        told = [str(caught.value), repr(caught.value), *(str(w.message) for w in warned)]
        assert not any("4711" in text or "secret" in text for text in told)


def test_tracebacks_that_print_local_variables(tmp_path: Path) -> None:
    """A pretty traceback of the command line showed every local variable, the private table among them."""
    from dpselect.cli import main

    (tmp_path / "edges.txt").write_text("4711 4712\n4711 secret name\n4713\n", encoding="utf-8")
    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(said), pytest.raises(SystemExit) as left:
        main(["graph", "top-vertex", str(tmp_path / "edges.txt"), "--motif", "triangle"])
    assert left.value.code == 2
    assert "4711" not in said.getvalue()
    assert "secret" not in said.getvalue()


def test_membership_checks_that_warn_with_the_value() -> None:
    """A library's check whether a value belongs to a domain warned with the value in the text of the warning."""
    dp = pytest.importorskip("opendp.prelude", reason="comes with the extra `opendp`")
    from dpselect.integrations.opendp import make_selection

    dp.enable_features("contrib", "honest-but-curious")
    numbers = dp.vector_domain(dp.atom_domain(T=float)), dp.symmetric_distance()
    ask = make_selection(*numbers, ds.table.Quantile(0.5, bounds=(0, 9)), 1.0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(dp.OpenDPException) as caught:
            ask([4711.25, float("nan")])
    assert not any("4711" in str(w.message) for w in warned)
    assert "4711" not in str(caught.value)


def test_repetitions_priced_as_one() -> None:
    """An accountant ignored how often an event happened: ten releases at the price of one."""
    dp_accounting = pytest.importorskip("dp_accounting", reason="comes with the extra `dp-accounting`")
    from dpselect.integrations.dp_accounting import event, privacy_loss

    ten = sum([ds.Guarantee.pure("1/2")] * 10, ds.Guarantee.free())
    assert len(event(ten).events) == 10
    accountant = dp_accounting.pld.PLDAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    spent = accountant.compose(event(ten)).get_epsilon(1e-6)
    assert spent >= privacy_loss(ten).get_epsilon_for_delta(1e-6) - 1e-9 > 4


def test_units_that_do_not_add_up(tmp_path: Path) -> None:
    """Releases per edge and per person were added in one account, as if ε were ε."""
    pytest.importorskip("sqlalchemy", reason="comes with the extra `ledger`")
    account = ds.Ledger(f"sqlite:///{tmp_path / 'budget.db'}").create("ages", epsilon=9, unit=str(ds.AddOrRemove()))
    graph = ds.graph.Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    with pytest.raises(ds.InvalidParameter, match="do not add up"):
        ds.select(ds.graph.TopVertex("triangle"), graph, epsilon=1, ledger=account)


def test_a_file_read_anew_may_be_another_file() -> None:
    """A path was the dataset: between two queries of one budget the file had changed."""
    dp = pytest.importorskip("opendp.prelude", reason="comes with the extra `opendp`")
    from dpselect.integrations.opendp import make_selection, table_space

    dp.enable_features("contrib", "honest-but-curious")
    ask = make_selection(*table_space(ds.AddOrRemove()), ds.table.Quantile(0.5, bounds=(0, 9)), 1)
    with pytest.raises(dp.OpenDPException, match="not a member"):
        ask("ages.csv")
