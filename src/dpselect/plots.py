"""Pictures of what methods do. They need matplotlib (the extra `plots`) and return a `matplotlib.figure.Figure`.

    ds.plots.regret([ds.compare(problem, reference, epsilon=e) for e in (0.1, 1, 10)]).savefig("regret.svg")

Sized for a column of text. Every method has its own colour, dash and marker, the same in all pictures; the colours can
be told apart by the colour-blind, and in print by the dashes. Pictures of private data are for the curator only.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, final

import numpy as np

from dpselect.errors import InvalidParameter, MissingExtra
from dpselect.exact.numbers import nonnegative, positive, whole
from dpselect.methods.options import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpselect.comparison import Comparison
    from dpselect.methods.law import Law
    from dpselect.selection import Diagnosis
    from dpselect.source_tables import RandomGraphRow
    from dpselect.verification import Verification

Theme = Literal["light", "dark"]
THEMES: Final = ("light", "dark")

WIDTH: Final = 4.2
"""Inches: one column of text."""


@final
@dataclass(frozen=True)
class _Look:
    """The colours of a theme; `cycle` starts from Okabe and Ito's palette, spread for all kinds of eyes."""

    ground: str
    ink: str
    soft: str
    cycle: tuple[str, ...]


_LOOKS: Final = {
    "light": _Look(
        "#ffffff", "#1b1d22", "#c8ccd4",
        ("#095e98", "#a43303", "#05984d", "#a46084", "#247dff", "#c87302", "#1b1d22", "#4d2cab"),
    ),
    "dark": _Look(
        "#14161b", "#e7e9ee", "#4a5160",
        ("#5a83c3", "#d48e5c", "#4dffaa", "#ee6692", "#9bccff", "#f5d651", "#e7e9ee", "#9870ff"),
    ),
}  # fmt: skip

_DASHES: Final = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (4, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2, 2, 2)))
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_PLACES: Final = {
    "inverse-sensitivity": 0,
    "global-scale": 1,
    "private-bound": 2,
    "direct-smooth": 3,
    "ladder": 4,
    "private-smooth": 5,
    "certificate-search": 6,
    "log-transform": 7,
    "released-counts": 2,
    "supported-flips": 7,
    "common-factor": 3,
    "generalized-exponential": 5,
    "fixed-scale-test": 6,
}
"""The place of each method in colours, dashes and markers; methods that never meet in a picture share one."""


def regret(comparisons: Sequence[Comparison], theme: Theme = "light") -> Figure:
    """Exact expected regret against ε, one line per method, on the reference of the comparisons.

    Arguments: comparisons: of one problem and reference, at two or more different ε.
    The picture ends at a millionth of the largest gap; a line that leaves it at the bottom is below.
    """
    if len({c.epsilon for c in comparisons}) < 2:
        raise InvalidParameter("comparisons must be at two or more different epsilons")
    ordered = sorted(comparisons, key=lambda c: c.epsilon)
    largest = max(max(c.largest_gaps) for c in ordered) or 1.0
    figure, axes, look = _canvas(theme, "ε", "expected regret")
    for name in _in_all(ordered):
        x, y = zip(*((float(c.epsilon), max(c[name].expected_regret, largest * 1e-30)) for c in ordered), strict=True)
        _line(axes, look, name, x, y)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=largest * 1e-6)
    _plain_ticks(axes, [float(c.epsilon) for c in ordered])
    return _done(figure, axes, look, ordered[0].problem)


def law(laws: Mapping[str, Law], theme: Theme = "light") -> Figure:
    """How far behind the best the answer is: Pr[gap ≤ t] against t, one line per law.

    Arguments: laws: label -> `ds.law(problem, reference, …)`; a label that is the name of a method has its colour.
    On private data this picture is for the curator only.
    """
    _some(laws, "laws")
    figure, axes, look = _canvas(theme, "gap to the best score, t", "Pr[gap ≤ t]")
    most = max(float(each.evaluation.scores.gaps().proposal.max()) for each in laws.values()) or 1.0
    smallest = min(_smallest_gap(each) for each in laws.values())
    for i, (label, each) in enumerate(laws.items()):
        gaps = each.evaluation.scores.gaps().proposal
        order = np.argsort(gaps, kind="stable")
        reached = np.cumsum(each.probabilities[order])
        # One point per distinct gap: the last of its run.
        last = np.append(np.flatnonzero(np.diff(gaps[order])), len(order) - 1)
        x, y = gaps[order][last], reached[last]
        colour, dash, _ = _style(look, label, i)
        axes.step(np.append(x, most), np.append(y, y[-1]), where="post", color=colour, linestyle=dash, label=label)
    axes.set_xscale("symlog", linthresh=smallest, linscale=1)
    axes.set_xlim(left=0, right=most)
    axes.set_ylim(0, 1.02)
    return _done(figure, axes, look, "law of the answer")


