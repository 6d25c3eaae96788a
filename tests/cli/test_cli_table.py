"""`dpselect table quantile|best-mean|mode`: answers, JSON, refusals."""

from __future__ import annotations

import json

import pytest

SECRET = "carol-4711"


@pytest.fixture
def people(tmp_path):
    rows = ["site,ok,age,who"]
    rows += [f"{'ab'[i % 2]},{int(i % 2 or i % 4 == 0)},{20 + i % 41},p{i // 2}" for i in range(400)]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


def test_quantile(run, people):
    ran = run("table", "quantile", people, "--column", "age", "--bounds", "0", "100", "--epsilon", "4", "--json")
    assert ran.code == 0
    assert ran.err == ""
    content = json.loads(ran.out)
    assert content["method"] == "inverse-sensitivity"
    assert content["m"] == 101
    assert isinstance(content["candidate"], int)
    # The median is 39; at ε = 4 anything further than 20 years off has a probability below 1e-30.
    assert abs(content["candidate"] - 39) < 20
    assert content["unit"] == "1 record added or removed"
    assert content["private"] is True
    assert content["flip_bound"]["flips"] < 10


def test_quantile_by_rank_and_under_another_unit(run, people):
    ran = run(
        "table", "quantile", people, "--column", "age", "--bounds", "-5", "99.5", "--step", "0.5", "--by", "rank",
        "--unit", "replace", "--p", "9/10", "--json",
    )  # fmt: skip
    content = json.loads(ran.out)
    assert content["method"] == "global-scale"
    assert content["m"] == 210
    assert content["scale_exact"] == "1"
    assert "the number of records is public" in content["assumptions"]


def test_several_quantiles_share_the_budget(run, people):
    ran = run(
        "table", "quantile", people, "--column", "age", "--bounds", "0", "100", "--p", "0.25", "--p", "0.5",
        "--p", "0.75", "--epsilon", "6", "--json",
    )  # fmt: skip
    content = json.loads(ran.out)
    assert [part["epsilon_exact"] for part in content] == ["2"] * 3
    assert all(0 <= part["candidate"] <= 100 for part in content)


def test_best_mean(run, people, tmp_path):
    names = tmp_path / "sites.txt"
    names.write_text("a\nb\n", encoding="utf-8")
    tail = ["--category", "site", "--value", "ok", "--candidates", names, "--epsilon", "3", "--json"]
    content = json.loads(run("table", "best-mean", people, *tail).out)
    # b: 200 of 200; a: 100 of 200. At ε = 3, a has a probability below e^-100.
    assert content["candidate"] == "b"
    assert content["m"] == 2
    person = [*tail, "--person", "who", "--rows-per-person", "2", "--support", "20"]
    content = json.loads(run("table", "best-mean", people, *person).out)
    assert content["candidate"] == "b"
    assert content["unit"] == "1 person with up to 2 records added or removed"
    released = run("table", "best-mean", people, *tail, "--method", "released-counts")
    assert json.loads(released.out)["method"] == "released-counts"


def test_not_released(run, people):
    ran = run(
        "table", "best-mean", people, "--category", "site", "--value", "ok", "--candidate", "a", "--candidate", "b",
        "--method", "released-counts", "--epsilon", "0.0001", "--json",
    )  # fmt: skip
    assert ran.code == 3
    content = json.loads(ran.out)
    assert content["status"] == "not-released"
    assert content["candidate"] is None


def test_mode(run, people):
    ran = run(
        "table", "mode", people, "--category", "site", "--candidate", "a", "--candidate", "b", "--candidate", "never",
        "--epsilon", "5",
    )  # fmt: skip
    assert ran.code == 0
    assert "a" in ran.out or "b" in ran.out


def test_histogram(run, tmp_path):
    file = tmp_path / "h.csv"
    file.write_text("age,n\n30,500\n40,1000\n50,400\n", encoding="utf-8")
    ran = run(
        "table", "quantile", file, "--column", "age", "--counts", "n", "--bounds", "0", "100", "--epsilon", "1",
        "--json",
    )  # fmt: skip
    assert json.loads(ran.out)["candidate"] == 40  # 450 records from any other value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["quantile", "--bounds", "1", "0", "--column", "age"], "bounds"),
        (["quantile", "--bounds", "0", "9", "--column", "age", "--by", "mood"], "by must be"),
        (["quantile", "--bounds", "0", "9", "--column", "age", "--unit", "edge"], "unit must be"),
        (["quantile", "--bounds", "0", "9", "--column", "age", "--p", "1.5"], "p must be"),
        (["quantile", "--bounds", "0", "9", "--column", "age", "--epsilon", "nan"], "epsilon"),
        (["quantile", "--bounds", "0", "9", "--column", "age", "--rows-per-person", "2"], "person"),
        (["quantile", "--bounds", "0", "9", "--column", "nobody"], "nobody"),
        (["quantile", "--bounds", "0", "9"], "column is missing: the data does not have exactly one column"),
        (["mode", "--category", "site"], "--candidate"),
        (["mode", "--category", "site", "--candidate", "a"], "not declared"),
        (["best-mean", "--category", "site", "--value", "ok", "--candidate", "a", "--unknown", "keep"], "unknown"),
    ],
)
def test_refusals_are_one_line_and_exit_2(run, people, arguments, words):
    verb, *tail = arguments
    ran = run("table", verb, people, *tail, "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_a_refusal_shows_no_record(run, tmp_path):
    file = tmp_path / "x.csv"
    # Without a heading the first record becomes one.
    file.write_text(f"{SECRET},1\nx,{SECRET}\n", encoding="utf-8")
    ran = run("table", "quantile", file, "--column", "age", "--bounds", "0", "9")
    assert ran.code == 2
    assert SECRET not in ran.err + ran.out
    file.write_text(f"age\n{SECRET}\n", encoding="utf-8")
    ran = run("table", "quantile", file, "--column", "age", "--bounds", "0", "9")
    assert ran.code == 2
    assert SECRET not in ran.err + ran.out


@pytest.mark.parametrize("verb", ["quantile", "best-mean", "mode"])
def test_help_fits_80_columns(run, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("table", verb, "--help")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_file_of_candidates_is_named(run, people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mode = ["table", "mode", people, "--category", "site", "--candidates"]
    (tmp_path / "latin.txt").write_bytes(f"{SECRET} \xff".encode("latin-1"))
    for name, what in [("none.txt", "no such file"), ("latin.txt", "expected UTF-8 text")]:
        ran = run(*mode, name)
        assert (ran.code, ran.out, ran.err) == (2, "", f"dpselect: candidates: {what}: '{name}'\n")
