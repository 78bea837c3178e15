"""Scans over pieces and tokens of a page: fold white space, find blocks."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, BytesOut, Int32Rows, Ints8, Ints8Out, Ints32, Ints32Out, Mask, MaskOut

from diglot.documents.html.tags import (
    ASIDE,
    BLOCK,
    INHERITED_NO_CELL,
    NARROW,
    NO_BREAK,
    TEXT_PIECE,
    VOID,
    end_code,
    start_code,
)
from diglot.records import BlockKind

_TEXT = cython.declare(cython.int, TEXT_PIECE)
_ASIDE = cython.declare(cython.int, ASIDE)
_BLOCK = cython.declare(cython.int, BLOCK)
_VOID = cython.declare(cython.int, VOID)
_NO_CELL = cython.declare(cython.int, INHERITED_NO_CELL)
_PARAGRAPH = cython.declare(cython.int, BlockKind.PARAGRAPH)
_TABLE_CELL = cython.declare(cython.int, BlockKind.TABLE_CELL)
_SPACE = cython.declare(cython.int, ord(" "))
_NO_BREAK = cython.declare(cython.int, NO_BREAK)
_NARROW = cython.declare(cython.int, NARROW)
_LINE_FEED = cython.declare(cython.int, ord("\n"))
_AMPERSAND = cython.declare(cython.int, ord("&"))
_PRE = cython.declare(cython.int, start_code("pre"))
_TEXTAREA = cython.declare(cython.int, start_code("textarea"))
_PRE_END = cython.declare(cython.int, end_code("pre"))
_TEXTAREA_END = cython.declare(cython.int, end_code("textarea"))
_FIRST_WIDE_BYTE = cython.declare(cython.int, 0xE2)
"""Least first byte of a character in a script without blanks that is as wide as an ideograph."""
_END = cython.declare(cython.int, 0)
"""Token behind the last."""


def fold(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, gaps: Mask, joined: Ints32
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Fields of :class:`diglot.documents.html.pieces.Chunks`, from codes, starts and ends of pieces, and the number of
    ends of lines that are no blank.

    White space of a single no-break character is written as ``NO_BREAK`` or ``NARROW``, any other as a blank.
    ``joined``: first and last character of each range between whose characters the end of a line in the markup is no
    blank, unless the element keeps its lines.
    """
    room: cython.Py_ssize_t = 0
    with cython.nogil:
        for piece in range(codes.shape[0]):
            room += gaps[piece]
            if codes[piece] == _TEXT:
                room += ends[piece] - starts[piece]
    all_tokens, all_before = np.empty(codes.shape[0], np.int32), np.empty(codes.shape[0], np.int32)
    all_text, all_offsets = np.empty(room, np.uint8), np.zeros(codes.shape[0] + 1, np.int32)
    tokens: Ints32Out = all_tokens
    before: Ints32Out = all_before
    text: BytesOut = all_text
    offsets: Ints32Out = all_offsets
    count, filled = 0, 0
    chunks: cython.int = 0
    kept: cython.int = 0  # open elements that keep their lines
    lines: cython.int = 0
    with cython.nogil:
        for piece in range(codes.shape[0]):
            before[piece] = chunks
            token = codes[piece]
            if token in (_PRE, _TEXTAREA):
                kept += 1
            elif kept > 0 and token in (_PRE_END, _TEXTAREA_END):
                kept -= 1
            if token == _TEXT:
                if gaps[piece] and filled > 0:
                    filled = _end_in_blank(text, filled, _SPACE)
                    offsets[chunks] = filled
                token, filled, blank, of_piece = _fold_piece(
                    markup, starts[piece], ends[piece], text, filled, joined, kept == 0
                )
                lines += of_piece
                chunks += token > 0
                if blank and filled > 0:
                    filled = _end_in_blank(text, filled, blank)
                offsets[chunks] = filled
            if token != 0:
                tokens[count] = token
                count += 1
    return all_tokens[:count], all_before, all_text[:filled], all_offsets[: chunks + 1], lines