def profile(
    diagnosis: Diagnosis, *, smoothness: Any, scale: Any = None, steps: int = 60, theme: Theme = "light"
) -> Figure:
    """The admissible profile A_x(t), the smooth bound that covers it, and a certificate. **Curator only.**

    Arguments:
        smoothness: β; drawn is S_β e^{βt}, which touches the profile where S_β is attained.
        scale: b; drawn is φ_b = min{t : A_x(t) > b}, how many steps the dataset is away from being unsafe at b.
            Default: 1.5 times the local bound.
        steps: t goes from 0 to this.
    """
    beta = nonnegative(smoothness, "smoothness")
    most = whole(steps, "steps", least=1)
    admissible = diagnosis.profile
    b = admissible.local_bound * 3 / 2 if scale is None else positive(scale, "scale")
    figure, axes, look = _canvas(theme, "steps to another dataset, t", "change of a score")
    t = np.arange(most + 1)
    values = np.array([float(admissible(int(i))) for i in t])
    bound = float(admissible.smooth_bound(beta))
    axes.step(t, values, where="post", color=look.cycle[0], label="profile A(t)")
    fine = np.linspace(0, most, 200)
    axes.plot(fine, bound * np.exp(float(beta) * fine), color=look.cycle[1], linestyle="--",
              label=f"S e^βt, S = {bound:,.4g}, β = {float(beta):.3g}")  # fmt: skip
    axes.axhline(float(b), color=look.cycle[2], linestyle=":", label=f"scale b = {float(b):,.4g}")
    away = admissible.certificate(b)
    if away is not None and away <= most:
        axes.plot([away], [float(admissible(away))], "D", color=look.cycle[3], label=f"certificate: {away} steps")
    axes.set_ylim(0, max(float(values[-1]), float(b), bound) * 1.15)
    axes.set_xlim(0, most)
    return _done(figure, axes, look, "for the curator only")


def privacy_curve(verifications: Mapping[str, Verification], epsilons: Sequence[Any], theme: Theme = "light") -> Figure:
    """δ(ε) on a world, exact, with the claim of each: what is verified is below and left of its claim.

    Arguments: verifications: label -> `ds.verify(world, …)`; epsilons: where to compute δ.
    The picture ends at a thousandth of the smallest δ > 0 that is claimed (or 1e-6): below is 0, or nearly.
    """
    _some(verifications, "verifications")
    figure, axes, look = _canvas(theme, "ε", "δ(ε)")
    lowest = min([1e-3, *(float(r.delta_claimed) for r in verifications.values() if r.delta_claimed)]) / 1000
    for i, (label, report) in enumerate(verifications.items()):
        x, y = zip(*((float(e), max(d, lowest / 1000)) for e, d in report.curve(epsilons)), strict=True)
        colour, dash, marker = _style(look, label, i)
        axes.plot(x, y, color=colour, linestyle=dash, label=label)
        claim = max(float(report.delta_claimed), lowest)
        axes.plot(
            [float(report.epsilon)],
            [claim],
            marker,
            color=colour,
            markersize=7,
            clip_on=False,
            label=f"claim of {label}",
        )
    axes.set_yscale("log")
    axes.set_ylim(lowest, 1.5)
    return _done(figure, axes, look, "privacy curve")


