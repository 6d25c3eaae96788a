"""What is shipped: the wheel, its extras, its citation. Building and installing is slow and needs the network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "check_extras"


def test_every_extra_is_used_in_a_fresh_environment() -> None:
    loader = SourceFileLoader("check_extras", str(SCRIPT))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_extras", loader))
    loader.exec_module(script)
    assert set(script.declared()) <= set(script.USES)


def test_what_dev_leaves_out_is_named() -> None:
    """`make test` runs all but Spark, which needs Java: what a user can install, the extra `dev` brings along."""
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra, needs in extras.items():
        if extra not in ("dev", "docs", "spark"):
            assert set(needs) <= set(extras["dev"]), extra


def test_the_citation_is_complete() -> None:
    """The keys that the Citation File Format 1.2.0 requires, and an author."""
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    keys = {line.split(":")[0] for line in lines if line and not line.startswith(("#", " ", "-"))}
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= keys
    assert "cff-version: 1.2.0" in lines
    assert any(line.startswith("  - name:") for line in lines)


@pytest.mark.slow
def test_wheel_and_extras_in_fresh_environments() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
