"""Exact draws against an inexact NumPy Gumbel-max, and against OpenDP's noisy max where it is installed.

All start from an int64 array of gaps with temperature 2 (θ = 1/2). OpenDP gets the array of scores; its noise is
Gumbel (the Gibbs law) or exponential (the permute-and-flip law). dpselect draws from the operating system's
generator, as OpenDP does; NumPy's generator is seeded and not fit for privacy.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Report, Table, medians, peak_bytes, take_turns
from dpselect.exact.bits import SystemBits
from dpselect.exact.draw import gibbs, permute_and_flip
from dpselect.exact.scores import Gaps, Scores

SEED = 20250101
THETA = Fraction(1, 2)
SYSTEM = SystemBits()

Array = NDArray[Any]


def shapes(m: int) -> dict[str, Array]:
    """Gap arrays by the exponent θg of the candidates that are not the best."""
    rng = np.random.default_rng(SEED)
    found = {"all tied": np.zeros(m, dtype=np.int64), "θg below 2": rng.integers(0, 4, m)}
    for far in (500, 730, 2000):
        found[f"one winner, θg ≥ {far}"] = 2 * far + rng.integers(0, 4, m)
    for gap in found.values():
        gap[m // 2] = 0
    return found


def ours(sampler: Callable[..., int], gap: Array) -> Callable[[], int]:
    return lambda: sampler(Gaps.of_integers(gap, Fraction(1)).times(THETA), SYSTEM)


def gumbel_max(gap: Array) -> Callable[[], int]:
    rng = np.random.default_rng(SEED)
    return lambda: int(np.argmax(-gap * 0.5 + rng.gumbel(size=gap.size)))


def opendp(gap: Array) -> dict[str, Callable[[], object]]:
    """OpenDP's two laws, or nothing if it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return {}
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    scores = -gap
    found = {}
    measures = (("opendp gumbel", dp.zero_concentrated_divergence()), ("opendp exponential", dp.max_divergence()))
    for name, measure in measures:
        select = dp.m.make_noisy_max(*space, measure, scale=float(1 / THETA))
        found[name] = lambda select=select: select(scores)
    return found


def million(raw: dict[str, Any]) -> tuple[Table, Table]:
    m = 10**6
    rows, peers, gibbs_ms = [], [], []
    for name, gap in shapes(m).items():
        calls = {"gibbs": ours(gibbs, gap), "permute-and-flip": ours(permute_and_flip, gap), "numpy": gumbel_max(gap)}
        seconds = take_turns(calls, 15)
        theirs = opendp(gap)
        slow = take_turns({**calls, **theirs}, 3) if theirs else {}
        raw[f"m = 10^6, {name}"] = {"alone": seconds, "with opendp": slow}
        t = medians(seconds)
        gibbs_ms.append(t["gibbs"])
        rows.append([name, f"{t['gibbs']:.1f}", f"{t['permute-and-flip']:.1f}", f"{t['numpy']:.1f}",
                     f"{t['gibbs'] / t['numpy']:.2f}", f"{t['permute-and-flip'] / t['numpy']:.2f}"])  # fmt: skip
        if slow:
            t = medians(slow)
            a, b = t["opendp gumbel"], t["opendp exponential"]
            peers.append([name, f"{t['gibbs']:.1f}", f"{a:.0f}", f"{a / t['gibbs']:.0f}×",
                          f"{t['permute-and-flip']:.1f}", f"{b:.0f}", f"{b / t['permute-and-flip']:.0f}×"])  # fmt: skip
    spread = max(gibbs_ms) / min(gibbs_ms)
    return (
        Table(
            f"m = 10^6, milliseconds; Gibbs varies by a factor {spread:.2f} over the shapes",
            ["gaps", "Gibbs", "permute-and-flip", "NumPy Gumbel-max", "Gibbs / NumPy", "p-a-f / NumPy"],
            rows,
        ),
        Table(
            "Against OpenDP's noisy max, m = 10^6, milliseconds",
            ["gaps", "Gibbs", "OpenDP Gumbel", "ratio", "permute-and-flip", "OpenDP exponential", "ratio"],
            peers,
        ),
    )


def sizes(raw: dict[str, Any]) -> Table:
    rows = []
    for m, repeats in ((10, 300), (1000, 300), (10**5, 20), (10**7, 3)):
        rng = np.random.default_rng(SEED)
        gap = rng.integers(0, 4, m)
        gap[0] = 0
        exponents = Gaps.of_integers(gap, Fraction(1)).times(THETA)
        calls: dict[str, Callable[[], object]] = {
            "gibbs": ours(gibbs, gap),
            "permute-and-flip": ours(permute_and_flip, gap),
            "gibbs, exponents at hand": lambda exponents=exponents: gibbs(exponents, SYSTEM),
            "numpy": gumbel_max(gap),
        }
        seconds = take_turns(calls, repeats)
        raw[f"m = {m}"] = seconds
        t = medians(seconds)
        memory = max(peak_bytes(lambda s=s, gap=gap: s(Scores.of(-gap).gaps().times(THETA), SYSTEM))
                     for s in (gibbs, permute_and_flip))  # fmt: skip
        raw[f"m = {m}, peak bytes"] = memory
        cells = [t[name] for name in calls]
        rows.append([f"{m:,}", *(f"{x:.3f}" if x < 1 else f"{x:.1f}" for x in cells), f"{memory / (8 * m):.1f}"])
    return Table(
        "Other sizes, θg below 2, milliseconds; peak memory from scores to draw in float64 arrays of m",
        ["m", "Gibbs", "permute-and-flip", "Gibbs, exponents at hand", "NumPy Gumbel-max", "memory / 8m"],
        rows,
    )


def run() -> Report:
    raw: dict[str, Any] = {"seed": SEED, "theta": str(THETA)}
    first, second = million(raw)
    tables = [first, *([second] if second.rows else []), sizes(raw)]
    remarks = (
        "Medians; the contenders take turns, so compare ratios rather than times. Times of dpselect include making "
        "the exponents from the int64 gaps. The two samplers of dpselect are exact; NumPy's is not."
    )
    return Report("Samplers", tables, remarks, raw)
