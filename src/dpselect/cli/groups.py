"""Options that go together, as one parameter of a verb.

A group is a frozen dataclass whose fields are options: a type with its `typer.Option`, and a default. A verb takes the
group; the command line shows the fields in its place. So an option that many verbs have is written down once, and
what a verb lists is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def spread(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as typer shall see it: with the options of its groups, each in the place of its group.

    The groups among the verb's parameters are those whose type is a dataclass. Raises `ValueError` if two options have
    the same name.

    Cost: no module is loaded, as `--help` spreads every verb.
    """
    hints = get_type_hints(verb, include_extras=True)
    own = signature(verb).parameters.values()
    groups: dict[str, type[Any]] = {p.name: hints[p.name] for p in own if is_dataclass(hints[p.name])}
    shown = [
        option
        for p in own
        for option in (_options(groups[p.name]) if p.name in groups else [_by_name(p, hints[p.name], p.default)])
    ]

    def spread_verb(**given: Any) -> None:
        # First all groups, then what is left: an option may be called as the group that it is in.
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        verb(**given, **made)

    update_wrapper(spread_verb, verb)
    # Typer reads both. They hold types instead of names, because the names are of the modules of the groups.
    spread_verb.__dict__["__signature__"] = Signature(shown)
    spread_verb.__annotations__ = {option.name: option.annotation for option in shown}
    return spread_verb


def _options(group: type[Any]) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = Parameter.empty if field.default is MISSING else field.default
        yield _by_name(Parameter(field.name, Parameter.KEYWORD_ONLY), hints[field.name], default)


def _by_name(parameter: Parameter, annotation: Any, default: Any) -> Parameter:
    """Passed by name, as typer does: an option without a default may then follow one that has one."""
    return parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
