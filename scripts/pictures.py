"""The pictures of the documentation: docs/pictures/NAME-light.png and NAME-dark.png. Needs the extra `plots`.
Those of random graphs: `random_graphs.py`.

python scripts/pictures.py [NAME …]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dpselect as ds

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PROBLEM = ds.graph.TopVertex("triangle")
DELTA = "1e-6"
EPSILONS = ("1/10", "1/5", "1/2", "1", "2", "5")
SHOWN = ("inverse-sensitivity", "private-bound", "ladder", "global-scale")


def regret() -> Callable[[Any], Any]:
    graph = ds.graph.costars()
    compared = [ds.compare(PROBLEM, graph, epsilon=e, delta=DELTA) for e in EPSILONS]
    return lambda theme: ds.plots.regret(compared, theme)


def law() -> Callable[[Any], Any]:
    graph = ds.graph.costars()
    laws = {m: ds.law(PROBLEM, graph, epsilon="1/5", delta=DELTA, method=m) for m in SHOWN}
    return lambda theme: ds.plots.law(laws, theme)


def profile() -> Callable[[Any], Any]:
    facts = ds.diagnose(PROBLEM, ds.graph.costars())
    return lambda theme: ds.plots.profile(facts, smoothness="1/900", scale=700, steps=900, theme=theme)


def privacy_curve() -> Callable[[Any], Any]:
    world = ds.worlds.all_graphs(PROBLEM, 4)
    reports = {
        m: ds.verify(world, epsilon=1, delta="1e-3", method=m) for m in ("ladder", "private-bound", "private-smooth")
    }
    epsilons = [i / 20 for i in range(1, 29)]
    return lambda theme: ds.plots.privacy_curve(reports, epsilons, theme)


PICTURES = {f.__name__.replace("_", "-"): f for f in (regret, law, profile, privacy_curve)}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        draw = PICTURES[name]()
        for theme in ds.plots.THEMES:
            draw(theme).savefig(FOLDER / f"{name}-{theme}.png", metadata={"Software": None})
        print(name, flush=True)


if __name__ == "__main__":
    main()
