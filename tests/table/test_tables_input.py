"""Input: every kind of container, declared policies, truncation, histograms; and what a reader can see."""

import math
import pickle
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpselect as ds
from dpselect.problems.table import read_cells

SITES = ["a", "b", "a", "b", "b", "a"]
VALUES = [1.0, 2.0, 3.0, 4.0, 5.0, 5.0]
MEAN = ds.table.BestMean(["a", "b"], "site", "value", bounds=(0, 5))
WANT = ([0, 0, 0, 1, 1, 1], [1, 3, 5, 2, 4, 5], [1, 1, 1, 1, 1, 1])


def listed(cells):
    return cells.positions.tolist(), cells.steps.tolist(), cells.counts.tolist()


def containers(folder):
    table = pa.table({"site": SITES, "value": VALUES})
    frame = pd.DataFrame({"site": SITES, "value": VALUES, "unused": range(6)})
    pq.write_table(table, folder / "x.parquet")
    frame.to_csv(folder / "x.csv", index=False)
    frame.to_csv(folder / "x.csv.gz", index=False)
    frame.to_csv(folder / "x.tsv", index=False, sep="\t")
    return {
        "dict of lists": {"site": SITES, "value": VALUES},
        "dict of arrays": {"site": np.array(SITES), "value": np.array(VALUES, dtype=np.float32)},
        "integers": {"site": SITES, "value": np.array(VALUES).astype(np.uint8)},
        "decimals": {"site": SITES, "value": [Decimal(int(v)) for v in VALUES]},
        "texts": {"site": SITES, "value": [str(v) for v in VALUES]},
        "series": {"site": pd.Series(SITES), "value": pl.Series(VALUES)},
        "arrow table": table,
        "arrow batch": table.to_batches()[0],
        "arrow reader": table.to_reader(),
        "pandas": frame,
        "pandas categories": frame.astype({"site": "category"}),
        "polars": pl.DataFrame({"site": SITES, "value": VALUES}),
        "polars lazy": pl.LazyFrame({"site": SITES, "value": VALUES}),
        "parquet": folder / "x.parquet",
        "csv": str(folder / "x.csv"),
        "csv.gz": folder / "x.csv.gz",
        "tsv": folder / "x.tsv",
    }


