"""Running the program inside the test process: exit code, stdout and stderr."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dpselect.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: object) -> Ran:
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        shown = capsys.readouterr()
        return Ran(int(left.value.code or 0), shown.out, shown.err)

    return call


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    """A 30-clique on the ids a0 … a29 (406 triangles at each vertex) and a path of ten more ids."""
    clique = [(f"a{i}", f"a{j}") for i in range(30) for j in range(i)]
    path = [(f"p{i}", f"p{i + 1}") for i in range(9)]
    file = tmp_path / "edges.txt"
    file.write_text("".join(f"{u} {v}\n" for u, v in clique + path), encoding="utf-8")
    return file
