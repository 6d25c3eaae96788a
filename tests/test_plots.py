"""Pictures show the numbers they are given, in both themes, and colours that can be told apart."""

import importlib
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import dpselect as ds
from dpselect import plots, source_tables

pytest.importorskip("matplotlib")

PROBLEM = ds.graph.TopVertex("triangle")
GRAPH = ds.graph.GnpGraph(50, 0.4).graph(50)
EPSILONS = ("1/2", "1", "4")


@pytest.fixture(scope="module")
def compared():
    return [ds.compare(PROBLEM, GRAPH, epsilon=e, delta="1e-6") for e in EPSILONS]


def lines(figure):
    return {line.get_label(): line for line in figure.axes[0].get_lines()}


def test_regret(compared):
    drawn = lines(plots.regret(compared[::-1]))
    assert set(drawn) == {row.method.name for row in compared[0].rows}
    for name, line in drawn.items():
        assert line.get_xdata() == pytest.approx([0.5, 1, 4])
        assert line.get_ydata() == pytest.approx([c[name].expected_regret for c in compared])
    with pytest.raises(ds.InvalidParameter, match="two or more"):
        plots.regret(compared[:1])


def test_law():
    laws = {m: ds.law(PROBLEM, GRAPH, epsilon=1, delta="1e-6", method=m) for m in ("ladder", "private-bound")}
    for name, line in lines(plots.law(laws)).items():
        gaps = laws[name].evaluation.scores.gaps().proposal
        for t in (0, np.median(gaps), gaps.max()):
            shown = np.array(line.get_ydata())[np.array(line.get_xdata()) <= t][-1]
            assert shown == pytest.approx(laws[name].probabilities[gaps <= t].sum(), abs=1e-9)
    with pytest.raises(ds.InvalidParameter, match="mapping"):
        plots.law({})


def test_profile():
    facts = ds.diagnose(PROBLEM, GRAPH)
    figure = plots.profile(facts, smoothness="1/10", scale=30, steps=40)
    drawn = lines(figure)
    assert list(drawn["profile A(t)"].get_ydata()) == [facts.profile(t) for t in range(41)]
    (smooth,) = (line for label, line in drawn.items() if label.startswith("S e"))
    t, y = np.array(smooth.get_xdata()), np.array(smooth.get_ydata())
    # It covers the profile, and touches it: that is what S_β is.
    ratio = [value / float(facts.profile(int(s))) for s, value in zip(t, y, strict=True) if s == int(s)]
    assert min(ratio) >= 1 - 1e-12
    away = facts.profile.certificate(30)
    assert f"certificate: {away} steps" in drawn
    assert facts.profile(away) > 30 >= facts.profile(away - 1)


def test_privacy_curve():
    world = ds.worlds.all_graphs(PROBLEM, 4)
    report = ds.verify(world, epsilon=1, method="ladder")
    drawn = lines(plots.privacy_curve({"ladder": report}, ["1/10", "1/4"]))
    assert drawn["ladder"].get_ydata() == pytest.approx([d for _, d in report.curve(["1/10", "1/4"])])
    assert drawn["claim of ladder"].get_xdata() == pytest.approx([1])


def test_random_graphs():
    rows = source_tables.table_3((200, 400), degree=20)
    drawn = lines(plots.random_graphs(rows))
    assert drawn["our regret"].get_ydata() == pytest.approx([r.our_regret for r in rows])
    assert drawn["bound at GS"].get_ydata() == pytest.approx([r.global_bound for r in rows])
    with pytest.raises(ds.InvalidParameter, match="two or more"):
        plots.random_graphs(rows[:1])


def test_bound_ratios():
    rows = source_tables.table_3((200, 400), degree=20, motifs=("triangle", "2-star"))
    drawn = lines(plots.bound_ratios(rows))
    assert set(drawn) == {"triangle", "2-star"}
    for motif, line in drawn.items():
        assert line.get_ydata() == pytest.approx([r.our_bound / r.global_bound for r in rows if r.motif == motif])
    with pytest.raises(ds.InvalidParameter, match="two or more"):
        plots.bound_ratios([rows[0], *rows[2:]])


@pytest.mark.parametrize("theme", plots.THEMES)
def test_it_can_be_saved_in_both_themes(compared, theme, tmp_path):
    figure = plots.regret(compared, theme)
    figure.savefig(tmp_path / "picture.png")
    assert figure.get_figwidth() == plots.WIDTH
    assert figure.axes[0].get_xlabel()
    assert figure.axes[0].get_ylabel()


def test_unknown_theme(compared):
    with pytest.raises(ds.InvalidParameter, match="theme must be one of 'light', 'dark'"):
        plots.regret(compared, "sepia")


def test_without_matplotlib(compared, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(plots, "importlib", SimpleNamespace(import_module=missing))
    with pytest.raises(ds.MissingExtra, match=r"dpselect\[plots\]"):
        plots.regret(compared)
    assert importlib.import_module("dpselect.plots") is plots


# Machado, Oliveira and Fernandes (2009), severity 1: protanopia, deuteranopia, tritanopia; linear RGB.
BLIND = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(colour, matrix):
    """CIE L*a*b* of a colour as somebody sees it."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.clip(np.array(matrix) @ np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4), 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", plots.THEMES)
@pytest.mark.parametrize("eyes", BLIND)
def test_lines_can_be_told_apart(theme, eyes):
    """Two lines differ in dash and marker always, and in colour by ΔE ≥ 20 for every kind of eyes."""
    look = plots._LOOKS[theme]
    assert len(set(map(str, plots._DASHES))) == len(set(plots._MARKERS)) == len(look.cycle)
    seen = [lab(c, BLIND[eyes]) for c in look.cycle]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 20
    assert min(abs(s[0] - lab(look.ground, np.eye(3))[0]) for s in seen) >= 30