KINDS = (
    *("dict of lists", "dict of arrays", "integers", "decimals", "texts", "series", "arrow table", "arrow batch"),
    *("arrow reader", "pandas", "pandas categories", "polars", "polars lazy", "parquet", "csv", "csv.gz", "tsv"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_container_gives_the_same_cells(kind, tmp_path):
    assert listed(MEAN.read(containers(tmp_path)[kind])) == WANT


@pytest.mark.parametrize(
    "column", [[3, 1, 4], np.array([3, 1, 4]), pd.Series([3, 1, 4]), pl.Series([3, 1, 4]), pa.array([3, 1, 4])]
)
def test_one_column_needs_no_name(column):
    problem = ds.table.Quantile(0.5, (0, 9))
    assert listed(problem.read(column)) == ([0, 0, 0], [1, 3, 4], [1, 1, 1])


def test_other_data_is_refused_by_type(tmp_path):
    (tmp_path / "x.xls").write_text("a")
    for data in (3, None, {1, 2}, tmp_path / "x.xls", tmp_path / "missing.csv", "missing.parquet", np.zeros((2, 2))):
        with pytest.raises(ds.InvalidParameter):
            MEAN.read(data)
    (tmp_path / "x[1].csv").write_text("site,value\n")
    with pytest.raises(ds.InvalidParameter, match="must not hold"):
        MEAN.read(tmp_path / "x[1].csv")
    with pytest.raises(ds.InvalidParameter, match="no column 'site'"):
        MEAN.read({"value": [1]})
    with pytest.raises(ds.InvalidParameter, match="exactly one"):
        ds.table.Quantile(0.5, (0, 9)).read({"a": [1], "b": [2]})
    with pytest.raises(ds.InvalidParameter, match="must hold numbers"):
        MEAN.read({"site": ["a"], "value": np.array(["2020-01-01"], dtype="datetime64[D]")})
    with pytest.raises(ds.InvalidParameter, match="must hold categories"):
        MEAN.read({"site": [["a"]], "value": [1.0]})


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ds.MissingExtra, match=r"pip install 'dpselect\[table\]'"):
        MEAN.read({"site": ["a"], "value": [1]})
    # Cells need nothing.
    assert MEAN.read(ds.table.Cells.of([0], [1], [1])).records == 1


# ---------------------------------------------------------------- values and categories


def test_values_are_rounded_to_the_grid_record_by_record():
    problem = ds.table.Quantile(0.5, (0, 1), 0.1)
    assert problem.read([0.04, 0.05, 0.14999, 0.95, 0.96, 1.0]).steps.tolist() == [0, 1, 10]
    assert list(problem.candidates) == pytest.approx([i / 10 for i in range(11)])
    assert ds.table.Quantile(0.5, (-3, 3), 2).read([-3, -2.1, -2, 2.9, -0.0, 0.0]).steps.tolist() == [0, 1, 2, 3]


def test_sums_are_exact_where_floats_are_not():
    big = [1e15, 0.5, -1e15] * 300
    problem = ds.table.BestMean(["a"], "c", "v", (-(10**15), 10**15), "1/2")
    cells = problem.read({"c": ["a"] * 900, "v": big})
    assert int((cells.steps * cells.counts).sum()) == 300 * (3 * 2 * 10**15 + 1)


@pytest.mark.parametrize("value", [True, 1, 1.0, "true", "1", "1e0", Decimal(1), np.int8(1)])
def test_a_flag_may_be_written_in_many_ways(value):
    rate = ds.table.BestMean(["a"], "c", "v")
    assert rate.read({"c": ["a"], "v": [value]}).steps.tolist() == [1]


@pytest.mark.parametrize(
    ("declared", "column", "want"),
    [
        ([1, 2], [1, 2, 2], [0, 1]),
        ([1, 2], ["1", "2"], [0, 1]),
        (["1", "2"], [1, 2], [0, 1]),
        ([1, 0], [1.0, -0.0, 0.0], [0, 1]),
        ([True, False], [True, False], [0, 1]),
        (["2020-01-01"], np.array(["2020-01-01"], dtype="datetime64[D]"), [0]),
    ],
)
def test_categories_by_type(declared, column, want):
    assert ds.table.Mode(declared).read({"c": column}).positions.tolist() == want


def test_names_that_need_quoting():
    column = 'a "quoted" name; --'
    cells = ds.table.Mode(["x'y", "ü"], column).read({column: ["x'y", "ü", "ü"]})
    assert listed(cells) == ([0, 1], [0, 0], [1, 2])


# ---------------------------------------------------------------- policies

BROKEN = {
    "missing": [None, math.nan],
    "outside": [-0.5, 7.0, math.inf, -math.inf],
}


@pytest.mark.parametrize("rule", ["missing", "outside"])
def test_value_policies(rule):
    good = [1.0, 2.0]
    for bad in BROKEN[rule]:
        column = [*good, bad]
        make = lambda policy, **more: ds.table.Quantile(0.5, (0, 5), **{rule: policy}, **more)  # noqa: E731
        with pytest.raises(ds.InvalidData) as caught:
            make("refuse").read(column)
        assert f"{rule}='refuse'" in str(caught.value)
        assert not any(c.isdigit() for c in str(caught.value))
        dropped = make("drop").read(column)
        assert dropped.steps.tolist() == [1, 2]
        assert dropped.affected == {"missing": 0, "outside": 0, "unknown": 0, rule: 1}
        clipped = make("clip").read(column)
        assert clipped.records == 3
        edge = 0 if rule == "missing" or bad < 0 else 5
        assert edge in clipped.steps.tolist()
        with pytest.raises(ds.InvalidParameter, match="drop"):
            make("drop", unit=ds.ReplaceOne())
        with pytest.raises(ds.InvalidParameter, match="drop"):
            make("drop").under(ds.ReplaceOne())


def test_text_that_is_no_number_is_missing():
    with pytest.raises(ds.InvalidData):
        ds.table.Quantile(0.5, (0, 5)).read(["1", "secret"])
    assert ds.table.Quantile(0.5, (0, 5), missing="drop").read(["1", "secret", ""]).records == 1


def test_category_policies():
    data = {"site": ["a", "b", "zzz", None], "value": [1, 1, 1, 1]}
    with pytest.raises(ds.InvalidData, match="unknown='refuse'"):
        MEAN.read(data)
    make = lambda **more: ds.table.BestMean(["a", "b"], "site", "value", (0, 5), **more)  # noqa: E731
    assert make(unknown="drop").read(data).affected["unknown"] == 2
    own = make(unknown="own category")
    assert own.candidates == ("a", "b", "(other)")
    assert listed(own.read(data)) == ([0, 1, 2], [1, 1, 1], [1, 1, 2])
    assert own.under(ds.ReplaceOne()).read(data).records == 4
    with pytest.raises(ds.InvalidParameter, match="drop"):
        make(unknown="drop", unit=ds.ReplaceOne())
    with pytest.raises(ds.InvalidParameter, match="declared category"):
        ds.table.Mode(["a", "(other)"], unknown="own category")


@pytest.mark.parametrize("categories", ["ab", {"a"}, None, np.array("a"), pd.Series(["a"]), [], np.array([])])
def test_categories_are_a_list(categories):
    given = "none" if isinstance(categories, list) or getattr(categories, "shape", None) == (0,) else type(categories)
    given = getattr(given, "__name__", given)
    with pytest.raises(ds.InvalidParameter, match=f"must be a list with at least one declared category, got {given}"):
        ds.table.Mode(categories)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ds.select(ds.table.Mode, {"value": ["a"]}, epsilon=1),
        lambda: ds.law(ds.table.Mode, {"value": ["a"]}, epsilon=1),
        lambda: ds.compare(ds.table.Mode, {"value": ["a"]}, epsilon=1),
        lambda: ds.select(ds.table.Mode, {"value": ["a"]}, epsilon=1, engine="duckdb"),
        lambda: ds.select_each([ds.table.Mode], {"value": ["a"]}, epsilon=1),
        lambda: ds.select_each([ds.table.Mode], {"value": ["a"]}, epsilon=1, unit=ds.ReplaceOne()),
    ],
)
def test_a_class_is_no_problem(ask):
    with pytest.raises(ds.InvalidParameter, match=r"problem must be an object: write Mode\(…\), not Mode"):
        ask()


