"""`dpselect table best-model|best-threshold|best-split`: answers, JSON, budget, card, refusals."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def checked(tmp_path):
    """600 records, 200 of them positive; good errs on 12, poor on 100 and none never says yes."""
    rows = ["label,good,poor,none,score,age"]
    for i in range(600):
        y = int(i % 3 == 0)
        rows.append(
            f"{y},{1 - y if i % 50 == 0 else y},{1 - y if i % 6 == 1 else y},0,{(y + i % 10 / 10) / 2},{i % 60}"
        )
    file = tmp_path / "checked.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


DECLARED = ["--trained-on", "other records"]
MODELS = ["--model", "good", "--model", "poor", "--model", "none"]


def test_best_model(run, checked):
    ran = run("table", "best-model", checked, *MODELS, "--metric", "f1", *DECLARED, "--epsilon", "2", "--json")
    assert ran.code == 0
    assert ran.err == ""
    content = json.loads(ran.out)
    assert content["candidate"] == "good"  # 90 certified records ahead: anything else has a probability below e^-80
    assert content["method"] == "inverse-sensitivity"
    assert content["m"] == 3
    assert content["delta"] == 0
    assert any("no validation record was used in training" in sentence for sentence in content["assumptions"])


@pytest.mark.parametrize(
    ("metric", "options"),
    [("accuracy", []), ("balanced-accuracy", ["--unit", "replace"]), ("matthews", []), ("f-beta", ["--beta", "1/2"]),
     ("macro-f1", ["--class", "0", "--class", "1"])],
)  # fmt: skip
def test_other_metrics(run, checked, metric, options):
    ran = run(
        "table", "best-model", checked, *MODELS, "--metric", metric, *options, *DECLARED, "--epsilon", "8", "--json"
    )
    assert json.loads(ran.out)["candidate"] == "good"


def test_scores_of_models(run, checked):
    for metric in ("auc", "log-loss"):
        columns = ["--model", "score", "--model", "none", "--metric", metric, *DECLARED]
        content = json.loads(run("table", "best-model", checked, *columns, "--epsilon", "9", "--json").out)
        assert content["candidate"] == "score"


def test_best_threshold(run, checked):
    ran = run(
        "table", "best-threshold", checked, "--threshold", "0:1:0.25", "--threshold", "0.49,2", "--metric", "f1",
        *DECLARED, "--epsilon", "4", "--json",
    )  # fmt: skip
    content = json.loads(ran.out)
    assert content["candidate"] in (0.5, 0.49)
    assert content["m"] == 7


def test_an_engine(run, checked):
    """One pass over an open source, and another for the budget of persons."""
    ask = ["table", "best-model", checked, *MODELS, "--metric", "f1", *DECLARED, "--epsilon", "2", "--engine", "duckdb"]
    assert json.loads(run(*ask, "--json").out)["candidate"] == "good"
    content = json.loads(run(*ask, "--person", "age", "--rows-per-person", "3", "--epsilon", "9", "--json").out)
    assert content["unit"] == "1 person with up to 3 records added or removed"


def test_best_split(run, checked):
    ask = ["table", "best-split", checked, "--split", "score=0.2,0.48", "--split", "age=10:50:10", "--epsilon", "3"]
    content = json.loads(run(*ask, "--json").out)
    assert content["candidate"] == {"feature": "score", "threshold": 0.48}
    assert content["m"] == 7
    text = run(*ask, "--criterion", "information-gain", "--most-records", "1000").out
    assert "score ≤ 0.48" in text
    assert "there are at most 1000 records" in text
    top = json.loads(run(*ask, "--top", "2", "--json").out)
    assert len(top["candidates"]) == 2


def test_budget_and_card(run, checked, tmp_path):
    url = f"sqlite:///{tmp_path / 'budget.db'}"
    assert run("budget", "create", "people", "--ledger", url, "--epsilon", "1").code == 0
    card = tmp_path / "card.html"
    ask = [
        "table", "best-split", checked, "--split", "score=0.2,0.48", "--ledger", url, "--dataset", "people",
    ]  # fmt: skip
    assert run(*ask, "--card", card, "--json").code == 0
    assert "score ≤ 0." in card.read_text(encoding="utf-8")
    refused = run(*ask, "--json")
    assert refused.code == 2
    assert refused.out == ""


def test_compare(run, checked):
    ran = run("compare", "table", "best-model", checked, *MODELS, "--metric", "auc", *DECLARED, "--json")
    assert ran.code == 0
    assert "common-factor" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["best-model", *MODELS, "--metric", "f1", "--trained-on", "these records"], "no validation record"),
        (["best-model", *MODELS, "--metric", "cross_val_score", *DECLARED], "cross-validation"),
        (["best-model", *MODELS, "--metric", "f3", *DECLARED], "metric must be one of"),
        (["best-model", "--model", "x", "--metric", "f1", *DECLARED], "no column 'x'"),
        (["best-model", *MODELS, "--metric", "f1", *DECLARED, "--unit", "both"], "unit"),
        (["best-threshold", "--threshold", "a", "--metric", "f1", *DECLARED], "threshold must be"),
        (["best-threshold", "--threshold", "0:1", "--metric", "f1", *DECLARED], "LOW:HIGH:STEP"),
        (["best-split", "--split", "age"], "COLUMN=NUMBERS"),
        (["best-split", "--split", "age=1", "--criterion", "information-gain"], "most-records goes"),
    ],
)
def test_refusals(run, checked, arguments, words):
    verb, *rest = arguments
    ran = run("table", verb, checked, *rest, "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert words in " ".join(ran.err.split())


def test_training_must_be_declared(run, checked):
    ran = run("table", "best-model", checked, *MODELS, "--metric", "f1")
    assert ran.code == 2
    assert "--trained-on" in ran.err
