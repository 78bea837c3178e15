"""Line breaks inside of sentences: ``<br>`` in text that somebody broke into lines by hand.

Mail, text copied from a PDF and headlines have their lines broken where the width of a page ended. Each line would be a
block of its own, and half a sentence would be aligned with half of another one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from diglot.arrays import Ints
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import BLOCK, TAG_FLAGS, TEXT_PIECE, start_code
from diglot.words import JOINED_WITHOUT_BLANK, SOUTH_EAST_ASIAN, has_no_case, is_small, is_within

_WITHOUT_BLANKS = JOINED_WITHOUT_BLANK + SOUTH_EAST_ASIAN

LEAST_LINE = 20
"""Least characters of a line without a comma at its end that goes on in the next line: shorter lines are headings of
lists, and entries of them."""
_BR = start_code("br")
_MOST_WORD_BYTES = 128
_NO_BREAK = b"&nbsp;"
_GOES_ON = re.compile(r"[^\W\d_],?$")
"""The end of a line inside of a sentence: a letter or a comma. Lines of addresses end in a number."""
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,;:.?!)]*(?:\s|$)")
"""A word, but no address of a page or of mail."""
_LETTER_OR_COMMA = re.compile(r"(?:\s\S*[^\W\d_]|[,،、])$")
"""The end of a line: a letter of its second word or a later one, or a comma."""
_SENTENCE_END = re.compile(r"[.!?…؟۔।॥][\"'”’»)]*$")


def find_line_breaks(markup: bytes, pieces: Pieces) -> Ints:
    """Numbers of the ``<br>`` inside of sentences, rising.

    The line above ends in a letter or a comma, and the line below begins with a word in small letters; both are plain
    text beside the break, since a change of style parts a label from its text. In lists of entries in small letters no
    sentence goes on: the first text of the block must not begin with a small letter. In scripts with blanks and without
    small letters, such as Korean, a line of two words or more goes on where the last text of the block ends as a
    sentence does.
    """
    # A break -> the first text of its block, from which the next break of the block goes on: no text is read twice.
    firsts: dict[int, str] = {}
    without_case, block = [], _Block(-1, False)
    for place in np.flatnonzero(pieces.codes == _BR).tolist():
        if not _is_between_texts(pieces, place):
            continue
        # Most lines end in a mark: the first letter below is read before the text above.
        below = _text(markup, int(pieces.starts[place + 1]), int(pieces.ends[place + 1]), _MOST_WORD_BYTES)
        if _goes_on(markup, pieces, place, below):
            first = _first_text(markup, pieces, place, firsts)
            if first and not is_small(first[0]):
                firsts[place] = first
        elif _may_go_on_without_case(markup, pieces, place, below):
            block = block if place < block.end else _block_behind(markup, pieces, place)
            if block.is_sentence:
                without_case.append(place)
    return np.array(sorted([*firsts, *without_case]), np.int64)


class _Block(NamedTuple):
    """The piece behind a block, and whether the last text of the block ends as a sentence does."""

    end: int
    is_sentence: bool


def _may_go_on_without_case(markup: bytes, pieces: Pieces, place: int, below: str) -> bool:
    """Whether the line ``below`` a break begins with a letter that has no case, in a script with blanks, and the line
    above ends in a comma, or has two words or more and ends in a letter."""
    if not below or not has_no_case(below[0]) or is_within(below[0], _WITHOUT_BLANKS):
        return False
    return _LETTER_OR_COMMA.search(_text_above(markup, pieces, place)) is not None


def _block_behind(markup: bytes, pieces: Pieces, place: int) -> _Block:
    """The rest of the block from a break on."""
    last, behind = place, place + 1
    while behind < len(pieces.codes):
        code = int(pieces.codes[behind])
        if code == TEXT_PIECE:
            last = behind
        # Two breaks in a row end a paragraph.
        elif TAG_FLAGS[(-code - 1) >> 1] & BLOCK and (code != _BR or pieces.codes[behind - 1] == _BR):
            break
        behind += 1
    last_text = _text(markup, int(pieces.starts[last]), int(pieces.ends[last]))
    return _Block(behind, _SENTENCE_END.search(last_text) is not None)


def _is_between_texts(pieces: Pieces, place: int) -> bool:
    """Whether plain text stands on both sides of a break."""
    has_sides = 0 < place < len(pieces.codes) - 1
    return has_sides and bool(pieces.codes[place - 1] == pieces.codes[place + 1] == TEXT_PIECE)


def _goes_on(markup: bytes, pieces: Pieces, place: int, below: str) -> bool:
    """Whether the text right above a break goes on in the text ``below``."""
    if not below or not is_small(below[0]) or not _FIRST_WORD.match(below):
        return False
    above = _text_above(markup, pieces, place)
    return _GOES_ON.search(above) is not None and (len(above) >= LEAST_LINE or above[-1] == ",")


def _first_text(markup: bytes, pieces: Pieces, place: int, firsts: Mapping[int, str]) -> str:
    """The first text of the block around a break; ``firsts``: the first text by each break that was found before."""
    first = ""
    for before in range(place - 1, -1, -1):
        if before in firsts:
            return firsts[before]
        code = int(pieces.codes[before])
        if code == TEXT_PIECE:
            first = _text(markup, int(pieces.starts[before]), int(pieces.ends[before]), _MOST_WORD_BYTES) or first
        elif TAG_FLAGS[(-code - 1) >> 1] & BLOCK:
            break
    return first


def _text_above(markup: bytes, pieces: Pieces, place: int) -> str:
    return _text(markup, int(pieces.starts[place - 1]), int(pieces.ends[place - 1]))


def _text(markup: bytes, start: int, end: int, most: int | None = None) -> str:
    """Text of a piece without white space at its ends; ``most``: bytes from its first visible character."""
    text = markup[start:end].replace(_NO_BREAK, b" ").strip()
    return text[:most].decode(errors="ignore").strip()
