import gzip
import subprocess
import sys

import numpy as np
import pytest

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.problems.given_file import GivenFile
from dpselect.problems.graph import edge_list as module
from dpselect.problems.graph.edge_list import read_edges
from dpselect.problems.graph.integer_table import CHUNK, integer_columns


@pytest.fixture
def write(tmp_path):
    def write(content, name="edges.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def named_edges(graph):
    return [(graph.vertices[u], graph.vertices[v]) for u, v in zip(graph.tails, graph.heads, strict=True)]


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n2 3\n",
        "1\t2\n2\t3",
        "  1   2 \r\n\r\n2 3\r\n",
        "1 2\r2 3\r",
        "# SNAP\n% KONECT\n1 2\n# in between\n2 3\n",
        "1 2\n2 1\n2 3\n2 3\n2 2\n",
        "1,2\n2,3\n",
        "source,target\n1,2\n2,3\n",
        "anything,else\n1,2\n2,3\n",
        "FromNodeId ToNodeId\n1 2\n2 3\n",
        "1, 2\n2 ,3\n",
        '"1","2"\n"2","3"\n',
        "1 2 17\n2 3 5\n",
        "1 2 0.5 1e9\n2 3 nan x\n",
        "source,target,weight\n1,2,7\n2,3,9\n",
        "\ufeff1 2\n2 3\n",
        "\n\n1 2\n\n2 3\n\n",
    ],
)
def test_dialects_give_the_same_graph(write, text):
    graph = read_edges(write(text))
    assert list(graph.vertices) == [1, 2, 3]
    assert named_edges(graph) == [(1, 2), (2, 3)]
    assert graph.vertices_from_data
    zipped = read_edges(write(gzip.compress(text.encode()), "edges.gz"))
    assert named_edges(zipped) == [(1, 2), (2, 3)]


def test_gzip_is_recognised_by_content_not_by_name(write):
    assert read_edges(write(gzip.compress(b"0 1\n"), "edges.txt")).n == 2
    assert read_edges(write("0 1\n", "edges.txt.gz")).n == 2


def test_strings_and_their_order(write):
    graph = read_edges(write("bob alice\nzoë bob\n"))
    assert graph.vertices == ("alice", "bob", "zoë")
    assert named_edges(graph) == [("alice", "bob"), ("bob", "zoë")]


@pytest.mark.parametrize("odd", ["007", "+7", "7.0", "x", "1234567890123456789", "-0", "٣"])
def test_one_id_that_is_no_plain_integer_makes_all_strings(write, odd):
    graph = read_edges(write(f"10 9\n9 {odd}\n"))
    assert set(graph.vertices) == {"10", "9", odd}
    assert list(graph.vertices) == sorted(graph.vertices)


def test_integers_are_ordered_as_numbers(write):
    assert read_edges(write("10 9\n-3 9\n")).vertices == (-3, 9, 10)
    assert read_edges(write("1 0\n2 1\n")).vertices == range(3)


def test_loops_leave_their_vertex(write):
    graph = read_edges(write("5 5\n1 2\n"))
    assert graph.vertices == (1, 2, 5)
    assert named_edges(graph) == [(1, 2)]


def test_names_with_blanks(write):
    graph = read_edges(write("Bess Flowers\tCary Grant\n"), separator="\t")
    assert graph.vertices == ("Bess Flowers", "Cary Grant")
    quoted = read_edges(write('"Flowers, Bess","Grant ""C"""\n"Flowers, Bess",x\n'))
    assert quoted.vertices == ("Flowers, Bess", 'Grant "C"', "x")


@pytest.mark.parametrize(
    ("text", "header", "expected"),
    [
        ("source,target\nann,bob\n", None, [("ann", "bob")]),
        ("left,right\nann,bob\n", None, [("ann", "bob"), ("left", "right")]),
        ("left,right\nann,bob\n", True, [("ann", "bob")]),
        ("source,target\nann,bob\n", False, [("ann", "bob"), ("source", "target")]),
        ("1,2\n3,4\n", True, [(3, 4)]),
        ("a b\nb c\n", None, [("a", "b"), ("b", "c")]),
        ("a,b\n", None, [("a", "b")]),
        ("x,y\n1,2\n", False, [("1", "2"), ("x", "y")]),
        ("x,7\n1,2\n", None, [("1", "2"), ("7", "x")]),
    ],
)
def test_heading(write, text, header, expected):
    assert named_edges(read_edges(write(text), header=header)) == expected


