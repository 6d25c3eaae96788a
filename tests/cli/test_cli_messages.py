"""Errors at the command line: one line that speaks of what was typed, never of Python, and of no private value."""

import json
import re

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from dpselect.cli.app import app
from dpselect.cli.verb import CALLED_HERE, Verb, spelled, typed

SECRET = "carol-4711"

TABLE = f"site,age,flag,who\na,3,1,x\nb,5,0,y\n{SECRET},7,1,z\nd,,0,\n"
QUANTILE = ["table", "quantile", "t.csv", "--column", "age", "--bounds", "0", "10"]
MODE = ["table", "mode", "t.csv", "--category", "site", "--candidate", "a"]
MEAN = ["table", "best-mean", *MODE[2:], "--value", "age", "--bounds", "0", "10"]
JUDGED = ["--label", "flag", "--metric", "accuracy", "--trained-on", "other records"]
MODEL = ["table", "best-model", "t.csv", "--model", "age", *JUDGED]
THRESHOLD = ["table", "best-threshold", "t.csv", "--threshold", "4", "--score", "age", *JUDGED]
SPLIT = ["table", "best-split", "t.csv", "--split", "age=4", "--label", "flag"]
VERTEX = ["graph", "top-vertex", "e.txt"]
SUBGRAPH = ["graph", "top-subgraph", "e.txt", "-k", "3"]
ENGINE = ["--engine", "duckdb"]

