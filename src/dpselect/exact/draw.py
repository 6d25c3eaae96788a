"""Exact draws from m weights e^(-z_r), with work that depends on m and not on the weights.

    Gibbs law:          P(r) = e^(-z_r) / Σ_s e^(-z_s)
    permute-and-flip:   S = {r : coin(e^(-z_r))},   a uniform member of S

Floating point only proposes; an exact coin decides, so both laws hold exactly for every real z. No
candidate's probability is rounded to 0.

Source: theory section 10; permute-and-flip: McKenna & Sheldon 2020.
"""

import math
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource, LazyUniform, coin
from dpselect.exact.exponents import Exponents
from dpselect.exact.reals import Real

CAP: Final = 64.0
"""Proposals are clamped here before exp: subnormal results would make it slow, hence show the gaps."""

_CHUNK: Final = 2**15
"""Candidates per pass over the scratch arrays; three of them fit into a core's cache."""

_PREFIX: Final = 16
"""Bits drawn for every coin of permute-and-flip."""

_LONGER: Final = 48
"""Bits known of those coins that the first did not decide, before they are decided exactly."""


def gibbs(exponents: Exponents, source: BitSource) -> int:
    """An index i with probability exactly e^(-z_i) / Σ_r e^(-z_r).

    Arguments: exponents with least z at most 2^-30 (any finite set of exponents is exact; one whose least z
    is large is only slow). Errors: `InvalidParameter` if every candidate is excluded.

    Method. σ is the public shift 61 − bits of (m − 1), so m·2^σ ≤ 2^61. Draw i with probability W_i / ΣW
    for the integer over-weights

        W_r = ⌊2^σ (1 + slack) fl(exp(−min(p_r, 64)))⌋ + 1,   slack = 64 · error ≥ 2^-38,

    p_r the proposal (W_r = 0 if p_r = ∞), and keep it with the exact coin 2^σ w_i / W_i, else draw again. A
    kept i has probability ∝ w_i. This needs 2^σ w_r ≤ W_r for every r that is not excluded:

    - z_r ≥ σ log 2: 2^σ w_r ≤ 1 ≤ W_r.
    - z_r < σ log 2 ≤ 60 log 2 < 41.6 (m ≥ 2): |p_r − z_r| ≤ 41.6·error ≤ 2^-10.6, so p_r < 64 is not
      clamped and e^(-p_r) ≥ e^(-z_r) (1 − 41.6·error). The computed exp is within 2^-47 relative (32 units
      in the last place; NumPy's is within 4), the product within 2^-52, and 2^-47 = error/8 at most. So the
      float is at least 2^σ w_r (1 + 64e)(1 − 41.6e)(1 − e/8)(1 − e/256) ≥ 2^σ w_r, e = error ≤ 2^-16, and
      ⌊·⌋ + 1 exceeds it.

    ΣW ≤ m(2^σ(1 + 2·slack) + 1) < 2^63: int64 sums are exact. An index is found by the sums of chunks and
    then inside one chunk whose weights are computed again; the law only needs the second pass to have the
    same sum.

    A draw is rejected with probability at most 2·slack + m/2^σ (2^-21 at m = 10^6): the only work that
    depends on the exponents. Cost: one pass of exp; memory of a few chunks; m = 1 costs nothing.

    >>> from dpselect.exact.bits import SeededBits
    >>> gibbs(Exponents(np.array([0.0, 900.0]), lambda i: Fraction(900 * i)), SeededBits(1))
    0
    """
    proposal = exponents.proposal
    m = proposal.size
    if m == 1:
        return 0
    shift = 61 - (m - 1).bit_length()
    factor = 2.0**shift * (1 + 64 * exponents.error)
    scratch = np.empty(min(m, _CHUNK))
    weights = np.empty(min(m, _CHUNK), dtype=np.int64)
    ends = list(
        accumulate(
            int(_over_weights(proposal[start : start + _CHUNK], factor, scratch, weights).sum())
            for start in range(0, m, _CHUNK)
        )
    )
    if ends[-1] == 0:
        raise InvalidParameter("every candidate is excluded")
    while True:
        position = source.below(ends[-1])
        chunk = bisect_right(ends, position)
        begin = ends[chunk - 1] if chunk else 0
        if m > _CHUNK:
            start = chunk * _CHUNK
            cumulative = _over_weights(proposal[start : start + _CHUNK], factor, scratch, weights).cumsum()
            if int(cumulative[-1]) != ends[chunk] - begin:
                raise RuntimeError("the same computation gave two results")
        else:
            start = 0
            cumulative = weights[:m].cumsum()
        within = int(cumulative.searchsorted(position - begin, side="right"))
        if coin(acceptance(exponents, start + within, int(weights[within]), shift), source):
            return start + within


