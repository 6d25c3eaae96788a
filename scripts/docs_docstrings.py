"""Griffe extension of the documentation build: docstrings of this project as Markdown.

A docstring here states an equation, then labelled sentences ("Guarantee: …"), then a doctest. Markdown would run the
labels together and take the doctest for a quotation.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

LABELS = re.compile(
    r"(?<!\n)\n(?=(?:Guarantee|Errors|Cost|Source|Regret|Utility|Law|Method|Proof|Publishable[^:\n]*)"
    r"(?: \([^)\n]*\))?[:.] )"
)
LABEL = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)?(?: \([^)\n]*\))?): (?=\S)", re.MULTILINE)
SECTION = re.compile(r"^(Arguments|Attributes|Returns|Raises) \(.*\):$", re.MULTILINE)
DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


def as_markdown(text: str) -> str:
    """The docstring with sections that the parser knows, bold labels on lines of their own, and fenced doctests.

    >>> as_markdown("f = g.\\n\\nGuarantee: pure.\\nCost: none.\\n\\n>>> 1\\n1")
    'f = g.\\n\\n**Guarantee**: pure.\\n\\n**Cost**: none.\\n\\n```pycon\\n>>> 1\\n1\\n```'
    """
    text = SECTION.sub(r"\1:", text)
    text = LABELS.sub("\n\n", text)
    text = LABEL.sub(r"**\1**: ", text)
    return DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", text)


class Docstrings(griffe.Extension):
    """Applies `as_markdown` to every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
