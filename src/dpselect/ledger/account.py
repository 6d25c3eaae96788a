"""Ledger, account, reservation: charge before the draw, write down the release after it.

    spent = Σ (ε, δ) over reserved and committed entries;   a charge is refused unless spent + cost ≤ budget

A release reserves its cost before any random bit is drawn and commits afterwards. A process that dies in between leaves
a reserved entry: it counts as spent for ever, because the answer may have been seen. Sums are exact rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, final

from dpselect.errors import BudgetExceeded, InvalidParameter
from dpselect.exact.numbers import nonnegative, positive
from dpselect.guarantee import Guarantee
from dpselect.release import Release

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine


@final
@dataclass(frozen=True)
class Entry:
    """One charge. `release` is the publishable release as JSON; None while only reserved (or if its process died)."""

    number: int
    state: Literal["reserved", "committed"]
    epsilon: Fraction
    delta: Fraction
    question: str
    method: str
    reserved: str
    committed: str | None
    release: str | None


@final
@dataclass(frozen=True)
class Ledger:
    """Budgets in a database: ``Ledger("sqlite:///budget.db")``, or a PostgreSQL URL.

    Concurrent processes cannot overspend: every charge locks its budget, adds up all entries exactly and writes its own
    in one transaction. Needs the extra `ledger` (and `postgres` for PostgreSQL).

    >>> account = Ledger("sqlite://").create("survey", epsilon=1, delta="1e-6")
    >>> str(account.left[0]), account.history()
    ('1', ())
    """

    url: str

    def __post_init__(self) -> None:
        if not isinstance(self.url, str):
            raise InvalidParameter(f"ledger must be a database URL, got {type(self.url).__name__}")
        from dpselect.ledger.store import open_engine

        object.__setattr__(self, "_engine", open_engine(self.url))

    def __repr__(self) -> str:
        # A URL may hold a password.
        return f"Ledger({self.url.split(':', 1)[0]})"

    def __getstate__(self) -> dict[str, str]:
        return {"url": self.url}

    def __setstate__(self, state: dict[str, str]) -> None:
        object.__setattr__(self, "url", state["url"])
        self.__post_init__()

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine."""
        engine: Engine = getattr(self, "_engine")  # noqa: B009 - set in __post_init__, not a field
        return engine

    def create(self, dataset: str, *, epsilon: Any, delta: Any = 0, unit: str | None = None) -> Account:
        """A new budget. `unit` fixes the privacy unit its charges must have; default: that of the first charge."""
        import sqlalchemy as sa

        from dpselect.ledger.store import budgets

        if not isinstance(dataset, str) or not dataset.strip() or len(dataset) > 255:
            raise InvalidParameter("dataset must be a name of 1 to 255 characters")
        most = (positive(epsilon, "epsilon"), nonnegative(delta, "delta"))
        if most[1] >= 1:
            raise InvalidParameter(f"delta must be below 1, got {most[1]}")
        row = {"name": dataset, "epsilon": str(most[0]), "delta": str(most[1]), "unit": unit, "created": _now()}
        try:
            with self.engine.begin() as connection:
                connection.execute(budgets.insert().values(row))
        except sa.exc.IntegrityError:
            raise InvalidParameter(f"the ledger has a budget for dataset {dataset!r} already") from None
        return Account(self, dataset)

    def account(self, dataset: str | None = None) -> Account:
        """The budget of a dataset; without a name, the only one there is."""
        names = self.datasets()
        if dataset is None:
            if len(names) != 1:
                raise InvalidParameter(f"dataset must be named: the ledger has {len(names)} budgets{_listed(names)}")
            return Account(self, names[0])
        if dataset not in names:
            raise InvalidParameter(f"the ledger has no budget for dataset {dataset!r}{_listed(names)}")
        return Account(self, dataset)

    def datasets(self) -> tuple[str, ...]:
        """The names of all budgets."""
        import sqlalchemy as sa

        from dpselect.ledger.store import budgets

        with self.engine.connect() as connection:
            return tuple(connection.execute(sa.select(budgets.c.name).order_by(budgets.c.name)).scalars())


