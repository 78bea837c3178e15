"""Kinds of paragraphs: headings by size, listings by font, list items by their mark, cells by their neighbours."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from diglot.documents.pdf.leaders import find_leader
from diglot.documents.pdf.letters import is_ideograph
from diglot.documents.pdf.lines import Line
from diglot.documents.pdf.pages import PageContent
from diglot.documents.pdf.paragraphs import Paragraph

LARGER = 1.1
"""Least size of a heading, as a multiple of the size of most text."""
HEADING_LINES, HEADING_LETTERS = 3, 200
"""Most lines and most characters of a heading."""
MAX_MONOSPACED = 0.6
"""Largest share of the text in a monospaced font of listings; a font with more is the font of the document."""
SAME_WIDTH = 0.04
"""Largest difference between narrow and wide letters of a monospaced font, in font sizes; other fonts have .3."""
NARROW, WIDE = np.array([*map(ord, "ijltfr.,:")]), np.array([*map(ord, "mwMWGOQAH")])
"""Codes of narrow and of wide letters."""


class Fonts:
    """Widths of narrow and wide letters by font, gathered over pages."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])

    def add(self, page: PageContent) -> None:
        """Measure the letters of a page."""
        characters = page.characters
        for place, letters in ((0, NARROW), (2, WIDE)):
            rows = np.flatnonzero(np.isin(characters.codes, letters) & (characters.sizes > 0) & (characters.turns == 0))
            widths = (characters.boxes[rows, 2] - characters.boxes[rows, 0]) / characters.sizes[rows]
            counts = np.bincount(characters.fonts[rows], minlength=len(page.fonts))
            sums = np.bincount(characters.fonts[rows], widths, len(page.fonts))
            for name, count, total in zip(page.fonts, counts.tolist(), sums.tolist(), strict=True):
                self._sums[name][place] += count
                self._sums[name][place + 1] += total

    def monospaced_fonts(self) -> frozenset[str]:
        """Names of the fonts with narrow letters as wide as the wide letters."""
        return frozenset(
            name
            for name, (narrow, narrow_sum, wide, wide_sum) in self._sums.items()
            if narrow > 2 and wide > 2 and abs(narrow_sum / narrow - wide_sum / wide) < SAME_WIDTH
        )


def set_kinds(paragraphs: Sequence[Paragraph], monospaced: frozenset[str]) -> list[Paragraph]:
    """The paragraphs with a kind each; consecutive lines of a listing become one paragraph."""
    letters: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    for line in (line for paragraph in paragraphs for line in paragraph.lines):
        letters[_size(line)] += len(line.text)
        fonts[line.font] += len(line.text)
    monospaced = frozenset(font for font in monospaced if fonts[font] <= MAX_MONOSPACED * letters.total())
    body = max(letters, key=lambda size: (letters[size], size), default=0.0)
    headings = [paragraph for paragraph in paragraphs if not paragraph.kind and _is_heading(paragraph, body)]
    sizes = sorted({_size(paragraph.lines[0]) for paragraph in headings}, reverse=True)
    for paragraph in headings:
        paragraph.kind = f"h{min(sizes.index(_size(paragraph.lines[0])) + 1, 6)}"
    for before, paragraph, after in zip([None, *paragraphs], paragraphs, [*paragraphs[1:], None], strict=False):
        if paragraph.kind in ("", "p") and _is_listing(paragraph.lines, monospaced):
            paragraph.kind = "pre"
        elif not paragraph.kind:
            paragraph.kind = _kind(before, paragraph, after)
    return _join_listings(paragraphs)


def _size(line: Line) -> float:
    return round(line.size * 2) / 2


def _is_heading(paragraph: Paragraph, body: float) -> bool:
    lines = paragraph.lines
    count = sum(len(line.text) for line in lines)
    return (
        _size(lines[0]) > LARGER * body
        and len(lines) <= HEADING_LINES
        and count <= HEADING_LETTERS
        and sum(map(str.isalpha, lines[0].text)) > 1
        and find_leader(lines[-1].text) is None
    )


def _is_listing(lines: Sequence[Line], monospaced: frozenset[str]) -> bool:
    return all(line.font in monospaced for line in lines) and not any(is_ideograph(line.text[0]) for line in lines)


def _kind(before: Paragraph | None, paragraph: Paragraph, after: Paragraph | None) -> str:
    if paragraph.item or find_leader(paragraph.last.text):
        return "li"
    beside = any(other is not None and _beside(paragraph, other) for other in (before, after))
    return "td" if beside else "p"


def _beside(paragraph: Paragraph, other: Paragraph) -> bool:
    """Whether two paragraphs begin on one row."""
    one, two = paragraph.lines[0], other.lines[0]
    apart = one.right <= two.left or two.right <= one.left
    return one.page == two.page and apart and abs(one.baseline - two.baseline) < 0.3 * one.size


def _join_listings(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Join untagged listings on consecutive lines into one paragraph."""
    joined: list[Paragraph] = []
    for paragraph in paragraphs:
        before = joined[-1] if joined else None
        if (
            before
            and paragraph.kind == before.kind == "pre"
            and paragraph.lines[0].tag < 0
            and _follows(before.last, paragraph.lines[0])
        ):
            before.lines += paragraph.lines
        else:
            joined.append(paragraph)
    return joined


def _follows(last: Line, first: Line) -> bool:
    """Whether ``first`` is the next line below ``last``."""
    return first.page == last.page and 0 < last.baseline - first.baseline < 1.6 * first.size
