"""A release: everything that leaves the curator, and nothing else.

Every field is either public (fixed before the data) or an output of the mechanism that the guarantee covers.
"""

from __future__ import annotations

import json
import reprlib
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, final

from dpselect.exact.numbers import probability
from dpselect.guarantee import Guarantee
from dpselect.laws import Flips, sampler_named

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


@final
@dataclass(frozen=True)
class Release:
    """The outcome of one private selection.

    `question` is the name of the problem: what was asked.
    `status` is "released" or "not-released" (a fixed-scale test that did not pass; `candidate` is then None).
    `scale` is B in score units, the number that was used; `scales` are all released scales, outermost first.
    `private` is False when the randomness came from a seed: such a release proves nothing and must not be published.
    """

    question: str
    status: Literal["released", "not-released"]
    candidates: tuple[Any, ...]
    method: str
    theorem: str
    guarantee: Guarantee
    epsilon_selection: Fraction
    unit: str
    m: int
    scales: tuple[Fraction, ...]
    temperature: Fraction | None
    flips: Flips | None
    flip_is_exact: bool
    sampler: str
    seeded: bool
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    version: str

    def __repr__(self) -> str:
        answer = _SHORT.repr(list(self.candidates) if len(self.candidates) > 1 else self.candidate)
        seeded = ", private=False" if self.seeded else ""
        return (
            f"Release(status={self.status!r}, candidate={answer}, method={self.method!r}, "
            f"epsilon={_short(self.epsilon)}, delta={_short(self.delta)}{seeded})"
        )

    @property
    def candidate(self) -> Any:
        """The answer; None if nothing was released. With `top=`, the first of `candidates`."""
        return self.candidates[0] if self.candidates else None

    @property
    def epsilon(self) -> Fraction:
        """ε, exact."""
        return self.guarantee.epsilon

    @property
    def delta(self) -> Fraction:
        """δ, exact."""
        return self.guarantee.delta

    @property
    def scale(self) -> Fraction | None:
        """B, in score units; None for a method without a scale, or one that keeps it."""
        return self.scales[-1] if self.scales else None

    @property
    def private(self) -> bool:
        """Whether the randomness came from the operating system."""
        return not self.seeded

    def regret_bound(self, rho: object = Fraction(1, 20)) -> Fraction | None:
        """t with Pr[gap > t] ≤ ρ: the temperature times K(m, ρ), from released numbers only, rounded up.

        None where the method has no publishable bound, or nothing was released. With `top=k` the bound holds for
        all k peels at once (each at ρ/k, against the candidates that were left). Source: theory section 1, tails.
        """
        rate = probability(rho, "rho")
        if self.status != "released" or self.temperature is None:
            return None
        return self._tail(rate) * self.temperature

    def flip_bound(self, rho: object = Fraction(1, 20)) -> int | None:
        """K with Pr[φ(R) > K] ≤ ρ: the answer would be a best one if at most K records were different.

        Where the certificate φ is only a lower bound of the true flip distance, the sentence is about φ
        (`flip_meaning` says which). None for methods that do not weigh flip distances. Source: theory section 6b.
        """
        rate = probability(rho, "rho")
        if self.status != "released" or self.flips is None:
            return None
        return self.flips.within(self._tail(rate))

    @property
    def flip_meaning(self) -> str:
        """What `flip_bound` bounds, in words."""
        if self.flip_is_exact:
            return "the answer would be a best one if at most this many records were different"
        return (
            "the certified flip distance of the answer, a lower bound of the number of records that would have to "
            "be different for it to be a best one, is at most this"
        )

    def _tail(self, rho: Fraction) -> Fraction:
        peels = len(self.candidates)
        return sampler_named(self.sampler).tail(self.m, rho / peels).upper()

    def to_dict(self, rho: object = Fraction(1, 20)) -> dict[str, Any]:
        """The JSON form: decimals rounded in the safe direction, exact values beside them."""
        rate = probability(rho, "rho")
        regret, flips = self.regret_bound(rate), self.flip_bound(rate)
        return {
            "question": self.question,
            "status": self.status,
            "candidate": self.candidate,
            "candidates": list(self.candidates),
            "method": self.method,
            "theorem": self.theorem,
            "epsilon": decimal_up(self.epsilon),
            "epsilon_exact": str(self.epsilon),
            "delta": decimal_up(self.delta),
            "delta_exact": str(self.delta),
            "epsilon_selection": decimal_up(self.epsilon_selection),
            "epsilon_selection_exact": str(self.epsilon_selection),
            "unit": self.unit,
            "m": self.m,
            "scale": None if self.scale is None else decimal_up(self.scale),
            "scale_exact": None if self.scale is None else str(self.scale),
            "scales": [decimal_up(b) for b in self.scales],
            "scales_exact": [str(b) for b in self.scales],
            "temperature": None if self.temperature is None else decimal_up(self.temperature),
            "temperature_exact": None if self.temperature is None else str(self.temperature),
            "regret_bound": None
            if regret is None
            else {
                "rho": decimal_up(rate),
                "rho_exact": str(rate),
                "gap": decimal_up(regret),
                "gap_exact": str(regret),
            },
            "flip_bound": None
            if flips is None
            else {
                "rho": decimal_up(rate),
                "rho_exact": str(rate),
                "flips": flips,
                "meaning": self.flip_meaning,
            },
            "sampler": self.sampler,
            "seeded": self.seeded,
            "private": self.private,
            "assumptions": list(self.assumptions),
            "notes": list(self.notes),
            "version": self.version,
        }

    def to_json(self, rho: object = Fraction(1, 20)) -> str:
        """`to_dict` as a JSON text."""
        return json.dumps(self.to_dict(rho), indent=2, ensure_ascii=False, default=_plain)

    def to_html(self, rho: object = Fraction(1, 20)) -> str:
        """One self-contained page for people: question, answer, guarantee in plain words, assumptions, bounds, JSON.

        Raises `InvalidParameter` for a seeded release: it is not private, and nobody should be shown that it were.
        """
        from dpselect.card import page

        return page([self], probability(rho, "rho"))


def plain(name: Any) -> Any:
    """A candidate's name as Python's own int, float, bool, str or bytes where it is NumPy's; others as they are.

    >>> import numpy as np
    >>> plain(np.int64(7)), plain(np.str_("a")), plain(("a", 1))
    (7, 'a', ('a', 1))
    """
    # Dates stay NumPy's: `item` makes integers of some of them.
    kind = getattr(getattr(name, "dtype", None), "kind", "")
    return name.item() if kind and kind in "biufUS" and getattr(name, "ndim", 1) == 0 else name


def decimal_up(value: Fraction, digits: int = 12) -> float:
    """The float nearest from above to `value` rounded up to that many significant decimals.

    >>> decimal_up(Fraction(1, 3))
    0.333333333334
    """
    if value == 0:
        return 0.0
    exponent = len(str(abs(value.numerator) // value.denominator)) if abs(value) >= 1 else -_leading_zeros(abs(value))
    step = Fraction(10) ** (exponent - digits)
    rounded = -(-value // step) * step
    # The decimal itself is on the safe side; the float printed for it reads as that decimal.
    return float(rounded)


def _leading_zeros(value: Fraction) -> int:
    """How many zeros follow the decimal point of 0 < value < 1."""
    return max(0, len(str(value.denominator // value.numerator)) - 1)


def _short(value: Fraction) -> str:
    return f"{float(value):.6g}"


def _plain(value: Any) -> Any:
    """NumPy scalars and other names of candidates, as JSON can hold them."""
    return value.item() if hasattr(value, "item") else str(value)
