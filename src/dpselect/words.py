"""Numbers and guarantees in plain words: for terminals, cards and tables. They decide nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dpselect.release import Release, decimal_up


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


def regret_in_words(release: Release, rho: Fraction, gap: Fraction) -> str:
    """The publishable regret bound, in a sentence."""
    if len(release.candidates) == 1:
        return f"{sure(rho)}, its score is within {rounded_up(gap)} of the best score."
    return f"{sure(rho)}, the score of each is within {rounded_up(gap)} of the best among those not named before it."


def flips_in_words(release: Release, rho: Fraction, flips: int) -> str:
    """The publishable bound of flips, in a sentence."""
    it = "each of them" if len(release.candidates) > 1 else "it"
    if release.flip_is_exact:
        return f"{sure(rho)}, {it} would be a best answer after at most {flips:,} steps (one step: {release.unit})."
    return (
        f"{sure(rho)}, the flip distance certified for {it} is at most {flips:,}. (It takes at least as many steps as "
        f"certified to make an answer the best one; one step: {release.unit}.)"
    )


def sure(rho: Fraction) -> str:
    """How certain a statement is that fails with probability at most ρ."""
    return f"With probability at least {decimal(100 * (1 - rho))} %"


def _factor(epsilon: Fraction) -> str:
    if epsilon > 20:
        return ""
    return f"\u00a0=\u00a0{rounded_up(exp_above(epsilon))}"


def exp_above(x: Fraction) -> Fraction:
    """A number slightly above e^x: the margin covers the rounding of exp and of the conversion."""
    return Fraction(math.exp(x)) * (1 + Fraction(1, 2**50))


def decimal(value: Fraction) -> str:
    """The number as people write it: exact if it is short, else p/q or rounded up.

    >>> decimal(Fraction(1, 2)), decimal(Fraction(1, 10**6)), decimal(Fraction(1, 3)), decimal(Fraction(0.1))
    ('0.5', '1e-6', '1/3', '0.1001 (rounded up)')
    """
    short = short_number(value)
    if Fraction(short) == value:
        return short
    return str(value) if value.denominator < 1000 else f"{rounded_up(value)} (rounded up)"


def short_number(value: Fraction) -> str:
    """Six significant digits.

    >>> short_number(Fraction(1, 10**6))
    '1e-6'
    """
    return _plain_exponent(f"{float(value):.6g}")


def rounded_up(value: Fraction, digits: int = 4) -> str:
    """At most so many significant digits, never below the value.

    >>> rounded_up(Fraction(12345)), rounded_up(Fraction(1, 3)), rounded_up(Fraction(7))
    ('12,350', '0.3334', '7')
    """
    number = decimal_up(value, digits)
    return f"{int(number):,}" if number == int(number) else _plain_exponent(f"{number:,.{digits}g}")


def _plain_exponent(text: str) -> str:
    """1e-06 as 1e-6, 1e+09 as 1e9."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text


def printable(text: str) -> str:
    """The text without control characters: an id from a file must not steer a terminal, or turn a line around.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c == "\u00a0" else c.encode("unicode_escape").decode("ascii") for c in text)


def aligned(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: the first two columns to the left, numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(heading, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return [line(heading), *map(line, rows)]