def blocks(tokens: Ints32, flags: Bytes, kinds: Ints8) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ends, kinds and aside mask of all blocks; ``flags``, ``kinds``: by tag."""
    room: cython.Py_ssize_t = 0
    with cython.nogil:
        for place in range(tokens.shape[0]):
            room += 1 if tokens[place] > 0 else 0
    all_ends, all_kinds, all_aside = np.empty(room, np.int32), np.empty(room, np.int8), np.empty(room, np.bool_)
    ends: Ints32Out = all_ends
    of_blocks: Ints8Out = all_kinds
    aside: MaskOut = all_aside
    stack: Ints8Out = np.full(tokens.shape[0] + 1, _PARAGRAPH, np.int8)
    count, chunks, ended, depth, asides = 0, 0, 0, 0, 0
    with cython.nogil:
        for place in range(tokens.shape[0] + 1):
            token = tokens[place] if place < tokens.shape[0] else _END
            if token > 0:
                chunks += 1
                continue
            tag = (-token - 1) >> 1
            if token != _END and not flags[tag] & _BLOCK:
                continue
            if chunks > ended:
                ends[count], of_blocks[count], aside[count] = chunks, stack[depth], asides > 0
                ended = chunks
                count += 1
            if token == _END or flags[tag] & _VOID:
                continue
            turn = 1 if flags[tag] & _ASIDE else 0
            if token & 1:
                stack[depth + 1] = _kind(kinds[tag], stack[depth])
                depth += 1
                asides += turn
            elif depth > 0:
                depth -= 1
                asides -= turn
    return all_ends[:count], all_kinds[:count], all_aside[:count]


def block_chars(tokens: Ints32, ends: Ints32, linked: Int32Rows) -> tuple[np.ndarray, np.ndarray]:
    """Characters of every block, and characters inside links."""
    all_chars, all_link_chars = np.zeros(ends.shape[0], np.int32), np.zeros(ends.shape[0], np.int32)
    chars: Ints32Out = all_chars
    link_chars: Ints32Out = all_link_chars
    chunk, block, link = 0, 0, 0
    with cython.nogil:
        for place in range(tokens.shape[0]):
            if tokens[place] < 0:
                continue
            while ends[block] <= chunk:
                block += 1
            while link < linked.shape[0] and linked[link, 1] <= chunk:
                link += 1
            chars[block] += tokens[place]
            if link < linked.shape[0] and linked[link, 0] <= chunk:
                link_chars[block] += tokens[place]
            chunk += 1
    return all_chars, all_link_chars


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _end_in_blank(text: BytesOut, filled: cython.Py_ssize_t, blank: cython.int) -> cython.Py_ssize_t:
    """Let the text end in one blank; returns the new end. Beside another blank, a no-break blank is layout and becomes
    an ordinary blank."""
    last = text[filled - 1]
    if last in (_NO_BREAK, _NARROW):
        text[filled - 1] = _SPACE
    elif last != _SPACE:
        text[filled] = blank
        return filled + 1
    return filled


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _white(markup: Bytes, place: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
    """Bytes of the white-space character at ``place`` (as by ``str.isspace``), 0 for any other character."""
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
    is_general_blank: cython.bint = 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029
    return 3 if is_general_blank or code == 0x1680 or code == 0x202F or code == 0x205F or code == 0x3000 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _entity(markup: Bytes, place: cython.Py_ssize_t, end: cython.Py_ssize_t) -> tuple[cython.int, cython.int]:
    """Character and bytes of an entity at ``place``: one of the five written by the serialiser.

    A bare ampersand stands for itself; a no-break space is a blank.
    """
    if place + 3 < end and markup[place + 2] == ord("t") and markup[place + 3] == ord(";"):
        if markup[place + 1] == ord("l"):
            return ord("<"), 4
        if markup[place + 1] == ord("g"):
            return ord(">"), 4
    if place + 4 < end and _follows(markup, place + 1, b"amp;"):
        return _AMPERSAND, 5
    if place + 5 < end and _follows(markup, place + 1, b"quot;"):
        return ord('"'), 6
    if place + 5 < end and _follows(markup, place + 1, b"nbsp;"):
        return _SPACE, 6
    return _AMPERSAND, 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _follows(markup: Bytes, place: cython.Py_ssize_t, word: cython.p_const_char) -> cython.bint:
    """Whether ``word`` stands at ``place``; the caller has checked the room."""
    at = 0
    while word[at]:
        if markup[place + at] != word[at]:
            return False
        at += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fold_piece(
    markup: Bytes,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    text: BytesOut,
    filled: cython.Py_ssize_t,
    joined: Ints32,
    may_join: cython.bint,
) -> tuple[cython.int, cython.Py_ssize_t, cython.int, cython.int]:
    """Write the folded text of a piece: characters written, end in ``text``, the blank that follows, 0 for none, and
    ends of lines that are no blank."""
    blank: cython.int = 0
    lines: cython.int = 0
    length: cython.int = 0
    place = start
    while place < end:
        byte: cython.int = markup[place]
        size: cython.int = 1
        white: cython.int = 0
        if byte == _AMPERSAND:
            byte, size = _entity(markup, place, end)
            white = size if byte == _SPACE else 0
        elif byte <= 0x20 or byte >= 0xC2:
            white = _white(markup, place, end)
        if white > 0:
            blank = _SPACE if blank else _blank(markup, place)
            place += white
            continue
        if blank and byte >= _FIRST_WIDE_BYTE and may_join and _is_end_of_line(markup, start, place, end, joined):
            blank = 0
            lines += 1
        if blank:
            text[filled] = blank
            filled += 1
            length += length > 0
            blank = 0
        text[filled] = byte
        filled += 1
        length += byte & 0xC0 != 0x80
        place += size
    return length, filled, blank, lines


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_end_of_line(
    markup: Bytes, start: cython.Py_ssize_t, place: cython.Py_ssize_t, end: cython.Py_ssize_t, joined: Ints32
) -> cython.bint:
    """Whether the white space before ``place`` is the end of one line between two characters in ranges of ``joined``.

    A blank before the end of a line was typed, and an editor for pages broke the line there. It stays.
    """
    before = place
    lines: cython.int = 0
    while before > start and _white(markup, before - 1, end) == 1:
        before -= 1
        lines += 1 if markup[before] == _LINE_FEED else 0
    # All these characters have three bytes.
    if lines != 1 or markup[before] != _LINE_FEED or before < start + 3 or place + 3 > end:
        return False
    return _is_within(markup, before - 3, joined) and _is_within(markup, place, joined)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_within(markup: Bytes, place: cython.Py_ssize_t, ranges: Ints32) -> cython.bint:
    """Whether a character of three bytes at ``place`` is in one of the ranges."""
    if markup[place] & 0xF0 != 0xE0:
        return False
    code = (markup[place] & 0x0F) << 12 | (markup[place + 1] & 0x3F) << 6 | (markup[place + 2] & 0x3F)
    row = 0
    while row < ranges.shape[0] and not ranges[row] <= code <= ranges[row + 1]:
        row += 2
    return row < ranges.shape[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _blank(markup: Bytes, place: cython.Py_ssize_t) -> cython.int:
    """The blank for a white-space character or entity."""
    byte = markup[place]
    if byte == _AMPERSAND or (byte == 0xC2 and markup[place + 1] == 0xA0):
        return _NO_BREAK
    # No other white space begins with these two bytes and has the third.
    return _NARROW if byte == 0xE2 and markup[place + 1] == 0x80 and markup[place + 2] == 0xAF else _SPACE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _kind(kind: cython.int, parent: cython.int) -> cython.int:
    """Kind of the text in an element, given the kind of its parent's text."""
    if kind >= 0:
        return kind
    return _PARAGRAPH if kind == _NO_CELL and parent == _TABLE_CELL else parent
