"""A verb of the program, whose errors speak as the person who typed it does.

    rows_per_person must be …           ->  rows-per-person must be …
    …, or use unknown='drop'            ->  …, or use --unknown drop
    … needs person=, the column …       ->  … needs --person, the column …
    … goes with unit=AddOrRemove(…)     ->  … goes with --unit add-or-remove
    data: no such file: 'x.csv'         ->  file: no such file: 'x.csv'

The library names its arguments, at the beginning of an error or as `name=`, and a verb knows which of its options and
arguments they are. What stands in quotation marks is somebody's own and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, final

from typer.core import TyperCommand

from dpselect.errors import DPSelectError

CALLED_HERE: Final = {
    "categories": "candidate",
    "m": "candidates",
    "models": "model",
    "options": "engine_option",
    "splits": "split",
    "thresholds": "threshold",
}
"""Argument of the library -> parameter of a verb, where the names differ. What the library calls `data` is the first
argument of every verb about data."""

VALUES: Final = {"AddOrRemove": "add-or-remove", "ReplaceOne": "replace"}
"""Objects that have a word here."""

_QUOTED: Final = r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_NAMED: Final = re.compile(
    rf"\b(?P<name>[a-z]\w*)=(?P<value>{_QUOTED}|[A-Z]\w*\([^()]*\)|\w+)?|{_QUOTED}|\b(?P<word>[a-z]+(?:_[a-z]+)+)\b"
)
_FIRST: Final = re.compile(r"[a-z]\w*(?=[: ])")


@final
class Verb(TyperCommand):
    """A command of typer. An error of the library leaves it with the names of the command's own parameters."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except DPSelectError as error:
            raise type(error)(spelled(str(error), typed(self.params))) from None


def typed(parameters: Iterable[Any]) -> dict[str, str]:
    """Argument of the library -> what is typed: "--option", or the name that `--help` gives an argument."""
    names: dict[str, str] = {}
    first = ""
    for parameter in parameters:
        if parameter.param_type_name == "option":
            names[parameter.name] = parameter.opts[0]
        else:
            shown = re.search(r"[A-Za-z]+", parameter.metavar or parameter.name)
            names[parameter.name] = shown[0].lower() if shown else parameter.name
            first = first or names[parameter.name]
    for name, parameter in CALLED_HERE.items():
        if parameter in names:
            names.setdefault(name, names[parameter])
    return {"data": first, **names} if first else names


def spelled(error: str, names: Mapping[str, str]) -> str:
    """The text of an error with `names` put in.

    >>> spelled("loss_steps goes with loss_bound=, not metric='f1'", {n: "--" + n.replace("_", "-") for n in (
    ...     "loss_steps", "loss_bound", "metric")})
    'loss-steps goes with --loss-bound, not --metric f1'
    """
    begin = _FIRST.match(error)
    # What an error is about is named without dashes, as in the errors of the verbs themselves.
    about = names.get(begin[0], begin[0]).lstrip("-") if begin else ""
    return about + _NAMED.sub(lambda found: _put(found, names), error[begin.end() if begin else 0 :])


def _put(found: re.Match[str], names: Mapping[str, str]) -> str:
    option = names.get(found["name"] or found["word"] or "")
    if option is None:
        return found[0]
    return option if not found["value"] else f"{option} {_value(found['value'])}"


def _value(text: str) -> str:
    """A value as it is typed: a text with blanks needs its quotation marks."""
    if text[0] in "'\"":
        return text if re.search(r"\s", text) else text[1:-1]
    name = text.partition("(")[0]
    return VALUES.get(name, text)
