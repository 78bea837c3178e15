"""Serialised markup -> its pieces, tags and text, and the attribute values that are read of them.

selectolax serialises a page regularly: names in lower case, values in double quotes, ``<`` escaped in text. So a
compiled scan over the bytes needs no parser's care; where the markup is not as it should be, one ``<`` is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.arrays import Bytes, Ints, Ints8, Ints32, Mask
from diglot.compiled import compiled
from diglot.documents.html.tags import ATTRIBUTE_SLOTS, ATTRIBUTES, SLOTS, TAGS, end_code, start_code, tag_index

TEXT_PIECE = 0
"""Code of a piece of text; that of a tag is its token, see :mod:`diglot.documents.html.tags`."""
_NOTHING = 1
_SPACE, _QUOTE, _SLASH, _LESS, _EQUALS, _GREATER = (ord(char) for char in ' "/<=>')
_DASH, _BANG, _QUESTION = (ord(char) for char in "-!?")
_KEY_BITS, _MAX_NAME = 6, 10
_SYMBOLS = np.zeros(256, np.int64)
_SYMBOLS[np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789-:", np.uint8)] = np.arange(1, 39)
"""A name of up to ten of these symbols fits an integer, six bits a symbol; any other name is unknown."""


class Pieces(NamedTuple):
    """Tags and stretches of text in the order of the page; arrays of one length."""

    codes: Ints32
    starts: Ints32
    """Place of a text's first byte in the markup, or of a tag's attributes."""
    ends: Ints32


class Elements(NamedTuple):
    """The elements of which attributes are read, and the ends of links."""

    pieces: Ints
    """Numbers of their pieces, shape (n,)."""
    codes: Ints32
    values: Ints32
    """Places where the value of each slot starts and ends in the markup, shape (n, slots, 2); -1 for no value."""


def cut_pieces(markup: Bytes) -> Pieces:
    """Cut markup into tags and text; comments and processing instructions are left out."""
    return Pieces(*_cut(markup, _TAG_KEYS, _TAG_PLACES))


def find_elements(markup: Bytes, pieces: Pieces) -> Elements:
    """The values of the attributes that :data:`diglot.documents.html.tags.ATTRIBUTE_SLOTS` asks for."""
    rows = np.flatnonzero(_IS_READ[-pieces.codes])
    codes = pieces.codes[rows]
    spans = pieces.starts[rows], pieces.ends[rows]
    return Elements(rows, codes, _values(markup, *spans, (-codes - 1) >> 1, SLOTS, _ATTRIBUTE_KEYS, _SORTED_SLOTS))


def without_tags(pieces: Pieces, names: Sequence[str]) -> Pieces:
    """The pieces with these elements' tags as texts of no length."""
    is_out = np.zeros(2 * len(TAGS) + 1, bool)
    for name in names:
        is_out[[-start_code(name), -end_code(name)]] = True
    rows = is_out[-pieces.codes]
    if not rows.any():
        return pieces
    return Pieces(
        np.where(rows, np.int32(TEXT_PIECE), pieces.codes), pieces.starts, np.where(rows, pieces.starts, pieces.ends)
    )


def _name_key(name: str) -> int:
    key = 0
    for symbol in name.encode():
        key = key << _KEY_BITS | int(_SYMBOLS[symbol])
    return key


