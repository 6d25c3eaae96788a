"""Noise W with density ∝ e^(-|w|) on (−a, a), a = ∞ for Laplace noise; vectorised."""

import numpy as np


def density(w, a=np.inf):
    """The density at w, 0 outside the support."""
    inside = np.abs(w) < a
    return np.where(inside, np.exp(-np.abs(np.where(inside, w, 0.0))), 0.0) / (2 * (1 - np.exp(-a)))


def below(w, a=np.inf):
    """Pr[W ≤ w], keeping its digits in the lower tail."""
    w = np.clip(w, -min(a, 745.0), min(a, 745.0))
    edge = np.exp(-a)
    left = np.exp(-np.abs(w)) - edge
    return np.where(w <= 0, left, 2 * (1 - edge) - left) / (2 * (1 - edge))


def above(w, a=np.inf):
    """Pr[W > w], keeping its digits in the upper tail."""
    return below(-np.asarray(w), a)


def laplace_shift(eta):
    """Pr[W < −shift] = η."""
    return -np.log(2 * eta)


def truncated_reach(epsilon, delta):
    """a with: noise on (−a, a) at scale 1/ε hides a shift by 1 at (ε, δ)."""
    return float(np.log1p(np.expm1(epsilon) / (2 * delta)))
