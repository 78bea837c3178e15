"""Symbols in elements of their own at the edge of a block: arrows of menus, ticks and dots of lists, plus signs of
questions that open. They dress a text, as symbols do that a style sheet draws."""

from __future__ import annotations

from unicodedata import category

import numpy as np

from diglot.arrays import Ints, Ints32
from diglot.documents.html.page_text import PageText, elements_around, without_chunks
from diglot.documents.html.pieces import Chunks
from diglot.documents.html.tags import start_code

MOST_CHARS = 2
"""Most characters of such an element: a symbol, or a symbol and its variation selector."""
_MEANT = frozenset("°©®™℠℗№℃℉")
"""Symbols that belong to the text beside them."""
_MARKS = frozenset("•·‣›»")
"""Marks of lists and menus that Unicode counts as punctuation."""
_PARTS_OF_FORMULAS = tuple(map(start_code, ("sup", "sub", "code", "var")))


def without_symbols(page: PageText) -> PageText:
    """The page without symbols that are all of an element at the edge of a block with other text.

    A symbol beside a number stays, as in ``500<b>+</b>`` and ``<b>−</b>5 °C``, and so do stars in a row.
    """
    short = np.flatnonzero(page.chunks.tokens[page.chunks.tokens > 0] <= MOST_CHARS)
    if not len(short):
        return page
    around = elements_around(page.chunks)[short]
    places = short[(around != 0) & ~np.isin(around, _PARTS_OF_FORMULAS)]
    places = [
        int(chunk)
        for chunk, neighbour in _at_edges(page.blocks.ends, places)
        if _dresses(chunk, neighbour, page.chunks)
    ]
    return without_chunks(page, places) if places else page


def _at_edges(ends: Ints32, chunks: Ints) -> list[tuple[int, int]]:
    """The chunks at one edge of a block of several chunks, each with the neighbour in its block."""
    block = np.searchsorted(ends, chunks, side="right")
    starts = np.append(0, ends)[block]
    is_first, is_last = chunks == starts, chunks + 1 == ends[block]
    beside = np.where(is_first, chunks + 1, chunks - 1)
    found = is_first != is_last
    return list(zip(chunks[found].tolist(), beside[found].tolist(), strict=True))


def _dresses(chunk: int, neighbour: int, chunks: Chunks) -> bool:
    """Whether a chunk is a symbol that dresses the text of its neighbour."""
    symbol, text = (
        chunks.text[slice(*chunks.offsets[[n, n + 1]])].tobytes().decode().strip() for n in (chunk, neighbour)
    )
    beside = text[0] if neighbour > chunk else text[-1]
    return all(map(is_symbol, symbol)) and not beside.isdigit() and not all(map(is_symbol, text))


def is_symbol(char: str) -> bool:
    """Whether a character alone is decoration beside a text."""
    return char in _MARKS or (category(char) in ("Sm", "So", "Mn", "Cf") and char not in _MEANT)
