"""Tables on engines: the same cells, where engines differ most. Expected values are written down, not computed."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dpselect as ds
from dpselect.engines import opened
from dpselect.problems.table import read_cells

NAN, INF = float("nan"), float("inf")


def cells(problem, data, engine):
    with opened(problem, data, engine) as (_, source):
        found = read_cells(problem.query, source)
    triples = zip(found.positions.tolist(), found.steps.tolist(), found.counts.tolist(), strict=True)
    return {(p, s): c for p, s, c in triples}, {k: v for k, v in found.affected.items() if v}


def test_nan_is_missing_and_never_the_largest_number(engine):
    """Null, NaN, infinities, both zeros, each by its own policy: NaN is asked for before null and before any order."""
    problem = ds.table.Quantile(0.5, (0, 4), column="x", missing="drop", outside="clip")
    data = {"x": [NAN, None, INF, -INF, -0.0, 0.0, 2.0, -NAN], "y": list(range(8))}
    assert cells(problem, data, engine) == ({(0, 0): 3, (0, 2): 1, (0, 4): 1}, {"missing": 3, "outside": 2})
    refusing = ds.table.Quantile(0.5, (0, 4), column="x", missing="refuse", outside="drop")
    with pytest.raises(ds.InvalidData, match="a value is missing"):
        cells(refusing, data, engine)


def test_both_zeros_are_one_category_and_one_person(engine):
    """Two rows of the person 0 (as -0.0 and 0.0): one counts. NaN as a person is nobody."""
    problem = ds.table.Mode([0, 1], "c", person="p", unit=ds.AddOrRemove(1))
    data = {"c": [-0.0, 0.0, 1.0], "p": [0.0, -0.0, 7.5]}
    assert cells(problem, data, engine)[0] == {(0, 0): 1, (1, 0): 1}
    with pytest.raises(ds.InvalidData, match="whose it is"):
        cells(problem, {"c": [1.0], "p": [NAN]}, engine)


def test_sums_of_integers_are_exact_or_refused(engine):
    """2^53 − 1 is counted exactly; sums beyond 2^63 are refused, on the engine that wraps and the one that widens."""
    problem = ds.table.Mode(["a"], "c", counts="n")
    assert cells(problem, {"c": ["a", "a"], "n": [2**53 - 2, 1]}, engine)[0] == {(0, 0): 2**53 - 1}
    with pytest.raises(ds.InvalidData):
        cells(problem, {"c": ["a"] * 2100, "n": [2**53 - 1] * 2100}, engine)


def test_sums_of_decimals_are_exact(engine):
    """0.1 ten times and 0.3: as floats the sum is 1.2999999999999998; DECIMAL and DOUBLE columns alike."""
    for values in ([0.1] * 10 + [0.3], [Decimal("0.10")] * 10 + [Decimal("0.30")]):
        problem = ds.table.BestMean(["a", "b"], "c", "v", (0, 1), "0.1")
        with opened(problem, {"c": ["a"] * 11, "v": values}, engine) as (_, source):
            read = problem.read(source)
        assert problem.scores(read).gaps().exact(1) == Fraction(13, 110)


TEXTS = {
    # text -> step on the grid 0 … 100, None for no number
    "1": 1, " 2\t": 2, "1_0": 10, "+3": 3, "4.": 4, "  .5": 1, "1e1": 10, "1E+1": 10, "inf": 100, "-Infinity": 0,
    "1d": None, "1f": None, "0x10": None, "1e": None, ".": None, "": None, "1,0": None, "nan": None, "-NaN": None,
    "true": 1, "T": 1, "yes": 1, "no": 0, " true ": None, "on": None, "1e400": 100, "١": None, "1__0": None,
}  # fmt: skip


def test_text_is_the_same_number_everywhere(engine):
    names = [str(i) for i in range(len(TEXTS))]
    problem = ds.table.BestMean(names, "c", "v", (0, 100), 1, missing="drop")
    found, _ = cells(problem, {"c": names, "v": list(TEXTS)}, engine)
    expected = {(i, step): 1 for i, step in enumerate(TEXTS.values()) if step is not None}
    assert {list(TEXTS)[i]: step for i, step in found} == {list(TEXTS)[i]: step for i, step in expected}


def test_which_rows_of_a_person_count_is_the_same_everywhere(engine):
    """Written down from the definition: the MD5 of person, category, step and a running number among equal rows."""
    from hashlib import md5

    problem = ds.table.BestMean(["a", "b"], "c", "v", (0, 9), person="p", unit=ds.AddOrRemove(2))
    rows = [("ann", "a", 1), ("ann", "a", 1), ("ann", "b", 7), ("ann", "a", 3), ("bob", "b", 2)]
    order = {}
    for p, c, v in rows:
        key = (p, "ab".index(c), v)
        order.setdefault(p, []).append((*key[1:], sum(o[:2] == key[1:] for o in order.get(p, [])) + 1))
    expected = {}
    for p, own in order.items():
        for place, step, _ in sorted(own, key=lambda o, p=p: md5(f"{p}:{o[0]}:{o[1]}:{o[2]}".encode()).hexdigest())[:2]:
            expected[place, step] = expected.get((place, step), 0) + 1
    data = {name: [row[i] for row in rows] for i, name in enumerate("pcv")}
    assert cells(problem, data, engine)[0] == expected


def test_text_files_and_parquet(engine, tmp_path):
    """Quotes, line breaks in quotes, an empty field; a broken line is refused without its content."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    problem = ds.table.BestMean(["a", 'say "x"', "two\nlines"], "c", "v", (0, 9), missing="drop")
    text = tmp_path / "t.csv"
    text.write_text('c,v\na,1\n"say ""x""",2\n"two\nlines",3\na,\n')
    expected = ({(0, 1): 1, (1, 2): 1, (2, 3): 1}, {"missing": 1})
    assert cells(problem, text, engine) == expected
    table = {"c": ["a", 'say "x"', "two\nlines", "a"], "v": np.array([1, 2, 3, NAN])}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    assert cells(problem, tmp_path / "t.parquet", engine) == expected
    text.write_text("c,v\na,1,secret\n")
    with pytest.raises(ds.InvalidData) as refused:
        cells(problem, text, engine)
    assert "secret" not in str(refused.value)


