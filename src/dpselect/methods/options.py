"""Public options of methods: read once, refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import probability, rational

Number = Fraction | int | float | str

Releases = Literal["scale and candidate", "candidate"]
"""What leaves a kernel method. The guarantee is the same; only with the scale is there a publishable regret bound."""

RELEASES: tuple[Releases, ...] = ("scale and candidate", "candidate")

Accounting = Literal["sharper", "source"]
"""Constants proved here ("sharper"), or those of the paper, for comparison ("source")."""

ACCOUNTING: tuple[Accounting, ...] = ("sharper", "source")


def one_of(value: object, allowed: Sequence[str], name: str) -> str:
    """One of a few words.

    >>> one_of("source", ACCOUNTING, "accounting")
    'source'
    """
    if not isinstance(value, str) or value not in allowed:
        raise InvalidParameter(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def share(value: object, name: str) -> Fraction:
    """A share of a budget, strictly between 0 and 1.

    >>> share("1/4", "split")
    Fraction(1, 4)
    """
    return probability(value, name)


def below_half(delta: Fraction, method: str) -> Fraction:
    """δ < 1/2: from there on a coverage statement with failure probability δ says nothing."""
    if not rational(delta, "delta") < Fraction(1, 2):
        raise InvalidParameter(f"delta must be below 1/2 for method {method!r}, got {delta}")
    return delta


def rounded_down(value: float) -> Fraction:
    """A positive float with its last bits taken off: a public dyadic rational of at most 18 bits.

    >>> rounded_down(0.1)
    Fraction(209715, 2097152)
    """
    exact = Fraction(value)
    unit = Fraction(2) ** (exact.numerator.bit_length() - exact.denominator.bit_length() - 17)
    return exact // unit * unit
