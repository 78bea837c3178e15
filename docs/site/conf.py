"""Sphinx's settings, by which `make docs-site` builds the pages of docs; the navigation is what index.md links to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
_SECTION = re.compile(r"^(?P<title>[A-Z][^:\n]*):(?P<links>(?:\s*\[[^\]]*\]\([^)]*\)[^\n\[]*)+)", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)]+)\.md\)")
CAPTIONS = {"Understand the methods, with their papers and how we read unclear places": "Understand"}

project = "Diglot"
author = "The Diglot authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Diglot"
html_copy_source = html_show_sourcelink = False
html_show_copyright = False
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]


def navigation() -> dict[str, list[str]]:
    """The pages that index.md links to, by the words that stand before them there; then pages without such words;
    then the decisions, which have an index of their own."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    found = {match["title"]: _LINK.findall(match["links"]) for match in _SECTION.finditer(text)}
    listed = {page for pages in found.values() for page in pages}
    rest = [page for page in dict.fromkeys(_LINK.findall(text)) if page not in listed]
    decisions = _LINK.findall((DOCS / "decisions" / "index.md").read_text(encoding="utf-8"))
    return found | {"More": rest, "Decisions": [f"decisions/{page}" for page in decisions]}


def with_navigation(_app: Any, name: str, source: list[str]) -> None:
    """Put the navigation behind the text of index.md."""
    if name == "index":
        for title, pages in navigation().items():
            listed = "\n".join(pages)
            caption = CAPTIONS.get(title, title)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", with_navigation)
