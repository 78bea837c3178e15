"""Labels with their values: blocks of two elements that touch, ``<b>Phone</b><span>98 67 29 29</span>``.

A style sheet sets them on two lines or apart. Each is a text of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.documents.html.page_text import IS_WHOLE, PageText, divide_blocks, elements_around
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import LITERAL, TAG_FLAGS
from diglot.words import has_no_case, is_small

LEAST_PAIRS = 3
"""Least different texts of a label and its value. One word in two styles recurs with the same text."""
MOST_LABEL_CHARS = 40
"""Most characters of a label."""
_LABEL_ENDS = frozenset(":：%+.!?。！？)）")
"""Marks at the end of a label."""
_VALUE_STARTS = frozenset("+$€£¥₩₹₽#@(（")
"""Marks at the beginning of a value: a telephone number, a price, a number in a list."""

_Kind = tuple[int, str]
"""Code of an element, and its attributes."""


class _Pair(NamedTuple):
    """A block of two texts."""

    place: int
    """Number of the chunk of the first text."""
    label: str
    value: str


def divide_labels(page: PageText, markup: bytes, pieces: Pieces) -> PageText:
    """The page with a block for each label and each value; ``pieces``: those that the chunks were folded from.

    A block is a label with its value if all its text stands in two elements with nothing between these, and at least
    :data:`LEAST_PAIRS` blocks of the page have the same two elements and different texts. Nothing tells a word that an
    editor cut in two from a label with its value if both elements are the same.
    """
    blocks, chunks = page.blocks, page.chunks
    counts = blocks.ends - np.append(0, blocks.ends[:-1])
    possible = (counts == 2) & ~IS_WHOLE[blocks.kinds]
    if possible.sum() < LEAST_PAIRS:
        return page
    labels = blocks.ends[possible] - 2
    around = elements_around(chunks)
    labels = labels[(around[labels] != 0) & (around[labels + 1] != 0)]
    at, behind = (np.searchsorted(chunks.before, texts, side="right") - 1 for texts in (labels, labels + 1))
    found: defaultdict[tuple[_Kind, _Kind], list[_Pair]] = defaultdict(list)
    # Between two texts that touch stand an end tag and a start tag.
    for label, piece in zip(labels[behind == at + 3].tolist(), at[behind == at + 3].tolist(), strict=True):
        codes = pieces.codes[[piece - 1, piece + 2]].tolist()
        if any(map(_is_literal, (int(pieces.codes[piece - 2]), *codes))):
            continue
        # Of a tag a piece has the attributes.
        tag, text, other_tag, other_text = (
            markup[pieces.starts[place] : pieces.ends[place]].decode()
            for place in (piece - 1, piece, piece + 2, piece + 3)
        )
        found[(codes[0], tag), (codes[1], other_tag)].append(_Pair(label, text, other_text))
    new_ends = [pair.place + 1 for kinds, pairs in found.items() if _are_rows(pairs, kinds) for pair in pairs]
    return divide_blocks(page, new_ends) if new_ends else page


def _is_literal(code: int) -> bool:
    """Whether a tag, by its code, begins an element of code, whose words have colours, or of a formula."""
    return code < 0 and bool(TAG_FLAGS[(-code - 1) >> 1] & LITERAL)


def _are_rows(pairs: Sequence[_Pair], kinds: tuple[_Kind, _Kind]) -> bool:
    """Whether the texts of the same two elements are labels and values: most of them, and :data:`LEAST_PAIRS`.

    An editor that cuts texts into pieces cuts most of them beside a blank.
    """
    if any(label[-1].isspace() or value[0].isspace() for _, label, value in pairs):
        return False
    rows = [pair for pair in pairs if _are_label_and_value(*pair[1:], is_alike=kinds[0] == kinds[1])]
    return len({pair[1:] for pair in rows}) >= LEAST_PAIRS and 2 * len(rows) > len(pairs)


def _are_label_and_value(label: str, value: str, *, is_alike: bool) -> bool:
    """Whether two texts that touch are a label and its value; ``is_alike``: their elements are the same."""
    last, first = label[-1], value[0]
    if not (last.isalnum() or last in _LABEL_ENDS) or not (first.isalnum() or first in _VALUE_STARTS):
        return False
    # A first letter may have a style of its own; one ideograph is a word.
    is_letter = any(len(text) == 1 and text.isalpha() and not has_no_case(text) for text in (label, value))
    if is_letter or len(label) > MOST_LABEL_CHARS:
        return False
    if is_small(first):
        # The rest of a word, or a unit: 1st, 10 km. Behind a number several words are a value.
        return label.isdecimal() and " " in value
    return not (is_alike and last.isalpha() and first.isalpha())