def test_several_questions_are_checked_before_the_first_is_answered(monkeypatch):
    monkeypatch.setattr("dpselect.several.select", lambda *given, **options: pytest.fail("answered"))
    with pytest.raises(ds.InvalidParameter, match="problem must have"):
        ds.select_each([MEAN, "mode"], {"site": ["a"], "value": [1]}, epsilon=1)


def test_no_columns():
    with pytest.raises(ds.InvalidParameter, match="data must have at least one column"):
        ds.select(MEAN, {}, epsilon=1)


@pytest.mark.parametrize(("reference", "what"), [(5, "must be a file name.*got int"), ({}, "must have at least one")])
def test_a_reference_is_called_one(reference, what):
    with pytest.raises(ds.InvalidParameter, match=f"^reference {what}"):
        ds.select(MEAN, {"site": ["a"], "value": [1]}, epsilon=1, reference=reference)


@pytest.mark.parametrize("column", [[], [None, None], [math.nan]])
def test_empty_and_all_null_columns_release_something(column):
    problem = ds.table.Quantile(0.5, (0, 5), missing="drop")
    release = ds.select(problem, pa.table({"x": pa.array(column, pa.float64())}), epsilon=1)
    assert release.status == "released"
    law = ds.law(problem, pa.table({"x": pa.array(column, pa.float64())}), epsilon=1)
    assert law.candidates[0] == max(law.candidates.probabilities)


