"""The card says what the release says, to people and to programs, whatever the names of the candidates are."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

import dpselect as ds
from dpselect.card import page

HOSTILE = (
    '</script><script>document.title="broken"</script><img src=x onerror=alert(1)>"\'&lt;\u202egnp\x1b[2J\u2028<!--'
)


def released(name="b", **more):
    return ds.select({name: 1000, "other": 1}, **{"epsilon": "1/3", "sensitivity": 1, **more})


class Reader(HTMLParser):
    """Tags with their attributes, and the text outside of style and script."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.inside, self.shown, self.data = [], [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta",):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        if self.inside and self.inside[-1] == "script":
            self.data += data
        elif self.inside and self.inside[-1] != "style":
            self.shown.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.shown).split())


def test_the_card_says_what_the_release_says():
    graph = ds.graph.GnpGraph(40, 0.4).graph(40)
    release = ds.select(ds.graph.TopVertex(), graph, epsilon=1, delta="1e-6", method="private-bound")
    card = Reader(release.to_html("1/10"))
    for said in (
        "Top vertex by triangle count",
        str(release.candidate),
        "1 edge added or removed",
        "ε = 1, δ = 1e-6",
        "at most e ε = 2.72, plus at most 1e-6",
        "With probability at least 90 %",
        "The vertex set is public",
        release.theorem,
        f"dpselect {ds.__version__}",
    ):
        assert said in card.text, said
    assert json.loads(card.data) == json.loads(release.to_json("1/10"))


def test_numbers_are_on_the_safe_side():
    """e^{1/3} = 1.39561…: shown 1.4; one wrong in 100 is 1.39561… right, shown 1.4."""
    card = Reader(released().to_html())
    assert "factor of at most e ε = 1.4." in card.text
    assert "rightly in at most 1.4 of 100" in card.text
    assert "0.333333 (exactly 1/3)" in card.text


def test_hostile_names_stay_text():
    release = released(HOSTILE)
    assert release.candidate == HOSTILE
    text = release.to_html()
    plain = Reader(released().to_html())
    card = Reader(text)
    assert card.tags == plain.tags
    assert [name for name, _ in card.attributes] == [name for name, _ in plain.attributes]
    assert json.loads(card.data)["candidate"] == HOSTILE
    assert not card.inside
    for character in ("\u202e", "\x1b", "\u2028"):
        assert character not in text
    assert text.count("<script") == 1
    # Where a browser would end the script element, or enter the state in which "<!--" hides its end.
    body = text[text.index('id="release">') :]
    assert body.index("</script>") > body.index(str(release.version))
    assert "<!--" not in body


def test_nothing_is_requested():
    text = released(HOSTILE).to_html()
    assert not re.search(r"https?:|//|@import|url\(", text.replace(HOSTILE, ""))
    assert {name for name, _ in Reader(text).attributes}.isdisjoint({"src", "href", "srcset", "action", "data"})
    assert "default-src 'none'" in text


def test_both_colour_schemes_and_small_screens():
    text = released().to_html()
    assert "prefers-color-scheme:dark" in text
    assert "width=device-width" in text
    names = set(re.findall(r"var\((--[a-z]+)\)", text))
    light, dark = (set(re.findall(r"(--[a-z]+):", block)) for block in re.findall(r":root\{(.*?)\}", text, re.DOTALL))
    assert names <= light == dark


def contrast(one, two):
    """The contrast ratio of WCAG 2."""

    def luminance(colour):
        colour = colour if len(colour) == 6 else "".join(c * 2 for c in colour)
        channels = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, faint = sorted((luminance(one), luminance(two)), reverse=True)
    return (bright + 0.05) / (faint + 0.05)


def test_text_can_be_read():
    for block in re.findall(r":root\{(.*?)\}", released().to_html(), re.DOTALL):
        colour = dict(re.findall(r"--([a-z]+):#([0-9a-f]+)", block))
        for ink in ("ink", "soft", "mark"):
            assert min(contrast(colour[ink], colour[g]) for g in ("ground", "panel")) >= 4.5


def test_seeded_releases_get_no_card():
    with pytest.raises(ds.InvalidParameter, match="seeded release is not private"):
        released(seed=1).to_html()
    with pytest.raises(ds.InvalidParameter, match="seeded release is not private"):
        page([released(), released(seed=1)], Fraction(1, 20))


def test_nothing_released():
    graph = ds.graph.GnpGraph(40, 0.4).graph(40)
    method = ds.FixedScaleTest("1/2")
    release = ds.select(ds.graph.TopVertex(), graph, epsilon=1, delta="1e-9", method=method)
    assert release.status == "not-released"
    assert "The test of the scale did not pass" in Reader(release.to_html()).text


def test_free_and_weak_releases():
    assert "Nothing was spent" in Reader(released(sensitivity=0).to_html()).text
    assert "weak promise" in Reader(released(epsilon=30).to_html()).text


def test_several_releases_add_up():
    card = Reader(page([released(), replace(released(), candidates=("b", "other"))], Fraction(1, 20)))
    assert "2 private releases" in card.text
    assert "cost ε = 2/3, δ = 0 in total" in card.text
    assert len(json.loads(card.data)) == 2


@pytest.mark.slow
def test_in_a_browser(tmp_path):
    """The title is ours and no image exists: the hostile name was text to a real parser, too."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no browser")
    (tmp_path / "card.html").write_text(released(HOSTILE).to_html(), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", "--dump-dom"]
    done = subprocess.run(
        [browser, *flags, (tmp_path / "card.html").as_uri()], capture_output=True, text=True, timeout=120
    )
    assert "<title>Private release · dpselect</title>" in done.stdout
    assert "<img" not in done.stdout
