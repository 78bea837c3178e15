"""Scan for candidates of heading anchors."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, Int32Rows, Int32RowsOut, Ints32

from diglot.documents.html.tags import BLOCK, TEXT_PIECE, end_code

_TEXT = cython.declare(cython.int, TEXT_PIECE)
_BLOCK = cython.declare(cython.int, BLOCK)
_A_END = cython.declare(cython.int, end_code("a"))
_BLANK = cython.declare(cython.int, ord(" "))
_MAX_TEXT_BYTES = cython.declare(cython.int, 120)
"""Longest text of a heading anchor: "Permanent link to this heading" has 30 letters, of up to four bytes."""
_MAX_PIECES = cython.declare(cython.int, 200)
_MAX_BYTES = cython.declare(cython.int, 20_000)
"""Distance from a link within which its heading is searched, in pieces and in bytes."""


def short_links(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, links: Int32Rows, flags: Bytes
) -> np.ndarray:
    """Candidates of heading anchors: links to a fragment, int32 (n, 7).

    They have 1 to 120 visible bytes of text, and either no letter or digit in the text or the target near the link.
    Near: an ``id`` or ``name`` of the fragment's value in the link's block or in the block with the text before it, at
    most 20,000 bytes away. Columns: pieces of both tags; start of the address, place of ``#``, end of the address;
    whether the target is near the link; whether the block has further text. ``links``: piece of the start tag, start
    and end of the address (-1 for none), int32 (links, 3).
    """
    all_found, count = np.empty((links.shape[0], 7), np.int32), 0
    found: Int32RowsOut = all_found
    sharp: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    is_before: cython.bint
    is_behind: cython.bint
    to_itself: cython.bint
    with cython.nogil:
        for link in range(links.shape[0]):
            sharp, behind = links[link, 1], links[link, 2]
            while 0 <= sharp < behind and markup[sharp] != ord("#"):
                sharp += 1
            if sharp < 0 or sharp >= behind:
                continue
            start: cython.Py_ssize_t = links[link, 0]
            end: cython.Py_ssize_t = start
            size: cython.int = 0
            has_letter: cython.bint = False
            while size <= _MAX_TEXT_BYTES and end + 1 < codes.shape[0] and codes[end] != _A_END:
                end += 1
                if codes[end] == _TEXT:
                    size += _visible_bytes(markup, starts[end], ends[end], _MAX_TEXT_BYTES + 1)
                    has_letter |= _has_letter(markup, starts[end], ends[end])
            if size == 0 or size > _MAX_TEXT_BYTES or codes[end] != _A_END:
                continue
            low, is_before = _reach_back(markup, codes, starts, ends, start, flags)
            high, is_behind = _reach_on(markup, codes, starts, ends, end, flags)
            low, high = max(low, sharp - _MAX_BYTES), min(high, sharp + _MAX_BYTES)
            to_itself = _has_target(markup, low, high, sharp + 1, behind)
            if to_itself or not has_letter:
                found[count, 0], found[count, 1], found[count, 2] = start, end, links[link, 1]
                found[count, 3], found[count, 4], found[count, 5] = sharp, behind, to_itself
                found[count, 6] = is_before or is_behind
                count += 1
    return all_found[:count]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _visible_bytes(markup: Bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, most: cython.int) -> cython.int:
    """Bytes of a text without ASCII white space, counted up to ``most``."""
    count: cython.int = 0
    for place in range(start, end):
        count += markup[place] > _BLANK
        if count == most:
            break
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_letter(markup: Bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a text has an ASCII letter or digit, or a character in a mostly alphabetic range of Unicode."""
    for place in range(start, end):
        byte = markup[place]
        if 97 <= (byte | 0x20) <= 122 or 48 <= byte <= 57 or (0xC3 <= byte < 0xEF and byte != 0xE2):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_target(
    markup: Bytes, low: cython.Py_ssize_t, high: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """Whether an ``id`` or ``name`` between ``low`` and ``high`` has the fragment's value, perhaps percent-encoded."""
    for place in range(low + 5, high):
        if markup[place] != ord('"') or markup[place - 1] != ord("="):
            continue
        is_id: cython.bint = (
            markup[place - 2] == ord("d") and markup[place - 3] == ord("i") and markup[place - 4] <= _BLANK
        )
        is_name: cython.bint = markup[place - 2] == ord("e") and markup[place - 3] == ord("m")
        before = markup[place - 4]
        if not (is_id and before <= _BLANK) and not (is_name and before == ord("a")):
            continue
        here, there = place + 1, start
        while there < end and here < high:
            byte: cython.int = markup[there]
            size: cython.int = 1
            if byte == ord("%") and there + 2 < end and markup[here] != byte:
                byte, size = 16 * _hex(markup[there + 1]) + _hex(markup[there + 2]), 3
            if byte != markup[here]:
                break
            here += 1
            there += size
        if there == end and here < high and markup[here] == ord('"'):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hex(byte: cython.int) -> cython.int:
    """Value of a hexadecimal digit; any number for any other byte."""
    return (byte & 0x0F) + 9 * (byte >> 6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach_back(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, start: cython.Py_ssize_t, flags: Bytes
) -> tuple[cython.Py_ssize_t, cython.bint]:
    """Begin of the block with text before a link, with its opening tags, and whether it is the link's own block."""
    is_text: cython.bint = False
    is_own: cython.bint = False
    is_over: cython.bint = False
    blocks = 0
    for piece in range(start - 1, max(-1, start - _MAX_PIECES), -1):
        if codes[piece] == _TEXT:
            if _visible_bytes(markup, starts[piece], ends[piece], 1) > 0:
                if is_over:
                    return ends[piece], is_own
                is_text, is_own = True, is_own or blocks == 0
        elif flags[(-codes[piece] - 1) >> 1] & _BLOCK:
            blocks += 1
            is_over = is_text
    return starts[max(0, start - _MAX_PIECES)], is_own


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach_on(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, end: cython.Py_ssize_t, flags: Bytes
) -> tuple[cython.Py_ssize_t, cython.bint]:
    """End of a link's block, with the next tag, and whether the block has text behind the link."""
    is_text: cython.bint = False
    for piece in range(end + 1, min(codes.shape[0], end + _MAX_PIECES)):
        if codes[piece] == _TEXT:
            is_text |= _visible_bytes(markup, starts[piece], ends[piece], 1) > 0
        elif flags[(-codes[piece] - 1) >> 1] & _BLOCK:
            return ends[piece], is_text
    return ends[min(codes.shape[0], end + _MAX_PIECES) - 1], is_text