def test_names_that_are_declared_vertices_are_no_heading(write):
    graph = read_edges(write("source,target\n"), vertices=["target", "source"])
    assert graph.tails.size == 1


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("1 2\n3\n", 2, "expected 2 fields"),
        ("1 2\n\n# c\n3 4 5\n", 4, "expected 2 fields"),
        ("1 2 3\n4 5\n", 2, "expected 3 fields"),
        ("1\n2\n", 1, "at least two ids"),
        ("1,2\n3,,4\n", 2, "expected 2 fields"),
        ("1,2\n3 4\n", 2, "expected 2 fields"),
        ("1,2\n,4\n", 2, "one is empty"),
        ("1,2,\n3,4\n", 2, "expected 3 fields"),
        ('1,2\n3,"secret\n', 2, "quotation mark"),
        (b"1 2\nsecret \xff\xfe\n", 2, "UTF-8"),
    ],
)
def test_malformed_lines_are_named_by_number_only(write, text, line, said):
    with pytest.raises(InvalidData) as caught:
        read_edges(write(text))
    assert f"line {line}:" in str(caught.value)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_files_that_are_none(write, tmp_path):
    with pytest.raises(InvalidParameter, match="no such file"):
        read_edges(tmp_path / "missing.txt")
    with pytest.raises(InvalidParameter, match="directory"):
        read_edges(tmp_path)
    with pytest.raises(InvalidData, match="binary"):
        read_edges(write(b"\x7fELF\0\0"))
    with pytest.raises(InvalidData, match="gzip"):
        read_edges(write(gzip.compress(b"1 2\n" * 1000)[:-9]))
    with pytest.raises(InvalidData, match="at least one vertex"):
        read_edges(write("# nothing\n"))
    with pytest.raises(InvalidData, match="at least one vertex"):
        read_edges(write(""))
    with pytest.raises(InvalidData, match="Matrix Market"):
        read_edges(write("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 2\n"))
    with pytest.raises(InvalidParameter, match="separator"):
        read_edges(write("1 2\n"), separator="::")
    with pytest.raises(InvalidParameter, match="unknown"):
        read_edges(write("1 2\n"), vertices=[1, 2], unknown="ignore")
    assert read_edges(write("# nothing\n"), vertices=[4, 2]).n == 2


def test_declared_vertices(write):
    path = write("1 2\n2 9\n9 9\n")
    with pytest.raises(InvalidData) as caught:
        read_edges(path, vertices=[3, 2, 1])
    assert "9" not in str(caught.value)
    graph = read_edges(path, vertices=[3, 2, 1], unknown="drop")
    assert graph.vertices == (3, 2, 1)
    assert named_edges(graph) == [(2, 1)]
    assert not graph.vertices_from_data


def test_declared_vertices_from_a_file(write):
    edges = write("1 2\n2 9\n")
    listed = write("# public\n3\n2\n\n 1 \n", "vertices.txt")
    with pytest.raises(InvalidData):
        read_edges(edges, vertices=listed)
    graph = read_edges(edges, vertices=str(listed), unknown="drop")
    assert graph.vertices == (3, 2, 1)
    zipped = write(gzip.compress(b"1\n2\n9\n"), "vertices.gz")
    assert read_edges(edges, vertices=zipped).tails.size == 2
    with pytest.raises(InvalidParameter, match="vertices: no such file"):
        read_edges(edges, vertices="missing.txt")
    with pytest.raises(InvalidParameter, match="only once"):
        read_edges(edges, vertices=write("1\n1\n", "twice.txt"))


def test_declared_strings_read_all_ids_as_strings(write):
    path = write("1 2\n2 x\n")
    assert named_edges(read_edges(path, vertices=["x", "2", "1"])) == [("x", "2"), ("2", "1")]
    assert named_edges(read_edges(write("1 2\n"), vertices=["2", "1"])) == [("2", "1")]


def test_declared_integers_and_ids_that_are_none(write):
    path = write("1 2\n2 x\n")
    with pytest.raises(InvalidData):
        read_edges(path, vertices=[1, 2])
    assert named_edges(read_edges(path, vertices=[1, 2], unknown="drop")) == [(1, 2)]


def random_table(rng):
    """Text that is a regular table of integers, up to a few blemishes."""
    width = int(rng.integers(1, 5))
    comma = bool(rng.integers(2))
    lines = []
    for _ in range(rng.integers(1, 12)):
        fields = [str(rng.integers(0, 10 ** int(rng.integers(1, 6)))) for _ in range(width)]
        lines.append((", " if comma else "\t ").join(fields))
        if rng.random() < 0.2:
            lines.append(["", " ", "# c", "\r"][rng.integers(4)])
    text = "\n".join(lines) + "\n" * int(rng.integers(2))
    for _ in range(rng.integers(0, 2)):
        at = int(rng.integers(0, len(text) + 1))
        text = text[:at] + ["0", "-", ",", " ", "\n", "x", "#", ",\n,", ""][rng.integers(9)] + text[at:]
    return text.encode()


def test_fast_reader_agrees_with_the_line_by_line_reader():
    rng = np.random.default_rng(7)
    fast_cases = 0
    for _ in range(6000):
        data = random_table(rng)
        fast = module._fast(data, None, None, None)
        if fast is None:
            continue
        fast_cases += 1
        slow = module._line_by_line(data, GivenFile("path", "x", ""), None, None, None)
        assert [np.asarray(c).tolist() for c in slow] == [c.tolist() for c in fast], data
    assert fast_cases > 2000


def test_chunks_are_joined(monkeypatch):
    data = b"".join(b"%d %d\n" % (i, i * i) for i in range(2000))
    monkeypatch.setattr("dpselect.problems.graph.integer_table.CHUNK", 101)
    left, right, width = integer_columns(data, None)
    assert left.tolist() == list(range(2000))
    assert right.tolist() == [i * i for i in range(2000)]
    assert width == 2
    assert integer_columns(data + b"1 2 3\n", None) is None
    assert CHUNK > 101


def test_reading_does_not_import_numba(write):
    code = "import sys; from dpselect.problems.graph.edge_list import read_edges; "
    code += f"read_edges({str(write('1 2'))!r}); assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
