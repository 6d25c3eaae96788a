"""Groups of options: what the command line shows, and what a verb gets."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from dpselect.cli.app import app
from dpselect.cli.asked import Asked, AskedEngine
from dpselect.cli.groups import spread

GOT = []


@dataclass(frozen=True, kw_only=True)
class Size:
    width: Annotated[int, typer.Option("--width", help="How wide.")]
    height: Annotated[int, typer.Option("--height", help="How high.")] = 2


@dataclass(frozen=True, kw_only=True)
class Colour:
    # Called as the parameter that holds the group.
    colour: Annotated[str, typer.Option("--colour")] = "blue"


def paint(
    name: Annotated[str, typer.Argument()],
    before: Annotated[int, typer.Option("--before")] = 0,
    *,
    size: Size,
    between: Annotated[int, typer.Option("--between")] = 1,
    colour: Colour,
    loud: Annotated[bool, typer.Option("--loud")] = False,
) -> None:
    """Paint something."""
    GOT.append((name, before, size, between, colour, loud))


def twice(width: Annotated[int, typer.Option("--broad")] = 1, *, size: Size) -> None:
    """Has two options called width."""


def program(verb):
    made = typer.Typer()
    made.command()(spread(verb))
    return made


def painted(*arguments):
    GOT.clear()
    done = CliRunner().invoke(program(paint), arguments)
    return done.exit_code, [*GOT]


def test_options_stand_where_the_group_stands():
    command = typer.main.get_command(program(paint))
    assert [p.name for p in command.params if p.name not in ("install_completion", "show_completion")] == [
        "name", "before", "width", "height", "between", "colour", "loud",
    ]  # fmt: skip
    assert command.help == "Paint something."


def test_the_verb_gets_its_groups():
    assert painted("x", "--width", "7") == (0, [("x", 0, Size(width=7, height=2), 1, Colour(), False)])
    code, got = painted("x", "--loud", "--height", "3", "--width", "7", "--colour", "red", "--between", "9")
    assert (code, got) == (0, [("x", 0, Size(width=7, height=3), 9, Colour(colour="red"), True)])


@pytest.mark.parametrize("arguments", [["x"], ["x", "--width", "wide"], ["x", "--width", "7", "--size", "3"]])
def test_an_option_of_a_group_is_an_option(arguments):
    """Required where it has no default, of its type; the group itself is none."""
    assert painted(*arguments) == (2, [])


def test_one_name_twice_is_refused():
    with pytest.raises(ValueError, match="width"):
        spread(twice)


@pytest.mark.parametrize(
    "group", [Asked(ledger="postgresql://me:pass-4711@host/db"), AskedEngine(engine_option=["a=4711"])]
)
def test_what_may_hold_a_password_is_not_shown(group):
    assert "4711" not in repr(group)


def _commands(command):
    yield command
    for verb in getattr(command, "commands", {}).values():
        yield from _commands(verb)


def test_every_verb_that_selects_has_the_shared_options_in_one_order():
    """Own options first, then `Asked`, then the engine where there is one, then --json and --help."""
    shared, engine = ([field.name for field in fields(group)] for group in (Asked, AskedEngine))
    selecting = [c for c in _commands(typer.main.get_command(app)) if "reference" in {p.name for p in c.params}]
    assert {c.name for c in selecting} == {
        "top-vertex", "top-subgraph", "quantile", "best-mean", "mode", "best-model", "best-threshold", "best-split",
    }  # fmt: skip
    assert len(selecting) == 16  # each also under `compare`
    for command in selecting:
        names = [p.name for p in command.params]
        assert names[names.index("epsilon") :] in ([*shared, "as_json"], [*shared, *engine, "as_json"]), command.name
