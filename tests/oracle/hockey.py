"""δ(ε) of two laws on the same outputs:  δ = Σ_outputs (P_x − e^ε P_{x'})_+, with what the integration may be off by.

One continuous scale: the integrand changes sign at finitely many scales per candidate. On a cell without a sign
change |∫ D| = ∫ |D|, so Σ_cells (∫ D)_+ is the answer up to half of Σ (∫ |D| − |∫ D|); cells where that matters are
halved until it does not. Hierarchies: nested quadrature at two resolutions, the difference is the error.
"""

from dataclasses import dataclass

import numpy as np

from . import noise
from .reading import Finite

ROUNDING = 1e-11
"""What float64 sums of probabilities may be off by."""


@dataclass(frozen=True)
class Interval:
    """low ≤ δ ≤ high."""

    low: float
    high: float

    def exceeds(self, claim):
        """Certainly larger than the claim: the claim is false."""
        return self.low > float(claim) + ROUNDING

    def within(self, claim, slack=0.0):
        """At most the claim, up to the stated error of the integration and a relative slack."""
        return self.high <= float(claim) * (1 + slack) + 2 * (self.high - self.low) + ROUNDING


def delta(x, y, epsilon, *, fine=0):
    """(δ from x to y, δ from y to x) for two models read from laws on the two ends of an edge."""
    factor = float(np.exp(float(epsilon)))
    if isinstance(x, Finite):
        return _finite(x, y, factor), _finite(y, x, factor)
    assert x.levels == y.levels, "the public side must not depend on the dataset"
    assert (x.top, x.theta, x.sampler) == (y.top, y.theta, y.sampler)
    if len(x.levels) == 1 and x.levels[0].rate is not None and x.levels[0].map is None and x.top > 0:
        return _one_level(x, y, factor), _one_level(y, x, factor)
    return _nested(x, y, factor, fine)


def _finite(x, y, factor):
    p, q = x.outputs(), y.outputs()
    total = sum(max(0.0, mass - factor * q.get(output, 0.0)) for output, mass in p.items())
    return Interval(total, total)


# -------------------------------------------------------------------------------------------- one continuous scale

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _one_level(x, y, factor, tolerance=1e-12):
    level, s = x.levels[0], x.top / x.levels[0].rate
    centres = [h + s * level.shift for h in (x.values[0], y.values[0])]
    reach = min(level.reach, 45.0)
    low, high = level.floor, min(level.cap, max(centres) + s * reach)
    if not np.isfinite(low):
        low = min(centres) - s * reach
    total = 0.0
    if level.cap <= level.floor:
        atoms = [(level.cap, 1.0, 1.0)]
        low = high = level.cap
    else:
        masses = [[float(noise.below((level.floor - c) / s, level.reach)) for c in centres]]
        atoms = [(level.floor, *masses[0])] if np.isfinite(level.floor) else []
        if np.isfinite(level.cap):
            atoms.append((level.cap, *(float(noise.above((level.cap - c) / s, level.reach)) for c in centres)))
    for b, px, py in atoms:
        at = np.array([b])
        total += float(np.maximum(px * x.given(at) - factor * py * y.given(at), 0).sum())
    if high <= low:
        return Interval(total, total)

    def integrand(b):
        fx, fy = (noise.density((b - c) / s, level.reach) / s for c in centres)
        return fx[..., None] * x.given(b) - factor * fy[..., None] * y.given(b)

    kinks = [c + k * s * d for c in centres for k, d in ((0, 1), (-1, reach), (1, reach))]
    steps = list(np.arange(min(centres) - 46 * s, high, 2 * s))
    if x.logarithmic:
        # Below this every candidate with a gap has weight 0, and nothing changes with the scale any more.
        behind = np.concatenate([x.gaps[x.gaps > 0], y.gaps[y.gaps > 0]])
        still = np.log(x.theta * behind.min() / 750.0) if len(behind) else high
        doublings = list(np.arange(max(low, still), high, 0.5))
    else:
        doublings = list(low * 2.0 ** np.arange(0, max(1, np.log2(high / low)), 0.5))
    edges = np.unique([low, high, *(b for b in (*kinks, *steps, *doublings) if low < b < high)])
    left, right, error = edges[:-1], edges[1:], 0.0
    for _ in range(24):
        half = (right - left) / 2
        D = integrand(left[:, None] + half[:, None] * (_NODES + 1))
        signed = np.einsum("cnr,n,c->cr", D, _WEIGHTS, half)
        size = np.einsum("cnr,n,c->cr", np.abs(D), _WEIGHTS, half)
        doubt = np.maximum(size - np.abs(signed), 0.0).sum(axis=1) / 2
        split = doubt > tolerance / 64
        total += float(np.maximum(signed[~split], 0).sum())
        error += float(doubt[~split].sum())
        if not split.any():
            break
        middle = (left + half)[split]
        left, right = np.concatenate([left[split], middle]), np.concatenate([middle, right[split]])
    else:
        total += float(np.maximum(signed[split], 0).sum())
        error += float(doubt[split].sum())
    return Interval(total, total + error)


# -------------------------------------------------------------------------------------------- hierarchies


_RESOLUTIONS = {1: (6, 8, 11), 2: (4, 6, 8), 3: (3, 4, 5)}
"""Points per panel for a hierarchy of that many levels; beyond three levels (2, 3, 4)."""

_DROPPED = 1e-7
"""Nodes of the least mass are dropped, together at most this much at each level."""


