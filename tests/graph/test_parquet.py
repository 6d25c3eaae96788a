"""Edge lists in Parquet files."""

import builtins

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpselect as ds
from dpselect.problems.graph import as_graph, read_edges


def written(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_integers_whatever_the_file_is_called(tmp_path):
    path = written(tmp_path / "edges.data", a=[3, 1, 2, 2], b=[1, 2, 1, 2], weight=[0.5, 1.0, 2.0, 1.0])
    graph = read_edges(path)
    assert list(graph.vertices) == [1, 2, 3]
    assert (graph.tails.tolist(), graph.heads.tolist()) == ([0, 0], [1, 2])
    assert as_graph(str(path), vertices=range(5)).n == 5


def test_strings_dictionaries_and_declared_vertices(tmp_path):
    left = pa.array(["b", "a", "b"]).dictionary_encode()
    path = written(tmp_path / "edges.parquet", u=left, v=["c", "b", "z"])
    assert read_edges(path, vertices=["c", "b", "a"], unknown="drop").tails.tolist() == [0, 1]
    with pytest.raises(ds.InvalidData, match="outside"):
        read_edges(path, vertices=["c", "b", "a"])


def test_what_cannot_be_read_says_why_without_a_value(tmp_path):
    for columns in ({"a": [1, 2]}, {"a": [1, None], "b": [2, 3]}, {"a": [0.25, 1.0], "b": [2, 3]}):
        with pytest.raises(ds.InvalidData) as caught:
            read_edges(written(tmp_path / "bad.parquet", **columns))
        assert "0.25" not in str(caught.value)
    (tmp_path / "cut.parquet").write_bytes(b"PAR1\x15 and nothing more")
    with pytest.raises(ds.InvalidData, match="damaged"):
        read_edges(tmp_path / "cut.parquet")
    with pytest.raises(ds.InvalidParameter, match="separator"):
        read_edges(written(tmp_path / "good.parquet", a=[1], b=[2]), separator=",")


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    path = written(tmp_path / "edges.parquet", a=[1], b=[2])
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr("dpselect.problems.graph.parquet_file.import_module", refuse)
    with pytest.raises(ds.MissingExtra, match="pyarrow"):
        read_edges(path)