def test_degenerate_declarations():
    constant = ds.table.Quantile(0.5, (7, 7))
    assert list(constant.candidates) == [7]
    assert ds.select(constant, [1, 2, 300], epsilon=1).candidate == 7
    assert ds.select(constant, [7], epsilon=1).epsilon == 0
    one = ds.table.Quantile(0.5, (0, 9))
    assert ds.law(one, [4], epsilon=40).candidates[4] > 0.99
    same = ds.table.BestMean(["a", "b"], "c", "v", (7, 7))
    free = ds.select(same, {"c": ["a"], "v": [7]}, epsilon=1)
    assert free.epsilon == 0
    nobody = {"c": pa.array([], pa.string()), "v": pa.array([], pa.float64())}
    assert ds.law(ds.table.BestMean(["a", "b"], "c", "v"), nobody, epsilon=1).candidates["a"] == pytest.approx(0.5)
    assert ds.law(ds.table.Mode(["a", "b"], "c"), nobody, epsilon=1).candidates["a"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ds.table.Quantile(0, (0, 1)),
        lambda: ds.table.Quantile(1.5, (0, 1)),
        lambda: ds.table.Quantile(math.nan, (0, 1)),
        lambda: ds.table.Quantile(True, (0, 1)),
        lambda: ds.table.Quantile("half", (0, 1)),
        lambda: ds.table.Quantile(0.5, (1, 0)),
        lambda: ds.table.Quantile(0.5, (0, math.inf)),
        lambda: ds.table.Quantile(0.5, (0, 1, 2)),
        lambda: ds.table.Quantile(0.5, 3),
        lambda: ds.table.Quantile(0.5, (0, 1), 0),
        lambda: ds.table.Quantile(0.5, (0, 1), 0.3),
        lambda: ds.table.Quantile(0.5, (0, 2**60)),
        lambda: ds.table.Quantile(0.5, (0, 1), missing="ignore"),
        lambda: ds.table.Quantile(0.5, (0, 1), outside="own category"),
        lambda: ds.table.Quantile(0.5, (0, 1), unit=ds.Edges(1)),
        lambda: ds.table.Quantile(0.5, (0, 1), unit=ds.AddOrRemove(3)),
        lambda: ds.table.Quantile(0.5, (0, 1), person="p", unit=ds.ReplaceOne()),
        lambda: ds.table.Quantile(0.5, (0, 1), person="p", counts="n"),
        lambda: ds.table.Mode([]),
        lambda: ds.table.Mode("abc"),
        lambda: ds.table.Mode(["a", "a"]),
        lambda: ds.table.Mode([1, "1"]),
        lambda: ds.table.Mode([1.5]),
        lambda: ds.table.Mode([None]),
        lambda: ds.table.BestMean(["a"], "c", "v", prior_weight=-1, prior_mean=0),
        lambda: ds.table.BestMean(["a"], "c", "v", prior_weight=1),
        lambda: ds.table.BestMean(["a"], "c", "v", prior_mean=0),
        lambda: ds.table.BestMean(["a"], "c", "v", prior_weight=1, prior_mean=2),
        lambda: ds.table.BestMean(["a"], "c", "v", empty=-1),
        lambda: ds.table.BestMean(["a"], "c", "v", support=0),
        lambda: ds.table.BestMean(["a"], "c", "v", support=1.0),
    ],
)
def test_declarations_are_checked_before_data_is_read(make):
    with pytest.raises(ds.InvalidParameter):
        make()


# ---------------------------------------------------------------- histograms and persons


def test_histogram_and_column_have_the_same_law():
    column = [1, 1, 2, 5, 5, 5, 5]
    histogram = {"x": [5, 1, 2, 9], "n": [4, 2, 1, 0]}
    plain = ds.table.Quantile(0.5, (0, 9), 1, "x")
    counted = ds.table.Quantile(0.5, (0, 9), 1, "x", counts="n")
    for method in ("inverse-sensitivity", "ladder", "global-scale"):
        one, two = (
            ds.law(problem, data, epsilon="1/3", method=method)
            for problem, data in ((plain, {"x": column}), (counted, histogram))
        )
        assert one.candidates.probabilities.tolist() == two.candidates.probabilities.tolist()
    assert counted.read(histogram).records == 7
    for bad in ([1, -1], [1, None], [1, 0.5], [1, math.nan], ["1", "x"], [1, 1e300]):
        with pytest.raises(ds.InvalidData, match="whole numbers"):
            counted.read({"x": [1, 2], "n": bad})


