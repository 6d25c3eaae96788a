"""`dpselect graph top-subgraph`: answers, JSON, restrictions, refusals."""

from __future__ import annotations

import json
import stat

import pytest


def top_subgraph(run, *arguments):
    return run("graph", "top-subgraph", *arguments)


def content(run, *arguments):
    ran = top_subgraph(run, *arguments, "--json")
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


@pytest.mark.parametrize("method", ["auto", "global-scale", "private-bound"])
@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
def test_json(run, edges, method, sampler):
    found = content(run, edges, "-k", 4, "--method", method, "--sampler", sampler, "--epsilon", 100)
    assert isinstance(found["candidate"], list)
    assert len(set(found["candidate"])) == 4
    assert all(v.startswith("a") for v in found["candidate"])
    assert found["m"] == 91390
    assert found["sampler"] == sampler


def test_text(run, edges):
    shown = " ".join(top_subgraph(run, edges, "-k", 3, "--motif", "2-star", "--epsilon", 50, "--top", 2).out.split())
    assert "Answer {a" in shown
    assert "}, {a" in shown
    assert "among 9,880 candidates" in shown


def test_restrictions(run, edges, tmp_path):
    within, family, public = tmp_path / "within.txt", tmp_path / "family.txt", tmp_path / "public.txt"
    within.write_text("a1\na2\np3\np4\n", encoding="utf-8")
    assert content(run, edges, "-k", 3, "--within", within)["m"] == 4
    family.write_text("a1 a2 p3\np4, p5, p6\n", encoding="utf-8")
    found = content(run, edges, "-k", 3, "--family", family)
    assert found["m"] == 2
    assert sorted(found["candidate"]) in (["a1", "a2", "p3"], ["p4", "p5", "p6"])
    public.write_text("a1 a2\na2 p3\np3 p4\n", encoding="utf-8")
    assert content(run, edges, "-k", 3, "--connected-in", public)["m"] == 2
    both = top_subgraph(run, edges, "-k", 3, "--family", family, "--within", within)
    assert (both.code, both.out) == (2, "")
    assert "excludes" in both.err


def test_ids_that_are_numbers_are_found(run, tmp_path):
    graph, family = tmp_path / "edges.txt", tmp_path / "family.txt"
    graph.write_text("1 2\n2 3\n1 3\n3 4\n", encoding="utf-8")
    family.write_text("1 2 3\n2 3 4\n", encoding="utf-8")
    assert content(run, graph, "-k", 3, "--family", family, "--epsilon", 99)["candidate"] == ["1", "2", "3"]


def test_checkpoint_and_limit(run, edges, tmp_path):
    file = tmp_path / "counts.npz"
    assert content(run, edges, "-k", 4, "--checkpoint", file)["status"] == "released"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    refused = top_subgraph(run, edges, "-k", 4, "--most", 100)
    assert refused.code == 2
    assert "raise `most`" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "2"], "k must be at least 3"),
        (["-k", "41", "--motif", "edge"], "k must be at most 6"),
        (["-k", "3", "--motif", "4-clique"], "4-clique"),
        (["-k", "4", "--epsilon", "0"], "epsilon"),
        (["-k", "4", "--unknown", "drop"], "unknown"),
    ],
)
def test_refusals_come_before_the_file_is_opened(run, tmp_path, arguments, message):
    ran = top_subgraph(run, tmp_path / "no such file", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_k_is_needed(run, edges):
    assert top_subgraph(run, edges).code == 2


def test_a_budget_is_charged(run, edges, tmp_path):
    url = f"sqlite:///{tmp_path}/budget.db"
    assert run("budget", "create", "friends", "--ledger", url, "--epsilon", "2").code == 0
    assert content(run, edges, "-k", 4, "--ledger", url, "--epsilon", "1.5")["status"] == "released"
    refused = top_subgraph(run, edges, "-k", 4, "--ledger", url, "--epsilon", "1.5")
    assert refused.code == 2
    assert "budget" in refused.err


def test_compare(run, edges):
    ran = run("compare", "graph", "top-subgraph", edges, "-k", 4, "--epsilon", 3, "--json")
    assert ran.code == 0
    assert {row["method"] for row in json.loads(ran.out)["methods"]} >= {"global-scale", "inverse-sensitivity"}
