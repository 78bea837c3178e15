"""Originals shown inside another edition's frame: pages left untranslated, told by the menus round them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diglot.arrays import Floats

FRAME_BLOCKS = 8
MIN_CONTAINED = 0.5
"""Share of a page's text, in characters, that must stand word for word on the original."""
MAX_FRAME_SHARE = 0.6
"""A copy's frame is at most this typical of its language, the original's frame being 1."""
MIN_FOREIGN_BLOCKS = 3
"""A copy has at least this many more blocks than the original that are at home on pages in other languages."""
MIN_FRAME = 0.1
"""Where even originals have no frame in common, nothing can be told."""
_RARE_PAGES, _RARE_SHARE = 50, 0.1
"""Blocks on more pages of a language, or a larger share of them, are frame and say nothing of whose copy a page is."""


def pages_in_foreign_frames(blocks: Sequence[Sequence[str]], langs: Sequence[str]) -> dict[int, int]:
    """Pages that repeat another page of their language in the frame of another: row -> row of the original.

    ``blocks``: texts of each page's blocks; ``langs``: the language each page's text was found to be in.
    A page's frame is typical of its language as far as its commonest blocks are common there (and not
    rather at home in other languages). A page whose text mostly stands on another page with a far more
    typical frame is a copy of that one. Versions of a page, such as licences, share one frame and all stay.
    """
    page, block, chars = _incidence(blocks)
    codes = np.unique(np.array(langs, dtype=np.str_), return_inverse=True)[1]
    everywhere = np.bincount(block, minlength=len(chars))
    copies: dict[int, int] = {}
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        here = sparse.csr_array((np.ones(len(page)), (page, block)), shape=(len(blocks), len(chars)))[rows]
        own = np.asarray(here.sum(axis=0)).ravel()
        at_home = 2 * own >= everywhere
        share = np.where(at_home, own / len(rows), 0.0)
        rare = np.where(at_home & (own <= min(_RARE_PAGES, max(3, _RARE_SHARE * len(rows)))), chars, 0.0)
        found = _copies(here, _typicality(here, share), here @ (~at_home).astype(float), rare)
        copies |= {int(rows[copy]): int(rows[original]) for copy, original in found.items()}
    return {copy: original for copy, original in copies.items() if original not in copies}


def _incidence(
    blocks: Sequence[Sequence[str]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """Page and block number of every block a page has, each once, and the length of each block."""
    numbers: dict[str, int] = {}
    pages: list[int] = []
    found: list[int] = []
    for row, texts in enumerate(blocks):
        mine = {numbers.setdefault(text, len(numbers)) for text in texts}
        pages += [row] * len(mine)
        found += sorted(mine)
    return np.array(pages, np.int64), np.array(found, np.int64), np.array([len(text) for text in numbers], float)


def _typicality(here: sparse.csr_array, share: Floats) -> Floats:
    """Mean share of the pages that hold them, over each page's eight commonest blocks."""
    rows = np.repeat(np.arange(here.shape[0]), np.diff(here.indptr))
    value = share[here.indices]
    order = np.lexsort((-value, rows))
    top = np.arange(len(rows)) - here.indptr[rows[order]] < FRAME_BLOCKS
    return np.bincount(rows[order][top], weights=value[order][top], minlength=here.shape[0]) / FRAME_BLOCKS


def _copies(here: sparse.csr_array, frame: Floats, foreign: Floats, weights: Floats) -> dict[int, int]:
    text = sparse.csr_array(here @ sparse.diags_array(weights))
    text.eliminate_zeros()
    size = np.asarray(text.sum(axis=1)).ravel()
    shared = sparse.coo_array(text @ here.T)
    copy, original = shared.coords
    is_copy = (shared.data >= MIN_CONTAINED * size[copy]) & (size[copy] > 0) & (copy != original)
    is_copy &= frame[copy] < MAX_FRAME_SHARE * frame[original]
    is_copy &= foreign[copy] >= foreign[original] + MIN_FOREIGN_BLOCKS
    is_copy &= (frame[original] >= MIN_FRAME) & (frame[original] <= 2 * np.median(frame))
    order = np.lexsort((original[is_copy], -shared.data[is_copy]))[::-1]
    return dict(zip(copy[is_copy][order].tolist(), original[is_copy][order].tolist(), strict=True))
