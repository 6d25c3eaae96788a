"""Imports point downwards only; flint stays in one module; `import dpselect` loads nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dpselect

ROOT = Path(dpselect.__file__).parent

LAYERS = {
    # Errors and the version are below everything.
    "errors": 0,
    "_version": 0,
    "exact": 1,
    "profile": 2,
    "guarantee": 2,
    "laws": 2,
    "question": 2,
    "methods": 3,
    # What leaves the curator: made of a guarantee and public numbers, it knows neither methods nor problems.
    "release": 3,
    # A release in words, and as a page: made of a release alone, so that they cannot say more than it does.
    "words": 3,
    "card": 3,
    "verification": 4,
    "regret": 4,
    "bounds": 4,
    "problems": 5,
    "engines": 5,
    "selection": 6,
    "several": 6,
    "promises": 6,
    "ledger": 6,
    "comparison": 6,
    "tuning": 6,
    "worlds": 6,
    "failures": 6,
    "source_tables": 6,
    "cli": 7,
    "plots": 7,
    "integrations": 7,
    "__main__": 7,
}
"""The layers of architecture.md. `methods.choice` picks among methods from public facts, so it belongs to them."""

# A table of contents, typed for readers and loaded lazily: `dpselect/__init__.py` may name everything.
FRONT = "__init__"


def modules():
    return sorted(ROOT.rglob("*.py"))


def name_of(path):
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts


def imported(path):
    """(module, line) of every import, also those inside functions and under TYPE_CHECKING."""
    package = ["dpselect", *name_of(path)]
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, node.module] if node.module else base)
            yield module, node.lineno
            if module == "dpselect":
                # `from dpselect import laws` imports the module; `from dpselect import select` is lazy.
                yield from ((f"dpselect.{alias.name}", node.lineno) for alias in node.names)


def layer(module):
    parts = module.split(".")
    return LAYERS.get(parts[1]) if parts[0] == "dpselect" and len(parts) > 1 else None


def test_every_module_has_a_layer():
    unknown = {name_of(path)[0] for path in modules()} - set(LAYERS) - {FRONT}
    assert not unknown, f"add to LAYERS: {unknown}"


def upwards(path):
    own = name_of(path)[0]
    return [(m, line) for m, line in imported(path) if (layer(m) or 0) > LAYERS[own]]


@pytest.mark.parametrize("path", [p for p in modules() if name_of(p) != [FRONT]], ids=lambda p: ".".join(name_of(p)))
def test_imports_point_downwards(path):
    assert not upwards(path)


def test_an_upward_import_is_found(tmp_path, monkeypatch):
    """Negative control, in the forms an import can take."""
    for text in (
        "from dpselect.methods.ladder import Ladder",
        "import dpselect.selection",
        "def f():\n    from dpselect.problems import explicit",
        "from ..problems.explicit import World",
        "from dpselect import selection",
    ):
        path = ROOT / "exact" / "made_up.py"
        monkeypatch.setattr(Path, "read_text", lambda self, encoding=None, text=text: text)
        assert upwards(path), text
        monkeypatch.undo()


def test_only_one_module_knows_flint():
    users = {".".join(name_of(p)) for p in modules() for m, _ in imported(p) if m.split(".")[0] == "flint"}
    assert users == {"exact.reals"}


def test_the_package_keeps_no_private_import_of_the_tests():
    assert not [(p, m) for p in modules() for m, _ in imported(p) if m.split(".")[0] in ("tests", "oracle", "claims")]


HEAVY = ("numba", "scipy", "pandas", "polars", "pyarrow", "networkx", "igraph", "matplotlib", "sklearn", "duckdb")
EXTRAS = ("pyspark", "sqlglot", "sqlalchemy", "psycopg", "opendp", "dp_accounting", "matplotlib")


@pytest.mark.parametrize(
    "statement",
    ["import dpselect", "import dpselect.cli", "import dpselect as ds; ds.select([1, 2], epsilon=1, sensitivity=1)"],
)
def test_nothing_heavy_is_loaded(statement):
    code = f"import sys; {statement}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not set(HEAVY + EXTRAS) & set(done.stdout.split())


def test_importing_the_package_loads_no_layer():
    code = "import sys, dpselect; print(*[m for m in sys.modules if m.startswith('dpselect.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) <= {"dpselect._version"}
    assert "numpy" not in done.stdout
