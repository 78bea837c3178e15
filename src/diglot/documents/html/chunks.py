"""Pieces of a page -> chunks of text with white space folded, and the blocks that the chunks make up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from diglot.arrays import Bytes, Ints8, Ints32, Mask
from diglot.compiled import compiled
from diglot.documents.html.pieces import TEXT_PIECE, Pieces
from diglot.documents.html.tags import ASIDE, BLOCK, INHERITED_NO_CELL, TAG_FLAGS, TAG_KINDS, VOID
from diglot.records import BlockKind

_SPACE, _AMPERSAND = ord(" "), ord("&")
_MAX_CHAR_BYTES = 4
"""Of one character in UTF-8."""
_END = 0
"""Stands behind the last token."""
_PARAGRAPH, _TABLE_CELL = int(BlockKind.PARAGRAPH), int(BlockKind.TABLE_CELL)
_ENTITIES = np.zeros((5, 6), np.uint8)
for _row, _name in enumerate((b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&nbsp;")):
    _ENTITIES[_row, : len(_name)] = np.frombuffer(_name, np.uint8)
_MEANINGS = np.frombuffer(b'&<>" ', np.uint8).copy()
"""The entities that the serialiser writes; a no-break space is white space like any other."""


class Chunks(NamedTuple):
    """Text of a page.

    A chunk keeps one space at an end where the page has white space there, so that chunks joined over an irrelevant
    tag read as the page does; its length in the token stream is that without them.
    """

    tokens: Ints32
    """Its token stream: tags, and the length of every chunk in characters."""
    before: Ints32
    """Number of chunks before every piece of the page."""
    text: Bytes
    """All chunks on end, in UTF-8."""
    offsets: Ints32
    """Where in ``text`` each chunk starts, and where the last one ends; shape (chunks + 1,)."""

    def texts(self) -> pa.StringArray:
        """Text of each chunk."""
        buffers = pa.py_buffer(self.offsets), pa.py_buffer(self.text)
        return pa.StringArray.from_buffers(len(self.offsets) - 1, *buffers)

    def beginning(self, first: int, behind: int, most_chars: int) -> str:
        """Text of the chunks from ``first`` up to ``behind``, at most so many characters of it."""
        start, end = self.offsets[[first, behind]].tolist()
        text = self.text[start : min(end, start + _MAX_CHAR_BYTES * most_chars)]
        return text.tobytes().decode(errors="ignore")[:most_chars]


class TextBlocks(NamedTuple):
    """TextBlocks of text; arrays of one length."""

    ends: Ints32
    """Number of chunks up to the end of each block."""
    kinds: Ints8
    aside: Mask
    """Whether a block stands in a container that is navigation or furniture."""
    chars: Ints32
    link_chars: Ints32
    """Characters of a block, and how many of them are inside links."""


def fold_chunks(markup: Bytes, pieces: Pieces, gaps: Mask) -> Chunks:
    """Fold white space and resolve entities; white space in a piece of its own belongs to the chunk before it.

    ``gaps``: before which pieces white space is shown though the page has none.
    """
    return Chunks(*_fold(markup, pieces.codes, pieces.starts, pieces.ends, gaps))


def find_blocks(tokens: Ints32, linked: Ints32) -> TextBlocks:
    """TextBlocks of a token stream; ``linked``: first chunk inside each link and first one behind it, shape (n, 2)."""
    ends, kinds, aside = _blocks(tokens, TAG_FLAGS, TAG_KINDS)
    return TextBlocks(ends, kinds, aside, *_block_chars(tokens, ends, linked))


@compiled
def _white(markup: Bytes, place: int, end: int) -> int:
    """Bytes of the white-space character here (as Python's ``str.isspace`` has it), 0 if it is none."""
    byte = markup[place]
    if byte <= 0x20:
        return 1 if 0x09 <= byte <= 0x0D or byte >= 0x1C else 0
    if byte < 0xC2:
        return 0
    if byte == 0xC2:
        return 2 if place + 1 < end and (markup[place + 1] == 0x85 or markup[place + 1] == 0xA0) else 0
    if place + 2 >= end or not 0xE1 <= byte <= 0xE3:
        return 0
    code = (byte & 0x0F) << 12 | (markup[place + 1] & 0x3F) << 6 | (markup[place + 2] & 0x3F)
    wide = 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029
    return 3 if wide or code == 0x1680 or code == 0x202F or code == 0x205F or code == 0x3000 else 0


@compiled
def _entity(markup: Bytes, place: int, end: int) -> tuple[int, int]:
    """Meaning and bytes of the entity here; an ampersand that begins none stands for itself."""
    for row in range(len(_ENTITIES)):
        size = 0
        while size < 6 and _ENTITIES[row, size] != 0:
            if place + size >= end or markup[place + size] != _ENTITIES[row, size]:
                size = -1
                break
            size += 1
        if size > 0:
            return _MEANINGS[row], size
    return _AMPERSAND, 1


@compiled
def _fold_piece(markup: Bytes, start: int, end: int, text: Bytes, filled: int) -> tuple[int, int, bool]:
    """Write the folded text of a piece; characters written, where it ends in ``text``, whether space is behind."""
    length, space, place = 0, False, start
    while place < end:
        byte, size = markup[place], 1
        if byte == _AMPERSAND:
            byte, size = _entity(markup, place, end)
            white = size if byte == _SPACE else 0
        else:
            white = _white(markup, place, end) if byte <= 0x20 or byte >= 0xC2 else 0
        if white > 0:
            space = True
            place += white
            continue
        if space:
            text[filled] = _SPACE
            filled += 1
            length += length > 0
            space = False
        text[filled] = byte
        filled += 1
        length += byte & 0xC0 != 0x80
        place += size
    return length, filled, space


@compiled
def _fold(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, gaps: Mask
) -> tuple[Ints32, Ints32, Bytes, Ints32]:
    """The fields of :class:`Chunks`, of pieces with these codes, starts and ends."""
    tokens, before = np.empty(len(codes), np.int32), np.empty(len(codes), np.int32)
    room = np.count_nonzero(gaps)
    for piece in range(len(codes)):
        room += ends[piece] - starts[piece] if codes[piece] == TEXT_PIECE else 0
    text, offsets = np.empty(room, np.uint8), np.zeros(len(codes) + 1, np.int32)
    count, chunks, filled = 0, 0, int(np.int64(0))  # A constant would have what is called compiled for it, too.
    for piece in range(len(codes)):
        before[piece] = chunks
        token = codes[piece]
        if token == TEXT_PIECE:
            start, end = int(np.int64(starts[piece])), int(np.int64(ends[piece]))
            if gaps[piece] and filled > 0 and text[filled - 1] != _SPACE:
                text[filled] = _SPACE
                filled += 1
                offsets[chunks] = filled
            token, filled, space = _fold_piece(markup, start, end, text, filled)
            chunks += token > 0
            if space and filled > 0 and text[filled - 1] != _SPACE:
                text[filled] = _SPACE
                filled += 1
            offsets[chunks] = filled
        if token != 0:
            tokens[count] = token
            count += 1
    return tokens[:count], before, text[:filled], offsets[: chunks + 1]


@compiled
def _blocks(tokens: Ints32, flags: Bytes, kinds: Ints8) -> tuple[Ints32, Ints8, Mask]:
    """Ends, kinds and whether aside of all blocks; ``flags``, ``kinds``: of every tag."""
    room = np.count_nonzero(tokens > 0)
    ends, of_blocks, aside = np.empty(room, np.int32), np.empty(room, np.int8), np.empty(room, np.bool_)
    stack = np.full(len(tokens) + 1, _PARAGRAPH, np.int8)
    count = chunks = ended = depth = asides = 0
    for place in range(len(tokens) + 1):
        token = tokens[place] if place < len(tokens) else _END
        if token > 0:
            chunks += 1
            continue
        tag = (-token - 1) >> 1
        if token != _END and not flags[tag] & BLOCK:
            continue
        if chunks > ended:
            ends[count], of_blocks[count], aside[count] = chunks, stack[depth], asides > 0
            ended = chunks
            count += 1
        if token == _END or flags[tag] & VOID:
            continue
        turn = 1 if flags[tag] & ASIDE else 0
        if token & 1:
            stack[depth + 1] = _kind(kinds[tag], stack[depth])
            depth += 1
            asides += turn
        elif depth > 0:
            depth -= 1
            asides -= turn
    return ends[:count], of_blocks[:count], aside[:count]


@compiled
def _kind(kind: int, parent: int) -> int:
    """Kind of the text in an element of this kind in a parent of that."""
    if kind >= 0:
        return kind
    return _PARAGRAPH if kind == INHERITED_NO_CELL and parent == _TABLE_CELL else parent


@compiled
def _block_chars(tokens: Ints32, ends: Ints32, linked: Ints32) -> tuple[Ints32, Ints32]:
    """Characters of every block, and how many of them are inside links."""
    chars, link_chars = np.zeros(len(ends), np.int32), np.zeros(len(ends), np.int32)
    chunk = block = link = 0
    for token in tokens:
        if token < 0:
            continue
        while ends[block] <= chunk:
            block += 1
        while link < len(linked) and linked[link, 1] <= chunk:
            link += 1
        chars[block] += token
        if link < len(linked) and linked[link, 0] <= chunk:
            link_chars[block] += token
        chunk += 1
    return chars, link_chars
