"""Rows of boxes: labels that stand side by side in one block, each a ``<span>`` of the same class.

A style sheet draws them as boxes: *35 m²*, *2 Adults*, *Sea view*. Each is a text of its own, as an entry of a menu is.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from diglot.arrays import Ints
from diglot.documents.html.page_text import IS_WHOLE, PageText, divide_blocks, elements_around
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import start_code
from diglot.words import JOINED_WITHOUT_BLANK, SOUTH_EAST_ASIAN, has_no_case, is_small, is_within

LEAST_BOXES = 3
"""Least boxes of a row: two spans of one class may be the halves of a sentence that an editor has cut."""
MOST_CHARS = 40
"""Most characters of a label. Three or more labels share a line."""
_LEAST_LETTERS = 2
"""Least letters of a label without a number: a script may show a word letter by letter."""
MOST_WORDS = 2
"""Most words of a label in letters without case, unless it has a number: there no capital tells a label from the part
of a sentence that stands in a line."""
_CONNECTING = frozenset(",;:&–—-،、，：")
"""Marks at the end of a part of a sentence."""
_ENDING = re.compile('[.!?…。！？؟۔।]["”’»)」』]?$')
"""The end of a sentence."""
_SPAN = start_code("span")
_CLASS = re.compile(rb'(?:^|\s)class="[^"]')
_WITHOUT_BLANKS = SOUTH_EAST_ASIAN + JOINED_WITHOUT_BLANK


def divide_box_rows(page: PageText, markup: bytes, pieces: Pieces) -> PageText:
    """The page with a block for each box of a row of boxes; ``pieces``: those that the chunks were folded from.

    A block is a row of boxes if

    - all its text stands in three or more spans with the same attributes, a class among them;
    - blanks stand between the spans;
    - no span begins in small letters;
    - the last span ends a sentence only if all do;
    - spans in letters without case are short.

    A sentence without a full stop still looks like a row if each part of it begins with a capital, has at most two
    words in letters without case, or is a clause in a script without blanks.
    """
    blocks, chunks = page.blocks, page.chunks
    counts = blocks.ends - np.append(0, blocks.ends[:-1])
    possible = (counts >= LEAST_BOXES) & (blocks.link_chars == 0) & ~IS_WHOLE[blocks.kinds]
    if not possible.any():
        return page
    is_in_span = elements_around(chunks) == _SPAN
    # A block has a chunk at least.
    possible &= np.add.reduceat(is_in_span, blocks.ends - counts) == counts
    new_ends: list[int] = []
    for end, count in zip(blocks.ends[possible].tolist(), counts[possible].tolist(), strict=True):
        boxes = range(end - count, end)
        texts = [chunks.beginning(box, box + 1, MOST_CHARS + 2) for box in boxes]
        if _are_labels(texts) and _are_alike(markup, pieces, np.searchsorted(chunks.before, boxes, side="right") - 1):
            new_ends += boxes
    return divide_blocks(page, new_ends) if new_ends else page


def _are_labels(texts: list[str]) -> bool:
    """Whether the texts of a block, with the blanks around them, are labels, by how they begin and end."""
    if not all(" " in before[-1] + text[0] for before, text in pairwise(texts)):
        return False
    labels = [text.strip() for text in texts]
    are_ends = [_ENDING.search(label) is not None for label in labels]
    if are_ends[-1] and not all(are_ends):
        return False
    # Capitals tell labels of one word from the words of a sentence, unless all letters are capitals.
    is_told = not any(map(_is_without_sign, labels)) and not all(map(str.isupper, labels))
    return all(map(_is_label, labels)) and (is_told or any(" " in label for label in labels))


def _is_without_sign(text: str) -> bool:
    """Whether neither a capital nor a blank is a sign of a label; scripts without blanks have them between labels."""
    return has_no_case(text[0]) and not is_within(text[0], _WITHOUT_BLANKS)


def _is_label(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    is_word = letters >= _LEAST_LETTERS or (letters > 0 and any(map(str.isdigit, text)))
    is_complete = text[0].isalnum() and not is_small(text[0]) and text[-1] not in _CONNECTING
    is_short = not _is_without_sign(text) or len(text.split()) <= MOST_WORDS or any(map(str.isdigit, text))
    return is_word and is_complete and is_short and len(text) <= MOST_CHARS


def _are_alike(markup: bytes, pieces: Pieces, texts: Ints) -> bool:
    """Whether the spans that hold texts have the same attributes, a class among them; ``texts``: numbers of pieces."""
    found = set()
    for text in texts.tolist():
        tag = text
        # Pictures may stand before the text.
        while pieces.codes[tag] != _SPAN:
            tag -= 1
        found.add(markup[pieces.starts[tag] : pieces.ends[tag]])
        if len(found) > 1:
            return False
    return _CLASS.search(found.pop()) is not None
