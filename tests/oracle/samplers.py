"""The two final laws from exponents z (… × m arrays), by other routes than `dpselect.laws`."""

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np


def gibbs(z):
    """P(r) = 1 / Σ_s e^(z_r − z_s): no normaliser is formed. inf excludes a candidate."""
    z = np.asarray(z, dtype=float)
    low = z.min(axis=-1, keepdims=True)
    shifted = np.where(np.isinf(z), 800.0, np.minimum(z - low, 750.0))
    p = 1.0 / np.exp(np.minimum(shifted[..., :, None] - shifted[..., None, :], 700.0)).sum(axis=-1)
    return np.where(np.isinf(z) | (z - low > 700.0), 0.0, p)


def permute_and_flip_by_coins(z):
    """P(r) = w_r Σ_k Pr[k of the other coins show heads] / (k + 1): a Poisson binomial, all terms positive."""
    w = np.exp(-np.asarray(z, dtype=float))
    m = w.shape[-1]
    result = np.empty_like(w)
    for r in range(m):
        heads = np.zeros((*w.shape[:-1], m))
        heads[..., 0] = 1.0
        for s in range(m):
            if s != r:
                p = w[..., s : s + 1]
                moved = heads * (1 - p)
                moved[..., 1:] += heads[..., :-1] * p
                heads = moved
        result[..., r] = w[..., r] * (heads / np.arange(1, m + 1)).sum(axis=-1)
    return result


@cache
def _gauss(n):
    return np.polynomial.legendre.leggauss(n)


def permute_and_flip(z):
    """w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du: a polynomial of degree m − 1, so ⌈m/2⌉ Gauss nodes are exact."""
    w = np.exp(-np.asarray(z, dtype=float))
    nodes, weights = _gauss((w.shape[-1] + 1) // 2)
    u, measure = (nodes + 1) / 2, weights / 2
    factors = 1 - w[..., None, :] * (1 - u[:, None])
    if w.shape[-1] < 10:
        others = factors.prod(axis=-1, keepdims=True) / factors
    else:
        logs = np.log(factors)
        others = np.exp(logs.sum(axis=-1, keepdims=True) - logs)
    return w * np.einsum("n,...nr->...r", measure, others)


def permute_and_flip_by_orders(w):
    """The definition itself: every order of the candidates, the first accepted one wins. Exact for rational w."""
    m = len(w)
    total = [Fraction(0)] * m
    orders = list(permutations(range(m)))
    for order in orders:
        left = Fraction(1)
        for r in order:
            total[r] += left * w[r] / len(orders)
            left *= 1 - w[r]
    return total


def permute_and_flip_by_polynomial(w):
    """w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du by expanding the polynomial. Exact for rational w."""
    result = []
    for r in range(len(w)):
        coefficients = [Fraction(1)]
        for s, p in enumerate(w):
            if s != r:
                raised = [*(c * (1 - p) for c in coefficients), Fraction(0)]
                for k, c in enumerate(coefficients):
                    raised[k + 1] += c * p
                coefficients = raised
        result.append(w[r] * sum((c / (k + 1) for k, c in enumerate(coefficients)), Fraction(0)))
    return result


SAMPLERS = {"gibbs": gibbs, "permute-and-flip": permute_and_flip}
