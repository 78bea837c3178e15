"""Scans of unparsed markup: depth of nesting, and bytes copied while texts grow."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, Ints, Ints32Out, IntsOut, Mask

NAMES = 4096
"""Size of the hash table for element names; names with one hash count as the same."""
TABLE, PART, CELL, SELECT, OPTION = range(1, 6)
"""Kinds of elements; 0 for the rest."""

_NAMES = cython.declare(cython.int, NAMES)
_TABLE = cython.declare(cython.int, TABLE)
_PART = cython.declare(cython.int, PART)
_CELL = cython.declare(cython.int, CELL)
_SELECT = cython.declare(cython.int, SELECT)
_OPTION = cython.declare(cython.int, OPTION)


def name_place(name: Bytes) -> int:
    """Hash of an element's name, below :data:`NAMES`."""
    return _name(name, 0)[0]


def deepest(markup: Bytes, has_depth: Mask, places: Ints) -> int:
    """Most elements open at a time.

    Not counted: an element inside svg or math that closes itself, an rt or rp inside ruby, which closes the one before,
    and a form outside a template, as only there forms nest. ``has_depth``: whether a name counts; ``places``: hashes of
    svg, math, ruby, rt, rp, template and form.
    """
    open_count: Ints32Out = np.zeros(NAMES, np.int32)
    svg, math, ruby, rt = places[0], places[1], places[2], places[3]
    rp, template, form = places[4], places[5], places[6]
    depth, deepest, place = 0, 0, 0
    is_end: cython.bint
    closed: cython.bint
    with cython.nogil:
        while place + 1 < markup.shape[0]:
            if markup[place] != ord("<"):
                place += 1
                continue
            is_end = markup[place + 1] == ord("/")
            name, place = _name(markup, place + 1 + is_end)
            if name < 0 or not has_depth[name]:
                continue
            if is_end:
                change = -1 if open_count[name] > 0 else 0
            else:
                while place < markup.shape[0] and markup[place] != ord(">"):
                    place += 1
                closed = open_count[svg] + open_count[math] > 0 and markup[place - 1] == ord("/")
                closed |= (name in (rt, rp)) and open_count[ruby] > 0
                closed |= name == form and open_count[template] == 0
                change = 0 if closed else 1
            open_count[name] += change
            depth += change
            deepest = max(deepest, depth)
    return deepest


def count_regrown(markup: Bytes, kind_of: Bytes, enough: cython.longlong) -> int:
    """Bytes of the text so far, summed over all markup in it that makes no element but takes memory.

    Such markup: comments in a table outside cells, and tags with attributes, of any element inside a select or of parts
    of tables outside tables. Stops above ``enough``.
    """
    tables, selects = 0, 0
    place: cython.Py_ssize_t = 0
    run: cython.longlong = 0
    cost: cython.longlong = 0
    in_cell: cython.bint = True
    is_end: cython.bint
    is_comment: cython.bint
    has_attributes: cython.bint
    with cython.nogil:
        while place + 1 < markup.shape[0] and cost <= enough:
            if markup[place] != ord("<"):
                place, run = place + 1, run + 1
                continue
            is_end = markup[place + 1] == ord("/")
            name, end = _name(markup, place + 1 + is_end)
            if name < 0:
                is_comment = markup[place + 1] == ord("!") or markup[place + 1] == ord("?")
                run = run if (is_comment and tables and not in_cell) or not is_comment else 0
                cost, place = cost + run * is_comment, place + 1
                while is_comment and place < markup.shape[0] and markup[place] != ord(">"):
                    place += 1
                place += is_comment
                continue
            has_attributes = end < markup.shape[0] and markup[end] != ord(">")
            while end < markup.shape[0] and markup[end] != ord(">"):
                end += 1
            place, kind = end + 1, kind_of[name]
            if selects and kind != _SELECT and kind != _OPTION:
                cost += run * has_attributes
                continue
            if (kind in (_PART, _CELL)) and not tables:
                cost += run * has_attributes
                continue
            run = 0
            if kind == _TABLE:
                tables = max(0, tables - 1) if is_end else tables + 1
                in_cell = is_end
            elif kind == _SELECT:
                selects = 0 if is_end or selects else 1
            elif kind in (_PART, _CELL):
                in_cell = kind == _CELL and not is_end
    return cost


def count_reopened(markup: Bytes, is_formatting: Mask, least: cython.Py_ssize_t, enough: cython.longlong) -> int:
    """Bytes of all open tags of formatting elements, summed over the start tags behind them.

    Parsers open a formatting element without an end tag again, with its attributes, in each block. ``least``: least
    bytes of a tag that counts. Stops above ``enough``.
    """
    open_count: Ints32Out = np.zeros(NAMES, np.int32)
    open_bytes: IntsOut = np.zeros(NAMES, np.int64)
    place: cython.Py_ssize_t = 0
    all_open: cython.longlong = 0
    cost: cython.longlong = 0
    is_end: cython.bint
    with cython.nogil:
        while place + 1 < markup.shape[0] and cost <= enough:
            if markup[place] != ord("<"):
                place += 1
                continue
            is_end = markup[place + 1] == ord("/")
            name, name_end = _name(markup, place + 1 + is_end)
            if name < 0:
                place += 1
                continue
            end = _tag_end(markup, name_end)
            if not is_end:
                cost += all_open
            if is_formatting[name]:
                open_count[name] = max(open_count[name] - 1, 0) if is_end else open_count[name] + 1
                if is_end and open_count[name] == 0:
                    all_open -= open_bytes[name]
                    open_bytes[name] = 0
                elif not is_end and end - place >= least:
                    all_open += end - place
                    open_bytes[name] += end - place
            place = end
    return cost


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tag_end(markup: Bytes, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Place behind the ">" of a tag; quoted values may hold ">"."""
    quote: cython.int = 0
    while place < markup.shape[0]:
        letter = markup[place]
        place += 1
        if quote != 0:
            quote = 0 if letter == quote else quote
        elif letter == ord(">"):
            break
        elif (letter == ord('"') or letter == ord("'")) and markup[place - 2] == ord("="):
            quote = letter
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _name(markup: Bytes, place: cython.Py_ssize_t) -> tuple[cython.int, cython.Py_ssize_t]:
    """Hash of the name at ``place``, -1 for no name, and the end of the name."""
    number: cython.int = 0
    start = place
    while place < markup.shape[0]:
        letter = markup[place] | 0x20
        if not (97 <= letter <= 122 or (place > start and (48 <= letter <= 58 or letter == 45))):
            break
        number = (31 * number + letter) % _NAMES
        place += 1
    return number if place > start else -1, place
