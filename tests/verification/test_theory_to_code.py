"""docs/theory_to_code.md names symbols and tests that exist, and every section of the theory page has rows."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory_to_code.md").read_text(encoding="utf-8")
THEORY = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith(("|---", "| Statement"))]
PAPER = ("eq. 1", "eq. 2", "eq. 4", "eqs. 6, 7", "eqs. 8–15", "eq. 13", "eq. 21", "eq. 33", "eq. 36", "eq. 40",
         "eq. 48", "section 2.3", "Theorem 4.3", "Corollary 5.3", "Theorem 5.4", "Definition 7.1", "Theorem 7.2",
         "Lower bound 8.1", "Lower bound 8.2", "Table 1", "Table 3")  # fmt: skip


def resolved(symbol):
    """The object of a dotted name: the longest importable prefix, then attributes (fields of a class included)."""
    parts = symbol.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = getattr(found, name)
        return found
    raise LookupError(symbol)


def test_names(path, name):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


test_names.__test__ = False


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:50])
def test_every_row_names_what_exists(row):
    _, statement, symbols, tests, _ = row.split("|")
    assert statement.strip()
    named = re.findall(r"`([^`]+)`", symbols)
    assert named, row
    for symbol in named:
        resolved(symbol)
    found = re.findall(r"`([^`]+)::([^`]+)`", tests)
    assert found, row
    for path, name in found:
        assert test_names(path, name), (path, name)


def test_every_section_of_the_theory_is_here():
    numbers = re.findall(r"^## (\d+b?)\.", THEORY, re.MULTILINE)
    assert numbers
    for number in numbers:
        assert re.search(rf"^## {number}\.", PAGE, re.MULTILINE), number


@pytest.mark.parametrize("label", PAPER)
def test_what_the_theory_cites_of_the_paper_is_here(label):
    assert label in PAGE


def test_a_symbol_that_does_not_exist_is_noticed():
    with pytest.raises((LookupError, AttributeError)):
        resolved("dpselect.laws.Gobbs")
    assert not test_names("tests/test_laws.py", "test_that_is_not_there")
