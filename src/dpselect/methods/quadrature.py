"""Quadrature for laws of scales, in float64. Curator only: a draw uses none of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def panels(
    left: float, right: float, inner: Sequence[float], points: int, width: float = 4.0
) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on [left, right], in panels no wider than `width` that end at the kinks `inner` too."""
    cuts = sorted({left, right, *(c for c in inner if left < c < right)}) if left < right else []
    x, weight = np.polynomial.legendre.leggauss(points)
    nodes, weights = [np.empty(0)], [np.empty(0)]
    for a, b in itertools.pairwise(cuts):
        edges = np.linspace(a, b, max(1, math.ceil((b - a) / width)) + 1)
        half = np.diff(edges)[:, None] / 2
        nodes.append((edges[:-1, None] + half * (x + 1)).ravel())
        weights.append((half * weight).ravel())
    return np.concatenate(nodes), np.concatenate(weights)


def condensed(
    nodes: FloatArray, weights: FloatArray, points: int, breaks: Sequence[float] = ()
) -> tuple[FloatArray, FloatArray]:
    """Few nodes with the same integrals: in every half octave, cut at `breaks`, the Gauss rule of the given measure.

    A rule of `points` nodes has the same moments up to 2 · points − 1, whatever the measure looks like.
    """
    keep = weights > 0
    nodes, weights = nodes[keep], weights[keep]
    edges = np.union1d(2.0 ** (np.arange(-2100, 2047) / 2), [b for b in breaks if b > 0])
    place = np.searchsorted(edges, nodes, side="left")
    found_nodes, found_weights = [], []
    for cell in np.unique(place):
        x, m = nodes[place == cell], weights[place == cell]
        if len(x) > points:
            x, m = _gauss_rule(x, m, points)
        found_nodes.append(x)
        found_weights.append(m)
    return np.concatenate(found_nodes), np.concatenate(found_weights)


def _gauss_rule(x: FloatArray, m: FloatArray, points: int) -> tuple[FloatArray, FloatArray]:
    """The Gauss rule of Σ m_i δ_{x_i}: Stieltjes recurrence, then eigenvalues of its Jacobi matrix."""
    centre, half, total = (x.max() + x.min()) / 2, (x.max() - x.min()) / 2, m.sum()
    if half <= 1e-14 * centre:
        return np.array([centre]), np.array([total])
    t = (x - centre) / half
    before, now = np.zeros_like(t), np.full_like(t, 1 / math.sqrt(total))
    diagonal, off = [], [0.0]
    for _ in range(points):
        diagonal.append(float(m @ (t * now * now)))
        following = (t - diagonal[-1]) * now - off[-1] * before
        norm = math.sqrt(float(m @ (following * following)))
        if norm < 1e-13:
            break
        before, now = now, following / norm
        off.append(norm)
    size = len(diagonal)
    jacobi = np.diag(diagonal) + np.diag(off[1:size], 1) + np.diag(off[1:size], -1)
    values, vectors = np.linalg.eigh(jacobi)
    return centre + half * values, total * vectors[0] ** 2
