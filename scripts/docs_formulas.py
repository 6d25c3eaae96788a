"""MkDocs hook: formulas written in plain text get their indices and exponents.

The sources stay readable as they are (`e^{−βt} A_x(t)`), and the site asks nobody for a formula renderer.
"""

from __future__ import annotations

import re
from typing import Any

TAG = re.compile(r"(<[^>]+>)")
MARKED = re.compile(r"([_^])(?:\{((?:[^{}]|\{[^{}]*\})*)\}|([-−]?[^\W_]+))")
ELEMENT = {"_": "sub", "^": "sup"}


def with_indices(text: str, marks: str = "_^") -> str:
    """Plain text in which `_x`, `^x`, `_{…}`, `^{…}` are HTML.

    >>> with_indices("e^{ε_s} A_x(t)")
    'e<sup>ε<sub>s</sub></sup> A<sub>x</sub>(t)'
    >>> with_indices("snake_case e^ε", "^")
    'snake_case e<sup>ε</sup>'
    >>> with_indices("10^−6, 2^-40")
    '10<sup>−6</sup>, 2<sup>-40</sup>'
    """

    def html(found: re.Match[str]) -> str:
        if found[1] not in marks:
            return found[0]
        name = ELEMENT[found[1]]
        inside = found[3] if found[2] is None else with_indices(found[2], marks)
        return f"<{name}>{inside}</{name}>"

    return MARKED.sub(html, text)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """On the theory page an underscore is an index, never emphasis; indented lines are formulas already."""
    if page.file.src_uri != "theory.md":
        return markdown
    return "\n".join(line if line.startswith("    ") else line.replace("_", r"\_") for line in markdown.split("\n"))


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Formulas of the theory page everywhere outside inline code; exponents in the running text of other pages."""
    path = page.file.src_uri
    if path == "api.md":
        return html
    theory = path == "theory.md"
    result, code, block = [], 0, 0
    for piece in TAG.split(html):
        if piece.startswith("<"):
            name, change = piece.strip("</>").split()[0], -1 if piece.startswith("</") else 1
            code += change * (name == "code")
            block += change * (name == "pre")
            result.append(piece)
        elif block if code else not block:
            result.append(with_indices(piece) if theory else piece if code else with_indices(piece, "^"))
        else:
            result.append(piece)
    return "".join(result)
