"""Private decision trees: `scripts/private_tree.py` beside diffprivlib's random forest, on the same data and bounds.

Both protect one record added or removed at the same ε; accuracy on records that neither saw, averaged over splits into
training and test records. The baselines are not private.
"""

import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Report, Table

ROOT = Path(__file__).parents[1]
SEED = 20250104
ROUNDS = 12
EPSILONS = (0.1, 0.5, 1.0, 3.0)


def example() -> Any:
    """The example of the documentation."""
    spec = importlib.util.spec_from_file_location("private_tree", ROOT / "scripts" / "private_tree.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["private_tree"] = module
    spec.loader.exec_module(module)
    return module


def datasets() -> dict[str, tuple[np.ndarray, np.ndarray, dict[str, tuple[float, float]]]]:
    """Name -> features, labels, public bounds of every feature."""
    from sklearn.datasets import load_breast_cancer, make_classification

    found = load_breast_cancer()
    bounds = example().BOUNDS
    places = [list(found.feature_names).index(name) for name in bounds]
    cancer = found.data[:, places], found.target, bounds
    features, labels = make_classification(
        20_000, n_features=10, n_informative=4, n_redundant=2, class_sep=1.0, random_state=SEED
    )
    made = np.clip(features, -4, 4), labels, {f"x{i}": (-4.0, 4.0) for i in range(10)}
    return {"breast cancer, 398 to train": cancer, "made, 14,000 to train": made}


def run() -> Report:
    warnings.simplefilter("ignore")
    raw: dict[str, Any] = {}
    rows = []
    for name, (features, labels, bounds) in datasets().items():
        for epsilon in EPSILONS:
            found = {key: float(np.mean(values)) for key, values in _scores(features, labels, bounds, epsilon).items()}
            raw[f"{name}, {epsilon}"] = found
            rows.append([name, str(epsilon), *(f"{v:.3f}" for v in found.values())])
    heading = ["data", "ε", "tree of depth 2", "tree of depth 3", "diffprivlib forest", "majority", "CART, depth 3"]
    note = (
        f"Means of {ROUNDS} divisions into training and test records. The tree: `BestSplit` by Gini among seven even "
        "cuts of every feature, ε shared equally by the levels and the leaves. The forest: 10 trees of depth 5 with "
        "splits at random, all of ε for the leaves. Majority and CART (scikit-learn) are not private."
    )
    return Report("Trees", [Table("Accuracy", heading, rows)], note, raw)


def _scores(features: np.ndarray, labels: np.ndarray, bounds: Any, epsilon: float) -> dict[str, list[float]]:
    from sklearn.tree import DecisionTreeClassifier

    trees = example()
    found: dict[str, list[float]] = {name: [] for name in ("depth 2", "depth 3", "forest", "majority", "cart")}
    for i in range(ROUNDS):
        check = np.random.default_rng(SEED + i).permutation(len(labels)) < 0.3 * len(labels)
        train, test = features[~check], features[check]
        y, truth = labels[~check], labels[check]
        data = {name: train[:, j] for j, name in enumerate(bounds)} | {"label": y}
        other = {name: test[:, j] for j, name in enumerate(bounds)}
        for depth in (2, 3):
            tree = trees.grow(data, "label", [0, 1], trees.even_cuts(bounds), depth, epsilon)
            found[f"depth {depth}"].append(float(np.mean(trees.predict(tree, other) == truth)))
        found["forest"].append(_forest(train, y, test, truth, bounds, epsilon))
        found["majority"].append(float(np.mean(truth == np.bincount(y).argmax())))
        cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(train, y)
        found["cart"].append(float(cart.score(test, truth)))
    return found


def _forest(train: Any, y: Any, test: Any, truth: Any, bounds: Any, epsilon: float) -> float:
    if importlib.util.find_spec("diffprivlib") is None:
        return float("nan")
    from diffprivlib.models import RandomForestClassifier

    low, high = (np.array([b[side] for b in bounds.values()], dtype=float) for side in (0, 1))
    forest = RandomForestClassifier(n_estimators=10, max_depth=5, epsilon=epsilon, bounds=(low, high), classes=[0, 1])
    return float(np.mean(forest.fit(train, y).predict(test) == truth))
