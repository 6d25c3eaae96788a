"""Short texts, the caller's types back, copies without anything private, threads and forks."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpselect as ds
from dpselect.exact.scores import Scores
from dpselect.question import Evaluation

SURE = {"epsilon": 1000, "sensitivity": 1}
"""So large an ε that the best candidate comes out: with probability 1 − e^{-400} or more."""

TRIANGLE = ds.graph.Graph.from_edges([("u", "v"), ("v", "w"), ("u", "w"), ("w", "lonely")])
TOP_VERTEX = ds.graph.TopVertex("triangle")


# ------------------------------------------------------------------------------------------- types back


@pytest.mark.parametrize(
    ("names", "best"),
    [
        (np.array([7, 8]), 8),
        (np.array([7, 8], dtype=np.uint8), 8),
        (np.array(["x", "y"]), "y"),
        ([np.int64(7), np.float64(0.5)], 0.5),
        ([np.False_, np.True_], True),
        ([("a", 1), ("b", 2)], ("b", 2)),
        ([Fraction(1, 3), Fraction(2, 3)], Fraction(2, 3)),
    ],
)
def test_numpy_names_come_back_as_python_values(names: Any, best: object) -> None:
    answer = ds.select([0, 5], candidates=names, **SURE).candidate
    assert answer == best
    assert type(answer) is type(best)
    several = ds.select([0, 5, -1], candidates=[*names, "z"], top=2, **SURE).candidates
    assert [type(name) for name in several] == [
        type(best),
        type(names[0].item() if hasattr(names[0], "item") else names[0]),
    ]


def test_positions_and_keys_are_python_values() -> None:
    assert type(ds.select(np.array([0, 5]), **SURE).candidate) is int
    assert type(ds.select({np.int64(3): 0, np.int64(4): 5}, **SURE).candidate) is int
    world = ds.World(np.array(["x", "y"]), np.array([[0, 1]]), np.array(["a", "b"]), np.array([[0, 0], [0, 1]]))
    assert type(ds.select(world, "y", epsilon=1).candidate) is str


def test_pandas_labels_come_back() -> None:
    pd = pytest.importorskip("pandas", reason="comes with the extra `dev`")
    assert ds.select(pd.Series([0, 5], index=["a", "b"]), **SURE).candidate == "b"
    answer = ds.select(pd.Series([0, 5], index=[10, 20]), **SURE).candidate
    assert (answer, type(answer)) == (20, int)
    days = pd.to_datetime(["2020-01-01", "2021-01-01"])
    assert ds.select(pd.Series([0, 5], index=days), **SURE).candidate == days[1]
    pairs = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    assert ds.select(pd.Series([0, 5], index=pairs), **SURE).candidate == ("b", 2)
    columns = pd.DataFrame({"kind": pd.Categorical(["a", "b", "b"])})
    assert ds.select(ds.table.Mode(["a", "b"], "kind"), columns, epsilon=1000).candidate == "b"


def test_scores_of_pandas_and_polars_are_read_as_they_are() -> None:
    pl = pytest.importorskip("polars", reason="comes with the extra `dev`")
    assert ds.select(pl.Series([0, 5]), **SURE).candidate == 1


# ------------------------------------------------------------------------------------------- short texts


def test_texts_are_short() -> None:
    release = ds.select(range(1000), top=900, **SURE)
    assert len(repr(release)) < 250
    long = ds.select([0, 5], candidates=["a" * 10_000, "b" * 10_000], **SURE)
    assert len(repr(long)) < 250
    assert "candidate='b'" in repr(ds.select({"a": 0, "b": 5}, **SURE))


# ------------------------------------------------------------------------------------- pickles and copies


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_release_can_be_kept(make: Callable[[Any], Any]) -> None:
    for release in (
        ds.select({"a": 4711, "b": 5}, epsilon=1, sensitivity=1),
        ds.select(TOP_VERTEX, TRIANGLE, epsilon=1, delta="1e-6", method="private-bound"),
    ):
        kept = make(release)
        assert kept == release
        assert kept.to_json() == release.to_json()
        assert kept.regret_bound(0.05) == release.regret_bound(0.05)


def test_a_pickle_holds_what_is_published_and_nothing_else() -> None:
    release = ds.select({"a": 471147114711, "b": 5}, epsilon=1, sensitivity=1)
    stored = pickle.dumps(release, protocol=0)
    assert b"471147114711" not in stored
    assert b"471147114706" not in stored  # the gap


def private_things() -> list[Any]:
    law = ds.law({"a": 4711, "b": 5}, epsilon=1, delta="1e-6", sensitivity=1)
    diagnosis = ds.diagnose(TOP_VERTEX, TRIANGLE)
    return [
        law,
        law.candidates,
        law.scale,
        law.evaluation,
        law.evaluation.scores,
        law.evaluation.scores.gaps(),
        law.evaluation.profile,
        law.candidates.exponents,
        diagnosis,
        diagnosis.profile,
        ds.table.Cells.of([0], [1], [4711]),
    ]


@pytest.mark.parametrize("thing", private_things(), ids=lambda thing: type(thing).__name__)
def test_private_things_are_not_kept(thing: Any) -> None:
    for keep in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            keep(thing)
    for text in (repr(thing), str(thing)):
        assert "4711" not in text
        assert "4706" not in text


def test_methods_problems_and_units_can_be_sent_to_other_processes() -> None:
    for public in (
        ds.PrivateBound(sampler="gibbs"),
        ds.Ladder(),
        ds.Edges(3),
        ds.AddOrRemove(2),
        TOP_VERTEX,
        ds.table.Quantile(0.5, bounds=(0, 9)),
        ds.Guarantee.approximate("1/3", "1e-6"),
    ):
        assert pickle.loads(pickle.dumps(public)) == public


# --------------------------------------------------------------------------------------- threads and forks


def many_answers(_: int) -> list[Any]:
    """Through the lock of the ball arithmetic (an irrational scale), the counting kernels and the bit source."""
    return [
        (
            ds.select([0, 1, 2], epsilon="1/3", sensitivity=1).candidate,
            ds.select(TOP_VERTEX, TRIANGLE, epsilon=1, delta="1e-6", method="private-bound").candidate,
        )
        for _ in range(20)
    ]


def test_eight_threads() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(many_answers, range(8)))
    finally:
        sys.setswitchinterval(before)
    assert {a for many in answers for a, _ in many} <= {0, 1, 2}
    assert {b for many in answers for _, b in many} <= set(TRIANGLE.vertices)
    # All eight the same: at most 8 · 0.41^(20 · 7) < 1e-50, if no two share their random bits.
    assert len({tuple(many) for many in answers}) == 8


def in_a_child(work: Callable[[], Any]) -> tuple[int, int]:
    """Run in a forked process that is ended after a minute: (its id, the reading end of what it says)."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.close(reading)
        os.write(writing, repr(work()).encode())
        os._exit(0)
    os.close(writing)
    return child, reading