def _sorted_keys(names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Keys in ascending order, and the place in ``names`` of each; behind them the last place, for unknown names."""
    keys = np.array([_name_key(name) for name in names], np.int64)
    return np.sort(keys), np.append(np.argsort(keys), len(names) - 1)


def _read_codes() -> Mask:
    """Whether a piece with the negative of this code is wanted of :func:`find_elements`."""
    is_read = np.zeros(2 * len(TAGS) + 1, bool)
    is_read[1::2] = (ATTRIBUTE_SLOTS >= 0).any(axis=1)
    is_read[2 + 2 * tag_index("a")] = True
    return is_read


_TAG_KEYS, _TAG_PLACES = _sorted_keys(TAGS)
_ATTRIBUTE_KEYS, _ATTRIBUTE_PLACES = _sorted_keys(ATTRIBUTES)
_SORTED_SLOTS = ATTRIBUTE_SLOTS[:, _ATTRIBUTE_PLACES[:-1]].copy()
_IS_READ = _read_codes()


@compiled
def _find(markup: Bytes, byte: int, place: int) -> int:
    """First place of a byte from here on, or the end."""
    while place < len(markup) and markup[place] != byte:
        place += 1
    return place


@compiled
def _look_up(markup: Bytes, start: int, end: int, keys: Ints) -> int:
    """Place of a name among sorted keys, -1 where it is none of them."""
    if end - start > _MAX_NAME:
        return -1
    key = 0
    for place in range(start, end):
        symbol = _SYMBOLS[markup[place]]
        if symbol == 0:
            return -1
        key = (key << _KEY_BITS) | symbol
    found = np.searchsorted(keys, key)
    return int(found) if found < len(keys) and keys[found] == key else -1


@compiled
def _attribute(markup: Bytes, place: int) -> tuple[int, int]:
    """Where the name and the whole of an attribute end that begins here, behind its space; -1, -1 if badly."""
    size = len(markup)
    if place < size and markup[place] == _EQUALS:
        place += 1
    while place < size and markup[place] != _SPACE and markup[place] != _EQUALS and markup[place] != _GREATER:
        place += 1
    if place >= size or markup[place] != _EQUALS:
        return place, place
    if place + 1 >= size or markup[place + 1] != _QUOTE:
        return -1, -1
    return place, _find(markup, _QUOTE, place + 2) + 1


@compiled
def _comment(markup: Bytes, place: int) -> int:
    """Where a comment ends that begins here; -1 where it does not end."""
    dashes = 0
    for after in range(place + 4, len(markup)):
        if markup[after] == _GREATER and dashes >= 2:
            return after + 1
        dashes = dashes + 1 if markup[after] == _DASH else 0
    return -1


@compiled
def _tag(markup: Bytes, place: int, keys: Ints, places: Ints) -> tuple[int, int, int, int]:
    """Code, start and end of the attributes, and end of what begins with the ``<`` at this place."""
    size = len(markup)
    skipped = _NOTHING, place, place, place + 1
    name = place + 2 if place + 1 < size and markup[place + 1] == _SLASH else place + 1
    if name >= size:
        return skipped
    first = markup[name]
    if first == _BANG and name + 2 < size and markup[name + 1] == _DASH and markup[name + 2] == _DASH:
        end = _comment(markup, place)
        return (_NOTHING, place, end, end) if end > 0 else skipped
    if first == _QUESTION:
        end = _find(markup, _GREATER, name)
        return (_NOTHING, place, end, end + 1) if end < size else skipped
    if not (97 <= first <= 122 or 65 <= first <= 90):
        return skipped
    start = name
    while start < size and markup[start] != _SPACE and markup[start] != _SLASH and markup[start] != _GREATER:
        start += 1
    end = start
    while 0 <= end < size and markup[end] == _SPACE:
        end = _attribute(markup, end + 1)[1]
    if end < 0 or end >= size or markup[end] != _GREATER:
        return skipped
    tag = places[_look_up(markup, name, start, keys)]
    return -(1 + 2 * tag) - (name - place - 1), start, end, end + 1


@compiled
def _cut(markup: Bytes, keys: Ints, places: Ints) -> tuple[Ints32, Ints32, Ints32]:
    """Codes, starts and ends of all pieces; ``keys``, ``places``: of the known names, see :func:`_sorted_keys`."""
    room = 1
    for byte in markup:
        room += 2 * (byte == _LESS)
    codes, starts, ends = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    count, place = 0, int(np.int64(0))  # A constant would have what is called compiled for it, too.
    while place < len(markup):
        if markup[place] == _LESS:
            code, start, end, after = _tag(markup, place, keys, places)
        else:
            after = _find(markup, _LESS, place)
            code, start, end = TEXT_PIECE, place, after
        place = after
        if code != _NOTHING:
            codes[count], starts[count], ends[count] = code, start, end
            count += 1
    return codes[:count], starts[:count], ends[:count]


@compiled
def _values(markup: Bytes, starts: Ints32, ends: Ints32, tags: Ints32, room: int, keys: Ints, slots: Ints8) -> Ints32:
    """Places of the values of elements whose attributes stand between ``starts`` and ``ends``, as in :class:`Elements`.

    ``room``: number of slots, by argument since what is compiled keeps a constant of another module as it was.
    ``slots``: by tag and by place of the attribute among the sorted keys.
    """
    values = np.full((len(tags), room, 2), -1, np.int32)
    for row in range(len(tags)):
        place = starts[row]
        while place < ends[row]:
            name, end = _attribute(markup, place + 1)
            if end > name:
                found = _look_up(markup, place + 1, name, keys)
                slot = slots[tags[row], found] if found >= 0 else -1
                if slot >= 0:
                    values[row, slot, 0], values[row, slot, 1] = name + 2, end - 1
            place = end
    return values
