"""Serialised markup -> pieces, tags and texts, and the values of attributes.

selectolax serialises a page regularly: names in lower case, values in double quotes, ``<`` escaped in text. A compiled
scan over the bytes is therefore enough; in irregular markup a single ``<`` is skipped.
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
    TAGS,
    TEXT_PIECE,
    end_code,
    start_code,
    tag_index,
)


class Pieces(NamedTuple):
    """Tags and texts in the order of the page; arrays of one length."""

    codes: Ints32
    starts: Ints32
    """First byte of a text, or of a tag's attributes, in the markup."""
    ends: Ints32


class Elements(NamedTuple):
    """Elements with attributes that are read, and ends of links."""

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
    found = values(markup, *spans, (-codes - 1) >> 1, _ATTRIBUTE_KEYS, _SORTED_SLOTS)
    return Elements(rows, codes, found)


def without_tags(pieces: Pieces, names: Sequence[str]) -> Pieces:
    """The pieces with the tags of the elements ``names`` as empty texts."""
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
