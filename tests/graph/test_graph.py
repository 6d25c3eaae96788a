import pickle

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from dpselect.errors import DPSelectError, InvalidData, InvalidParameter
from dpselect.problems.graph.convert import as_graph
from dpselect.problems.graph.graph import Graph

PAIRS = [(0, 1), (2, 1), (2, 0), (1, 2), (3, 3)]
NAMES = [("b", "a"), ("c", "b"), ("b", "c")]


def streamed(frame):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return frame.__arrow_c_stream__(requested_schema)

    return Stream()


@pytest.mark.parametrize(
    "source",
    [
        PAIRS,
        tuple(PAIRS),
        (pair for pair in PAIRS),
        [list(pair) for pair in PAIRS],
        np.array(PAIRS),
        np.array(PAIRS, dtype=np.uint64),
        np.array(PAIRS, dtype=object),
        nx.Graph(PAIRS),
        nx.MultiDiGraph(PAIRS),
        igraph.Graph(n=4, edges=PAIRS),
        igraph.Graph(n=4, edges=PAIRS, directed=True),
        sp.coo_array(([1, 2, 3, 4, 5], tuple(zip(*PAIRS, strict=True))), shape=(4, 4)),
        sp.csr_matrix(([1, 2, 3, 4, 5], tuple(zip(*PAIRS, strict=True))), shape=(4, 4)),
        pd.DataFrame(PAIRS, columns=["x", "y"]),
        pd.DataFrame([(*pair, 0.5) for pair in PAIRS]),
        pl.DataFrame(PAIRS, orient="row"),
        pa.table({"x": [p[0] for p in PAIRS], "y": [p[1] for p in PAIRS]}),
        pa.record_batch({"x": [p[0] for p in PAIRS], "y": [p[1] for p in PAIRS]}),
        streamed(pl.DataFrame(PAIRS, orient="row")),
        Graph.from_edges(PAIRS),
    ],
    ids=lambda source: type(source).__name__,
)
def test_every_kind_of_source(source):
    graph = as_graph(source)
    assert graph.vertices == range(4)
    assert graph.tails.tolist() == [0, 0, 1]
    assert graph.heads.tolist() == [1, 2, 2]
    assert graph.tails.dtype == graph.heads.dtype == np.int32
    assert graph.vertices_from_data
    assert graph.degrees.tolist() == [2, 2, 2, 0]


@pytest.mark.parametrize(
    "source",
    [
        NAMES,
        np.array(NAMES),
        nx.Graph(NAMES),
        igraph.Graph.TupleList(NAMES),
        pd.DataFrame(NAMES),
        pd.DataFrame(NAMES).astype("category"),
        pl.DataFrame(NAMES, orient="row"),
        pa.table({"x": pa.array(["b", "c", "b"]).dictionary_encode(), "y": ["a", "b", "c"]}),
    ],
    ids=lambda source: type(source).__name__,
)
def test_names(source):
    graph = as_graph(source)
    assert graph.vertices == ("a", "b", "c")
    assert all(type(label) is str for label in graph.vertices)
    assert graph.tails.tolist() == [0, 1]


def test_isolated_vertices_of_an_object_are_kept():
    source = nx.Graph([(5, 7)])
    source.add_node(6)
    assert as_graph(source).vertices == (5, 6, 7)
    with pytest.raises(InvalidData):
        as_graph(source, vertices=[5, 7])
    assert as_graph(source, vertices=[7, 5], unknown="drop").tails.tolist() == [0]


def test_explicit_zeros_of_a_matrix_are_no_edges():
    assert as_graph(sp.coo_array(([0, 1], ([0, 1], [1, 2])), shape=(3, 3))).tails.tolist() == [1]