def test_a_file_that_is_something_else_is_refused_and_named(engine, tmp_path):
    question = ds.table.Mode(["a"], unknown="drop")
    contents = {
        "j.csv": ('[{"site": "carol"}]', "this is JSON"),
        "semi.csv": ("site;age\ncarol;3\n", "found semicolons"),
        "ragged.csv": ("site\ncarol,3\na,4\n", "as many fields on every line"),
        "t.parquet": ("site\ncarol\n", "expected a Parquet file"),
        "t.xlsx": ("carol", "the name must end in"),
    }
    for name, (content, what) in contents.items():
        (tmp_path / name).write_text(content)
        with pytest.raises((ds.InvalidData, ds.InvalidParameter)) as caught:
            ds.select(question, tmp_path / name, epsilon=1, seed=1, engine=engine)
        said = str(caught.value)
        assert said.startswith("data: ")
        assert said.endswith(f": {str(tmp_path / name)!r}")
        assert what in said
        assert "carol" not in said
    (tmp_path / "t.csv").write_text("site\na\n")
    assert ds.select(question, tmp_path / "t.csv", epsilon=1, seed=1, engine=engine).candidate == "a"


def test_a_release_is_that_of_the_default_engine(engine):
    problem = ds.table.BestMean(["a", "b"], "site", "ok")
    data = {"site": ["a"] * 300 + ["b"] * 300, "ok": [True] * 100 + [False] * 200 + [True] * 250 + [False] * 50}
    here = ds.select(problem, data, epsilon=1, seed=5)
    assert ds.select(problem, data, epsilon=1, seed=5, engine=engine) == here


def test_options_are_checked_before_data_is_read():
    with pytest.raises(ds.InvalidParameter, match="options"):
        ds.engines.DuckDB({1: 2})
    with pytest.raises(ds.InvalidParameter, match="options"):
        ds.select(ds.table.Mode(["a"]), ["a"], epsilon=1, engine=ds.engines.DuckDB({"no_such_setting": "1"}))
    with pytest.raises(ds.InvalidParameter, match="options"):
        ds.engines.Spark({"spark.master": "local"}, session=object())