def random_graphs(rows: Sequence[RandomGraphRow], theme: Theme = "light") -> Figure:
    """Table 3 over n: regret bound and expected regret at the worst case and ours, on random graphs.

    Arguments: rows: of `source_tables.table_3`, two or more sizes.
    """
    if len(rows) < 2:
        raise InvalidParameter("rows must be of two or more sizes")
    figure, axes, look = _canvas(theme, "vertices n", "triangles")
    n = [row.n for row in rows]
    shown = (
        ("bound at GS", [row.global_bound for row in rows], 1, "--"),
        ("regret at GS", [row.global_regret for row in rows], 1, "-"),
        ("our bound", [row.our_bound for row in rows], 2, "--"),
        ("our regret", [row.our_regret for row in rows], 2, "-"),
        ("flip distances, δ = 0", [row.pure_regret for row in rows], 0, "-"),
    )
    for label, y, place, dash in shown:
        axes.plot(n, y, color=look.cycle[place], linestyle=dash, marker=_MARKERS[place], markersize=4, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_ticks(axes, n)
    return _done(figure, axes, look, f"triangles in G(n, p), average degree {rows[0].degree:g}")


def bound_ratios(rows: Sequence[RandomGraphRow], theme: Theme = "light") -> Figure:
    """Our regret bound over that of the worst case, on random graphs, over n: one line per motif.

    Arguments: rows: of `source_tables.table_3` with one or more motifs, two or more sizes of each.
    """
    motifs = list(dict.fromkeys(row.motif for row in rows))
    if not motifs or min(sum(row.motif == motif for row in rows) for motif in motifs) < 2:
        raise InvalidParameter("rows must be of two or more sizes")
    figure, axes, look = _canvas(theme, "vertices n", "our bound / bound at GS")
    for place, motif in enumerate(motifs):
        n, ratio = zip(*((row.n, row.bound_ratio) for row in rows if row.motif == motif), strict=True)
        colour, dash, marker = look.cycle[place % len(look.cycle)], _DASHES[place % 8], _MARKERS[place % 8]
        axes.plot(n, ratio, color=colour, linestyle=dash, marker=marker, markersize=4, label=motif)
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_ticks(axes, sorted({row.n for row in rows}))
    return _done(figure, axes, look, f"top vertex of G(n, p), average degree {rows[0].degree:g}")


# -------------------------------------------------------------------- what all pictures share


def _canvas(theme: str, horizontal: str, vertical: str) -> tuple[Figure, Axes, _Look]:
    look = _LOOKS[one_of(theme, THEMES, "theme")]
    try:
        # Not pyplot: no window, no global state.
        made = importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'dpselect[plots]'") from None
    figure: Figure = made(figsize=(WIDTH, 3.3), dpi=200, facecolor=look.ground, layout="constrained")
    axes = figure.add_subplot(facecolor=look.ground)
    axes.set_xlabel(horizontal, color=look.ink, fontsize=9)
    axes.set_ylabel(vertical, color=look.ink, fontsize=9)
    axes.tick_params(colors=look.ink, labelsize=8, which="both", width=0.6)
    axes.grid(color=look.soft, linewidth=0.5, alpha=0.6)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(look.soft)
    return figure, axes, look


def _done(figure: Figure, axes: Axes, look: _Look, title: str) -> Figure:
    axes.set_title(title, color=look.ink, fontsize=9, loc="left")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=2, fontsize=7.5, labelcolor=look.ink, frameon=False,
        handlelength=3.2,
    )  # fmt: skip
    return figure


def _line(axes: Axes, look: _Look, name: str, x: Sequence[float], y: Sequence[float]) -> None:
    colour, dash, marker = _style(look, name, 0)
    axes.plot(x, y, color=colour, linestyle=dash, marker=marker, markersize=4, label=name)


def _style(look: _Look, label: str, position: int) -> tuple[str, Any, str]:
    place = _PLACES.get(label, position) % len(_MARKERS)
    return look.cycle[place], _DASHES[place], _MARKERS[place]


def _plain_ticks(axes: Axes, values: Sequence[float]) -> None:
    """The values themselves on a logarithmic axis, left out where they would overlap."""
    room = math.log(values[-1] / values[0]) / 7
    kept = [values[0]]
    for value in values[1:]:
        if math.log(value / kept[-1]) >= room:
            kept.append(value)
    axes.set_xticks(kept, [f"{v:,g}" for v in kept])
    axes.minorticks_off()


def _in_all(comparisons: Sequence[Comparison]) -> list[str]:
    names = [row.method.name for row in comparisons[-1].rows]
    everywhere = set(names).intersection(*({row.method.name for row in c.rows} for c in comparisons))
    return sorted(everywhere, key=lambda name: _PLACES.get(name, len(_PLACES)))


def _smallest_gap(each: Law) -> float:
    gaps = each.evaluation.scores.gaps().proposal
    behind = gaps[gaps > 0]
    return float(behind.min()) if len(behind) else 1.0


def _some(given: object, name: str) -> None:
    if not isinstance(given, Mapping) or not given:
        raise InvalidParameter(f"{name} must be a mapping from labels, with at least one entry")
