"""Exact draws of a group of candidates, where c_g candidates share the exponent z_g: work in the number of groups.

    Gibbs law:          P(g) = c_g e^(-z_g) / Σ_h c_h e^(-z_h)
    permute-and-flip:   P(g) = c_g w_g ∫_0^1 (1 − w_g v)^(c_g − 1) Π_{h≠g} (1 − w_h v)^(c_h) dv,   w = e^(-z)

These are the laws of `draw` on the list of all m = Σ c_g candidates, summed over each group. Given the group, every
member is equally likely under both, so a uniform rank below c_g completes the draw. m may be as large as 2^700: the
candidates are never listed.

Source: theory section 10; permute-and-flip as report-noisy-max with exponential noise: Ding, Kifer, Sayed-Ahmed,
Xiao, Zhang 2021.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource, LazyUniform, coin
from dpselect.exact.draw import acceptance
from dpselect.exact.exponents import Exponents
from dpselect.exact.reals import Real

MOST_BITS: Final = 700
"""m < 2^700: the float64 proposals below reach as far."""

_CAP: Final = 512.0
"""Proposals above this say no more than that (`Exponents`)."""

_WORD: Final = 64
"""Bits drawn for the uniform of every group before any is refined."""

_SLACK: Final = 2.0**-39
"""Absolute error of the floats beside that of the proposals, see `permute_and_flip_group`."""

_INF: Final = math.inf


def gibbs_group(exponents: Exponents, counts: Sequence[int], source: BitSource) -> int:
    """A group g with probability exactly c_g e^(-z_g) / Σ_h c_h e^(-z_h).

    Arguments: one exponent per group, the least at most 2^-30; counts c_g ≥ 1 of any size, with a sum below 2^700.
    Errors: `InvalidParameter` for other counts, or if every group is excluded.

    Method. As `draw.gibbs`, with Python integers: σ = bits of m + 21, over-weights

        W_g = ⌊2^σ (1 + slack) fl(exp(−min(p_g, 512)))⌋ + 1,   slack = 1024 · error,

    p_g the proposal (W_g = 0 if p_g = ∞). Draw g with probability c_g W_g / Σ c_h W_h, keep it with the exact coin
    2^σ w_g / W_g, else draw again: a kept g has probability ∝ c_g w_g. This needs 2^σ w_g ≤ W_g:

    - z_g ≥ σ log 2: 2^σ w_g ≤ 1 ≤ W_g.
    - z_g < σ log 2 ≤ 721 log 2 < 500: |p_g − z_g| ≤ 500·e ≤ 2^-7 with e = error ≤ 2^-16, so p_g < 512 is not clamped
      and e^(-p) ≥ e^(-z)(1 − 501 e). The float exp is within 2^-47 ≤ e/8 relative (it is normal: e^-512 > 2^-739), the
      product within 2^-52. The float is at least 2^σ w_g (1 + 1024 e)(1 − 501 e)(1 − e/8)(1 − e/256) ≥ 2^σ w_g, and
      ⌊·⌋ + 1 exceeds it. It is below 2^723: finite, and `int` of it is exact.

    Rejected with probability at most 2·slack + 2^-20: excess of the floats, and m·1 of at least 2^σ in all. A group
    with z_g > 2^10 has W_g ≤ 2^σ e^-511 ≤ 1. Cost: one pass over the groups.

    >>> from fractions import Fraction
    >>> from dpselect.exact.bits import SeededBits
    >>> z = Exponents(np.array([0.0, 900.0]), lambda i: Fraction(900 * i))
    >>> gibbs_group(z, [1, 10**30], SeededBits(1))
    0
    """
    total = checked_counts(exponents, counts)
    proposal = exponents.proposal
    if proposal.size == 1:
        return 0
    shift = total.bit_length() + 21
    floats = np.exp(-np.minimum(proposal, _CAP)) * (2.0**shift * (1 + 1024 * exponents.error))
    weights = [int(f) + 1 if p < _INF else 0 for f, p in zip(floats.tolist(), proposal.tolist(), strict=True)]
    ends = list(accumulate(c * w for c, w in zip(counts, weights, strict=True)))
    if ends[-1] == 0:
        raise InvalidParameter("every candidate is excluded")
    while True:
        group = bisect_right(ends, source.below(ends[-1]))
        if coin(acceptance(exponents, group, weights[group], shift), source):
            return group


def permute_and_flip_group(exponents: Exponents, counts: Sequence[int], source: BitSource) -> int:
    """The group of a candidate drawn by permute-and-flip from all m = Σ c_g candidates.

    Arguments: one exponent per group, at least one exactly 0; counts c_g ≥ 1 of any size, with a sum below 2^700.
    Errors: `InvalidParameter` for other counts, or if no group has exponent 0.

    Law. Let E_r be independent with density e^(-x), x ≥ 0. Then argmax_r (E_r − z_r) has the law of permute-and-flip:
    Pr[r] = ∫ e^(-(x + z_r)) Π_{s≠r} (1 − e^(-(x + z_s))) dx over x ≥ 0 (below 0 nobody can win, as some z is 0), which
    with v = e^(-x) is w_r ∫_0^1 Π_{s≠r} (1 − w_s v) dv. The largest of c such E has distribution function
    (1 − e^(-x))^c: it is −log(1 − (1 − U)^(1/c)), U uniform. So the group is

        argmin_g y_g,   y_g = z_g + log(1 − (1 − U_g)^(1/c_g)),

    increasing in U_g; exact for any c_g, with one uniform per group.

    Method. 64 bits of every U, float64 enclosures of y_g from both ends of what is known; a group whose enclosure
    begins after another one's end is out. While more than one is left, their U are refined and the balls of y_g
    are computed again. Two equal y have probability 0.

    Error of the floats. L = −log(1 − U) is computed as −log1p(−U) for U ≤ 1/2 and else as −log(1 − U) from the exact
    complement: condition number at most 1.5, so within 2^-48 relative if log, log1p are within 2^-49 (NumPy's are
    within 4 units in the last place, 2^-50). c is within 2^-53, so a = L/c is within 2^-47; 1 − e^(-a) has condition
    number at most 1: 2^-46 relative. Its log, at least −532 as a > 2^-766, is off by 2^-46 + 2^-49 · 532, the sum with
    z by 2^-53 · 1044: below 2^-39 together. The proposals add error · max(1, z) ≤ 1.001 · error · max(1, p). Above
    p = 512 only z > 511 is known.

    Cost: one pass over the groups, 8 random bytes each. How many groups are refined is the only work that depends
    on the exponents and counts.

    >>> from fractions import Fraction
    >>> from dpselect.exact.bits import SeededBits
    >>> z = Exponents(np.array([900.0, 0.0]), lambda i: Fraction(900 - 900 * i))
    >>> permute_and_flip_group(z, [10**30, 1], SeededBits(1))
    1
    """
    checked_counts(exponents, counts)
    proposal = exponents.proposal
    if proposal.min() > exponents.error:
        raise InvalidParameter("permute-and-flip needs a candidate with exponent 0")
    if proposal.size == 1:
        return 0
    words = source.words(proposal.size).astype(np.uint64, copy=False)
    low, high = _enclosures(exponents, np.array([float(c) for c in counts]), words)
    left = np.flatnonzero(low <= high.min()).tolist()
    uniforms = {g: LazyUniform(source, int(words[g]), _WORD) for g in left}
    while len(left) > 1:
        ends = {g: _ball_ends(exponents, g, counts[g], uniforms[g]) for g in left}
        known = [end[1] for end in ends.values() if end is not None]
        left = [g for g in left if (end := ends[g]) is None or not known or end[0] <= min(known)]
        if len(left) > 1:
            for g in left:
                uniforms[g].grow()
    return int(left[0])


def checked_counts(exponents: Exponents, counts: Sequence[int]) -> int:
    """m = Σ c_g, or `InvalidParameter`: one whole number ≥ 1 per group, and m < 2^700."""
    if len(counts) != exponents.size or any(type(c) is not int or c < 1 for c in counts):
        raise InvalidParameter("counts must be one whole number of at least 1 for each group")
    total = sum(counts)
    if total.bit_length() > MOST_BITS:
        raise InvalidParameter(f"there must be fewer than 2^{MOST_BITS} candidates")
    return total


def _enclosures(
    exponents: Exponents, counts: NDArray[np.float64], words: NDArray[np.uint64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64 low ≤ y_g ≤ high for all U_g that begin with these 64 bits."""
    p = exponents.proposal
    slack = _SLACK + exponents.error * 1.001 * np.maximum(p, 1.0)
    known = p <= _CAP
    with np.errstate(divide="ignore", invalid="ignore"):
        # U = 0 gives −∞; the top end of the last word is U = 1, which gives the exponent itself.
        below = _log_complement_root(words, counts)
        above = np.where(words == np.uint64(2**64 - 1), 0.0, _log_complement_root(words + np.uint64(1), counts))
        low = np.where(known, p + below - slack, 511.0 + below - slack)
        high = np.where(known, p + above + slack, _INF)
    out = p == _INF
    low[out], high[out] = _INF, _INF
    return low, high


def _log_complement_root(words: NDArray[np.uint64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 − (1 − U)^(1/c)) at U = words/2^64."""
    scale = 2.0**-64
    # 2^64 − word wraps to 0 only at word = 0, where the other branch is taken.
    complement = (~words + np.uint64(1)).astype(np.float64) * scale
    minus_log = np.where(words <= np.uint64(2**63), -np.log1p(-(words.astype(np.float64) * scale)), -np.log(complement))
    root: NDArray[np.float64] = np.log(-np.expm1(-minus_log / counts))
    return root


def _ball_ends(exponents: Exponents, group: int, count: int, uniform: LazyUniform) -> tuple[Fraction, Fraction] | None:
    """Rational ends of y_g for what is known of U_g; None while they are not finite."""
    z = exponents.exact(group)
    if z is None:
        raise InvalidParameter("an excluded candidate must have the proposal inf")
    u = Real.interval(uniform.position, uniform.length)
    y = z + (-(((-u).log1p() / count).expm1())).log()
    return y.ends(uniform.length + _WORD)