def acceptance(exponents: Exponents, index: int, weight: int, shift: int) -> Fraction | Real:
    """The probability 2^σ e^(-z) / W with which the proposed candidate is kept.

    >>> acceptance(Exponents(np.zeros(2), lambda i: Fraction(0)), 1, 2**10 + 1, 10)
    Fraction(1024, 1025)
    """
    z = exponents.exact(index)
    if z is None:
        raise InvalidParameter("an excluded candidate must have the proposal inf")
    if isinstance(z, Fraction) and z == 0:
        return Fraction(1 << shift, weight)
    return (-Real.of(z)).exp() * Fraction(1 << shift, weight)


def _over_weights(
    proposal: NDArray[np.float64], factor: float, scratch: NDArray[np.float64], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """W of one chunk, written into `weights`."""
    n = proposal.size
    w, out = scratch[:n], weights[:n]
    np.minimum(proposal, CAP, out=w)
    np.negative(w, out=w)
    np.exp(w, out=w)
    np.multiply(w, factor, out=w)
    np.copyto(out, w, casting="unsafe")
    # + 1, and 0 for the excluded: there the clamped float is below 1, so its floor is 0.
    np.add(out, proposal < np.inf, out=out)
    return out


def permute_and_flip(exponents: Exponents, source: BitSource) -> int:
    """An index drawn by permute-and-flip: visit in random order, return r with probability e^(-z_r).

    Law: P(r) = w_r ∫_0^1 Π_{s≠r} (1 − w_s + w_s u) du, w = e^(-z). The order is independent of the coins, so
    all coins may be tossed first: S is the set of those that fell on heads, and the first member of S in a
    uniform order is a uniform member of S.

    Arguments: exponents of which at least one is exactly 0, so that S is never empty (`InvalidParameter` if
    it is).

    Method. Each coin is [U_r < w_r]. Let f_r = fl(exp(−min(p_r, 64))), p_r the proposal. For k ≤ 48 bits and
    t = ⌊2^k f_r⌋, |t − 2^k w_r| ≤ a = 1 + ⌈2^(k+2) · error⌉: the floor costs less than 1; for z_r ≤ 41.6 a
    proposal off by d ≤ error · max(1, z_r) ≤ 2^-10 moves w_r by at most w_r d (1 + d) ≤ error (1 + 2^-10), as
    max(1, x) e^(-x) ≤ 1, and the float exp by at most 2^-47 ≤ error/8; for larger z_r both are below
    2^-59.9, which is less than error. With u the first k bits of U_r,

        u + 1 ≤ t − a: certainly heads;   u ≥ t + a: certainly tails.

    First k = 16 for every coin. With t moved into [a, 2^16 − a] (both statements stay true) exactly 2a of the
    2^16 values of u leave a coin open: the same number for every weight. The open coins (61 of 10^6) get 32
    more bits of the same U_r and are compared once more. What is still open (one coin in 10^12) is refined
    until it is decided exactly. So a weight far below 2^-48 falls on heads improbably, never impossibly.

    Cost: one pass of exp, 2 m random bytes, m bytes of memory. The number of coins decided exactly and the
    listing of one chunk's heads are the only work that depends on the exponents.

    >>> from dpselect.exact.bits import SeededBits
    >>> z = Exponents(np.array([900.0, 0.0]), lambda i: Fraction(900 - 900 * i))
    >>> permute_and_flip(z, SeededBits(1))
    1
    """
    proposal = exponents.proposal
    m = proposal.size
    if m == 1:
        return 0
    allowance = _allowance(_PREFIX, exponents.error)
    scratch = np.empty(min(m, _CHUNK))
    heads = np.empty(m, dtype=np.bool_)
    open_coins: list[NDArray[np.int64]] = []
    prefixes: list[NDArray[np.uint16]] = []
    for start in range(0, m, _CHUNK):
        part = proposal[start : start + _CHUNK]
        n = part.size
        w, won = scratch[:n], heads[start : start + n]
        prefix = source.words((n + 3) // 4).view(np.uint16)[:n]
        np.minimum(part, CAP, out=w)
        np.negative(w, out=w)
        np.exp(w, out=w)
        np.multiply(w, 2.0**_PREFIX, out=w)
        np.floor(w, out=w)
        np.maximum(w, allowance, out=w)
        np.minimum(w, 2.0**_PREFIX - allowance, out=w)
        # t − u: above a is heads, up to −a is tails.
        np.subtract(w, prefix, out=w)
        np.greater(w, allowance, out=won)
        unsure = np.flatnonzero(np.greater(w, -allowance) ^ won)
        if unsure.size:
            open_coins.append(unsure + start)
            prefixes.append(prefix[unsure])
    if open_coins:
        _continue_coins(exponents, np.concatenate(open_coins), np.concatenate(prefixes), heads, source)
    ends = list(accumulate(np.count_nonzero(heads[start : start + _CHUNK]) for start in range(0, m, _CHUNK)))
    if ends[-1] == 0:
        raise InvalidParameter("permute-and-flip needs a candidate with exponent 0")
    position = source.below(int(ends[-1]))
    chunk = bisect_right(ends, position)
    members = np.flatnonzero(heads[chunk * _CHUNK : (chunk + 1) * _CHUNK])
    return chunk * _CHUNK + int(members[position - (ends[chunk - 1] if chunk else 0)])


def _allowance(bits: int, error: float) -> int:
    """a in the proof of `permute_and_flip`."""
    return 1 + math.ceil(2.0 ** (bits + 2) * error)


def _continue_coins(
    exponents: Exponents,
    indices: NDArray[np.int64],
    prefixes: NDArray[np.uint16],
    heads: NDArray[np.bool_],
    source: BitSource,
) -> None:
    """Decide the coins that their first 16 bits left open: by 32 more bits, or else exactly."""
    n = indices.size
    more = source.words((n + 1) // 2).view(np.uint32)[:n]
    known = (prefixes.astype(np.int64) << (_LONGER - _PREFIX)) | more
    proposal = exponents.proposal[indices]
    t = np.floor(np.exp(-np.minimum(proposal, CAP)) * 2.0**_LONGER).astype(np.int64)
    allowance = _allowance(_LONGER, exponents.error)
    included = proposal < np.inf
    heads[indices] = (t - known > allowance) & included
    for j in np.flatnonzero((np.abs(t - known) <= allowance) & included).tolist():
        i = int(indices[j])
        heads[i] = _toss(exponents, i, int(known[j]), source)


def _toss(exponents: Exponents, index: int, prefix: int, source: BitSource) -> bool:
    """[U < e^(-z)] for the U whose first 48 bits are `prefix`."""
    z = exponents.exact(index)
    if z is None:
        raise InvalidParameter("an excluded candidate must have the proposal inf")
    return LazyUniform(source, prefix, _LONGER).below((-Real.of(z)).exp())