@final
@dataclass(frozen=True)
class Account:
    """The budget of one dataset; hand it to ``select(…, ledger=account)``."""

    ledger: Ledger
    dataset: str

    @property
    def budget(self) -> tuple[Fraction, Fraction]:
        """(ε, δ) in all."""
        with _locked(self) as (_, row):
            return Fraction(row.epsilon), Fraction(row.delta)

    @property
    def unit(self) -> str | None:
        """The privacy unit of all charges; None before the first one, if none was declared."""
        with _locked(self) as (_, row):
            return None if row.unit is None else str(row.unit)

    @property
    def spent(self) -> tuple[Fraction, Fraction]:
        """(ε, δ) of all entries, reserved ones included."""
        with _locked(self) as (connection, _):
            return _total(connection, self.dataset)

    @property
    def left(self) -> tuple[Fraction, Fraction]:
        """Budget minus spent."""
        with _locked(self) as (connection, row):
            epsilon, delta = _total(connection, self.dataset)
            return Fraction(row.epsilon) - epsilon, Fraction(row.delta) - delta

    def history(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        import sqlalchemy as sa

        from dpselect.ledger.store import entries

        with self.ledger.engine.connect() as connection:
            rows = connection.execute(
                sa.select(entries).where(entries.c.budget == self.dataset).order_by(entries.c.id)
            ).all()
        return tuple(
            Entry(
                r.id,
                r.state,
                Fraction(r.epsilon),
                Fraction(r.delta),
                r.question,
                r.method,
                r.reserved,
                r.committed,
                r.release,
            )
            for r in rows
        )

    def reserve(self, guarantee: Guarantee, *, unit: str, question: str, method: str) -> Reservation:
        """Charge a cost before the draw.

        Raises `BudgetExceeded` if it does not fit, `InvalidParameter` if the unit is another: nothing is then spent.
        """
        from dpselect.ledger.store import budgets, entries

        with _locked(self) as (connection, row):
            if row.unit is not None and row.unit != unit:
                raise InvalidParameter(
                    f"the budget of {self.dataset!r} counts {row.unit!r}, this release protects {unit!r}: "
                    "they do not add up"
                )
            epsilon, delta = _total(connection, self.dataset)
            left = Fraction(row.epsilon) - epsilon, Fraction(row.delta) - delta
            if guarantee.epsilon > left[0] or guarantee.delta > left[1]:
                raise BudgetExceeded(
                    f"the budget of {self.dataset!r} has ε = {left[0]}, δ = {left[1]} left; "
                    f"this release would cost ε = {guarantee.epsilon}, δ = {guarantee.delta}"
                )
            if row.unit is None:
                connection.execute(budgets.update().where(budgets.c.name == self.dataset).values(unit=unit))
            number = connection.execute(
                entries.insert().values(
                    budget=self.dataset,
                    state="reserved",
                    epsilon=str(guarantee.epsilon),
                    delta=str(guarantee.delta),
                    question=question,
                    method=method,
                    reserved=_now(),
                )
            ).inserted_primary_key
        assert number is not None
        return Reservation(self, int(number[0]))


@final
@dataclass(frozen=True)
class Reservation:
    """A cost that is spent, whatever happens next; `commit` writes the release beside it."""

    account: Account
    number: int

    def commit(self, release: Release) -> None:
        """Write down the publishable release. A seeded one is refused."""
        from dpselect.ledger.store import entries

        if release.seeded:
            raise InvalidParameter("a seeded release is not private: a ledger does not take it")
        with _locked(self.account) as (connection, _):
            done = connection.execute(
                entries.update()
                .where(entries.c.id == self.number, entries.c.state == "reserved")
                .values(state="committed", committed=_now(), release=release.to_json())
            )
            if done.rowcount != 1:
                raise InvalidParameter(f"entry {self.number} of the ledger is not reserved")


def _locked(account: Account) -> Any:
    from dpselect.ledger.store import locked

    return locked(account.ledger.engine, account.dataset)


def _total(connection: Any, dataset: str) -> tuple[Fraction, Fraction]:
    import sqlalchemy as sa

    from dpselect.ledger.store import entries

    rows = connection.execute(sa.select(entries.c.epsilon, entries.c.delta).where(entries.c.budget == dataset)).all()
    return sum((Fraction(r.epsilon) for r in rows), Fraction(0)), sum((Fraction(r.delta) for r in rows), Fraction(0))


def _listed(names: tuple[str, ...]) -> str:
    return f"; it has {', '.join(map(repr, names))}" if names else "; it is empty"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
