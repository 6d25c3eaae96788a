"""The release card: one self-contained page that explains releases to a data-protection officer.

It is made of releases alone, so it cannot say more than they do. Every text is escaped, control characters are spelled
out: names of candidates are the data's and may be hostile. Nothing is requested from anywhere, and no script runs.
"""

from __future__ import annotations

import html
import json
import platform
from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from dpselect.errors import InvalidParameter
from dpselect.release import Release
from dpselect.words import (
    decimal,
    exp_above,
    flips_in_words,
    printable,
    regret_in_words,
    rounded_up,
    short_number,
)

LIBRARIES: Final = ("numpy", "python-flint")
"""What the draw goes through besides dpselect; their versions are on the card."""


def page(releases: Sequence[Release], rho: Fraction) -> str:
    """The card of one release, or of several that were made together.

    Arguments: rho: the bounds on the card fail with at most this probability.
    Errors: `InvalidParameter` for a seeded release. Cost: none to speak of.
    """
    if any(release.seeded for release in releases):
        raise InvalidParameter("card: a seeded release is not private and gets no card")
    title = "Private release" if len(releases) == 1 else f"{len(releases)} private releases"
    body = "".join(_release(release, rho) for release in releases)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>{title} · dpselect</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<header><p class="kind">Release card</p><h1>{title}</h1></header>
{body}{_together(releases)}<section><h2>Made with</h2>
<p>{_text(_versions(releases[0]))}</p></section>
</main>
{_data(releases, rho)}
</body>
</html>
"""


def _release(release: Release, rho: Fraction) -> str:
    parts = [
        '<article>\n<section class="answer"><h2>Question</h2>\n',
        f"<p>Which of {release.m:,} candidate{'s' * (release.m > 1)} is best? "
        f"{_text(_capital(release.question))}.</p>\n{_answer(release)}</section>\n",
        _section("What is promised", _promise(release)),
        _section("How good the answer is", _quality(release, rho)),
        _listed("What the promise rests on", _assumptions(release)),
        _facts(release),
        "</article>\n",
    ]
    return "".join(parts)


def _answer(release: Release) -> str:
    if release.status != "released":
        return (
            '<p class="name">No answer</p>\n<p>The test of the scale did not pass. That, too, is a private outcome.</p>'
        )
    if len(release.candidates) == 1:
        return f'<p class="name">{_text(str(release.candidate))}</p>'
    return '<ol class="name">' + "".join(f"<li>{_text(str(c))}</li>" for c in release.candidates) + "</ol>"


def _promise(release: Release) -> list[str]:
    unit = _text(release.unit)
    if release.epsilon == 0:
        return [f"Nothing was spent: between two datasets that differ by {unit}, this answer does not change."]
    epsilon, delta = release.epsilon, release.delta
    said = [
        f"Take two datasets that differ by <strong>{unit}</strong>. Which of them the data are changes the probability "
        f"of any output of this release by a factor of at most {_factor(epsilon)}"
        + (f", plus at most {_text(decimal(delta))}." if delta else ".")
    ]
    detected = exp_above(epsilon) + 100 * delta if epsilon <= 20 else Fraction(100)
    if detected < 50:
        said.append(
            "Somebody may know everything else and try to tell from this release which of the two it was. If they say "
            "“the first” wrongly in 1 of 100 cases, they say it rightly in at most "
            f"{rounded_up(detected, 3)} of 100."
        )
    else:
        said.append("ε is large: this alone is a weak promise.")
    said.append(
        f'<span class="formula">ε = {_text(decimal(epsilon))}, δ = {_text(decimal(delta))}</span> '
        "Releases about the same people add up: their ε and δ are to be summed."
    )
    return said


def _factor(epsilon: Fraction) -> str:
    return f"e<sup>ε</sup> = {rounded_up(exp_above(epsilon), 3)}" if epsilon <= 20 else "e<sup>ε</sup>"


def _quality(release: Release, rho: Fraction) -> list[str]:
    if release.status != "released":
        return ["There is no answer to judge."]
    regret, flips = release.regret_bound(rho), release.flip_bound(rho)
    said = []
    if regret is not None:
        said.append(_text(regret_in_words(release, rho, regret)))
    if flips is not None:
        said.append(_text(flips_in_words(release, rho, flips)))
    if not said:
        said.append("This method has no bound that can be published.")
    else:
        said.append("This bound is computed from released numbers only, and may be published.")
    return said


def _assumptions(release: Release) -> list[str]:
    fixed = (
        "the budget, the method, its options and the candidates were fixed without looking at the private data",
        "the randomness of the operating system is unpredictable, and nobody else sees the machine at work",
    )
    return [_text(_capital(a)) + "." for a in (*release.assumptions, *fixed)]


def _facts(release: Release) -> str:
    rows = [
        ("Method", f"{release.method}, {release.sampler}"),
        ("Proof", release.theorem),
        ("Candidates", f"{release.m:,}"),
        ("Unit", release.unit),
        ("ε", _both(release.epsilon)),
        ("ε of the answer", _both(release.epsilon_selection)),
        ("δ", _both(release.delta)),
    ]
    if release.scales:
        rows.append(
            ("Scale" if len(release.scales) == 1 else "Scales", ", ".join(map(rounded_up, release.scales[-3:])))
        )
    rows += [("Note", _capital(note) + ".") for note in release.notes]
    cells = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in rows)
    return f"<section><h2>Details</h2>\n<dl>{cells}</dl></section>\n"


def _both(value: Fraction) -> str:
    """The number, and exactly if that is something else."""
    shown = short_number(value)
    return shown if Fraction(shown) == value or len(str(value)) > 40 else f"{shown} (exactly {value})"


def _together(releases: Sequence[Release]) -> str:
    if len(releases) == 1:
        return ""
    epsilon = sum((r.epsilon for r in releases), Fraction(0))
    delta = sum((r.delta for r in releases), Fraction(0))
    return _section(
        "All together", [f"These releases cost ε = {_text(decimal(epsilon))}, δ = {_text(decimal(delta))} in total."]
    )


def _versions(release: Release) -> str:
    found = [f"dpselect {release.version}", f"Python {platform.python_version()}"]
    for library in LIBRARIES:
        try:
            found.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def _data(releases: Sequence[Release], rho: Fraction) -> str:
    """The JSON of the releases, readable by programs, in a block that no text can end."""
    content = [json.loads(release.to_json(rho)) for release in releases]
    text = json.dumps(content[0] if len(content) == 1 else content, indent=1, ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    shown = html.escape(json.dumps(content[0] if len(content) == 1 else content, indent=2, ensure_ascii=True))
    return (
        f'<details><summary>For programs: this release as JSON</summary><pre tabindex="0">{shown}</pre></details>\n'
        f'<script type="application/json" id="release">{text}</script>'
    )


def _section(title: str, paragraphs: Sequence[str]) -> str:
    """Paragraphs are HTML already."""
    return f"<section><h2>{title}</h2>\n" + "".join(f"<p>{p}</p>\n" for p in paragraphs) + "</section>\n"


def _listed(title: str, items: Sequence[str]) -> str:
    return f"<section><h2>{title}</h2>\n<ul>" + "".join(f"<li>{i}</li>" for i in items) + "</ul></section>\n"


def _text(text: str) -> str:
    return html.escape(printable(text))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_STYLE: Final = """
