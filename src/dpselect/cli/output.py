"""What a verb prints: a release in plain words or as JSON, and how it ends."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from dpselect.words import aligned, flips_in_words, guarantee_in_words, printable, regret_in_words, rounded_up

if TYPE_CHECKING:
    from dpselect.release import Release

NOT_RELEASED: Final = 3
VERIFICATION_FAILS: Final = 4

SEEDED: Final = "NOT PRIVATE: the randomness came from --seed. For experiments only; do not publish this output."


def print_releases(
    releases: Sequence[Release], rho: Fraction, *, as_json: bool, spell: Callable[[Any], Any] = str
) -> None:
    """Print a release, or several as a list. `spell` writes a candidate (default: as text)."""
    if any(release.seeded for release in releases):
        print(f"dpselect: {SEEDED}", file=sys.stderr)
    if as_json:
        content = [release_json(release, rho, spell) for release in releases]
        print_json(content[0] if len(content) == 1 else content)
        return
    for i, release in enumerate(releases):
        if i:
            typer.echo()
        print_release(release, rho, spell)


def as_is(candidate: Any) -> Any:
    """A candidate as it is, for JSON."""
    return candidate


def print_json(value: Any) -> None:
    """One JSON document on stdout, in ASCII: it survives every terminal and pipe."""
    print(json.dumps(value, indent=2))


def release_json(release: Release, rho: Fraction, spell: Callable[[Any], Any] = str) -> dict[str, Any]:
    """`Release.to_dict` with its candidates written by `spell`."""
    content = release.to_dict(rho)
    if content.get("candidate") is not None:
        content["candidate"] = spell(content["candidate"])
    content["candidates"] = [spell(c) for c in content["candidates"]]
    return content


def print_release(release: Release, rho: Fraction, spell: Callable[[Any], Any] = str) -> None:
    """A release for people: one labelled paragraph a line."""
    print_paragraphs(paragraphs(release, rho, spell))


def print_text(text: str) -> None:
    """A paragraph, followed by an empty line."""
    for line in _lines(text, _width()):
        typer.echo(line)
    typer.echo()


def print_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Aligned columns, the first two to the left and numbers to the right, followed by an empty line."""
    first, *others = aligned(heading, rows)
    typer.echo(typer.style(first, bold=True))
    for line in others:
        typer.echo(line)
    typer.echo()


@contextmanager
def progress(first: str, steps: int | None) -> Iterator[Callable[[str], None]]:
    """A bar on stderr, for terminals only; the function it gives finishes a step and names the next one.

    `steps`: how many there are, None if that is not known.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=steps)
        yield lambda step: bar.update(task, advance=1, description=step)


def _width() -> int:
    return max(40, min(shutil.get_terminal_size().columns, 100))


def print_paragraphs(rows: Sequence[tuple[str, str]]) -> None:
    """Labels on the left, text wrapped on the right; at most 100 columns, fewer in a narrow terminal."""
    margin = max(len(label) for label, _ in rows) + 2
    for label, text in rows:
        first, *others = _lines(text, _width() - margin)
        typer.echo(typer.style(label.ljust(margin), bold=True) + first)
        for line in others:
            typer.echo(" " * margin + line)


def _lines(text: str, width: int) -> list[str]:
    """The text wrapped; a no-break space keeps its neighbours together and is then a plain one."""
    return [line.replace("\u00a0", " ") for line in textwrap.wrap(printable(text), width)] or [""]


def paragraphs(release: Release, rho: Fraction, spell: Callable[[Any], Any] = str) -> list[tuple[str, str]]:
    """(label, text) for everything that a release says."""
    rows = [("Warning", SEEDED)] if release.seeded else []
    rows.append(("Answer", _answer(release, spell)))
    rows.append(("Guarantee", guarantee_in_words(release)))
    rows.append(
        ("Method", f"{release.method}, {release.sampler}, among {release.m:,} candidate{'s' * (release.m > 1)}")
    )
    if release.scale is not None:
        noun = "Scale" if len(release.scales) == 1 else "Scales"
        shown = ", ".join(rounded_up(b) for b in release.scales)
        rows.append((noun, f"{shown} in units of the score: the answer was drawn with it, and it is public now"))
    regret, flips = release.regret_bound(rho), release.flip_bound(rho)
    if regret is not None:
        rows.append(("Regret", regret_in_words(release, rho, regret)))
    if flips is not None:
        rows.append(("Flips", flips_in_words(release, rho, flips)))
    if regret is None and flips is None and release.status == "released":
        rows.append(("Regret", "This method has no bound that can be published."))
    rows += _list("Assumes", release.assumptions)
    rows += _list("Note", release.notes)
    return rows


def _list(label: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [("" if i else label, text) for i, text in enumerate(texts)]


def _answer(release: Release, spell: Callable[[Any], Any]) -> str:
    if release.status != "released":
        return "nothing was released: the test of the scale did not pass"
    return ", ".join(_written(spell(c)) for c in release.candidates)


def _written(spelled: Any) -> str:
    """A candidate in a sentence; a subset in braces."""
    return "{" + ", ".join(spelled) + "}" if isinstance(spelled, list) else str(spelled)


def refuse(message: str) -> NoReturn:
    """A usage error that no option parser can see."""
    from dpselect.errors import InvalidParameter

    raise InvalidParameter(message)
