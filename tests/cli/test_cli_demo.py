"""`dpselect demo`: the numbers it shows are those of the graph, and it says that the graph is public."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import dpselect as ds


@pytest.fixture(scope="module")
def scores():
    """Triangles per person by another program: the diagonal of A³, halved."""
    sparse = pytest.importorskip("scipy.sparse")
    graph = ds.graph.costars()
    one_way = sparse.coo_array((np.ones(len(graph.tails), np.int64), (graph.tails, graph.heads)), (graph.n, graph.n))
    adjacency = (one_way + one_way.T).tocsr()
    return np.asarray((adjacency @ adjacency).multiply(adjacency).sum(axis=1)).ravel() // 2


def _readme_row():
    """What the README says about this graph."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| co-stars .*$", readme, re.MULTILINE)
    return [cell.strip() for cell in row.split("|")[3:-1]]


def _as_in_readme(regret):
    return f"{regret:,.0f}" if regret >= 1000 else f"{regret:.2f}"


def test_json(run, scores):
    ran = run("demo", "--json")
    assert (ran.code, ran.err) == (0, "")
    content = json.loads(ran.out)
    assert _readme_row() == [_as_in_readme(row["expected_regret"]) for row in content["methods"]]
    assert content["data"] == {
        "people": 5644,
        "pairs": 170_189,
        "most_triangles": 39_200,
        "runner_up": 33_260,
        "local_sensitivity": 514,
        "global_sensitivity": 5642,
    }
    assert sorted(scores)[-2:] == [33_260, 39_200]
    rows = {row["method"]: row for row in content["methods"]}
    # The classical mechanism in closed form, with no code of the package: scores, sensitivity, κ = 1.
    weights = np.exp((scores - scores.max()) / 5642)
    classical = float(weights @ (scores.max() - scores) / weights.sum())
    assert rows["global-scale"]["expected_regret_gibbs"] == pytest.approx(classical, rel=1e-9)
    assert classical == pytest.approx(30_426, abs=1)
    assert rows["private-bound"]["expected_regret_gibbs"] < 3
    assert rows["private-bound"]["delta"] == 1e-6
    for method, most in [("ladder", 25), ("inverse-sensitivity", 0.2)]:
        assert rows[method]["expected_regret_gibbs"] < most
        assert rows[method]["delta"] == 0
    for row in rows.values():
        assert row["expected_regret"] <= row["expected_regret_gibbs"]
        assert row["epsilon"] == 1
    assert content["release"]["method"] == "private-bound"
    assert content["release"]["private"] is True


def test_text(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    assert max(len(line) for line in ran.out.splitlines()) <= 80
    words = " ".join(ran.out.split())
    assert "These data are public and only stand in for private ones" in words
    assert "Expected regret" in words
    assert "39,200" in words
    assert "Answer" in words
    assert "NOT PRIVATE" not in words
