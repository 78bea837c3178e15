"""How much of each block a sample of a page's prose takes, so that it speaks for the whole page."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Ints
from diglot.documents.language import SAMPLE_CHARS

MIN_PROSE_CHARS, SAMPLE_PLACES = 40, 8
"""Shortest block that is prose where there is enough, and in how many places a long page is sampled."""


def prose_taken(chars: Ints) -> Ints:
    """Characters to take from the beginning of each block, given those it has; shape (blocks,).

    All of a short page; of a longer one pieces from places that divide the prose evenly, so that of a page half
    translated the language of most of it is told. Code, names and menus, often English, are short: with enough
    prose left, short blocks are passed over.
    """
    long = np.where(chars >= MIN_PROSE_CHARS, chars, 0)
    if long.sum() >= SAMPLE_CHARS:
        chars = long
    ends = np.cumsum(chars)
    if not len(ends) or ends[-1] <= SAMPLE_CHARS:
        return chars
    places = (np.arange(SAMPLE_PLACES) + 0.5) / SAMPLE_PLACES * ends[-1]
    pieces = np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(chars))
    return np.asarray(pieces * (SAMPLE_CHARS // SAMPLE_PLACES), np.int64)
