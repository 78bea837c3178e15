"""Headers, footers and page numbers: lines at the edge of a page that repeat at one height, or count with the pages."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

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
_STEP = 0.1
"""Heights are counted in steps of so many points, so that a text has few heights to compare."""
_REACH = round(SAME_HEIGHT / _STEP)
MAX_PAGE_NUMBER_CHARS = 40
"""Most characters of a line that is a page number: two words, two numbers and marks around them, as in
"– Pagina 1024 van 2048 –". The time to compare grows with the square of the characters."""
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"\W*(?:\w+\.?\s)?(\d{1,9})(?:\s?(?:/|\w+)\s?\d+)?\W*")
"""A page number, alone or as in "Page 3 of 10" or "3/10"."""
_ROMAN_NUMBER = re.compile(r"\W*([ivxlc]+)\W*")
"""A page number of a preface, alone and in small letters: *I* and *Part I* may be titles."""
_ROMAN = {100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}


def without_furniture(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """The lines of each page without headers, footers and page numbers; all of them where nothing else is there."""
    depth = OUTER_ROWS if len(pages) >= ENOUGH_PAGES else 1  # two pages: the outermost rows alone
    outer = [_outer_rows(lines, depth) for lines in pages]
    places: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for page, rows in enumerate(outer):
        for row in rows:
            for line in row:
                text, height = _key(line)
                places[text][height].add(page)
    repeated = {(text, height) for text in places for height in _repeated_heights(places[text], len(pages))}
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
    return _NUMBER.sub("#", line.text.casefold()), _height(line)


def _height(line: Line) -> int:
    return round(line.baseline / _STEP)


def _near(heights: Sequence[int], height: int) -> slice:
    """The slice of sorted heights that are the same as this one, or nearly."""
    return slice(bisect_left(heights, height - _REACH), bisect_right(heights, height + _REACH))


def _repeated_heights(pages_at: Mapping[int, set[int]], count: int) -> Iterable[int]:
    """Heights of a text at which it is a header or footer, by its pages at this height or nearly so."""
    heights = sorted(pages_at)
    for height in heights:
        # No more than 2 _REACH + 1 heights are near, so the work grows with the number of lines alone.
        pages = set().union(*(pages_at[near] for near in heights[_near(heights, height)]))
        if _repeats(sorted(pages), count):
            yield height


def _repeats(pages: list[int], count: int) -> bool:
    """Whether a line on these of ``count`` pages repeats often and near enough for a header or footer."""
    if len(pages) < max(min(ENOUGH_PAGES, count), 2):
        return False
    near = sum(after - before <= NEIGHBOURS for before, after in pairwise(pages))
    return near >= MOST * (len(pages) - 1)


def _heights(outer: list[list[list[Line]]], repeated: set[tuple[str, int]]) -> set[int]:
    """Heights at which the outermost row is mostly furniture: rows there that change (a chapter's title) are, too."""
    outermost = [row for rows in outer for row in rows[:1] + rows[-1:]]
    found = sorted((_height(row[0]), any(_key(line) in repeated for line in row)) for row in outermost)
    heights = [height for height, _ in found]
    # Number of rows that are known as furniture among the first n.
    known = [0, *accumulate(int(is_known) for _, is_known in found)]
    mostly = set()
    for height in set(heights):
        near = _near(heights, height)
        count = known[near.stop] - known[near.start]
        if count >= ENOUGH_PAGES and count >= MOST * (near.stop - near.start):
            mostly.add(height)
    return mostly


def _body_lines(
    lines: list[Line], rows: list[list[Line]], repeated: set[tuple[str, int]], heights: set[int]
) -> list[Line]:
    left_out: set[int] = set()
    for place, row in enumerate(rows):
        outermost = place in (0, len(rows) - 1)
        if outermost and _height(row[0]) in heights:
            left_out.update(map(id, row))
        left_out.update(id(line) for line in row if _key(line) in repeated)
        if outermost and len(row) == 1 and _is_page_number(row[0]):
            left_out.add(id(row[0]))
    return [line for line in lines if id(line) not in left_out]


def _is_page_number(line: Line) -> bool:
    if len(line.text) > MAX_PAGE_NUMBER_CHARS:
        return False
    if found := _PAGE_NUMBER.fullmatch(line.text):
        return int(found[1]) == line.page
    roman = _ROMAN_NUMBER.fullmatch(line.text)
    return roman is not None and roman[1] == _roman_number(line.page)


def _roman_number(number: int) -> str:
    """A number in small Roman letters.

    >>> _roman_number(4), _roman_number(89), _roman_number(300)
    ('iv', 'lxxxix', 'ccc')
    """
    letters = ""
    for value, sign in _ROMAN.items():
        letters += number // value * sign
        number %= value
    return letters
