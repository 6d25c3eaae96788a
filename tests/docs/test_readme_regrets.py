"""The regret table of the README says what the generated page says."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
COLUMNS = {
    "global-scale": "global scale",
    "private-bound": "private bound",
    "certificate-search": "certificate search",
    "direct-smooth": "direct smooth",
    "ladder": "ladder",
    "inverse-sensitivity": "inverse sensitivity",
}


def tables(text: str) -> list[list[dict[str, str]]]:
    """Every Markdown table, as rows by heading, without emphasis."""
    found: list[list[dict[str, str]]] = []
    heading: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip().strip("*`") for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heading = []
        elif not heading:
            heading, rows = cells, []
            found.append(rows)
        elif not set(line.strip()) <= set("|-: ") and len(cells) == len(heading):
            rows.append(dict(zip(heading, cells, strict=True)))
    return found


def test_the_readme_repeats_the_generated_table() -> None:
    page = (ROOT / "docs" / "graph" / "triangle-methods.md").read_text(encoding="utf-8").split("## Permute-and-flip")[1]
    generated = {row["graph"]: row for row in tables(page)[0] if row["ε"] == "1"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("`", "").replace(", δ = 0", "")
    shown = next(t for t in tables(readme) if t and "direct-smooth" in t[0])
    assert len(shown) == len(generated) == 13
    for row in shown:
        name = row["graph"].split(",")[0]
        assert {k: row[k] for k in COLUMNS} == {k: generated[name][v] for k, v in COLUMNS.items()}
