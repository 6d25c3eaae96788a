"""Files that are no edge lists: what is said of them, and that ids which look odd are still ids."""

import gzip
import io
import json
import sqlite3

import networkx as nx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect as ds
from dpselect.problems.given_file import GivenFile
from dpselect.problems.graph.other_formats import NO_ENTRIES
from dpselect.problems.graph.vertex_file import read_subsets, read_vertices

SECRET = "carol"


def graph():
    made = nx.path_graph(["ann", "bob", SECRET, "dan"])
    made.graph["name"] = "calls"
    return made


def networkx_writes(writer):
    buffer = io.BytesIO()
    writer(graph(), buffer)
    return buffer.getvalue()


PAIRS = [["ann", "bob"], ["bob", SECRET]]
OBJECTS = [{"source": u, "target": v} for u, v in PAIRS]
DOCUMENTS = {
    "JSON": [
        json.dumps(nx.node_link_data(graph(), edges="links")),
        json.dumps(PAIRS),
        json.dumps(PAIRS, indent=2),
        json.dumps(OBJECTS, indent=1),
        "\n".join(json.dumps(row) for row in OBJECTS),
        "\n".join(json.dumps(row) for row in PAIRS),
        "\n".join(json.dumps(row) for row in [[1, 2], [2, 3]]),
        json.dumps([[1, 2], [2, 3]]),
        json.dumps([[1], [0, 2], [1]]),  # neighbours
        json.dumps([[], [2], [1]]),
        json.dumps({"0": [1], "1": [0]}),
        str({SECRET: ["ann", "bob"]}),  # Python's own spelling
        "[\n1, 2,\n3, 4\n]",
        "{\n" + f'"{SECRET}": "ann"\n' + "}",
        "  \n\t[ [ -1.5e3 , 2 ] ]",
        "# exported\n\n" + json.dumps(PAIRS),
        "\ufeff" + json.dumps(PAIRS),
    ],
    "XML": [
        networkx_writes(nx.write_graphml),
        networkx_writes(nx.write_gexf),
        f'<graphml xmlns="x">\n<node id="{SECRET}"/>\n',
        f"<edges>\n<edge>{SECRET}</edge>\n</edges>\n",
        f"<edges><edge>{SECRET}</edge>",
        f"<!DOCTYPE html>\n<p> {SECRET}",
        f"<title>{SECRET} and others</title>",
        f"<graph\n  id='{SECRET}'>",
    ],
    "GML": [networkx_writes(nx.write_gml), f'Creator "{SECRET}"\ngraph\n[\n', "graph [ node [ id 1 ]"],
    "DOT": [f"graph {{\n{SECRET} -- ann\n}}", f'digraph "x y" {{\n{SECRET} -> ann;\n}}', "strict graph g{"],
    "Pajek": [networkx_writes(nx.write_pajek), f'*Vertices 2\n1 "{SECRET}"\n2 "ann"\n'],
    "Matrix Market": [f"%%MatrixMarket matrix coordinate pattern symmetric\n%{SECRET}\n3 3 1\n1 2\n"],
    "UTF-16": [f"ann {SECRET}\n".encode("utf-16"), b"\xfe\xff" + f"1 2\n{SECRET}".encode("utf-16-be")],
    "zip": [b"PK\x03\x04" + SECRET.encode()],
    "bzip2": [b"BZh91AY&SY" + SECRET.encode()],
    "gzipped twice": [gzip.compress(gzip.compress(f"ann {SECRET}\n".encode()))],
    "Arrow": [b"ARROW1\0\0" + SECRET.encode()],
    "binary": [f"ann {SECRET}\0\n".encode(), b"\x7fELF\0"],
}
# Named by what they are: the bytes of an archive hold the time, and parallel workers must find the same names.
CASES = [
    pytest.param(what, text, id=f"{what} {i}") for what, texts in DOCUMENTS.items() for i, text in enumerate(texts)
]


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(content, name="given.txt"):
        (tmp_path / name).write_bytes(as_bytes(content))
        return name

    return write


def read_within(path):
    return read_vertices(path, "within")


READERS = [
    (ds.graph.read_edges, "path", "one edge a line"),
    (ds.graph.as_graph, "source", "one edge a line"),
    (read_vertices, "vertices", "one id a line"),
    (read_within, "within", "one id a line"),
    (read_subsets, "family", "one subset a line"),
]


@pytest.mark.parametrize(("what", "content"), CASES)
@pytest.mark.parametrize("zipped", [False, True])
def test_other_formats_are_refused_by_name_without_their_content(write, what, content, zipped):
    name = write(gzip.compress(as_bytes(content)) if zipped else content)
    for read, argument, form in READERS:
        with pytest.raises(ds.InvalidData) as caught:
            read(name)
        said = str(caught.value)
        assert said.startswith(f"{argument}: expected a text file with {form}"), said
        assert said.endswith(": 'given.txt'"), said
        assert what in said, said
        assert SECRET not in said, said


