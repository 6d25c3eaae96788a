"""Graphs from the objects of other libraries, none of which is imported here: their methods are enough."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.problems.graph import ids
from dpselect.problems.graph.edge_list import edges_of
from dpselect.problems.graph.graph import Graph, from_columns


def as_graph(source: Any, vertices: ids.Declared | None = None, unknown: ids.Unknown = "refuse") -> Graph:
    """The simple undirected graph of `source`: directions, repetitions, weights and loops are forgotten.

    `source` is one of

    * a `Graph` (as it is, unless `vertices` are declared), or a path (`read_edges`);
    * a networkx graph of any kind, an igraph graph (its vertex attribute "name" where there is one, else 0 … n−1);
    * a square scipy.sparse matrix or array: entries that are not zero are edges between 0 … n−1;
    * a (k, 2) NumPy array, or any iterable of pairs;
    * a pandas or polars frame, an Arrow table, or anything with the Arrow C stream interface (pyarrow must be there):
      the ids are in the first two columns, other columns are ignored, missing values refused.

    Arguments: `vertices`, `unknown` as for `Graph.from_edges`. Without `vertices`, the vertices of `source`, isolated
    ones too, are declared public, in ascending order; with it, vertices of `source` outside it follow `unknown`.

    Raises `InvalidParameter` for an object of none of these kinds, else as `Graph.from_edges`.

    >>> as_graph(np.array([[0, 1], [1, 2], [2, 1]]))
    Graph(vertices=3)
    """
    if isinstance(source, Graph) and vertices is None:
        return source
    labels = None if vertices is None else ids.declared(vertices)
    if isinstance(source, str | PathLike):
        return edges_of("source", source, labels, unknown)
    if isinstance(source, np.ndarray):
        return Graph.from_edges(source, labels, unknown)
    try:
        left, right, extra = _columns(source)
    except TypeError as error:
        raise InvalidData(
            f"an id of a vertex must be an integer, a string or another hashable value, got a value of type {error}"
        ) from None
    return from_columns(left, right, labels, unknown, extra)


def _columns(source: Any) -> tuple[ids.Ids, ids.Ids, ids.Ids | None]:
    """Two columns of ids and, where the object has vertices of its own, all of these."""
    if isinstance(source, Graph):
        own = source.vertices
        tails, heads = source.tails.tolist(), source.heads.tolist()
        return ids.as_ids([own[i] for i in tails]), ids.as_ids([own[i] for i in heads]), ids.as_ids(own)
    if hasattr(source, "is_multigraph") and hasattr(source, "nodes"):  # networkx
        pairs = [tuple(edge)[:2] for edge in source.edges()]
        return *_unzipped(pairs), ids.as_ids(list(source.nodes()))
    if hasattr(source, "get_edgelist") and hasattr(source, "vcount"):  # igraph
        names = list(source.vs["name"]) if "name" in source.vs.attributes() else list(range(source.vcount()))
        return *_unzipped([(names[i], names[j]) for i, j in source.get_edgelist()]), ids.as_ids(names)
    if hasattr(source, "tocoo") and hasattr(source, "shape"):  # scipy.sparse
        if len(source.shape) != 2 or source.shape[0] != source.shape[1]:
            raise InvalidData("a sparse matrix must be square to be the adjacency of a graph")
        matrix = source.tocoo()
        there = matrix.data != 0
        rows, cols = matrix.row[there], matrix.col[there]
        return rows.astype(np.int64), cols.astype(np.int64), np.arange(source.shape[0], dtype=np.int64)
    frame = frame_columns(source)
    if frame is not None:
        return ids.as_ids(frame[0]), ids.as_ids(frame[1]), None
    if not isinstance(source, Iterable):
        raise InvalidParameter(
            "expected a graph of networkx or igraph, a scipy.sparse matrix, a (k, 2) array, a frame or pairs of ids, "
            f"got {type(source).__name__}"
        )
    return *_unzipped(source), None


def _unzipped(pairs: Iterable[Any]) -> tuple[ids.Ids, ids.Ids]:
    from dpselect.problems.graph.graph import columns

    return columns(pairs)


def frame_columns(source: Any) -> tuple[Any, Any] | None:
    """The first two columns of a frame as arrays or lists; None if `source` is no frame."""
    if hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        pair = [source.iloc[:, i] for i in _two(len(source.columns))]
        _refuse_missing(any(bool(column.isna().any()) for column in pair))
        return pair[0].to_numpy(), pair[1].to_numpy()
    if hasattr(source, "get_columns") and hasattr(source, "height"):  # polars
        pair = [source.get_columns()[i] for i in _two(source.width)]
        _refuse_missing(any(column.null_count() > 0 for column in pair))
        return pair[0].to_numpy(), pair[1].to_numpy()
    if hasattr(source, "column_names") and hasattr(source, "num_columns"):  # Arrow
        pair = [source.column(i) for i in _two(source.num_columns)]
        _refuse_missing(any(column.null_count > 0 for column in pair))
        return _arrow(pair[0]), _arrow(pair[1])
    if hasattr(source, "__arrow_c_stream__"):
        from importlib import import_module

        from dpselect.errors import MissingExtra

        try:
            arrow = import_module("pyarrow")
        except ImportError:
            raise MissingExtra("reading an Arrow stream needs pyarrow: pip install pyarrow") from None
        return frame_columns(arrow.table(source))
    return None


def _arrow(column: Any) -> Any:
    try:
        return column.to_numpy(zero_copy_only=False)
    except TypeError:  # a chunked column takes no such argument
        return column.to_numpy()


def _two(width: int) -> range:
    if width < 2:
        raise InvalidData("a frame of edges needs two columns of ids")
    return range(2)


def _refuse_missing(missing: bool) -> None:
    if missing:
        raise InvalidData("a column of ids has missing values")
