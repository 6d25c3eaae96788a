"""What happens to records that do not fit the declared domain: fixed by the caller before the data is read.

    refuse          the data set is refused (`InvalidData`, for the curator's eyes)
    clip            the value counts as the nearest bound; a missing one (null, NaN) as the lower bound
    own category    the record counts for one more public candidate
    drop            the record does not count: only under add-or-remove, because it changes how many there are

Every policy looks at one record at a time, so neighbouring tables stay neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpselect.errors import InvalidParameter
from dpselect.problems.units import AddOrRemove, ReplaceOne

REFUSE, CLIP, OWN, DROP = "refuse", "clip", "own category", "drop"
VALUE_POLICIES = (REFUSE, CLIP, DROP)
CATEGORY_POLICIES = (REFUSE, OWN, DROP)

TableUnit = AddOrRemove | ReplaceOne


def check_policy(name: str, given: object, allowed: Sequence[str], unit: TableUnit) -> None:
    """Raises `InvalidParameter` for another policy, and for dropping when the number of records is public."""
    if given not in allowed:
        raise InvalidParameter(f"{name} must be one of {', '.join(map(repr, allowed))}, got {given!r}")
    if given == DROP and isinstance(unit, ReplaceOne):
        raise InvalidParameter(
            f"{name}='drop' changes the number of records, which is public when one record is replaced: "
            "choose another policy, or unit=AddOrRemove()"
        )


def refusal(what: str, name: str, allowed: Sequence[str]) -> str:
    """The error for a record that "refuse" refuses: `what` it is, and the other policies that the argument takes."""
    others = " or ".join(repr(policy) for policy in allowed if policy != REFUSE)
    return f"{what}: {name}='{REFUSE}' does not allow it, {others} would"


def check_unit(unit: object, person: str | None, counts: str | None) -> None:
    """Which units a table knows, and what each needs."""
    if not isinstance(unit, AddOrRemove | ReplaceOne):
        raise InvalidParameter(f"unit of a table must be AddOrRemove(…) or ReplaceOne(), got {unit!r}")
    if isinstance(unit, ReplaceOne) and person is not None:
        raise InvalidParameter("person: truncating rows changes their number; it goes with unit=AddOrRemove(…) only")
    if isinstance(unit, AddOrRemove) and unit.rows_per_person > 1 and person is None:
        raise InvalidParameter("rows_per_person above 1 needs person=, the column that says whose row it is")
    if person is not None and counts is not None:
        raise InvalidParameter("person and counts exclude each other: a histogram does not say whose rows it counts")


def rows_of(unit: TableUnit) -> int:
    """How many rows one person may have: c."""
    return unit.rows_per_person if isinstance(unit, AddOrRemove) else 1


def unit_assumptions(unit: TableUnit, person: str | None) -> tuple[str, ...]:
    """What the caller declares by choosing the unit, in sentences."""
    if isinstance(unit, ReplaceOne):
        return ("the number of records is public", "every record belongs to a different person")
    if person is None:
        return ("every record belongs to a different person",)
    return (f"rows beyond the first {unit.rows_per_person} of a person, in a fixed pseudorandom order, do not count",)
