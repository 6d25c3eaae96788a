"""Best model: what is declared, what is refused, what is read; the same tallies from every kind of data."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from models_brute import best_model

import dpselect as ds
from dpselect.problems.table.tallies import Confusions, Losses, Ranks

Y = [0, 1, 1, 0, 1, 0]
SAID = {"m0": [0, 1, 0, 0, 1, 1], "m1": [0, 1, 1, 1, 1, 1]}
TALLY = [[[2, 1], [1, 2]], [[1, 2], [0, 3]]]


def table(**columns):
    return {"label": Y, **SAID, **columns}


def test_every_kind_of_data(tmp_path):
    problem = best_model("f1", 2)
    frame = pd.DataFrame(table())
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    kinds = [
        table(), frame, pl.DataFrame(table()), pa.table(table()), tmp_path / "t.csv", tmp_path / "t.parquet",
        frame.astype(float), frame.astype(bool), frame.astype(str), frame.astype("int8"),
    ]  # fmt: skip
    for data in kinds:
        assert problem.read(data).counts.tolist() == TALLY
    again = problem.read(problem.read(frame))
    assert again.counts.tolist() == TALLY


def test_named_classes_and_many_of_them():
    names = {0: "no", 1: "it's"}
    data = {name: [names[k] for k in column] for name, column in table().items()}
    problem = ds.table.BestModel(["m0", "m1"], "f1", classes=("no", "it's"), trained_on="other records")
    assert problem.read(data).counts.tolist() == TALLY
    three = best_model("macro-f1", 1, 3)
    assert three.read({"label": [0, 1, 2, 2], "m0": [0, 2, 2, 1]}).counts.tolist() == [
        [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    ]


def test_ranks_with_ties_infinities_and_weights():
    problem = best_model("auc", 3)
    y = [1, 1, 0, 0, 0]
    scores = {
        "m0": [0.5, 0.7, 0.5, 0.1, 0.9],
        "m1": [np.inf, -np.inf, -np.inf, 0, np.inf],
        "m2": [0.0, -0.0, 0.0, 0.0, 0.0],
    }
    tally = problem.read({"label": y, **scores})
    assert (tally.positives, tally.negatives, tally.doubled.tolist()) == (2, 3, [7, 6, 6])
    weighted = best_model("auc", 3, counts="n")
    tally = weighted.read({"label": y, **scores, "n": [2, 1, 3, 0, 1]})
    repeated = {name: np.repeat(column, [2, 1, 3, 0, 1]) for name, column in scores.items()}
    plain = problem.read({"label": np.repeat(y, [2, 1, 3, 0, 1]), **repeated})
    assert tally.doubled.tolist() == plain.doubled.tolist()
    huge = weighted.read({"label": [1, 0], "m0": [1, 0], "m1": [0, 0], "m2": [0, 1], "n": [2**51, 2**51]})
    assert huge.doubled.tolist() == [2 * 2**102, 2**102, 0]
    with pytest.raises(ds.InvalidData):
        weighted.read({"label": [1, 0], "m0": [1, 0], "m1": [0, 0], "m2": [0, 1], "n": [2**52, 2**52]})


def test_losses_are_public_comparisons():
    problem = best_model("log-loss", 2, loss_bound=4, loss_steps=400)
    tally = problem.read({"label": [1, 1, 0, 0], "m0": [1.0, 0.5, 0.5, 0.0], "m1": [0.0, 1.0, 1.0, 2.0]})
    assert tally.sums.tolist() == [69 + 69, 3 * 400]
    # One record at a time, wherever it stands.
    chances = np.random.default_rng(2).random(1001)
    alone = [problem.read({"label": [1], "m0": [p], "m1": [p]}).sums.tolist()[0] for p in chances[:50]]
    together = problem.read({"label": [1] * 50, "m0": chances[:50], "m1": chances[:50][::-1]}).sums
    assert together.tolist() == [sum(alone)] * 2


def test_policies():
    broken = table(m0=[0, None, 0, 0, 7, 1])
    with pytest.raises(ds.InvalidData, match="unknown='refuse'"):
        best_model("f1", 2).read(broken)
    dropping = best_model("f1", 2, unknown="drop")
    assert dropping.read(broken).counts.sum() == 2 * 4
    with pytest.raises(ds.InvalidData, match="unknown='refuse'"):
        best_model("f1", 2).read(table(label=[0, 1, 2, 0, 1, 0]))
    gaps = {"label": Y, "m0": [0.1, None, 0.3, float("nan"), 0.5, 0.6], "m1": [0.5] * 6}
    with pytest.raises(ds.InvalidData, match="missing='refuse'"):
        best_model("auc", 2).read(gaps)
    tally = best_model("auc", 2, missing="drop").read(gaps)
    assert (tally.positives, tally.negatives) == (2, 2)
    for option in ("unknown", "missing"):
        with pytest.raises(ds.InvalidParameter, match="public"):
            best_model("f1", 2, unit=ds.ReplaceOne(), **{option: "drop"})
        with pytest.raises(ds.InvalidParameter, match=option):
            best_model("f1", 2, **{option: "clip"})
    with pytest.raises(ds.InvalidData, match="whole numbers"):
        best_model("f1", 2, counts="n").read(table(n=[1, 1, 1, -1, 1, 1]))
    with pytest.raises(ds.InvalidData, match="whose"):
        best_model("f1", 2, person="who").read(table(who=["a", None, "b", "c", "d", "e"]))
    with pytest.raises(ds.InvalidParameter, match="no column 'm1'"):
        best_model("f1", 2).read({"label": Y, "m0": Y})


def test_weights_and_persons():
    assert best_model("f1", 2, counts="n").read(table(n=[1, 2, 0, 1, 1, 3])).counts.tolist() == [
        [[2, 3], [0, 3]], [[1, 4], [0, 3]]
    ]  # fmt: skip
    who = ["a", "a", "a", "b", "c", "c"]
    for c in (1, 2, 3):
        problem = best_model("f1", 2, person="who", unit=ds.AddOrRemove(c))
        tally = problem.read(table(who=who))
        assert tally.counts[0].sum() == min(c, 3) + 1 + min(c, 2)
        # Neither the order of the rows nor anybody else matters.
        order = [5, 2, 0, 3, 4, 1]
        shuffled = {name: [column[i] for i in order] for name, column in table(who=who).items()}
        assert problem.read(shuffled).counts.tolist() == tally.counts.tolist()


# ---------------------------------------------------------------- declarations


def test_training_has_to_be_declared():
    with pytest.raises(TypeError, match="trained_on"):
        ds.table.BestModel(["a"], "f1")
    for given in ("these records", True, None, "all records"):
        with pytest.raises(ds.InvalidParameter, match="no validation record was used in training"):
            ds.table.BestModel(["a"], "f1", trained_on=given)
    release = ds.select(best_model("f1", 2), table(), epsilon=1)
    assert any("no validation record was used in training" in s for s in release.assumptions)
    assert "the guarantee covers the choice among the models, not the models" in release.assumptions


class GridSearchCV:
    cv_results_ = ("mean_test_score", 0.5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: best_model("f1", 2, cv=5),
        lambda: best_model("cross_val_score", 2),
        lambda: best_model("cross-val-score", 2),
        lambda: best_model("cv", 2),
        lambda: ds.table.BestModel([GridSearchCV()], "f1", trained_on="other records"),
        lambda: ds.table.BestModel(["a"], "f1", trained_on="cross-validation"),
        lambda: best_model("f1", 2).read({"mean_test_score": [0.5, 0.6], "label": [0, 1]}),
        lambda: best_model("f1", 2).read(GridSearchCV()),
        lambda: best_model("f1", 2).read({"test_score": [0.5], "fit_time": [1]}),
        lambda: ds.table.predictions(best_model("f1", 2), {"m0": GridSearchCV(), "m1": GridSearchCV()}, [[1]], [1]),
    ],
)
def test_cross_validation_is_refused_by_name(ask):
    with pytest.raises(ds.InvalidParameter, match="every record is in the training data of all folds but one"):
        ask()


def test_one_record_moves_every_fold():
    """Why: the accuracy by cross-validation of a model that everybody trusts moves by half with one record."""
    sklearn = pytest.importorskip("sklearn.model_selection")
    from sklearn.neighbors import KNeighborsClassifier

    x = np.array([0, 10, 0.2, 10.2, 0.4, 10.4, 0.6, 10.6, 0.8, 10.8, 1, 11])[:, None]
    y = np.array([0, 1] * 6)
    folds = sklearn.LeaveOneOut()

    def score(labels):
        return sklearn.cross_val_score(KNeighborsClassifier(11), x, labels, cv=folds).mean()

    changed = y.copy()
    changed[0] = 1
    assert abs(score(y) - score(changed)) >= 0.5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": "mathews"}, "did you mean"),
        ({"metric": "f-beta"}, "beta"),
        ({"metric": "f1", "beta": 1}, "beta"),
        ({"metric": "f-beta", "beta": 0}, "beta"),
        ({"metric": "f-beta", "beta": "1234567/2"}, "beta"),
        ({"metric": "f1", "classes": (0, 1, 2)}, "exactly 2 classes"),
        ({"metric": "auc", "classes": (0, 1, 2)}, "exactly 2 classes"),
        ({"metric": "accuracy", "classes": (0,)}, "classes"),
        ({"metric": "f1", "loss_bound": 3}, "log-loss"),
        ({"metric": "log-loss", "loss_bound": 0}, "loss_bound"),
        ({"metric": "log-loss", "loss_steps": 0}, "loss_steps"),
        ({"metric": "f1", "models": []}, "models"),
        ({"metric": "f1", "models": "abc"}, "models"),
        ({"metric": "f1", "models": ["a", "a"]}, "repeat"),
        ({"metric": "f1", "models": ["a", "label"]}, "labels"),
        ({"metric": "f1", "models": [object()]}, "predictions"),
        ({"metric": "f1", "unit": ds.Edges()}, "unit"),
        ({"metric": "f1", "unit": ds.AddOrRemove(2)}, "person"),
    ],
)
def test_declarations_are_checked(options, words):
    given = {"models": ["a", "b"], "trained_on": "other records", **options}
    with pytest.raises(ds.InvalidParameter, match=words):
        ds.table.BestModel(**given)


def test_tallies_are_checked_and_private():
    for wrong in (np.zeros((2, 2)), np.zeros((1, 2, 3), int), -np.ones((1, 2, 2), int), np.ones((1, 2, 2))):
        with pytest.raises(ds.InvalidData):
            Confusions(wrong)
    with pytest.raises(ds.InvalidData, match="same records"):
        Confusions(np.array([[[1, 0], [0, 1]], [[2, 0], [0, 0]]]))
    with pytest.raises(ds.InvalidData):
        Ranks(1, 2, np.array([5]))
    with pytest.raises(ds.InvalidData):
        Losses(np.array([-1]))
    assert "5" not in repr(Ranks(5, 5, np.array([25])))


# ---------------------------------------------------------------- scikit-learn


def test_fitted_estimators():
    linear = pytest.importorskip("sklearn.linear_model")
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.preprocessing import StandardScaler

    x, y = load_breast_cancer(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    train, check = slice(0, 300), slice(300, None)
    fitted = {
        "m0": linear.LogisticRegression(max_iter=1000).fit(x[train], y[train]),
        "m1": GaussianNB().fit(x[train], y[train]),
    }
    for metric in ("f1", "auc", "log-loss"):
        problem = best_model(metric, 2)
        data = ds.table.predictions(problem, fitted, x[check], y[check])
        assert set(data) == {"label", "m0", "m1"}
        assert ds.select(problem, data, epsilon=1).candidate in fitted
    # The positive class may be the first one of the estimator.
    swapped = ds.table.BestModel(["m0", "m1"], "auc", classes=(1, 0), trained_on="other records")
    other = ds.table.predictions(swapped, fitted, x[check], y[check])
    plain = ds.table.predictions(best_model("auc", 2), fitted, x[check], y[check])
    assert swapped.read(other).doubled.tolist() == best_model("auc", 2).read(plain).doubled.tolist()
    with pytest.raises(ds.InvalidParameter, match="names of problem"):
        ds.table.predictions(best_model("f1", 2), {"m0": fitted["m0"]}, x, y)
    with pytest.raises(ds.InvalidParameter, match="must have predict_proba"):
        ds.table.predictions(best_model("log-loss", 2), dict.fromkeys(("m0", "m1"), linear.RidgeClassifier()), x, y)
