"""Symbols in elements of their own at the edge of a block: arrows of menus, ticks and dots of lists, plus signs of
questions that open. They dress a text, and style sheets draw others of their kind."""

from __future__ import annotations

from unicodedata import category

import numpy as np

from diglot.arrays import Ints, Mask
from diglot.documents.html.page_text import PageText, elements_around, without_chunks
from diglot.documents.html.pieces import Chunks
from diglot.documents.html.tags import start_code

MOST_CHARS = 2
"""Most characters of such an element: a symbol, or a symbol and its variation selector."""
_MEANT = frozenset("°©®™℠№℃℉")
"""Symbols that belong to the text beside them."""
_MARKS = frozenset("•·‣›»")
"""Marks of lists and menus that Unicode counts as punctuation."""
_PARTS_OF_FORMULAS = tuple(map(start_code, ("sup", "sub", "code", "var")))


def without_symbols(page: PageText) -> PageText:
    """The page without symbols that are all of an element at the edge of a block with other text.

    A symbol behind a digit stays, as in ``500<b>+</b>``.
    """
    chars = page.chunks.tokens[page.chunks.tokens > 0]
    short = np.flatnonzero(chars <= MOST_CHARS)
    if not len(short):
        return page
    around = elements_around(page.chunks)[short]
    is_dressing = _are_at_edges(page, short) & (around != 0) & ~np.isin(around, _PARTS_OF_FORMULAS)
    places = [chunk for chunk in short[is_dressing].tolist() if _is_decoration(chunk, page.chunks)]
    return without_chunks(page, places) if places else page


def _are_at_edges(page: PageText, chunks: Ints) -> Mask:
    """Mask of the chunks that begin or end a block with others."""
    ends = page.blocks.ends
    block = np.searchsorted(ends, chunks, side="right")
    starts = np.append(0, ends)[block]
    return ((chunks == starts) | (chunks + 1 == ends[block])) & (ends[block] - starts > 1)


def _is_decoration(chunk: int, chunks: Chunks) -> bool:
    text = chunks.beginning(chunk, chunk + 1, MOST_CHARS + 2).strip()
    at = int(chunks.offsets[chunk])
    return all(map(is_symbol, text)) and not chunks.text[max(0, at - 1) : at].tobytes().isdigit()


def is_symbol(char: str) -> bool:
    """Whether a character alone is decoration beside a text."""
    return char in _MARKS or (category(char) in ("Sm", "So", "Mn", "Cf") and char not in _MEANT)