def _nested(x, y, factor, fine=0):
    """The spread of three resolutions, doubled, is taken for the error: an estimate, not a proof."""
    points = _RESOLUTIONS.get(len(x.levels), (2, 3, 4))
    nodes = [_nodes(x, y, n + fine) for n in points]
    dropped = len(x.levels) * _DROPPED  # (p − e^ε q)_+ ≤ p
    results = []
    for forward in (True, False):
        found = [_total(x, y, n, factor, forward) for n in nodes]
        error = 2 * (max(found) - min(found)) + dropped
        results.append(Interval(max(0.0, found[-1] - error), found[-1] + error))
    return tuple(results)


def _total(x, y, nodes, factor, forward):
    b, px, py = nodes
    p, q = px[:, None] * x.given(b), py[:, None] * y.given(b)
    return float(np.maximum(p - factor * q if forward else q - factor * p, 0).sum())


def _nodes(x, y, points):
    """Nodes of (B_k, …, B_0) with the measure of x and of y at each; only B_0 is kept."""
    b, px, py = np.array([x.top]), np.ones(1), np.ones(1)
    for j in reversed(range(len(x.levels))):
        b, px, py = _expand(x.levels[j], x.values[j], y.values[j], b, px, py, points)
        order = np.argsort(px + py)
        kept = order[np.cumsum((px + py)[order]) > _DROPPED]
        b, px, py = b[kept], px[kept], py[kept]
    return b, px, py


def _expand(level, hx, hy, above, px, py, points):
    if level.rate is None or level.cap <= level.floor:
        return _surely(level, hx, hy, px, py, len(above))
    silent = above == 0
    if silent.all():
        return _surely(level, hx, hy, px, py, len(above))
    assert not silent.any()
    s = above / level.rate
    cx, cy = hx + s * level.shift, hy + s * level.shift
    if level.map is not None:
        return _cells(level, s, cx, cy, px, py)
    end = np.minimum(level.cap, np.maximum(cx, cy) + s * min(level.reach, 34.0))
    found = [
        (
            np.full_like(s, level.floor),
            *(p * noise.below((level.floor - c) / s, level.reach) for p, c in ((px, cx), (py, cy))),
        )
    ]
    if np.isfinite(level.cap):
        found.append(
            (
                np.full_like(s, level.cap),
                *(p * noise.above((level.cap - c) / s, level.reach) for p, c in ((px, cx), (py, cy))),
            )
        )
    first, last = np.minimum(cx, cy), np.maximum(cx, cy)
    marks = [np.full_like(s, level.floor), end, first, last, first - 3 * s, last + 3 * s, last + 9 * s]
    if np.isfinite(level.reach):
        marks += [cx - level.reach * s, cy - level.reach * s, cx + level.reach * s, cy + level.reach * s]
    ratio = float(np.max(end)) / level.floor
    marks += [np.full_like(s, level.floor * 8.0**k) for k in range(1, int(np.log(ratio) / np.log(8.0)) + 1)]
    edges = np.sort(np.clip(np.stack(marks, axis=1), level.floor, np.maximum(end, level.floor)[:, None]), axis=1)
    left, right = edges[:, :-1, None], edges[:, 1:, None]
    wide = s[:, None, None]
    middle = (left + right) / 2
    # Integrate in t = e^{±b/s} outside the two centres, where both densities are multiples of it.
    span = np.minimum((right - left) / wide, 700.0)
    u, weight = np.polynomial.legendre.leggauss(points)
    u, weight = (u + 1) / 2, weight / 2
    lowest = np.exp(-span)
    t = lowest + (1 - lowest) * u
    rising, falling = middle < first[:, None, None], middle > last[:, None, None]
    b = np.where(
        rising, right + wide * np.log(t), np.where(falling, left - wide * np.log(t), left + (right - left) * u)
    )
    measure = np.where(rising | falling, wide * (1 - lowest) / t, right - left) * weight
    dx, dy = (noise.density((b - c[:, None, None]) / wide, level.reach) / wide for c in (cx, cy))
    found.append((b.ravel(), (px[:, None, None] * measure * dx).ravel(), (py[:, None, None] * measure * dy).ravel()))
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


def _surely(level, hx, hy, px, py, n):
    """A level without noise, or with its cap below its floor: one atom, two if the datasets disagree."""
    bx, by = (float(level.finish(np.ceil(h / level.grid) * level.grid)) for h in (hx, hy))
    if bx == by:
        return np.full(n, bx), px, py
    none = np.zeros(n)
    return (
        np.concatenate([np.full(n, bx), np.full(n, by)]),
        np.concatenate([px, none]),
        np.concatenate([none, py]),
    )


def _cells(level, s, cx, cy, px, py):
    """A mapped level: the statistic is rounded up to the grid; every cell is an output of its own."""
    reach = min(level.reach, 34.0)
    first = np.floor((np.minimum(cx, cy) - reach * s).min() / level.grid)
    last = np.ceil((np.maximum(cx, cy) + reach * s).max() / level.grid)
    k = np.arange(max(first, 0.0), last + 1)
    edges = k * level.grid

    def masses(p, c):
        upto = noise.below((edges[None, :] - c[:, None]) / s[:, None], level.reach)
        upto[:, -1] = 1.0
        return p[:, None] * np.diff(upto, axis=1, prepend=0.0)

    b = np.broadcast_to(level.finish(edges)[None, :], (len(s), len(k)))
    return b.ravel(), masses(px, cx).ravel(), masses(py, cy).ravel()
