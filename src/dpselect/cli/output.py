"""What a verb prints: a release in plain words or as JSON, and how it ends."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from dpselect.cli.request import Request
    from dpselect.release import Release

NOT_RELEASED: Final = 3
VERIFICATION_FAILS: Final = 4

SEEDED: Final = "NOT PRIVATE: the randomness came from --seed. For experiments only; do not publish this output."


def console(*, stderr: bool = False) -> Console:
    """A rich console that neither highlights nor interprets text: it may hold ids from a file."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


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
    """One JSON document on stdout."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


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


def print_paragraphs(rows: list[tuple[str, str]]) -> None:
    """Labels on the left, text wrapped on the right."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(Text(label, style="bold"), Text(text))
    console().print(grid)


def paragraphs(release: Release, rho: Fraction, spell: Callable[[Any], Any] = str) -> list[tuple[str, str]]:
    """(label, text) for everything that a release says."""
    rows = [("Warning", SEEDED)] if release.seeded else []
    rows.append(("Answer", _answer(release, spell)))
    rows.append(("Guarantee", guarantee_in_words(release)))
    rows.append(("Method", f"{release.method}, {release.sampler}, among {release.m:,} candidates"))
    if release.scale is not None:
        noun = "Scale" if len(release.scales) == 1 else "Scales"
        shown = ", ".join(rounded_up(b) for b in release.scales)
        rows.append((noun, f"{shown} score units: what the answer was drawn with; part of the release"))
    sure = f"With probability at least {decimal(100 * (1 - rho))} %"
    regret = release.regret_bound(rho)
    if regret is not None:
        each = "each answer's score" if len(release.candidates) > 1 else "its score"
        left = " among the candidates left" if len(release.candidates) > 1 else ""
        rows.append(("Regret", f"{sure}, {each} is within {rounded_up(regret)} of the best{left}."))
    flips = release.flip_bound(rho)
    if flips is not None:
        rows.append(("Flips", f"{sure}: {release.flip_words}: {flips:,}."))
    if regret is None and flips is None and release.status == "released":
        rows.append(("Regret", "This method has no bound that can be published."))
    rows += [("Assumes", text) for text in release.assumptions]
    rows += [("Note", text) for text in release.notes]
    return rows


def guarantee_in_words(release: Release) -> str:
    """ε, δ and the unit, in a sentence."""
    if release.epsilon == 0:
        return "free: between neighbouring datasets this answer does not change, so nothing was spent"
    name = f"ε = {decimal(release.epsilon)}"
    change = f"the probability of any output changes by a factor of at most e^ε = {_factor(release.epsilon)}"
    if release.delta:
        name += f", δ = {decimal(release.delta)}"
        change += ", up to δ"
    return f"{name}. Between two datasets that differ by {release.unit}, {change}."


def _factor(epsilon: Fraction) -> str:
    return f"{math.exp(epsilon):.3g}" if epsilon <= 20 else f"e^{decimal(epsilon)}"


def _answer(release: Release, spell: Callable[[Any], Any]) -> str:
    if release.status != "released":
        return "nothing was released: the test of the scale did not pass"
    return ", ".join(str(spell(c)) for c in release.candidates)


def decimal(value: Fraction) -> str:
    """The number as people write it: exact if it is short, else p/q or rounded up.

    >>> decimal(Fraction(1, 2)), decimal(Fraction(1, 10**6)), decimal(Fraction(1, 3))
    ('0.5', '1e-06', '1/3')
    """
    short = f"{float(value):.6g}"
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
    return f"{int(number):,}" if number == int(number) else f"{number:,.{digits}g}"


def refuse(message: str) -> NoReturn:
    """A usage error that no option parser can see."""
    from dpselect.errors import InvalidParameter

    raise InvalidParameter(message)
