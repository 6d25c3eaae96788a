"""`select_each`: several questions to one dataset, under one budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpselect.errors import InvalidParameter
from dpselect.exact.numbers import nonnegative, positive, whole
from dpselect.problems.problem import as_problem
from dpselect.release import Release
from dpselect.selection import select

if TYPE_CHECKING:
    from dpselect.ledger.account import Account


def select_each(
    problems: Sequence[Any],
    data: Any,
    *,
    epsilon: Any,
    delta: Any = 0,
    method: Any = "auto",
    sampler: str | None = None,
    unit: Any = None,
    seed: int | None = None,
    ledger: Account | None = None,
) -> tuple[Release, ...]:
    """One release per problem, each at ε/k and δ/k for k problems; the data are read once per distinct aggregation.

    Arguments as for `select`; `seed + i` is the seed of the i-th release.

    Guarantee: (ε, δ)-differential privacy for all releases together (basic composition).
    Several quantiles come out in any order; sorting them is post-processing and costs nothing.
    Errors: as for `select`; `InvalidParameter` for no problem at all. A ledger is charged release by release.

    >>> import dpselect as ds
    >>> ask = [ds.table.Quantile(p, (0, 10)) for p in (0.25, 0.5, 0.75)]
    >>> [r.candidate for r in ds.select_each(ask, list(range(11)) * 100, epsilon=6, seed=1)]
    [2, 5, 8]
    """
    if not isinstance(problems, Sequence) or len(problems) == 0:
        raise InvalidParameter("problems must be a list with at least one problem")
    share = positive(epsilon, "epsilon") / len(problems), nonnegative(delta, "delta") / len(problems)
    first = None if seed is None else whole(seed, "seed")
    asked = [as_problem(problem, unit) for problem in problems]
    read: list[tuple[Any, Any]] = []
    releases = []
    for i, problem in enumerate(asked):
        releases.append(
            select(
                problem,
                _read_once(problem, data, read),
                epsilon=share[0],
                delta=share[1],
                method=method,
                sampler=sampler,
                seed=None if first is None else first + i,
                ledger=ledger,
            )
        )
    return tuple(releases)


def _read_once(problem: Any, data: Any, read: list[tuple[Any, Any]]) -> Any:
    """The aggregate of the data for a problem that has one (`query` says which), from before if possible."""
    query = getattr(problem, "query", None)
    if query is None or not callable(getattr(problem, "read", None)):
        return data
    for known, aggregate in read:
        if known == query:
            return aggregate
    read.append((query, problem.read(data)))
    return read[-1][1]
