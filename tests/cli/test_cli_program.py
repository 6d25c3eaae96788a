"""The program as such: what it loads, what its exit code says, that no data leak through an error."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import typer

import dpselect as ds
from dpselect import words
from dpselect.cli import answer
from dpselect.cli.app import app
from dpselect.cli.asked import Asked
from dpselect.cli.request import Request

HELP = [[], ["--help"], ["-h"], ["graph", "--help"], ["graph", "top-vertex", "--help"], ["demo", "--help"]]


@pytest.mark.parametrize("arguments", [["--help"], ["graph", "top-vertex", "--help"], ["--version"]])
def test_help_loads_no_array_library(arguments):
    """What makes help quick, stated as imports: a clock would measure the machine."""
    program = (
        "import sys\n"
        "from dpselect.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit as left:\n"
        "    assert not left.code\n"
        "heavy = {'numpy', 'scipy', 'numba', 'flint', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("arguments", HELP)
def test_help_fits_80_columns(run, monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run(*arguments)
    assert ran.code == (0 if arguments else 2)  # no verb at all is a usage error, answered with the help
    assert "Usage" in ran.out + ran.err
    assert max(len(line) for line in (ran.out + ran.err).splitlines()) <= 80


def test_module_and_script_are_the_same_program(edges):
    tail = ["graph", "top-vertex", str(edges), "--seed", "1", "--json"]
    module = subprocess.run([sys.executable, "-m", "dpselect", *tail], capture_output=True, text=True, check=True)
    code = "import sys; from dpselect.cli import main; main(sys.argv[1:])"
    script = subprocess.run([sys.executable, "-c", code, *tail], capture_output=True, text=True, check=True)
    assert module.stdout == script.stdout
    assert module.stderr == script.stderr


def test_version(run):
    assert run("--version").out.strip() == ds.__version__


@pytest.mark.parametrize("arguments", [["grpah"], ["graph", "top-vertx"], ["graph", "top-vertex"], ["demo", "--nope"]])
def test_usage_errors_end_with_2(run, arguments):
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Usage" in ran.err


@pytest.fixture
def release():
    return ds.select({"a": 3, "b": 500}, epsilon=1, sensitivity=1, method="global-scale")


@pytest.fixture
def request_of_it():
    return Request.of(Asked(delta="0"))


@pytest.mark.parametrize("as_json", [True, False])
def test_nothing_released_ends_with_3(release, request_of_it, capsys, as_json):
    nothing = replace(release, status="not-released", candidates=(), temperature=None)
    with pytest.raises(typer.Exit) as left:
        answer.finish([nothing], request_of_it, as_json=as_json)
    assert left.value.exit_code == 3
    shown = capsys.readouterr().out
    assert ("not-released" if as_json else "nothing was released") in shown
    assert "Regret" not in shown


def test_a_release_ends_with_0(release, request_of_it, capsys):
    answer.finish([release], request_of_it, as_json=False)
    assert "Answer" in capsys.readouterr().out


def test_an_id_cannot_steer_the_terminal(release, request_of_it, capsys):
    answer.finish([replace(release, candidates=("\x1b[2J\x9b1mroot\u202e",))], request_of_it, as_json=False)
    shown = capsys.readouterr().out
    assert "\\x1b[2J\\x9b1mroot\\u202e" in shown
    assert all(character.isprintable() for character in shown.replace("\n", ""))


def test_a_number_stays_with_its_name(release, request_of_it, capsys, monkeypatch):
    for columns in range(40, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        answer.finish([release], request_of_it, as_json=False)
        assert "e^ε = 2.719." in capsys.readouterr().out


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_a_release_fits_the_terminal(release, request_of_it, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    answer.finish([release], request_of_it, as_json=False)
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= columns


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1), "1"),
        (Fraction(1, 10**6), "1e-6"),
        (Fraction(1, 10**12), "1e-12"),
        (Fraction(3, 10**7), "3e-7"),
        (Fraction(1, 3), "1/3"),
        (Fraction("0.05"), "0.05"),
        (Fraction(95), "95"),
        (Fraction(10**9), "1e9"),
    ],
)
def test_numbers_as_people_write_them(value, shown):
    assert words.decimal(value) == shown


@pytest.mark.parametrize(
    "value", [Fraction(1, 3), Fraction(2, 3), Fraction(10**9, 7), Fraction(1, 10**9 + 7), Fraction(99999)]
)
def test_bounds_are_never_rounded_down(value):
    shown = Fraction(words.rounded_up(value).replace(",", ""))
    assert value <= shown <= value * Fraction(1002, 1000)


def test_the_factor_in_the_guarantee_is_not_below_the_truth(release):
    assert "at most e^ε = 2.719." in words.guarantee_in_words(release).replace("\u00a0", " ")  # e = 2.71828…


def _verbs(command, path=()):
    for name, verb in getattr(command, "commands", {}).items():
        yield from _verbs(verb, (*path, name)) if hasattr(verb, "commands") else [" ".join((*path, name))]


def test_every_verb_is_documented_and_prints_json():
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    program = typer.main.get_command(app)
    for verb in _verbs(program):
        assert f"`{verb}" in page, f"docs/cli.md does not mention {verb!r}"
        command = program
        for name in verb.split():
            command = command.commands[name]
        assert "--json" in {option for parameter in command.params for option in parameter.opts}, verb