EXPECTED = {
    # policies, and what a unit allows
    "a value is missing (null, NaN, or no number): --missing refuse does not allow it, 'clip' or 'drop' would": [
        [*QUANTILE],
        [*QUANTILE, *ENGINE],
    ],
    "a value lies outside the bounds: --outside refuse does not allow it, 'clip' or 'drop' would": [
        [*QUANTILE[:-1], "4", "--missing", "drop", "--outside", "refuse"],
    ],
    "a category is null or not declared: --unknown refuse does not allow it, 'own category' or 'drop' would": [
        [*MODE],
        [*MODE, *ENGINE],
    ],
    "a number is missing (null, NaN, or no number): --missing refuse does not allow it, 'drop' would": [
        [*THRESHOLD],
        [*SPLIT],
    ],
    "a label or a class is null or not declared: --unknown refuse does not allow it, 'drop' would": [[*MODEL]],
    "--missing drop changes the number of records, which is public when one record is replaced: choose another policy, "
    "or --unit add-or-remove": [
        [*QUANTILE, "--missing", "drop", "--unit", "replace"],
        [*SPLIT, "--missing", "drop", "--unit", "replace"],
    ],
    "person: truncating rows changes their number; it goes with --unit add-or-remove only": [
        [*MODE, "--person", "who", "--unit", "replace"]
    ],
    "rows-per-person above 1 needs --person, the column that says whose row it is": [[*MODE, "--rows-per-person", "2"]],
    "an edge or a vertex names an id outside the declared vertices; declare it, or use --unknown drop": [
        [*VERTEX, "--vertices", "v.txt"],
        [*SUBGRAPH, "--vertices", "v.txt"],
    ],
    "an edge names a vertex that is not declared; declare it, or use --unknown drop": [
        ["graph", "top-vertex", "e.csv", *ENGINE, "--vertices", "v.txt"]
    ],
    # names of arguments
    "prior-mean needs a --prior-weight above 0": [[*MEAN, "--prior-mean", "1"]],
    "prior-weight must be at least 0, not '-1'": [[*MEAN, "--prior-weight", "-1", "--prior-mean", "1"]],
    "model must not repeat, nor contain the column of labels": [[*MODEL, "--model", "flag"]],
    "class must be 2 to 100, got 1": [[*SPLIT, "--class", "a"]],
    "candidate must not repeat (1 and '1' are the same category)": [[*MODE, "--candidate", "a"]],
    "split must be 1 to 100,000 different ones": [[*SPLIT, "--split", "age=4"]],
    'threshold must be a finite number (1, 0.5, "1e-6", "1/3"), not \'x\'': [[*THRESHOLD, "--threshold", "x"]],
    'curve must be a finite number (1, 0.5, "1e-6", "1/3"), not \'x\'': [
        ["verify", "w.json", "--curve", "x"],
        ["verify", "none.json", "--curve", "1", "--curve", "x", "--json"],
    ],
    "candidates must be at least 2, not 1": [["bounds", "--candidates", "1"]],
    "epsilon and delta go with --candidates: without it the examples are shown": [
        ["bounds", "--epsilon", "2"],
        ["bounds", "--delta", "0.1"],
    ],
    "engine-option: refused by DuckDB (InvalidInputException)": [
        [*MODE, *ENGINE, "--engine-option", "pi=3"],
        ["graph", "top-vertex", "e.csv", *ENGINE, "--engine-option", "pi=3"],
    ],
    "family lists the candidates: it excludes --within and --connected-in": [
        [*SUBGRAPH, "--within", "v.txt", "--family", "v.txt"]
    ],
    "k must be at most 6, got 9": [["graph", "top-subgraph", "e.txt", "--size", "9"]],
    "category is missing: the data does not have exactly one column": [["table", "mode", "t.csv", "--candidate", "a"]],
    "column is missing: the data does not have exactly one column": [
        ["table", "quantile", "t.csv", "--bounds", "0", "1"]
    ],
    "category: the data has no column 'prior_mean=1'": [
        ["table", "mode", "t.csv", "--candidate", "a", "--category", "prior_mean=1"]
    ],
    # files
    "file: no such file: 'none.csv'": [
        ["table", "mode", "none.csv", "--candidate", "a"],
        ["table", "mode", "none.csv", "--candidate", "a", *ENGINE],
        ["compare", "table", "mode", "none.csv", "--candidate", "a"],
    ],
    "edges: no such file: 'none.csv'": [
        ["graph", "top-vertex", "none.csv"],
        ["graph", "top-vertex", "none.csv", *ENGINE],
    ],
    "vertices: no such file: 'none.csv'": [["graph", "top-vertex", "e.csv", *ENGINE, "--vertices", "none.csv"]],
    "reference: no such file: 'none.csv'": [
        [*MODE, "--unknown", "drop", "--reference", "none.csv"],
        [*VERTEX, "--reference", "none.csv"],
    ],
    "reference: n must be at least 2, not 0, in 'gnp:0:0.1'": [[*VERTEX, "--reference", "gnp:0:0.1"]],
    "edges: two columns of ids are needed (in text with a heading: .csv or .tsv)": [
        ["graph", "top-vertex", "one.csv", *ENGINE]
    ],
    "file: expected a heading and fields separated by commas, this is JSON (save it as CSV or Parquet): 'j.csv'": [
        ["table", "mode", "j.csv", "--candidate", "a", "--unknown", "drop"],
        ["table", "mode", "j.csv", "--candidate", "a", "--unknown", "own category", *ENGINE],
        ["table", "quantile", "j.csv", "--bounds", "0", "1", "--missing", "drop"],
    ],
    "edges: expected a heading and fields separated by commas, this is JSON (save it as CSV or Parquet): 'j.csv'": [
        ["graph", "top-vertex", "j.csv", *ENGINE]
    ],
    "candidates: expected a text file with one category a line, this is JSON: 'j.csv'": [
        [*MODE, "--candidates", "j.csv"]
    ],
    "file: expected commas between the names of the heading, found semicolons (save it with commas; if the heading is "
    "one name, put it in quotation marks): 'semi.csv'": [
        ["table", "mode", "semi.csv", "--category", "site", "--candidate", "a", "--unknown", "drop"],
        ["table", "mode", "semi.csv", "--candidate", "a", "--unknown", "drop"],
    ],
    "file: cannot be read (InvalidInputException: text must be UTF-8, with a heading and as many fields on every line)"
    ": 'ragged.csv'": [["table", "mode", "ragged.csv", "--category", "site", "--candidate", "a"]],
    # worlds
    "world: no such file: 'none.json'": [["verify", "none.json"]],
    "world: expected a file, this is a directory: '.'": [["verify", "."]],
    "world: expected UTF-8 text: 'utf16.json'": [["verify", "utf16.json"]],
    "world: 'cut.json', line 2: expected JSON (Expecting value)": [["verify", "cut.json"]],
    "world: 'parts.json': a world must have its parts: missing ['edges', 'scores'], unknown ['score']": [
        ["verify", "parts.json"]
    ],
    "world: 'words.json': scores of a world must be finite numbers": [["verify", "words.json"]],
    "world: 'nan.json': a world file must hold finite numbers only, found NaN": [["verify", "nan.json"]],
    "world: 'digits.json': cannot be parsed as JSON (ValueError)": [["verify", "digits.json"]],
    "world: 'far.json': edges must join datasets 0 … 1, got [0, 5]": [["verify", "far.json"]],
}
CALLS = [(text, call) for text, calls in EXPECTED.items() for call in calls]

WORLD = {"datasets": ["x", "y"], "edges": [[0, 1]], "candidates": ["a", "b"], "scores": [[0, "1/3"], [1, 0.25]]}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with good and bad files; in it the program is run."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "t.csv": TABLE,
        "j.csv": json.dumps([{"site": SECRET}]),
        "semi.csv": TABLE.replace(",", ";"),
        "ragged.csv": f"site,age\na,3\n{SECRET},3,4\n",
        "one.csv": "source\na\n",
        "e.csv": f"source,target\na,b\nb,{SECRET}\n",
        "e.txt": f"a b\nb c\nc {SECRET}\na c\n",
        "v.txt": "a\nb\n",
        "more.txt": "b\n[c]\n",
        "w.json": json.dumps(WORLD),
        "cut.json": '{"datasets": ["x"],\n "edges": ',
        "parts.json": json.dumps({"datasets": ["x"], "candidates": ["a"], "score": []}),
        "words.json": json.dumps({**WORLD, "scores": [[0, "one"], [1, 2]]}),
        "nan.json": json.dumps({**WORLD, "scores": [[0, float("nan")], [1, 2]]}),
        "far.json": json.dumps({**WORLD, "edges": [[0, 5]]}),
        "digits.json": '{"datasets": ' + "7" * 5000 + "}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "utf16.json").write_text(json.dumps(WORLD), encoding="utf-16")
    return tmp_path


