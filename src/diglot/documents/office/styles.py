"""Styles of DOCX and ODT, which inherit from each other: role of a paragraph, language, and whether text is hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_PARENTS = 20
"""Styles up the chain; real chains have three. Damaged files have circles."""

_HEADING = re.compile(r"heading (\d{1,9})(?: .*)?")
_NAMED = {
    "title": "h1",
    "subtitle": "h2",
    "caption": "caption",
    "table caption": "caption",
    "image caption": "caption",
    "captioned figure": "caption",
    "illustration": "caption",
    "source code": "pre",
    "html preformatted": "pre",
    "preformatted text": "pre",
}
_CONTENTS = re.compile(r"(?:toc|contents|index|table of figures)(?: (?:heading|\d+))?")
CONTENTS = "contents"
"""Kind of a line in a table of contents, which repeats a heading with its page number."""


@dataclass(frozen=True, slots=True)
class Style:
    """Properties of a style; None or "" where the style inherits the property."""

    name: str = ""
    parent: str = ""
    kind: str = ""
    lang: str = ""
    hidden: bool | None = None


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles of a document by their identifiers. ``default_lang``: of text without any stated language."""

    styles: Mapping[str, Style]
    default_lang: str = ""

    def kind(self, name: str) -> str:
        """Kind of block of the paragraphs in a style, "" for plain ones."""
        return next((kind for style in self._chain(name) if (kind := style.kind or kind_by_name(style.name))), "")

    def lang(self, name: str) -> str:
        """Language of the text in a style, "" where no style up the chain states one."""
        return next((style.lang for style in self._chain(name) if style.lang), "")

    def hidden(self, name: str) -> bool:
        """Whether the text in a style is hidden."""
        return next((style.hidden for style in self._chain(name) if style.hidden is not None), False)

    def _chain(self, name: str) -> list[Style]:
        found: list[Style] = []
        while (name or name in self.styles) and len(found) < MAX_PARENTS:
            # A built-in style need not be written down.
            found.append(self.styles.get(name, Style(name)))
            name = found[-1].parent
        return found


def kind_by_name(name: str) -> str:
    """Kind of block by the name of a built-in style, which is English in every translation of the program.

    >>> kind_by_name("heading 2"), kind_by_name("Preformatted_20_Text"), kind_by_name("toc 1"), kind_by_name("Quote")
    ('h2', 'pre', 'contents', '')
    """
    plain = name.replace("_20_", " ").strip().lower()
    heading = _HEADING.fullmatch(plain)
    if heading:
        return heading_kind(int(heading[1]))
    return CONTENTS if _CONTENTS.fullmatch(plain) else _NAMED.get(plain, "")


def heading_kind(level: int) -> str:
    """``h1`` to ``h6`` of a level from 1; deeper levels are ``h6``."""
    return f"h{min(max(level, 1), 6)}"
