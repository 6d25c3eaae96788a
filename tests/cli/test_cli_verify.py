"""verify, failures, bounds, tables on the command line."""

import json

import pytest
from typer.testing import CliRunner

from dpselect.cli.app import app
from dpselect.errors import InvalidParameter

WORLD = {
    "datasets": ["v", "x", "y", "z"],
    "edges": [[0, 1], [1, 2], [2, 3]],
    "candidates": ["a", "b"],
    "scores": [[0, 0], ["0", 0.0], [1, -1], [4, "1/3"]],
}


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "world.json"
    path.write_text(json.dumps(WORLD))
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_holds_is_0(world):
    for method in ("auto", "private-bound", "global-scale"):
        done = run("verify", world, "--method", method, "--json", "--curve", "1/2")
        assert done.exit_code == 0, done.output
        content = json.loads(done.stdout)
        assert content["holds"] is True
        assert set(content) >= {"holds", "epsilon", "delta_claimed", "delta_exact", "worst_edge"}
        assert content["curve"][0][0] == 0.5


def test_text(world):
    done = run("verify", world, "--method", "fixed-scale-test", "--scale-to-test", "1", "--curve", "2")
    assert done.exit_code == 0
    for word in ("holds", "Worst edge", "Witness", "Exact δ", "δ(ε)"):
        assert word in done.stdout


def test_top(world):
    for method in ("auto", "private-bound", "inverse-sensitivity"):
        done = run("verify", world, "--method", method, "--top", "2", "--json")
        assert done.exit_code == 0, done.output
        content = json.loads(done.stdout)
        assert content["holds"] is True
        assert content["top"] == 2
        assert json.loads(run("verify", world, "--method", method, "--json").stdout)["top"] == 1
    text = run("verify", world, "--method", "private-bound", "--top", "2")
    assert text.exit_code == 0
    for words in ("an answer names 2 in order", "a, then b"):
        assert words in " ".join(text.stdout.split())
    refused = run("verify", world, "--method", "ladder", "--top", "3").exception
    assert isinstance(refused, InvalidParameter)
    assert str(refused) == "top must be at most the number of candidates (2), got 3"


@pytest.mark.parametrize("verdict", ["fails", "undecided"])
def test_what_is_not_proved_is_4(world, monkeypatch, verdict):
    from fractions import Fraction

    import dpselect as ds
    from dpselect.verification import Verification

    lower = Fraction(1, 2) if verdict == "fails" else Fraction(0)
    report = Verification(
        "own", None, 4, 3, 2, Fraction(1), Fraction(0), lower, Fraction(1), ("x", "y"), ("a",), None, None, None, None
    )
    monkeypatch.setattr(ds, "verify", lambda *args, **kwargs: report, raising=False)
    done = run("verify", world)
    assert done.exit_code == 4
    assert verdict in done.stdout.lower()
    as_json = run("verify", world, "--json")
    assert as_json.exit_code == 4
    assert json.loads(as_json.stdout)["holds"] is {"fails": False, "undecided": None}[verdict]


def test_bounds():
    assert "0.07725" in run("bounds").stdout
    rows = json.loads(run("bounds", "--json", "--candidates", "10").stdout)
    assert rows[0]["m"] == 10
    assert round(rows[0]["necessary"], 5) == 0.07725


def test_failures():
    done = run("failures", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert len(found) == 8
    assert all(failure["naive"]["holds"] is False for failure in found)


def test_tables():
    done = run("tables", "--largest", "500", "--degree", "20", "--json")
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert len(content["table_1"]) == 11
    assert [row["n"] for row in content["table_3"]] == [500]
    assert all(row["holds"] for row in content["table_1"])
