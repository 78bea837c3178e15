"""Headers, footers and page numbers: lines at the edge of a page that repeat at one height, or count with the pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from diglot.documents.pdf.lines import Line

OUTER_ROWS = 4
"""Rows from the top, and from the bottom, that may be headers and footers."""
ENOUGH_PAGES = 3
"""Least pages with the same header, where the document has so many."""
NEIGHBOURS = 2
"""Most pages from a header to the next page with the same header: odd and even pages may differ."""
MOST = 0.6
"""Least share of a header's pages with a neighbour that has it, and least share of all pages with a header at a height,
so that other lines at this height are headers as well."""
SAME_HEIGHT = 3.0
"""Largest difference in height of a header on two pages, in points: its text may move it."""
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"\W*(?:\w+\.?\s)?(\d+|[ivxlc]+)(?:\s?(?:/|\w+)\s?\d+)?\W*", re.IGNORECASE)
"""A page number, alone or as in "Page 3 of 10" or "3/10"."""


def without_furniture(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """The lines of each page without headers, footers and page numbers; all of them where nothing else is there."""
    depth = OUTER_ROWS if len(pages) >= ENOUGH_PAGES else 1  # two pages: the outermost rows alone
    outer = [_outer_rows(lines, depth) for lines in pages]
    places: dict[tuple[str, int], set[int]] = defaultdict(set)
    for page, rows in enumerate(outer):
        for row in rows:
            for line in row:
                places[_key(line)].add(page)
    repeated = {key for key, found in places.items() if _repeats(sorted(found), len(pages))}
    heights = _heights(outer, repeated)
    kept = [_body_lines(lines, rows, repeated, heights) for lines, rows in zip(pages, outer, strict=True)]
    return kept if any(kept) else list(pages)


def _outer_rows(lines: list[Line], depth: int) -> list[list[Line]]:
    """Rows of lines of one height, from top to bottom: the first and the last ``depth`` rows of the page."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda each: -each.baseline):
        if rows and rows[-1][0].baseline - line.baseline < SAME_HEIGHT:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows if len(rows) <= 2 * depth else rows[:depth] + rows[-depth:]


def _key(line: Line) -> tuple[str, int]:
    return _NUMBER.sub("#", line.text.casefold()), round(line.baseline / SAME_HEIGHT)


def _repeats(pages: list[int], count: int) -> bool:
    """Whether a line on these of ``count`` pages repeats often and near enough for a header or footer."""
    if len(pages) < max(min(ENOUGH_PAGES, count), 2):
        return False
    near = sum(after - before <= NEIGHBOURS for before, after in pairwise(pages))
    return near >= MOST * (len(pages) - 1)


def _heights(outer: list[list[list[Line]]], repeated: set[tuple[str, int]]) -> set[int]:
    """Heights at which the outermost row is mostly furniture: rows there that change (a chapter's title) are, too."""
    first = Counter(round(row[0].baseline / SAME_HEIGHT) for rows in outer for row in rows[:1] + rows[-1:])
    known = Counter(
        round(row[0].baseline / SAME_HEIGHT)
        for rows in outer
        for row in rows[:1] + rows[-1:]
        if any(_key(line) in repeated for line in row)
    )
    return {height for height, count in known.items() if count >= ENOUGH_PAGES and count >= MOST * first[height]}


def _body_lines(
    lines: list[Line], rows: list[list[Line]], repeated: set[tuple[str, int]], heights: set[int]
) -> list[Line]:
    left_out: set[int] = set()
    for place, row in enumerate(rows):
        outermost = place in (0, len(rows) - 1)
        if outermost and round(row[0].baseline / SAME_HEIGHT) in heights:
            left_out.update(map(id, row))
        left_out.update(id(line) for line in row if _key(line) in repeated)
        if outermost and len(row) == 1 and _is_page_number(row[0]):
            left_out.add(id(row[0]))
    return [line for line in lines if id(line) not in left_out]


def _is_page_number(line: Line) -> bool:
    found = _PAGE_NUMBER.fullmatch(line.text)
    return bool(found and found[1].isdigit() and int(found[1]) == line.page)
