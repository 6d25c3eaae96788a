"""The public half of a selection, checked before any private file is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from dpselect.cli.asked import Asked, AskedEngine
from dpselect.cli.compare import comparing
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
    from collections.abc import Callable

    from dpselect.engines import DuckDB, Spark
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
    card: Path | None = None
    reference: str | None = None
    comparing: bool = False
    engine: DuckDB | Spark | None = None

    @classmethod
    def of(cls, asked: Asked, where: AskedEngine | None = None) -> Request:
        """Raises `InvalidParameter` for anything out of range, or that does not go together."""
        where = where or AskedEngine()
        mode = comparing.get()
        if mode:
            _refuse_under_compare(asked, where)
        if asked.reference is not None and asked.method != "auto":
            raise InvalidParameter("reference goes with --method auto: it is what the method is chosen by")
        loss = nonnegative(asked.delta, "delta")
        if loss >= 1:
            raise InvalidParameter(f"delta must be below 1, got {asked.delta!r}")
        if asked.sampler is not None:
            sampler_named(asked.sampler)
        return cls(
            epsilon=positive(asked.epsilon, "epsilon"),
            delta=loss,
            method=_method(asked.method, asked.scale_to_test, asked.sampler) or "auto",
            sampler=asked.sampler,
            top=whole(asked.top, "top", least=1),
            rho=probability(asked.rho, "rho"),
            seed=None if asked.seed is None else whole(asked.seed, "seed"),
            account=_account(asked.ledger, asked.dataset),
            card=_card(asked.card, asked.seed),
            reference=asked.reference,
            comparing=mode,
            engine=_engine(where.engine, where.engine_option or ()),
        )

    def select(
        self,
        problem: Any,
        data: Any,
        *,
        unit: Any = None,
        reference: Any = None,
        advance: Callable[[str], None] | None = None,
    ) -> Release:
        """`dpselect.select` with these parameters; `advance` is told the steps of an engine."""
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
            reference=reference,
            ledger=self.account,
            engine=None if self.engine is None else replace(self.engine, advance=advance),
        )

    def select_each(self, problems: Sequence[Any], data: Any) -> tuple[Release, ...]:
        """`dpselect.select_each` with these parameters: the budget is shared equally."""
        if self.engine is not None:
            with self.engine.open(data) as source:
                return replace(self, engine=None).select_each(problems, source)
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


def _refuse_under_compare(asked: Asked, where: AskedEngine) -> None:
    given = {
        "seed": asked.seed,
        "ledger": asked.ledger,
        "dataset": asked.dataset,
        "card": asked.card,
        "reference": asked.reference,
        "engine": where.engine,
    }
    for name, value in given.items():
        if value is not None:
            raise InvalidParameter(f"{name} goes with a release: nothing is released by compare")
    if asked.top != 1:
        raise InvalidParameter("top goes with a release: compare looks at the first answer")


def _card(file: Path | None, seed: int | None) -> Path | None:
    """Where to write the card, as far as can be known before the release."""
    if file is None:
        return None
    if seed is not None:
        raise InvalidParameter("card: a seeded release is not private and gets no card")
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise InvalidParameter("card: must be a file in a folder that exists")
    return file


def _account(url: str | None, dataset: str | None) -> Account | None:
    """The budget to charge."""
    if url is None:
        if dataset is not None:
            raise InvalidParameter("dataset goes with --ledger: it names a budget of the ledger")
        return None
    from dpselect.ledger import Ledger

    return Ledger(url).account(dataset)


def _engine(name: str | None, options: Sequence[str]) -> DuckDB | Spark | None:
    """The engine of this name with its settings."""
    if name is None:
        if options:
            raise InvalidParameter("engine-option goes with --engine")
        return None
    from dpselect.engines import ENGINES, engine_named

    engine_named(name)  # raises for other names
    pairs = [option.partition("=") for option in options]
    if not all(key and mark for key, mark, _ in pairs):
        raise InvalidParameter("engine-option must be NAME=VALUE")
    return ENGINES[name](options={key: value for key, _, value in pairs})


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