@pytest.mark.parametrize("unknown", ["refuse", "drop"])
def test_declared_vertices_do_not_let_them_through(write, unknown):
    """Dropping the unknown ids of a JSON file would leave an empty graph, and an answer about it."""
    with pytest.raises(ds.InvalidData, match="JSON"):
        ds.graph.read_edges(write(json.dumps(PAIRS)), vertices=["ann", "bob"], unknown=unknown)


@pytest.mark.parametrize(
    "first",
    [
        "[deleted] ann", "[deleted],ann", "[[Paris]] [[Rome]]", "[[1990]] [[1991]]", "[[1990]],[[1991]]", "[1] [2]",
        "[1],[2]", "{7} {8}", "{a},{b}", "<ann> <bob>", "<ann>,<bob>", "<ann>\t<bob>", "<a@b.example> <c@d.example>",
        "<http://x.example/ann> <http://x.example/bob>", "<3 ann", "< >", "graph ann", "digraph graph", "graph,[x]",
        "creator ann", "*star ann", "PAR1 PAR2", "PAR1,PAR2", "PAR1\tPAR2", "BZhang Bo", "BZh9 1AY",
        "PK 2", "ARROW1 ann", "-[ ann", "( [",
    ],
)  # fmt: skip
def test_odd_ids_are_ids(write, first):
    """The control: what is refused is a format, not a character."""
    read = ds.graph.read_edges(write(f"{first}\nx{',' if ',' in first else ' '}y\n"))
    assert read.n == 4
    separator = "," if "," in first else None
    assert set(read.vertices) == {"x", "y", *first.split(separator)}


JSON_VALUES = st.recursive(
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.lists(st.lists(st.integers() | st.text(max_size=4), min_size=2, max_size=2), min_size=1)
    | st.lists(st.dictionaries(st.text(max_size=5), JSON_VALUES, min_size=1), min_size=1)
    | st.dictionaries(st.text(max_size=5), JSON_VALUES),
    st.sampled_from([None, 0, 1, 4]),
)
def test_any_json_document_of_pairs_or_objects(value, indent):
    text = json.dumps(value, indent=indent).encode()
    assert NO_ENTRIES.of(text, text.split(b"\n")[0]) == "JSON"


NUMBERS = st.integers(-(10**18), 10**18)
WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)


@given(st.tuples(NUMBERS, NUMBERS) | st.tuples(WORDS, WORDS), st.sampled_from([" ", "\t", ",", ", "]))
def test_plain_edges_are_none_of_them(edge, separator):
    line = f"{edge[0]}{separator}{edge[1]}".encode()
    assert NO_ENTRIES.of(line + b"\n", line) is None


def test_parquet_and_databases(write, tmp_path):
    pq.write_table(pa.table({"u": ["ann"], "v": [SECRET]}), tmp_path / "edges.txt")
    assert ds.graph.read_edges("edges.txt").n == 2  # edges may be given so, whatever the file is called
    for read, argument, _ in READERS[2:]:
        with pytest.raises(ds.InvalidData, match=f"^{argument}: .*a Parquet file .*: 'edges.txt'$"):
            read("edges.txt")
    write(gzip.compress((tmp_path / "edges.txt").read_bytes()), "edges.parquet.gz")
    with pytest.raises(ds.InvalidData, match=r"a Parquet file .*not gzipped"):
        ds.graph.read_edges("edges.parquet.gz")
    (tmp_path / "cut.txt").write_bytes(b"PAR1\x15" + SECRET.encode())
    with pytest.raises(ds.InvalidData, match=r"^path: the Parquet file is damaged.*: 'cut.txt'$"):
        ds.graph.read_edges("cut.txt")
    connection = sqlite3.connect("budget.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(ds.InvalidData, match="SQLite"):
        ds.graph.read_edges("budget.db")


def test_lines_are_named_with_their_file(write):
    with pytest.raises(ds.InvalidData, match=r"^path: 'given.txt', line 2: expected 2 fields"):
        ds.graph.read_edges(write("1 2\n3\n"))
    with pytest.raises(ds.InvalidData, match=r"^vertices: 'given.txt', line 2: expected UTF-8 text$"):
        read_vertices(write(b"a\n\xff\n"))


@pytest.mark.parametrize("given", ["ann carol\nbob carol\n", "ann carol\r", b"ann carol", ["ann carol"], 7, ""])
def test_what_is_no_file_name_is_not_shown(given):
    """The edges themselves in the place of the file: `wrong` is what every error is made of."""
    file = GivenFile("path", given, "one edge a line")
    assert file.wrong("no such file") == "path: no such file"
    assert file.wrong_line(3, "one id is empty") == "path: line 3: one id is empty"
    if isinstance(given, str):
        with pytest.raises(ds.InvalidParameter) as caught:
            ds.graph.read_edges(given)
        assert "carol" not in str(caught.value)
