"""No-break blanks, as French has before a colon and within numbers: kept beside the plain texts that are compared.

Texts of a page have plain blanks. The column ``no_breaks`` of a document has the place of each no-break blank: the
number of visible characters of the page before it, negative for a narrow blank. A segment has its blanks in order, in
``src_blanks`` and ``tgt_blanks``. Written texts get them back (:mod:`diglot.corpus.shown_segments`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import add

NO_BREAK, NARROW = "\u00a0", "\u202f"
_PLAIN = str.maketrans(NO_BREAK + NARROW, "  ")


def plain_blanks(text: str) -> str:
    """A text with plain blanks in place of no-break blanks.

    >>> plain_blanks("Quoi\\u202f? 10\\u00a0%")
    'Quoi ? 10 %'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def blanks_of_texts(texts: Sequence[str], places: Sequence[int] | None) -> list[str | None]:
    """The blanks of each text in order, None for a text with plain blanks alone.

    ``texts``: all text of a page in order, however cut; ``places``: the column ``no_breaks`` of the page.

    >>> blanks_of_texts(["Oui : 1 200 %", "Non !"], [3, -5, -12])
    ['\\xa0 \\u202f ', '\\u202f']
    """
    if not places:
        return [None] * len(texts)
    left = [(abs(place), NARROW if place < 0 else NO_BREAK) for place in reversed(places)]
    blank_at = dict(left)
    found: list[str | None] = []
    seen = 0
    for text in texts:
        end = seen + len(text) - text.count(" ")
        # A place at the end is a blank between two texts.
        while left and left[-1][0] <= seen:
            left.pop()
        if not left or left[-1][0] >= end:
            found.append(None)
        else:
            ends = list(accumulate(map(len, text.split(" ")), initial=seen))
            found.append("".join(blank_at.get(place, " ") for place in ends[1:-1]))
        seen = end
    return found


def with_blanks(text: str, blanks: str | None) -> str:
    """A text with these blanks in place of its own; the text itself for None, or another number of blanks.

    >>> with_blanks("Oui : 10 %", "\\u00a0 \\u202f") == "Oui\\u00a0: 10\\u202f%", with_blanks("a b", "  ")
    (True, 'a b')
    """
    if blanks is None:
        return text
    words = text.split(" ")
    return "".join(map(add, words, (*blanks, ""))) if len(words) == len(blanks) + 1 else text
