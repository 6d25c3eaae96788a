"""Files with edges and vertices on the command line: an error says which argument and which file, not what is in it."""

from __future__ import annotations

import json

import pytest

SECRET = "carol-4711"

NO_EDGES = {
    "JSON": json.dumps([["ann", SECRET], [SECRET, "bob"]]),
    "JSON, indented": json.dumps({"ann": [SECRET]}, indent=2),
    "JSON lines": json.dumps({"source": "ann", "target": SECRET}) + "\n",
    "XML": f'<?xml version="1.0"?>\n<graphml>\n<node id="{SECRET}"/>\n</graphml>\n',
    "binary": f"ann {SECRET}\0\n",
}


@pytest.fixture
def files(edges, monkeypatch):
    """The folder of a good edge list, `edges.txt`; in it the program is run."""
    monkeypatch.chdir(edges.parent)
    return edges.parent


SUBGRAPH = ["graph", "top-subgraph", "edges.txt", "-k", "3"]
PLACES = {
    "edges": [
        ["graph", "top-vertex", "bad.txt"],
        ["graph", "top-subgraph", "bad.txt", "-k", "3"],
        ["compare", "graph", "top-vertex", "bad.txt"],
    ],
    "reference": [["graph", "top-vertex", "edges.txt", "--reference", "bad.txt"]],
    "connected-in": [[*SUBGRAPH, "--connected-in", "bad.txt"]],
    "vertices": [["graph", "top-vertex", "edges.txt", "--vertices", "bad.txt"]],
    "within": [[*SUBGRAPH, "--within", "bad.txt"]],
    "family": [[*SUBGRAPH, "--family", "bad.txt"]],
}
CALLS = [(argument, call) for argument, calls in PLACES.items() for call in calls]


def refused(ran):
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert SECRET not in ran.err
    return ran.err.strip()


@pytest.mark.parametrize(("argument", "call"), CALLS)
def test_a_missing_file(run, files, argument, call):
    assert refused(run(*call)) == f"dpselect: {argument}: no such file: 'bad.txt'"


@pytest.mark.parametrize("kind", NO_EDGES)
@pytest.mark.parametrize(("argument", "call"), CALLS)
def test_a_file_that_is_something_else(run, files, argument, call, kind):
    (files / "bad.txt").write_text(NO_EDGES[kind], encoding="utf-8")
    said = refused(run(*call))
    assert said.startswith(f"dpselect: {argument}: expected a text file with one ")
    assert f", this is {'a binary file' if kind == 'binary' else kind[:3]}" in said
    assert said.endswith(": 'bad.txt'")


@pytest.mark.parametrize(("argument", "call"), CALLS)
def test_a_wrong_line(run, files, argument, call):
    (files / "bad.txt").write_bytes(f"a1 a2\n# fine\n{SECRET} \xff a3\n".encode("latin-1"))
    assert refused(run(*call)) == f"dpselect: {argument}: 'bad.txt', line 3: expected UTF-8 text"


@pytest.mark.parametrize("call", [call for name in ("edges", "reference", "connected-in") for call in PLACES[name]])
def test_a_ragged_line(run, files, call):
    (files / "bad.txt").write_text(f"a1 a2\na2 {SECRET} a3\n", encoding="utf-8")
    assert "'bad.txt', line 2: expected 2 fields, as many as on the first line of data" in refused(run(*call))


def test_a_file_is_named_as_it_was_typed(run, files):
    (files / "in here").mkdir()
    (files / "in here" / "my\x1bedges").write_text("[\n", encoding="utf-8")
    assert refused(run("graph", "top-vertex", "in here/my\x1bedges")).endswith(": 'in here/my\\x1bedges'")


def test_the_same_calls_with_good_files(run, files):
    """The control: it is the file that is refused."""
    (files / "two.txt").write_text("a1\na2\na3\na4\n", encoding="utf-8")
    (files / "family.txt").write_text("a1 a2 a3\na2 a3 a4\n", encoding="utf-8")
    good = {"vertices": "two.txt", "within": "two.txt", "family": "family.txt"}
    for argument, call in CALLS:
        drop = ["--unknown", "drop"] if argument == "vertices" else []
        other = ["gnp:40:0.3"] if argument == "reference" else [good.get(argument, "edges.txt")]
        arguments = [word for part in call for word in (other if part == "bad.txt" else [part])]
        ran = run(*arguments, *drop)
        assert (ran.code, ran.err) == (0, ""), arguments
