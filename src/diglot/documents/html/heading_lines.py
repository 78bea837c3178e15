"""Lines of headings: ``<br>`` in a heading that a designer set in two or three lines.

Each line would be a block of its own, and *Welcome to* would be aligned with half of another heading.
"""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import category

import numpy as np

from diglot.arrays import Ints
from diglot.documents.html.links import unescape
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import TEXT_PIECE, start_code, tag_mask
from diglot.words import JOINED_WITHOUT_BLANK, is_small, is_within

MOST_LINES = 3
"""Most lines of a heading, empty ones not counted. Where more stand in one element, it sets text in large letters."""
_BR = start_code("br")
_HEADINGS = tuple(f"h{level}" for level in range(1, 7))
_EMPHASIS = ("b", "em", "i", "mark", "strong", "u")
"""Elements that stress a word of a heading."""
_STYLES = ("a", "font", "span")
"""Elements that may stress a word of a heading, or set a name above a second text: beside one, only a word in small
letters below the break goes on with the heading. Other elements, such as ``small``, set a second text."""
_CONNECTING = frozenset(",:;&–—-，、：")
"""Marks at the end of a line that goes on. A line that ends a sentence, or in the number of a version or a year, is
complete."""
_READ_CHARS = 40


def find_heading_breaks(markup: bytes, pieces: Pieces) -> tuple[Ints, Ints]:
    """Numbers of the ``<br>`` between lines of a heading, and of the texts behind them that need a blank; rising.

    A line goes on if it ends in a letter or a connecting mark. Lines in more than :data:`MOST_LINES` stay apart.
    """
    breaks, gaps = [], []
    for start, end in _spans_of_headings(pieces):
        places = (start + np.flatnonzero(pieces.codes[start:end] == _BR)).tolist()
        beside = [(_text_beside(markup, pieces, place, -1), _text_beside(markup, pieces, place, 1)) for place in places]
        # A break at an edge, or next to another one, is space and begins no line.
        lines = (beside[0][0] is not None) + sum(below is not None for _, below in beside)
        if lines > MOST_LINES:
            continue
        for place, (above, below) in zip(places, beside, strict=True):
            if above is None or below is None or not _goes_on(above.text[-1]):
                continue
            if (above.is_styled or below.is_styled) and not is_small(below.text[0]):
                continue
            breaks.append(place)
            if not all(is_within(char, JOINED_WITHOUT_BLANK) for char in (above.text[-1], below.text[0])):
                gaps.append(below.piece)
    return np.array(breaks, np.int64), np.array(gaps, np.int64)


def _goes_on(char: str) -> bool:
    return char in _CONNECTING or category(char)[0] in "LM"


class _Line(NamedTuple):
    """The text next to a break."""

    piece: int
    text: str
    """Up to 40 characters of the side at the break, without white space there."""
    is_styled: bool
    """Whether an element of :data:`_STYLES` begins or ends between the text and the break."""


def _spans_of_headings(pieces: Pieces) -> list[tuple[int, int]]:
    """Numbers of the start tag of each heading with a break, and of the next tag of a heading."""
    breaks = np.flatnonzero(pieces.codes == _BR)
    if not len(breaks):
        return []
    tags = np.flatnonzero(_IS_HEADING[-pieces.codes])
    # A heading holds no other one: the next tag of a heading ends it.
    is_start = pieces.codes[tags[:-1]] & 1 == 1
    spans = np.stack([tags[:-1][is_start], tags[1:][is_start]])
    has_break = np.diff(np.searchsorted(breaks, spans), axis=0)[0] > 0
    return list(zip(*spans[:, has_break].tolist(), strict=True))


def _text_beside(markup: bytes, pieces: Pieces, place: int, step: int) -> _Line | None:
    """The text before a break (``step`` -1) or behind it (1), None where another break or a block lies between."""
    piece, is_styled = place + step, False
    while 0 <= piece < len(pieces.codes):
        code = int(pieces.codes[piece])
        if code == TEXT_PIECE:
            text = _line_text(markup, int(pieces.starts[piece]), int(pieces.ends[piece]), step)
            if text:
                return _Line(piece, text, is_styled)
        elif not _IS_INLINE[-code]:
            return None
        is_styled |= code != TEXT_PIECE and bool(_IS_STYLE[-code])
        piece += step
    return None


def _line_text(markup: bytes, start: int, end: int, step: int) -> str:
    text = " ".join(unescape(markup[start:end].decode(errors="ignore")).split())
    return text[:_READ_CHARS] if step > 0 else text[-_READ_CHARS:]


_IS_HEADING = tag_mask(_HEADINGS)
_IS_STYLE = tag_mask(_STYLES)
_IS_INLINE = _IS_STYLE | tag_mask(_EMPHASIS)
