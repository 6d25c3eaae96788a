"""The tables of expected regret in docs/tables: computed from exact laws, written between markers.

    python scripts/table_regrets.py           prints what would change
    python scripts/table_regrets.py --write   rewrites the pages

A block starts with `<!-- regret: NAME -->` and ends with `<!-- end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import model_regrets
import numpy as np

import dpselect as ds

PAGES = Path(__file__).parents[1] / "docs" / "tables"
BLOCK = re.compile(r"(<!-- regret: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
EPSILONS = ("0.1", "0.5", "1")
DELTA = "1e-6"
PURE = ("global-scale", "ladder", "log-transform", "inverse-sensitivity")
APPROXIMATE = ("certificate-search", "private-smooth", "direct-smooth")


def regret(problem, cells, gaps, method, epsilon, delta):
    """Σ Pr[r] · gap_r, "not released" counted as the largest gap; exact but for quadrature (1e-9)."""
    law = ds.law(problem, cells, epsilon=epsilon, delta=delta, method=method)
    return float(np.dot(law.candidates.probabilities, gaps)) + law.no_release * float(np.max(gaps))


def shown(value):
    if value >= 10:
        return f"{value:.0f}"
    if value >= 0.995:
        return f"{value:.1f}"
    return "0" if value < 5e-5 else f"{value:.2g}" if value >= 0.001 else f"{value:.4f}"


def block(rows, cells, gaps):
    """Rows: (label, problem, method, delta)."""
    lines = ["| | δ | ε = 0.1 | ε = 0.5 | ε = 1 |", "| --- | --- | --- | --- | --- |"]
    values = [[regret(problem, cells, gaps, method, e, d) for e in EPSILONS] for _, problem, method, d in rows]
    best = np.min(values, axis=0)
    for (label, _, _, delta), each in zip(rows, values, strict=True):
        # Everything within 2 % of the best is bold.
        bold = [f"**{shown(v)}**" if v <= 1.02 * b + 5e-5 else shown(v) for v, b in zip(each, best, strict=True)]
        lines.append(f"| {label} | {delta} | " + " | ".join(bold) + " |")
    return "\n".join(lines) + "\n"


def own_gaps(problem, cells):
    return problem.scores(cells).gaps().proposal


# ---------------------------------------------------------------- quantiles


def quantile(values, p, bounds, unit=None):
    unit = ds.AddOrRemove() if unit is None else unit
    problem = ds.table.Quantile(p, bounds, unit=unit)
    rank = ds.table.QuantileByRank(p, bounds, unit=unit)
    cells = problem.read(values)
    rows = [(f"`{m}`", problem, m, "0") for m in PURE]
    rows.insert(0, ("by rank, `global-scale` (baseline)", rank, "global-scale", "0"))
    rows += [(f"`{m}`", problem, m, DELTA) for m in APPROXIMATE]
    return block(rows, cells, own_gaps(problem, cells))


def mean_area(p):
    from sklearn.datasets import load_breast_cancer

    return quantile(load_breast_cancer(as_frame=True).frame["mean area"], p, (0, 3000))


def progression(p, unit=None):
    from sklearn.datasets import load_diabetes

    return quantile(load_diabetes(as_frame=True).frame["target"], p, (0, 400), unit)


def visits(p):
    return quantile(health_survey()["mdvis"], p, (0, 100))


# ---------------------------------------------------------------- means and rates


def survey():
    import statsmodels.api as sm

    frame = sm.datasets.fair.load_pandas().data
    return frame.assign(affair=frame["affairs"] > 0)


def health_survey():
    import statsmodels.api as sm

    frame = sm.datasets.randhie.load_pandas().data
    health = np.select(
        [frame["hlthp"] == 1, frame["hlthf"] == 1, frame["hlthg"] == 1], ["poor", "fair", "good"], "excellent"
    )
    return frame.assign(health=health)


def means(data, columns, categories, bounds=(0, 1), step=1, support=200, prior_mean="1/3", unit=None):
    common = {} if unit is None else {"unit": unit}

    def problem(**more):
        return ds.table.BestMean(categories, *columns, bounds, step, **common, **more)

    plain, supported = problem(), problem(support=support)
    shrunken = problem(prior_weight=20, prior_mean=prior_mean)
    cells = plain.read(data)
    rows = [(f"`{m}`" + (" (baseline)" if m == "global-scale" else ""), plain, m, "0") for m in PURE]
    rows.append(('`supported-flips` (what "auto" takes)', plain, "supported-flips", "0"))
    rows += [(f"prior weight 20, `{m}`", shrunken, m, "0") for m in ("global-scale", "ladder", "inverse-sensitivity")]
    rows += [
        (f"support {support}, `{m}`", supported, m, "0") for m in ("global-scale", "ladder", "inverse-sensitivity")
    ]
    rows += [(f"`{m}`", plain, m, DELTA) for m in APPROXIMATE]
    rows.append(("`released-counts`", plain, "released-counts", DELTA))
    return block(rows, cells, own_gaps(plain, cells))


def small_categories():
    """Eight large categories, one of 3 records and one of none."""
    sizes = [900, 1200, 1500, 2000, 2500, 3000, 3500, 4000, 3, 0]
    ones = [270, 384, 525, 800, 1050, 1140, 1260, 1320, 1, 0]
    cells = ds.table.Cells.of(
        np.repeat(np.arange(10), 2), [0, 1] * 10, [c for n, k in zip(sizes, ones, strict=True) for c in (n - k, k)]
    )
    return means(cells, ("category", "value"), list("abcdefghij"))


def occupation():
    return means(survey(), ("occupation", "affair"), [1, 2, 3, 4, 5, 6], support=100)


def health():
    levels = ["excellent", "good", "fair", "poor"]
    return means(health_survey(), ("health", "mdvis"), levels, (0, 20), support=100, prior_mean=3)


# ---------------------------------------------------------------- modes


def mode(column, categories, unit=None):
    unit = ds.AddOrRemove() if unit is None else unit
    problem = ds.table.Mode(categories, unit=unit)
    cells = problem.read(column)
    rows = [(f"`{m}`" + (" (default)" if m == "global-scale" else ""), problem, m, "0") for m in PURE]
    rows += [(f"`{m}`", problem, m, DELTA) for m in APPROXIMATE]
    return block(rows, cells, own_gaps(problem, cells))


def decades(unit=None):
    from sklearn.datasets import load_diabetes

    age = load_diabetes(as_frame=True, scaled=False).frame["age"]
    return mode((age // 10 * 10).astype(int), list(range(10, 80, 10)), unit)


def religious():
    return mode(survey()["religious"].astype(int), [1, 2, 3, 4])


BLOCKS: dict[str, Callable[[], str]] = {
    "mean-area-median": lambda: mean_area("0.5"),
    "mean-area-90": lambda: mean_area("0.9"),
    "progression-median": lambda: progression("0.5"),
    "progression-median-replace": lambda: progression("0.5", ds.ReplaceOne()),
    "visits-90": lambda: visits("0.9"),
    "small-categories": small_categories,
    "occupation": occupation,
    "health": health,
    "decades": decades,
    "decades-replace": lambda: decades(ds.ReplaceOne()),
    "religious": religious,
    **model_regrets.BLOCKS,
}


def rewritten(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return BLOCK.sub(lambda found: found[1] + BLOCKS[found[2]]() + found[3], text)


def main() -> None:
    stale = False
    for page in sorted(PAGES.glob("*.md")):
        new = rewritten(page)
        if new != page.read_text(encoding="utf-8"):
            stale = True
            print(f"{page.name}: {'rewritten' if '--write' in sys.argv else 'stale'}")
            if "--write" in sys.argv:
                page.write_text(new, encoding="utf-8")
    sys.exit(stale and "--write" not in sys.argv)


if __name__ == "__main__":
    main()
