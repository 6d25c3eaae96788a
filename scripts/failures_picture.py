"""Draw docs/pictures/failures-light.png and -dark.png: exact numbers of the source's three failures (theory section 3).

    python scripts/failures_picture.py

Needs the extra `plots`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from dpselect import failures

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
# The style of matplotlib, the ground (as in `dpselect.plots`), what is broken, ours: blue and orange, which all kinds
# of eyes tell apart.
LOOKS = {
    "light": ("default", "#ffffff", "#a43303", "#095e98"),
    "dark": ("dark_background", "#14161b", "#d48e5c", "#9bccff"),
}


def draw(theme: str) -> None:
    """Three panels: δ of the naive local scale, δ by the number of candidates, pure ε by the gap."""
    style, ground, broken, ours = LOOKS[theme]
    plt.style.use(style)
    plt.rcParams |= {"figure.facecolor": ground, "axes.facecolor": ground, "savefig.facecolor": ground}
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), constrained_layout=True)

    gaps = (2, 4, 6, 8, 10, 15, 20, 30, 50, 100)
    rows = failures.naive_local_scale(gaps).rows
    axes[0].plot(gaps, [float(row[3]) for row in rows], "o-", color=broken, label="at the local sensitivity")
    axes[0].axhline(1e-6, color=ours, label="private bound: δ = 1e-6")
    axes[0].axhline(0.5, color="grey", linewidth=0.8, linestyle=":")
    axes[0].set(title="Naive local scale", xlabel="gap G", ylabel="exact δ at ε = 1", ylim=(-0.02, 0.55))

    sizes = (3, 10, 30, 100, 300, 1000, 3000, 10_000)
    rows = failures.multiplicity(sizes).rows
    axes[1].semilogx(sizes, [float(row[3]) for row in rows], "o-", color=broken, label="at a smooth bound, β = 1")
    axes[1].axhline(1e-6, color=ours, label="direct smooth: δ = 1e-6")
    axes[1].axhline(1, color="grey", linewidth=0.8, linestyle=":")
    axes[1].set(title="Naive smooth scale", xlabel="candidates m", ylabel="exact δ at ε = 1", ylim=(-0.04, 1.08))

    gaps = (1, 3, 10, 30, 100, 300, 1000)
    rows = failures.constant_widths(gaps).rows
    axes[2].loglog(gaps, [float(row[1]) for row in rows], "o-", color=broken, label="constant widths")
    axes[2].loglog(gaps, [float(row[2]) for row in rows], "s-", color=ours, label="growing widths")
    axes[2].axhline(1, color="grey", linewidth=0.8, linestyle=":", label="claimed ε")
    axes[2].set(title="A smooth bound as a ladder", xlabel="gap", ylabel="least pure ε")

    for axis in axes:
        axis.legend(frameon=False, fontsize=9)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(FOLDER / f"failures-{theme}.png", dpi=150, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    for each in LOOKS:
        draw(each)
