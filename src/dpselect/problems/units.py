"""Privacy units: what two neighbouring datasets may differ in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from dpselect.exact.numbers import whole


@final
@dataclass(frozen=True)
class Edges:
    """Neighbouring graphs differ in up to k edges, added or removed; the vertex set is public.

    >>> print(Edges(3))
    up to 3 edges added or removed
    """

    k: int = 1

    def __post_init__(self) -> None:
        whole(self.k, "k", least=1)

    def __str__(self) -> str:
        return "1 edge added or removed" if self.k == 1 else f"up to {self.k} edges added or removed"


@final
@dataclass(frozen=True)
class AddOrRemove:
    """Neighbouring tables differ in one person, with up to `rows_per_person` rows (enforced by truncation)."""

    rows_per_person: int = 1

    def __post_init__(self) -> None:
        whole(self.rows_per_person, "rows_per_person", least=1)

    def __str__(self) -> str:
        c = self.rows_per_person
        return "1 record added or removed" if c == 1 else f"1 person with up to {c} records added or removed"


@final
@dataclass(frozen=True)
class ReplaceOne:
    """Neighbouring tables have the same public number of records and differ in one of them."""

    def __str__(self) -> str:
        return "1 record replaced"
