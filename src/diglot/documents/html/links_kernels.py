"""Scans for the text of links."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, BytesOut, Int32Rows, Int32RowsOut, Ints32, Ints32Out, Mask, MaskOut

from diglot.documents.html.tags import end_code, start_code

NO_ROW = -1

_A = cython.declare(cython.int, start_code("a"))
_A_END = cython.declare(cython.int, end_code("a"))
_AREA = cython.declare(cython.int, start_code("area"))
_IMG = cython.declare(cython.int, start_code("img"))
_BLANK = cython.declare(cython.int, ord(" "))
_NEW_LINE = cython.declare(cython.int, ord("\n"))


def link_spans(
    codes: Ints32, is_link: Mask, has_alt: Mask, before: Ints32
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First chunk inside and behind every link, whether it is closed, and the row of its ``alt``, -1 for none.

    An ``a`` ends at its end tag or at the next ``a``; only one with an end tag has the ``alt`` of its last image.
    """
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        for row in range(is_link.shape[0]):
            count += is_link[row]
    all_spans, all_closed, all_alts = (
        np.zeros((count, 2), np.int32),
        np.zeros(count, np.bool_),
        np.full(count, NO_ROW, np.int32),
    )
    spans: Int32RowsOut = all_spans
    closed: MaskOut = all_closed
    alts: Ints32Out = all_alts
    link: cython.Py_ssize_t = -1
    opened: cython.Py_ssize_t = -1
    with cython.nogil:
        for row in range(codes.shape[0]):
            if is_link[row]:
                link += 1
                if codes[row] == _A:
                    if opened >= 0:
                        spans[opened, 1], alts[opened] = before[row], -1
                    spans[link, 0], spans[link, 1], opened = before[row], before[row], link
                elif codes[row] == _AREA and has_alt[row]:
                    alts[link] = row
            elif opened >= 0 and codes[row] == _A_END:
                spans[opened, 1], closed[opened] = before[row], True
                opened = -1
            elif opened >= 0 and codes[row] == _IMG and has_alt[row]:
                alts[opened] = row
        if opened >= 0:
            alts[opened] = -1
    return all_spans, all_closed, all_alts


def join_spans(text: Bytes, offsets: Ints32, spans: Int32Rows) -> np.ndarray:
    """Chunks of every span with a space between chunks, and a line break, which no chunk holds, between spans."""
    room: cython.Py_ssize_t = spans.shape[0]
    with cython.nogil:
        for row in range(spans.shape[0]):
            room += offsets[spans[row, 1]] - offsets[spans[row, 0]] + spans[row, 1] - spans[row, 0]
    all_bytes = np.empty(room, np.uint8)
    filled: cython.Py_ssize_t = 0
    joined: BytesOut = all_bytes
    with cython.nogil:
        for row in range(spans.shape[0]):
            for chunk in range(spans[row, 0], spans[row, 1]):
                start: cython.Py_ssize_t = offsets[chunk]
                end: cython.Py_ssize_t = offsets[chunk + 1]
                start += text[start] == _BLANK
                end -= text[end - 1] == _BLANK
                for place in range(start, end):
                    joined[filled] = text[place]
                    filled += 1
                joined[filled] = _BLANK
                filled += 1
            if spans[row, 1] > spans[row, 0]:
                filled -= 1
            joined[filled] = _NEW_LINE
            filled += 1
    return all_bytes[: filled - 1]
