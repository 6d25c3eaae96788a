"""A decision tree grown under one budget: `BestSplit` at every node, `Mode` in every leaf.

    python scripts/private_tree.py    grows one on scikit-learn's breast cancer and prints it

Privacy of the whole tree: ε for one record added or removed. Each level costs ε/(depth + 1), however many nodes it has:
the nodes of a level divide the records among them (by splits that are already released), so one record is in one of
them. The leaves cost the last share.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import dpselect as ds


@dataclass(frozen=True)
class Leaf:
    label: Any


@dataclass(frozen=True)
class Node:
    split: ds.table.Split
    left: Node | Leaf
    right: Node | Leaf


def grow(data, label, classes, cuts, depth, epsilon, *, seed=None):
    """A tree on `data` (columns by name) of public classes and public cuts {feature: thresholds}."""
    share = Fraction(str(epsilon)) / (depth + 1)
    return _grow(data, label, classes, cuts, depth, share, _Seeds(seed))


def _grow(data, label, classes, cuts, depth, share, seeds):
    if depth == 0:
        mode = ds.table.Mode(classes, category=label)
        return Leaf(ds.select(mode, data, epsilon=share, seed=seeds.next()).candidate)
    problem = ds.table.BestSplit(cuts, "gini", label, classes)
    split = ds.select(problem, data, epsilon=share, seed=seeds.next()).candidate
    left = np.asarray(data[split.feature]) <= split.threshold
    parts = ({name: np.asarray(column)[mask] for name, column in data.items()} for mask in (left, ~left))
    return Node(split, *(_grow(part, label, classes, cuts, depth - 1, share, seeds) for part in parts))


class _Seeds:
    """None for ever, or one seed after the other: for experiments."""

    def __init__(self, first):
        self.seed = first

    def next(self):
        if self.seed is not None:
            self.seed += 1
        return self.seed


def predict(tree, data):
    """The labels of new records: post-processing."""
    if isinstance(tree, Leaf):
        return np.full(len(next(iter(data.values()))), tree.label)
    left = np.asarray(data[tree.split.feature]) <= tree.split.threshold
    return np.where(left, predict(tree.left, data), predict(tree.right, data))


def shown(tree, indent=""):
    """The tree as an outline."""
    if isinstance(tree, Leaf):
        return f"{indent}class {tree.label}\n"
    deeper = indent + "    "
    return f"{indent}{tree.split}\n{shown(tree.left, deeper)}{indent}else\n{shown(tree.right, deeper)}"


def even_cuts(bounds, pieces=8):
    """Thresholds at equal distances between public bounds (low, high) of every feature."""
    return {
        name: [round(low + (high - low) * i / pieces, 6) for i in range(1, pieces)]
        for name, (low, high) in bounds.items()
    }


BOUNDS = {
    "mean radius": (5, 30), "mean texture": (5, 40), "mean perimeter": (40, 200), "mean area": (0, 2000),
    "mean concavity": (0, 0.4), "worst radius": (5, 40), "worst perimeter": (50, 250), "worst area": (0, 3000),
    "worst concave points": (0, 0.3),
}  # fmt: skip
"""What such measurements are known to lie between: public knowledge, not read off the data."""


def main() -> None:
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame
    columns = {name: frame[name].to_numpy() for name in [*BOUNDS, "target"]}
    check = np.random.default_rng(1).random(len(frame)) < 0.3
    train, test = ({name: column[mask] for name, column in columns.items()} for mask in (~check, check))
    tree = grow(train, "target", [0, 1], even_cuts(BOUNDS), depth=2, epsilon=1)
    print(shown(tree), end="")
    # Public data: on private data, this number would cost a release of its own.
    print(f"accuracy on {check.sum()} other records: {np.mean(predict(tree, test) == test['target']):.3f}")


if __name__ == "__main__":
    main()
