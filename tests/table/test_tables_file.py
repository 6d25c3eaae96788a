"""Files that are no tables: what is said of them, never what is in them; and that odd tables are still tables."""

import gzip
import io
import json
import os
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect as ds
from dpselect.problems.given_file import GivenFile
from dpselect.problems.table.table_file import checked_separator

SECRET = "carol-4711"
FRAME = pd.DataFrame({"site": ["a", SECRET], "age": [3, 4]})


def written(write, **options):
    buffer = io.BytesIO()
    write(buffer, **options)
    return buffer.getvalue()


def workbook():
    """An archive with the names of a workbook's parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst><si><t>{SECRET}</t></si></sst>")
    return buffer.getvalue()


CSV = f"site,age\na,3\n{SECRET},4\n"
OTHERS = {
    "JSON": [
        FRAME.to_json(),
        FRAME.to_json(orient="records"),
        FRAME.to_json(orient="records", lines=True),
        FRAME.to_json(orient="split", indent=1),
        FRAME.to_json(orient="values"),
        "\n\n  " + json.dumps({"rows": [SECRET]}),
        "\ufeff" + json.dumps([SECRET]),
    ],
    "XML or HTML": [
        FRAME.to_html(),
        f"<!DOCTYPE html>\n<html><body>{SECRET}</body></html>",
        f'<?xml version="1.0"?>\n<rows><row site="{SECRET}"/></rows>',
        f"<html>\n{SECRET}\n</html>",
    ],
    "a zip archive or a workbook": [workbook()],
    "an old Office file": [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + SECRET.encode()],
    "a Parquet file": [written(FRAME.to_parquet)],
    "an Arrow file": [written(lambda out: pyarrow.feather.write_feather(pa.table(FRAME), out))],
    "UTF-16": [CSV.encode("utf-16"), b"\xfe\xff" + CSV.encode("utf-16-be")],
    "a PDF file": [b"%PDF-1.7\n% " + SECRET.encode()],
    "a binary file": [CSV.encode() + b"\0", CSV.encode("utf-16-le"), b"\x7fELF\0" + SECRET.encode()],
    "gzipped": [gzip.compress(CSV.encode(), mtime=0)],
    "an SQLite database": [b"SQLite format 3\0" + SECRET.encode()],
}
# Named by what they are: the bytes of an archive hold the time, and parallel workers must find the same names.
CASES = [
    pytest.param(what, content, id=f"{what} {i}")
    for what, contents in OTHERS.items()
    for i, content in enumerate(contents)
]
SEPARATED = [
    ("t.csv", ";", "commas", "semicolons (save it with commas;"),
    ("t.csv", "\t", "commas", "tabs (name it .tsv;"),
    ("t.csv", "|", "commas", "vertical bars (save it with commas;"),
    ("t.tsv", ",", "tabs", "commas (name it .csv;"),
    ("t.txt", ";", "tabs", "semicolons (save it with tabs;"),
]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(content, name="t.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


QUESTIONS = [
    ds.table.Mode(["a"], unknown="drop"),
    ds.table.Mode(["a"], unknown="own category"),
    ds.table.Mode(["a"], "site", unknown="drop"),
    ds.table.Quantile("0.5", (0, 10), missing="drop"),
]


def refused(question, name, engine=None):
    with pytest.raises((ds.InvalidData, ds.InvalidParameter)) as caught:
        ds.select(question, name, epsilon=1, seed=1, engine=engine)
    assert SECRET not in str(caught.value)
    assert "site" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("what", "content"), CASES)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz"])
def test_other_formats_are_refused_by_name(write, what, content, name):
    """Each of them would be a table of one column, and one candidate would be the answer."""
    raw = content if isinstance(content, bytes) else content.encode()
    write(gzip.compress(raw, mtime=0) if name.endswith(".gz") else raw, name)
    between = "tabs" if name == "t.tsv" else "commas"
    for question in QUESTIONS:
        for engine in (None, "duckdb"):
            said = refused(question, name, engine)
            assert said.startswith(f"data: expected a heading and fields separated by {between}, this is {what}"), said
            assert said.endswith(f": '{name}'")


@pytest.mark.parametrize(("name", "separator", "meant", "found"), SEPARATED)
def test_another_separator_is_named(write, name, separator, meant, found):
    write(CSV.replace(",", separator), name)
    for question in QUESTIONS:
        said = refused(question, name)
        assert said.startswith(f"data: expected {meant} between the names of the heading, found {found}"), said
        assert said.endswith(f": '{name}'")


@pytest.mark.parametrize(("name", "separator", "meant", "found"), SEPARATED)
def test_the_heading_alone_decides(write, name, separator, meant, found):
    """The control: records hold what they like, and so does a name in quotation marks."""
    for heading in ("site", f'"one{separator} two"'):
        write(f'{heading}\na{separator}b\n"a{separator}b"\na{separator}b\n', name)
        question = ds.table.Mode([f"a{separator}b", "x"])
        assert ds.law(question, name, epsilon=50).probabilities[0] > 0.99


@pytest.mark.parametrize(
    "heading",
    [
        "[deleted],x", "{x},y", "<age>,x", '{site},""', "[1],[2]", "graph,x", "PAR1,x", "PK,x", '"a;b",c', "a;b,c",
        "a b", "", "x\ty,z", "\ufeffsite,age",
    ],
)  # fmt: skip
def test_odd_headings_are_headings(write, heading):
    file = GivenFile("data", write(f"{heading}\n1,2\n"), "a table")
    assert checked_separator(file) == ","


NAMES = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1), min_size=1, max_size=4)


@given(names=NAMES, ending=st.sampled_from([(".csv", ","), (".tsv", "\t"), (".txt", "\t")]), quoted=st.booleans())
def test_plain_headings_are_taken(tmp_path_factory, names, ending, quoted):
    path = tmp_path_factory.mktemp("plain") / f"t{ending[0]}"
    spelled = [f'"{name}"' for name in names] if quoted else names
    path.write_text(ending[1].join(spelled) + "\n", encoding="utf-8")
    assert checked_separator(GivenFile("data", path, "a table")) == ending[1]


def test_what_is_no_file(write, tmp_path):
    write("x", "t.xlsx")
    write("a,b\n1,2\n", "t.parquet")
    write(json.dumps([SECRET]), "j.parquet")
    write(gzip.compress(written(FRAME.to_parquet), mtime=0), "t.parquet.gz")
    write("", "empty.csv")
    write(" \n\n", "blank.csv")
    write(CSV, "plain.csv.gz")
    (tmp_path / "folder.csv").mkdir()
    expected = {
        "none.csv": "no such file",
        "folder.csv": "expected a file, this is a directory",
        "t.xlsx": "the name must end in .csv, .tsv or .parquet (text also in .csv.gz)",
        "t*.csv": "the name of a file must not hold any of * ? [",
        "t.parquet": "expected a Parquet file, not gzipped, this is none",
        "j.parquet": "expected a Parquet file, not gzipped, this is JSON (save it as CSV or Parquet)",
        "t.parquet.gz": "expected a Parquet file, not gzipped, this is gzipped (unpack it; text may be named .csv.gz)",
        "empty.csv": "expected a heading, the file is empty",
        "blank.csv": "expected a heading, the file is empty",
        "plain.csv.gz": "the file is not gzipped, or damaged",
    }
    for name, what in expected.items():
        for engine in (None, "duckdb"):
            assert refused(QUESTIONS[0], name, engine) == f"data: {what}: {name!r}"


def test_a_pipe_is_not_read(tmp_path):
    """The engine would read it again, without the heading. Opening it would wait for somebody to write."""
    os.mkfifo(tmp_path / "t.csv")
    assert "expected an ordinary file" in refused(QUESTIONS[0], tmp_path / "t.csv")


def test_what_the_engine_cannot_read(write):
    hint = "cannot be read (InvalidInputException: text must be UTF-8, with a heading and as many fields on every line)"
    for content in (f"site,age\n{SECRET},3,4\n", f"site,age\n\xe9{SECRET},3\n".encode("latin-1"), 'site,age\n"a,3\n'):
        write(content)
        assert refused(QUESTIONS[2], "t.csv") == f"data: {hint}: 't.csv'"
    whole = written(FRAME.to_parquet)
    write(whole[: len(whole) // 2], "t.parquet")
    assert refused(QUESTIONS[2], "t.parquet").endswith("): 't.parquet'")


def test_edges_and_vertices_on_an_engine(write):
    """Each file by its own name, whichever query meets it first."""
    write("source,target\na,b\nb,c\n", "e.csv")
    write("v\na\nb,c\n", "v.csv")
    write("v\na\nb\nc\n", "good.csv")

    def said(edges, vertices):
        table = ds.engines.EdgeTable(edges, vertices=vertices)
        with pytest.raises((ds.InvalidData, ds.InvalidParameter)) as caught:
            ds.select(ds.graph.TopVertex(), table, epsilon=1, seed=1, engine="duckdb")
        return str(caught.value)

    assert said("e.csv", "none.csv") == "vertices: no such file: 'none.csv'"
    assert said("e.csv", "v.csv").startswith("vertices: cannot be read (")
    assert said("good.csv", "v.csv") == "data: two columns of ids are needed (in text with a heading: .csv or .tsv)"
    assert said("none.csv", "good.csv") == "data: no such file: 'none.csv'"


def test_a_reference_is_named(write):
    write(CSV, "good.csv")
    write(CSV.replace(",", ";"), "t.csv")
    question = ds.table.Mode(["a"], "site", unknown="drop")

    def said(reference):
        with pytest.raises(ds.InvalidParameter) as caught:
            ds.select(question, "good.csv", epsilon=1, seed=1, reference=reference)
        return str(caught.value)

    assert said("none.csv") == "reference: no such file: 'none.csv'"
    assert said("t.csv").startswith("reference: expected commas between the names")
    write("age\n3\n", "t.csv")
    assert said("t.csv") == "reference: category: the data has no column 'site'"
    write(CSV, "public.csv")
    assert ds.select(question, "good.csv", epsilon=1, seed=1, reference="public.csv").candidate == "a"
