"""The numbers of docs/switching.md are those of the exact laws; OpenDP's law is what the page says."""

import re
from pathlib import Path

import numpy as np
import pytest

import dpselect as ds

PAGE = (Path(__file__).parents[2] / "docs" / "switching.md").read_text(encoding="utf-8")
ROWS = [
    [float(n.replace(",", "")) for n in found]
    for found in re.findall(r"^\| .* \| ([\d.,]+) \| ([\d.,]+) \| ([\d.,]+) \| `", PAGE, re.MULTILINE)
]


def regret(problem, data, gaps=None, **more):
    law = ds.law(problem, data, **more)
    return ds.expected_regret(law) if gaps is None else float(np.dot(law.probabilities, gaps))


def agree(shown, computed):
    """To the digits that are shown."""
    assert shown == pytest.approx(computed, rel=5.1e-3)


def before(problem, data, gaps=None, **more):
    return [
        regret(problem, data, gaps, method="global-scale", sampler=s, **more) for s in ("gibbs", "permute-and-flip")
    ]


def test_what_auto_takes():
    ages, whole = ds.table.Mode(list(range(10, 80, 10))), (0, 400)
    rate = ds.table.BestMean([1, 2, 3, 4, 5, 6], "occupation", "affair")
    asked = [
        (ds.graph.TopVertex("triangle"), ds.graph.costars()),
        (rate, {"occupation": [1], "affair": [1]}),
        (ages, {"value": [20]}),
        (ds.table.Quantile("0.5", whole), {"value": [200]}),
    ]
    named = re.findall(r"^\| .* \| [\d.,]+ \| [\d.,]+ \| [\d.,]+ \| `([\w-]+)`", PAGE, re.MULTILINE)
    assert named.pop(1) == "private-bound"
    assert named == [ds.law(problem, data, epsilon=1).calibration.method for problem, data in asked]


def test_triangles():
    problem, graph = ds.graph.TopVertex("triangle"), ds.graph.costars()
    for row in ROWS[:2]:
        agree(row[:2], before(problem, graph, epsilon=1))
    agree(ROWS[0][2], regret(problem, graph, epsilon=1))
    agree(ROWS[1][2], regret(problem, graph, epsilon=1, delta="1e-6", method="private-bound"))


def test_occupation():
    frame = pytest.importorskip("statsmodels.api").datasets.fair.load_pandas().data
    problem = ds.table.BestMean([1, 2, 3, 4, 5, 6], "occupation", "affair")
    cells = problem.read(frame.assign(affair=frame["affairs"] > 0))
    agree(ROWS[2][:2], before(problem, cells, epsilon=1))
    agree(ROWS[2][2], regret(problem, cells, epsilon=1))


def test_decades_and_median():
    data = pytest.importorskip("sklearn.datasets")
    decades = (data.load_diabetes(as_frame=True, scaled=False).frame["age"] // 10 * 10).astype(int)
    candidates = list(range(10, 80, 10))
    counts = [int((decades == c).sum()) for c in candidates]
    laws = [ds.law(counts, epsilon="0.1", sensitivity=1, sampler=s) for s in ("gibbs", "permute-and-flip")]
    agree(ROWS[3][:2], [ds.expected_regret(law) for law in laws])
    problem = ds.table.Mode(candidates)
    agree(ROWS[3][2], regret(problem, problem.read(decades), epsilon="0.1"))
    target = data.load_diabetes(as_frame=True).frame["target"]
    value, rank = ds.table.Quantile("0.5", (0, 400)), ds.table.QuantileByRank("0.5", (0, 400))
    cells = value.read(target)
    gaps = value.scores(cells).gaps().proposal
    agree(ROWS[4][:2], before(rank, cells, gaps, epsilon=1))
    agree(ROWS[4][2], regret(value, cells, gaps, epsilon=1))
    assert len(ROWS) == 5


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("measure", "sampler"), [("max_divergence", "permute-and-flip"), ("zCDP", "gibbs")])
def test_opendp_draws_from_the_same_law(monotone, measure, sampler):
    """20,000 draws: a share that is off by 0.024 has probability below 1e-9 in all (Hoeffding); 10 % off is seen."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    scale = (1.0 if monotone else 2.0) / 1.5
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=monotone)
    how = dp.max_divergence() if measure == "max_divergence" else dp.zero_concentrated_divergence()
    select = dp.m.make_noisy_max(*space, how, scale=scale)
    scores = [5, 4, 2]
    drawn = np.bincount([select(scores) for _ in range(20_000)], minlength=3) / 20_000
    law = ds.law(scores, epsilon="1.5", sensitivity=1, monotone=monotone, method="global-scale", sampler=sampler)
    assert np.abs(drawn - law.probabilities).max() < 0.024
    # Controls: the best candidate 10 % less likely (0.063 or more); a third of the rate (0.18 or more).
    assert abs(drawn[0] - 0.9 * law.probabilities[0]) >= 0.024
    slow = ds.law(scores, epsilon="0.5", sensitivity=1, monotone=monotone, method="global-scale", sampler=sampler)
    assert np.abs(drawn - slow.probabilities).max() >= 0.024
