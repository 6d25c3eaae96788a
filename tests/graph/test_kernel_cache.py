"""Compiled kernels are cached on disk, and the cache notices a change in a kernel that is only called."""

import subprocess
import sys
from pathlib import Path

import pytest

import dpselect.problems.graph.kernels.jit as jit
from dpselect.problems.graph.kernels.triangles import count_triangles

STAMPS = "        _depend_on_all_kernels(compiled)\n"
CALLER = """
from kernels.callee import one
from kernels.jit import kernel

@kernel
def two():
    return 2 * one()
"""
CALLEE = """
from kernels.jit import kernel

@kernel
def one():
    return {}
"""
PROGRAM = "from kernels.caller import two\nprint(two(), len(two.stats.cache_hits))"


@pytest.mark.parametrize(("stamped", "last"), [(True, ["600", "0"]), (False, ["42", "1"])])
def test_a_changed_callee_is_compiled_anew(tmp_path, stamped, last):
    """Control: by itself the cache goes on giving 42."""
    text = Path(jit.__file__).read_text(encoding="utf-8")
    assert STAMPS in text
    package = tmp_path / "kernels"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "jit.py").write_text(text if stamped else text.replace(STAMPS, ""), encoding="utf-8")
    (package / "caller.py").write_text(CALLER)

    def run():
        command = [sys.executable, "-c", PROGRAM]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()

    (package / "callee.py").write_text(CALLEE.format(21))
    assert run() == ["42", "0"]
    assert run() == ["42", "1"]
    (package / "callee.py").write_text(CALLEE.format(300))
    assert run() == last


def test_every_kernel_has_the_stamp():
    assert count_triangles._cache._cache_file._source_stamp[1] == jit.sources()
    assert {"jit.py", "triangles.py"} <= {name for name, _, _ in jit.sources()}