def test_a_graph_is_passed_through_and_can_be_given_other_vertices():
    graph = Graph.from_edges(NAMES)
    assert as_graph(graph) is graph
    assert as_graph(graph, vertices=["c", "b", "a", "z"]).vertices == ("c", "b", "a", "z")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (3, InvalidParameter),
        (None, InvalidParameter),
        ([(1, 2, 3)], InvalidData),
        (["ab"], InvalidData),
        (np.zeros((3, 3), int), InvalidData),
        (np.array([[1.5, 2]]), InvalidData),
        ([(True, 2)], InvalidData),
        ([(None, 2)], InvalidData),
        ([([1], 2)], InvalidData),
        ([(1, "a")], InvalidData),
        ([], InvalidData),
        (sp.coo_array((2, 3)), InvalidData),
        (pd.DataFrame([[1]]), InvalidData),
        (pd.DataFrame([(1, None), (2, 3)]), InvalidData),
        (pl.DataFrame({"x": [1, None], "y": [1, 2]}), InvalidData),
        (pa.table({"x": [1, None], "y": [1, 2]}), InvalidData),
        (pd.DataFrame([(1.0, 2.0)]), InvalidData),
    ],
)
def test_refusals(source, error):
    with pytest.raises(error):
        as_graph(source)


@pytest.mark.parametrize("vertices", [[1, 1], [1.0], [None], [[1]], ["a", "a"]])
def test_bad_declarations(vertices):
    with pytest.raises(InvalidParameter, match="vertices"):
        Graph.from_edges([], vertices=vertices)


def test_text_form_and_errors_show_public_facts_only():
    graph = Graph.from_edges([(123, 456), (456, 789)], vertices=[123, 456, 789])
    assert repr(graph) == str(graph) == "Graph(vertices=3)"
    assert repr(graph.adjacency) == "Adjacency(vertices=3)"
    with pytest.raises(DPSelectError) as caught:
        Graph.from_edges([(123, 31337)], vertices=[123, 456])
    assert "123" not in str(caught.value)
    assert "31337" not in str(caught.value)


@pytest.mark.parametrize(
    ("tails", "heads"),
    [([1], [0]), ([0], [0]), ([0], [3]), ([-1], [0]), ([0, 0], [1, 1]), ([0, 0], [2, 1]), ([1, 0], [2, 1]), ([0], [])],
)
def test_direct_construction_checks_its_arrays(tails, heads):
    with pytest.raises(InvalidParameter):
        Graph(range(3), np.array(tails, np.int32), np.array(heads, np.int32))


def test_arrays_are_private_copies():
    tails, heads = np.array([0], np.int32), np.array([1], np.int32)
    graph = Graph(range(2), tails, heads)
    tails[0] = 9
    assert graph.tails.tolist() == [0]
    for array in (graph.tails, graph.heads, graph.degrees, graph.adjacency.neighbour):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    again = pickle.loads(pickle.dumps(graph))
    assert again.tails.tolist() == [0]


def test_toggle_is_its_own_inverse():
    graph = Graph.from_edges([(0, 1), (1, 2)], vertices=range(4))
    assert graph.toggle(3, 0).tails.tolist() == [0, 0, 1]
    assert graph.toggle(2, 1).tails.tolist() == [0]
    back = graph.toggle(0, 3).toggle(3, 0)
    assert (back.tails.tolist(), back.heads.tolist()) == (graph.tails.tolist(), graph.heads.tolist())
    with pytest.raises(InvalidParameter):
        graph.toggle(1, 1)


@pytest.mark.parametrize("spread", [10, 10**6, 10**15])
def test_sparse_and_dense_integer_ids(spread):
    rng = np.random.default_rng(1)
    pairs = rng.integers(-spread, spread, (300, 2))
    graph = Graph.from_edges(pairs)
    assert list(graph.vertices) == sorted({*pairs.ravel().tolist()})
    expected = {tuple(sorted(pair)) for pair in pairs.tolist() if pair[0] != pair[1]}
    got = [(graph.vertices[u], graph.vertices[v]) for u, v in zip(graph.tails, graph.heads, strict=True)]
    assert set(got) == expected
    assert len(got) == len(expected)


def test_adjacency_by_sets():
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(rng.integers(0, 80, (400, 2)), vertices=range(90))
    near = {v: set() for v in range(90)}
    for u, v in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True):
        near[u].add(v)
        near[v].add(u)
    lists = graph.adjacency
    assert graph.adjacency is lists
    assert sorted(lists.order.tolist()) == list(range(90))
    for r in range(90):
        v = int(lists.order[r])
        got = lists.neighbour[lists.start[r] : lists.start[r + 1]].tolist()
        assert lists.rank[v] == r
        assert got == sorted(int(lists.rank[u]) for u in near[v])
        assert lists.split[r] - lists.start[r] == sum(x < r for x in got)
    assert (np.diff(graph.degrees[lists.order]) <= 0).all()
