"""The public half of a selection, checked before any private file is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative, positive, probability, whole
from dpselect.laws import sampler_named
from dpselect.methods.choice import method_named
from dpselect.methods.fixed_scale_test import FixedScaleTest
from dpselect.methods.method import Method
from dpselect.release import Release
from dpselect.selection import select
from dpselect.several import select_each

if TYPE_CHECKING:
    from dpselect.ledger import Account


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
    account: Account | None = None

    @classmethod
    def of(
        cls,
        *,
        epsilon: str,
        delta: str,
        method: str = "auto",
        scale_to_test: str | None = None,
        sampler: str | None = None,
        top: int = 1,
        rho: str = "0.05",
        seed: int | None = None,
        ledger: str | None = None,
        dataset: str | None = None,
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
            method=_method(method, scale_to_test, sampler) or "auto",
            sampler=sampler,
            top=whole(top, "top", least=1),
            rho=probability(rho, "rho"),
            seed=None if seed is None else whole(seed, "seed"),
            account=_account(ledger, dataset),
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
            ledger=self.account,
        )

    def select_each(self, problems: Sequence[Any], data: Any) -> tuple[Release, ...]:
        """`dpselect.select_each` with these parameters: the budget is shared equally."""
        return select_each(
            problems,
            data,
            epsilon=self.epsilon,
            delta=self.delta,
            method=self.method,
            sampler=self.sampler if self.method == "auto" else None,
            seed=self.seed,
            ledger=self.account,
        )


def _account(url: str | None, dataset: str | None) -> Account | None:
    """The budget to charge."""
    if url is None:
        if dataset is not None:
            raise InvalidParameter("dataset goes with --ledger: it names a budget of the ledger")
        return None
    from dpselect.ledger import Ledger

    return Ledger(url).account(dataset)


def _method(name: str, scale_to_test: str | None, sampler: str | None) -> Method | None:
    """The method of this name; the test of a fixed scale is the one that cannot be built without an argument."""
    if name != FixedScaleTest.name:
        if scale_to_test is not None:
            raise InvalidParameter(f"scale-to-test goes with method {FixedScaleTest.name!r} only")
        return method_named(name, sampler)
    if scale_to_test is None:
        raise InvalidParameter(f"method {name!r} needs --scale-to-test, the scale in units of the score")
    scale = positive(scale_to_test, "scale-to-test")
    return FixedScaleTest(scale) if sampler is None else FixedScaleTest(scale, sampler=sampler)
