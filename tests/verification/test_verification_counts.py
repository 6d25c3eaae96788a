"""Released counts: δ(ε) of (ĉ, R) against a plain sum over all outcomes, and a control."""

import math
from dataclasses import replace

import numpy as np
import pytest
from test_verification_controls import Altered, claiming

import dpselect as ds

FLAGS = [(r, y) for r in range(2) for y in range(2)]


def cells(records):
    return ds.table.Cells.of([r for r, _ in records], [y for _, y in records], [1] * len(records))


def tables(unit, most):
    privacy = {"add-or-remove": ds.AddOrRemove(), "replace": ds.ReplaceOne()}[unit]
    problem = ds.table.BestMean([0, 1], "c", "v", unit=privacy)
    return ds.worlds.all_tables(problem, FLAGS, most, cells, neighbours=unit)


def below(kind, bound, w):
    """The distribution function of Laplace(1), or of Laplace(1) cut to ±bound."""
    w = np.clip(w, -bound, bound) if kind == "truncated" else np.asarray(w, float)
    floor = math.exp(-bound) if kind == "truncated" else 0.0
    tail = (np.exp(-np.abs(w)) - floor) / (2 * (1 - floor))
    return np.where(w < 0, tail, 1 - tail)


def outcomes(law, most=80):
    """Pr[(ĉ_1, ĉ_2, R)], and Pr[nothing]: every pair of bounds, one after the other."""
    kernel, selection = law.scale.kernel, law.calibration.selection
    eps, shift = float(kernel.noise.epsilon), kernel.noise.shift_float
    single = []
    for count in law.scale.counts.tolist():
        upto = below(kernel.noise.kind, shift, eps * (np.arange(1, most + 1) - count) + shift)
        single.append(np.diff(upto, prepend=0.0))
    gaps = [[float(q) for q in law.evaluation.scores.gaps().proposal]]
    found, nothing = np.zeros((most, most, 2)), 0.0
    rate = float(selection.epsilon) / selection.kappa
    for a in range(most):
        for b in range(most):
            mass = single[0][a] * single[1][b]
            kept = [r for r, c in enumerate((a, b)) if c >= kernel.minimum]
            if not kept:
                nothing += mass
                continue
            scale = float(kernel.scale(min((a, b)[r] for r in kept)))
            best = min(gaps[0][r] for r in kept)
            w = {r: math.exp(-rate * (gaps[0][r] - best) / scale) for r in kept}
            if len(kept) == 1:
                found[a, b, kept[0]] = mass
            elif law.calibration.sampler.name == "gibbs":
                for r in kept:
                    found[a, b, r] = mass * w[r] / sum(w.values())
            else:
                for r in kept:
                    found[a, b, r] = mass * w[r] * (1 - w[1 - r] / 2)
    return np.append(found.ravel(), nothing)


@pytest.mark.parametrize("unit", ["add-or-remove", "replace"])
@pytest.mark.parametrize(
    ("noise", "minimum", "sampler"),
    [("laplace", 1, "gibbs"), ("laplace", 2, "permute-and-flip"), ("truncated", 1, "permute-and-flip")],
)
def test_against_all_outcomes(unit, noise, minimum, sampler):
    world = tables(unit, 2)
    method = ds.ReleasedCounts(minimum=minimum, noise=noise, sampler=sampler, split="1/2")
    report = ds.verify(world, epsilon=4, delta="1/10", method=method)
    laws = [outcomes(ds.law(world.problem, x, epsilon=4, delta="1/10", method=method)) for x in world.data]
    for epsilon, shown in report.curve(["1/2", 2, 4]):
        e = math.exp(epsilon)
        truth = max(
            float(np.maximum(laws[i] - e * laws[j], 0).sum()) for u, v in world.edges for i, j in ((u, v), (v, u))
        )
        assert shown == pytest.approx(truth, rel=1e-6, abs=1e-12)
    assert report.holds is True


def test_cut_noise_attains_its_delta():
    report = ds.verify(
        tables("add-or-remove", 3), epsilon=3, delta="1/10", method=ds.ReleasedCounts(minimum=1, noise="truncated")
    )
    assert report.holds is True
    assert float(report.delta_exact) == pytest.approx(0.1, rel=1e-12)


def test_tampered_counts_are_caught():
    world = tables("add-or-remove", 3)
    method = ds.ReleasedCounts(minimum=1, noise="truncated")
    cheaper = Altered(
        method,
        lambda c: replace(
            c, kernel=replace(c.kernel, noise=replace(c.kernel.noise, failure=2 * c.kernel.noise.failure))
        ),
    )
    assert ds.verify(world, epsilon=3, delta="1/10", method=cheaper).holds is False
    assert ds.verify(world, epsilon=3, delta="1/10", method=Altered(method, claiming("1/8"))).holds is False