@pytest.mark.parametrize(("text", "call"), CALLS)
def test_what_is_wrong_in_the_words_of_the_command_line(run, files, text, call):
    ran = run(*call)
    assert (ran.code, ran.out, ran.err) == (2, "", f"dpselect: {text}\n")


def test_the_same_calls_are_answered_where_nothing_is_wrong(run, files):
    """The control: the files and the arguments that the errors are not about are good."""
    dropping = ["--unknown", "drop"]
    for call in (
        [*QUANTILE, "--missing", "drop"],
        [*MODE, *dropping],
        [*MODE, *dropping, *ENGINE],
        [*MODE, *dropping, "--candidates", "more.txt"],
        [*MEAN, *dropping, "--missing", "drop", "--prior-mean", "1", "--prior-weight", "1"],
        [*MODEL, *dropping],
        [*THRESHOLD, "--missing", "drop"],
        [*SPLIT, "--missing", "drop"],
        [*VERTEX, "--vertices", "v.txt", *dropping],
        [*SUBGRAPH],
        ["graph", "top-vertex", "e.csv", *ENGINE],
        ["verify", "w.json", "--curve", "1"],
        ["bounds", "--candidates", "10", "--epsilon", "2"],
    ):
        ran = run(*call)
        assert (ran.code, ran.err) == (0, ""), call


PYTHON = re.compile(r"[a-z]=|\w\(|[a-z]_[a-z]|\bNone\b|\bTrue\b|\bds\.")
"""Spellings that no one types at a command line; looked for outside quotation marks."""


def test_the_errors_above_hold_no_python():
    for text in EXPECTED:
        assert not PYTHON.search(re.sub(r"(?<!\w)'[^']*'", "", text)), text
    for text in ("use unknown='drop'", "needs person=, the", "unit AddOrRemove()", "prior_mean is"):
        assert PYTHON.search(text)


def commands(group, *words):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *words, name)
        else:
            yield " ".join((*words, name)), command


VERBS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_speaks_so(name):
    verb = VERBS[name]
    assert type(verb) is Verb
    names = typed(verb.params)
    options = {option for parameter in verb.params for option in parameter.opts if option.startswith("-")}
    assert {text for text in names.values() if text.startswith("-")} <= options
    if {"table", "graph"} & set(name.split()):
        assert names["data"] == ("file" if "table" in name.split() else "edges")


def test_every_other_name_is_needed():
    """A parameter of some verb, and itself the parameter of none that has both."""
    own = [{parameter.name for parameter in verb.params} for verb in VERBS.values()]
    for name, parameter in CALLED_HERE.items():
        assert any(parameter in names for names in own), parameter
        assert not any(parameter in names and name in names for names in own), name


NAMES = {"unknown": "--unknown", "prior_mean": "--prior-mean", "unit": "--unit", "data": "file", "models": "--model"}


@pytest.mark.parametrize(
    ("python", "here"),
    [
        ("use unknown='drop'", "use --unknown drop"),
        ("use unknown='own category' here", "use --unknown 'own category' here"),
        ("unknown='drop' is given", "--unknown drop is given"),
        ("declare unknown=, or not", "declare --unknown, or not"),
        ("or unit=AddOrRemove(rows_per_person=2).", "or --unit add-or-remove."),
        ("prior_mean must be 1", "prior-mean must be 1"),
        ("the prior_mean must be 1", "the --prior-mean must be 1"),
        ("models must not repeat", "model must not repeat"),
        ("of models and data", "of models and data"),
        ("data: no such file: 'data: x'", "file: no such file: 'data: x'"),
        # other people's words
        ("column 'prior_mean' of 'unknown=1'", "column 'prior_mean' of 'unknown=1'"),
        ("got \"it's unknown='drop'\"", "got \"it's unknown='drop'\""),
        (r"got 'it\'s prior_mean'", r"got 'it\'s prior_mean'"),
        ("the world's prior_mean isn't data", "the world's --prior-mean isn't data"),
        ("accounting='source' and other_words", "accounting='source' and other_words"),
        ("Ärger: prior_mean", "Ärger: --prior-mean"),
        ("", ""),
    ],
)
def test_spelled(python, here):
    assert spelled(python, NAMES) == here


@given(st.text())
def test_what_somebody_gave_stays_as_it_is(text):
    """`repr` is how errors show what was given."""
    assert spelled(f"unit must be one of a, b, got {text!r}", NAMES) == f"unit must be one of a, b, got {text!r}"
