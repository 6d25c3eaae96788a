"""Holders of private numbers show none of them and are not serialised."""

from abc import ABC, abstractmethod
from typing import NoReturn, final


class Private(ABC):
    """One private number for each of m candidates: no number in its `repr`; pickling is a `TypeError`.

    A pickle is how private numbers end up in a cache, a queue or a log without anybody deciding it.

    Source: architecture, threat model.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """The number m of candidates, public."""

    @final
    def __repr__(self) -> str:
        return f"{type(self).__name__}(<private>)"

    @final
    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds private numbers and is not serialised")
