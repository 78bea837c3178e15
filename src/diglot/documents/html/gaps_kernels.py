"""Scan for boundaries: places where two texts touch across tags that end no block."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, Int32RowsOut, Ints32, Ints32Out, MaskOut

from diglot.documents.html.tags import BLOCK, LITERAL, REPLACED, TEXT_PIECE, VOID, tag_index

NONE = -1
BEFORE, AFTER, LEFT, RIGHT, PARENT, LINK_BEFORE, LINK_AFTER, IS_REPLACED, IS_LITERAL = range(9)
"""Columns of a boundary: pieces of both texts, start tags of the elements that meet and of their parent, start tags of
links that end and begin (-1 for none), whether a replaced element stands between, whether the texts are code."""
PARENT_OF, LEFT_OF, RIGHT_OF, IS_BLANK = range(4)
"""Columns of a meeting: start tags of the parent and of both elements, and whether white space stands between."""

# The same columns as C integers.
_BEFORE = cython.declare(cython.int, BEFORE)
_AFTER = cython.declare(cython.int, AFTER)
_LEFT = cython.declare(cython.int, LEFT)
_RIGHT = cython.declare(cython.int, RIGHT)
_PARENT = cython.declare(cython.int, PARENT)
_LINK_BEFORE = cython.declare(cython.int, LINK_BEFORE)
_LINK_AFTER = cython.declare(cython.int, LINK_AFTER)
_IS_REPLACED = cython.declare(cython.int, IS_REPLACED)
_IS_LITERAL = cython.declare(cython.int, IS_LITERAL)
_PARENT_OF = cython.declare(cython.int, PARENT_OF)
_LEFT_OF = cython.declare(cython.int, LEFT_OF)
_RIGHT_OF = cython.declare(cython.int, RIGHT_OF)
_IS_BLANK = cython.declare(cython.int, IS_BLANK)

_TEXT = cython.declare(cython.int, TEXT_PIECE)
_BLOCK = cython.declare(cython.int, BLOCK)
_LITERAL = cython.declare(cython.int, LITERAL)
_REPLACED = cython.declare(cython.int, REPLACED)
_VOID = cython.declare(cython.int, VOID)
_A = cython.declare(cython.int, tag_index("a"))
_WBR = cython.declare(cython.int, tag_index("wbr"))


def boundaries(markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, flags: Bytes) -> np.ndarray:
    """Boundaries between texts, int32 (n, 9); ``flags``: by tag."""
    size = codes.shape[0]
    all_found, count = np.empty((size, IS_LITERAL + 1), np.int32), 0
    found: Int32RowsOut = all_found
    ended: Ints32Out = np.full(size, NONE, np.int32)
    around: Ints32Out = np.full(size, NONE, np.int32)
    in_code: MaskOut = np.zeros(size, np.bool_)
    stack: Ints32Out = np.empty(size, np.int32)
    last: cython.int = -1
    with cython.nogil:
        _nest(codes, flags, ended, around, in_code, stack)
        for piece in range(size):
            if codes[piece] != _TEXT:
                tag = (-codes[piece] - 1) >> 1
                last = -1 if flags[tag] & _BLOCK or tag == _WBR else last
            elif ends[piece] > starts[piece]:
                if last != -1 and _may_be_word(markup[starts[piece]]):
                    found[count, _BEFORE], found[count, _AFTER] = last, piece
                    found[count, _IS_LITERAL] = in_code[last] or in_code[piece]
                    _meet(codes, ended, around, flags, found[count])
                    count += 1
                last = piece if _may_be_word(markup[ends[piece] - 1]) or _is_end(markup[ends[piece] - 1]) else -1
    return all_found[:count]


def meetings(markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, flags: Bytes) -> np.ndarray:
    """Places where an element ends and the next begins, int32 (n, 4).

    Their parents hold inline elements only: no block, and no text but white space.
    """
    size = codes.shape[0]
    all_found, count = np.empty((size, IS_BLANK + 1), np.int32), 0
    found: Int32RowsOut = all_found
    ended: Ints32Out = np.full(size, NONE, np.int32)
    around: Ints32Out = np.full(size, NONE, np.int32)
    in_code: MaskOut = np.zeros(size, np.bool_)
    is_mixed: MaskOut = np.zeros(size, np.bool_)
    stack: Ints32Out = np.empty(size, np.int32)
    blank: cython.bint = False
    with cython.nogil:
        _nest(codes, flags, ended, around, in_code, stack)
        for piece in range(size):
            if around[piece] != -1:
                is_mixed[around[piece]] |= (
                    _has_word(markup, starts[piece], ends[piece])
                    if codes[piece] == _TEXT
                    else flags[(-codes[piece] - 1) >> 1] & _BLOCK > 0
                )
        for piece in range(size):
            if codes[piece] == _TEXT or ended[piece] == -1 or around[piece] == -1 or is_mixed[around[piece]]:
                continue
            after = _next(codes, starts, ends, piece)
            blank = after < size and codes[after] == _TEXT
            after = _next(codes, starts, ends, after) if blank else after
            if after >= size or not codes[after] & 1 or flags[(-codes[after] - 1) >> 1] & _VOID:
                continue
            found[count, _PARENT_OF], found[count, _LEFT_OF] = around[piece], ended[piece]
            found[count, _RIGHT_OF] = after
            before = piece - 1  # the texts at both ends, inside of any more elements that end or begin there
            while not codes[before] & 1 and (codes[before] != _TEXT or ends[before] == starts[before]):
                before -= 1
            while after < size and codes[after] & 1:
                after = _next(codes, starts, ends, after)
            blank |= codes[before] == _TEXT and markup[ends[before] - 1] <= 32
            found[count, _IS_BLANK] = blank or (after < size and codes[after] == _TEXT and markup[starts[after]] <= 32)
            count += 1
    return all_found[:count]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next(codes: Ints32, starts: Ints32, ends: Ints32, piece: cython.int) -> cython.int:
    """The next piece that is a tag or a text with bytes; the number of pieces if there is none."""
    piece += 1
    while piece < codes.shape[0] and codes[piece] == _TEXT and ends[piece] == starts[piece]:
        piece += 1
    return piece


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_word(markup: Bytes, start: cython.int, end: cython.int) -> cython.bint:
    """Whether a text is more than white space."""
    while start < end and markup[start] <= 32:
        start += 1
    return start < end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_be_word(byte: cython.int) -> cython.bint:
    """Whether a byte is an ASCII letter or digit, or part of a character beyond ASCII."""
    return byte >= 0x80 or 97 <= (byte | 0x20) <= 122 or 48 <= byte <= 57


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_end(byte: cython.int) -> cython.bint:
    """Whether a byte may end a number, as ``%`` and ``+`` do, or a sentence."""
    return byte in (ord("%"), ord("+"), ord("."), ord("!"), ord("?"), ord(":"), ord(")"))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _nest(
    codes: Ints32, flags: Bytes, ended: Ints32Out, around: Ints32Out, in_code: MaskOut, stack: Ints32Out
) -> cython.void:
    """Fill in for every piece the start tag it closes (-1 for none), its parent's start tag, and whether it is code.

    An end tag closes the last open element of its name. ``stack``: room for all pieces.
    """
    depth: cython.int = 0
    literal: cython.int = 0
    for piece in range(codes.shape[0]):
        code = codes[piece]
        if code != _TEXT and not code & 1:
            place = depth - 1
            while place >= 0 and codes[stack[place]] != code + 1:
                place -= 1
            if place >= 0:
                ended[piece] = stack[place]
                for below in range(place, depth):
                    literal -= flags[(-codes[stack[below]] - 1) >> 1] & _LITERAL > 0
                depth = place
        around[piece] = stack[depth - 1] if depth > 0 else -1
        in_code[piece] = literal > 0
        if code & 1 and not flags[(-code - 1) >> 1] & _VOID:
            stack[depth] = piece
            depth += 1
            literal += flags[(-code - 1) >> 1] & _LITERAL > 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _meet(codes: Ints32, ended: Ints32Out, around: Ints32Out, flags: Bytes, row: Ints32Out) -> cython.void:
    """Fill in the columns of a boundary from the tags between its texts."""
    left: cython.int = -1
    right: cython.int = -1
    link_before: cython.int = -1
    link_after: cython.int = -1
    replaced: cython.bint = False
    before = row[_BEFORE]
    parent = around[before]
    for piece in range(before + 1, row[_AFTER]):
        if codes[piece] == _TEXT:
            continue
        tag, begun = (-codes[piece] - 1) >> 1, ended[piece]
        replaced |= flags[tag] & _REPLACED > 0
        if codes[piece] & 1:
            right = piece if around[piece] == parent and not flags[tag] & _VOID else right
            link_after = piece if tag == _A else link_after
        elif begun != -1 and begun < before:
            left, right, parent = begun, -1, around[begun]
            link_before = begun if tag == _A else link_before
        elif begun != -1:
            right = -1 if begun == right else right
            link_after = -1 if begun == link_after else link_after
    row[_LEFT], row[_RIGHT], row[_PARENT] = left, right, parent
    row[_LINK_BEFORE], row[_LINK_AFTER], row[_IS_REPLACED] = link_before, link_after, replaced
