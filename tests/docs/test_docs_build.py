"""The two helpers of the documentation build."""

from __future__ import annotations

import doctest
import importlib.util
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize(("script", "needs"), [("docs_formulas", None), ("docs_docstrings", "griffe")])
def test_examples_of(script, needs):
    if needs:
        pytest.importorskip(needs, reason="comes with the extra `docs`")
    spec = importlib.util.spec_from_file_location(script, SCRIPTS / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ran = doctest.testmod(module)
    assert ran.attempted > 0
    assert ran.failed == 0
