"""From vertex ids as people write them to indices 0 … n−1.

A vertex *label* is what the release will name; its *index* is its place in the public order of the vertices.
The order is the declared one when the vertices were declared, else ascending, so that it does not depend on
the order in which edges were listed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidData, InvalidParameter

Labels: TypeAlias = Sequence[Hashable]
Ids: TypeAlias = npt.NDArray[np.int64] | list[Hashable]
Index: TypeAlias = npt.NDArray[np.int64]
Declared: TypeAlias = Iterable[object] | str | PathLike[str]
Unknown: TypeAlias = Literal["refuse", "drop"]

MOST_VERTICES = 2**31 - 1
"""Vertex indices are int32, and the keys u·n + v of edges must stay below 2^62."""


def label(value: object) -> Hashable:
    """One id as a plain Python object; `TypeError` where it cannot be a vertex label.

    Booleans and floats are refused because 1 == 1.0 == True would merge vertices that look different.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | float | complex):
        raise TypeError(type(value).__name__)
    hash(value)
    return value


def as_ids(values: Iterable[object]) -> Ids:
    """A column of ids: an int64 array if all are integers that fit, else a list; `TypeError` as in
    `label`.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and (values <= 2**63 - 1).all():
        return values.astype(np.int64)
    return _plain([label(value) for value in values])


def _plain(labels: list[Hashable]) -> Ids:
    if all(_fits(value) for value in labels):
        return np.array(labels, dtype=np.int64)
    return labels


def _fits(value: Hashable) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def declared(vertices: Declared) -> Labels:
    """The public labels 0 … n−1 as declared, in the declared order: a `range` if they count up from 0, else
    a tuple.

    A string or a path names a file with one id a line (`vertex_file`).
    Raises `InvalidParameter` for duplicates and for ids that cannot be labels. The declaration is public,
    but the text names positions only.
    """
    if isinstance(vertices, str | PathLike):
        from dpselect.problems.graph.vertex_file import read_vertices

        vertices = read_vertices(vertices)
    if isinstance(vertices, range):
        if vertices.start == 0 and vertices.step == 1:
            return vertices
        return tuple(vertices)
    try:
        labels = tuple(label(value) for value in vertices)
    except TypeError as error:
        raise InvalidParameter(
            f"vertices: ids must be integers, strings or other hashable, ordered values, got {error}"
        ) from None
    if len(set(labels)) != len(labels):
        raise InvalidParameter("vertices: every id may be declared only once")
    return as_range(labels)


def as_range(labels: Labels) -> Labels:
    """The same labels, as `range(n)` where they are exactly 0 … n−1."""
    if all(type(value) is int and value == i for i, value in enumerate(labels)):
        return range(len(labels))
    return labels


def from_data(left: Ids, right: Ids, extra: Ids | None = None) -> tuple[Labels, Index, Index]:
    """Labels = the distinct ids in ascending order; the two columns as indices. `extra` ids occur in no
    edge.
    """
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if extra is None:
            return _integers_from_data(left, right, np.empty(0, np.int64))
        if isinstance(extra, np.ndarray):
            return _integers_from_data(left, right, extra)
    distinct = {*_listed(left), *_listed(right), *(() if extra is None else _listed(extra))}
    try:
        labels: Labels = tuple(sorted(distinct))
    except TypeError:
        raise InvalidData(
            "vertex ids of mixed types have no common order: declare the vertices with vertices="
        ) from None
    position = {value: i for i, value in enumerate(labels)}
    return as_range(labels), _looked_up(left, position), _looked_up(right, position)


def _listed(ids: Ids) -> list[Hashable]:
    return ids.tolist() if isinstance(ids, np.ndarray) else ids


def _looked_up(ids: Ids, position: dict[Hashable, int]) -> Index:
    return np.fromiter((position.get(value, -1) for value in _listed(ids)), np.int64, len(ids))


def _integers_from_data(left: Index, right: Index, extra: Index) -> tuple[Labels, Index, Index]:
    columns = [column for column in (left, right, extra) if column.size]
    if not columns:
        return range(0), left, right
    least = min(int(column.min()) for column in columns)
    most = max(int(column.max()) for column in columns)
    span = most - least + 1
    if span <= 4 * sum(column.size for column in columns) + 1024:
        # A table over the whole span is several times faster than sorting, and no larger than the columns.
        present = np.zeros(span, np.bool_)
        for column in columns:
            present[column - least] = True
        labels = np.flatnonzero(present) + least
        if labels.size == span:
            left, right = left - least, right - least
        else:
            place = np.cumsum(present, dtype=np.int64) - 1
            left, right = place[left - least], place[right - least]
    else:
        labels = np.unique(np.concatenate(columns))
        left, right = np.searchsorted(labels, left), np.searchsorted(labels, right)
    if least == 0 and labels.size == span:
        return range(span), left, right
    return tuple(labels.tolist()), left, right


def in_declared(ids: Ids, labels: Labels) -> Index:
    """Indices of `ids` among the declared labels, −1 for an id that was not declared."""
    if isinstance(ids, np.ndarray):
        if isinstance(labels, range):
            return np.where((ids >= 0) & (ids < len(labels)), ids, -1)
        known = [(value, i) for i, value in enumerate(labels) if _fits(value)]
        if not known:
            return np.full(ids.size, -1, np.int64)
        sorted_pairs = np.array(sorted(known), dtype=np.int64)
        place = np.searchsorted(sorted_pairs[:, 0], ids).clip(max=len(known) - 1)
        return np.where(sorted_pairs[place, 0] == ids, sorted_pairs[place, 1], -1)
    return _looked_up(ids, {value: i for i, value in enumerate(labels)})


def indexed(
    left: Ids, right: Ids, vertices: Labels | None, unknown: Unknown, extra: Ids | None = None
) -> tuple[Labels, Index, Index]:
    """Labels and the two columns of indices, after the policy for ids that were not declared.

    `unknown="refuse"` raises `InvalidData`; `unknown="drop"` keeps the edges between declared vertices.
    Dropping looks at one edge at a time, so data sets that differ in one edge still differ in at most one
    edge afterwards.
    """
    if unknown not in ("refuse", "drop"):
        raise InvalidParameter(f"unknown: must be 'refuse' or 'drop', got {unknown!r}")
    if vertices is None:
        return from_data(left, right, extra)
    i, j = in_declared(left, vertices), in_declared(right, vertices)
    keep = (i >= 0) & (j >= 0)
    stray = not keep.all() or (extra is not None and bool((in_declared(extra, vertices) < 0).any()))
    if stray and unknown == "refuse":
        raise InvalidData(
            "an edge or a vertex names an id outside the declared vertices; declare it, or use unknown='drop'"
        )
    return vertices, i[keep], j[keep]
