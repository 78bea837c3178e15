"""Serialised markup -> pieces (tags and texts), values of attributes, chunks of folded text, blocks of chunks.

selectolax serialises a page regularly: names in lower case, values in double quotes, ``<`` escaped in text. A compiled
scan over the bytes is therefore enough; in irregular markup a single ``<`` is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from diglot.arrays import Bytes, Ints, Ints8, Ints32, Mask
from diglot.documents.html.chunks_kernels import block_chars, blocks, fold
from diglot.documents.html.pieces_kernels import cut, name_key, values
from diglot.documents.html.tags import (
    ATTRIBUTE_SLOTS,
    ATTRIBUTES,
    NARROW,
    NO_BREAK,
    TAG_FLAGS,
    TAG_KINDS,
    TAGS,
    TEXT_PIECE,
    indices_of_codes,
    tag_index,
    tag_mask,
)
from diglot.words import KANA, letters

MAX_TAG_BYTES = 1 << 16
"""Most bytes of a tag, or of its style, whose attributes are read; real tags have hundreds."""
_SPACE = ord(" ")
_MAX_CHAR_BYTES = 4
"""Most bytes of a character in UTF-8."""
JOINED_LINES = letters("ideographs", "same_ideographs", "small_kana") + KANA + "、-、，-，"
"""Characters between which a browser shows no blank for the end of a line in the markup (CSS Text 3, segment break
transformation). Marks are left out but for commas: a blank behind the end of a sentence does no harm."""
_JOINED = np.array([ord(char) for char in JOINED_LINES if char != "-"], np.int32)
"""First and last character of each range."""
_KEEPS_LINES = re.compile(rb"white-?space[:-]\s*+(?:pre|break-spaces)", re.IGNORECASE)
"""A sign of elements that show lines as they are in the markup: a property of their style, or a class of Tailwind."""


class Pieces(NamedTuple):
    """Tags and texts in the order of the page; arrays of one length."""

    codes: Ints32
    starts: Ints32
    """First byte of a text, or of a tag's attributes, in the markup."""
    ends: Ints32


class Elements(NamedTuple):
    """Elements with attributes that Diglot reads, and end tags of links."""

    pieces: Ints
    """Number of the piece, shape (n,)."""
    codes: Ints32
    values: Ints32
    """Start and end of the value of each slot in the markup, shape (n, slots, 2); -1 for no value."""


def cut_pieces(markup: Bytes) -> Pieces:
    """Cut markup into tags and text; comments and processing instructions are left out."""
    return Pieces(*cut(markup, _TAG_KEYS, _TAG_PLACES))


def find_elements(markup: Bytes, pieces: Pieces) -> Elements:
    """Values of the attributes in :data:`diglot.documents.html.tags.ATTRIBUTE_SLOTS`."""
    rows = np.flatnonzero(_IS_READ[-pieces.codes])
    codes = pieces.codes[rows]
    spans = pieces.starts[rows], pieces.ends[rows]
    found = values(markup, *spans, indices_of_codes(codes), _ATTRIBUTE_KEYS, _SORTED_SLOTS)
    return Elements(rows, codes, found)


def without_tags(pieces: Pieces, names: Sequence[str]) -> Pieces:
    """The pieces with the tags of the elements ``names`` as empty texts."""
    return without_pieces(pieces, np.flatnonzero(tag_mask(names)[-pieces.codes]))


def without_pieces(pieces: Pieces, places: Ints) -> Pieces:
    """The pieces with empty texts at some places."""
    if not len(places):
        return pieces
    codes, ends = pieces.codes.copy(), pieces.ends.copy()
    codes[places], ends[places] = TEXT_PIECE, pieces.starts[places]
    return Pieces(codes, pieces.starts, ends)


