"""`dpselect compare …`: the verbs of a release, on public data; `--reference`, what "auto" chooses by."""

from __future__ import annotations

import json

import pytest

from dpselect.comparison import RULE


def test_graph(run, edges):
    done = run("compare", "graph", "top-vertex", edges, "--epsilon", 1, "--json")
    assert done.code == 0
    content = json.loads(done.out)
    assert content["rule"] == RULE
    assert {"inverse-sensitivity", "private-bound", "global-scale"} <= {row["method"] for row in content["methods"]}
    assert content["best"] == content["methods"][0]["method"]


def test_text_says_the_rule_first(run, edges):
    done = run("compare", "graph", "top-vertex", edges, "--motif", "4-clique")
    assert done.code == 0
    assert " ".join(done.out.split()).startswith(RULE)
    assert "inverse-sensitivity" in done.out


def test_one_method(run, edges):
    done = run("compare", "graph", "top-vertex", edges, "--method", "ladder", "--sampler", "gibbs", "--json")
    (row,) = json.loads(done.out)["methods"]
    assert (row["method"], row["sampler"]) == ("ladder", "gibbs")


def test_a_random_graph(run):
    done = run("compare", "graph", "top-vertex", "gnp:30-120:0.2", "--delta", 0, "--json")
    content = json.loads(done.out)
    assert content["m"] == [30, 60, 120]
    assert all(row["delta"] == 0 for row in content["methods"])


@pytest.mark.parametrize("name", ["gnp:30", "gnp:x:0.1", "gnp:30:2", "gnp:1-2-3:0.1"])
def test_a_random_graph_that_is_none(run, name):
    done = run("compare", "graph", "top-vertex", name)
    assert (done.code, done.out) == (2, "")


def test_table(run, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("site\n" + "a\n" * 30 + "b\n" * 10, encoding="utf-8")
    done = run("compare", "table", "mode", file, "--candidate", "a", "--candidate", "b", "--json")
    assert json.loads(done.out)["best"] == "global-scale"


@pytest.mark.parametrize(
    ("option", "value"),
    [("--seed", 1), ("--ledger", "sqlite:///b.db"), ("--top", 2), ("--card", "c.html"), ("--reference", "x")],
)
def test_nothing_is_released(run, edges, option, value):
    done = run("compare", "graph", "top-vertex", edges, option, value)
    assert (done.code, done.out) == (2, "")
    assert "goes with a release" in done.err


def test_the_mode_does_not_stay(run, edges):
    """A release after a comparison in the same process is a release."""
    run("compare", "graph", "top-vertex", edges, "--json")
    assert json.loads(run("graph", "top-vertex", edges, "--json").out)["status"] == "released"


def test_a_reference_chooses_the_method(run, edges, tmp_path):
    other = tmp_path / "other.txt"
    other.write_bytes(edges.read_bytes())
    done = run("graph", "top-vertex", edges, "--reference", other, "--json")
    assert "on a reference declared public" in json.loads(done.out)["notes"][-1]
    done = run("graph", "top-vertex", edges, "--reference", "gnp:40:0.3", "--json")
    assert "G(40, 0.3)" in json.loads(done.out)["notes"][-1]


def test_the_private_file_is_no_reference(run, edges, tmp_path):
    (tmp_path / "link.txt").symlink_to(edges)
    (tmp_path / "hard.txt").hardlink_to(edges)
    for name in (edges, tmp_path / "link.txt", tmp_path / "hard.txt"):
        done = run("graph", "top-vertex", edges, "--reference", name)
        assert (done.code, done.out) == (2, "")
        assert "never the private file" in done.err


def test_a_reference_goes_with_auto(run, edges):
    done = run("graph", "top-vertex", edges, "--reference", "gnp:40:0.3", "--method", "ladder")
    assert (done.code, done.out) == (2, "")


# ---------------------------------------------------------------- the card


def test_a_card_is_written(run, edges, tmp_path):
    file = tmp_path / "card.html"
    done = run("graph", "top-vertex", edges, "--epsilon", 8, "--card", file, "--json")
    assert done.code == 0
    assert json.loads(done.out)["candidate"] in file.read_text(encoding="utf-8")


def test_one_card_for_several_quantiles(run, tmp_path):
    (tmp_path / "t.csv").write_text("v\n" + "".join(f"{i}\n" for i in range(50)), encoding="utf-8")
    file = tmp_path / "card.html"
    shares = ("--p", "0.25", "--p", "0.75")
    done = run("table", "quantile", tmp_path / "t.csv", "--bounds", 0, 50, *shares, "--card", file)
    assert done.code == 0
    assert "2 private releases" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("more", [["--seed", 1], []])
def test_a_card_that_cannot_be(run, tmp_path, more):
    """Refused before the edge list is opened: by a seed, by a folder that is not there."""
    place = tmp_path / "card.html" if more else tmp_path / "nowhere" / "card.html"
    done = run("graph", "top-vertex", tmp_path / "no-such-file", "--card", place, *more)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("dpselect: card: ")
