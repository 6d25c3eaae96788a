"""CLAIMS.md names symbols and tests that exist, and leaves no method out."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from dpselect.methods import METHODS

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CLAIMS.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("|") and not set(line) <= set("|- ") and not line.startswith("| Claim")
]
QUOTED = re.compile(r"`([^`]+)`")


def test_the_table_is_read():
    assert len(ROWS) > 40
    assert all(len(row) == 3 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_every_row_names_symbols_and_tests(row):
    symbols, tests = QUOTED.findall(row[1]), QUOTED.findall(row[2])
    assert symbols
    assert tests
    for symbol in symbols:
        assert exists(symbol), symbol
    for test in tests:
        path, _, name = test.partition("::")
        assert name in functions(path), test


def test_tests_named_in_the_text_exist():
    for test in re.findall(r"`(tests/[^`]+::[^`]+)`", TEXT):
        path, _, name = test.partition("::")
        assert name in functions(path), test


def test_every_method_is_listed_with_its_class():
    claims = {symbol for row in ROWS for symbol in QUOTED.findall(row[1])}
    names = {name for row in ROWS for name in QUOTED.findall(row[0])}
    for name, method in METHODS.items():
        assert name in names
        assert f"{method.__module__}.{method.__name__}" in claims


def test_controls():
    assert not exists("dpselect.methods.ladder.Leader")
    assert not exists("dpselect.method")
    assert "test_nothing" not in functions("tests/test_claims_table.py")


def exists(symbol):
    """Whether the longest importable prefix has the rest as attributes."""
    parts = symbol.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            if not hasattr(found, attribute):
                return False
            found = getattr(found, attribute)
        return True
    return False


@cache
def functions(path):
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
