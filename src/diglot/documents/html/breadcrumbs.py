"""Breadcrumbs: the way from the home page to a page, *Home / Practice areas / Company registration*.

Each step is a text of its own: it stands by itself elsewhere, and no translator meets the trail as a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from diglot.documents.html.page_text import PageText, divide_blocks, without_chunks
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import start_code

_MARKED = re.compile(
    rb'(?:^|\s)(?:class|aria-label|itemtype|typeof)="[^"]*\b(?<!has-)(?<!no-)(?<!with-)breadcrumbs?(?:list)?\b',
    re.IGNORECASE,
)
"""Attributes of the element around a trail, as themes, ARIA's examples and schema.org name it. A theme says
*has-breadcrumb* of the page."""
_NAMED = re.compile(rb"readcrumb|READCRUMB")
_MOST_CHARS = 200
"""Most characters of a trail: the column of a page may be named after the trail at its top."""
_MOST_MARK_CHARS = 3
"""Most characters of a separator: ``>>``, ``::``."""
_BODY = start_code("body")
"""Themes say in a class of the whole page that it has a trail."""


def divide_breadcrumbs(page: PageText, markup: bytes, pieces: Pieces) -> PageText:
    """The page with a block for each step of a trail and without the marks between steps.

    ``pieces``: those that the chunks were folded from.
    """
    before = page.chunks.before
    new_ends: list[int] = []
    marks: list[int] = []
    for start, end in _trails(markup, pieces):
        first, behind = int(before[start]), int(before[end])
        if len(page.chunks.beginning(first, behind, _MOST_CHARS + 1)) > _MOST_CHARS:
            continue
        for chunk in range(first, behind):
            text = page.chunks.beginning(chunk, chunk + 1, _MOST_MARK_CHARS + 3).strip()
            if len(text) <= _MOST_MARK_CHARS and not any(map(str.isalnum, text)):
                marks.append(chunk)
            else:
                new_ends.append(chunk + 1)
        new_ends += [first] if first else []
    if not new_ends:
        return page
    return without_chunks(divide_blocks(page, new_ends), sorted(set(marks)))


def _trails(markup: bytes, pieces: Pieces) -> Iterator[tuple[int, int]]:
    """First piece and end tag of each element that is marked as a trail and in no other one."""
    codes: Sequence[int] = pieces.codes.tolist()
    end = -1
    for match in _NAMED.finditer(markup):
        # A piece begins with the attributes of its tag.
        piece = int(pieces.starts.searchsorted(match.start(), side="right")) - 1
        is_start = codes[piece] < 0 and codes[piece] % 2 == 1 and codes[piece] != _BODY
        if piece > end and is_start and _MARKED.search(markup[pieces.starts[piece] : pieces.ends[piece]]):
            end = _end_tag(codes, piece)
            yield piece, end


def _end_tag(codes: Sequence[int], start: int) -> int:
    """Piece of the end tag of an element, by its start tag."""
    depth = 0
    for piece in range(start, len(codes)):
        depth += (codes[piece] == codes[start]) - (codes[piece] == codes[start] - 1)
        if not depth:
            return piece
    return len(codes) - 1
