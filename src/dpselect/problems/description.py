"""Public descriptions of data: what to compute on where there is no public dataset to learn from.

A description is made of public numbers. It gives datasets that are drawn or built from them, reproducibly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import whole


class Description(ABC):
    """Something public that stands for private data: one dataset, or several for a range of sizes."""

    @abstractmethod
    def described(self) -> Sequence[tuple[str, Any]]:
        """(what it is, the dataset): synthetic, and the same at every call."""


def sizes(given: object, name: str, least: int) -> tuple[int, ...]:
    """One size, or for a range (smallest, largest) its ends and their geometric mean.

    >>> sizes(500, "n", 1), sizes((100, 10000), "n", 1)
    ((500,), (100, 1000, 10000))
    """
    if not isinstance(given, tuple | list):
        return (whole(given, name, least=least),)
    if len(given) != 2:
        raise InvalidParameter(f"{name} must be a number or a range (smallest, largest), got {len(given)} numbers")
    low, high = (whole(end, name, least=least) for end in given)
    if low > high:
        raise InvalidParameter(f"{name} must be a range (smallest, largest), got ({low}, {high})")
    return tuple(sorted({low, math.isqrt(low * high), high}))
