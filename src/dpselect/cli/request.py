"""The public half of a selection, checked before any private file is opened."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative, positive, probability, whole
from dpselect.laws import sampler_named
from dpselect.methods.choice import method_named
from dpselect.methods.method import Method
from dpselect.release import Release
from dpselect.selection import select


@final
@dataclass(frozen=True)
class Request:
    """What a verb was asked for, apart from the data."""

    epsilon: Fraction
    delta: Fraction
    method: Method | str
    sampler: str | None
    top: int
    rho: Fraction
    seed: int | None

    @classmethod
    def of(
        cls,
        *,
        epsilon: str,
        delta: str,
        method: str | Method = "auto",
        sampler: str | None = None,
        top: int = 1,
        rho: str = "0.05",
        seed: int | None = None,
    ) -> Request:
        """Raises `InvalidParameter` for anything out of range."""
        loss = nonnegative(delta, "delta")
        if loss >= 1:
            raise InvalidParameter(f"delta must be below 1, got {delta!r}")
        if sampler is not None:
            sampler_named(sampler)
        return cls(
            epsilon=positive(epsilon, "epsilon"),
            delta=loss,
            method=method_named(method, sampler) or "auto",
            sampler=sampler,
            top=whole(top, "top", least=1),
            rho=probability(rho, "rho"),
            seed=None if seed is None else whole(seed, "seed"),
        )

    def select(self, problem: Any, data: Any, *, unit: Any = None) -> Release:
        """`dpselect.select` with these parameters."""
        return select(
            problem,
            data,
            epsilon=self.epsilon,
            delta=self.delta,
            method=self.method,
            sampler=self.sampler if self.method == "auto" else None,
            unit=unit,
            top=self.top,
            seed=self.seed,
        )
