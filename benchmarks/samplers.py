"""Exact draws against an inexact NumPy Gumbel-max, and against OpenDP's noisy max where it is installed.

All start from an int64 array of gaps with temperature 2 (θ = 1/2). OpenDP gets the array of scores; its noise is
Gumbel (the Gibbs law) or exponential (the permute-and-flip law). dpselect draws from the operating system's
generator, as OpenDP does; NumPy's generator is seeded and not fit for privacy.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
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
    """Every contender on every shape, all taking turns."""
    m = 10**6
    gaps = shapes(m)
    contenders = {"gibbs": lambda g: ours(gibbs, g), "pf": lambda g: ours(permute_and_flip, g), "numpy": gumbel_max}
    calls = {f"{who}, {shape}": make(gap) for shape, gap in gaps.items() for who, make in contenders.items()}
    seconds = take_turns(calls, 25)
    peers = take_turns({f"{who}, {s}": call for s, gap in gaps.items() for who, call in opendp(gap).items()}, 7)
    raw["m = 10^6"] = {**seconds, **peers}
    t = medians({**seconds, **peers})
    rows, against = [], []
    for shape in gaps:
        a, b, c = (t[f"{who}, {shape}"] for who in contenders)
        rows.append([shape, f"{a:.1f}", f"{b:.1f}", f"{c:.1f}", f"{a / c:.2f}", f"{b / c:.2f}"])
        if peers:
            d, e = t[f"opendp gumbel, {shape}"], t[f"opendp exponential, {shape}"]
            against.append(
                [shape, f"{a:.1f}", f"{d:,.0f}", f"{d / a:,.0f}×", f"{b:.1f}", f"{e:,.0f}", f"{e / b:,.0f}×"]
            )
    spreads = []
    for who in ("gibbs", "pf"):
        times = [t[f"{who}, {shape}"] for shape in gaps]
        spreads.append(f"{max(times) / min(times):.2f}")
    return (
        Table(
            f"m = 10^6, CPU milliseconds; slowest over fastest gaps: Gibbs {spreads[0]}, permute-and-flip {spreads[1]}",
            ["gaps", "Gibbs", "permute-and-flip", "NumPy Gumbel-max", "Gibbs / NumPy", "p-a-f / NumPy"],
            rows,
        ),
        Table(
            "Against OpenDP's noisy max, m = 10^6, CPU milliseconds",
            ["gaps", "Gibbs", "OpenDP Gumbel", "ratio", "permute-and-flip", "OpenDP exponential", "ratio"],
            against,
        ),
    )


def sizes(raw: dict[str, Any]) -> Table:
    rows = []
    for m, rounds, batch in ((10, 30, 100), (1000, 30, 100), (10**5, 30, 3), (10**7, 3, 1)):
        rng = np.random.default_rng(SEED)
        gap = rng.integers(0, 4, m)
        gap[0] = 0
        exponents = Gaps.of_integers(gap, Fraction(1)).times(THETA)
        calls: dict[str, Callable[[], object]] = {
            "gibbs": ours(gibbs, gap),
            "permute-and-flip": ours(permute_and_flip, gap),
            "gibbs, exponents at hand": partial(gibbs, exponents, SYSTEM),
            "numpy": gumbel_max(gap),
        }
        seconds = take_turns(calls, rounds, batch)
        raw[f"m = {m}"] = seconds
        t = medians(seconds)
        memory = max(peak_bytes(partial(scores_to_draw, sampler, -gap)) for sampler in (gibbs, permute_and_flip))
        raw[f"m = {m}, peak bytes"] = memory
        cells = [t[name] for name in calls]
        arrays = f"{memory / (8 * m):.1f}" if m >= 10**5 else "—"
        rows.append([f"{m:,}", *(f"{x:.3f}" if x < 1 else f"{x:.1f}" for x in cells), arrays])
    return Table(
        "Other sizes, θg below 2, CPU milliseconds; peak memory from scores to draw in float64 arrays of m",
        ["m", "Gibbs", "permute-and-flip", "Gibbs, exponents at hand", "NumPy Gumbel-max", "memory / 8m"],
        rows,
    )


def scores_to_draw(sampler: Callable[..., int], scores: Array) -> int:
    return sampler(Scores.of(scores).gaps().times(THETA), SYSTEM)


def run() -> Report:
    raw: dict[str, Any] = {"seed": SEED, "theta": str(THETA)}
    first, second = million(raw)
    tables = [first, *([second] if second.rows else []), sizes(raw)]
    remarks = (
        "Medians of CPU time; the contenders take turns. Times of dpselect include making the exponents from the int64 "
        "gaps, OpenDP's include no conversion of a list. The samplers of dpselect are exact; NumPy's is not. "
        "OpenDP's time with one clear winner is random: single draws differ by a factor of 20 and more."
    )
    return Report("Samplers", tables, remarks, raw)
