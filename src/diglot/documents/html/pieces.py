"""Serialised markup -> its pieces, tags and text, and the attribute values that are read of them.

selectolax serialises a page regularly: names in lower case, values in double quotes, ``<`` escaped in text. So a
compiled scan over the bytes needs no parser's care; where the markup is not as it should be, one ``<`` is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.arrays import Bytes, Ints, Ints32, Mask
from diglot.documents.html.pieces_kernels import cut, name_key, values
from diglot.documents.html.tags import (
    ATTRIBUTE_SLOTS,
    ATTRIBUTES,
    SLOTS,
    TAGS,
    TEXT_PIECE,
    end_code,
    start_code,
    tag_index,
)


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
    return Pieces(*cut(markup, _TAG_KEYS, _TAG_PLACES))


def find_elements(markup: Bytes, pieces: Pieces) -> Elements:
    """The values of the attributes that :data:`diglot.documents.html.tags.ATTRIBUTE_SLOTS` asks for."""
    rows = np.flatnonzero(_IS_READ[-pieces.codes])
    codes = pieces.codes[rows]
    spans = pieces.starts[rows], pieces.ends[rows]
    found = values(markup, *spans, (-codes - 1) >> 1, SLOTS, _ATTRIBUTE_KEYS, _SORTED_SLOTS)
    return Elements(rows, codes, found)


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


def _sorted_keys(names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Keys in ascending order, and the place in ``names`` of each; behind them the last place, for unknown names."""
    keys = np.array([name_key(name.encode()) for name in names], np.int64)
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
