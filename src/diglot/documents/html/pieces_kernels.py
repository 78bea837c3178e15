"""Scans of serialised markup for pieces and values of attributes."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, Int8Rows, Int32BlocksOut, Ints, Ints32, Ints32Out

from diglot.documents.html.tags import SLOTS, TEXT_PIECE

_TEXT = cython.declare(cython.int, TEXT_PIECE)
_NOTHING = cython.declare(cython.int, 1)
_SPACE = cython.declare(cython.int, ord(" "))
_QUOTE = cython.declare(cython.int, ord('"'))
_SLASH = cython.declare(cython.int, ord("/"))
_LESS = cython.declare(cython.int, ord("<"))
_EQUALS = cython.declare(cython.int, ord("="))
_GREATER = cython.declare(cython.int, ord(">"))
_DASH = cython.declare(cython.int, ord("-"))
_BANG = cython.declare(cython.int, ord("!"))
_QUESTION = cython.declare(cython.int, ord("?"))
_KEY_BITS = cython.declare(cython.int, 6)
_MAX_NAME = cython.declare(cython.int, 10)


def cut(markup: Bytes, keys: Ints, places: Ints) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, starts and ends of all pieces; ``keys``, ``places``: of known names, by ascending key."""
    room: cython.Py_ssize_t = 1
    with cython.nogil:
        for at in range(markup.shape[0]):
            room += 2 if markup[at] == _LESS else 0
    count: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t = 0
    all_codes, all_starts, all_ends = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    codes: Ints32Out = all_codes
    starts: Ints32Out = all_starts
    ends: Ints32Out = all_ends
    with cython.nogil:
        while place < markup.shape[0]:
            if markup[place] == _LESS:
                code, start, end, after = _tag(markup, place, keys, places)
            else:
                after = _find(markup, _LESS, place)
                code, start, end = _TEXT, place, after
            place = after
            if code != _NOTHING:
                codes[count], starts[count], ends[count] = code, start, end
                count += 1
    return all_codes[:count], all_starts[:count], all_ends[:count]


def values(markup: Bytes, starts: Ints32, ends: Ints32, tags: Ints32, keys: Ints, slots: Int8Rows) -> np.ndarray:
    """Start and end of attribute values by slot, int32 (elements, slots, 2), -1 for no value.

    ``starts``, ``ends``: bounds of each element's attributes; ``slots``: slot by tag and place of the attribute among
    the sorted ``keys``.
    """
    all_values = np.full((tags.shape[0], SLOTS, 2), -1, np.int32)
    values: Int32BlocksOut = all_values
    with cython.nogil:
        for row in range(tags.shape[0]):
            place: cython.Py_ssize_t = starts[row]
            while place < ends[row]:
                name, end = _attribute(markup, place + 1)
                if end > name:
                    found = _look_up(markup, place + 1, name, keys)
                    slot = slots[tags[row], found] if found >= 0 else -1
                    if slot >= 0:
                        values[row, slot, 0], values[row, slot, 1] = name + 2, end - 1
                place = end
    return all_values


def name_key(name: Bytes) -> int:
    """A name of up to ten letters, digits, dashes and colons as a number, six bits a symbol; -1 for other names."""
    return _key(name, 0, name.shape[0])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find(markup: Bytes, byte: cython.int, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """First place of ``byte`` from ``place`` on, or the end."""
    while place < markup.shape[0] and markup[place] != byte:
        place += 1
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _symbol(byte: cython.int) -> cython.int:
    """Number of a lower-case letter, digit, dash or colon; 0 for any other byte."""
    if 97 <= byte <= 122:
        return byte - 96
    if 48 <= byte <= 57:
        return byte - 21
    return 37 if byte == 45 else 38 if byte == 58 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _key(markup: Bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    key: cython.longlong = 0
    if end - start > _MAX_NAME:
        return -1
    for place in range(start, end):
        symbol = _symbol(markup[place])
        if symbol == 0:
            return -1
        key = (key << _KEY_BITS) | symbol
    return key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look_up(markup: Bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, keys: Ints) -> cython.Py_ssize_t:
    """Place of a name among sorted keys, -1 for an unknown name."""
    key = _key(markup, start, end)
    if key < 0:
        return -1
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _attribute(markup: Bytes, place: cython.Py_ssize_t) -> tuple[cython.Py_ssize_t, cython.Py_ssize_t]:
    """End of the name and of the whole attribute at ``place``, behind its space; -1, -1 for broken markup."""
    size = markup.shape[0]
    if place < size and markup[place] == _EQUALS:
        place += 1
    while place < size and markup[place] != _SPACE and markup[place] != _EQUALS and markup[place] != _GREATER:
        place += 1
    if place >= size or markup[place] != _EQUALS:
        return place, place
    if place + 1 >= size or markup[place + 1] != _QUOTE:
        return -1, -1
    return place, _find(markup, _QUOTE, place + 2) + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _comment(markup: Bytes, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """End of the comment at ``place``; -1 for an open comment."""
    dashes = 0
    for after in range(place + 4, markup.shape[0]):
        if markup[after] == _GREATER and dashes >= 2:
            return after + 1
        dashes = dashes + 1 if markup[after] == _DASH else 0
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tag(
    markup: Bytes, place: cython.Py_ssize_t, keys: Ints, places: Ints
) -> tuple[cython.int, cython.Py_ssize_t, cython.Py_ssize_t, cython.Py_ssize_t]:
    """Code, start and end of the attributes, and end of the tag or comment at ``place``."""
    size = markup.shape[0]
    name = place + 2 if place + 1 < size and markup[place + 1] == _SLASH else place + 1
    if name >= size:
        return _NOTHING, place, place, place + 1
    first = markup[name]
    if first == _BANG and name + 2 < size and markup[name + 1] == _DASH and markup[name + 2] == _DASH:
        end = _comment(markup, place)
        if end > 0:
            return _NOTHING, place, end, end
        return _NOTHING, place, place, place + 1
    if first == _QUESTION:
        end = _find(markup, _GREATER, name)
        if end < size:
            return _NOTHING, place, end, end + 1
        return _NOTHING, place, place, place + 1
    if not (97 <= first <= 122 or 65 <= first <= 90):
        return _NOTHING, place, place, place + 1
    start = name
    while start < size and markup[start] != _SPACE and markup[start] != _SLASH and markup[start] != _GREATER:
        start += 1
    end = start
    while 0 <= end < size and markup[end] == _SPACE:
        end = _attribute(markup, end + 1)[1]
    if end < 0 or end >= size or markup[end] != _GREATER:
        return _NOTHING, place, place, place + 1
    found = _look_up(markup, name, start, keys)
    tag = places[found if found >= 0 else places.shape[0] - 1]
    return -(1 + 2 * tag) - (name - place - 1), start, end, end + 1