def _sorted_keys(names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Ascending keys of ``names``, and the place of each in ``names``; then the last place, for unknown names."""
    keys = np.array([name_key(name.encode()) for name in names], np.int64)
    return np.sort(keys), np.append(np.argsort(keys), len(names) - 1)


def _read_codes() -> Mask:
    """Mask by negative code of the pieces read by :func:`find_elements`."""
    is_read = np.zeros(2 * len(TAGS) + 1, bool)
    is_read[1::2] = (ATTRIBUTE_SLOTS >= 0).any(axis=1)
    is_read[2 + 2 * tag_index("a")] = True
    return is_read


_TAG_KEYS, _TAG_PLACES = _sorted_keys(TAGS)
_ATTRIBUTE_KEYS, _ATTRIBUTE_PLACES = _sorted_keys(ATTRIBUTES)
_SORTED_SLOTS = ATTRIBUTE_SLOTS[:, _ATTRIBUTE_PLACES[:-1]].copy()
_IS_READ = _read_codes()


class Chunks(NamedTuple):
    """Text of a page in chunks.

    A chunk keeps one space at either end if the page has white space there: joined chunks read like the page. Lengths
    in the token stream do not count these spaces.
    """

    tokens: Ints32
    """Token stream: tags, and the length of every chunk in characters."""
    before: Ints32
    """Number of chunks before every piece of the page."""
    text: Bytes
    """All chunks on end, in UTF-8."""
    offsets: Ints32
    """Start of each chunk in ``text``, and end of the last; shape (chunks + 1,)."""
    no_breaks: Ints
    """Places in ``text`` of the blanks that are a no-break space between two visible characters, ascending; a narrow
    one has the negative place."""

    def texts(self) -> pa.StringArray:
        """Text of each chunk."""
        buffers = pa.py_buffer(self.offsets), pa.py_buffer(self.text)
        return pa.StringArray.from_buffers(len(self.offsets) - 1, *buffers)

    def beginning(self, first: int, behind: int, most_chars: int) -> str:
        """Text of the chunks from ``first`` up to ``behind``, exclusive, cut to ``most_chars`` characters."""
        start, end = self.offsets[[first, behind]].tolist()
        text = self.text[start : min(end, start + _MAX_CHAR_BYTES * most_chars)]
        return text.tobytes().decode(errors="ignore")[:most_chars]


class TextBlocks(NamedTuple):
    """Blocks of a page; arrays of one length."""

    ends: Ints32
    """Number of chunks up to the end of each block."""
    kinds: Ints8
    aside: Mask
    """Whether a block stands in a container of navigation or furniture."""
    chars: Ints32
    link_chars: Ints32
    """Characters of a block inside links."""


def fold_chunks(markup: Bytes, pieces: Pieces, gaps: Mask) -> Chunks:
    """Fold white space and resolve entities; a piece of white space belongs to the chunk before it.

    The end of a line between two ideographs or kana is no blank, unless the page may show it. ``gaps``: mask of pieces
    with white space shown before them and none in the markup.
    """
    tokens, before, text, offsets, lines = fold(markup, *pieces, gaps, _JOINED)
    if lines and _KEEPS_LINES.search(markup.tobytes()):
        tokens, before, text, offsets, _ = fold(markup, *pieces, gaps, _JOINED[:0])
    return Chunks(tokens, before, text, offsets, _take_no_breaks(text))


def _take_no_breaks(text: Bytes) -> Ints:
    """Places of the lone no-break spaces in folded text (:attr:`Chunks.no_breaks`); all become blanks."""
    marks = np.flatnonzero(text < _SPACE)
    marks = marks[(text[marks] == NO_BREAK) | (text[marks] == NARROW)]
    if not len(marks):
        return marks
    narrow = text[marks] == NARROW
    text[marks] = _SPACE
    around = np.concatenate([[_SPACE], text, [_SPACE]])
    alone = (around[marks] != _SPACE) & (around[marks + 2] != _SPACE)
    return np.where(narrow, -marks, marks)[alone]


def no_break_places(chunks: Chunks, block_ends: Ints32) -> Ints32:
    """The lone no-break spaces inside of blocks, as the column ``no_breaks`` of a document has them."""
    if not len(chunks.no_breaks):
        return chunks.no_breaks.astype(np.int32)
    # A character of UTF-8 has one byte that continues no other.
    seen = np.cumsum((chunks.text != _SPACE) & (chunks.text & 0xC0 != 0x80), dtype=np.int32)
    at, is_edge = np.abs(chunks.no_breaks), np.zeros(len(seen) + 1, np.bool_)
    is_edge[chunks.offsets[block_ends]] = True
    inside = ~(is_edge[at] | is_edge[at + 1])
    return (seen[at] * np.sign(chunks.no_breaks))[inside].astype(np.int32)


def find_blocks(tokens: Ints32, linked: Ints32) -> TextBlocks:
    """Blocks of a token stream; ``linked``: first chunk inside and first chunk behind each link, shape (n, 2)."""
    ends, kinds, aside = blocks(tokens, TAG_FLAGS, TAG_KINDS)
    return TextBlocks(ends, kinds, aside, *block_chars(tokens, ends, linked))
