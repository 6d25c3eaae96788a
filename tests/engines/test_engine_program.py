"""`--engine`: the same answers from the command line, options by name, nothing left in any folder."""

import json

import pytest

import dpselect as ds
from dpselect.cli import main
from dpselect.cli.asked import Asked, AskedEngine
from dpselect.cli.request import Request


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        shown = capsys.readouterr()
        return int(left.value.code or 0), shown.out, shown.err

    return call


def test_the_vertex_of_a_table_of_edges(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edges = tmp_path / "edges.csv"
    edges.write_text("from,to\na,b\nb,c\nc,a\nc,d\n")
    (tmp_path / "vertices.txt").write_text("a\nb\nc\nd\ne\n")
    before = set(tmp_path.iterdir())
    code, out, _ = run(
        "graph", "top-vertex", edges, "--motif", "edge", "--engine", "duckdb", "--engine-option", "threads=1",
        "--vertices", "vertices.txt", "--epsilon", 100, "--json",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["candidate"] == "c"
    assert json.loads(out)["m"] == 5
    assert set(tmp_path.iterdir()) == before


def test_the_quantiles_of_a_table(run, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("x\n" + "3\n" * 200)
    for shares in (["--p", "0.5"], ["--p", "0.5", "--p", "0.9"]):
        code, out, _ = run("table", "quantile", file, "--bounds", 0, 9, *shares, "--engine", "duckdb", "--json")
        assert code == 0
        answers = json.loads(out)
        assert {a["candidate"] for a in (answers if isinstance(answers, list) else [answers])} == {3.0}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--engine", "abacus"], "engine must be"),
        (["--engine-option", "threads=1"], "goes with --engine"),
        (["--engine", "duckdb", "--engine-option", "threads"], "NAME=VALUE"),
    ],
)
def test_what_is_wrong_is_named(run, tmp_path, arguments, word):
    """Before the file is opened: there is none."""
    code, _, err = run("table", "quantile", tmp_path / "none.csv", "--bounds", 0, 9, *arguments)
    assert code == 2
    assert word in " ".join(err.split())


def test_settings_of_spark_are_passed_through():
    request = Request.of(Asked(), AskedEngine(engine="spark", engine_option=["spark.master=local[2]", "a.b=c=d"]))
    assert request.engine == ds.engines.Spark({"spark.master": "local[2]", "a.b": "c=d"})
