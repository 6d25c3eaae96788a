"""Validation tables of public data for docs/tables/best-model.md: models are fitted, and what they say is counted.

    python scripts/validation_tables.py    writes docs/tables/validation.json (needs scikit-learn)

Kept as counts, so that the page does not depend on the version that fitted the models.

    breast cancer   284 records to train, 285 to check; larger n: the same table repeated
    one percent     made records, 1 % of them positive: 20,000 to train, others to check
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import dpselect as ds

OUT = Path(__file__).parents[1] / "docs" / "tables" / "validation.json"
SEED = 20250103
SIZES = (1_000, 4_000, 16_000, 64_000)


def estimators():
    """Sixteen ordinary models, good and bad."""
    found = {f"logistic, C = {c:g}": LogisticRegression(C=c, max_iter=2000) for c in (1e-4, 1e-3, 1e-2, 1e-1, 1)}
    found |= {f"weighted logistic, C = {c:g}": LogisticRegression(C=c, max_iter=2000, class_weight="balanced")
              for c in (1e-3, 1e-1)}  # fmt: skip
    found |= {f"tree of depth {d}": DecisionTreeClassifier(max_depth=d, random_state=SEED) for d in (1, 2, 4, 8)}
    found |= {f"{k} neighbours": KNeighborsClassifier(k) for k in (3, 15)}
    found["naive Bayes"] = GaussianNB()
    found["linear discriminant"] = LinearDiscriminantAnalysis()
    found["forest"] = RandomForestClassifier(50, max_depth=6, random_state=SEED)
    return {name: make_pipeline(StandardScaler(), model) for name, model in found.items()}


def counted(fitted, features, labels):
    """Confusion counts and rank sums."""
    names = list(fitted)
    said, ranked = (ds.table.BestModel(names, m, trained_on="other records") for m in ("f1", "auc"))
    classes = said.read(ds.table.predictions(said, fitted, features, labels))
    ranks = ranked.read(ds.table.predictions(ranked, fitted, features, labels))
    return {
        "confusions": classes.counts.tolist(),
        "ranks": [ranks.positives, ranks.negatives, [int(u) for u in ranks.doubled]],
    }


def breast_cancer():
    features, labels = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(SEED).permutation(len(labels))
    train, check = order[:284], order[284:]
    fitted = {name: model.fit(features[train], labels[train]) for name, model in estimators().items()}
    return {"models": list(fitted), "tables": {str(len(check)): counted(fitted, features[check], labels[check])}}


def one_percent():
    features, labels = make_classification(
        20_000 + SIZES[-1], n_features=20, n_informative=6, weights=[0.99], flip_y=0.004, class_sep=1.2,
        random_state=SEED,
    )  # fmt: skip
    train, check = slice(0, 20_000), slice(20_000, None)
    fitted = {name: model.fit(features[train], labels[train]) for name, model in estimators().items()}
    return {
        "models": list(fitted),
        "tables": {str(n): counted(fitted, features[check][:n], labels[check][:n]) for n in SIZES},
    }


def main() -> None:
    warnings.simplefilter("ignore")
    found = {"breast cancer": breast_cancer(), "one percent": one_percent()}
    OUT.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
