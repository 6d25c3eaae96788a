"""The exact draw against the law: the marginal of the candidate, and of the scale up to its public grid.

20,000 draws. A cell is rejected if an exact binomial tail is below 1e-9 / (2 · cells): the false-alarm rate of one
comparison is at most 1e-9. For a cell of probability near 0.3, 10 % is six to nine standard deviations.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import dpselect as ds
from dpselect.exact.bits import SeededBits

DRAWS = 20_000
FALSE_ALARM = 1e-9

WORLD = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b", "c"], [[0, 2, 7], [1, 2, 7], [1, 3, 9]], depth=2)
METHODS = [
    ds.PrivateBound(noise="laplace", split="1/4"),
    ds.PrivateBound(noise="truncated", sampler="gibbs", grids="1/2"),
    ds.PrivateSmooth(split="1/2", smoothness="1/3", noise="laplace", grid="1/4"),
    ds.FixedScaleTest("3/2", noise="laplace", split="1/2"),
    ds.CertificateSearch(search="binary-laplace", split="1/2", grid=[1, "3/2", 2]),
    ds.CertificateSearch(search="index-permute-and-flip", split="1/2", grid=[1, "3/2", 2]),
    ds.LogTransform(sampler="gibbs"),
    ds.DirectSmooth(split="1/8"),
    ds.GeneralizedExponential(),
]


def misfits(counts, law):
    """Whether counts contradict the law at the false-alarm rate."""
    level = FALSE_ALARM / (2 * len(law))
    total = int(sum(counts))
    return any(min(binom.cdf(n, total, p), binom.sf(n - 1, total, p)) < level for n, p in zip(counts, law, strict=True))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name}-{m.sampler}")
def test_draws_follow_the_law(method):
    law = ds.law(WORLD, "y", epsilon=3, delta="1/10", method=method)
    source = SeededBits(20_240_601)
    cells = [0] * 4
    scales = []
    for _ in range(DRAWS):
        drawn = law.draw(source)
        if drawn is None:
            cells[3] += 1
        else:
            cells[drawn[1][0]] += 1
            scales += drawn[0][-1:]
    expected = [*rounded_marginal(law), law.no_release]
    assert not misfits(cells, expected)
    heavy = int(np.argmax(expected))
    for factor in (1.1, 0.9):
        wrong = list(expected)
        wrong[heavy] = min(expected[heavy] * factor, 1.0)
        assert expected[heavy] < 0.2 or misfits(cells, wrong)
    for b in sorted(set(scales))[:: max(1, len(set(scales)) // 5)]:
        # Rounded up to the grid, B ≤ b exactly when the continuous one is.
        below = sum(s <= b for s in scales)
        assert not misfits(
            [below, DRAWS - below], [law.scale.cdf(float(b) * (1 + 1e-9)), 1 - law.scale.cdf(float(b) * (1 + 1e-9))]
        )


def rounded_marginal(law):
    """Σ over the released values b of Pr[B = b] · P(· | b): a scale is rounded up before it is used."""
    kernel = law.calibration.kernel
    if law.calibration.method == "private-bound":
        plan = kernel.levels[0]
        edges = [k * plan.grid for k in range(1 + int(plan.cap / plan.grid))] + [plan.cap]
    elif law.calibration.method == "private-smooth":
        edges = [kernel.finish(k) for k in range(-80, 80)]
    else:
        return law.candidates.probabilities
    masses = np.diff([law.scale.cdf(float(b)) for b in edges], prepend=0.0)
    assert masses.sum() == pytest.approx(1, abs=1e-8)
    return sum(mass * law.given(b).probabilities for b, mass in zip(edges, masses, strict=True) if mass > 0)


def test_top_draws_the_scale_once_and_peels_distinct_candidates():
    released = ds.select(WORLD, "y", epsilon=3, delta="1/10", method=ds.PrivateBound(), top=3, seed=5)
    assert sorted(released.candidates) == ["a", "b", "c"]
    assert len(released.scales) == 2
    assert released.epsilon == 3
    assert released.epsilon_selection * 3 == 3 * (1 - Fraction(2, 6))
    for method in (ds.DirectSmooth(), ds.LogTransform(), ds.GeneralizedExponential(), ds.Ladder()):
        released = ds.select(WORLD, "y", epsilon=3, delta="1/10", method=method, top=2, seed=5)
        assert len(set(released.candidates)) == 2
        assert released.epsilon == 3
        assert released.scales == ()