def said(child: int, reading: int) -> str:
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "the child hung or failed"
    return text


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@forks
@quiet
def test_forked_processes_draw_afresh_and_do_not_hang() -> None:
    """Forked while other threads are at work, eight times."""
    with ThreadPoolExecutor(2) as threads:
        busy = [threads.submit(many_answers, i) for i in range(4)]
        children = [
            in_a_child(lambda: [ds.select(range(100), epsilon="1/1000", sensitivity=1).candidate for _ in range(10)])
            for _ in range(8)
        ]
        found = [said(*child) for child in children]
        for each in busy:
            each.result()
    assert all(text.startswith("[") for text in found)
    # Two of eight alike by chance: at most 28 · 0.011^10 < 1e-17.
    assert len(set(found)) == 8


@forks
@quiet
def test_a_fork_while_a_property_is_computed() -> None:
    """Before Python 3.12 a cached property has one lock for all instances; a child must not wait for its holder."""
    started, go_on = threading.Event(), threading.Event()

    def slow() -> Scores:
        started.set()
        go_on.wait(60)
        return Scores.of([0, 1])

    with ThreadPoolExecutor(1) as threads:
        held = threads.submit(lambda: Evaluation(slow).scores)
        assert started.wait(60)
        child = in_a_child(lambda: ds.select([0, 5], **SURE).candidate)
        try:
            assert said(*child) == "1"
        finally:
            go_on.set()
        assert held.result().size == 2
