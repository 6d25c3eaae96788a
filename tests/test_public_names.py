"""`import dpselect as ds` promises the same names at run time and to type checkers, and loads nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dpselect as ds

SOURCE = Path(ds.__file__).read_text(encoding="utf-8")


def _typed_names() -> set[str]:
    (block,) = (node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    names = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    # Without `as`, a strict type checker takes an import of a package for private.
    assert None not in names
    return names


def test_type_checkers_see_every_lazy_name():
    assert _typed_names() == set(ds.__all__) - {"__version__"}


@pytest.mark.parametrize("name", sorted(ds.__all__))
def test_every_name_can_be_had(name):
    assert getattr(ds, name) is not None
    assert name in dir(ds)


def test_an_unknown_name_is_an_attribute_error_with_a_suggestion():
    with pytest.raises(AttributeError) as caught:
        ds.selct  # noqa: B018
    assert caught.value.name == "selct"
    assert str(caught.value) == "module 'dpselect' has no attribute 'selct'; did you mean 'select'?"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("private_bound", "; did you mean 'PrivateBound'?"),
        ("privatebound", "; did you mean 'PrivateBound'?"),
        ("expected_regrets", "; did you mean 'expected_regret'?"),
        ("TopVertex", "; it is ds.graph.TopVertex"),
        ("Quantile", "; it is ds.table.Quantile"),
        ("Inverse", "; did you mean 'InverseSensitivity'?"),
        ("topvertex", "; did you mean 'graph.TopVertex'?"),
        ("BestMeen", "; did you mean 'table.BestMean'?"),
        ("best_mean", "; did you mean 'table.BestMean'?"),
        ("something_else_entirely", ""),
        ("_private", ""),
    ],
)
def test_hints(name, hint):
    with pytest.raises(AttributeError) as caught:
        getattr(ds, name)
    assert str(caught.value) == f"module 'dpselect' has no attribute {name!r}{hint}"


def test_a_traceback_suggests_once():
    done = subprocess.run([sys.executable, "-c", "import dpselect; dpselect.selct"], capture_output=True, text=True)
    assert done.stderr.lower().count("did you mean") == 1


def test_importing_the_package_loads_no_array_library():
    program = "import sys, dpselect; print(sorted({'numpy', 'scipy', 'numba', 'flint'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
