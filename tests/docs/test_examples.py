"""Every example of the README and of the documentation is run, page by page, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import dpselect as ds

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    language: str
    code: str
    line: int


def examples(page: Path) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    return [Example(found[1], found[2], text.count("\n", 0, found.start()) + 2) for found in BLOCK.finditer(text)]


def run_console(code: str, folder: Path) -> str:
    """The `$ dpselect …` lines of a block, each to end with 0; what they printed, without colour."""
    shown = []
    for line in code.splitlines():
        words = shlex.split(line.removeprefix("$ ")) if line.startswith("$ dpselect") else []
        if words:
            command = [sys.executable, "-m", *words]
            environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            shown.append(done.stdout)
    return "".join(shown)


@pytest.mark.parametrize("page", [p for p in PAGES if examples(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_run(page, tmp_path, monkeypatch):
    """Blocks of one page share their names, as a reader who types them one after the other would have it."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for example in examples(page):
        if example.language == "python":
            # Line numbers of a failure are those of the page.
            exec(compile("\n" * (example.line - 1) + example.code, str(page), "exec"), names)
        else:
            run_console(example.code, tmp_path)


def test_a_broken_example_is_noticed(tmp_path):
    """The negative control of this file."""
    page = tmp_path / "page.md"
    page.write_text(
        "text\n\n```python\nassert 1 + 1 == 3\n```\n\n```console\n$ dpselect grpah\n```\n", encoding="utf-8"
    )
    python, console = examples(page)
    assert python.line == 4
    with pytest.raises(AssertionError):
        exec(python.code, {})
    with pytest.raises(AssertionError, match="grpah"):
        run_console(console.code, tmp_path)


def test_the_readme_answers_within_40_lines():
    first = examples(ROOT / "README.md")[0]
    assert first.language == "python"
    assert first.line + first.code.count("\n") <= 40
    assert "ds.select(" in first.code


def test_links_between_pages_hold():
    """Relative links of the README and of the pages beside it; those inside docs/ are checked by the strict build."""
    for page in ROOT.glob("*.md"):
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_one_version_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == ds.__version__
    assert f"## {ds.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_api_page():
    """Packages and constants aside: each class and function that `import dpselect as ds` offers."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in ds.__all__:
        thing = getattr(ds, name)
        if callable(thing) and not issubclass(thing if isinstance(thing, type) else object, ds.DPSelectError):
            assert re.search(rf"^::: dpselect\.[\w.]*\.{name}$", page, re.MULTILINE), name
