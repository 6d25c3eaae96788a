"""What a verb prints: a release in plain words or as JSON, and how it ends."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

if TYPE_CHECKING:
    from dpselect.cli.request import Request
    from dpselect.release import Release

NOT_RELEASED: Final = 3
VERIFICATION_FAILS: Final = 4

SEEDED: Final = "NOT PRIVATE: the randomness came from --seed. For experiments only; do not publish this output."


def finish(release: Release, request: Request, *, as_json: bool, spell: Callable[[Any], Any] = str) -> None:
    """Print a release and leave with its exit code. `spell` writes a candidate (default: as text)."""
    if release.seeded:
        print(f"dpselect: {SEEDED}", file=sys.stderr)
    if as_json:
        print_json(release_json(release, request.rho, spell))
    else:
        print_release(release, request.rho, spell)
    if release.status != "released":
        raise typer.Exit(NOT_RELEASED)


def print_json(value: Any) -> None:
    """One JSON document on stdout, in ASCII: it survives every terminal and pipe."""
    print(json.dumps(value, indent=2))


def release_json(release: Release, rho: Fraction, spell: Callable[[Any], Any] = str) -> dict[str, Any]:
    """`Release.to_dict` with its candidates written by `spell`."""
    content = release.to_dict(rho)
    if content.get("candidate") is not None:
        content["candidate"] = spell(content["candidate"])
    if "candidates" in content:
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
    widths = [max(len(cell) for cell in column) for column in zip(heading, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    typer.echo(typer.style(line(heading), bold=True))
    for row in rows:
        typer.echo(line(row))
    typer.echo()


@contextmanager
def progress(first: str, steps: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr, for terminals only; the function it gives finishes a step and names the next one."""
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


def printable(text: str) -> str:
    """The text without control characters: an id from a file must not steer the terminal.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c == "\u00a0" else c.encode("unicode_escape").decode("ascii") for c in text)


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
        rows.append(("Regret", _regret_in_words(release, rho, regret)))
    if flips is not None:
        rows.append(("Flips", _flips_in_words(release, rho, flips)))
    if regret is None and flips is None and release.status == "released":
        rows.append(("Regret", "This method has no bound that can be published."))
    rows += _list("Assumes", release.assumptions)
    rows += _list("Note", release.notes)
    return rows


def _list(label: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [("" if i else label, text) for i, text in enumerate(texts)]


def guarantee_in_words(release: Release) -> str:
    """ε, δ and the unit, in a sentence."""
    if release.epsilon == 0:
        return "free: between neighbouring datasets this answer does not change, so nothing was spent"
    name = f"ε = {decimal(release.epsilon)}"
    change = f"the probability of any output changes by a factor of at most e^ε{_factor(release.epsilon)}"
    if release.delta:
        name += f", δ = {decimal(release.delta)}"
        change += ", up to δ"
    return f"{name}. Between two datasets that differ by {release.unit}, {change}."


def _regret_in_words(release: Release, rho: Fraction, gap: Fraction) -> str:
    if len(release.candidates) == 1:
        return f"{_sure(rho)}, its score is within {rounded_up(gap)} of the best score."
    return f"{_sure(rho)}, the score of each is within {rounded_up(gap)} of the best among those not named before it."


def _flips_in_words(release: Release, rho: Fraction, flips: int) -> str:
    it = "each of them" if len(release.candidates) > 1 else "it"
    if release.flip_is_exact:
        return f"{_sure(rho)}, {it} would be a best answer after at most {flips:,} steps (one step: {release.unit})."
    return (
        f"{_sure(rho)}, the flip distance certified for {it} is at most {flips:,}. (It takes at least as many steps as "
        f"certified to make an answer the best one; one step: {release.unit}.)"
    )


def _sure(rho: Fraction) -> str:
    return f"With probability at least {decimal(100 * (1 - rho))} %"


def _factor(epsilon: Fraction) -> str:
    if epsilon > 20:
        return ""
    # The margin covers the rounding of exp and of the conversion: what is printed is not below e^ε.
    return f"\u00a0=\u00a0{rounded_up(Fraction(math.exp(epsilon)) * (1 + Fraction(1, 2**50)))}"


def _answer(release: Release, spell: Callable[[Any], Any]) -> str:
    if release.status != "released":
        return "nothing was released: the test of the scale did not pass"
    return ", ".join(str(spell(c)) for c in release.candidates)


def decimal(value: Fraction) -> str:
    """The number as people write it: exact if it is short, else p/q or rounded up.

    >>> decimal(Fraction(1, 2)), decimal(Fraction(1, 10**6)), decimal(Fraction(1, 3)), decimal(Fraction(0.1))
    ('0.5', '1e-6', '1/3', '0.1001 (rounded up)')
    """
    short = _plain_exponent(f"{float(value):.6g}")
    if Fraction(short) == value:
        return short
    return str(value) if value.denominator < 1000 else f"{rounded_up(value)} (rounded up)"


def rounded_up(value: Fraction, digits: int = 4) -> str:
    """At most so many significant digits, never below the value.

    >>> rounded_up(Fraction(12345)), rounded_up(Fraction(1, 3)), rounded_up(Fraction(7))
    ('12,350', '0.3334', '7')
    """
    from dpselect.release import decimal_up

    number = decimal_up(value, digits)
    return f"{int(number):,}" if number == int(number) else _plain_exponent(f"{number:,.{digits}g}")


def _plain_exponent(text: str) -> str:
    """1e-06 as 1e-6, 1e+09 as 1e9."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text


def refuse(message: str) -> NoReturn:
    """A usage error that no option parser can see."""
    from dpselect.errors import InvalidParameter

    raise InvalidParameter(message)