:root{--ground:#fff;--ink:#1b1d22;--soft:#5b616e;--line:#d9dce3;--panel:#f3f5f9;--mark:#2447a8}
@media (prefers-color-scheme:dark){
:root{--ground:#14161b;--ink:#e7e9ee;--soft:#a3a9b6;--line:#343944;--panel:#1e2128;--mark:#9db8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);overflow-wrap:anywhere;
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,details{max-width:44rem;margin:0 auto;padding:0 1.25rem}
main{padding-top:2rem}
.kind{margin:0;color:var(--soft);text-transform:uppercase;letter-spacing:.08em;font-size:.8rem}
h1{margin:.1rem 0 1.5rem;font-size:1.7rem;line-height:1.2}
h2{margin:0 0 .4rem;font-size:1rem;color:var(--soft);font-weight:600}
section{padding:1.1rem 0;border-top:1px solid var(--line)}
article{margin-bottom:2rem}
.answer{background:var(--panel);border:1px solid var(--line);border-left:4px solid var(--mark);
border-radius:.4rem;padding:1.1rem 1.25rem;margin-bottom:1.2rem}
.answer+section{border-top:0}
p{margin:.3rem 0 .6rem}
.name{font-size:1.6rem;font-weight:700;color:var(--mark);line-height:1.3;margin:.5rem 0 .2rem}
ol.name{padding-left:1.6em}
.formula{font-variant-numeric:tabular-nums;white-space:nowrap;font-weight:600;margin-right:.6em}
ul{margin:0;padding-left:1.2rem}
li{margin:.2rem 0}
dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.35rem 1.2rem;margin:0}
dt{color:var(--soft)}
dd{margin:0;min-width:0}
details{padding-bottom:3rem}
summary{cursor:pointer;color:var(--mark)}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:1rem;overflow-x:auto;
font-size:.8rem;line-height:1.4;white-space:pre-wrap}
@media (max-width:30rem){
dl{grid-template-columns:1fr;gap:0}dt{margin-top:.6rem}.formula{white-space:normal;display:block}}
@media print{.answer{break-inside:avoid}details{display:none}}
"""