def test_rows_beyond_a_persons_share_do_not_count():
    random = np.random.default_rng(1)
    who, value = random.integers(0, 40, 400), random.integers(0, 10, 400)
    data = {"who": who, "v": value}
    for c in (1, 3):
        problem = ds.table.Quantile(0.5, (0, 9), 1, "v", person="who", unit=ds.AddOrRemove(c))
        cells = problem.read(data)
        assert cells.records == sum(min(c, int((who == p).sum())) for p in set(who.tolist()))
        # The order of the rows does not matter.
        order = random.permutation(400)
        assert listed(cells) == listed(problem.read({"who": who[order], "v": value[order]}))
        # Nobody else matters: without one person the cells lose that person's rows only, at most c of them.
        for person in (0, 7):
            left = problem.read({"who": who[who != person], "v": value[who != person]})
            alone = problem.read({"who": who[who == person], "v": value[who == person]})
            together = np.zeros(10, int)
            np.add.at(together, left.steps, left.counts)
            np.add.at(together, alone.steps, alone.counts)
            whole = np.zeros(10, int)
            np.add.at(whole, cells.steps, cells.counts)
            assert whole.tolist() == together.tolist()
            assert alone.records <= c


def test_truncation_prefers_no_value():
    """Of 2,000 persons with the rows 0 … 9 one row counts: each value about 200 times (6.5 σ, false alarm < 1e-9)."""
    who = np.repeat(np.arange(2000), 10)
    problem = ds.table.Quantile(0.5, (0, 9), 1, "v", person="who")
    cells = problem.read({"who": who, "v": np.tile(np.arange(10), 2000)})
    assert np.abs(cells.counts - 200).max() < 6.5 * math.sqrt(2000 * 0.1 * 0.9)


def test_a_row_without_a_person_is_refused():
    problem = ds.table.Quantile(0.5, (0, 9), 1, "v", person="who")
    with pytest.raises(ds.InvalidData, match="whose"):
        problem.read({"who": ["a", None], "v": [1, 2]})
    with pytest.raises(ds.InvalidParameter, match="no column 'who'"):
        problem.read({"v": [1, 2]})


def test_dropped_rows_do_not_use_up_a_persons_share():
    problem = ds.table.Quantile(0.5, (0, 9), 1, "v", person="who", missing="drop")
    assert problem.read({"who": [1, 1, 1], "v": [None, None, 4]}).steps.tolist() == [4]


# ---------------------------------------------------------------- what a reader sees


def test_private_objects_show_nothing():
    cells = MEAN.read({"site": SITES, "value": VALUES})
    assert repr(cells) == "Cells(<private>)"
    for private in (cells, MEAN.profile(cells), MEAN.scores(cells)):
        with pytest.raises(TypeError):
            pickle.dumps(private)


def test_a_release_depends_on_policies_only_through_the_law():
    """All public fields are the same whatever the data hold."""
    problem = ds.table.Quantile(0.5, (0, 5), missing="drop")
    public = []
    for column in ([1.0, 2.0], [None, math.nan], [math.inf, -9.0]):
        release = ds.select(problem, {"x": pa.array(column, pa.float64())}, epsilon=1).to_dict()
        del release["candidate"], release["candidates"]
        public.append(release)
    assert public[0] == public[1] == public[2]


def test_errors_of_the_engine_are_not_passed_on(tmp_path):
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1\x15 secret secret secret")
    with pytest.raises(ds.InvalidData) as caught:
        MEAN.read(path)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_cells_from_elsewhere_are_checked():
    for cells in (([2], [0], [1]), ([0], [6], [1]), ([-1], [0], [1])):
        with pytest.raises(ds.InvalidData):
            read_cells(MEAN.query, ds.table.Cells.of(*cells))
    with pytest.raises(ds.InvalidData):
        ds.table.Cells.of([0], [0], [-1])
